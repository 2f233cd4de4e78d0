"""Several jobs at once: results as they come, until a deadline; who is late is left behind."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

_T = TypeVar("_T")


def as_they_come(jobs: Mapping[str, Callable[[], _T]], until: float) -> Iterator[tuple[str, _T | Exception]]:
    """Start all jobs; yield name and result, or the exception in its place, as they end; stop at `until` (monotonic).

    The threads are daemons: a late one neither holds up the caller nor the end of the process.
    """
    done: queue.SimpleQueue[tuple[str, _T | Exception]] = queue.SimpleQueue()

    def work(name: str, job: Callable[[], _T]) -> None:
        """Do one job and hand over what came of it."""
        try:
            done.put((name, job()))
        except Exception as error:  # handed to the caller, whatever it is
            done.put((name, error))

    for name, job in jobs.items():
        threading.Thread(target=work, args=(name, job), name=f"web {name}", daemon=True).start()
    for _ in jobs:
        try:
            yield done.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            return
