"""`query`, as OneBrain and qmd call it: typed sub-queries, each a ranking, fused into one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from indexer.errors import RequestError
from onebrain_search.mcp.answers import Arguments, Call, Shape, address, paged, passages_text
from onebrain_search.mcp.reply import NOTICE, Reply, fenced

RETRIEVAL = {"lex": "lexical", "vec": "vector", "hyde": "vector"}
RANK = 60  # of reciprocal rank fusion, the constant of its paper
FIRST = 2.0  # the weight of the first sub-query, as in qmd
INTENT = 0.5  # the weight of the ranking by sub-query and intent together; it moves what was found and adds nothing
# The best `rerank_score` under each label: OneBrain takes .6 and more for sure, and less than .3 for no match.
BANDS = {"strong": 0.95, "weak": 0.59, "none": 0.29}


@dataclass(frozen=True, slots=True)
class Collection:
    """A part of what is indexed: the filter that asks for it, and how its written paths begin.

    The vault itself has no beginning: its paths are those that begin with none of the `others`.
    """

    condition: str
    start: str = ""
    others: tuple[str, ...] = ()

    def holds(self, path: str) -> bool:
        """Whether a written path belongs to it."""
        return path.startswith(self.start) and not path.startswith(self.others)


def query(call: Call, asked: Arguments) -> Reply:
    """Run typed sub-queries and return the passages that they find together, best first."""
    collections = _collections(call, asked["collections"])
    depth = max(asked["limit"], asked["candidateLimit"])
    rankings, notes = list[tuple[float, list[Shape]]](), dict[str, None]()
    for number, each in enumerate(asked["searches"]):
        found = _ranked(call, each["query"], RETRIEVAL[each["type"]], collections, depth)
        rankings.append((FIRST if number == 0 else 1.0, found["sources"]))
        notes |= dict.fromkeys(found["notes"])
    moved = _moved(call, asked, collections, depth) if asked["intent"].strip() else []
    label = _label(call, asked["searches"])
    scored = [row for row in fused(rankings, moved) if row[0] >= asked["minScore"]][: asked["limit"]]
    if not asked["rerank"]:
        notes["`rerank` is set for the whole vault, by `reranker` in onebrain.yml"] = None
    return _reply(scored, label, list(notes), asked["budget"])


def fused(rankings: Iterable[tuple[float, Sequence[Shape]]], moved: Sequence[Shape]) -> list[tuple[float, Shape]]:
    """Return the passages of weighted rankings with their reciprocal rank scores, the best one 1.0, best first.

    `moved` is one more ranking that counts only for what the others found.
    """
    scores, shapes = dict[str, float](), dict[str, Shape]()
    for weight, ranking in rankings:
        for rank, source in enumerate(ranking, 1):
            key = address(source)
            scores[key] = scores.get(key, 0.0) + weight / (RANK + rank)
            shapes.setdefault(key, source)
    for rank, source in enumerate(moved, 1):
        key = address(source)
        if key in scores:
            scores[key] += INTENT / (RANK + rank)
    top = max(scores.values(), default=1.0)
    order = sorted(scores, key=lambda key: (-scores[key], key))
    return [(scores[key] / top, shapes[key]) for key in order]


def _moved(call: Call, asked: Arguments, collections: Sequence[Collection], depth: int) -> list[Shape]:
    """Return the ranking by the first sub-query together with what it is meant for."""
    text = f"{asked['searches'][0]['query']} {asked['intent']}"
    found: list[Shape] = _ranked(call, text, "hybrid", collections, depth)["sources"]
    return found


def _ranked(call: Call, text: str, retrieval: str, collections: Sequence[Collection], depth: int) -> dict[str, Any]:
    """Return what one sub-query finds, in any of the collections."""
    if not collections:
        return call("search", {"query": text, "retrieval": retrieval, "limit": depth})
    sources, notes = list[Shape](), list[str]()
    for each in collections:
        found = call("search", {"query": f"{text} {each.condition}", "retrieval": retrieval, "limit": depth})
        inside = [source for source in found["sources"] if each.holds(source["path"])]
        sources += inside
        notes += found["notes"] if inside else []
    return {"sources": sorted(sources, key=lambda source: -source["score"])[:depth], "notes": notes}


def _collections(call: Call, names: Sequence[str]) -> list[Collection]:
    """Return the collections of some names: a code folder, the vault, or a top folder of it.

    Raises RequestError for a name that is none of these.
    """
    if not names:
        return []
    places = call("places", {})
    codes: list[str] = places["code"]
    found = []
    for name in names:
        plain = name.strip().strip("/")
        if plain in codes:
            found.append(Collection(f'root:"{plain}"', f"{plain}:"))
        elif plain in places["vault"]:
            found.append(Collection("kind:note", others=tuple(f"{code}:" for code in codes)))
        elif plain in places["folders"]:
            found.append(Collection(f'path:"{plain}"', f"{plain}/"))
        else:
            known = ", ".join([*places["vault"], *codes, *places["folders"]])
            raise RequestError(f"unknown collection `{name[:60]}`", where="query", fix=f"known here: {known}")
    return found


def _label(call: Call, searches: Sequence[Mapping[str, str]]) -> str:
    """Return how sure it is that the notes answer the first sub-query that is a question, else the first."""
    first = next((each for each in searches if each["type"] == "vec"), searches[0])
    return str(call("ask", {"question": first["query"], "mode": "what", "limit": 1})["confidence"])


def _reply(scored: Sequence[tuple[float, Shape]], label: str, notes: list[str], budget: int) -> Reply:
    """Return the reply in the fields of qmd and OneBrain."""

    def build(shown: int, passages: int) -> Reply:
        """Return the reply with so many results, the first of these with their whole passage."""
        part = [source for _, source in scored[:shown]]
        rows = [
            {
                "docid": address(source), "file": source["path"], "title": source["title"], "score": round(score, 2),
                "rerank_score": round(BANDS[label] * score, 2), "context": " › ".join(source["heading"]),
                "snippet": source["text"] if n < passages else f"{source['line']}: {source['excerpt']}",
            }
            for n, (score, source) in enumerate(scored[:shown])
        ]  # fmt: skip
        left = len(scored) - shown
        data = {"notice": NOTICE, "confidence": label, "results": rows, "notes": notes, "left_out": left}
        lines = [
            f"{round(100 * row['score'])}% {row['file']}:{source['line']} › {row['context']} — {source['excerpt']}"
            for row, source in zip(rows, part, strict=True)
        ]
        body = "\n".join([*lines, *(f"note: {note}" for note in notes)]) + passages_text(part[:passages])
        said = f"\n{left} more: ask with a larger `budget`" if left else ""
        return Reply(f"{len(scored)} results · confidence {label}\n{fenced(body)}{said}", data)

    return paged(build, len(scored), len(scored), budget)
