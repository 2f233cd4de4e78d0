"""The sites that are read by their own interface: which hosts are whose, and the module that reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Final, cast

from onebrain_search.web.fetch.asking import Read, Search

_APIS = f"{__package__}.apis"


@dataclass(frozen=True, slots=True)
class Platform:
    """A row of PLATFORMS: `hosts` are exact, or `*.x` for any host below x and `x.*` for any above it.

    A leading `www.` counts for nothing. `module` has `read(place, desk) -> Reading | None` where there are hosts
    (None: the address is none of its own, and is fetched like any other) and `search(words, desk)` where `searches`.
    """

    id: str
    hosts: tuple[str, ...]
    module: str
    searches: bool = False

    def of(self, host: str) -> bool:
        """Whether a host is the platform's."""
        host = host.removeprefix("www.")
        return any(_matches(host, pattern.replace("[.]", ".")) for pattern in self.hosts)

    def read(self) -> Read:
        """Import the module and return its reader."""
        return cast(Read, import_module(f"{_APIS}.{self.module}").read)

    def search(self) -> Search:
        """Import the module and return its keyword search."""
        return cast(Search, import_module(f"{_APIS}.{self.module}").search)


# In order: the first platform of a host reads it. Package indexes are written with `[.]`, put back in `of`.
PLATFORMS: Final = (
    Platform("github", ("github.com", "gist.github.com", "raw.githubusercontent.com"), "github"),
    Platform("twitter", ("x.com", "twitter.com", "mobile.twitter.com"), "twitter"),
    Platform("reddit", ("reddit.com", "*.reddit.com"), "reddit", searches=True),
    Platform("hackernews", ("news.ycombinator.com",), "hackernews", searches=True),
    Platform(
        "stackexchange",
        (
            *("stackoverflow.com", "serverfault.com", "superuser.com", "askubuntu.com", "mathoverflow.net"),
            *("stackapps.com", "*.stackexchange.com"),
        ),
        "stackexchange",
        searches=True,
    ),
    Platform("bluesky", ("bsky.app",), "bluesky", searches=True),
    Platform(
        "mastodon",
        (
            *("mastodon.*", "hachyderm.io", "fosstodon.org", "mas.to", "infosec.exchange", "indieweb.social"),
            *("urbanists.social", "techhub.social", "front-end.social"),
        ),
        "mastodon",
    ),
    Platform("arxiv", ("arxiv.org", "export.arxiv.org"), "arxiv", searches=True),
    Platform("crossref", ("doi.org", "dx.doi.org"), "crossref", searches=True),
    Platform("wikipedia", ("*.wikipedia.org",), "wikipedia"),
    Platform("openlibrary", ("openlibrary.org",), "openlibrary"),
    Platform("lobsters", ("lobste.rs",), "lobsters"),
    Platform("devto", ("dev.to",), "devto", searches=True),
    Platform("v2ex", ("v2ex.com",), "v2ex"),
    Platform("npm", ("npmjs[.]com",), "npm"),
    Platform("pypi", ("pypi[.]org",), "pypi"),
    Platform("naver-blog", ("blog.naver.com", "m.blog.naver.com"), "naver_blog"),
    Platform("naver-finance", ("finance.naver.com",), "naver_finance"),
    Platform("clien", (), "clien", searches=True),
    Platform("okky", (), "okky", searches=True),
    Platform("duckduckgo", (), "duckduckgo", searches=True),
)


def platform_of(host: str) -> Platform | None:
    """The platform that reads a host, if one does."""
    return next((platform for platform in PLATFORMS if platform.of(host)), None)


def searchable() -> Iterator[Platform]:
    """The platforms with a keyword search."""
    return (platform for platform in PLATFORMS if platform.searches)


def _matches(host: str, pattern: str) -> bool:
    """Whether a host fits one pattern."""
    if pattern.startswith("*."):
        return host.endswith(pattern[1:])
    if pattern.endswith(".*"):
        return host.startswith(pattern[:-1])
    return host == pattern
