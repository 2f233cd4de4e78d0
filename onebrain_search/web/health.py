"""Which sources are well: paced, held to a window of calls, left alone for a while after they blocked or hung."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

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
    """The states of all sources, kept in a file if one is given; safe to share between threads.

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
        self._states: dict[str, State] = self._stored()

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
            return start - now

    def good(self, name: str, tell: Events = unheard) -> None:
        """Note a success: it ends a pause."""
        with self._lock:
            state = self._state(name)
            was, state.until = state.until, 0.0
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
        tell("degraded", name, f"{error.what}; not asked again for {seconds / 60:g} minutes")

    def save(self) -> None:
        """Write the states; where that is impossible they are forgotten with the process."""
        with self._lock:
            states = {name: asdict(state) for name, state in self._states.items()}
        remembered.write(self._file, states)

    def _state(self, name: str) -> State:
        """Return the state of a source."""
        return self._states.setdefault(name, State())

    def _stored(self) -> dict[str, State]:
        """Return the states of the file; a damaged one holds none."""
        try:
            return {
                str(name): State(float(row["until"]), float(row["window"]), int(row["calls"]), float(row["last"]))
                for name, row in remembered.read(self._file).items()
            }
        except (ValueError, TypeError, KeyError, AttributeError):
            return {}
