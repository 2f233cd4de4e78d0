"""The layers of a BERT, written as an ONNX file: in float32 and in 8 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.embed import minilm
from indexer.embed.bert_graph import written
from indexer.embed.carrier import located
from indexer.embed.numpy_bert import mapped, numpy_forward
from indexer.embed.onnx import bert_forward
from indexer.embed.windows import unit

if TYPE_CHECKING:
    from indexer.embed import Vectors

ROWS = [[101, 2054, 2003, 1996, 2364, 102], [101, 102], [101, *range(3000, 3250), 102], [101, 7592, 102] * 4]


@pytest.fixture(scope="module")
def exact() -> Vectors:
    """The vectors of ROWS by numpy."""
    return unit(numpy_forward(located(minilm.WEIGHTS))(ROWS))


def test_in_float32_it_is_the_same_model(exact: Vectors) -> None:
    """Rows of any lengths together, padding without effect: the same as numpy to the sixth digit."""
    found = unit(bert_forward(located(minilm.WEIGHTS), quick=False)(ROWS))
    assert np.abs(found - exact).max() < 2e-6


def test_in_8_bits_it_points_the_same_way(exact: Vectors) -> None:
    """A cosine of .98 and more, also of the shortest text and of one that fills the window."""
    found = unit(bert_forward(located(minilm.WEIGHTS), quick=True)(ROWS))
    assert (found * exact).sum(axis=1).min() > 0.98


def test_in_8_bits_a_text_is_read_as_it_would_be_alone() -> None:
    """What is read together with it changes no digit of its vector."""
    forward = bert_forward(located(minilm.WEIGHTS), quick=True)
    assert np.array_equal(forward(ROWS), np.concatenate([forward([row]) for row in ROWS]))


def test_8_bits_are_a_quarter_of_float32() -> None:
    """11 instead of 42 MB of the English model, without the table of its words."""
    tensors = mapped(located(minilm.WEIGHTS))
    short, long = (len(written(tensors, quick=quick)) for quick in (True, False))
    assert 0.25 < short / long < 0.27 and 10e6 < short < 12e6
