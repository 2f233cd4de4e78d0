"""A topic -> the events that belong to it, in the order in which they happened.

Events are found by their passages (words, and vectors where there are any), judged by what they say, followed along
subject, issue, supersession and pauses, freed of repeats, and put in order. Tuned on five public sets of dated
decisions (benchmarks/why.py) and on the vaults in vault_fixtures.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from indexer.snapshot import Snapshot
from indexer.timeline import Told
from onebrain_search import retrieve
from onebrain_search.answer import kin, subject
from onebrain_search.answer.book import Book, Link
from onebrain_search.answer.fit import judged, on_topic
from onebrain_search.answer.names import is_record
from onebrain_search.types import Query

PASSAGES = 600  # looked at for events; a topic that recurs in 30 meetings has several passages in each
TOLD_SHARE = 0.3  # of decisions among the events from which on chatter and open questions are left out
EQUAL = 0.8  # of all words of two events in notes of one kind that are the same when they repeat each other
SAME_WORDS = 0.6  # of the rarer words two events of one day share when they tell the same thing

_STANDING = (("/log/", 0), ("-checkpoint-", 1), ("-pause-", 2), ("-session-", 4))  # of notes that tell a thing twice
_ELSEWHERE = 3


def chain(book: Book, query: Query, passages: Callable[[int], dict[int, float]]) -> tuple[list[Link], list[Link]]:
    """Return the chain of a topic, oldest first, undated events last; and whatever else was looked at.

    `passages` gives the scores (best 1) of so many passages for the query.
    """
    scores = passages(PASSAGES)
    found = judged(book, query, book.timeline.of_chunks(scores), scores)
    kept = on_topic(query, found)
    pool = list(found)
    if tells_decisions(kept):
        kept = without_chatter(kept)
        pool += kin.further(book, query, kept, found)
        kept = kin.same_subject(book, kept, pool)
    else:
        kept = kin.same_issue(book, query, kept, found)
    kept = kin.named(book, kept, {link.told.event.id: link for link in found})
    kept = permitted(book.snapshot, query, kept)
    if tells_decisions(kept):
        kept = without_chatter(kept)
    return in_order(book, without_repeats(book, kept)), pool


def tells_decisions(links: Sequence[Link]) -> bool:
    """Whether decisions are told, beside which chatter counts nothing; minutes of meetings are kept whole."""
    decisions = sum(link.told.event.kind == "decision" for link in links)
    return decisions >= max(1, TOLD_SHARE * len(links))


def without_chatter(links: Sequence[Link]) -> list[Link]:
    """Leave out open questions and what only tells of old decisions."""
    return [link for link in links if link.told.event.kind in ("decision", "outcome")]


def permitted(snapshot: Snapshot, query: Query, links: list[Link]) -> list[Link]:
    """Leave out what the filters of a question hide, and what was forgotten: names lead anywhere."""
    held = retrieve.required(snapshot, query)
    if not held:
        return links
    allowed = set(snapshot.lexical.ids(held).tolist())
    return [link for link in links if link.told.chunk in allowed]


def without_repeats(book: Book, links: Sequence[Link]) -> list[Link]:
    """Leave out what another event of the same day tells as well; a session stays before its checkpoint."""
    kept = defaultdict[str | None, list[Link]](list)
    for link in sorted(links, key=lambda each: (-_standing(each.told), -each.score, each.told.event.id)):
        day = kept[link.told.event.date]
        if not any(_repeats(book, link.told, other.told) for other in day):
            day.append(link)
    return [link for day in kept.values() for link in day]


def in_order(book: Book, links: Sequence[Link]) -> list[Link]:
    """Sort by date; events of one day by path and line, undated ones last.

    An event without a date that somebody wrote stands before what replaced it and behind what it replaced. Where the
    time of its file says otherwise, the day of that other event is the nearest that is known of it.
    """
    found = sorted(links, key=lambda link: _moment(link.told))
    for link in [link for link in found if link.told.event.date_source in ("", "mtime")]:
        at = found.index(link)
        after, before = _ids(book.names.after(link.told)), _ids(book.names.before(link.told))
        late = [n for n, other in enumerate(found) if n < at and other.told.event.id in after]
        early = [n for n, other in enumerate(found) if n > at and other.told.event.id in before]
        if bool(late) != bool(early):  # otherwise it is in place, or named in a circle
            goal = late[0] if late else early[-1]
            day = found[goal].told.event.date
            del found[at]
            found.insert(goal, link if day == link.told.event.date else _on(link, day))
    return found


def _ids(told: Sequence[Told]) -> set[int]:
    """Return the ids of events."""
    return {each.event.id for each in told}


def _on(link: Link, day: str | None) -> Link:
    """Return a link on another day, which follows from its place alone."""
    event = replace(link.told.event, date=day, date_source="order" if day else "")
    return replace(link, told=replace(link.told, event=event))


def _moment(told: Told) -> tuple[bool, str, str, str, int]:
    """Return what events are ordered by."""
    event = told.event
    return (event.date is None, event.date or "", event.root, event.path, event.line)


def _standing(told: Told) -> int:
    """Return which note tells an event best: a session, then projects, pauses, checkpoints, a log last."""
    path = f"/{told.event.path}"
    return next((rank for mark, rank in _STANDING if mark in path), _ELSEWHERE)


def _repeats(book: Book, told: Told, other: Told) -> bool:
    """Whether an event tells what another of the same day tells; of two equal notes it must say nearly the same."""
    if told.document == other.document or (is_record(told.event) and is_record(other.event)):
        return False
    mine, theirs = book.words(told.event.what), book.words(other.event.what)
    if _standing(told) == _standing(other):
        about, others = subject.about(told.event.what), subject.about(other.event.what)
        return len(mine & theirs) >= EQUAL * len(mine | theirs) and (about <= others or others <= about)
    least = min(sum(map(book.rarity, mine)), sum(map(book.rarity, theirs)))
    return least > 0 and sum(map(book.rarity, mine & theirs)) >= SAME_WORDS * least
