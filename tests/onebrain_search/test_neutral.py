"""Vectors of many languages: the direction that only tells the language is found, and taken out of a question."""

from __future__ import annotations

import numpy as np

from onebrain_search.dense import OTHERS, Dense, of
from onebrain_search.neutral import directions


def rows(count: int, seed: int = 1, **shift: float) -> np.ndarray:
    """Unit vectors without order, some of them moved along a direction."""
    found = np.random.default_rng(seed).normal(size=(count, 64)).astype(np.float32)
    found[: count // 2, 5] += shift.get("half", 0.0)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_one_language_has_no_direction() -> None:
    """Nor have too few passages, or none."""
    assert directions(rows(400)).shape == (0, 64)
    assert directions(rows(50, half=6.0)).shape == (0, 64)
    assert directions(rows(0)).shape == (0, 64)
    assert directions(np.ones((200, 64), np.float32)).shape == (0, 64)


def test_two_languages_differ_in_one_direction() -> None:
    """It is the one they differ in."""
    (found,) = directions(rows(400, half=6.0))
    assert abs(found[5]) > 0.95


def test_words_count_less_the_fewer_of_them_the_notes_have() -> None:
    """With the multilingual model; with the English one always in full."""
    many = of("multilingual")
    assert many.trust(9.0, 10.0, 0.0) == 1.0
    assert many.trust(9.0, 10.0, 20.0) < many.trust(9.0, 10.0, 8.0) < 1.0
    assert many.trust(1.0, 10.0, 0.0) < 0.5
    assert of("english").trust(0.1, 1.0, 99.0) == 1.0


def test_a_passage_that_stands_out_is_nearer() -> None:
    """Where the model's cosine alone tells little."""
    near = [(n, 0.8) for n in range(OTHERS)]
    model = Dense(apart=7.0)
    assert model.nearest([(99, 0.85), *near]) > model.nearest([(99, 0.85)] * OTHERS) > 0.84
    assert model.nearest([]) == 0.0 and Dense().nearest(near) == 0.8
