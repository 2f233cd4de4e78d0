"""Hits of two legs -> one list: a convex combination of normalised scores, then dense feedback on the candidates.

Measured as mean nDCG@10 over five collections: reciprocal rank fusion (60) .569, convex .5 .582, with feedback .587.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from onebrain_search.types import Hit

if TYPE_CHECKING:
    from indexer.vectors import Floats, VectorIndex

DENSE_SHARE = 0.5  # of the dense leg in the sum, when the model reads the question perfectly
FEEDBACK_FROM = 3  # hits whose vectors are mixed into the question's
FEEDBACK = 0.6  # weight of their mean beside the question


def convex(
    lexical: Sequence[Hit],
    dense: Mapping[int, float],
    others: Sequence[Hit],
    share: float,
    shown: Mapping[int, float] | None = None,
) -> list[Hit]:
    """Return the union of both legs, best first.

    `lexical` are BM25 hits, `dense` cosines of all candidates by chunk id, `others` the hits of the dense leg;
    `share` (0..1) is the weight of the dense leg; `shown` are the cosines that are reported, if not `dense`.
    Scores are in 0..1.
    """
    bm25 = {hit.chunk.id: hit.score for hit in lexical}
    low, high = _range(dense.values())
    top = max(bm25.values(), default=0.0)
    fused = []
    for hit in {hit.chunk.id: hit for hit in [*lexical, *others]}.values():
        number = hit.chunk.id
        words = bm25.get(number, 0.0) / top if top else 0.0
        meaning = (dense.get(number, low) - low) / (high - low) if high > low else 0.0
        parts = {"lexical": bm25.get(number, 0.0), "vector": (shown or dense).get(number, 0.0)}
        fused.append(replace(hit, score=(1 - share) * words + share * meaning, parts=parts))
    return sorted(fused, key=_order)


def feedback(question: Floats, best: Sequence[Hit], vectors: VectorIndex) -> Floats:
    """Return the question's vector moved towards the mean of the best hits' (Rocchio's positive term), unit norm."""
    import numpy

    rows = vectors.vectors([hit.chunk.id for hit in best[:FEEDBACK_FROM]])
    if not len(rows):
        return question
    moved = question + FEEDBACK * rows.mean(axis=0)
    return (moved / numpy.linalg.norm(moved)).astype(numpy.float32)  # type: ignore[no-any-return]


def _range(values: object) -> tuple[float, float]:
    """Return the smallest and largest value, zeros for none."""
    found = list(values)  # type: ignore[call-overload]
    return (min(found), max(found)) if found else (0.0, 0.0)


def _order(hit: Hit) -> tuple[float, str, str, int]:
    """Sort by score; equal scores by place, so that the order never depends on ids or time."""
    return (-hit.score, hit.chunk.root, hit.chunk.path, hit.chunk.start_line)
