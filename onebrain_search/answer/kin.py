"""Events -> the events that belong to them: of the same subject, the same issue, replaced or replacing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from indexer import tokens
from indexer.timeline import Told
from indexer.types import Chunk
from onebrain_search import retrieve
from onebrain_search.answer import subject
from onebrain_search.answer.book import Book, Link
from onebrain_search.answer.fit import LONGEST, is_called, judged
from onebrain_search.answer.names import is_issue, is_record
from onebrain_search.types import Query

HOPS = 3  # along subject, supersession, pauses
NEAR_TOPIC = 0.3  # of the best event's score that an event on the same subject must reach
SUBJECT = 0.3  # of their words' rarity that two decisions have in common when their subject is the same
ISSUE_SHARE = 0.4  # of what fits a topic that links one issue when that issue is the topic
FURTHER = 60  # passages looked at for what replaced a decision under another name
SEEDS = 8  # decisions that such passages are looked for by

MOST_BESIDE = 8  # words beside its link, as of who will look at it, that a line may have which only lists a thing

_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_LINKS = re.compile(r"\[[^\]]*\]\([^)]*\)|https?://\S+")

Follow = Callable[[Told], list[Told]]


def is_plain(told: Told) -> bool:
    """Whether an event is a decision written in an ordinary note."""
    return told.event.kind == "decision" and _is_statement(told)


def further(book: Book, query: Query, kept: Sequence[Link], found: Sequence[Link]) -> list[Link]:
    """Return events that name the subjects of the best decisions: what came before or after under another name."""
    seeds = [link for link in kept if is_plain(link.told)][:SEEDS]
    words = dict.fromkeys(
        word for link in seeds for word in tokens.words(link.told.event.what) if subject.about(word)
    )
    if not words:
        return []
    held = retrieve.required(book.snapshot, query)
    near = book.snapshot.lexical.search([(word, 1.0) for word in words], required=held, k=FURTHER)
    known = {link.told.event.id for link in found}
    told = book.timeline.of_chunks(number for number, _ in near)
    return judged(book, query, [each for each in told if each.event.id not in known], {})


def same_subject(book: Book, kept: Sequence[Link], pool: Sequence[Link]) -> list[Link]:
    """Add what is said on the subjects of decisions: near the topic, or ending one of them or ended by it.

    Records name what they replace, so only decisions in ordinary notes are compared.
    """
    near = NEAR_TOPIC * max((link.score for link in kept), default=0.0)
    known = {link.told.event.id for link in kept}
    edge = [link for link in kept if is_plain(link.told)]
    rest = {link.told.event.id: link for link in pool if _is_statement(link.told)}
    added: list[Link] = []
    for hop in range(HOPS):
        fresh = [
            link
            for number, link in rest.items()
            if number not in known
            and any((hop == 0 and _is_akin(book, link, other, near)) or _is_tied(book, link, other) for other in edge)
        ]
        added += fresh
        known.update(link.told.event.id for link in fresh)
        edge = [link for link in fresh if is_plain(link.told)]
    return [*kept, *sorted(added, key=lambda link: -link.score)[:LONGEST]]


def same_issue(book: Book, query: Query, kept: Sequence[Link], found: Sequence[Link]) -> list[Link]:
    """Add every event on the issue that is the topic; leave out those that link other issues only.

    It is the one that events of the topic's very name link, without such the one that most of the kept ones link.
    """
    on = {link.told.event.id: [name for name in link.told.event.links if is_issue(name)] for link in found}
    linking = [link for link in kept if on[link.told.event.id]]
    linking = [link for link in linking if is_called(link.told, query.topic)] or linking
    weights = Counter[str]()
    for link in linking:
        weights.update(dict.fromkeys(on[link.told.event.id], link.score))
    issue, weight = max(weights.items(), key=lambda pair: pair[1], default=("", 0.0))
    if weight <= ISSUE_SHARE * sum(link.score for link in linking):
        return list(kept)
    known = {link.told.event.id: link for link in found}
    told = _saying(book, book.names.on_issue(issue))
    same = {each.event.id: known.get(each.event.id) or Link(each, 0.0) for each in told}
    return [*same.values(), *(link for link in kept if link.told.event.id not in same and not on[link.told.event.id])]


def _saying(book: Book, told: list[Told]) -> list[Told]:
    """Return the events without lines that only list a thing, as agendas do; all of them where none says more."""
    chatter = [each for each in told if each.event.kind == "chatter"]
    passages = book.snapshot.catalog.chunks([each.chunk for each in chatter])
    listed = {
        each.event.id
        for each in chatter
        if each.chunk in passages and _only_lists(passages[each.chunk].chunk, each.event.line)
    }
    return [each for each in told if each.event.id not in listed] or told


def _only_lists(passage: Chunk, line: int) -> bool:
    """Whether a line of a passage is a bullet with hardly more than a link, and nothing is indented below it."""
    bullet, *below = passage.text.split("\n")[line - passage.start_line :] or [""]
    if not _BULLET.match(bullet) or len(_LINKS.sub(" ", bullet).split()) > MOST_BESIDE:
        return False
    following = next((text for text in below if text.strip()), "")
    return len(following) - len(following.lstrip()) <= len(bullet) - len(bullet.lstrip())


def named(book: Book, kept: Sequence[Link], found: dict[int, Link]) -> list[Link]:
    """Add what replaced the events or was replaced by them, and what belongs to their pause.

    Of a record that was replaced, the story is what came after; of one that stands, what came before.
    """
    known = {link.told.event.id: link for link in kept}
    edge = [(link.told, _directions(book, link.told)) for link in kept]
    for _ in range(HOPS):
        fresh: list[tuple[Told, tuple[Follow, ...]]] = []
        for told, follows in edge:
            for other in [each for follow in follows for each in follow(told)]:
                if other.event.id not in known:
                    known[other.event.id] = found.get(other.event.id) or Link(other, 0.0)
                    fresh.append((other, follows))
        edge = fresh
    return list(known.values())


def _directions(book: Book, told: Told) -> tuple[Follow, ...]:
    """Return what is to be followed from an event."""
    names = book.names
    if not is_record(told.event):
        return (names.before, names.after, names.mates)
    return (names.after,) if names.after(told) else (names.before,)


def _is_statement(told: Told) -> bool:
    """Whether an event is a dated decision or outcome in an ordinary note."""
    return told.event.kind in ("decision", "outcome") and bool(told.event.date) and not is_record(told.event)


def _is_akin(book: Book, link: Link, other: Link, near: float) -> bool:
    """Whether an event is near the topic and on the subject of another."""
    if link.score < near or not link.said:
        return False
    mine, theirs = subject.about(link.told.event.what), subject.about(other.told.event.what)
    return subject.alike(mine, theirs, book.rarity) >= SUBJECT


def _is_tied(book: Book, link: Link, other: Link) -> bool:
    """Whether one of two decisions ends the other."""
    mine, theirs = link.told.event, other.told.event
    if mine.kind != "decision":
        return False
    return subject.is_ended(mine, theirs, book.rarity) or subject.is_ended(theirs, mine, book.rarity)
