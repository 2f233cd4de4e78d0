"""Ranked hits -> a direct answer: one to three sentences, word for word from the sources, each with its [n]."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer import tokens
from onebrain_search.types import Hit, Query

if TYPE_CHECKING:
    from indexer.vectors import Floats

SOURCES = 5  # hits that sentences are taken from
CANDIDATES = 12  # sentences that are compared by meaning
SENTENCES = 3  # of an answer at most
LONGEST = 320  # code points of a sentence that still reads as an answer
SHARE = 0.8  # of the best sentence's score that a further one must reach
_MARKER = re.compile(r"^\s*(?:>\s*)*(?:[-*+]\s+|\d+[.)]\s+|#{1,6}\s+)?(?:\[[ xX]\]\s+)?")
_END = re.compile(r"(?<=[.!?…])[\"”’)\]*_]*\s+(?=[\"“‘(\[*_]*[^\W\d_a-zа-я])|(?<=[。！？])|(?<=[.!?])\s+(?=\d)")
_RULE = re.compile(r"^[\s|:*_=~`#>-]*$")

Embed = Callable[[Sequence[str]], "Floats"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, bullet or table row of a source; `source` counts from 0, `line` is file-true."""

    text: str
    source: int
    line: int
    score: float


def direct_answer(query: Query, hits: Sequence[Hit], rarity: Callable[[str], float], embed: Embed | None) -> str:
    """Return the answer with its [n] marks, empty when no sentence of the sources has to do with the question.

    `rarity` weighs a term by how few chunks hold it; `embed` gives unit vectors and compares by meaning.
    """
    chosen = choose(query, hits, rarity, embed)
    return " ".join(f"{sentence.text} [{sentence.source + 1}]" for sentence in chosen)


def choose(query: Query, hits: Sequence[Hit], rarity: Callable[[str], float], embed: Embed | None) -> list[Sentence]:
    """Return the one to three sentences that answer best, best first."""
    weights = {stem: rarity(stem) for stem in map(tokens.stem, query.terms)}
    total = sum(weights.values()) or 1.0
    found = []
    for source, hit in enumerate(hits[:SOURCES]):
        above = _stems(" ".join([hit.chunk.title, *hit.chunk.heading])) & weights.keys()
        for line, text in sentences(hit):
            own = _stems(text) & weights.keys()
            score = sum(weights[s] for s in own) + 0.5 * sum(weights[s] for s in above - own)
            rank = 1 / (1 + 0.15 * source)
            found.append(Sentence(text, source, line, rank * score / total * _shape(text)))
    best = sorted(found, key=lambda s: -s.score)[:CANDIDATES]
    if embed is not None and best:
        best = _by_meaning(query, best, embed)
    return _few(best, weights)


def sentences(hit: Hit) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of every sentence, bullet and table row of a passage, as they stand in the file."""
    fenced = False
    for offset, raw in enumerate(hit.chunk.text.split("\n")):
        if raw.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            continue
        if _RULE.match(raw) or raw.lstrip().startswith("#"):
            continue
        line = _MARKER.sub("", raw).strip()
        if line.startswith("|"):
            yield hit.chunk.start_line + offset, line.strip("| ")
        elif fenced or hit.chunk.kind == "code":
            yield hit.chunk.start_line + offset, line
        else:
            for part in _END.split(line):
                if part and part.strip():
                    yield hit.chunk.start_line + offset, part.strip()


def _by_meaning(query: Query, best: Sequence[Sentence], embed: Embed) -> list[Sentence]:
    """Return the candidates scored by their words and their cosine with the question, half and half."""
    vectors = embed([query.text, *(s.text for s in best)])
    cosines = vectors[1:] @ vectors[0]
    mixed = [
        Sentence(s.text, s.source, s.line, 0.5 * s.score + 0.5 * max(0.0, float(cosine)))
        for s, cosine in zip(best, cosines, strict=True)
    ]
    return sorted(mixed, key=lambda s: -s.score)


def _few(best: Sequence[Sentence], weights: dict[str, float]) -> list[Sentence]:
    """Return the best sentence, and others nearly as good that say something new."""
    chosen: list[Sentence] = []
    said: set[str] = set()
    for sentence in best:
        words = _stems(sentence.text)
        new = len(words - said) / max(1, len(words))
        best_yet = sentence.score > 0 if not chosen else sentence.score >= SHARE * chosen[0].score and new > 0.5
        if best_yet and len(chosen) < SENTENCES:
            chosen.append(sentence)
            said |= words
    return chosen


def _shape(text: str) -> float:
    """Return how much a text reads like an answer by its length: fragments and walls of text count less."""
    if len(text) > LONGEST:
        return LONGEST / len(text)
    return min(1.0, 0.55 + math.log1p(len(text)) / 10)


def _stems(text: str) -> set[str]:
    """Return the stems of a text."""
    return {tokens.stem(token) for _, _, token in tokens.spans(text)}
