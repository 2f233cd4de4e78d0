"""The second look at the first hits: it moves notes, and neither deletes a hit nor touches code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from indexer.embed import open_cross_encoder
from indexer.types import Chunk
from onebrain_search import Brain
from onebrain_search.config import Reranker
from onebrain_search.query import parse
from onebrain_search.rerank import TOP, rerank
from onebrain_search.types import Hit


@dataclass(frozen=True)
class Longest:
    """A cross-encoder that likes long passages."""

    model: str = "longest"

    def score(self, query: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """Return the length of each passage."""
        return np.array([len(passage) for passage in passages], np.float32)


def hits(lengths: Sequence[int], code: Sequence[int] = ()) -> list[Hit]:
    """Return hits on passages of some lengths, best first; those at the places `code` are code."""
    return [
        Hit(Chunk(n, "", f"{n}.md", "", (), "x" * length, 1, 1, "code" if n in code else "note"), 1.0 - n / 100)
        for n, length in enumerate(lengths)
    ]


def order(found: Sequence[Hit]) -> list[int]:
    """Return the places that the hits had before."""
    return [hit.chunk.id for hit in found]


def test_what_the_model_likes_rises_within_limits() -> None:
    """The last of four nearly equal hits becomes the first; one that is far below does not."""
    close = [
        replace(hit, score=score) for hit, score in zip(hits([5, 5, 5, 9]), (1.0, 0.99, 0.98, 0.97), strict=True)
    ]
    far = [*close, *(replace(hit, score=0.0) for hit in hits([5] * 20)[4:])]
    assert order(rerank(Longest())(parse("rope"), far))[0] == 3
    last = [*(replace(hit, score=1.0) for hit in hits([5] * 4)), replace(hits([1, 1, 1, 1, 99])[4], score=0.0)]
    assert order(rerank(Longest())(parse("rope"), last))[0] == 0


def test_equal_opinions_change_nothing() -> None:
    """Scores still fall from place to place."""
    found = rerank(Longest())(parse("rope"), hits([5] * 8))
    assert order(found) == list(range(8))
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_no_hit_is_lost_and_those_below_stay() -> None:
    """Whatever the model says of the first twenty."""
    found = rerank(Longest())(parse("rope"), hits(range(1, 41)))
    assert sorted(order(found)) == list(range(40))
    assert order(found)[TOP:] == list(range(TOP, 40))


def test_f30_code_keeps_its_place() -> None:
    """Such models know prose."""
    found = rerank(Longest())(parse("rope"), hits([5, 99, 5, 5, 9], code=[1]))
    assert order(found)[1] == 1
    assert "rerank" not in found[1].parts


def test_a_listing_is_not_looked_at() -> None:
    """There is no question to read."""
    given = hits([5, 9])
    assert rerank(Longest())(parse("tag:x"), given) == given


def test_a_real_model_orders_the_hits_of_a_brain(vault: Callable[..., Path], tmp_path: Path) -> None:
    """A tiny classifier built here, by the settings; the same notes are found with and without it."""
    folder = _tiny_classifier(tmp_path / "model")
    brain = _brain(vault, tmp_path)
    plain = {hit.chunk.path for hit in brain.search("splice rope")}
    brain.config = replace(brain.config, reranker=Reranker(enabled=True, model=str(folder)))
    again = brain.search("splice rope")
    assert {hit.chunk.path for hit in again} == plain
    assert all("rerank" in hit.parts for hit in again)


def test_without_its_model_the_answer_stands_and_says_so(vault: Callable[..., Path], tmp_path: Path) -> None:
    """A missing model costs a note, not the answer."""
    brain = _brain(vault, tmp_path)
    brain.config = replace(brain.config, reranker=Reranker(enabled=True, model=str(tmp_path / "none")))
    answer = brain.ask("splice rope")
    assert answer.sources
    assert any("reranker" in note for note in answer.notes)


def _brain(vault: Callable[..., Path], tmp_path: Path) -> Brain:
    """Return a Brain over three notes."""
    notes = {"a.md": "splice a rope\n", "b.md": "coil a rope\n", "c.md": "a wire rope cannot be spliced by hand\n"}
    brain = Brain.open(vault(notes), environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")})
    brain.index(vectors=False)
    return brain


def _tiny_classifier(folder: Path) -> Path:
    """Save a random BERT of one layer with one label."""
    transformers = pytest.importorskip("transformers", reason="comes with sentence-transformers")
    from tokenizers import BertWordPieceTokenizer

    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    pieces = {piece: n for n, piece in enumerate([*special.values(), *letters, *(f"##{x}" for x in letters)])}
    tokenizer = BertWordPieceTokenizer(pieces)._tokenizer
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **special).save_pretrained(
        folder
    )
    config = transformers.BertConfig(
        vocab_size=len(pieces), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=64, num_labels=1,
    )  # fmt: skip
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    assert open_cross_encoder(str(folder), offline=True).score("a", ["b", "c"]).shape == (2,)
    return folder
