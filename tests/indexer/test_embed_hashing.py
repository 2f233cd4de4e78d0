"""The embedder without a model."""

from __future__ import annotations

import numpy
import pytest

from indexer.embed import Embedder
from indexer.embed.hashing import HashingEmbedder


def test_texts_that_share_words_are_near_and_others_are_not() -> None:
    """In any form of the words; a text is nearest to itself."""
    model: Embedder = HashingEmbedder(dimension=512)
    rows = model.embed_documents(["retry policy of the client", "retrying policies", "watering the garden at dawn"])
    question = model.embed_queries(["retry policies"])[0]
    near, same, far = rows @ question
    assert same == pytest.approx(1.0, abs=1e-6)
    assert same > near > far


def test_a_text_without_words_has_no_direction() -> None:
    """Its row is zeros; all others have length one."""
    rows = HashingEmbedder().embed_documents(["...", "word"])
    assert numpy.linalg.norm(rows, axis=1).tolist() == [0.0, pytest.approx(1.0)]


def test_progress_is_told_and_the_fingerprint_names_the_width() -> None:
    """As any embedder does."""
    told: list[int] = []
    HashingEmbedder(32).embed_documents(["a", "b"], told.append)
    assert told == [2]
    assert HashingEmbedder(32).fingerprint != HashingEmbedder(64).fingerprint
