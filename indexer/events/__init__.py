"""Dated decisions found in notes: what was decided, when, why, and what became of it.

Adding a kind of source is one module with `Outline -> list[Event]` and its row in WHOLE or PARTS.
`Event.thread` is what events of one story share: the slug of a pause, or a line's or record's own name (`ADR-12`,
`D-L1-1`), which `supersedes` and `links` of others may name. Names in `links`, `supersedes` and `superseded_by` are
as written; who reads them resolves them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from indexer.events.lists import list_events
from indexer.events.logs import log_events
from indexer.events.meetings import meeting_events
from indexer.events.memory import memory_events
from indexer.events.outline import Outline
from indexer.events.records import record_events
from indexer.events.tables import table_events
from indexer.types import Document, Event

__all__ = ["PARTS", "WHOLE", "find_events"]

_AGENDA = re.compile(r"agenda(?!.*minutes)[^/]*$", re.IGNORECASE)
_TEMPLATE = re.compile(r"(?:^|[/_-])templates?(?:[/_.-]|$)", re.IGNORECASE)
Extractor = Callable[[Outline], list[Event]]

WHOLE: tuple[Extractor, ...] = (memory_events, log_events, record_events)  # the first that finds any has the note
PARTS: tuple[Extractor, ...] = (table_events, list_events, meeting_events)  # the first that finds any has the line


def find_events(document: Document) -> list[Event]:
    """The events of a note in the order of its lines, ids 0; nothing for code.

    Never fails on odd input. An event without a date that can be read has `date` None and the date's text in `what`.
    """
    if document.kind != "note" or not document.text or _is_no_account(document.path):
        return []
    outline = Outline(document)
    for extractor in WHOLE:
        if found := extractor(outline):
            return sorted(found, key=lambda event: event.line)
    by_line: dict[int, Event] = {}
    for extractor in PARTS:
        for event in extractor(outline):
            by_line.setdefault(event.line, event)
    return [by_line[line] for line in sorted(by_line)]


def _is_no_account(path: str) -> bool:
    """Whether a note tells nothing that happened: a template, or an agenda, which is a plan."""
    return bool(_TEMPLATE.search(path) or _AGENDA.search(path))
