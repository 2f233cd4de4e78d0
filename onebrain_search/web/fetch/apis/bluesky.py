"""Bluesky by its public interface: people, posts with their replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from onebrain_search.web.fetch.asking import Desk, Finding, Place, Reading, WrongShape, known, markdown, rows

API: Final = "https://public.api.bsky.app/xrpc"
SEARCH: Final = "https://api.bsky.app/xrpc"
MOST_FOUND: Final = 25
MOST_REPLIES: Final = 50


def read(place: Place, desk: Desk) -> Reading:
    """Read `/profile/NAME` or `/profile/NAME/post/ID`."""
    if place.step(0) != "profile" or len(place.steps) not in (2, 4) or place.step(2) not in ("", "post"):
        raise WrongShape("pages of Bluesky are /profile/NAME and /profile/NAME/post/ID")
    name = place.step(1)
    if len(place.steps) == 4:
        address = quote(f"at://{name}/app.bsky.feed.post/{place.step(3)}", safe="")
        return _thread(desk.json(f"{API}/app.bsky.feed.getPostThread?uri={address}&depth=6")["thread"])
    found = desk.json(f"{API}/app.bsky.actor.getProfile?actor={quote(name)}")
    facts = [found["handle"], f"{found.get('followersCount', 0)} followers", f"{found.get('postsCount', 0)} posts"]
    return Reading(
        markdown(found.get("displayName") or found["handle"], facts, found.get("description") or ""),
        known(handle=found["handle"], followers=found.get("followersCount"), posts=found.get("postsCount")),
    )


def search(words: str, desk: Desk) -> Sequence[Finding]:
    """Posts with these words."""
    found = desk.json(f"{SEARCH}/app.bsky.feed.searchPosts?q={quote(words)}&limit={MOST_FOUND}")
    return [
        Finding(_who(row), _address(row), (row.get("record") or {}).get("text", "")) for row in rows(found["posts"])
    ]


def _thread(thread: Mapping[str, Any]) -> Reading:
    """A post and the replies to it."""
    post = thread["post"]
    replies = list(_replies(thread.get("replies"), 0))[:MOST_REPLIES]
    facts = [str(post["record"].get("createdAt", ""))[:10], f"{post.get('likeCount', 0)} likes"]
    return Reading(
        markdown(_who(post), facts, post["record"].get("text", ""), *replies),
        known(likes=post.get("likeCount"), replies=post.get("replyCount"), shown=len(replies) or None),
    )


def _replies(found: Any, depth: int) -> Iterator[str]:
    """Replies as quoted blocks, deeper ones with more marks."""
    for row in rows(found):
        if "post" in row and depth < 20:
            mark = "> " * depth
            lines = f"**{_who(row['post'])}**\n\n{row['post']['record'].get('text', '')}".split("\n")
            yield "\n".join(f"{mark}{line}".rstrip() for line in lines)
            yield from _replies(row.get("replies"), depth + 1)


def _who(post: Mapping[str, Any]) -> str:
    """Who wrote a post."""
    return str((post.get("author") or {}).get("handle", ""))


def _address(post: Mapping[str, Any]) -> str:
    """The address that people open for a post."""
    return f"https://bsky.app/profile/{_who(post)}/post/{str(post.get('uri', '')).rpartition('/')[2]}"
