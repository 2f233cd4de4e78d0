"""What the cosines of a model mean: their weight beside words, and where they begin and end to say something.

A model's cosines lie in a band of their own. Marks and weights are written for those of the English model; the
cosines of another one are brought to its scale first. Their order never changes by that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from indexer.embed import ENGLISH, MULTILINGUAL, packaged_as


@dataclass(frozen=True, slots=True)
class Dense:
    """`share` of the dense leg in the sum of both; cosines that stand for the English model's 0 and 1; and a cost."""

    share: float = 0.5
    zero: float = 0.0
    one: float = 1.0
    letters: int = 500  # of sentences compared with a question, which costs 4 ms for each one of English

    def meaning(self, cosine: float) -> float:
        """Return a cosine on the English model's scale."""
        return (cosine - self.zero) / (self.one - self.zero)


MODELS: Mapping[str, Dense] = {ENGLISH: Dense(), MULTILINGUAL: Dense(share=0.6, zero=0.0, one=1.0, letters=250)}


def named(model: str) -> str:
    """Return the name that figures on a model are kept by: the setting's for packaged ones, a server's without it."""
    name = model.rpartition("#")[2]
    return packaged_as(name) or name


def of(model: str) -> Dense:
    """Return what is known of a model, by the name that the index keeps; one that was not measured is as English."""
    return MODELS.get(named(model), Dense())
