"""Where no source finds anything: pages that the question itself names, fetched as `fetch` does."""

from __future__ import annotations

import re
from collections.abc import Sequence

from onebrain_search.web.fanout import Source
from onebrain_search.web.http import Http
from onebrain_search.web.merge import canonical
from onebrain_search.web.providers import Provider
from onebrain_search.web.replies import LONGEST_SNIPPET, LONGEST_TITLE, text
from onebrain_search.web.results import Access, Found, Result, SourceError, Wanted
from onebrain_search.web.trust import Row

MOST = 2  # pages
NAME = "fetch"  # they are named as a source by this
STRATEGIES = ("api", "probe")

_ADDRESS = re.compile(r"https?://[^\s\"'<>()\[\]]+")
_DOMAIN = re.compile(
    r"(?<![\w@/.-])(?:[a-z0-9-]+\.)+(?:com|org|net|dev|io|edu|gov|rs|ai|app)(?![\w-]|\.\w)", re.IGNORECASE
)


def named(question: str, rows: Sequence[Row]) -> list[str]:
    """Return addresses in a question: whole ones, domains, and the sites of names that the trust table verifies."""
    words = {word.lower() for word in re.findall(r"[A-Za-z][\w-]+", question)}
    sites = [
        name for name, trust in rows
        if trust.level == "verified" and "*" not in name and name.count(".") == 1 and name.split(".")[0] in words
    ]  # fmt: skip
    whole = [address.rstrip(".,;:!?") for address in _ADDRESS.findall(question)]
    domains = _DOMAIN.findall(_ADDRESS.sub(" ", question))
    found = [*whole, *(f"https://{domain.lower()}/" for domain in (*domains, *sites))]
    return list({canonical(address): address for address in found if canonical(address)}.values())[:MOST]


def sources(addresses: Sequence[str], http: Http | None, seconds: float) -> list[Source]:
    """Return the pages as sources; without `http` only public addresses are asked."""

    def asks(wanted: Wanted, access: Access) -> Found:
        """Fetch one page. Raises SourceError."""
        from onebrain_search.web.fetch.pipeline import fetch
        from onebrain_search.web.fetch.types import Choices

        fetched = fetch(access.url, Choices(only=STRATEGIES, seconds=access.seconds), http=http)
        last = fetched.attempts[-1] if fetched.attempts else None
        if last is None or not last.ok:
            raise SourceError("search_error", "Unable to access this source", where=access.url)
        title = text(last.metadata.get("title"), LONGEST_TITLE) or access.url
        return Found((Result("web", title, access.url, text(last.content)[:LONGEST_SNIPPET], (NAME,)),))

    return [Source(Provider(f"{NAME} {url}", "web"), Access(Http(), url, seconds=seconds), asks) for url in addresses]
