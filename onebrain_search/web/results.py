"""Value types of the web line: what is wanted, what a source found, how it failed, and what came of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from indexer.errors import WebError

if TYPE_CHECKING:
    from onebrain_search.web.http import Http


@dataclass(frozen=True, slots=True)
class Trust:
    """What a domain is worth: a level with score and tags; unknown has no score. `rank` is its place in a list."""

    level: str = "unknown"
    score: float | None = None
    tags: tuple[str, ...] = ()
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """One page, told by strangers. `sources` are the providers that named it, `date` is as they wrote it."""

    route: str
    title: str
    url: str
    snippet: str = ""
    sources: tuple[str, ...] = ()
    date: str = ""
    score: float | None = None
    trust: Trust = Trust()
    library: bool = False  # a page of the library that the documentation route resolved
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def domain(self) -> str:
        """The host of its address, without `www.`."""
        return host_of(self.url).removeprefix("www.")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a source is asked: a question, how many results, how fresh (`pd`, `pw`, `pm`, `py` or nothing), and why.

    `mode` is `fast`, `deep` or `answer`; `purpose` is the name of one, or empty.
    """

    question: str
    count: int = 5
    freshness: str = ""
    mode: str = "fast"
    purpose: str = ""
    now: datetime = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Access:
    """How a source is reached: by whom, where, with which keys (tried in order) or program, and for how long."""

    http: Http
    url: str
    keys: tuple[str, ...] = ()
    program: str = ""  # the path of `gh` or `glab`
    seconds: float = 3.0


@dataclass(frozen=True, slots=True)
class Found:
    """What a provider answered: results in its order, a direct answer if it gives one, and remarks for the reader."""

    results: tuple[Result, ...] = ()
    answer: str = ""
    notes: tuple[str, ...] = ()


class SourceError(WebError):
    """A source did not answer as it should; `code` is what programs read.

    Codes: invalid_arguments, search_unconfigured, search_timeout, search_rate_limited, search_http_STATUS,
    search_error. `wait` is the seconds that the source asked for, None where it named none; `limit` is how many calls
    a minute it allows, as it wrote that.
    """

    def __init__(self, code: str, what: str, *, where: str = "", wait: float | None = None, limit: str = "") -> None:
        """Keep code, pause and limit beside the one line."""
        self.code = code
        self.wait = wait
        self.limit = limit
        super().__init__(what, kind=code, where=where)


def host_of(url: str) -> str:
    """Return the host of an address in lower case; empty for what is no address."""
    from urllib.parse import urlsplit

    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
