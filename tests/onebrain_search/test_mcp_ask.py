"""What `ask` says by default: as much as an agent needs to go on, and no more."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from onebrain_search import Brain
from onebrain_search.mcp.parameters import taken
from onebrain_search.mcp.reply import Reply
from onebrain_search.mcp.tools import TOOLS
from onebrain_search.service import Service
from tests.onebrain_search.test_mcp_tools import QUESTIONS

Call = Callable[[str, Mapping[str, Any]], dict[str, Any]]


@pytest.fixture(scope="module")
def call(onebrain_brain: Brain) -> Call:
    """Return the engine's call over the OneBrain vault."""
    service = Service(onebrain_brain)
    return lambda method, request: getattr(service, method)(request)  # type: ignore[no-any-return]


def run(call: Call, **arguments: Any) -> Reply:
    """Ask with arguments as a client sends them."""
    return TOOLS["ask"].run(call, taken("ask", TOOLS["ask"].parameters, arguments))


def test_a_strong_answer_names_its_sources_and_does_not_repeat_them(call: Call) -> None:
    """Three, by place and heading; the others are a cursor away, and passages come to who has room for them."""
    reply = run(call, question="How long are idempotency keys kept?")
    assert reply.data["confidence"] == "strong"
    assert [row["rank"] for row in reply.data["sources"]] == [1, 2, 3]
    assert reply.text.count("24 hours") == 1
    assert "Parcel API.md:22 › Limits and numbers\n" in reply.text
    rest = run(call, question="How long are idempotency keys kept?", cursor=reply.data["cursor"])
    assert [row["rank"] for row in rest.data["sources"]] == [4, 5]
    large = run(call, question="How long are idempotency keys kept?", budget=5000)
    assert large.text.count("\n--- [") == 3


def test_every_source_that_an_answer_cites_is_named(call: Call) -> None:
    """Also one of a low rank."""

    def answered(method: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Cite the last source."""
        found = call(method, request)
        return found | {"answer": "Kept for a day. [5]"}

    reply = run(answered, question="How long are idempotency keys kept?")
    assert [row["rank"] for row in reply.data["sources"]] == [1, 2, 3, 4, 5]


def test_a_chain_is_not_told_twice(call: Call) -> None:
    """Sources whose passage holds one of its links are left out."""
    data = run(call, question="Why were the static API keys replaced?", budget=5000).data
    told = {(link["path"], link["line"]) for link in data["chain"]}
    assert told and data["sources"]
    for source in data["sources"]:
        lines = range(source["start_line"], source["end_line"] + 1)
        assert not any((source["path"], line) in told for line in lines)


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_takes_at_most_1200_tokens_by_default(call: Call, question: str) -> None:
    """Text and data together, also by the plainest count: four characters a token."""
    reply = run(call, question=question)
    assert reply.tokens <= 1200
    assert (len(reply.text) + len(json.dumps(reply.data, ensure_ascii=False))) / 4 <= 1200
