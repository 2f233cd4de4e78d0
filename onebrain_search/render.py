"""Answers as the one JSON shape of CLI, HTTP and MCP (docs/json.md); `text` makes of it what people read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from indexer import tokens
from indexer.types import Event, Report, Skip, written
from onebrain_search import snippet
from onebrain_search.types import Answer, Finding, Hit

if TYPE_CHECKING:
    from onebrain_search.reading import Passage

VERSION = 1  # of the JSON shape; raised when a field changes its meaning or goes


def answer_json(answer: Answer, index: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON shape of an answer; `index` is what the index holds at that moment."""
    stems = _stems(answer.question)
    return {
        "version": VERSION,
        "question": answer.question,
        "mode": answer.mode,
        "confidence": answer.confidence,
        "answer": answer.text,
        "sources": [hit_json(hit, stems, n) for n, hit in enumerate(answer.sources, 1)],
        "chain": [event_json(event) for event in answer.chain],
        "in_force": event_json(answer.in_force) if answer.in_force else None,
        "notes": list(answer.notes),
        "index": dict(index),
        "web": dict(answer.web) if answer.web is not None else None,
    }


def found_json(
    query: str, stage: str, hits: Sequence[Hit], notes: Sequence[str], index: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the JSON shape of passages that were found without an answer being made of them."""
    stems = _stems(query)
    sources = [hit_json(hit, stems, n) for n, hit in enumerate(hits, 1)]
    return {
        "version": VERSION,
        "query": query,
        "stage": stage,
        "sources": sources,
        "notes": list(notes),
        "index": dict(index),
    }


def hit_json(hit: Hit, stems: frozenset[str], rank: int) -> dict[str, Any]:
    """Return the JSON shape of one source."""
    line = snippet.best_line(hit, stems)
    piece = hit.chunk
    return {
        "rank": rank,
        "path": written(piece.root, piece.path),
        "line": line.number,
        "start_line": piece.start_line,
        "end_line": piece.end_line,
        "title": piece.title,
        "heading": list(piece.heading),
        "kind": piece.kind,
        "symbol": piece.symbol or None,
        "date": piece.date,
        "date_source": piece.date_source or None,
        "score": round(hit.score, 6),
        "parts": {name: round(value, 6) for name, value in hit.parts.items()},
        "excerpt": snippet.excerpt(line.text, stems),
        "text": piece.text,
        "highlights": [list(span) for span in hit.highlights],
        "stale": hit.stale,
    }


def event_json(event: Event) -> dict[str, Any]:
    """Return the JSON shape of one link of a chain."""
    return {
        "date": event.date,
        "date_source": event.date_source or None,
        "path": written(event.root, event.path),
        "line": event.line,
        "what": event.what,
        "reason": event.reason or None,
        "kind": event.kind,
        "status": event.status or None,
        "thread": event.thread or None,
        "links": list(event.links),
        "supersedes": list(event.supersedes),
        "superseded_by": list(event.superseded_by),
    }


def report_json(report: Report) -> dict[str, Any]:
    """Return the JSON shape of an index run."""
    numbers = ("added", "changed", "moved", "removed", "unchanged", "excluded", "embedded", "pending")
    return {
        "version": VERSION,
        **{name: getattr(report, name) for name in numbers},
        "skipped": [skip_json(skip) for skip in report.skipped],
        "failed": [skip_json(skip) for skip in report.failed],
        "partial": report.partial,
        "seconds": round(report.seconds, 3),
        "notes": list(report.notes),
    }


def skip_json(skip: Skip) -> dict[str, Any]:
    """Return the JSON shape of a file that was left out."""
    return {"path": written(skip.root, skip.path), "reason": skip.reason}


def passage_json(passage: Passage) -> dict[str, Any]:
    """Return the JSON shape of lines that were asked for."""
    return {
        "version": VERSION,
        "path": written(passage.root, passage.path),
        "start_line": passage.start_line,
        "end_line": passage.end_line,
        "line_count": passage.line_count,
        "text": passage.text,
    }


def related_json(path: str, hits: Sequence[Hit]) -> dict[str, Any]:
    """Return the JSON shape of related notes."""
    return {"version": VERSION, "path": path, "related": [hit_json(h, frozenset(), n) for n, h in enumerate(hits, 1)]}


def status_json(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON shape of what the index holds."""
    skips = {name: [skip_json(skip) for skip in found[name]] for name in ("skipped", "failed") if name in found}
    return {"version": VERSION, **found, **skips}


def findings_json(found: Sequence[Finding]) -> dict[str, Any]:
    """Return the JSON shape of what `doctor` found."""
    rows = [{"check": f.check, "what": f.what, "where": f.where, "fix": f.fix, "hint": f.hint} for f in found]
    return {"version": VERSION, "healthy": all(finding.hint for finding in found), "findings": rows}


def _stems(question: str) -> frozenset[str]:
    """Return the stems to look for in a source."""
    from onebrain_search.query import stop_words

    found: Sequence[str] = [t for t in tokens.words(question) if t not in stop_words()]
    return frozenset(map(tokens.stem, found))
