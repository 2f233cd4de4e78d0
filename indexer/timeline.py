"""Reading events out of the catalog: those of passages and by id, each read once a generation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from indexer.catalog import Catalog
from indexer.types import Event

_EVENT = (
    "SELECT e.id, d.root, d.path, e.line, e.date, e.date_source, e.what, e.reason, e.kind, e.status, e.thread,"
    " e.links, e.supersedes, e.superseded_by, e.chunk, e.document, d.title, c.heading"
    " FROM events e JOIN documents d ON d.id = e.document JOIN chunks c ON c.id = e.chunk"
)
_BATCH = 500  # bound variables a statement
_KEPT = 50_000  # events kept in memory, about 1 kB each, before they are given back


@dataclass(frozen=True, slots=True)
class Told:
    """An event and where it is told: its chunk and document by id, the note's title and the headings above it."""

    event: Event
    chunk: int
    document: int
    title: str
    heading: tuple[str, ...]


class Timeline:
    """The events of one generation of the index."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._by_chunk: dict[int, list[Told]] = {}
        self._by_id: dict[int, Told] = {}

    def of_chunks(self, ids: Iterable[int]) -> list[Told]:
        """Return the events that stand in some chunks, in the order of the chunks."""
        ids = list(ids)
        missing = [number for number in ids if number not in self._by_chunk]
        if len(self._by_id) + len(missing) > _KEPT:
            self._by_chunk, self._by_id, missing = {}, {}, ids
        for number in missing:
            self._by_chunk[number] = []
        for told in self._select("e.chunk", missing):
            self._by_chunk[told.chunk].append(self._by_id.setdefault(told.event.id, told))
        return [told for number in ids for told in self._by_chunk[number]]

    def of_ids(self, ids: Iterable[int]) -> list[Told]:
        """Return events by their ids; one that does not exist is left out."""
        ids = list(ids)
        for told in self._select("e.id", [number for number in ids if number not in self._by_id]):
            self._by_id[told.event.id] = told
        return [self._by_id[number] for number in ids if number in self._by_id]

    def _select(self, column: str, values: Sequence[int]) -> list[Told]:
        """Return the events whose column has one of the values."""
        found: list[Told] = []
        for at in range(0, len(values), _BATCH):
            part = values[at : at + _BATCH]
            marks = ",".join("?" * len(part))
            found += map(_told, self._catalog.rows(f"{_EVENT} WHERE {column} IN ({marks}) ORDER BY e.id", part))
        return found


def _told(row: Sequence[Any]) -> Told:
    """Build an event from a row of `_EVENT`."""
    lists = [tuple(json.loads(value)) if value and value != "[]" else () for value in row[11:14]]
    heading = tuple(row[17].split("\x1f")) if row[17] else ()
    return Told(Event(*row[:11], *lists), row[14], row[15], row[16], heading)
