"""What the readers of site interfaces work with: an address in parts, requests that must succeed, what they make."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from indexer.errors import WebError
from onebrain_search.web.fetch.judging import judged
from onebrain_search.web.fetch.page import Page
from onebrain_search.web.fetch.types import Errand, Outcome
from onebrain_search.web.http import Reply, shown

MOST_BYTES: Final = 30_000_000  # of an interface's answer: package indexes list every release of a package in one
MOST_FOUND: Final = 20  # results of a keyword search


class WrongShape(Exception):
    """The host is the interface's own, but the address is none of its pages; says which ones are."""


class Unanswered(Exception):
    """A request of an interface did not succeed; `outcome` says how."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.error)
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class Place:
    """An address in parts: `steps` are the parts of its path, decoded, without empty ones."""

    url: str
    host: str
    steps: tuple[str, ...]
    query: Mapping[str, str]

    def step(self, number: int) -> str:
        """A part of the path, empty where there is none."""
        return self.steps[number] if number < len(self.steps) else ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What an interface told of a page: Markdown, and facts by name."""

    content: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a keyword search."""

    title: str
    url: str
    snippet: str = ""

    def json(self) -> dict[str, str]:
        """The result as it is printed."""
        return {"title": self.title, "url": self.url, "snippet": self.snippet}


@dataclass(frozen=True, slots=True)
class Desk:
    """Asks in the name of one interface: every answer that is not ok raises Unanswered."""

    platform: str
    errand: Errand

    def ask(self, url: str, **headers: str) -> Reply:
        """The reply to a GET, whatever its status. Raises WebError when there is none."""
        return self.errand.get(url, headers, most_bytes=MOST_BYTES)

    def get(self, url: str, **headers: str) -> Reply:
        """The reply to a GET that succeeded. Raises Unanswered, or WebError."""
        return self.succeeded(self.ask(url, **headers))

    def json(self, url: str, **headers: str) -> Any:
        """The JSON at an address. Raises Unanswered for a failure and for a page in the place of JSON."""
        return self.parsed(self.get(url, **{"accept": "application/json", **headers}))

    def succeeded(self, reply: Reply) -> Reply:
        """The reply itself. Raises Unanswered when its status is that of a failure."""
        if not 200 <= reply.status < 300:
            raise Unanswered(judged(reply, "api", self.platform))
        return reply

    def parsed(self, reply: Reply) -> Any:
        """The JSON of a reply. Raises Unanswered, or WebError of kind `malformed`."""
        try:
            return json.loads(reply.body)
        except (ValueError, RecursionError) as error:
            outcome = judged(reply, "api", self.platform)
            if not outcome.ok:
                raise Unanswered(outcome) from error
            raise self.malformed(reply.url, "no JSON") from error

    def page(self, url: str, **headers: str) -> Page:
        """The page at an address."""
        reply = self.get(url, **headers)
        return Page(reply.text, reply.url)

    def malformed(self, url: str, what: str = "JSON of another shape") -> WebError:
        """The error for an answer that is not what the interface is known to give."""
        return WebError(f"{self.platform} answered {what}", kind="malformed", where=shown(url))

    def missing(self, what: str) -> Unanswered:
        """What to raise when the answer says that there is no such thing."""
        return Unanswered(Outcome("api", "not-found", self.platform, error=what))


Read = Callable[[Place, Desk], Reading | None]
Search = Callable[[str, Desk], Sequence[Finding]]


def place_of(url: str) -> Place:
    """An address in parts."""
    parts = urlsplit(url)
    steps = tuple(unquote(step) for step in parts.path.split("/") if step)
    return Place(url, (parts.hostname or "").lower(), steps, dict(parse_qsl(parts.query, keep_blank_values=True)))


def markdown(title: str, facts: Sequence[str] = (), *parts: str) -> str:
    """A page in Markdown: its title, a line of facts, and its parts; what is empty is left out."""
    line = " · ".join(fact for fact in facts if fact)
    whole = [f"# {' '.join(title.split())}" if title.strip() else "", line, *(part.strip() for part in parts)]
    return "\n\n".join(part for part in whole if part)


def day(seconds: Any) -> str:
    """The day of a Unix time, `YYYY-MM-DD`; nothing for what is none."""
    from datetime import UTC, datetime

    try:
        return f"{datetime.fromtimestamp(float(seconds), UTC):%Y-%m-%d}"
    except (TypeError, ValueError, OverflowError, OSError):
        return ""


def texts(value: Any) -> list[str]:
    """The texts in a list, and none for what is no list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def rows(value: Any) -> list[Mapping[str, Any]]:
    """The objects in a list, and none for what is no list."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def known(**facts: Any) -> dict[str, Any]:
    """The facts that are known: without empty values."""
    return {name: value for name, value in facts.items() if value not in (None, "", [], {})}
