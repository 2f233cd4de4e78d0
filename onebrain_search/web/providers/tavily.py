"""Tavily's search API, which can also give an answer of its own."""

from __future__ import annotations

from typing import Any

from onebrain_search.web.http import Ask
from onebrain_search.web.replies import address, mapping, rows, sent, text, title
from onebrain_search.web.results import Access, Found, Result, Wanted

MOST = 20
RANGES = {"pd": "day", "pw": "week", "pm": "month", "py": "year"}
PLAN = "the plan's limit is reached"


def ask(wanted: Wanted, access: Access) -> Found:
    """Return the results of Tavily, with its answer when that is wanted. Raises SourceError."""
    body: dict[str, Any] = {
        "query": wanted.question,
        "max_results": min(MOST, wanted.count),
        "include_answer": wanted.mode == "answer",
        "topic": "news" if wanted.purpose == "news" else "general",
        **({"time_range": RANGES[wanted.freshness]} if wanted.freshness else {}),
    }
    headers = {"Authorization": f"Bearer {access.keys[0]}"}
    place = f"{access.url}/search"
    request = Ask(place, "POST", headers=headers, json=body, seconds=access.seconds, redirects=0)
    answer = mapping(sent(access, request, fixes={432: PLAN, 433: PLAN}))
    results = tuple(
        Result("web", title(row.get("title"), url), url, text(row.get("content")), ("tavily",),
               text(row.get("published_date")))
        for row in rows(answer, "results")
        if (url := address(row.get("url")))
    )  # fmt: skip
    return Found(results, text(answer.get("answer")) if wanted.mode == "answer" else "")
