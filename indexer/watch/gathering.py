"""Reported changes -> the areas to look at, once nothing more comes for a moment, or after a limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from indexer.types import Area

QUIET = 0.06  # seconds without a change: longer than the steps of one save are apart, shorter than anybody waits
MOST = 1.0  # seconds that a change waits at most while others keep coming
MANY_AREAS = 64  # from which a look at everything costs less: each entry on the way is compared with each area
BURST = 2000  # changes at once from which some may have been lost, see `loop`


class Gathering:
    """What was reported and not yet taken; may be used by several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.changed = threading.Condition()
        self.areas: set[Area] = set()
        self.everything = False
        self.count = 0
        self.first = self.last = 0.0

    def add(self, *areas: Area | None, at_once: bool = False) -> None:
        """Report that something changed in some areas; None: look at everything."""
        with self.changed:
            now = self.clock()
            if not self.count:
                self.first = now
            self.last = now - QUIET if at_once else now
            self.count += len(areas)
            self.areas.update(area for area in areas if area is not None)
            self.everything |= None in areas or len(self.areas) > MANY_AREAS or self.count > BURST
            self.changed.notify_all()

    def due(self) -> float | None:
        """Return in how many seconds what was reported is to be taken, None when nothing was."""
        with self.changed:
            if not self.count:
                return None
            return max(0.0, min(self.last + QUIET, self.first + MOST) - self.clock())

    def take(self) -> tuple[Area, ...] | None:
        """Return the areas to look at, None for everything, and forget them."""
        with self.changed:
            found = None if self.everything else tuple(sorted(self.areas, key=lambda area: (area.root, area.folder)))
            self.areas, self.everything, self.count = set(), False, 0
            return found

    def wait(self, seconds: float) -> None:
        """Return when something is due or reported, or after some seconds."""
        until = self.clock() + seconds
        due = self.due()
        with self.changed:
            left = until - self.clock() if due is None else min(due, until - self.clock())
            if left > 0:
                self.changed.wait(left)

    def wake(self) -> None:
        """End a wait."""
        with self.changed:
            self.changed.notify_all()
