"""X by what it gives to other sites: posts for embedding, and the newest posts of a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from onebrain_search.web.fetch.asking import Desk, Place, Reading, WrongShape, known, markdown, rows
from onebrain_search.web.fetch.extraction import html_text

POST: Final = "https://publish.twitter.com/oembed"
PROFILE: Final = "https://syndication.twitter.com/srv/timeline-profile/screen-name"
NO_NAMES: Final = frozenset("home explore search settings i intent hashtag notifications messages login".split())


def read(place: Place, desk: Desk) -> Reading:
    """Read `/NAME` or `/NAME/status/ID`."""
    name, kind, number = place.step(0), place.step(1), place.step(2)
    if not name or name in NO_NAMES or kind not in ("", "status") or (kind and not number.isdigit()):
        raise WrongShape("pages of X are /NAME and /NAME/status/ID")
    if kind:
        address = quote(f"https://twitter.com/{name}/status/{number}", safe="")
        found = desk.json(f"{POST}?url={address}&omit_script=1&dnt=1")
        return Reading(
            markdown(found.get("author_name") or name, [found.get("url") or ""], html_text(found["html"])),
            known(author=found.get("author_name"), authorUrl=found.get("author_url")),
        )
    page = desk.page(f"{PROFILE}/{quote(name)}")
    entries = rows(page.data("__NEXT_DATA__")["props"]["pageProps"]["timeline"]["entries"])
    posts = [row["content"]["tweet"] for row in entries if "tweet" in row.get("content", {})]
    return Reading(markdown(f"@{name}", [], *map(_post, posts)), known(posts=len(posts)))


def _post(tweet: Mapping[str, Any]) -> str:
    """A post with its day and address."""
    where = f"https://x.com{tweet['permalink']}" if tweet.get("permalink") else ""
    return f"## {tweet.get('created_at', '')}\n\n{tweet.get('full_text') or tweet.get('text', '')}\n\n{where}".strip()
