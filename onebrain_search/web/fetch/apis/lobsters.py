"""Lobsters by the JSON beside each page: stories with their comments, and lists of stories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from onebrain_search.web.fetch.asking import Desk, Place, Reading, known, markdown, rows, texts
from onebrain_search.web.fetch.extraction import html_text

SITE: Final = "https://lobste.rs"
MOST_COMMENTS: Final = 100


def read(place: Place, desk: Desk) -> Reading:
    """Read `/s/ID`, or the list of stories of any other page."""
    if place.step(0) == "s" and place.step(1):
        return _story(desk.json(f"{SITE}/s/{quote(place.step(1))}.json"))
    path = "/".join(quote(step) for step in place.steps) or "hottest"
    stories = rows(desk.json(f"{SITE}/{path}.json"))
    lines = [f"- [{row['title']}]({row.get('short_id_url', '')}) · {row.get('score', 0)}" for row in stories]
    return Reading(markdown(f"Lobsters: {path}", [], "\n".join(lines)), known(stories=len(stories)))


def _story(found: Mapping[str, Any]) -> Reading:
    """A story and its comments."""
    comments = rows(found.get("comments"))[:MOST_COMMENTS]
    parts = (
        f"## {_who(row.get('commenting_user'))} · {row.get('score', 0)}\n\n"
        f"{row.get('comment_plain') or html_text(row.get('comment') or '')}"
        for row in comments
    )
    facts = [
        f"{found.get('score', 0)} points",
        _who(found.get("submitter_user")),
        ", ".join(texts(found.get("tags"))),
    ]
    text = found.get("description_plain") or html_text(found.get("description") or "")
    return Reading(
        markdown(found["title"], facts, found.get("url") or "", text, *parts),
        known(link=found.get("url"), score=found.get("score"), tags=found.get("tags"), comments=len(comments)),
    )


def _who(user: Any) -> str:
    """The name of a user, given alone or in an object."""
    return str(user.get("username", "") if isinstance(user, Mapping) else user or "")
