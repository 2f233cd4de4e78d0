"""Short names for results that a program can hand back: S1.. of the last search, H and 8 hex digits for an hour."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

from indexer.errors import NotFound
from onebrain_search.web.merge import canonical

SECONDS = 3600
MOST = 64

_PLACE = re.compile(r"S(?:[1-9]|1\d|20)")
_HANDLE = re.compile(r"H[0-9a-f]{8}", re.IGNORECASE)


def handle(url: str) -> str:
    """Return the handle of an address: the same for every spelling of it."""
    return f"H{hashlib.sha256((canonical(url) or url).encode()).hexdigest()[:8]}"


class Handles:
    """The handles of one process, the least used ones dropped first; safe to share between threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._urls: OrderedDict[str, tuple[float, str]] = OrderedDict()
        self._places: dict[str, str] = {}

    def issue(self, urls: Sequence[str]) -> None:
        """Keep the results of a search: S1.. are those from now on, handles of earlier ones stay."""
        with self._lock:
            self._places = {f"S{number}": url for number, url in enumerate(urls[:20], 1)}
            for url in urls:
                self._urls[handle(url)] = (self._clock(), url)
                self._urls.move_to_end(handle(url))
            while len(self._urls) > MOST:
                self._urls.popitem(last=False)

    def url(self, name: str) -> str:
        """Return the address of a handle; an address itself passes. Raises NotFound: unknown_handle, stale_handle."""
        with self._lock:
            if _PLACE.fullmatch(name):
                if name not in self._places:
                    there = ", ".join(self._places) or "none"
                    raise NotFound("unknown_handle", where=name, fix=f"take one of the last search: {there}")
                return self._places[name]
            if not _HANDLE.fullmatch(name):
                return name
            key = f"H{name[1:].lower()}"
            at, url = self._urls.get(key, (-SECONDS, ""))
            if not url or self._clock() - at >= SECONDS:
                raise NotFound("stale_handle", where=name, fix="search again, or give the address")
            self._urls.move_to_end(key)
            return url
