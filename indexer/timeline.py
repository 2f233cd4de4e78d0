"""Reading events out of the catalog: those of passages, of documents, of threads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
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


@dataclass(frozen=True, slots=True)
class Told:
    """An event and where it is told: its chunk and document by id, the note's title and the headings above it."""

    event: Event
    chunk: int
    document: int
    title: str
    heading: tuple[str, ...]


def of_chunks(catalog: Catalog, ids: Sequence[int]) -> list[Told]:
    """Return the events that stand in some chunks."""
    return list(_select(catalog, "e.chunk", ids))


def of_documents(catalog: Catalog, ids: Sequence[int]) -> list[Told]:
    """Return the events of some documents."""
    return list(_select(catalog, "e.document", ids))


def of_threads(catalog: Catalog, threads: Iterable[str]) -> list[Told]:
    """Return the events of some threads, by the names they are written with."""
    return list(_select(catalog, "e.thread", sorted({thread for thread in threads if thread})))


def _select(catalog: Catalog, column: str, values: Sequence[Any]) -> Iterator[Told]:
    """Yield the events whose column has one of the values."""
    for at in range(0, len(values), _BATCH):
        part = values[at : at + _BATCH]
        marks = ",".join("?" * len(part))
        for row in catalog.rows(f"{_EVENT} WHERE {column} IN ({marks}) ORDER BY e.id", part):
            yield _told(row)


def _told(row: Sequence[Any]) -> Told:
    """Build an event from a row of `_EVENT`."""
    lists = [tuple(json.loads(value)) if value else () for value in row[11:14]]
    heading = tuple(row[17].split("\x1f")) if row[17] else ()
    return Told(Event(*row[:11], *lists), row[14], row[15], row[16], heading)
