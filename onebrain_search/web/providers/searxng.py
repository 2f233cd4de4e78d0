"""A SearXNG server of one's own, by its JSON."""

from __future__ import annotations

from onebrain_search.web.http import Ask
from onebrain_search.web.replies import address, mapping, rows, sent, text, title
from onebrain_search.web.results import Access, Found, Result, Wanted

RANGES = {"pd": "day", "pw": "week", "pm": "month", "py": "year"}
FIXES = {
    403: "this server gives no JSON: add `json` to `search.formats` in its settings.yml",
    429: "its limiter refuses programs: allow this machine in its limiter.toml",
}


def ask(wanted: Wanted, access: Access) -> Found:
    """Return the results of a SearXNG server; engines of it that failed are named. Raises SourceError."""
    params = {"q": wanted.question, "format": "json"}
    if wanted.freshness:
        params["time_range"] = RANGES[wanted.freshness]
    headers = {"Accept": "application/json"}
    place = f"{access.url}/search"
    reply = sent(access, Ask(place, params=params, headers=headers, seconds=access.seconds, redirects=0), fixes=FIXES)
    answer = mapping(reply)
    found = tuple(
        Result("web", title(row.get("title"), url), url, text(row.get("content")), ("searxng",),
               text(row.get("publishedDate")))
        for row in rows(answer, "results")
        if (url := address(row.get("url")))
    )[: wanted.count]  # fmt: skip
    return Found(found, notes=_silent(answer.get("unresponsive_engines")))


def _silent(engines: object) -> tuple[str, ...]:
    """Return a note about engines that gave no answer, if there are any."""
    pairs = [pair for pair in engines if isinstance(pair, list) and pair] if isinstance(engines, list) else []
    named = ", ".join(f"{text(pair[0])} ({text(pair[-1])})" for pair in pairs[:10])
    return (f"SearXNG got nothing from: {named}",) if named else ()
