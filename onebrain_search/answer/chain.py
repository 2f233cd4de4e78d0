"""A topic -> the events that belong to it, in the order in which they happened.

Events are found by their passages (words, and vectors where there are any), judged by their own words and headings,
followed along supersession, threads and links, freed of repeats, and put in order of date. Tuned on five public sets
of dated decisions (benchmarks/why.py): meeting minutes, decision records and proposals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from indexer import timeline, tokens
from indexer.snapshot import Snapshot
from indexer.timeline import Told
from onebrain_search.answer import names
from onebrain_search.types import Query

PASSAGES = 600  # looked at for events; a topic that recurs in 30 meetings has several passages in each
OWN = 0.6  # share of an event's own words in its score, beside its passage's
ABOVE = 0.6  # what a word counts that only the title or a heading has
KEPT = 0.7  # of the best event's score that an event of the chain must reach
LONGEST = 60  # events of a chain before expansion
HOPS = 2  # along supersession, threads and links
IDENTIFIED = 0.6  # weight of being about the very number that is asked for (PEP 212, EIP-1559, #42)
UNNAMED = 0.7  # what an event keeps that does not name that number
TOLD_SHARE = 0.3  # of decisions among the events from which on chatter and open questions are left out
NEAR_TOPIC = 0.3  # of the best event's score that a decision on the same subject must reach
SUBJECT = 0.5  # of the rarer words of the shorter of two decisions that they share when their subject is the same
EQUAL = 0.8  # of all words of two events in notes of one kind that are the same when they repeat each other
SAME_WORDS = 0.6  # of the rarer words two events of one day share when they tell the same thing

_RECORD = re.compile(r"(?:ADR|PEP|RFC|EIP|ERC|BIP|KIP|JEP|SIP)-\d+$")
_NUMBERED = re.compile(
    r"(?<![A-Za-z0-9])(?P<word>[A-Z]{2,8})[-\s#]{0,2}(?P<number>\d{1,6})(?![A-Za-z0-9.])|#(?P<issue>\d+)\b"
)


@dataclass(frozen=True, slots=True)
class Link:
    """An event of a chain with how well it fits the topic (0..1); `linked`: it came by a link, not by its words."""

    told: Told
    score: float
    linked: bool = False


def chain(snapshot: Snapshot, query: Query, passages: Callable[[int], dict[int, float]]) -> list[Link]:
    """Return the chain of a topic, oldest first, undated events last.

    `passages` gives the scores (best 1) of so many passages for the query.
    """
    scores = passages(PASSAGES)
    found = judged(snapshot, query, timeline.of_chunks(snapshot.catalog, list(scores)), scores)
    kept = on_topic(found)
    kept = same_subject(snapshot, kept, found)
    kept = expanded(snapshot, kept, {link.told.event.id: link for link in found})
    kept = without_chatter(kept)
    return in_order(without_repeats(snapshot, kept))


def judged(snapshot: Snapshot, query: Query, told: Sequence[Told], scores: dict[int, float]) -> list[Link]:
    """Return the events with their scores: by their own words, less by the headings above, and by their passage.

    A topic that names a number is about that number: events that name it gain, others lose.
    """
    terms = query.terms
    rarity = {term: snapshot.rarity(term) for term in terms}
    total = sum(rarity.values()) or 1.0
    numbers = numbers_in(query.topic)
    words = _Words()
    links = []
    for each in told:
        own, above = words.of(each.event.what), words.of(" ".join([each.title, *each.heading]))
        covered = sum(rarity[term] * _share(term, own, above) for term in terms) / total
        score = OWN * covered + (1 - OWN) * scores.get(each.chunk, 0.0)
        if numbers:
            named = any(pattern.search(_names_of(each)) for pattern in numbers)
            score = IDENTIFIED + (1 - IDENTIFIED) * score if named else UNNAMED * score
        links.append(Link(each, score))
    return links


def _share(term: str, own: frozenset[str], above: frozenset[str]) -> float:
    """Return how much of a term an event holds: all in its own words, a part in title and headings."""
    stem = tokens.stem(term)
    return 1.0 if term in own or stem in own else ABOVE if term in above or stem in above else 0.0


def numbers_in(topic: str) -> list[re.Pattern[str]]:
    """Return a pattern for each numbered name of a topic: `PEP 212` is also `pep-0212`, `#42` an issue."""
    patterns = []
    for match in _NUMBERED.finditer(topic):
        if match["issue"]:
            patterns.append(re.compile(rf"(?:#|issues/|pull/){match['issue']}(?!\d)"))
        else:
            word, number = re.escape(match["word"]), int(match["number"])
            patterns.append(re.compile(rf"(?<![A-Za-z0-9]){word}[-_\s#:]{{0,2}}0*{number}(?!\d)", re.IGNORECASE))
    return patterns


def on_topic(found: Sequence[Link]) -> list[Link]:
    """Keep the events that fit nearly as well as the best one."""
    best = max((link.score for link in found), default=0.0)
    kept = [link for link in found if link.score >= KEPT * best and link.score > 0]
    return sorted(kept, key=lambda link: -link.score)[:LONGEST]


def same_subject(snapshot: Snapshot, kept: list[Link], found: Sequence[Link]) -> list[Link]:
    """Add decisions that fit less well but share the subject of a kept one: what was chosen before, or refused.

    Records name what they replace, so only decisions in ordinary notes are compared.
    """
    words = _Words()
    best = max((link.score for link in kept), default=0.0)
    seeds = [words.of(link.told.event.what) for link in kept if _plain_decision(link.told)]
    known = {link.told.event.id for link in kept}
    added = [
        replace(link, linked=True)
        for link in found
        if link.told.event.id not in known
        and link.score >= NEAR_TOPIC * best
        and _plain_decision(link.told)
        and any(shared(words.of(link.told.event.what), seed, snapshot.rarity) >= SUBJECT for seed in seeds)
    ]
    return kept + sorted(added, key=lambda link: -link.score)[:LONGEST]


def _plain_decision(told: Told) -> bool:
    """Whether an event is a decision written in an ordinary note, not a record with a number of its own."""
    return told.event.kind == "decision" and bool(told.event.date) and not _RECORD.match(told.event.thread)


def expanded(snapshot: Snapshot, kept: list[Link], found: dict[int, Link]) -> list[Link]:
    """Add what the events supersede, what superseded them, and what shares their thread, two hops far."""
    known = {link.told.event.id: link for link in kept}
    edge = list(kept)
    for _ in range(HOPS):
        added: list[Link] = []
        for link in edge:
            for other in names.neighbours(snapshot.catalog, link.told):
                if other.event.id not in known:
                    score = found[other.event.id].score if other.event.id in found else 0.0
                    known[other.event.id] = Link(other, score, linked=True)
                    added.append(known[other.event.id])
        edge = added
    return list(known.values())


def without_chatter(links: list[Link]) -> list[Link]:
    """Leave chatter and open questions out where decisions are told; minutes of meetings are kept whole."""
    decisions = sum(link.told.event.kind == "decision" for link in links)
    if decisions < max(1, TOLD_SHARE * len(links)):
        return links
    return [link for link in links if link.told.event.kind in ("decision", "outcome")]


def without_repeats(snapshot: Snapshot, links: list[Link]) -> list[Link]:
    """Leave out what another event of the same day tells as well; a session stays before its checkpoint."""
    words = _Words()
    kept: list[Link] = []
    for link in sorted(links, key=lambda each: (-_standing(each.told), -each.score, each.told.event.id)):
        if not any(_repeats(link.told, other.told, words, snapshot.rarity) for other in kept):
            kept.append(link)
    return kept


def in_order(links: Iterable[Link]) -> list[Link]:
    """Sort by date; events of one day by path and line, undated ones last."""
    return sorted(links, key=lambda link: _moment(link.told))


def _moment(told: Told) -> tuple[bool, str, str, str, int]:
    """Return what events are ordered by."""
    event = told.event
    return (event.date is None, event.date or "", event.root, event.path, event.line)


def _names_of(told: Told) -> str:
    """Return everything that can name a number: what happened, where it is told, and the record's own name."""
    event = told.event
    return " ".join([event.what, event.reason, event.thread, *told.heading, told.title, event.path])


def _standing(told: Told) -> int:
    """Return which note tells an event best: a session, then projects, pauses, checkpoints, a log last."""
    path = f"/{told.event.path}"
    marks = (("/log/", 0), ("-checkpoint-", 1), ("-pause-", 2), ("-session-", 4))
    return next((rank for mark, rank in marks if mark in path), 3)


def _repeats(told: Told, other: Told, words: _Words, rarity: Callable[[str], float]) -> bool:
    """Whether an event tells what another of the same day tells; of two equal notes it must say nearly the same."""
    if told.event.date != other.event.date or told.document == other.document:
        return False
    mine, theirs = words.of(told.event.what), words.of(other.event.what)
    if _standing(told) != _standing(other):
        return shared(mine, theirs, rarity) >= SAME_WORDS
    return len(mine & theirs) >= EQUAL * len(mine | theirs)


def shared(one: frozenset[str], other: frozenset[str], rarity: Callable[[str], float]) -> float:
    """Return which share of the rarer words of the shorter text the two have in common (0..1)."""
    weight = {word: rarity(word) for word in one | other}
    least = min(sum(weight[word] for word in one), sum(weight[word] for word in other))
    return sum(weight[word] for word in one & other) / least if least else 0.0


class _Words(dict[str, frozenset[str]]):
    """The tokens and stems of texts, each worked out once."""

    def of(self, text: str) -> frozenset[str]:
        """Return tokens and stems of a text."""
        if text not in self:
            found = tokens.words(text)
            self[text] = frozenset(found).union(map(tokens.stem, found))
        return self[text]
