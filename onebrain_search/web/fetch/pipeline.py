"""The line of strategies: each is tried in order, the first page wins, and every attempt is told."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from typing import Final, cast

from indexer.errors import Refused
from onebrain_search.web.addresses import PublicOnly
from onebrain_search.web.fetch.extraction import has_trafilatura
from onebrain_search.web.fetch.types import Choices, Errand, Fetched, Outcome
from onebrain_search.web.http import Http
from onebrain_search.web_settings import FETCH_OPT_IN

FINAL: Final = ("auth-required", "invalid-input", "not-found")  # no other strategy would change these
LONGEST_WAIT: Final = 10.0  # seconds that a server may ask us to wait; a longer one is answered by USUAL_WAIT
USUAL_WAIT: Final = 1.5
JITTER: Final = 0.5

Attempt = Callable[[Errand], Outcome | None]


def fetch(url: str, choices: Choices | None = None, *, http: Http | None = None) -> Fetched:
    """Fetch a page as text.

    `choices.seconds` is the limit of each attempt. `http` is for tests: without one only public addresses are asked.
    Raises WebError for a strategy that does not exist; everything else is told in the result.
    """
    choices, http = choices or Choices(), http or Http(guard=PublicOnly())
    names = choices.strategies()
    started = time.monotonic()
    try:
        http.check(url)
    except Refused as error:
        return Fetched(url, (), refused=str(error))
    attempts = tuple(_attempts(url, names, choices, http))
    fetched = Fetched(url, attempts, elapsed_ms=_since(started))
    return replace(fetched, notes=tuple(_notes(fetched, choices)))


def errand(url: str, choices: Choices, http: Http | None = None) -> Errand:
    """One attempt at an address, for what is no strategy. Raises Refused for an address that must not be asked."""
    http = http or Http(guard=PublicOnly())
    http.check(url)
    return Errand(url, choices, http, time.monotonic() + choices.seconds)


def pause(retry_after: str, jitter: float) -> float:
    """Seconds to wait before the one retry: what the server asks for if that is short, else the usual time.

    `retry_after` is the header's value, seconds or a date; `jitter` is 0..1.
    """
    return _asked(retry_after) + JITTER * jitter


def _attempts(url: str, names: tuple[str, ...], choices: Choices, http: Http) -> Iterator[Outcome]:
    """Try one strategy after the other until one has the page, or the address itself is at fault."""
    scripted = False
    for name in names:
        if name == "impersonate" and scripted:
            continue  # the page has to be finished by a script, and it runs none
        for outcome in _tried(name, url, choices, http):
            yield outcome
            scripted = scripted or outcome.has("js-essential")
            if outcome.ok or outcome.status in FINAL:
                return


def _tried(name: str, url: str, choices: Choices, http: Http) -> Iterator[Outcome]:
    """The attempts of one strategy: none when it has nothing to do here, a second one after a limit."""
    for last in (False, True):
        started = time.monotonic()
        outcome = _strategy(name, choices)(Errand(url, choices, http, started + choices.seconds))
        if outcome is None:
            return
        yield replace(outcome, elapsed_ms=_since(started))
        if outcome.ok or last or not outcome.has("rate-limit"):
            return
        time.sleep(pause(_retry_after(outcome), random.random()))


def _strategy(name: str, choices: Choices) -> Attempt:
    """Import a strategy and return it; one that has to be allowed first says so in its place."""
    if name in FETCH_OPT_IN and name not in choices.allowed:
        return lambda errand: Outcome(
            name, "error", error=f"{name} is off: add it to web.fetch_allow in onebrain.yml"
        )
    return cast(Attempt, import_module(f"{__package__}.{name}").attempt)


def _retry_after(outcome: Outcome) -> str:
    """What the server asked for in the header, nothing where it did not."""
    details = (signal.detail for signal in outcome.signals if signal.kind == "rate-limit")
    return next(details, "").removeprefix("retry-after:").strip()


def _asked(retry_after: str) -> float:
    """The seconds in a header, as a number or a date, where they are few; else the usual ones."""
    from email.utils import parsedate_to_datetime

    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(retry_after).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return USUAL_WAIT
    return max(0.0, seconds) if seconds <= LONGEST_WAIT else USUAL_WAIT


def _since(started: float) -> int:
    """Milliseconds since a monotonic time."""
    return round((time.monotonic() - started) * 1000)


def _notes(fetched: Fetched, choices: Choices) -> Iterator[str]:
    """What the person should know: a poorer reader, or ways that were left out."""
    if fetched.last.metadata.get("extraction") == "plain" and not has_trafilatura():
        yield "main text by the plain reader; for a better one: pip install 'onebrain-search[web]'"
    reached = any(attempt.http_status for attempt in fetched.attempts)  # offline, no other way would help
    if reached and not fetched.last.ok and fetched.last.status not in FINAL and not choices.only:
        off = [name for name in FETCH_OPT_IN if name not in choices.allowed]
        if off:
            yield f"not tried, for the settings do not allow it: {', '.join(off)} (web.fetch_allow in onebrain.yml)"
        if not choices.include_archive:
            yield "not tried without --include-archive: archive"
