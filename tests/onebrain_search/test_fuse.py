"""What the dense leg makes of its candidates."""

from __future__ import annotations

import numpy
import pytest

from onebrain_search.fuse import Meaning


def meaning(cosines: list[float], span: float, usual: int = 9) -> Meaning:
    """Return candidates with these cosines to the question."""
    rows = numpy.array([[cosine, (1 - cosine**2) ** 0.5] for cosine in cosines], numpy.float32)
    return Meaning(numpy.array([1, 0], numpy.float32), range(len(cosines)), rows, 0.5, span, usual)


def test_what_lies_between_two_passages_does_not_depend_on_the_furthest_one() -> None:
    """A vault on many subjects has far ones for every question, and one on a single subject none."""
    for others in ([0.6], [0.0], [-0.3, 0.1]):
        near = meaning([0.7, 0.6, *others], span=0.5).near
        assert near[0] - near[1] == pytest.approx(0.2, abs=1e-5)
        assert near[0] == 1.0 and near.min() >= 0.0


def test_without_a_span_the_furthest_of_the_usual_candidates_is_zero() -> None:
    """So it is for a model whose band of cosines nobody measured, however many hits are asked for."""
    few, many = meaning([0.9, 0.85, 0.8], 0.0, 3).near, meaning([0.9, 0.85, 0.8, 0.1], 0.0, 3).near
    assert few.tolist() == pytest.approx([1.0, 0.5, 0.0], abs=1e-5)
    assert many.tolist() == pytest.approx([1.0, 0.5, 0.0, 0.0], abs=1e-5)
