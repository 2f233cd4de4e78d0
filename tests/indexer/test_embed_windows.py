"""Cutting long texts into windows, and windows into batches."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indexer.embed.windows import (
    batches,
    embed_in_windows,
    encodable,
    estimated_offsets,
    unit,
    windows,
)

any_text = st.text(st.characters(), max_size=300)


def word_spans(texts: list[str]) -> list[list[tuple[int, int]]]:
    """A tokenizer that makes one token of each character but a space."""
    return [[(at, at + 1) for at, letter in enumerate(text) if letter != " "] for text in texts]


def letter_counts(texts: list[str]) -> np.ndarray:
    """A model whose vector counts the letters a, b and c."""
    return np.array([[text.count(letter) for letter in "abc"] for text in texts], np.float32)


@given(any_text, st.integers(1, 40))
def test_every_character_is_in_some_window(text: str, room: int) -> None:
    """The pieces, put together, are the text."""
    pieces, _, lengths = windows([text], word_spans, room)
    assert sorted("".join(pieces)) == sorted(encodable(text))
    assert all(length <= room for length in lengths)


def test_windows_of_a_long_text_end_between_words() -> None:
    """A cut is made at a space where one is near."""
    pieces, _, _ = windows(["alpha beta gamma delta epsilon zeta"], word_spans, 12)
    assert all(piece.strip().split(" ")[-1] in "alpha beta gamma delta epsilon zeta".split() for piece in pieces)


def test_a_short_text_stays_whole() -> None:
    """What fits is passed on as it is."""
    assert windows(["one", "two"], word_spans, 3) == (["one", "two"], [0, 1], [3, 3])


@given(st.lists(st.integers(0, 300)), st.integers(1, 2000))
def test_batches_hold_each_text_once_within_the_budget(lengths: list[int], budget: int) -> None:
    """Every number comes once; the padded size exceeds the budget only for a single text."""
    found = list(batches(lengths, budget))
    assert sorted(i for batch in found for i in batch) == list(range(len(lengths)))
    for batch in found:
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= budget


@given(st.lists(st.text("abc ", min_size=1, max_size=60), min_size=1, max_size=12), st.integers(1, 100))
def test_rows_come_in_the_order_of_the_texts(texts: list[str], budget: int) -> None:
    """Sorting by length is undone, whatever the batches."""
    together = embed_in_windows(texts, word_spans, 1000, letter_counts, budget, None)
    apart = np.vstack([embed_in_windows([text], word_spans, 1000, letter_counts, 1, None) for text in texts])
    assert np.allclose(together, apart)


def test_f40_text_past_the_window_weighs_in() -> None:
    """A letter that stands only in the last window is in the vector."""
    vector = embed_in_windows(["a" * 500 + "b"], word_spans, 10, letter_counts, 100, None)[0]
    assert vector[1] > 0


def test_f67_vectors_are_made_unit_length() -> None:
    """Whatever length the model gives, rows of length one are returned."""
    found = embed_in_windows(["aab", "c"], word_spans, 10, letter_counts, 100, None)
    assert np.allclose(np.linalg.norm(found, axis=1), 1)


def test_progress_counts_each_text_once_when_its_last_window_is_done() -> None:
    """A text of many windows is one text."""
    steps: list[int] = []
    embed_in_windows(["a" * 95, "b", "c" * 30], word_spans, 10, letter_counts, 20, steps.append)
    assert sum(steps) == 3
    assert len(steps) > 3


def test_no_texts_make_no_rows() -> None:
    """Nothing in, nothing out, and the model is not asked."""
    assert embed_in_windows([], word_spans, 10, letter_counts, 100, None).shape[0] == 0


def test_unit_leaves_a_zero_row_zero() -> None:
    """No division by zero."""
    assert unit(np.array([[0.0, 0.0], [3.0, 4.0]])).tolist() == [[0.0, 0.0], np.float32([0.6, 0.8]).tolist()]


@given(any_text)
def test_any_text_can_be_made_encodable(text: str) -> None:
    """Lone surrogates go, everything else and the length stay."""
    assert len(encodable(text)) == len(text)
    encodable(text).encode()


@given(any_text)
def test_estimated_offsets_cover_the_text(text: str) -> None:
    """The runs follow each other from the first character to the last."""
    found = estimated_offsets(text)
    assert "".join(text[start:end] for start, end in found) == text
