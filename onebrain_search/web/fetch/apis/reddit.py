"""Reddit by the JSON beside each page: posts with their first comments, and lists of posts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from onebrain_search.web.fetch.asking import (
    Desk,
    Finding,
    Place,
    Reading,
    day,
    known,
    markdown,
    rows,
)

API: Final = "https://www.reddit.com"
MOST_COMMENTS: Final = 50
MOST_FOUND: Final = 25


def read(place: Place, desk: Desk) -> Reading:
    """Read a post, or the list of posts of any other page."""
    path = "/".join(quote(step) for step in place.steps)
    found = desk.json(f"{API}/{path}.json?raw_json=1")
    if isinstance(found, list):
        return _post(_children(found[0])[0], _children(found[1]))
    posts = _children(found)
    parts = (f"- [{row.get('title', '')}]({API}{row.get('permalink', '')}) · {row.get('score', 0)}" for row in posts)
    return Reading(markdown(f"/{path}" if path else "Reddit", [], "\n".join(parts)), known(posts=len(posts)))


def search(words: str, desk: Desk) -> Sequence[Finding]:
    """Posts with these words."""
    found = desk.json(f"{API}/search.json?q={quote(words)}&limit={MOST_FOUND}&raw_json=1")
    return [
        Finding(row["title"], f"{API}{row['permalink']}", (row.get("selftext") or "")[:300])
        for row in _children(found)
    ]


def _post(post: Mapping[str, Any], comments: Sequence[Mapping[str, Any]]) -> Reading:
    """A post and its first comments, replies below what they reply to."""
    said = list(_said(comments, 0))[:MOST_COMMENTS]
    link = "" if post.get("is_self") else post.get("url") or ""
    facts = [f"r/{post.get('subreddit', '')}", f"{post.get('score', 0)} points", post.get("author") or ""]
    return Reading(
        markdown(post["title"], [*facts, day(post.get("created_utc"))], link, post.get("selftext") or "", *said),
        known(
            subreddit=post.get("subreddit"),
            score=post.get("score"),
            comments=post.get("num_comments"),
            shown=len(said),
        ),
    )


def _said(comments: Sequence[Mapping[str, Any]], depth: int) -> Iterator[str]:
    """Comments as quoted blocks, deeper ones with more marks."""
    for row in comments:
        if row.get("body") and depth < 20:
            mark = "> " * depth
            text = f"**{row.get('author', '')}** · {row.get('score', 0)}\n\n{row['body']}"
            yield "\n".join(f"{mark}{line}".rstrip() for line in text.split("\n"))
            yield from _said(_children(row.get("replies")), depth + 1)


def _children(listing: Any) -> list[Mapping[str, Any]]:
    """The things in a listing."""
    if not isinstance(listing, Mapping):
        return []
    return [row["data"] for row in rows(listing["data"]["children"]) if isinstance(row.get("data"), Mapping)]
