"""A topic -> the dated chain of decisions, what settled it, what is in force now, and the reason each time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from indexer import tokens
from indexer.snapshot import Snapshot
from indexer.types import Event
from onebrain_search import question
from onebrain_search.answer import turning
from onebrain_search.answer.book import Book, Link
from onebrain_search.answer.chain import chain
from onebrain_search.answer.fit import identified
from onebrain_search.answer.standing import Standing, place, standing
from onebrain_search.printable import one_line
from onebrain_search.types import Confidence, Query

FOLLOWED = 0.6  # of full weight that a passage has as a source for telling an event, however little it says itself
CERTAIN, LIKELY = (
    0.5,
    0.3,
)  # share of the topic that one event must say for the chain to be about it surely, or at all

_OPEN = frozenset({"proposed", "rejected", "deferred", "withdrawn"})


@dataclass(frozen=True, slots=True)
class Story:
    """The chain with the standing of each event, what settled the question, what is in force, and its confidence."""

    events: tuple[Event, ...]
    settled: Event | None = None
    in_force: Event | None = None  # None: nothing is
    confidence: Confidence = "none"  # with events: they say little of the topic
    notes: tuple[str, ...] = ()
    passages: Mapping[int, float] = field(default_factory=dict)  # that tell the events, by how much (0..1)


def tell(snapshot: Snapshot, query: Query, passages: Callable[[int], dict[int, float]]) -> Story:
    """Return the story of a topic; without events where the notes tell no dated decision about it."""
    book = Book.of(snapshot)
    links, pool = chain(book, query, passages)
    if not any(link.told.event.date for link in links):
        return Story(())
    found = standing(book, links, pool)
    in_force = found.in_force.told.event if found.in_force else None
    current = in_force if question.asks_current(query.text) else None
    undated = sum(link.told.event.date is None for link in links)
    notes = (f"{undated} of these carry no date that can be read",) if undated else ()
    return Story(
        tuple(link.told.event for link in found.links),
        current or _settled(query, found),
        in_force,
        _confidence(query, links),
        (*notes, *found.notes),
        _passages(links),
    )


def worded(story: Story) -> str:
    """Return what is said to a question: what settled it, with its reason word for word, and what is in force now."""
    lines = [_line(story.settled)] if story.settled else []
    return "\n".join([*lines, f"In force now: {_in_force(story)}"])


def _line(event: Event) -> str:
    """Return an event on one line: when, what, its reason in quotation marks, and where."""
    reason = f' · "{event.reason}"' if event.reason and event.reason not in event.what else ""
    status = f" ({event.status})" if event.status else ""
    return f"{event.day} · {event.label}{status}{reason} · {one_line(place(event))}"


def _in_force(story: Story) -> str:
    """Return what is in force and since when."""
    event = story.in_force
    if event is None:
        last = story.settled
        ending = f" ({last.status} on {last.date})" if last and last.date and last.status in _OPEN else ""
        return f"nothing that these notes settle{ending}"
    reason = f' · "{event.reason}"' if event.reason and event.reason not in event.what else ""
    return (
        f"{event.label}, since {event.day}{reason} · {one_line(place(event))}"
        if event.date
        else f"{event.label} · {one_line(place(event))}"
    )


def _passages(links: Sequence[Link]) -> dict[int, float]:
    """Return the passages that tell the events of a chain, by how well the best of each fits."""
    found: dict[int, float] = {}
    for link in links:
        value = FOLLOWED + (1 - FOLLOWED) * link.score
        found[link.told.chunk] = max(value, found.get(link.told.chunk, 0.0))
    return found


def _settled(query: Query, found: Standing) -> Event | None:
    """Return the decision that answers the question: it holds most of the question's words, those of deciding too.

    Where the question is about the end of a decision, and that one does not tell of it, it is the one that ended it.
    """
    asked = frozenset(map(tokens.stem, tokens.words(query.text)))
    decisions = [link for link in found.links if link.told.event.kind == "decision"]

    def fit(link: Link) -> tuple[float, str]:
        """Return how much of the question's wording a decision has, newer ones before older."""
        words = frozenset(map(tokens.stem, tokens.words(link.told.event.what)))
        return len(asked & words) + link.score, link.told.event.date or ""

    if not decisions:
        return None
    best = max(decisions, key=fit).told.event
    ended = [link.told.event for link in found.ended.get(best.id, ())]
    if ended and turning.changes(query.text) and not turning.changes(best.what):
        return next((link.told.event for link in found.links if link.told.event.id == ended[0].id), ended[0])
    return best


def _confidence(query: Query, links: Sequence[Link]) -> Confidence:
    """Return how surely a chain is about the topic, by the event that says most of it or names its number."""
    if identified(query, [link.told for link in links]):
        return "strong"
    said = max((link.said for link in links), default=0.0)
    return "strong" if said >= CERTAIN else "weak" if said >= LIKELY else "none"
