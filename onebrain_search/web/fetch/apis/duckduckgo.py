"""DuckDuckGo, which reads no pages: its results for a keyword search, by the source of the verb `web`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from onebrain_search.web.fetch.asking import MOST_FOUND, Desk, Finding
from onebrain_search.web.providers import duckduckgo
from onebrain_search.web.results import Access, Wanted

PAGE: Final = "https://html.duckduckgo.com"


def search(words: str, desk: Desk) -> Sequence[Finding]:
    """Pages of any site with these words. Raises SourceError for a challenge."""
    left = max(1.0, desk.errand.until - time.monotonic())
    found = duckduckgo.ask(Wanted(words, count=MOST_FOUND), Access(desk.errand.http, PAGE, seconds=left))
    return [Finding(result.title, result.url, result.snippet) for result in found.results]
