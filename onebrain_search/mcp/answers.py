"""`ask`, `search`, `related` and `status`: the JSON of docs/json.md -> replies that fit a budget of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from indexer.errors import RequestError
from onebrain_search import text
from onebrain_search.mcp.reply import NOTICE, Reply, fenced, largest
from onebrain_search.printable import one_line

Call = Callable[[str, Mapping[str, Any]], dict[str, Any]]  # (method of the Service, request) -> JSON
Arguments = Mapping[str, Any]
Shape = Mapping[str, Any]

SCHEME = "onebrain://"
ANSWER = 1100  # tokens of an answer by default: at most 1,200 by o200k_base, whatever the estimate misses
MOST, ENOUGH = 5, 3  # sources beside an answer; beside a strong one, which quotes what it is made of
KEPT = ("rank", "path", "line", "heading", "date")  # of a source, named as in docs/json.md
FOUND = ("heading", "date")
PLACE = ("date", "path", "line")
LINKED = ("date", "path", "line", "what", "reason", "status")  # of a link of a chain
WEB_RESULTS = 5  # of the web beside an answer; the command line shows more
SKIPS = 5  # listed by `status`, of each kind


def ask(call: Call, asked: Arguments) -> Reply:
    """Answer a question: what is written with its sources, or the dated chain of decisions.

    It says no more than an agent needs to go on: a strong answer quotes its sources, so they are named without an
    excerpt, and whole passages come only with a budget above the default, of the sources that help.
    """
    request = {"question": asked["question"], "mode": asked["mode"], "web": asked["web"]}
    request |= {"limit": asked["limit"] or MOST}
    answer = _cut_web(call("ask", request))
    chain, sources = answer["chain"], _beside(answer)
    count = len(chain) + len(sources)
    start = _start(asked["cursor"], count)
    few = asked["limit"] or start or answer["confidence"] != "strong"
    most = count if few else min(count, len(chain) + max(ENOUGH, _cited(answer["answer"])))

    def build(shown: int, passages: int) -> Reply:
        """Return the reply with so many links and sources, the first of these with their whole passage."""
        links = chain[start : start + shown]
        found = sources[max(0, start - len(chain)) : max(0, start + shown - len(chain))]
        cursor = _next(start + shown, count)
        data = {"notice": NOTICE, "mode": answer["mode"], "confidence": answer["confidence"]}
        data |= {"answer": answer["answer"]}
        data |= {"chain": [picked(link, LINKED) for link in links]} if chain else {}
        data |= {"in_force": picked(answer["in_force"], PLACE)} if answer["in_force"] else {}
        data |= {"sources": [named(source, n < passages) for n, source in enumerate(found)]}
        data |= {"notes": answer["notes"], "cursor": cursor} | ({"web": answer["web"]} if answer["web"] else {})
        shape = {**answer, "question": shortened(answer["question"]), "chain": links, "sources": found}
        body = text.answer_text(shape, all_links=True) + passages_text(found[:passages])
        head = f"{answer['mode']} · confidence {answer['confidence']}"
        return Reply(f"{head}\n{fenced(body)}{more(cursor)}", data)

    whole = len(sources) if asked["budget"] > ANSWER and not asked["limit"] else 0
    return paged(build, most - start, whole, asked["budget"])


def _beside(answer: Shape) -> list[Shape]:
    """Return the sources that an answer does not tell already, without excerpts where it quotes what matters."""
    told = {(link["path"], link["line"]) for link in answer["chain"]}

    def is_told(source: Shape) -> bool:
        """Whether a link of the chain stands in the passage."""
        return any((source["path"], n) in told for n in range(source["start_line"], source["end_line"] + 1))

    left = [source for source in answer["sources"] if not is_told(source)]
    return [{**source, "excerpt": ""} for source in left] if answer["confidence"] == "strong" else left


def _cited(words: str) -> int:
    """Return the last rank that an answer cites."""
    return max(map(int, re.findall(r"\[(\d{1,3})\]", words)), default=0)


def search(call: Call, asked: Arguments) -> Reply:
    """Return the best passages for a question or words."""
    request = {"query": asked["query"], "retrieval": asked["retrieval"]} | _limit(asked)
    found = call("search", request)
    sources = found["sources"]
    start = _start(asked["cursor"], len(sources))

    def build(shown: int, passages: int) -> Reply:
        """Return the reply with so many sources, the first of these with their whole passage."""
        part, cursor = sources[start : start + shown], _next(start + shown, len(sources))
        results = [
            {"id": address(source), "title": source["title"], "url": url(source)}
            | sourced(source, n < passages, FOUND)
            for n, source in enumerate(part)
        ]
        data = {"notice": NOTICE, "results": results, "notes": found["notes"], "cursor": cursor}
        body = "\n".join([*map(source_line, part), *(one_line(f"note: {note}") for note in found["notes"])])
        head = f"{len(sources)} found" if sources else f"nothing found for {shortened(asked['query'])!r}"
        return Reply(f"{head}\n{fenced(body + passages_text(part[:passages]))}{more(cursor)}", data)

    return paged(build, len(sources) - start, len(sources), asked["budget"])


def related(call: Call, asked: Arguments) -> Reply:
    """Return the notes that belong with one."""
    found = call("related", {"path": asked["path"]} | _limit(asked))

    def build(shown: int) -> Reply:
        """Return the reply with so many notes."""
        part = found["related"][:shown]
        rows = [
            picked(source, ("rank", "path", "line", "title")) | {"ties": list(source["parts"])} for source in part
        ]
        left = len(found["related"]) - shown
        data = {"notice": NOTICE, "path": found["path"], "related": rows, "left_out": left}
        said = f"\n{left} more: ask with a larger `budget`" if left else ""
        return Reply(f"{fenced(text.related_text({**found, 'related': part}))}{said}", data)

    return largest(build, len(found["related"]), asked["budget"])[1]


def status(call: Call, asked: Arguments) -> Reply:
    """Return what the index holds, how far it is, and who answers."""
    found = call("status", {})
    skips = {name: found.get(name, []) for name in ("skipped", "failed")}
    kept = {name: value for name, value in found.items() if name not in ("code", *skips) and value is not None}
    data = {**kept, **{f"{name}_count": len(rows) for name, rows in skips.items()}}
    data |= {name: rows[:SKIPS] for name, rows in skips.items()}
    shown = {**found, **{name: rows[:SKIPS] for name, rows in skips.items()}} if found["exists"] else found
    lines = [text.status_text(shown), f"engine     {found['engine']}"]
    lines += [f"indexing   {found['indexing']}"] if found["indexing"] else []
    return Reply(fenced("\n".join([*lines, f"names      {', '.join(found['collections'])}"])), data)


def paged(build: Callable[[int, int], Reply], pieces: int, sources: int, budget: int) -> Reply:
    """Return the reply with as many pieces as fit, and then as many whole passages; one piece at least.

    What was cut off is asked for with the cursor that the reply names.
    """
    shown, _ = largest(lambda count: build(count, 0), pieces, budget)
    shown = max(shown, min(1, pieces))
    return largest(lambda count: build(shown, count), min(shown, sources), budget)[1]


def sourced(source: Shape, whole: bool, names: Sequence[str]) -> dict[str, Any]:
    """Return some fields of a source, with its whole passage or an excerpt."""
    held = picked(source, ("start_line", "end_line", "text")) if whole else picked(source, ("excerpt",))
    return picked(source, names) | held | ({"stale": True} if source["stale"] else {})


def named(source: Shape, whole: bool) -> dict[str, Any]:
    """Return the fields of a source of an answer: a title where no heading says what it is about."""
    titled = picked(source, () if source["heading"] else ("title",))
    return titled | sourced(source, whole, KEPT)


def source_line(source: Shape) -> str:
    """Return one line on a source."""
    heading = " › ".join(source["heading"]) or source["symbol"] or source["title"]
    stale = " (changed since)" if source["stale"] else ""
    return one_line(f"{source['rank']}. {source['path']}:{source['line']} › {heading} — {source['excerpt']}{stale}")


def passages_text(sources: Sequence[Shape]) -> str:
    """Return whole passages below each other."""
    return "".join(
        f"\n\n--- [{s['rank']}] {one_line(s['path'])}:{s['start_line']}-{s['end_line']}\n{s['text']}" for s in sources
    )


def picked(shape: Shape, names: Sequence[str]) -> dict[str, Any]:
    """Return some fields, without those that are unknown or empty."""
    return {name: shape[name] for name in names if shape[name] not in (None, "", [])}


def address(source: Shape) -> str:
    """Return what `fetch` and `get` take for a source's passage."""
    return f"{source['path']}:{source['start_line']}:{source['end_line'] - source['start_line'] + 1}"


def url(source: Shape) -> str:
    """Return the address of a source's note as a resource, with the line as its fragment."""
    return f"{SCHEME}{quote(source['path'])}#L{source['line']}"


def more(cursor: str) -> str:
    """Return how to go on after a cut."""
    return f'\nmore: call again with cursor "{cursor}"' if cursor else ""


def shortened(question: str, length: int = 200) -> str:
    """Return a question short enough to be repeated."""
    return question if len(question) <= length else f"{question[:length]}…"


def _cut_web(answer: Shape) -> Shape:
    """Return an answer with the first results of the web only, each with the start of its snippet."""
    if not answer["web"]:
        return answer
    rows = [{**row, "snippet": shortened(row["snippet"])} for row in answer["web"]["results"][:WEB_RESULTS]]
    return {**answer, "web": {**answer["web"], "results": rows}}


def _limit(asked: Arguments) -> dict[str, int]:
    """Return the field for how many sources are wanted, none for the vault's own setting."""
    return {"limit": asked["limit"]} if asked["limit"] else {}


def _start(cursor: str, count: int) -> int:
    """Return the place to go on from. Raises RequestError for a cursor that no reply gave."""
    if not cursor:
        return 0
    if not re.fullmatch(r"\d{1,18}", cursor) or not 0 < int(cursor) < count:
        raise RequestError(f"`cursor` is not one that was given: {cursor[:20]!r}", fix="leave it out to start again")
    return int(cursor)


def _next(place: int, count: int) -> str:
    """Return the cursor that goes on at a place, empty at the end."""
    return str(place) if place < count else ""
