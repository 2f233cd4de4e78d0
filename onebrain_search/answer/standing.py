"""A chain -> what became of each decision, which one is in force, and what the notes leave open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from indexer.types import Event, written
from onebrain_search.answer import subject
from onebrain_search.answer.book import Book, Link
from onebrain_search.answer.fit import KEPT
from onebrain_search.answer.kin import SUBJECT, is_plain
from onebrain_search.answer.names import is_record

SAME_MATTER = 0.6  # of their words' rarity that two decisions have in common when they answer the same question


@dataclass(frozen=True, slots=True)
class Standing:
    """A chain with the status of each event, the decision in force (None: nothing is), and notes on what is open."""

    links: tuple[Link, ...]
    in_force: Link | None
    ended: Mapping[int, Sequence[Link]]  # by the id of an event: what ended it, earliest first
    notes: tuple[str, ...] = ()


def standing(book: Book, links: Sequence[Link], pool: Sequence[Link]) -> Standing:
    """Work out what ended what; `pool` are further events, whose decisions count though they are not shown."""
    ended = _ended(book, links, pool)
    circle = _circle(ended)
    found = [
        _marked(link, [] if link.told.event.id in circle else ended.get(link.told.event.id, [])) for link in links
    ]
    disputed = list(_disputed(book, found))
    open_ids = circle | {link.told.event.id for pair in disputed for link in pair}
    in_force = _in_force(book, found, ended)
    if in_force and in_force.told.event.id in open_ids:
        in_force = None
    notes = [_says_circle([link for link in found if link.told.event.id in circle])] if circle else []
    notes += [_says_disputed(*pair) for pair in disputed]
    return Standing(tuple(found), in_force, ended, tuple(notes))


def place(event: Event) -> str:
    """Return where an event stands, as `path:line`."""
    return f"{written(event.root, event.path)}:{event.line}"


def _ended(book: Book, links: Sequence[Link], pool: Sequence[Link]) -> dict[int, list[Link]]:
    """Return for each event of a chain that something ended what did, earliest first."""
    found: dict[int, list[Link]] = {}
    others = {link.told.event.id: link for link in [*pool, *links]}
    decisions = [link for link in others.values() if is_plain(link.told)]
    for link in links:
        event = link.told.event
        after = {told.event.id for told in book.names.after(link.told)}
        by = {other.told.event.id: other for other in links if other.told.event.id in after}
        if is_plain(link.told) and event.status in subject.LIVE:
            by |= {o.told.event.id: o for o in decisions if subject.is_ended(event, o.told.event, book.rarity)}
        if by:
            found[event.id] = sorted(by.values(), key=lambda o: (o.told.event.date or "", o.told.event.path))
    return found


def _circle(ended: Mapping[int, Sequence[Link]]) -> set[int]:
    """Return the events that end each other, in however many steps."""
    return {number for number in ended if number in _reached(ended, number)}


def _reached(ended: Mapping[int, Sequence[Link]], start: int) -> set[int]:
    """Return the events that came after one, step by step; with itself only where they lead back to it."""
    reached: set[int] = set()
    edge = {start}
    while edge:
        edge = {other.told.event.id for number in edge for other in ended.get(number, ())} - reached
        reached |= edge
    return reached


def _marked(link: Link, ended: Sequence[Link]) -> Link:
    """Return a link with its status: as written, as other events name it, or as later ones end it."""
    event = link.told.event
    if event.status not in subject.LIVE or event.kind != "decision" or not ended:
        return link
    by = event.superseded_by or (place(ended[0].told.event),)
    return replace(link, told=replace(link.told, event=replace(event, status="superseded", superseded_by=by)))


def _in_force(book: Book, links: Sequence[Link], ended: Mapping[int, Sequence[Link]]) -> Link | None:
    """Return the decision that stands now: at the end of what followed the one that fits best, or on its subject."""
    decisions = [link for link in links if link.told.event.kind == "decision"]
    if not decisions:
        return None
    start = max(decisions, key=_fit)
    reached = _reached(ended, start.told.event.id) | {start.told.event.id}
    live = [link for link in decisions if _is_live(link) and link.told.event.id in reached]
    if not live and not is_record(start.told.event):
        about = subject.about(start.told.event.what)
        live = [
            link
            for link in decisions
            if _is_live(link) and subject.alike(about, subject.about(link.told.event.what), book.rarity) >= SUBJECT
        ]
    best = max((link.score for link in live), default=0.0)
    fitting = [link for link in live if link.score >= KEPT * best]
    return max(fitting, key=lambda link: (link.told.event.date or "", _fit(link)), default=None)


def _fit(link: Link) -> tuple[float, float]:
    """Return how well a decision fits the topic: by what it says; a record, which has its number, as a whole."""
    return (link.score if is_record(link.told.event) else link.said, link.score)


def _is_live(link: Link) -> bool:
    """Whether a decision stands."""
    return link.told.event.status in subject.LIVE


def _disputed(book: Book, links: Sequence[Link]) -> Iterator[tuple[Link, Link]]:
    """Yield pairs of decisions of different notes that answer the same question otherwise, in no order of time."""
    live = [link for link in links if is_plain(link.told) and _is_live(link)]
    for one, other in combinations(live, 2):
        mine, theirs = one.told.event, other.told.event
        ordered = mine.date != theirs.date and "mtime" not in (mine.date_source, theirs.date_source)
        words, others = subject.about(mine.what), subject.about(theirs.what)
        if ordered or one.told.document == other.told.document or words <= others or others <= words:
            continue
        if subject.alike(words, others, book.rarity) >= SAME_MATTER:
            yield one, other


def _says_circle(links: Sequence[Link]) -> str:
    """Return the note on decisions that say to replace each other."""
    names = " and ".join(place(link.told.event) for link in links)
    return f"{names} each say that they replace the other: which one is in force is left open"


def _says_disputed(one: Link, other: Link) -> str:
    """Return the note on two decisions that contradict each other."""
    return (
        f"{place(one.told.event)} and {place(other.told.event)} say different things,"
        " and no date tells which came later"
    )
