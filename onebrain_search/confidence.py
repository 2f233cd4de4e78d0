"""How sure an answer is: `strong`, `weak` or `none`. It labels, and never orders or deletes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log10

from indexer.embed import ENGLISH, MULTILINGUAL
from onebrain_search import dense
from onebrain_search.types import Confidence


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the label rests on.

    `cosine` of the nearest passage with the question (None: no dense leg, or a question the model cannot read);
    `coverage` is the share of the question's words, weighed by rarity, that one of the best passages holds;
    `passages` is how many there are to choose from, `hits` how many were found; `support` is the score of the best
    sentence of an answer, 0 before there is one; `certain`: the query is the name of the first hit, or has filters
    only; `sentence`: it is prose, not terms; `guessed` is the share of its words that were mistyped, by rarity.
    """

    cosine: float | None
    coverage: float
    hits: int
    passages: int = 0
    certain: bool = False
    sentence: bool = True
    support: float = 0.0
    guessed: float = 0.0


@dataclass(frozen=True, slots=True)
class Marks:
    """Where labels begin: `weak` on the score of passages, `strong` on that with the support of a sentence.

    With each tenfold of passages the best one of a foreign question comes `tenfold` nearer, by chance.
    """

    weak: float
    strong: float
    tenfold: float = 0.0


COVERAGE_SHARE = 0.3  # of full coverage beside the cosine
GUESSED = 0.5  # of a word's weight for one that only resembles what was typed
MOSTLY = 0.5  # share of guessed words from which no answer is strong
SUPPORT_SHARE = 0.5  # of a sentence's score beside both
ALL_WORDS = 0.99  # coverage from which every word counts as found
USUAL = 500  # passages for which a weak mark is written down
LEAST, MOST = -0.015, 0.085  # how much that changes with their number
# Marks of models whose cosines tell own questions from foreign ones, by name. Set on cranfield, cacm, anthropic-docs
# and xquad-en, each asked its own questions, those of the others and of locomo-dev (benchmarks/confidence.py): own
# ones are called `none` in 0-3 % of cases, foreign ones in 92 % over 16 pairs; under 2 % of these are `strong`.
# Where the right documents are taken away, `strong` falls from 92 to 23 % (xquad-en), 95 to 57 % (anthropic-docs) and
# 62 to 10 % (the notes of vault_fixtures/onebrain), but only from 87 to 75 % in cranfield, whose papers are alike.
# Of the multilingual model on xquad-th, 8 questions of each kind: own questions score 1.2 to 1.4, with their right
# documents taken away .8 to 1.4, English ones asked on Thai notes .7 to .9, and those of five other collections .3 to
# .7. Sentences add .4, .25, .15 and .1.
# The mean nearest cosine of foreign questions grows by .05 to .07 from 500 to 5,000 passages.
MARKS: Mapping[str, Marks] = {ENGLISH: Marks(0.435, 1.02, 0.05), MULTILINGUAL: Marks(0.62, 1.5, 0.05)}
LEXICAL = Marks(0.41, 0.85)  # on coverage alone: no dense leg, or a model that was never measured


def label(evidence: Evidence, model: str) -> Confidence:
    """Return the label of an answer: by its score, and never `none` for words that all stand in one passage."""
    if not evidence.hits:
        return "none"
    if evidence.certain:
        return "strong"
    value, marks = score(evidence, model)
    complete = evidence.coverage >= ALL_WORDS
    sure = value + SUPPORT_SHARE * evidence.support >= marks.strong or (complete and not evidence.sentence)
    if sure and evidence.guessed < MOSTLY:
        return "strong"
    return "weak" if value >= _weak(marks, evidence.passages) or complete else "none"


def score(evidence: Evidence, model: str) -> tuple[float, Marks]:
    """Return the score of the passages, and the marks it is held against."""
    marks = MARKS.get(dense.named(model))
    if evidence.cosine is None or marks is None:
        return evidence.coverage, LEXICAL
    return evidence.cosine + COVERAGE_SHARE * evidence.coverage, marks


def _weak(marks: Marks, passages: int) -> float:
    """Return the score from which an answer is weak rather than none, among so many passages."""
    if not marks.tenfold:
        return marks.weak
    return marks.weak + min(MOST, max(LEAST, marks.tenfold * log10(max(1, passages) / USUAL)))
