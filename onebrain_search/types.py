"""Value types of the question line: a query in, hits and an answer out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from indexer.types import Chunk, Condition, Event

Mode = Literal["what", "why"]
Confidence = Literal["strong", "weak", "none"]
Retrieval = Literal["hybrid", "lexical", "vector"]


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed question. `text` is as typed; `topic` is what it is about, without question words."""

    text: str
    topic: str
    terms: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: tuple[Condition, ...] = ()
    mode: Mode = "what"
    limit: int = 5
    prefixes: tuple[str, ...] = ()
    sentence: bool = False  # operators are hints, not conditions
    typing: bool = False  # it is being typed: an answer in milliseconds is worth more than the last place of a hit
    notes: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()  # terms that stand for words that are in no note, by their spelling
    hidden: tuple[Condition, ...] = ()  # what was forgotten and is not deleted yet: holds whatever else is relaxed


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk with its score, the numbers that made it, and marked spans of `chunk.text` (code points)."""

    chunk: Chunk
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    highlights: tuple[tuple[int, int], ...] = ()
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said to a question: text with [n] references, its sources, and for `why` the chain."""

    question: str
    mode: Mode
    confidence: Confidence
    text: str
    sources: tuple[Hit, ...] = ()
    chain: tuple[Event, ...] = ()
    notes: tuple[str, ...] = ()
    web: Mapping[str, Any] | None = None
    in_force: Event | None = None  # for `why`: the decision of the chain that stands now


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: which check found it, what and where, and what mends it; a `hint` is no fault of the index."""

    check: str
    what: str
    where: str
    fix: str
    hint: bool = False
