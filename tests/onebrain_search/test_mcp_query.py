"""`query` as qmd and OneBrain have it: typed sub-queries, intent and collections honoured, their field names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from indexer.errors import RequestError
from onebrain_search import Brain
from onebrain_search.mcp import fusion, places
from onebrain_search.mcp.parameters import taken
from onebrain_search.mcp.reply import Reply
from onebrain_search.mcp.tools import TOOLS
from onebrain_search.service import Service

Call = Callable[[str, Mapping[str, Any]], dict[str, Any]]


@pytest.fixture(scope="module")
def call(onebrain_brain: Brain) -> Call:
    """Return the engine's call over the OneBrain vault."""
    service = Service(onebrain_brain)

    def answered(method: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer by the Service, with the places that the engine adds."""
        if method == "places":
            return places.places(onebrain_brain.config)
        found: dict[str, Any] = getattr(service, method)(request)
        return found

    return answered


def run(call: Call, name: str, **arguments: Any) -> Reply:
    """Run a tool with arguments as a client sends them."""
    return TOOLS[name].run(call, taken(name, TOOLS[name].parameters, arguments))


def _source(path: str, line: int = 1) -> dict[str, Any]:
    """Return a source as far as fusion looks at it."""
    return {"path": path, "start_line": line, "end_line": line}


def test_the_first_sub_query_counts_twice() -> None:
    """Two rankings that disagree: the first one's best is first, and scores 1."""
    one, two = [_source("a"), _source("b")], [_source("b"), _source("a")]
    scored = fusion.fused([(2.0, one), (1.0, two)], [])
    assert [row["path"] for _, row in scored] == ["a", "b"]
    assert scored[0][0] == 1.0


def test_intent_moves_what_was_found_and_adds_nothing() -> None:
    """Of two that rank alike, the one that fits the intent wins; a third does not come in."""
    ranking = [(1.0, [_source("a")]), (1.0, [_source("b")])]
    assert [row["path"] for _, row in fusion.fused(ranking, [])] == ["a", "b"]
    moved = fusion.fused(ranking, [_source("c"), _source("b")])
    assert [row["path"] for _, row in moved] == ["b", "a"]


def test_intent_is_honoured_on_real_notes(call: Call) -> None:
    """What a short word is meant for changes the order."""
    searches, wide = [{"type": "lex", "query": "keys"}], {"limit": 200, "candidateLimit": 200, "budget": 100_000}
    orders = {
        intent: [row["docid"] for row in run(call, "query", searches=searches, intent=intent, **wide).data["results"]]
        for intent in ("", "keys of a house or a flat", "idempotency keys of an HTTP API")
    }
    assert len({tuple(order) for order in orders.values()}) > 1
    assert {tuple(sorted(order)) for order in orders.values()} == {tuple(sorted(orders[""]))}


@pytest.mark.parametrize(("collection", "start"), [("01-projects", "01-projects/"), ("tools", "tools:")])
def test_collections_are_honoured(call: Call, collection: str, start: str) -> None:
    """Only passages of the folder that is named come, from any sub-query."""
    searches = [{"type": "lex", "query": "retry"}, {"type": "vec", "query": "how often do we try again?"}]
    results = run(call, "query", searches=searches, collections=[collection]).data["results"]
    assert results
    assert all(row["file"].startswith(start) for row in results)


def test_several_collections_are_any_of_them(call: Call) -> None:
    """And the vault by its own name is everything but code."""
    searches = [{"type": "lex", "query": "retry"}]
    both = run(call, "query", searches=searches, collections=["01-projects", "tools"]).data["results"]
    assert {row["file"].split("/")[0].split(":")[0] for row in both} == {"01-projects", "tools"}
    vault = run(call, "query", searches=searches, collections=["onebrain"]).data["results"]
    assert vault
    assert not any(":" in row["file"] for row in vault)


def test_an_unknown_collection_is_refused_with_those_there_are(call: Call) -> None:
    """Never searched as if it were not asked for."""
    with pytest.raises(RequestError, match=r"unknown collection `work`.*01-projects"):
        run(call, "query", searches=[{"type": "lex", "query": "retry"}], collections=["work"])


def test_query_speaks_the_fields_of_qmd_and_onebrain(call: Call) -> None:
    """Existing instructions read them: bands of `rerank_score`, and a `docid` that `get` takes."""
    data = run(call, "query", searches=[{"type": "vec", "query": "How long are idempotency keys kept?"}]).data
    first = data["results"][0]
    assert {"docid", "file", "title", "score", "context", "snippet", "rerank_score"} == set(first)
    assert first["rerank_score"] >= 0.6
    assert run(call, "get", file=first["docid"]).data["path"] == first["file"]
    nothing = run(call, "query", searches=[{"type": "vec", "query": "what is the capital of mongolia?"}]).data
    assert nothing["confidence"] == "none"
    assert all(row["rerank_score"] < 0.3 for row in nothing["results"])


def test_least_score_and_limit_are_honoured(call: Call) -> None:
    """The best has 1; what is below the least score does not come."""
    searches = [{"type": "lex", "query": "retry"}, {"type": "vec", "query": "trying again"}]
    few = run(call, "query", searches=searches, minScore=0.9, limit=50).data["results"]
    assert few[0]["score"] == 1.0
    assert all(row["score"] >= 0.9 for row in few)
    assert len(run(call, "query", searches=searches, limit=2).data["results"]) == 2
