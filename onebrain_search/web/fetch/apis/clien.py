"""Clien, which has no interface: its search page, read for links to posts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from onebrain_search.web.fetch.asking import MOST_FOUND, Desk, Finding

SEARCH: Final = "https://www.clien.net/service/search"
POSTS: Final = r"/service/board/\w+/\d+"


def search(words: str, desk: Desk) -> Sequence[Finding]:
    """Posts with these words. Links are told by their address, so that a new design changes nothing."""
    found = desk.page(f"{SEARCH}?q={quote(words)}&sort=recency&boardCd=&isBoard=false").links(POSTS)
    return [Finding(title, url) for url, title in found[:MOST_FOUND]]
