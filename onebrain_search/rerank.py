"""Ranked hits -> the first ones looked at again by a cross-encoder, which reads question and passage together.

It moves hits and never deletes one. Its scores are blended with ours by position: what both legs and the stages put
first has earned more trust than what stands below. Off unless the settings ask for it, and off for code, where
models of this size cost 11 to 16 points of recall.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from onebrain_search.types import Hit, Query

if TYPE_CHECKING:
    from indexer.embed import CrossEncoder

TOP = 20  # hits looked at again: 20 passages of 130 words take about a second without a GPU
# Up to which rank (from 1) how much our order counts beside the cross-encoder's.
TRUST = ((3, 0.75), (10, 0.6), (TOP, 0.4))


def rerank(model: CrossEncoder) -> Callable[[Query, list[Hit]], list[Hit]]:
    """Return the stage that puts the first notes of a question in a new order; all else keeps its place."""

    def stage(query: Query, hits: list[Hit]) -> list[Hit]:
        """Blend the places that we and the model give to notes; `rerank` says what the model thinks of each."""
        slots = [n for n, hit in enumerate(hits[:TOP]) if hit.chunk.kind != "code"]
        if len(slots) < 2 or not query.terms:
            return hits
        scores = [float(score) for score in model.score(query.text, [_passage(hits[slot]) for slot in slots])]
        found = list(hits)
        for slot, n in zip(slots, _blended([hits[slot].score for slot in slots], scores), strict=True):
            hit = hits[slots[n]]
            found[slot] = replace(hit, score=hits[slot].score, parts={**hit.parts, "rerank": scores[n]})
        return found

    return stage


def _blended(ours: Sequence[float], theirs: Sequence[float]) -> list[int]:
    """Return the order of hits by our scores and the model's, each from 0 to 1; equal ones keep their order."""
    pairs = zip(_scaled(ours), _scaled(theirs), strict=True)
    blended = [_trust(n) * own + (1 - _trust(n)) * other for n, (own, other) in enumerate(pairs, 1)]
    return sorted(range(len(blended)), key=lambda n: -blended[n])


def _scaled(values: Sequence[float]) -> list[float]:
    """Return values as shares of the way from the lowest to the highest; all 0 where they are equal."""
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]


def _passage(hit: Hit) -> str:
    """Return what the model reads of a hit."""
    return "\n".join([" › ".join([hit.chunk.title, *hit.chunk.heading]), hit.chunk.text])


def _trust(place: int) -> float:
    """Return how much our own order counts at a place."""
    return next(share for last, share in TRUST if place <= last)
