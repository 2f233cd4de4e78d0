"""An answer as text for people and as the one JSON shape of CLI, HTTP and MCP (docs/json.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from indexer import tokens
from indexer.types import Event, Report, Skip, written
from onebrain_search import snippet
from onebrain_search.reading import Passage
from onebrain_search.types import Answer, Finding, Hit

Link = Callable[[str, Path | None, int], str]

VERSION = 1  # of the JSON shape; raised when a field changes its meaning or goes
CHAIN_LINKS = 12  # shown of a chain unless all are asked for


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


def status_text(found: Mapping[str, Any]) -> str:
    """Return what the index holds, for people."""
    if not found["exists"]:
        return f"{found['vault']}: no index yet; `index` or any question makes it"
    lines = [f"vault      {found['vault']}", f"index      {found['state']} ({found['bytes'] / 1e6:.1f} MB)"]
    lines.append(f"documents  {found['documents']} ({found['excluded']} excluded by rules)")
    vectors = (
        f"{found['vectors']} with vectors, {found['pending']} waiting, {found['unreadable']} the model cannot read"
    )
    lines.append(f"passages   {found['chunks']}: {vectors}")
    for name in ("skipped", "failed"):
        lines += [f"{name:<10} {written(s.root, s.path) or 'the vault'}: {s.reason}" for s in found[name]]
    return snippet.printable("\n".join(lines))


def findings_json(found: Sequence[Finding]) -> dict[str, Any]:
    """Return the JSON shape of what `doctor` found."""
    rows = [{"check": f.check, "what": f.what, "where": f.where, "fix": f.fix, "hint": f.hint} for f in found]
    return {"version": VERSION, "healthy": all(finding.hint for finding in found), "findings": rows}


def findings_text(found: Sequence[Finding]) -> str:
    """Return what `doctor` found, for people."""
    if not found:
        return "nothing is wrong"
    lines = [f"{'hint ' if f.hint else 'FAULT'} {f.check}: {f.what} ({f.where})\n      {f.fix}" for f in found]
    return snippet.printable("\n".join(lines))


def related_text(hits: Sequence[Hit]) -> str:
    """Return related notes, for people, each with what ties them."""
    if not hits:
        return "no related notes"
    lines = []
    for n, hit in enumerate(hits, 1):
        ties = ", ".join(f"{name} {value:.2f}" if name == "vector" else name for name, value in hit.parts.items())
        lines.append(f"  {n}. {hit.chunk.address} › {hit.chunk.title} — {ties}")
    return snippet.printable("\n".join(lines))


def explain_text(explained: Mapping[str, Any], answer: Answer) -> str:
    """Return how a question was read and why each source ranks, for people."""
    lines = ["🔎 How this was read:"]
    lines += [f"  {name}: {value}" for name, value in explained.items() if value not in ("", [], None)]
    for n, hit in enumerate(answer.sources, 1):
        parts = "  ".join(f"{name} {value:.3f}" for name, value in hit.parts.items())
        lines.append(f"  {n}. {hit.score:.3f} = {parts}")
    return snippet.printable("\n".join(lines))


def answer_text(
    answer: Answer, *, link: Link | None = None, files: Mapping[str, Path] | None = None, all_links: bool = False
) -> str:
    """Return an answer for people; `link` makes a place one that the terminal can follow, `files` are the roots."""
    if answer.mode == "why" and answer.chain:
        blocks = [_chain_text(answer, all_links)]
    elif answer.confidence == "none":
        blocks = [_no_match_text(answer)]
    else:
        said = answer.text.replace("\n", "\n  ")
        blocks = [f"📌 Direct answer\n  {said}"] if said else []
    if answer.sources:
        blocks.append(_sources_text(answer))
    blocks += [f"note: {note}" for note in answer.notes]
    text = snippet.printable("\n\n".join(blocks))
    for hit in answer.sources if link and files else ():
        place = f"{written(hit.chunk.root, hit.chunk.path)}:"
        file = files[hit.chunk.root] / hit.chunk.path if files and hit.chunk.root in files else None
        text = text.replace(f". {place}", f". {link(place, file, hit.chunk.start_line)}", 1) if link else text
    return text


def report_text(report: Report) -> str:
    """Return one line on an index run, and one for each thing that could not be read."""
    counts = [
        f"{getattr(report, name)} {name}"
        for name in ("added", "changed", "moved", "removed", "unchanged", "excluded")
        if getattr(report, name)
    ]
    counts += [f"{len(report.skipped)} skipped"] if report.skipped else []
    vectors = f"{report.embedded} passages embedded" if report.embedded else ""
    vectors += f"{', ' if vectors else ''}{report.pending} waiting for vectors" if report.pending else ""
    lines = [", ".join(counts) or "nothing to index", *([vectors] if vectors else [])]
    text = f"{'; '.join(lines)} ({report.seconds:.1f} s)"
    rest = [f"  skipped {written(s.root, s.path)}: {s.reason}" for s in report.skipped[:20]]
    rest += [f"  … and {len(report.skipped) - 20} more (see `status`)"] if len(report.skipped) > 20 else []
    rest += [f"  could not read {written(s.root, s.path) or 'the vault'}: {s.reason}" for s in report.failed]
    rest += [f"  note: {note}" for note in report.notes]
    return snippet.printable("\n".join([text, *rest]))


def _sources_text(answer: Answer) -> str:
    """Return the list of sources."""
    stems = _stems(answer.question)
    weak = answer.confidence == "none"
    title = "Nearest candidates (weak)" if weak else f"Sources (top {len(answer.sources)} by relevance)"
    lines = [f"📚 {title}:"]
    for n, hit in enumerate(answer.sources, 1):
        line = snippet.best_line(hit, stems)
        place = f"{written(hit.chunk.root, hit.chunk.path)}:{line.number}"
        heading = " › ".join(hit.chunk.heading) or hit.chunk.symbol or hit.chunk.title
        stale = " (changed since)" if hit.stale else ""
        lines.append(f"  {n}. {place} › {heading} — {snippet.excerpt(line.text, stems)}{stale}")
    return "\n".join(lines)


def _no_match_text(answer: Answer) -> str:
    """Return what is said when the vault has no answer."""
    return f'🔴 No strong match for "{answer.question}"'


def _chain_text(answer: Answer, all_links: bool) -> str:
    """Return what settled it, the decision chain, oldest first, and what is in force now."""
    shown = answer.chain if all_links else answer.chain[:CHAIN_LINKS]
    *settled, in_force = answer.text.split("\n")
    lines = [f"📌 What settled it\n  {line}\n" for line in settled]
    lines += ["🕐 Decision chain (chronological):", *map(_event_text, shown)]
    if len(shown) < len(answer.chain):
        lines.append(f"  … {len(answer.chain) - len(shown)} more, --all")
    return "\n".join([*lines, f"➡ {in_force}"])


def _event_text(event: Event) -> str:
    """Return one link of a chain."""
    reason = f' · "{event.reason}"' if event.reason else ""
    status = f" ({event.status})" if event.status else ""
    place = f"{written(event.root, event.path)}:{event.line}"
    return f"  {event.day} · {event.label}{status}{reason} · {place}"


def _stems(question: str) -> frozenset[str]:
    """Return the stems to look for in a source."""
    from onebrain_search.query import stop_words

    found: Sequence[str] = [t for t in tokens.words(question) if t not in stop_words()]
    return frozenset(map(tokens.stem, found))
