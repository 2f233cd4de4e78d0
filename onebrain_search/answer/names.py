"""Names that events use for other events -> those events: records, files and threads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from operator import eq
from pathlib import PurePosixPath
from urllib.parse import unquote

from indexer import timeline
from indexer.catalog import Catalog
from indexer.tables import link_name
from indexer.timeline import Told

_NUMBER = re.compile(r"^(?:(?P<word>[A-Za-z]+)[-_ ]?)?0*(?P<number>\d+)$")


def neighbours(catalog: Catalog, told: Told) -> list[Told]:
    """Return the events that one names or that name it: replaced, replacing, of the same thread."""
    event = told.event
    wanted = [*event.supersedes, *event.superseded_by]
    if event.thread and "-pause-" in f"/{event.path}":
        wanted.append(event.thread)
    forward = [other for name in wanted for other in resolved(catalog, told, name)]
    backward = [other for other in _naming(catalog, told) if _names(catalog, other, told)]
    return [other for other in {o.event.id: o for o in [*forward, *backward]}.values() if other.event.id != event.id]


def resolved(catalog: Catalog, told: Told, name: str) -> list[Told]:
    """Return the events a name as written means, seen from where it is written: the nearest file or thread."""
    plain = unquote(name).partition("#")[0].strip().removesuffix("/")
    by_thread = timeline.of_threads(catalog, _threads(plain, told))
    if by_thread:
        return _nearest(told, by_thread)
    rows = catalog.rows("SELECT id FROM documents WHERE name = ?", (link_name(plain),))
    return _nearest(told, [t for t in timeline.of_documents(catalog, [row[0] for row in rows]) if _leads(t)])


def _threads(name: str, told: Told) -> list[str]:
    """Return the thread names that a written name can stand for; a bare number is one of the writer's own kind."""
    last = PurePosixPath(name).name
    match = _NUMBER.match(last)
    if not match:
        return [name]
    kind = (match["word"] or told.event.thread.partition("-")[0]).upper()
    return [name, f"{kind}-{int(match['number'])}"] if kind else [name]


def _nearest(told: Told, found: Sequence[Told]) -> list[Told]:
    """Return those events that share the most folders with the writer's: numbers repeat elsewhere."""
    if not found:
        return []
    here = _folders(told)
    near = [sum(1 for _ in takewhile(bool, map(eq, here, _folders(other)))) for other in found]
    best = max(near)
    return [other for other, depth in zip(found, near, strict=True) if depth == best]


def _folders(told: Told) -> list[str]:
    """Return the root and folders of the note that tells an event."""
    return [told.event.root, *PurePosixPath(told.event.path).parent.parts]


def _naming(catalog: Catalog, told: Told) -> list[Told]:
    """Return the events whose supersession fields may name this one, by a rough text match."""
    event = told.event
    forms = {link_name(event.path)} | ({event.thread} if event.thread else set())
    number = _NUMBER.match(event.thread)
    forms |= {number["number"]} if number else set()
    found: list[int] = []
    for form in forms:
        like = f"%{form.replace('%', '').replace('_', '').replace(chr(34), '')}%"
        rows = catalog.rows(
            "SELECT DISTINCT document FROM events WHERE supersedes LIKE ? OR superseded_by LIKE ?", (like, like)
        )
        found += [row[0] for row in rows]
    return [
        t for t in timeline.of_documents(catalog, sorted(set(found))) if t.event.supersedes or t.event.superseded_by
    ]


def _names(catalog: Catalog, other: Told, told: Told) -> bool:
    """Whether one event's supersession fields really mean another."""
    written: Iterable[str] = [*other.event.supersedes, *other.event.superseded_by]
    return any(t.document == told.document for name in written for t in resolved(catalog, other, name))


def _leads(told: Told) -> bool:
    """Whether an event stands for its whole note: a record's or a memory's own line, not one of many bullets."""
    return bool(told.event.thread or told.event.supersedes or told.event.superseded_by or told.event.line <= 30)
