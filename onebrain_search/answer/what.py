"""Ranked hits -> a direct answer: one to three sentences, word for word from the sources, each with its [n]."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from indexer import tokens
from indexer.types import Chunk
from onebrain_search import dense
from onebrain_search.answer.units import LONGEST, Unit, units
from onebrain_search.query import stop_words
from onebrain_search.types import Hit, Query

if TYPE_CHECKING:
    from indexer.embed import Embedder
    from indexer.vectors import Floats

SOURCES = 5  # hits that sentences are taken from
SENTENCES = 3  # of an answer at most
SHARE = 0.8  # of the best sentence's score that a further one must reach
NEW = 0.5  # share of its words that a further sentence must add

# Set on 59 questions of the fixture vaults and 397 of xquad-en (a passage of five sentences each): share of answers
# that hold the right words, fixtures and xquad. Words of the sentence alone .93/.89, with meaning .95/.92, with the
# headings read too .98/.94.
MOST, FEWEST = 6, 3  # sentences compared by meaning
ABOVE, OF_TEXT = 60, 160  # code points of the headings and of a sentence that are compared: all of them gain nothing
CONTEXT = 0.65  # of a query word that stands in the unit's context: .5 the same, .8 longer answers
HEADINGS = 0.5  # of one that stands in title and headings
HALF = 0.5  # of a pair of ideographs that both stand in the unit, but apart
NUMBER = 0.1  # for a number where one is asked for: one more answer of each set comes first
PASSAGE = 0.15  # for the cosine of the passage with the question; .1 loses an answer in other words, .3 reads longer
LIKELY = 1.0  # for the same when candidates are chosen: at .5 one answer of the fixtures is missed
LATER = 0.15  # a score is divided by 1 + this for each source before its own
CODE = 0.8  # for a line of code: where prose says the same, prose is read
POINTER = 0.7  # for a row or bullet that leads to a note instead of saying what is in it
RIVAL = 0.6  # share of the best score, and of equal words, from which another number is a contradiction

_MEASURED = re.compile(
    r"\b(?:how (?:many|much|long|often|old|far|fast|big|large|wide|high|deep|heavy|late|early)|when|until|since"
    r"|(?:what|which|at what) (?:year|date|day|time|hour|age|size|number|share|percentage|price|rate|version)"
    r"|price|cost|budget|interest|deadline|duration|limit|weight|length|temperature|pressure)\b",
    re.I,
)
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_TARGET = re.compile(r"\]\([^)]*\)|\[\[[^\]]*\]\]|https?://\S+")
_POINTER = re.compile(r"\W*(?:\[\[[^\]]*\]\]|\[[^\]]*\]\([^)]*\))\s*(?:[|—–:-]|$)")
_IDEOGRAPH = "[\u3400-\u9fff\uf900-\ufaff]"
_CLOSED = re.compile(r"[.!?…。！？।؟۔።፧។။։:;][\"”’»)\]*_`」』）]*$")

Rarity = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near texts are to a question: its unit vector, what embeds texts, and what the model's cosines mean."""

    question: Floats
    embed: Callable[[Sequence[str]], Floats]
    scale: dense.Dense

    def of(self, texts: Sequence[str]) -> list[float]:
        """Return the nearness of each text, as a cosine of the English model would be."""
        return [self.scale.meaning(float(cosine)) for cosine in self.embed(texts) @ self.question]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A unit of a source with how well it answers; `source` counts from 0, `line` is file-true."""

    text: str
    source: int
    line: int
    score: float
    near: float  # cosine of its passage with the question
    stems: frozenset[str] = frozenset()
    read: str = ""  # what the model reads: the headings above and the unit
    worth: float = 1.0  # factor of its kind


def worded(ranked: Sequence[Sentence], query: Query, hits: Sequence[Hit]) -> str:
    """Return the answer with its [n] marks, empty when no sentence of the sources has to do with the question.

    `ranked` are the sentences of `scored`. Where two sources give different numbers for one thing, both stand there
    with their dates, the newer first.
    """
    chosen = _few(ranked)
    if not chosen:
        return ""
    rival = _rival(chosen[0], ranked, hits, query)
    if rival:
        chosen = [chosen[0], rival, *(s for s in chosen[1:] if s != rival)][:SENTENCES]
        chosen[:2] = sorted(chosen[:2], key=lambda s: hits[s.source].chunk.date or "", reverse=True)
    chosen.sort(key=lambda s: _replaced(hits[s.source]))
    dated = {rival, chosen[0], chosen[1]} if rival else set()
    marked = [_marked(sentence, hits[sentence.source], sentence in dated) for sentence in chosen]
    ends = [" " if _CLOSED.search(sentence.text) else "\n" for sentence in chosen[:-1]]
    return "".join(map("".join, zip(marked, [*ends, ""], strict=True)))


def nearness(model: Callable[[], Embedder], question: Floats | None, name: str) -> Nearness | None:
    """Return how near texts are to a question's vector by the model called `name`, None where it has none."""
    return None if question is None else Nearness(question, model().embed_queries, dense.of(name))


def scored(query: Query, hits: Sequence[Hit], rarity: Rarity, nearness: Nearness | None) -> list[Sentence]:
    """Return what could answer, best first: by the query's words in a unit and around it, and by meaning.

    `rarity` weighs a term by how few chunks hold it; no `nearness` where the question has no vector.
    """
    if not query.terms:
        return []
    weights = {stem: rarity(term) for term in query.terms for stem in [tokens.stem(term)]}
    measured = bool(_MEASURED.search(query.text))
    found = []
    for source, hit in enumerate(hits[:SOURCES]):
        trail = ": ".join(dict.fromkeys([hit.chunk.title, *hit.chunk.heading, *filter(None, [hit.chunk.symbol])]))
        above = _stems(trail)
        for unit in units(hit.chunk):
            own, context = _stems(unit.text), (unit.context, _stems(unit.context), CONTEXT)
            share = _share(weights, [(unit.text, own, 1.0), context, (trail, above, HEADINGS)])
            worth = CODE if hit.chunk.kind == "code" else 1.0
            score = worth * share * _shape(unit) / (1 + LATER * source)
            score += NUMBER if measured and _numbers(unit.text) else 0.0
            near = worth * nearness.scale.meaning(hit.parts.get("vector", 0.0)) if nearness else 0.0
            read = f"{trail[:ABOVE]}: {unit.text[:OF_TEXT]}"
            found.append(Sentence(unit.text, source, unit.line, score, near, own, read, worth))
    best = sorted(found, key=lambda s: -(s.score + LIKELY * s.near))[:MOST]
    return _by_meaning(best[: _affordable(best, nearness.scale.letters)], nearness) if nearness and best else best


def _share(weights: Mapping[str, float], places: Sequence[tuple[str, frozenset[str], float]]) -> float:
    """Return the share of the query's weight that some (text, its stems, factor) hold, each word at its best."""
    total = 0.0
    for stem, weight in weights.items():
        total += weight * max(factor * _held(stem, text, stems) for text, stems, factor in places)
    return total / (sum(weights.values()) or 1.0)


def _held(stem: str, text: str, stems: frozenset[str]) -> float:
    """Return whether a text holds a stem; an ideograph beside a letter of grammar is a word of its own."""
    if stem in stems:
        return 1.0
    signs = () if stem.isascii() else re.findall(_IDEOGRAPH, stem)  # made when it is needed
    if not signs or not all(sign in text for sign in signs):
        return 0.0
    return 1.0 if len(signs) < len(stem) else HALF


def _affordable(best: Sequence[Sentence], letters: int) -> int:
    """Return how many of the likeliest candidates are compared by meaning."""
    lengths = list(accumulate(len(sentence.read) for sentence in best))
    return max(FEWEST, sum(length <= letters for length in lengths))


def _by_meaning(best: Sequence[Sentence], nearness: Nearness) -> list[Sentence]:
    """Return the candidates scored by their words and their cosine, half and half, and a little by their passage."""
    cosines = nearness.of([sentence.read for sentence in best])
    mixed = [
        replace(s, score=(s.score + s.worth * max(0.0, cosine)) / 2 + PASSAGE * s.near)
        for s, cosine in zip(best, cosines, strict=True)
    ]
    return sorted(mixed, key=lambda s: -s.score)


def _few(ranked: Sequence[Sentence]) -> list[Sentence]:
    """Return the best sentence, and others nearly as good that say something new."""
    chosen: list[Sentence] = []
    said: set[str] = set()
    for sentence in ranked:
        new = len(sentence.stems - said) / max(1, len(sentence.stems))
        fits = sentence.score >= SHARE * chosen[0].score and new > NEW if chosen else sentence.score > 0
        if fits and len(chosen) < SENTENCES:
            chosen.append(sentence)
            said |= sentence.stems
    return chosen


def _rival(best: Sentence, ranked: Sequence[Sentence], hits: Sequence[Hit], query: Query) -> Sentence | None:
    """Return the sentence of another note and day that says the same as the best one with other numbers."""
    asked = _numbers(query.text)
    numbers, here = _numbers(best.text) - asked, hits[best.source].chunk
    for other in ranked:
        there = hits[other.source].chunk
        if (there.root, there.path) == (here.root, here.path) or not _days_differ(here, there):
            continue
        found = _numbers(other.text) - asked
        differs = bool(numbers and found) and not (numbers <= found or found <= numbers)
        if differs and other.score >= RIVAL * best.score and _alike(best, other):
            return other
    return None


def _days_differ(one: Chunk, other: Chunk) -> bool:
    """Whether two notes are dated, not by their files alone, and of different days."""
    dated = all(chunk.date and chunk.date_source != "mtime" for chunk in (one, other))
    return dated and one.date != other.date


def _alike(one: Sentence, other: Sentence) -> bool:
    """Whether two sentences share most of their words, numbers and the commonest words apart."""
    words, others = ({w for w in s.stems if not w[0].isdigit() and w not in stop_words()} for s in (one, other))
    return len(words & others) >= max(2, RIVAL * min(len(words), len(others)))


def _replaced(hit: Hit) -> bool:
    """Whether a source says that another one replaced it."""
    return hit.parts.get("superseded", 0.0) < 0


def _marked(sentence: Sentence, hit: Hit, dated: bool) -> str:
    """Return a sentence with the number of its source, and the date and standing that tell it from another."""
    said = [hit.chunk.date or ""] if dated or _replaced(hit) else []
    said += ["superseded"] if _replaced(hit) else []
    about = ", ".join(filter(None, said))
    return f"{sentence.text} [{sentence.source + 1}]" + (f" ({about})" if about else "")


def _shape(unit: Unit) -> float:
    """Return how much a unit reads like an answer: fragments, walls of text and mere pointers count less."""
    length = len(unit.text)
    value = LONGEST / length if length > LONGEST else min(1.0, 0.55 + math.log1p(length) / 10)
    return value * POINTER if _POINTER.match(unit.text) else value


def _numbers(text: str) -> frozenset[str]:
    """Return the numbers that a text says, without those of the places it links to."""
    return frozenset(_NUMBER.findall(_TARGET.sub("", text)))


def _stems(text: str) -> frozenset[str]:
    """Return the stems of a text."""
    return frozenset(map(tokens.stem, tokens.words(text)))
