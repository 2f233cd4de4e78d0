"""A question's vector without what only tells its language or is common to all notes; how far the best stands out.

A model of many languages puts passages of one language near each other, whatever they say: in a vault of two, any
passage in the language of the question is nearer than the right one in the other. That shows as one direction in
which the vectors of the vault differ far more than in any other; a vault of one language has none. Without it,
questions in Thai find their note in Chinese with nDCG@10 .61 instead of .31, the other way .84 instead of .09, and
questions within a language lose .005 and .04 (two halves of xquad, by meaning alone), which the words make up for.

The vectors of such a model lie close around their mean, and a passage near the mean is near to any question. So a
part of the mean is taken out, too (`Dense.middle`).

The cosine of the nearest passage tells little: .88 in the language of the question, .81 in another one, .79 for a
question that has no answer. How far it stands out from all passages tells more: 5.5, 4.4 and 3.2 standard deviations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.snapshot import Snapshot
from onebrain_search import dense

if TYPE_CHECKING:
    from indexer.vectors import Floats

SAMPLE = 1000  # vectors looked at
LEAST = 100  # below which directions are chance
FROM = 0.075  # share of the variance: the first direction has .12 with two languages, .04 to .05 with one
MOST = 3  # directions: four languages
# Of the distance between the outermost vectors along such a direction: passages in the language of a question lie
# within a tenth of it, those in another one more than seven tenths away (Thai, Chinese, English, Spanish).
APART = (0.35, 0.65)
# Cosines of a question with passages of its language that do not answer it, over xquad; counted as so many passages.
MEAN, SPREAD, FEW = 0.766, 0.021, 20
STEPS = 30  # of the power iteration, less than 1 ms


@dataclass(frozen=True, slots=True)
class Languages:
    """What a sample of the vectors of a vault shows.

    Their mean, the unit directions (n, dimension) in which languages differ, and how far apart the outermost vectors
    lie along each.
    """

    sample: Floats
    mean: Floats
    ways: Floats
    spans: Floats


def neutral(snapshot: Snapshot, question: Floats) -> Floats:
    """Return a question's vector without the directions of languages and a part of the mean of all vectors.

    The very same for a model of one language. Cosines with it put passages in order; they are no longer cosines.
    """
    known = dense.of(snapshot.model)
    if not known.mixed:
        return question
    found = _languages(snapshot)
    question = question - known.middle * found.mean
    return question - found.ways.T @ (found.ways @ question) if len(found.ways) else question


def outstanding(snapshot: Snapshot, turned: Floats, nearest: float) -> float:
    """Return how near the nearest passage is on the English model's scale of cosines.

    `turned` is the question as `neutral` gives it, `nearest` the best score with it. With a model of many languages
    it is how far that stands out from all passages; few passages are taken for part of a vault like others.
    """
    known = dense.of(snapshot.model)
    if not known.mixed:
        return nearest
    found = _languages(snapshot)
    scores, usual = found.sample @ turned, MEAN - known.middle * float(found.mean @ found.mean)
    count = len(scores) + FEW
    mean = (float(scores.sum()) + FEW * usual) / count
    spread = (float(scores.std()) * len(scores) if len(scores) else 0.0) + FEW * SPREAD
    return (nearest - mean) / (spread / count) / known.apart


def foreign(snapshot: Snapshot, question: Floats, rows: Floats) -> list[float]:
    """Return how surely (0..1) each vector (n, dimension) is of another language than the question.

    Empty for a vault of one language, and for a model that reads one.
    """
    if not dense.of(snapshot.model).mixed:
        return []
    found = _languages(snapshot)
    if not len(found.ways) or not len(rows):
        return []
    away = abs((rows - question) @ found.ways.T) / found.spans
    near, far = APART
    return ((away.max(axis=1) - near) / (far - near)).clip(0.0, 1.0).tolist()  # type: ignore[no-any-return]


def _languages(snapshot: Snapshot) -> Languages:
    """Return what a sample of a generation's vectors shows, worked out once."""
    if "languages" not in snapshot.memory:
        vectors = snapshot.vectors()
        ids = vectors.ids[:: max(1, len(vectors) // SAMPLE)][:SAMPLE].tolist()
        rows = vectors.rows_of(ids)[1]
        ways = directions(rows)
        along = rows @ ways.T
        mean = rows.mean(axis=0) if len(rows) else rows.sum(axis=0)
        snapshot.memory["languages"] = Languages(
            rows, mean, ways, along.max(axis=0) - along.min(axis=0) if len(ways) else mean
        )
    found: Languages = snapshot.memory["languages"]
    return found


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
