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
    idle: bool = False


@dataclass(frozen=True, slots=True)
class Marks:
    """Where labels begin: `weak` on the score of passages, `strong` on that with the support of a sentence.

    With each tenfold of passages the best one of a foreign question comes `tenfold` nearer, by chance; that changes
    the weak mark by `least` to `most`.
    """

    weak: float
    strong: float
    tenfold: float = 0.0
    least: float = -0.015
    most: float = 0.085


COVERAGE_SHARE = 0.3  # of full coverage beside the cosine
GUESSED = 0.5  # of a word's weight for one that only resembles what was typed
MOSTLY = 0.5  # share of guessed words from which no answer is strong
SUPPORT_SHARE = 0.5  # of a sentence's score beside both
ALL_WORDS = 0.99  # coverage from which every word counts as found
# Passages that words are counted among at least. In two or five of them, words of the question that stand in none
# weigh twice as much as those that are found, and 12 to 43 % of own questions were `none` by words (xquad in Thai,
# English, Spanish and Hindi); among 30 it is 0 to 9 %, and 94 % of foreign ones still are (but Thai ones 20 %).
FEW = 30
USUAL = 500  # passages for which a weak mark is written down
# Marks of models whose cosines tell own questions from foreign ones, by name. Set on cranfield, cacm, anthropic-docs
# and xquad-en, each asked its own questions, those of the others and of locomo-dev (benchmarks/confidence.py): own
# ones are called `none` in 0-3 % of cases, foreign ones in 92 % over 16 pairs; under 2 % of these are `strong`.
# Where the right documents are taken away, `strong` falls from 92 to 23 % (xquad-en), 95 to 57 % (anthropic-docs) and
# 62 to 10 % (the notes of vault_fixtures/onebrain), but only from 87 to 75 % in cranfield, whose papers are alike.
# Of the multilingual model, on xquad in six languages: of 2,074 own questions 2 % are `none`, of 1,602 of six other
# collections 89 %, of 1,003 in the same language on other articles 80 %; of 3,853 in another language than the notes
# 33 %, but 96 % of those on other articles. In vaults from two passages on, own ones have .58 to .65 at the 3rd of a
# hundred, foreign ones .35 to .68 at the 97th. Where the right documents are taken away, `strong` falls from 96 to
# 33 % in Thai, 83 to 12 % in Spanish; no foreign one is `strong`.
# The mean nearest cosine of foreign questions grows by .05 to .07 from 500 to 5,000 passages.
MARKS: Mapping[str, Marks] = {ENGLISH: Marks(0.435, 1.02, 0.05), MULTILINGUAL: Marks(0.68, 1.2, 0.1, -0.15, 0.2)}
LEXICAL = Marks(0.41, 0.85)  # on coverage alone: no dense leg, or a model that was never measured


def label(evidence: Evidence, model: str) -> Confidence:
    """Return the label of an answer: by its score, and never `none` for words that all stand in one passage."""
    if not evidence.hits or evidence.idle:
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
    return marks.weak + min(marks.most, max(marks.least, marks.tenfold * log10(max(1, passages) / USUAL)))
