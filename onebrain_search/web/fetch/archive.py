"""Copies of a page that others keep; tried only when the person asks for it, for an archive learns the address."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final
from urllib.parse import quote, urlsplit

from indexer.errors import WebError
from onebrain_search.web.fetch.judging import failed, judged
from onebrain_search.web.fetch.types import Errand, Outcome

AMP: Final = "https://cdn.ampproject.org/c/s/"
TODAY: Final = ("archive.ph", "archive.is", "archive.md", "archive.vn", "archive.li")
WAYBACK: Final = "https://archive.org/wayback/available?url="


def attempt(errand: Errand) -> Outcome:
    """The first copy that is there, with `provenance` saying whose it is; else what the last archive said."""
    outcome = failed(WebError("no archive has a copy"), "archive")
    for provenance, addresses in SOURCES:
        try:
            for address in addresses(errand):
                outcome = replace(judged(errand.get(address), "archive"), provenance=provenance)
                if outcome.ok:
                    return outcome
        except WebError as error:
            outcome = replace(failed(error, "archive"), provenance=provenance)
    return outcome


def _amp(errand: Errand) -> Iterator[str]:
    """Where Google's cache of AMP pages would keep it."""
    parts = urlsplit(errand.url)
    if not parts.query:
        yield f"{AMP}{parts.netloc}{parts.path or '/'}"


def _today(errand: Errand) -> Iterator[str]:
    """The newest copy at each host of archive.today."""
    return (f"https://{host}/newest/{errand.url}" for host in TODAY)


def _wayback(errand: Errand) -> Iterator[str]:
    """The closest copy of the Internet Archive, if it says that there is one."""
    found = errand.get(WAYBACK + quote(errand.url, safe="")).json()
    closest = (found.get("archived_snapshots") or {}).get("closest") or {} if isinstance(found, dict) else {}
    if closest.get("available") and str(closest.get("url", "")).startswith("http"):
        yield str(closest["url"])


SOURCES: Final[tuple[tuple[str, Callable[[Errand], Iterator[str]]], ...]] = (
    ("amp", _amp),
    ("archive-today", _today),
    ("wayback", _wayback),
)
