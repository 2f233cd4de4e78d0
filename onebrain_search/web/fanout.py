"""Many sources at once under one deadline: what came in time counts, and nobody waits for the rest."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from onebrain_search.web.health import Events, Health, unheard
from onebrain_search.web.providers import Asks, Provider
from onebrain_search.web.results import Access, Found, SourceError, Wanted

AT_ONCE = 8  # calls, or as many as there are sources, so that all of them start together
QUESTIONS_AT_ONCE = 3
LONGEST_RETRY = 10.0  # seconds that a source may ask us to wait within one question
PRECEDENCE = ("search_http_429", "search_http_202", "search_timeout", "search_rate_limited", "search_http_", "")


@dataclass(frozen=True, slots=True)
class Source:
    """A provider that can be asked, how it is reached, and the function that does it."""

    row: Provider
    access: Access
    asks: Asks

    @property
    def name(self) -> str:
        """The name of its provider."""
        return self.row.name


@dataclass(frozen=True, slots=True)
class Gathered:
    """What came of asking: the answers of each source, and those that did not answer all, each with what it did."""

    found: Mapping[str, tuple[Found, ...]] = field(default_factory=dict)
    timed_out: tuple[str, ...] = ()
    errored: Mapping[str, SourceError] = field(default_factory=dict)
    degraded: Mapping[str, float] = field(default_factory=dict)  # seconds that it is still left alone

    def joined(self, other: Gathered) -> Gathered:
        """Return two rounds together."""
        names = {**self.found, **other.found}
        return Gathered(
            {name: (*self.found.get(name, ()), *other.found.get(name, ())) for name in names},
            tuple(dict.fromkeys((*self.timed_out, *other.timed_out))),
            {**self.errored, **other.errored},
            {**self.degraded, **other.degraded},
        )

    def failure(self) -> SourceError | None:
        """Return what to report where no source answered: by PRECEDENCE, the first of a kind. None where one did.

        A source that is left alone is `search_rate_limited`.
        """
        if self.found:
            return None
        late = [SourceError("search_timeout", "gave no answer in time", where=name) for name in self.timed_out]
        alone = [
            SourceError("search_rate_limited", f"left alone for another {left:.0f} s", where=name)
            for name, left in self.degraded.items()
        ]
        every = [*late, *self.errored.values(), *alone]
        return next((error for code in PRECEDENCE for error in every if error.code.startswith(code)), None)


def gather(
    sources: Sequence[Source], wanted: Sequence[Wanted], health: Health, seconds: float, tell: Events = unheard
) -> Gathered:
    """Ask every source every question; return within `seconds`, with what has come until then.

    Daemon threads do it: a source that hangs delays neither the return nor the end of the process. All sources start
    together with the first question; no source gets more than three questions at once.
    """
    degraded = {source.name: left for source in sources if (left := health.degraded(source.name))}
    for name, left in degraded.items():
        tell("skipped_degraded", name, f"left alone for another {left:.0f} s")
    asked = [source for source in sources if source.name not in degraded]
    calls = [_Call(source, each) for each in wanted for source in asked]
    waiting: SimpleQueue[_Call] = SimpleQueue()
    for call in calls:
        waiting.put(call)
    crew = _Crew(waiting, health, time.monotonic() + seconds, tell)
    for _ in range(min(max(AT_ONCE, len(asked)), QUESTIONS_AT_ONCE * len(asked))):
        threading.Thread(target=crew.work, name="web source", daemon=True).start()
    crew.wait(len(calls))
    return _told(asked, calls, degraded, crew)


@dataclass(eq=False, slots=True)
class _Call:
    """One question to one source; `outcome` is None until it has answered, and stays so when that is too late."""

    source: Source
    wanted: Wanted
    begun: bool = False
    outcome: Found | SourceError | None = None


@dataclass(slots=True)
class _Crew:
    """The workers of one round."""

    waiting: SimpleQueue[_Call]
    health: Health
    until: float
    tell: Events
    done: SimpleQueue[tuple[_Call, Found | SourceError]] = field(default_factory=SimpleQueue)

    def work(self) -> None:
        """Make the calls that wait, until there are none or it is too late."""
        while time.monotonic() < self.until:
            try:
                call = self.waiting.get_nowait()
            except Empty:
                return
            call.begun = True
            self.done.put((call, self._outcome(call)))

    def wait(self, count: int) -> None:
        """Take what comes until all of `count` calls have ended, or it is too late."""
        for _ in range(count):
            try:
                call, outcome = self.done.get(timeout=max(0.0, self.until - time.monotonic()))
            except Empty:
                return
            call.outcome = outcome

    def _outcome(self, call: _Call) -> Found | SourceError:
        """Make a call, a second time where the source names a short pause; note how the source is."""
        name, row = call.source.name, call.source.row
        for again in (row.again, False):
            try:
                time.sleep(self.health.admit(name, row.gap, self.until - time.monotonic()))
                found = call.source.asks(call.wanted, call.source.access)
            except SourceError as error:
                left = self.until - time.monotonic()
                if again and error.code == "search_http_429" and 0 <= (error.wait or -1.0) < min(left, LONGEST_RETRY):
                    time.sleep(error.wait or 0.0)
                    continue
                self.health.bad(name, error, self.tell)
                return error
            except Exception as error:  # a fault of ours in one source must not cost the others
                return SourceError(
                    "search_error", f"cannot be read: {type(error).__name__}: {error}"[:200], where=name
                )
            self.health.good(name, self.tell)
            return found
        raise AssertionError("the second call is the last")


def _told(asked: Iterable[Source], calls: Sequence[_Call], degraded: Mapping[str, float], crew: _Crew) -> Gathered:
    """Return what came of all calls; a source that was begun and did not end is noted as hanging."""
    found: dict[str, tuple[Found, ...]] = {}
    errored: dict[str, SourceError] = {}
    late: dict[str, None] = {}
    for source in asked:
        mine = [call for call in calls if call.source is source]
        answers = tuple(call.outcome for call in mine if isinstance(call.outcome, Found))
        problems = [call.outcome for call in mine if isinstance(call.outcome, SourceError)]
        if answers:
            found[source.name] = answers
        if any(call.outcome is None for call in mine) or any(error.code == "search_timeout" for error in problems):
            late[source.name] = None
        if any(call.begun and call.outcome is None for call in mine):
            crew.health.bad(source.name, SourceError("search_timeout", "gave no answer in time"), crew.tell)
        others = [error for error in problems if error.code != "search_timeout"]
        if others:
            errored[source.name] = others[0]
    return Gathered(found, tuple(late), errored, degraded)
