"""How well events fit a topic: by their own words, the headings above them, their passage, and numbers they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from indexer import tokens
from indexer.events.references import SERIES
from indexer.timeline import Told
from onebrain_search.answer.book import Book, Link
from onebrain_search.answer.names import is_issue, is_record
from onebrain_search.types import Query

OWN = 0.6  # share of an event's own words in its score, beside its passage's
ABOVE = 0.6  # what a word counts that only the title or a heading has
GIVEN = 0.6  # what a word counts that only the reason has
KEPT = 0.7  # of the best event's score that an event of the chain must reach
LONGEST = 60  # events of a chain before expansion
IDENTIFIED = 0.6  # weight of being about the very record that is asked for (PEP 212, #42, "Use Postgres")
UNNAMED = 0.7  # what an event keeps that does not name the note that is asked about

_NUMBERED = re.compile(
    rf"(?<![A-Za-z0-9])(?P<word>[A-Z]{{2,8}}|(?i:{'|'.join(SERIES)}))[-\s#]{{0,2}}(?P<number>\d{{1,6}})"
    r"(?![A-Za-z0-9]|\.\d)"
    r"|(?<![\w-])(?P<id>[A-Z]{1,10}(?:-[A-Z]{0,3}\d+){2,4}|[A-Z]{1,10}-[A-Z]{1,3}\d+)(?![\w-])"
    r"|(?:#|(?i:\b(?:issue|pull request|pr|bug|ticket)\s#?))(?P<issue>\d+)\b"
)
_BRACKETS = re.compile(r"\([^()]*\)")
_END_OF_NAME = re.compile(r"\s*(?:[^\w\s]|$)")

Words = frozenset[str]


def judged(book: Book, query: Query, told: Sequence[Told], scores: dict[int, float]) -> list[Link]:
    """Return the events with their scores (0..1); `scores` are those of their passages.

    A topic that names a record is about that record, one that names a note about what that note is about: events
    that do not name it lose.
    """
    name = _note_name(query, told)
    around = _around(book, told) if name else {}
    weights = {(t, s): book.rarity(t) for t in query.terms if (s := tokens.stem(t)) not in name}
    total = sum(weights.values()) or 1.0
    sought = identified(query, told)
    links = []
    for each in told:
        said, given = _covered(book, weights, each)
        score = OWN * given / total + (1 - OWN) * scores.get(each.chunk, 0.0)
        if name and not name <= around[each.chunk]:
            score *= UNNAMED
        if sought is not None:
            score = IDENTIFIED * (each.event.id in sought) + (1 - IDENTIFIED) * score
        links.append(Link(each, score, said / total))
    return links


def identified(query: Query, told: Iterable[Told]) -> set[int] | None:
    """Return the ids of the events that name the very thing asked for; None where the topic names none.

    That is a number, or a record by its whole title, in quotation marks or as all of the topic.
    """
    if numbers := numbers_in(query.topic):
        return {each.event.id for each in told if any(pattern.search(_names_of(each)) for pattern in numbers)}
    titles = [words for words in map(tokens.words, (*query.phrases, query.topic)) if words]
    records = (each.event for each in told if is_record(each.event))
    return {event.id for event in records if tokens.words(event.what) in titles} or None


def on_topic(query: Query, found: Sequence[Link]) -> list[Link]:
    """Keep the events that fit nearly as well as the best one; of those that name what is asked for all."""
    best = max((link.score for link in found), default=0.0)
    named = identified(query, [link.told for link in found])
    least = min(KEPT * best, IDENTIFIED) if named else KEPT * best
    kept = [link for link in found if link.score >= least and link.score > 0]
    return sorted(kept, key=lambda link: -link.score)[:LONGEST]


def numbers_in(topic: str) -> list[re.Pattern[str]]:
    """Return a pattern for each numbered name of a topic: `PEP 212` is also `pep-0212`, `#42` an issue.

    Those in brackets only tell more of another one.
    """
    found = list(_NUMBERED.finditer(_BRACKETS.sub(" ", topic))) or list(_NUMBERED.finditer(topic))
    return [_pattern(match) for match in found]


def is_called(told: Told, name: str) -> bool:
    """Whether an event is called by a name: it is all that it says, or all before a colon, a dash or a bracket."""
    wanted, end = tokens.words(name), 0
    said = tokens.spans(told.event.what)
    for word in wanted:
        _, end, token = next(said, (0, 0, ""))
        if token != word:
            return False
    return bool(wanted) and bool(_END_OF_NAME.match(told.event.what, end))


def _covered(book: Book, weights: dict[tuple[str, str], float], told: Told) -> tuple[float, float]:
    """Return how much of the topic's weight an event says, its reason left aside and taken in.

    What it says in its own words counts in full, what stands in title, headings or reason in part.
    """
    what = book.words(told.event.what)
    said = sum(weight for forms, weight in weights.items() if not what.isdisjoint(forms))
    rest = {forms: weight for forms, weight in weights.items() if what.isdisjoint(forms)}
    if not rest:
        return said, said
    above, given = book.above(told), said
    reason = book.words(told.event.reason) if told.event.reason else frozenset()
    for forms, weight in rest.items():
        part = 0.0 if above.isdisjoint(forms) else ABOVE
        said += part * weight
        given += weight * (part if reason.isdisjoint(forms) else max(part, GIVEN))
    return said, given


def _note_name(query: Query, told: Iterable[Told]) -> Words:
    """Return the stems of the name of a note where a topic names one and says more: that word tells where to look."""
    asked = frozenset(map(tokens.stem, query.terms))
    titles = {each.title for each in told if not is_record(each.event)}
    names = (frozenset(map(tokens.stem, tokens.words(title))) for title in titles)
    return max((name for name in names if name and name < asked), key=len, default=frozenset())


def _around(book: Book, told: Iterable[Told]) -> dict[int, Words]:
    """Return the words of events, titles and headings by passage."""
    found: dict[int, Words] = {}
    for each in told:
        found[each.chunk] = (found.get(each.chunk) or book.above(each)) | book.words(each.event.what)
    return found


def _pattern(match: re.Match[str]) -> re.Pattern[str]:
    """Return the pattern of a numbered name in a topic."""
    if match["issue"]:
        return re.compile(rf"(?:#|issues?[/ ]|pull/){match['issue']}(?!\d)", re.IGNORECASE)
    if match["id"]:
        return re.compile(rf"(?<![\w-]){re.escape(match['id'])}(?![\w-])")
    word, number = re.escape(match["word"]), int(match["number"])
    return re.compile(rf"(?<![A-Za-z0-9]){word}[-_\s#:]{{0,2}}0*{number}(?!\d)", re.IGNORECASE)


def _names_of(told: Told) -> str:
    """Return everything that can name a number: what happened, where it is told, issues, the record's own name."""
    event = told.event
    issues = [link for link in event.links if is_issue(link)]
    return " ".join([event.what, event.reason, event.thread, *told.heading, told.title, event.path, *issues])
