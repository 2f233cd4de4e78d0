"""Requests as mappings of fields, answered with the documented objects, or refused with the field at fault."""

from __future__ import annotations

import json
from typing import Any

import pytest

from indexer.errors import NotFound, RequestError
from onebrain_search import Brain
from onebrain_search.service import FIELDS, Service


@pytest.fixture
def service(onebrain_brain: Brain) -> Service:
    """Return the service of the OneBrain vault."""
    return Service(onebrain_brain)


@pytest.mark.parametrize(
    ("name", "request_", "field"),
    [
        ("search", {"query": "x", "colour": "red"}, "colour"),
        ("search", {}, "query"),
        ("search", {"query": "  "}, "query"),
        ("search", {"query": 3}, "query"),
        ("search", {"query": "x", "limit": 0}, "limit"),
        ("search", {"query": "x", "limit": True}, "limit"),
        ("search", {"query": "x", "limit": "5"}, "limit"),
        ("search", {"query": "x", "stage": "half"}, "stage"),
        ("search", {"query": "x", "retrieval": ["hybrid"]}, "retrieval"),
        ("ask", {"question": "x", "mode": "how"}, "mode"),
        ("ask", {"question": "x", "web": "yes"}, "web"),
        ("get", {"path": "a.md"}, "path"),
        ("related", {"limit": 3}, "path"),
        ("status", {"verbose": True}, "verbose"),
        ("reindex", {"vectors": 1}, "vectors"),
    ],
)
def test_a_request_that_is_not_understood_is_refused_by_field(
    service: Service, name: str, request_: dict[str, Any], field: str
) -> None:
    """Unknown, missing, or of a wrong type or value: the error names the field and nothing is done."""
    with pytest.raises(RequestError, match=f"`{field}`"):
        getattr(service, name)(request_)


@pytest.mark.parametrize("name", FIELDS)
def test_every_request_has_its_method(name: str) -> None:
    """The table of fields and the methods are of the same names."""
    assert callable(getattr(Service, name))


def test_null_is_as_if_a_field_was_left_out(service: Service) -> None:
    """So that a caller may pass on what it did not set."""
    assert service.search({"query": "retry", "limit": None})["sources"]


def test_search_gives_sources_notes_and_the_index(service: Service) -> None:
    """As documented, with the generation that was asked."""
    found = service.search({"query": "Idempotency keys", "limit": 2, "client": "test"})
    assert (found["version"], found["stage"], len(found["sources"])) == (1, "full", 2)
    assert found["sources"][0]["path"] == "03-knowledge/http/Idempotency Keys.md"
    assert found["index"]["generation"] == service.brain.snapshot().generation


@pytest.mark.parametrize("typed", ["idempo", "idempotency ke", "what are idempot"])
def test_the_lexical_stage_completes_the_last_word(service: Service, typed: str) -> None:
    """For search as you type; no model is asked and no word is taken for mistyped."""
    found = service.search({"query": typed, "stage": "lexical"})
    assert any("Idempotency Keys" in source["path"] for source in found["sources"][:2])
    assert found["notes"] == []


def test_a_word_that_ends_with_a_space_is_whole(service: Service) -> None:
    """No completion then."""
    assert service.search({"query": "idempo ", "stage": "lexical"})["sources"] == []


def test_an_answer_is_explained_on_demand(service: Service) -> None:
    """The field `explain` adds how the question was read."""
    asked = {"question": "How long are idempotency keys kept?"}
    assert "explain" not in service.ask(asked)
    assert service.ask(asked | {"explain": True})["explain"]["mode"] == "what"


def test_get_does_not_leave_the_vault(service: Service) -> None:
    """In any spelling."""
    for address in ("../../etc/passwd", "/etc/passwd", "..%2f..%2fetc%2fpasswd", "a/../../b"):
        with pytest.raises(NotFound):
            service.get({"address": address})


@pytest.mark.parametrize("half", ["\ud83d", "\udcff"])
def test_half_of_a_character_is_no_error(service: Service, half: str) -> None:
    """As a program sends it that cuts an emoji; what is told back can be encoded."""
    asked = [
        service.search({"query": f"idempotency {half}"}),
        service.search({"query": half, "stage": "lexical"}),
        service.ask({"question": f"How long are idempotency keys kept? {half}", "explain": True}),
    ]
    assert all(json.dumps(shape, ensure_ascii=False).encode() for shape in asked)
    assert asked[0]["sources"] and asked[2]["confidence"] == "strong"
    for name, request in (("get", {"address": half}), ("related", {"path": half}), ("search", {half: 1})):
        with pytest.raises((NotFound, RequestError)) as refused:
            getattr(service, name)(request)
        assert str(refused.value).encode()
