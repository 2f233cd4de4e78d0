"""Names that events use for other events -> those events: records, notes, threads and issues.

Worked out in one pass over the events of a generation, so that following a name is a look-up.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import takewhile
from operator import eq
from pathlib import PurePosixPath
from urllib.parse import unquote

from indexer.catalog import Catalog
from indexer.events.references import SERIES, note_name
from indexer.tables import link_name
from indexer.timeline import Timeline, Told
from indexer.types import Event

_NUMBER = re.compile(r"^(?:(?P<word>[A-Za-z]+)[-_ ]?)?0*(?P<number>\d+)$")
_RECORD = re.compile(rf"(?:{'|'.join(SERIES)})-\d+$")
_ENDED = frozenset({"superseded", "deprecated"})
_NAMED = (
    "SELECT e.id, d.name, e.line, e.thread, e.supersedes, e.superseded_by, e.links"
    " FROM events e JOIN documents d ON d.id = e.document ORDER BY e.id"
)
_LEADING_LINES = 30  # an event further down does not stand for its whole note


class Names:
    """The names of one generation's events, and the events that say them."""

    def __init__(self, catalog: Catalog, timeline: Timeline) -> None:
        self._timeline = timeline
        self._threads = defaultdict[str, list[int]](list)  # by the name of a thread
        self._notes = defaultdict[str, list[int]](list)  # by the link name of a note: the events that stand for it
        self._replacing = defaultdict[str, list[int]](list)  # by a name that an event says to replace
        self._replaced = defaultdict[str, list[int]](list)  # by a name that an event says to be replaced by
        self._linking = defaultdict[str, list[int]](list)  # by a name that a record refers to
        self._issues = defaultdict[str, list[int]](list)  # by `owner/repo#7`
        self._after: dict[int, list[Told]] = {}
        for number, note, line, thread, replaced, replacing, links in catalog.rows(_NAMED):
            supersedes, superseded_by = _list(replaced), _list(replacing)
            if thread:
                self._threads[thread].append(number)
            if thread or supersedes or superseded_by or line <= _LEADING_LINES:
                self._notes[note].append(number)
            self._enter(self._replacing, supersedes, thread, number)
            self._enter(self._replaced, superseded_by, thread, number)
            for link in _list(links):
                if is_issue(link):
                    self._issues[link].append(number)
                elif _RECORD.match(thread) or link_name(thread) == note:
                    self._linking[link_name(_plain(link))].append(number)

    def _enter(self, table: dict[str, list[int]], written: Sequence[str], thread: str, number: int) -> None:
        """Put an event down under every form of the names in one of its fields."""
        for form in {form for name in written for form in _forms(name, thread)}:
            table[form].append(number)

    def on_issue(self, link: str) -> list[Told]:
        """Return the events that link an issue, written `owner/repo#7`."""
        return self._timeline.of_ids(self._issues.get(link, ()))

    def mates(self, told: Told) -> list[Told]:
        """Return the events of the same pause as one of a pause, which is a story of its own."""
        if not told.event.thread or "-pause-" not in f"/{told.event.path}":
            return []
        return [
            mate for mate in self._timeline.of_ids(self._threads[told.event.thread]) if "-pause-" in mate.event.path
        ]

    def before(self, told: Told) -> list[Told]:
        """Return the events that one replaces, as it says or as they say."""
        found = [other for name in told.event.supersedes for other in self.resolved(told, name)]
        saying = self._timeline.of_ids(self._saying(self._replaced, told))
        return _others(told, [*found, *(o for o in saying if self._names(o, o.event.superseded_by, told))])

    def after(self, told: Told) -> list[Told]:
        """Return the events that replace one, as it says or as they say.

        Where a record has ended and nobody says what came after, those are later records that refer to it.
        """
        if told.event.id not in self._after:
            found = [other for name in told.event.superseded_by for other in self.resolved(told, name)]
            saying = self._timeline.of_ids(self._saying(self._replacing, told))
            found = _others(told, [*found, *(o for o in saying if self._names(o, o.event.supersedes, told))])
            self._after[told.event.id] = found or self._heirs(told)
        return self._after[told.event.id]

    def _heirs(self, told: Told) -> list[Told]:
        """Return the live records that refer to one that has ended, and are younger."""
        event = told.event
        if event.status not in _ENDED or not is_record(event):
            return []
        linking = self._timeline.of_ids(self._linking.get(link_name(event.path), ()))
        live = [
            o for o in linking if o.event.status in ("", "accepted") and (o.event.date or "") > (event.date or "")
        ]
        return _others(told, [o for o in live if self._names(o, o.event.links, told)])

    def resolved(self, told: Told, name: str) -> list[Told]:
        """Return the events a name as written means, seen from where it is written: the nearest thread, or note."""
        plain = _plain(name)
        by_thread = [n for form in _thread_forms(plain, told.event.thread) for n in self._threads.get(form, ())]
        return _nearest(told, self._timeline.of_ids(by_thread or self._notes.get(link_name(plain), ())))

    def _saying(self, table: dict[str, list[int]], told: Told) -> list[int]:
        """Return the events that hold a form of one's names in a field of supersession."""
        forms = {link_name(told.event.path), *([told.event.thread] if told.event.thread else [])}
        return sorted({number for form in forms for number in table.get(form, ())})

    def _names(self, other: Told, names: Sequence[str], told: Told) -> bool:
        """Whether one of the names in an event really means another."""
        return any(each.document == told.document for name in names for each in self.resolved(other, name))


def is_record(event: Event) -> bool:
    """Whether an event is a record, which has a name of its own: a number in its series, or its file's."""
    return bool(_RECORD.match(event.thread)) or event.thread == note_name(event.path)


def is_issue(link: str) -> bool:
    """Whether a link is to an issue or a pull request."""
    return "#" in link and link.rpartition("#")[2].isdigit()


def _others(told: Told, found: Sequence[Told]) -> list[Told]:
    """Return events of other notes, each once."""
    return list({each.event.id: each for each in found if each.document != told.document}.values())


def _plain(name: str) -> str:
    """Return a name as written without fragment and the escapes of an address."""
    return unquote(name).partition("#")[0].strip().removesuffix("/")


def _forms(name: str, thread: str) -> set[str]:
    """Return what a written name can be looked up by: threads, and the link name of a note."""
    plain = _plain(name)
    return {*_thread_forms(plain, thread), link_name(plain)}


def _thread_forms(name: str, thread: str) -> list[str]:
    """Return the thread names that a written name can stand for; a bare number is one of the writer's own kind."""
    match = _NUMBER.match(PurePosixPath(name).name)
    if not match:
        return [name]
    kind = (match["word"] or thread.partition("-")[0]).upper()
    return [name, f"{kind}-{int(match['number'])}"] if kind else [name]


def _nearest(told: Told, found: Sequence[Told]) -> list[Told]:
    """Return those events that share the most folders with the writer's: numbers repeat elsewhere."""
    if len({other.document for other in found}) < 2:
        return list(found)
    here = _folders(told)
    near = [sum(1 for _ in takewhile(bool, map(eq, here, _folders(other)))) for other in found]
    best = max(near)
    return [other for other, depth in zip(found, near, strict=True) if depth == best]


def _folders(told: Told) -> list[str]:
    """Return the root and folders of the note that tells an event."""
    return [told.event.root, *told.event.path.split("/")[:-1]]


def _list(value: str) -> list[str]:
    """Return a list kept as JSON text."""
    return json.loads(value) if value and value != "[]" else []
