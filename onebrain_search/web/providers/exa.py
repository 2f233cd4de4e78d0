"""Exa's search API: several keys are tried in order, each as a bearer first and as an API key second."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from onebrain_search.web.http import Ask, Reply
from onebrain_search.web.purpose import FRESHNESS
from onebrain_search.web.replies import address, mapping, rows, sent, text, title
from onebrain_search.web.results import Access, Found, Result, SourceError, Wanted

HIGHLIGHTS = 1200  # characters of a result's best passages
KINDS = {"resource": "instant", "status": "fast", "news": "fast"}  # by purpose
KEY_REFUSED = ("search_http_401", "search_http_403")
SPENT = (*KEY_REFUSED, "search_http_402", "search_http_429")  # the next key may still be good


def ask(wanted: Wanted, access: Access) -> Found:
    """Return the results of Exa. Raises SourceError."""
    body: dict[str, Any] = {
        "query": wanted.question,
        "type": kind(wanted),
        "numResults": wanted.count,
        "contents": {"highlights": {"maxCharacters": HIGHLIGHTS}},
    }
    if wanted.freshness:
        since = wanted.now - timedelta(days=FRESHNESS[wanted.freshness])
        body["startPublishedDate"] = since.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    answer = mapping(_reply(body, access))
    used = text(answer.get("resolvedSearchType") or answer.get("searchType")) or body["type"]
    return Found(
        tuple(
            Result("web", title(row.get("title"), url), url, _snippet(row), ("exa",), text(row.get("publishedDate")),
                   meta={"exa_type": used})
            for row in rows(answer, "results")
            if (url := address(row.get("url")))
        )
    )  # fmt: skip


def kind(wanted: Wanted) -> str:
    """Return how Exa should search for a purpose."""
    if wanted.purpose == "exploratory" and wanted.mode == "deep":
        return "deep"
    return KINDS.get(wanted.purpose, "auto")


def _reply(body: dict[str, Any], access: Access) -> Reply:
    """Return the reply to the first key that is taken. Raises the SourceError of the last one."""
    problem: SourceError | None = None
    for key in access.keys:
        for headers in ({"Authorization": f"Bearer {key}"}, {"x-api-key": key}):
            place = f"{access.url}/search"
            try:
                return sent(
                    access, Ask(place, "POST", headers=headers, json=body, seconds=access.seconds, redirects=0)
                )
            except SourceError as error:
                problem = error
                if error.code not in KEY_REFUSED:
                    break
        if problem is None or problem.code not in SPENT:
            break
    raise problem or SourceError("search_unconfigured", "has no key")


def _snippet(row: dict[str, Any]) -> str:
    """Return the best passages of a result, else its text, else its summary."""
    return text(row.get("highlights")) or text(row.get("text")) or text(row.get("summary"))
