"""The names, signatures and fields that others build on; what is here changes only with a new major version."""

from __future__ import annotations

import inspect
from dataclasses import fields
from importlib.resources import files

import pytest

import onebrain_search
from indexer import types as indexed
from onebrain_search import Brain
from onebrain_search import types as asked
from onebrain_search.question import detect, topic

FIELDS = {
    indexed.SourceFile: "root path kind size mtime_ns",
    indexed.Document: "root path kind title aliases tags date date_source meta text links digest problems",
    indexed.Chunk: "id root path title heading text start_line end_line kind symbol date date_source",
    indexed.Event: "id root path line date date_source what reason kind status thread links supersedes superseded_by",
    indexed.Report: "added changed moved removed unchanged excluded skipped failed embedded pending seconds",
    asked.Query: "text topic terms phrases excluded filters mode limit",
    asked.Hit: "chunk score parts highlights stale",
    asked.Answer: "question mode confidence text sources chain notes web",
}
METHODS = {
    "open": "vault environ",
    "index": "self vectors",
    "search": "self text limit retrieval",
    "ask": "self text mode retrieval limit web",
    "get": "self address",
    "related": "self path limit",
    "status": "self",
    "watch": "self",
    "clear": "self",
}


def test_the_package_exports_brain() -> None:
    """One name is all that a program needs; an unknown one is an AttributeError."""
    assert onebrain_search.__all__ == ["Brain"]
    with pytest.raises(AttributeError, match="no attribute"):
        onebrain_search.__getattr__("Brian")


@pytest.mark.parametrize(("name", "parameters"), METHODS.items())
def test_a_method_takes_what_is_documented(name: str, parameters: str) -> None:
    """Documented parameters are there, and whatever is beside them may be left out."""
    signature = inspect.signature(getattr(Brain, name)).parameters
    assert set(parameters.split()) <= set(signature)
    added = [p for p in signature.values() if p.name not in parameters.split()]
    assert all(p.default is not p.empty for p in added)


@pytest.mark.parametrize(
    ("method", "parameter", "default"),
    [
        ("open", "vault", None),
        ("index", "vectors", True),
        ("search", "retrieval", "hybrid"),
        ("ask", "mode", "auto"),
        ("ask", "retrieval", "hybrid"),
        ("ask", "web", None),
        ("related", "limit", 10),
    ],
)
def test_a_default_is_as_documented(method: str, parameter: str, default: object) -> None:
    """Calls without options mean what the documentation says."""
    assert inspect.signature(getattr(Brain, method)).parameters[parameter].default == default


@pytest.mark.parametrize(("kind", "names"), FIELDS.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_a_value_has_its_fields(kind: type, names: str) -> None:
    """The documented fields are there; values never change."""
    assert set(names.split()) <= {field.name for field in fields(kind)}
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(kind)


def test_a_question_is_detected_and_has_a_topic() -> None:
    """`detect` and `topic` work alone, without a vault."""
    assert detect("why did we drop qmd?") == "why"
    assert detect("what is our retry policy?") == "what"
    assert "retry policy" in topic("what is our retry policy?")


@pytest.mark.parametrize("package", ["indexer", "onebrain_search"])
def test_types_are_shipped(package: str) -> None:
    """Type checkers of other programs read our annotations."""
    assert (files(package) / "py.typed").is_file()


def test_a_vault_is_indexed_asked_and_read(onebrain_brain: Brain) -> None:
    """The documented calls work together on a real vault."""
    hits = onebrain_brain.search("idempotency key lifetime", limit=3)
    assert len(hits) == 3
    assert hits[0].chunk.path == "03-knowledge/http/Idempotency Keys.md"
    answer = onebrain_brain.ask("How long are idempotency keys kept?")
    assert (answer.mode, answer.confidence) == ("what", "strong")
    assert "24 hours" in answer.text
    assert onebrain_brain.get(f"{answer.sources[0].chunk.address}:1").text
    assert onebrain_brain.related(hits[0].chunk.path, limit=4)
    assert onebrain_brain.status()["exists"]
