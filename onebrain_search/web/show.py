"""The JSON shape of a web search (docs/json.md) -> what people read; loads nothing else of the web."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onebrain_search.printable import printable

Shape = Mapping[str, Any]

EXCERPT = 200  # characters of a snippet in a list
HEADING = "🌐 From the web, not from your notes"
STARS = {"verified": 4, "community": 3, "external": 2}


def search_text(found: Shape, *, wide: bool = False) -> str:
    """Return a web search: header, mode, answer, rows and notices; `wide` shows stars beside the trust."""
    header = [f'Query: "{found["query"]}"', found["mode_line"], ""]
    return printable("\n".join([*header, *_body(found, wide)]))


def block_text(found: Shape) -> str:
    """Return a web search as a block of its own below an answer from the notes; its rows are no citations."""
    if found["failure"] and not found["notices"]:
        return printable(f"{HEADING}: {found['failure']['message']}")
    lines = [f"{HEADING} · {found['mode_line']}", *(f"  {line}" for line in _body(found, False) if line)]
    return printable("\n".join(lines))


def row(result: Shape, wide: bool = False) -> str:
    """Return the line of one result: `WEB #2  title — source  [verified,lang-docs 0.95]`."""
    route, meta = result["route"], result["meta"]
    source = {"code": meta.get("repository") or result["domain"], "local": result["url"]}.get(route, result["domain"])
    mark = {"code": f"  [{meta.get('host', 'code')}]", "local": ""}.get(route)
    mark = f"  {label(result['trust'], wide)}" if mark is None else mark
    return f"{route.upper()} #{result['rank']}  {_line(result['title'])} — {source}{mark}"


def label(trust: Shape | None, wide: bool = False) -> str:
    """Return how far a domain is trusted; unknown is a dash, and `wide` puts stars before the rest."""
    if trust is None or trust["score"] is None:
        return "[—]"
    stars = "★" * STARS.get(trust["level"], 0) + " " if wide else ""
    return f"[{stars}{','.join((trust['level'], *trust['tags']))} {trust['score']:.2f}]"


def _body(found: Shape, wide: bool) -> list[str]:
    """Return the lines below the header."""
    said = found["answer"]
    lines = [f"{said['source']} says: {_line(said['text'])}", ""] if said else []
    for result in found["results"]:
        lines.append(row(result, wide))
        lines += [f"    {result['url']}"] if result["route"] != "local" else []
        lines += [f"    {_short(result['snippet'])}"] if result["snippet"] else []
    if not found["results"]:
        lines.append("No results." if found["ok"] else f"No answer: {found['failure']['message']}")
    return [*lines, *([""] if found["notices"] else []), *map(_line, found["notices"])]


def _short(said: str) -> str:
    """Return the beginning of a snippet, on one line."""
    said = _line(said)
    return said if len(said) <= EXCERPT else f"{said[: EXCERPT - 1].rstrip()}…"


def _line(said: str) -> str:
    """Return a text on one line."""
    return " ".join(said.split())
