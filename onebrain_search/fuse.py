"""Hits of two legs -> one list: a convex combination of normalised scores.

Measured as mean nDCG@10 over five collections: reciprocal rank fusion (60) .569, convex .5 .582.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from indexer.vectors import Floats

FEEDBACK_FROM = 3  # hits whose vectors are mixed into the question's; 2 and 5 are no better
FEEDBACK = 0.6  # weight of their mean beside the question; .4 gives .003 less of mean nDCG@10, .8 no more
# For what ranking later adds to passages that hold words of the question. In vaults of two languages out of Thai,
# Chinese, English and Spanish (halves of xquad), nDCG@10 of questions whose note is in the other one is .81 on
# average, as by meaning alone (.62 if meaning does not stand for words), of those in their own .98 (.96 by meaning).
ABROAD = 0.16


class Scored(NamedTuple):
    """A chunk by its id, its score, and the numbers that made it."""

    number: int
    score: float
    parts: Mapping[str, float]


class Belief(NamedTuple):
    """How far scores by words are believed: `trust` (0..1) in all of them.

    `foreign` is how surely (0..1) a passage is of another language than the question, by chunk id: it cannot have the
    question's words, so its meaning stands for them.
    """

    trust: float = 1.0
    foreign: Mapping[int, float] = MappingProxyType({})


FULL = Belief()


@dataclass(frozen=True)
class Meaning:
    """What the dense leg makes of the candidates: `rows` (n, dimension) are the vectors of the chunks `numbers`.

    `asked` is the question's vector, `share` (0..1) the weight beside the words. A passage whose cosine
    falls by `span` behind the nearest one's scores nothing; where that is 0, the furthest of the first `usual`
    candidates does, so that scores are the same however many hits are asked for.
    """

    asked: Floats
    numbers: Sequence[int]
    rows: Floats
    share: float
    span: float
    usual: int

    @cached_property
    def near(self) -> Floats:
        """The scores (n,) of the candidates for the question as it was asked."""
        return self.scores(self.asked)

    def cosines(self, question: Floats) -> Floats:
        """Return the cosine of each candidate with a question's vector; a product of both would start threads."""
        import numpy

        cosines: Floats = numpy.vecdot(self.rows, question)
        return cosines

    def scores(self, question: Floats) -> Floats:
        """Return how near each candidate is to a question's vector: 1 for the nearest, 0 from `span` on."""
        if not len(self.rows):
            return self.rows[:, 0]
        cosines = self.cosines(question)
        behind = cosines.max() - cosines
        near: Floats = (1 - behind / (self.span or behind[: self.usual].max() or 1)).clip(0.0)
        return near

    def moved(self, best: Sequence[int], numbers: Sequence[int]) -> list[float]:
        """Return by how much the scores of some chunks change with a question moved towards the best hits.

        That is the positive term of Rocchio's formula. Nothing changes for a chunk without a vector.
        """
        import numpy

        place = {number: at for at, number in enumerate(self.numbers)}
        towards = [place[number] for number in best if number in place]
        if not towards:
            return [0.0] * len(numbers)
        question = self.asked + FEEDBACK * self.rows[towards].mean(axis=0)
        change = self.scores(question / numpy.linalg.norm(question)) - self.near
        gains = (self.share * change).tolist()
        return [gains[place[number]] if number in place else 0.0 for number in numbers]


def alone(leg: str, found: Iterable[tuple[int, float]]) -> list[Scored]:
    """Return what one leg found as it is."""
    return [Scored(number, score, {leg: score}) for number, score in found]


def convex(
    bm25: Mapping[int, float],
    near: Mapping[int, float],
    share: float,
    cosines: Mapping[int, float],
    count: int,
    belief: Belief = FULL,
) -> list[Scored]:
    """Return the best `count` of the union of both legs, best first.

    `bm25` are scores of the lexical leg by chunk id, `near` (0..1) those of all candidates by meaning; `share` (0..1)
    is the weight of the dense leg; `cosines` are reported. Scores lie in 0..1, or a little above for passages of
    another language.
    """
    most, top = belief.trust * (1 - share), max(bm25.values(), default=0.0) or 1.0
    fused = []
    for number in {**bm25, **near}:
        words, meaning = most * bm25.get(number, 0.0) / top, near.get(number, 0.0)
        if belief.foreign and (away := belief.foreign.get(number, 0.0)):
            words = max(words, most * away * meaning) + ABROAD * away * meaning
        fused.append((-words - share * meaning, number))
    return [
        Scored(number, -score, {"lexical": bm25.get(number, 0.0), "vector": cosines.get(number, 0.0)})
        for score, number in sorted(fused)[:count]
    ]
