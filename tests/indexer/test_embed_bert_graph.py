"""The layers of a BERT, written as an ONNX file: in float32 and in 8 bits."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.embed import minilm, onnx
from indexer.embed.bert_graph import LARGEST, LARGEST_IN_PAIRS, one_product, written
from indexer.embed.carrier import located
from indexer.embed.numpy_bert import mapped, numpy_forward
from indexer.embed.onnx import bert_forward
from indexer.embed.windows import unit
from indexer.errors import EmbedError

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


@pytest.mark.parametrize(("largest", "least"), [(LARGEST, 0.995), (LARGEST_IN_PAIRS, 0.99)])
def test_in_8_bits_it_points_the_same_way(
    exact: Vectors, monkeypatch: pytest.MonkeyPatch, largest: int, least: float
) -> None:
    """Also the shortest text and one that fills the window, and with weights for processors that add in pairs."""
    monkeypatch.setattr(onnx, "_largest", lambda: largest)
    found = unit(bert_forward.__wrapped__(located(minilm.WEIGHTS), quick=True)(ROWS))
    same = (found * exact).sum(axis=1)
    assert least < same.min() < same.max() < 0.9999


def test_sums_of_pairs_that_overflow_are_seen() -> None:
    """The product that tells is right here or half of it, and what comes of it is used."""
    file, states, right = one_product()
    found = onnx._session(file).run(None, {"states": states, "lengths": np.zeros(1, np.int32)})[0]
    assert np.abs(found - right).max() < 0.01 or found.max() < 0.6 * right
    assert onnx._largest() == (LARGEST if found.max() > 0.6 * right else LARGEST_IN_PAIRS)


def test_in_8_bits_a_text_is_read_as_it_would_be_alone() -> None:
    """What is read together with it changes no digit of its vector."""
    forward = bert_forward(located(minilm.WEIGHTS), quick=True)
    assert np.array_equal(forward(ROWS), np.concatenate([forward([row]) for row in ROWS]))


def test_a_library_that_cannot_be_imported_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As an error of ours that names the library, not the model: to install that anew would not help."""
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EmbedError, match=r"onnxruntime cannot be imported.*pip install .*onnxruntime"):
        bert_forward.__wrapped__(located(minilm.WEIGHTS), quick=False)


def test_a_file_in_memory_is_not_kept() -> None:
    """It is as large as the weights, and onnxruntime has its own copy by then."""
    file = one_product()[0]
    before = sys.getrefcount(file)
    session = onnx._session(file)
    assert session.get_inputs() and sys.getrefcount(file) == before


def test_8_bits_are_a_quarter_of_float32() -> None:
    """11 instead of 42 MB of the English model, without the table of its words."""
    tensors = mapped(located(minilm.WEIGHTS))
    short, long = (len(written(tensors, largest)) for largest in (LARGEST, 0))
    assert 0.25 < short / long < 0.27 and 10e6 < short < 12e6
