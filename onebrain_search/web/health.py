"""Which sources are well: paced, held to a window of calls, left alone for a while after they blocked or hung."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from onebrain_search.web import remembered
from onebrain_search.web.results import SourceError

DEGRADING = frozenset({"search_http_429", "search_http_202", "search_timeout"})

Events = Callable[[str, str, str], None]  # (event, source, detail)


def unheard(event: str, source: str, detail: str) -> None:
    """Drop an event."""


@dataclass(slots=True)
class State:
    """One source: the end of its pause, the start of its window with the calls in it, and its last call."""

    until: float = 0.0
    window: float = 0.0
    calls: int = 0
    last: float = 0.0


class Health:
    """The states of all sources, kept in a file if one is given; safe to share between threads and processes.

    `clock` gives seconds since 1970, for they outlive the process. Events: `degraded`, `recovered`, `rate_limited`.
    """

    def __init__(
        self,
        *,
        most: int = 30,
        window: float = 60.0,
        pause: float = 300.0,
        file: Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._most, self._window, self._pause, self._file, self._clock = most, window, pause, file, clock
        self._lock = threading.Lock()
        self._states: dict[str, State] = {}
        self._calls: dict[str, int] = {}  # made since the file was last written
        self._judged: set[str] = set()  # found well or ill since then
        self.share()

    def degraded(self, name: str) -> float:
        """Return the seconds for which a source is still left alone, 0 if it may be asked."""
        with self._lock:
            return max(0.0, self._state(name).until - self._clock())

    def admit(self, name: str, gap: float = 0.0, patience: float = math.inf) -> float:
        """Take a place in the window of a source; return the seconds to wait so that calls keep a gap.

        Raises SourceError `search_rate_limited` where the window is full, or the wait longer than `patience` seconds.
        """
        with self._lock:
            state, now = self._state(name), self._clock()
            if now - state.window >= self._window or now < state.window:
                state.window, state.calls = now, 0
            if state.calls >= self._most:
                left = state.window + self._window - now
                what = f"{self._most} calls in {self._window:g} s are the limit; the next one may be in {left:.0f} s"
                raise SourceError("search_rate_limited", what, wait=left)
            start = max(now, min(state.last, now + gap * self._most) + gap) if state.last else now
            if start - now > patience:
                pause = start - now
                raise SourceError("search_rate_limited", f"its turn is in {pause:.1f} s only", wait=pause)
            state.calls += 1
            state.last = start
            self._calls[name] = self._calls.get(name, 0) + 1
            return start - now

    def good(self, name: str, tell: Events = unheard) -> None:
        """Note a success: it ends a pause."""
        with self._lock:
            state = self._state(name)
            was, state.until = state.until, 0.0
            self._judged.add(name)
        if was:
            tell("recovered", name, "it answers again")

    def bad(self, name: str, error: SourceError, tell: Events = unheard) -> None:
        """Note a failure: a block or a time-out begins a pause, as long as the source asked for if that is more."""
        if error.code == "search_rate_limited":
            tell("rate_limited", name, error.what)
        if error.code not in DEGRADING:
            return
        seconds = max(self._pause, error.wait or 0.0)
        with self._lock:
            self._state(name).until = self._clock() + seconds
            self._judged.add(name)
        tell("degraded", name, f"{error.what}; not asked again for {seconds / 60:g} minutes")

    def share(self) -> None:
        """Take in what other processes noted in the file, and add what this one did since; only that is written.

        Where that is impossible, states are forgotten with the process.
        """
        if self._file is None:
            return
        with self._lock:
            if self._calls or self._judged:
                remembered.change(self._file, self._joined)
            else:
                self._joined(remembered.read(self._file))

    def _joined(self, stored: Any) -> dict[str, Any]:
        """Take in the states of the file, and return them with our own."""
        kept = {**self._states, **_states(stored)}
        for name in {*self._calls, *self._judged}:
            kept[name] = self._join(name, kept[name])
        self._states = kept
        self._calls, self._judged = {}, set()
        return {name: asdict(state) for name, state in kept.items()}

    def _join(self, name: str, theirs: State) -> State:
        """Return the state of a source as it was kept, with what we did since: calls of one window count together."""
        ours = self._states[name]
        until = ours.until if name in self._judged else theirs.until
        one = abs(ours.window - theirs.window) < self._window
        newer = max(ours, theirs, key=lambda state: state.window)
        calls = theirs.calls + self._calls.get(name, 0) if one and ours is not theirs else newer.calls
        window = min(ours.window, theirs.window) if one else newer.window
        return State(until, window, calls, max(ours.last, theirs.last))

    def _state(self, name: str) -> State:
        """Return the state of a source."""
        return self._states.setdefault(name, State())


def _states(stored: Any) -> dict[str, State]:
    """Return the states that a file holds; a damaged one holds none."""
    try:
        return {
            str(name): State(float(row["until"]), float(row["window"]), int(row["calls"]), float(row["last"]))
            for name, row in stored.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}
