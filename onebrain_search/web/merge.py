"""Results of many sources -> one list: one row an address, most named first, then the best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode, urlsplit

from onebrain_search.web.results import Result

PORTS = {"http": 80, "https": 443}


def canonical(url: str) -> str:
    """Return what makes two addresses the same page; empty for what is no http address.

    Host in lower case and in its ASCII form, without the default port, fragment, `utm_` parameters and the slash at
    the end.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return ""
    if parts.scheme not in PORTS:
        return ""
    if not host.isascii():
        try:
            host = host.encode("idna").decode().rstrip(".")  # which makes dots of signs that look like one
        except UnicodeError:
            return ""
    if not host:
        return ""
    place = f"[{host}]" if ":" in host else host
    if port and port != PORTS[parts.scheme]:
        place += f":{port}"
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(name, value) for name, value in pairs if not name.lower().startswith("utm_")]
    query = parts.query if len(kept) == len(pairs) else urlencode(kept)
    return f"{parts.scheme}://{place}{parts.path.rstrip('/')}{f'?{query}' if query else ''}"


def merged(found: Iterable[Sequence[Result]]) -> list[Result]:
    """Return one row for each page, in the order of sources given; those that more sources name come first.

    Title and snippet are those of the first source that has any; what has no http address is left out.
    """
    rows: dict[str, Result] = {}
    for results in found:
        for each in results:
            key = canonical(each.url)
            if key:
                rows[key] = _joined(rows[key], each) if key in rows else each
    return sorted(rows.values(), key=lambda each: -len(each.sources))


def ordered(results: Sequence[Result]) -> list[Result]:
    """Return results by relevance, and equal ones by trust; without scores relevance is how many sources name them.

    The order that they came in decides the rest.
    """
    return sorted(results, key=lambda each: (-_relevance(each), -(each.trust.score or 0.0)))


def _relevance(result: Result) -> float:
    """Return the score, or the number of sources where there is none."""
    return result.score if result.score is not None else float(len(result.sources))


def _joined(first: Result, other: Result) -> Result:
    """Return a row with what another source says of the same page."""
    sources = (*first.sources, *(name for name in other.sources if name not in first.sources))
    return replace(
        first,
        sources=sources,
        title=first.title or other.title,
        snippet=first.snippet or other.snippet,
        date=first.date or other.date,
        library=first.library or other.library,
        meta={**other.meta, **first.meta},
    )
