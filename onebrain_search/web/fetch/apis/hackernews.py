"""Hacker News by its public database: stories with the first comments, comments, people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote

from indexer.errors import WebError
from onebrain_search.web.fetch.asking import (
    MOST_FOUND,
    Desk,
    Finding,
    Place,
    Reading,
    Unanswered,
    WrongShape,
    day,
    known,
    markdown,
    rows,
)
from onebrain_search.web.fetch.extraction import html_text

API: Final = "https://hacker-news.firebaseio.com/v0"
SEARCH: Final = "https://hn.algolia.com/api/v1/search"
MOST_COMMENTS: Final = 10  # each is a request of its own


def read(place: Place, desk: Desk) -> Reading:
    """Read `/item?id=N` or `/user?id=NAME`."""
    number = place.query.get("id", "")
    if place.step(0) == "user" and number:
        return _person(number, desk)
    if place.step(0) != "item" or not number.isdigit():
        raise WrongShape("pages of Hacker News are /item?id=NUMBER and /user?id=NAME")
    found = _item(number, desk)
    if not found:
        raise desk.missing(f"Hacker News has no item {number}")
    comments = _comments(found.get("kids") or [], desk)
    title = found.get("title") or f"{found.get('type', 'item')} by {found.get('by', 'nobody')}"
    facts = [f"{found['score']} points" if "score" in found else "", found.get("by", ""), day(found.get("time"))]
    return Reading(
        markdown(title, facts, found.get("url") or "", html_text(found.get("text") or ""), *comments),
        known(
            type=found.get("type"), link=found.get("url"), score=found.get("score"),
            comments=found.get("descendants"), shown=len(comments) or None,
        ),
    )  # fmt: skip


def search(words: str, desk: Desk) -> Sequence[Finding]:
    """Stories with these words."""
    found = desk.json(f"{SEARCH}?query={quote(words)}&tags=story&hitsPerPage={MOST_FOUND}")
    return [
        Finding(
            row.get("title") or "",
            f"https://news.ycombinator.com/item?id={row['objectID']}",
            html_text(row.get("story_text") or "")[:300] or row.get("url") or "",
        )
        for row in rows(found.get("hits"))
    ]


def _item(number: str | int, desk: Desk) -> Any:
    """One item of the database, None for one that is not there."""
    return desk.json(f"{API}/item/{number}.json")


def _comments(numbers: Sequence[int], desk: Desk) -> list[str]:
    """The first comments; those that do not come in time are left out."""
    found: list[str] = []
    try:
        for number in numbers[:MOST_COMMENTS]:
            row = _item(int(number), desk)
            if row and row.get("text"):
                found.append(f"## {row.get('by', '')} · {day(row.get('time'))}\n\n{html_text(row['text'])}")
    except (Unanswered, WebError):
        return found
    return found


def _person(name: str, desk: Desk) -> Reading:
    """What a person says of themselves."""
    found = desk.json(f"{API}/user/{quote(name)}.json")
    if not found:
        raise desk.missing(f"Hacker News knows nobody called {name}")
    facts = [f"{found.get('karma', 0)} karma", f"since {day(found.get('created'))}"]
    return Reading(markdown(found["id"], facts, html_text(found.get("about") or "")), known(karma=found.get("karma")))
