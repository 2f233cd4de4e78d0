"""The newest generation of an index, shared by all threads that ask it.

A thread keeps the generation with which a question began until the question is answered; an older one is closed when
the last question about it is. The connection of a generation may be used by many threads: the catalog lets them take
turns, and tantivy's view and the vectors never change.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from indexer.snapshot import Snapshot

_Method = TypeVar("_Method", bound=Callable[..., Any])


def of_one_generation(method: _Method) -> _Method:
    """Return a method of something with `readers`, during which the calling thread reads one generation."""

    @wraps(method)
    def run(self: Any, *args: Any, **options: Any) -> Any:
        """Run it."""
        with self.readers.question():
            return method(self, *args, **options)

    return cast("_Method", run)


@dataclass(slots=True)
class _Open:
    """An open generation: how many questions read it, whether it was given out to somebody whose end nobody tells."""

    snapshot: Snapshot
    questions: int = 0
    given: bool = False
    old: bool = False

    def close_if_unused(self) -> None:
        """Close one that is over; one that was given out is closed when Python finds that nobody holds it."""
        if self.old and not self.questions and not self.given:
            self.snapshot.close()


class _Question(threading.local):
    """What one thread is about: how many questions within each other, and the generation they read."""

    depth = 0
    reads: _Open | None = None


class Readers:
    """Hands out snapshots of the index in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._question = _Question()
        self._lock = threading.Lock()
        self._following = threading.Lock()
        self._newest: _Open | None = None
        self._asking = 0
        self._used = time.monotonic()

    @contextmanager
    def question(self) -> Iterator[None]:
        """Within it, `snapshot` gives this thread one and the same generation."""
        mine = self._question
        with self._lock:
            self._asking += 1
        mine.depth += 1
        try:
            yield
        finally:
            mine.depth -= 1
            with self._lock:
                self._asking -= 1
                self._used = time.monotonic()
                if not mine.depth and mine.reads is not None:
                    mine.reads.questions -= 1
                    mine.reads.close_if_unused()
                    mine.reads = None

    def snapshot(self) -> Snapshot:
        """Return the newest generation, or the one of this thread's question.

        Raises StoreError when there is none that can be read.
        """
        mine = self._question
        if mine.reads is not None:
            return mine.reads.snapshot
        with self._lock:
            self._used = time.monotonic()
            found = self._current()
            if mine.depth:
                mine.reads = found
                found.questions += 1
            else:
                found.given = True
            return found.snapshot

    def _current(self) -> _Open:
        """Return the newest generation; the one before it while a newer one is being made ready."""
        last = self._newest
        if last is not None and (self._following.locked() or not last.snapshot.superseded()) and last.snapshot.wake():
            return last
        self._drop()
        self._newest = _Open(Snapshot.open(self.folder))
        return self._newest

    def _drop(self) -> None:
        """Let go of the newest generation."""
        if self._newest is not None:
            self._newest.old = True
            self._newest.close_if_unused()
            self._newest = None

    def follow(self) -> None:
        """Open a newer generation before anybody asks for it, with its vectors if those of the last were in use.

        Until that is done, who asks gets the last one. Raises StoreError when the newer one cannot be read.
        """
        with self._following, self._held() as before:
            if before is None or not before.snapshot.superseded():
                return
            newer = Snapshot.open(self.folder)
            if before.snapshot.has_vectors:
                newer.vectors()
            with self._lock:
                self._drop()
                self._newest = _Open(newer)

    @contextmanager
    def _held(self) -> Iterator[_Open | None]:
        """Keep the newest generation open within this, whoever lets go of it meanwhile."""
        with self._lock:
            held = self._newest
            if held is not None:
                held.questions += 1
        try:
            yield held
        finally:
            if held is not None:
                with self._lock:
                    held.questions -= 1
                    held.close_if_unused()

    def rest(self, seconds: float = 0.0) -> bool:
        """Let go of the state of the catalog when nobody has asked for some seconds; return whether it is let go.

        An open one keeps SQLite from emptying its write-ahead log. What is loaded stays, for the next who asks.
        """
        with self._lock:
            if self._newest is None:
                return True
            if self._asking or time.monotonic() - self._used < seconds:
                return False
            self._newest.snapshot.rest()
            return True

    def forget(self) -> None:
        """Let go of the generation, which is closed when no question reads it any more."""
        with self._lock:
            self._drop()
