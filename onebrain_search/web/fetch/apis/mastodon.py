"""Mastodon by the interface of each server: people, posts, tags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from onebrain_search.web.fetch.asking import Desk, Place, Reading, WrongShape, known, markdown, rows
from onebrain_search.web.fetch.extraction import html_text


def read(place: Place, desk: Desk) -> Reading:
    """Read `/@NAME`, `/@NAME/ID` or `/tags/TAG`."""
    server, first, second = f"https://{place.host}/api/v1", place.step(0), place.step(1)
    if first == "tags" and second:
        found = rows(desk.json(f"{server}/timelines/tag/{quote(second)}?limit=20"))
        return Reading(markdown(f"#{second}", [], *map(_post, found)), known(posts=len(found)))
    if not first.startswith("@"):
        raise WrongShape("pages of Mastodon are /@NAME, /@NAME/ID and /tags/TAG")
    if second.isdigit():
        found = desk.json(f"{server}/statuses/{second}")
        return Reading(_post(found), known(replies=found.get("replies_count"), likes=found.get("favourites_count")))
    found = desk.json(f"{server}/accounts/lookup?acct={quote(first[1:])}")
    facts = [f"@{found['acct']}", f"{found.get('followers_count', 0)} followers", found.get("url") or ""]
    return Reading(
        markdown(found.get("display_name") or found["acct"], facts, html_text(found.get("note") or "")),
        known(followers=found.get("followers_count"), posts=found.get("statuses_count")),
    )


def _post(row: Mapping[str, Any]) -> str:
    """A post with who wrote it and when."""
    who = (row.get("account") or {}).get("acct", "")
    title = f"## @{who} · {str(row.get('created_at', ''))[:10]}"
    return f"{title}\n\n{html_text(row.get('content') or '')}\n\n{row.get('url') or ''}".strip()
