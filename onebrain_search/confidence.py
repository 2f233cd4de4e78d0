"""How sure an answer is: `strong`, `weak` or `none`. It labels, and never orders or deletes."""

from __future__ import annotations

from dataclasses import dataclass

from onebrain_search.types import Confidence


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the label rests on.

    `cosine` of the best passage with the question (None: no dense leg, or a question the model cannot read);
    `coverage` is the share of the question's words, weighed by rarity, that the best passage holds.
    """

    cosine: float | None
    coverage: float
    hits: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """Where one model's labels begin, on the mixed score of `score`."""

    weak: float
    strong: float
    cosine_floor: float
    cosine_full: float


# Fitted on the dev collections (benchmarks/confidence.py): own questions against those of a foreign collection.
CALIBRATIONS = {"all-MiniLM-L6-v2": Calibration(0.33, 0.55, 0.15, 0.65)}
LEXICAL = Calibration(0.45, 0.75, 0.0, 1.0)  # without a dense leg, or for a model that was never calibrated


def label(evidence: Evidence, model: str) -> Confidence:
    """Return the label of an answer."""
    if not evidence.hits:
        return "none"
    value, marks = score(evidence, model)
    return "strong" if value >= marks.strong else "weak" if value >= marks.weak else "none"


def score(evidence: Evidence, model: str) -> tuple[float, Calibration]:
    """Return the mixed score of the evidence (0..1) and the marks it is held against."""
    calibration = CALIBRATIONS.get(model.rpartition("/")[2])
    if evidence.cosine is None or calibration is None:
        return evidence.coverage, LEXICAL
    span = calibration.cosine_full - calibration.cosine_floor
    meaning = min(1.0, max(0.0, (evidence.cosine - calibration.cosine_floor) / span))
    return 0.7 * meaning + 0.3 * evidence.coverage, calibration
