"""OKKY, which has no interface: its search page, read for links to articles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from onebrain_search.web.fetch.asking import MOST_FOUND, Desk, Finding

SEARCH: Final = "https://okky.kr/search"
POSTS: Final = r"/(articles?|questions)/\d+"


def search(words: str, desk: Desk) -> Sequence[Finding]:
    """Articles with these words. Links are told by their address, so that a new design changes nothing."""
    found = desk.page(f"{SEARCH}?keyword={quote(words)}").links(POSTS)
    return [Finding(title, url) for url, title in found[:MOST_FOUND]]
