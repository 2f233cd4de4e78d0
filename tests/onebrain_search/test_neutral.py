"""Vectors of many languages: the direction that only tells the language is found, and taken out of a question."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from indexer.types import Chunk
from onebrain_search import rank
from onebrain_search.dense import of
from onebrain_search.fuse import Belief, Scored, convex
from onebrain_search.neutral import Languages, directions, foreign, neutral, outstanding
from onebrain_search.query import parse
from onebrain_search.types import Hit


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


class Vectors:
    """Vectors of an index, by ids from 0."""

    def __init__(self, found: np.ndarray) -> None:
        self.found, self.ids = found, np.arange(len(found))

    def __len__(self) -> int:
        """How many there are."""
        return len(self.ids)

    def rows_of(self, ids: list[int]) -> tuple[list[int], np.ndarray]:
        """Return the ids that have a vector, and the vectors."""
        return ids, self.found[ids]


def snapshot(found: np.ndarray, model: str) -> Any:
    """What `neutral` reads of a generation."""
    return SimpleNamespace(model=model, memory={}, vectors=lambda: Vectors(found))


def test_a_passage_near_the_middle_of_all_is_no_nearer_for_that() -> None:
    """With the multilingual model, what all vectors have in common counts for less; the English one is left alone."""
    found = rows(400)
    found[:, 7] += 2.0
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    found[0] = found.mean(axis=0) / np.linalg.norm(found.mean(axis=0))
    question = found[1] * 0.5 + found[2] * 0.5
    moved = neutral(snapshot(found, "multilingual"), question)
    before, after = ((found @ each)[[1, 0]] for each in (question, moved))
    assert after[0] - after[1] > before[0] - before[1]
    assert neutral(snapshot(found, "english"), question) is question


def test_an_index_without_vectors_changes_no_question() -> None:
    """There is nothing in common."""
    question = np.ones(64, np.float32)
    assert (neutral(snapshot(rows(0), "multilingual"), question) == question).all()


def test_passages_of_another_language_than_the_question_are_told() -> None:
    """By the direction in which the vectors of a vault of two languages lie apart; in one of one there are none."""
    found = rows(400, half=20.0)
    vault = snapshot(found, "multilingual")
    first, other = np.array(foreign(vault, found[1], found)), np.array(foreign(vault, found[399], found))
    assert first[:200].mean() < 0.1 and first[200:].mean() > 0.7
    assert other[:200].mean() > 0.7 and other[200:].mean() < 0.1
    assert min(first) == 0.0 and max(first) == 1.0
    assert foreign(snapshot(rows(400), "multilingual"), found[1], found) == []
    assert foreign(snapshot(found, "english"), found[1], found) == []
    assert foreign(snapshot(rows(0), "multilingual"), found[1], found[:0]) == []


def test_meaning_stands_for_the_words_that_a_note_in_another_language_cannot_have() -> None:
    """Number 2 is nearest; number 1 holds some words that many notes hold, and is not what is meant."""
    words, near = {1: 4.0, 3: 2.0}, {1: 0.4, 2: 1.0, 3: 0.3, 4: 0.0}

    def order(bm25: dict[int, float], belief: Belief) -> list[Scored]:
        """Return all of both legs."""
        return convex(bm25, near, 0.5, {2: 0.9}, 9, belief)

    assert [each.number for each in order(words, Belief())][:2] == [1, 2]
    abroad = order(words, Belief(foreign={2: 1.0, 4: 1.0}))
    assert [each.number for each in abroad][:2] == [2, 1]
    assert abroad[0].parts == {"lexical": 0.0, "vector": 0.9}
    shared = {2: 4.0, 1: 1.0}
    abroad = order(shared, Belief(foreign={2: 1.0}))
    assert abroad[0].score >= order(shared, Belief())[0].score, "words that both share still count"


def test_words_count_less_the_fewer_of_them_the_notes_have() -> None:
    """With the multilingual model also where the best score by words is low."""
    many = of("multilingual")
    assert many.trust(9.0, 10.0, 0.0) == 1.0
    assert many.trust(9.0, 10.0, 20.0) < many.trust(9.0, 10.0, 8.0) < 1.0
    assert many.trust(1.0, 10.0, 0.0) < 0.5
    english = of("english")
    assert english.trust(0.1, 10.0, 0.0) == 1.0, "its questions have the words of their notes"
    assert english.trust(0.1, 1.0, 2.0) < 0.5


def test_the_nearest_passage_is_as_near_as_it_stands_out() -> None:
    """The same cosine is more where all others are further away; with the English model it is what it is."""
    spread = np.random.default_rng(2).normal(size=(400, 64)).astype(np.float32)
    question = np.zeros(64, np.float32)
    question[3] = 1.0
    for middle in (0.1, 0.3):
        spread[:, 3] = np.random.default_rng(3).normal(middle, 0.05, 400)
        vault = snapshot(spread, "multilingual")
        vault.memory["languages"] = Languages(spread, spread.mean(axis=0), directions(rows(0)), np.zeros(0))
        found = outstanding(vault, question, 0.6)
        assert abs(found - (0.6 - middle) / 0.05 / of("multilingual").apart) < 0.4
    assert outstanding(snapshot(spread, "english"), question, 0.6) == 0.6


def test_two_passages_are_taken_for_part_of_a_vault_like_others() -> None:
    """What is as near as answers are stands out among two; what is as far as foreign passages does not."""
    one, other = rows(2)
    question = one * 0.5
    two = snapshot(np.array([one, other]), "multilingual")
    near, far = (outstanding(two, question, value) for value in (0.88, 0.6))
    assert near > 0.6 > far


def test_an_empty_index_has_nothing_near() -> None:
    """And no spread to divide by but the usual one."""
    assert np.isfinite(outstanding(snapshot(rows(0), "multilingual"), np.ones(64, np.float32), 0.0))


def test_a_note_of_which_two_passages_fit_comes_before_one_with_a_single_line() -> None:
    """What was found for other reasons than the question, with no score, is left as it is."""
    places = [("line.md", 0.82), ("whole.md", 0.8), ("whole.md", 0.78), ("line.md", 0.3), ("line.md", 0.0)]
    hits = [
        Hit(Chunk(n, "", path, "", (), "text", n, n, "note"), score)
        for n, (path, score) in enumerate(places, start=1)
    ]
    found = rank.together(parse("anything"), hits)
    assert max(found, key=lambda hit: hit.score).chunk.path == "whole.md"
    assert found[-1] == hits[-1]
