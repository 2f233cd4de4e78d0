"""What goes through a fetch: the choices of the person, the errand of one attempt, and what came of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from indexer.errors import WebError
from onebrain_search.web.http import MOST_BYTES, Ask, Http, Reply, shown
from onebrain_search.web_settings import FETCH_OPT_IN

Status = Literal["ok", "error", "blocked", "not-found", "invalid-input", "auth-required", "timeout"]
SignalKind = Literal[
    "http-status", "waf-header", "waf-cookie", "waf-body", "challenge-body", "rate-limit", "spa-empty",
    "redirect-loop", "paywall", "jina-quota", "js-essential",
]  # fmt: skip

EXIT_CODES: Final[Mapping[Status, int]] = {
    "ok": 0,
    "error": 1,
    "blocked": 2,
    "not-found": 3,
    "invalid-input": 4,
    "auth-required": 5,
    "timeout": 6,
}
STRATEGIES: Final = ("api", "probe", "impersonate", "browser", "archive")  # in the order of the pipeline
SECONDS: Final = 15.0  # of one attempt
LOCALE: Final = "en-US,en;q=0.9"


@dataclass(frozen=True, slots=True)
class Signal:
    """One thing about an answer that tells why it is no page: what kind, where it was seen, and whose work it is."""

    kind: SignalKind
    detail: str
    vendor: str = ""

    def json(self) -> dict[str, Any]:
        """The signal as it is printed."""
        return {"kind": self.kind, "detail": self.detail, **({"vendor": self.vendor} if self.vendor else {})}


@dataclass(frozen=True, slots=True)
class Choices:
    """What a person chose. `seconds` is the limit of each attempt, `allowed` are names of FETCH_OPT_IN."""

    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    include_archive: bool = False
    seconds: float = SECONDS
    locale: str = LOCALE
    allowed: frozenset[str] = frozenset()
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    def strategies(self) -> tuple[str, ...]:
        """The strategies to try, in the order of the pipeline. Raises WebError for a name that is none."""
        for name in (*self.only, *self.skip):
            if name not in STRATEGIES:
                raise WebError(
                    f"there is no strategy `{name}`", kind="malformed", fix=f"known: {', '.join(STRATEGIES)}"
                )
        return tuple(name for name in STRATEGIES if self._takes(name) and name not in self.skip)

    def _takes(self, name: str) -> bool:
        """Whether a strategy is asked for: by name, or because nothing forbids it."""
        if self.only:
            return name in self.only
        return self.include_archive if name == "archive" else name not in FETCH_OPT_IN or name in self.allowed


@dataclass(frozen=True, slots=True)
class Errand:
    """One attempt at one address: everything it sends goes through `get`.

    It ends at `until` (monotonic seconds), or when `stop` is set because another arm was faster.
    """

    url: str
    choices: Choices
    http: Http
    until: float
    stop: threading.Event = field(default_factory=threading.Event)

    def get(self, url: str, headers: Mapping[str, str] | None = None, *, most_bytes: int = MOST_BYTES) -> Reply:
        """The reply to a GET, whatever its status. Raises WebError."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise WebError(f"no answer within {self.choices.seconds:g} s", kind="timeout", where=shown(url))
        sent = {"accept-language": self.choices.locale, **(headers or {})}
        return self.http.send(Ask(url, headers=sent, seconds=left, most_bytes=most_bytes, stop=self.stop))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one attempt led to; `platform` is the interface or the arm that answered, `elapsed_ms` its time."""

    strategy: str
    status: Status
    platform: str = ""
    provenance: str = ""
    http_status: int = 0
    content: str = ""
    content_type: str = ""
    signals: tuple[Signal, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
    elapsed_ms: int = 0

    @property
    def ok(self) -> bool:
        """Whether the page was got."""
        return self.status == "ok"

    def has(self, kind: SignalKind) -> bool:
        """Whether a signal of this kind was seen."""
        return any(signal.kind == kind for signal in self.signals)

    def json(self) -> dict[str, Any]:
        """The attempt as it is printed: what is unknown is left out."""
        known = {"platform": self.platform, "status": self.status, "httpStatus": self.http_status}
        return {
            "strategy": self.strategy,
            **{name: value for name, value in known.items() if value},
            "elapsedMs": self.elapsed_ms,
            "signals": [signal.json() for signal in self.signals],
            **({"error": self.error} if self.error else {}),
        }


@dataclass(frozen=True, slots=True)
class Fetched:
    """An address and the attempts at it, in order; the last one decides. `notes` are for the person, not for JSON."""

    url: str
    attempts: tuple[Outcome, ...]
    refused: str = ""  # why nothing was attempted
    elapsed_ms: int = 0
    notes: tuple[str, ...] = ()

    @property
    def last(self) -> Outcome:
        """The attempt that decides."""
        if self.attempts:
            return self.attempts[-1]
        return Outcome("", "invalid-input" if self.refused else "error", error=self.refused or "nothing was tried")

    def json(self) -> dict[str, Any]:
        """The whole as it is printed: what is unknown is left out."""
        last = self.last
        whole = {
            "url": self.url,
            "status": last.status,
            "strategy": last.strategy,
            "platform": last.platform or None,
            "provenance": last.provenance or None,
            "httpStatus": last.http_status or None,
            "content": last.content,
            "contentType": last.content_type or None,
            "elapsedMs": self.elapsed_ms,
            "signals": [signal.json() for signal in last.signals],
            "metadata": dict(last.metadata) or None,
            "attempts": [attempt.json() for attempt in self.attempts],
            "error": last.error or None,
        }
        return {name: value for name, value in whole.items() if value is not None}
