"""A question's vector without what only tells its language, and without what all notes have in common.

A model of many languages puts passages of one language near each other, whatever they say: in a vault of two, any
passage in the language of the question is nearer than the right one in the other. That shows as one direction in
which the vectors of the vault differ far more than in any other; a vault of one language has none. Without it,
questions in Thai find their note in Chinese with nDCG@10 .61 instead of .31, the other way .84 instead of .09, and
questions within a language lose .005 and .04 (two halves of xquad, by meaning alone), which the words make up for.

The vectors of such a model lie close around their mean, and a passage near the mean is near to any question. So a
part of the mean is taken out, too (`Dense.middle`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.snapshot import Snapshot
from onebrain_search import dense

if TYPE_CHECKING:
    from indexer.vectors import Floats

SAMPLE = 1000  # vectors looked at
LEAST = 100  # below which directions are chance
FROM = 0.075  # share of the variance: the first direction has .12 with two languages, .04 to .05 with one
MOST = 3  # directions: four languages
STEPS = 30  # of the power iteration, less than 1 ms


def neutral(snapshot: Snapshot, question: Floats) -> Floats:
    """Return a question's vector without the directions of languages and a part of the mean of all vectors.

    The very same for a model of one language. Cosines with it put passages in order; they are no longer cosines.
    """
    known = dense.of(snapshot.model)
    if not known.mixed:
        return question
    if "languages" not in snapshot.memory:
        vectors = snapshot.vectors()
        ids = vectors.ids[:: max(1, len(vectors) // SAMPLE)][:SAMPLE].tolist()
        rows = vectors.rows_of(ids)[1]
        snapshot.memory["languages"] = rows.mean(axis=0) if len(rows) else 0 * question, directions(rows)
    mean, found = snapshot.memory["languages"]
    question = question - known.middle * mean
    return question - found.T @ (found @ question) if len(found) else question


def directions(rows: Floats) -> Floats:
    """Return the unit directions (n, dimension) in which vectors (m, dimension) differ far more than in others."""
    import numpy

    found: list[Floats] = []
    rest = rows - rows.mean(axis=0) if len(rows) >= LEAST else rows[:0]
    total = float((rest**2).sum())
    while total and len(found) < MOST:
        way = rest[numpy.argmax((rest**2).sum(axis=1))]
        for _ in range(STEPS):
            way = rest.T @ (rest @ way)
            way = way / (numpy.linalg.norm(way) or 1.0)
        along = rest @ way
        if float((along**2).sum()) < FROM * total:
            break
        found.append(way)
        rest = rest - numpy.outer(along, way)
    return numpy.array(found, numpy.float32).reshape(len(found), rows.shape[1])
