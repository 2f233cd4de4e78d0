"""Domain -> how far it can be trusted: the user's rows, then the table, then whether anybody knows it.

Only the domain counts, never the path. A list of popular domains validates what no row knows; it is asked for nothing
else, and what it said is kept.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from onebrain_search.web import remembered
from onebrain_search.web.results import Result, Trust
from onebrain_search.web.scoring import fits
from onebrain_search.web.tables import load

STRICT = 0.85  # least score under --strict
STARS = {"verified": 4, "community": 3, "external": 2, "unknown": 0}
LIBRARY = Trust("verified", 0.95, ("lib-docs",))
HOSTS_OF_ALL = frozenset(
    {"github.com", "gitlab.com", "raw.githubusercontent.com"}
)  # of any library: no library's own
KEPT = 30 * 86400.0  # seconds that the place of a domain is remembered
BANDS = ((10_000, Trust("community", 0.6)), (100_000, Trust("external", 0.4)))  # of the profile `newer`
RARE = Trust("external", 0.2)

_NAME = re.compile(r"(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]")

Row = tuple[str, Trust]
Ranks = Callable[
    [Sequence[str]], Mapping[str, int | None]
]  # domains -> their places, None for one that is not listed


@dataclass(slots=True)
class Memory:
    """The places of domains that were asked for, in a file; a damaged or unwritable file is an empty memory.

    Safe to share between threads and processes.
    """

    file: Path | None = None
    clock: Callable[[], float] = lambda: 0.0
    _known: dict[str, tuple[float, int | None]] | None = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __getitem__(self, domain: str) -> int | None:
        """Return the place of a domain that is known. Raises KeyError."""
        return self._read()[domain][1]

    def __contains__(self, domain: str) -> bool:
        """Whether a domain was asked for not too long ago."""
        at, _ = self._read().get(domain, (-KEPT, None))
        return self.clock() - at < KEPT

    def add(self, places: Mapping[str, int | None]) -> None:
        """Keep places."""
        new = {domain: (self.clock(), place) for domain, place in places.items()}

        def joined(stored: Any) -> dict[str, tuple[float, int | None]]:
            """Add them to what is known here and in the file."""
            self._known = {**self._read(), **_places(stored), **new}
            return self._known

        with self._lock:
            joined({}) if self.file is None else remembered.change(self.file, joined)

    def _read(self) -> dict[str, tuple[float, int | None]]:
        """Return what is known."""
        if self._known is None:
            self._known = _places(remembered.read(self.file))
        return self._known


def _places(stored: Any) -> dict[str, tuple[float, int | None]]:
    """Return the places that a file holds; a damaged one holds none."""
    try:
        return {str(name): (float(at), place) for name, (at, place) in stored.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def rows_of(profile: str) -> tuple[Row, ...]:
    """Return the rows of a profile: `default` or `newer`. Raises KeyError."""
    return tuple((name, Trust(level, score, tuple(tags))) for name, level, score, tags in load("trust")[profile])


def judged(
    results: Iterable[Result], rows: Sequence[Row], *, parents: bool = True, own: Sequence[str] = ()
) -> list[Result]:
    """Return the results with the trust of their domains; pages of a resolved library are verified."""
    hosts = frozenset(own) - HOSTS_OF_ALL
    return [
        replace(each, trust=LIBRARY if each.library or each.domain in hosts else trust_of(each.domain, rows, parents))
        for each in results
    ]


def trust_of(domain: str, rows: Sequence[Row], parents: bool = True) -> Trust:
    """Return the trust of a domain: its own row, else the first row of a parent domain or a pattern that it fits.

    Without `parents` a row holds for its very host (with or without `www.`) and patterns only.
    """
    domain = domain.lower().removeprefix("www.")
    for name, trust in rows:
        if domain == name:
            return trust
    for name, trust in rows:
        if fits(domain, name) if "*" in name else parents and domain.endswith(f".{name}"):
            return trust
    return Trust()


def validated(results: Sequence[Result], ranks: Ranks, memory: Memory, *, bands: bool = False) -> list[Result]:
    """Return the results, those of unknown domains with their place in the list of popular ones.

    A place makes nothing trusted by itself; with `bands` (profile `newer`) it gives a level below verified.
    """
    unknown = {each.domain for each in results if each.trust.level == "unknown" and _NAME.fullmatch(each.domain)}
    new = sorted(domain for domain in unknown if domain not in memory)
    if new:
        memory.add(ranks(new))
    return [
        replace(each, trust=_placed(memory[each.domain], bands))
        if each.domain in unknown and each.domain in memory
        else each
        for each in results
    ]


def _placed(place: int | None, bands: bool) -> Trust:
    """Return the trust of an unknown domain with a place."""
    if place is None or not bands:
        return Trust(rank=place)
    return replace(next((trust for below, trust in BANDS if place < below), RARE), rank=place)


def kept(results: Sequence[Result], strict: bool) -> tuple[list[Result], int]:
    """Return the results that may be shown, and how many are not: under `strict` only those of verified domains."""
    if not strict:
        return list(results), 0
    good = [each for each in results if each.trust.score is not None and each.trust.score >= STRICT]
    return good, len(results) - len(good)
