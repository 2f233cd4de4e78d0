"""How sure an answer is: `strong`, `weak` or `none`. It labels, and never orders or deletes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from onebrain_search.types import Confidence


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the label rests on.

    `cosine` of the nearest passage with the question (None: no dense leg, or a question the model cannot read);
    `coverage` is the share of the question's words, weighed by rarity, that one of the best passages holds;
    `certain`: the query is the name of the first hit, or has filters only; `sentence`: it is prose, not terms.
    """

    cosine: float | None
    coverage: float
    hits: int
    certain: bool = False
    sentence: bool = True


@dataclass(frozen=True, slots=True)
class Marks:
    """Where labels begin on a score."""

    weak: float
    strong: float


COVERAGE_SHARE = 0.3  # of full coverage beside the cosine
ALL_WORDS = 0.99  # coverage from which every word counts as found
# One model's marks on cosine + .3 coverage, fitted on the dev collections by benchmarks/confidence.py: own questions
# against those of another collection. At .44 own questions are called `none` in 0, 2 and 0 % of cases, foreign
# ones in 84 % over 9 pairs, 96 % for cranfield against anthropic-docs.
MARKS: Mapping[str, Marks] = {"all-MiniLM-L6-v2": Marks(0.43, 0.62)}
LEXICAL = Marks(0.41, 0.7)  # on coverage alone: no dense leg, or a model that was never fitted


def label(evidence: Evidence, model: str) -> Confidence:
    """Return the label of an answer: by its score, and never `none` for words that all stand in one passage."""
    if not evidence.hits:
        return "none"
    if evidence.certain:
        return "strong"
    value, marks = score(evidence, model)
    complete = evidence.coverage >= ALL_WORDS
    if value >= marks.strong or (complete and not evidence.sentence):
        return "strong"
    return "weak" if value >= marks.weak or complete else "none"


def score(evidence: Evidence, model: str) -> tuple[float, Marks]:
    """Return the score of the evidence, and the marks it is held against."""
    marks = MARKS.get(model.rpartition("/")[2])
    if evidence.cosine is None or marks is None:
        return evidence.coverage, LEXICAL
    return evidence.cosine + COVERAGE_SHARE * evidence.coverage, marks
