"""What chains of one generation are made from, kept while it is open: events, their names, the words of texts."""

from __future__ import annotations

from dataclasses import dataclass

from indexer import tokens
from indexer.snapshot import Snapshot
from indexer.timeline import Timeline, Told
from onebrain_search.answer.names import Names
from onebrain_search.confidence import FEW

_TEXTS = 50_000  # whose words are remembered before they are given back


@dataclass(frozen=True, slots=True)
class Link:
    """An event of a chain with how well it fits the topic, and which share of the topic it says itself (0..1)."""

    told: Told
    score: float
    said: float = 0.0


class Book:
    """The events of a generation, who names whom, and the words of what they say."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.timeline = Timeline(snapshot.catalog)
        self.names = Names(snapshot.catalog, self.timeline)
        self._words: dict[str, frozenset[str]] = {}
        self._rarity: dict[str, float] = {}

    @classmethod
    def of(cls, snapshot: Snapshot) -> Book:
        """Return the book of a generation, made at its first chain."""
        if "book" not in snapshot.memory:
            snapshot.memory["book"] = cls(snapshot)
        found: Book = snapshot.memory["book"]
        return found

    def words(self, text: str) -> frozenset[str]:
        """Return tokens and stems of a text."""
        found = self._words.get(text)
        if found is None:
            if len(self._words) >= _TEXTS:
                self._words.clear()
            found = self._words[text] = frozenset(" ".join(tokens.analyse(text)).split())
        return found

    def above(self, told: Told) -> frozenset[str]:
        """Return tokens and stems of the title and the headings over an event."""
        return self.words(told.title).union(*map(self.words, told.heading))

    def rarity(self, term: str) -> float:
        """Return BM25's inverse document frequency of a term; among few notes, what two share is no common word."""
        found = self._rarity.get(term)
        if found is None:
            found = self._rarity[term] = self.snapshot.rarity(term, FEW)
        return found
