"""Brave's web search API."""

from __future__ import annotations

from onebrain_search.web.http import Ask
from onebrain_search.web.replies import address, mapping, rows, sent, text, title
from onebrain_search.web.results import Access, Found, Result, Wanted

MOST = 20  # results of a page
LONGEST = 400  # characters of a question
WORDS = 50


def ask(wanted: Wanted, access: Access) -> Found:
    """Return the results of Brave. Raises SourceError."""
    params = {
        "q": " ".join(wanted.question.split()[:WORDS])[:LONGEST],
        "count": str(min(MOST, wanted.count)),
        "text_decorations": "false",
        **({"freshness": wanted.freshness} if wanted.freshness else {}),
    }
    headers = {"X-Subscription-Token": access.keys[0], "Accept": "application/json"}
    place = f"{access.url}/res/v1/web/search"
    reply = sent(access, Ask(place, params=params, headers=headers, seconds=access.seconds, redirects=0))
    return Found(
        tuple(
            Result(
                "web", title(row.get("title"), url), url, text(row.get("description")), ("brave",),
                text(row.get("page_age")) or text(row.get("age")),
            )
            for row in rows(mapping(reply), "web", "results")
            if (url := address(row.get("url")))
        )
    )  # fmt: skip
