"""Vectors as a run makes them: only what is missing, in rounds, and what happens when the model fails."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from indexer.backlog import fill
from indexer.build import build
from indexer.errors import Damaged, EmbedError
from indexer.plan import Vectors
from indexer.snapshot import Snapshot, exists

LATER = 1_700_000_500
PARTS = "".join(f"## Part {n}\n\n" + f"needle{n} and words of part {n}. " * 20 + "\n\n" for n in range(6))


def test_a_run_without_vectors_leaves_them_pending(indexed: Any) -> None:
    """Words are found at once; the next run makes what is missing."""
    indexed.write("a.md", PARTS)
    report = indexed.run(vectors=False)
    assert (report.embedded, report.pending) == (0, 6)
    assert indexed.found("needle2") == {"a.md"}
    report = indexed.run()
    assert (report.unchanged, report.embedded, report.pending) == (1, 6, 0)


@pytest.mark.parametrize(
    ("name", "read"), [("multilingual-e5-small", "Plan\ntext"), ("all-MiniLM-L6-v2", "Plan\n# Plan\n\ntext")]
)
def test_the_multilingual_model_reads_a_title_once(indexed: Any, name: str, read: str) -> None:
    """The English one reads it before a passage and in it, which is better for that one."""
    indexed.write("a.md", "# Plan\n\ntext\n")
    indexed.model.model = name
    indexed.run()
    assert indexed.model.texts == [read]


def test_another_model_makes_all_vectors_anew_and_says_so(indexed: Any) -> None:
    """Also a model of the same name and another width; the old file goes."""
    indexed.write("a.md", PARTS)
    indexed.run()
    wider = type(indexed.model)(dimension=96)
    report = indexed.run(model=wider)
    assert (report.embedded, len(wider.texts)) == (6, 6)
    assert report.notes == ("the embedding model changes: the old vectors answer until all are made anew",)
    assert len(list(indexed.state.glob("vectors-*"))) == 1
    wider.dimension, wider.texts = 32, []
    assert indexed.run(model=wider).embedded == 6


def test_f65_a_model_that_cannot_be_opened_costs_no_vector(indexed: Any) -> None:
    """Neither when it is asked for its name nor when it should embed."""
    indexed.write("a.md", PARTS)
    indexed.run()
    indexed.write("b.md", "beta", at=LATER)

    def away(*_: Any) -> Any:
        """Fail as a server does that is not there."""
        raise EmbedError("the server is away")

    with pytest.raises(EmbedError):
        build(indexed.state, replace(indexed.plan(), vectors=away))
    other = type(indexed.model)(dimension=32)
    other.embed_documents = away
    with pytest.raises(EmbedError):
        indexed.run(model=other)
    assert indexed.found("beta") == {"b.md"}
    assert indexed.near("needle2 and words of part 2", 1) == ["a.md"]
    indexed.model.texts.clear()
    assert indexed.run().embedded == len(indexed.model.texts) == 1


def test_f64_a_batch_that_fails_stops_no_other(indexed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What failed stays pending, is said, and is tried again by the next run."""
    monkeypatch.setattr("indexer.backlog.ROUND", 8)
    monkeypatch.setattr("indexer.backlog.PART", 2)
    for n in range(30):
        indexed.write(f"{n}.md", f"word{n} poison" if n == 7 else f"word{n}")
    bad = indexed.failing(lambda text: EmbedError("no such luck") if "poison" in text else None)
    report = indexed.run(model=bad)
    assert (report.embedded, report.pending) == (28, 2)
    assert report.notes == ("2 passages wait for vectors: no such luck",)
    report = indexed.run()
    assert (report.embedded, report.pending, report.notes) == (2, 0, ())


def test_a_model_that_always_fails_is_an_error_and_what_was_made_stays(
    indexed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounds before it are committed; words are found."""
    monkeypatch.setattr("indexer.backlog.ROUND", 10)
    for n in range(30):
        indexed.write(f"{n:02}.md", f"word{n}", at=LATER - n)
    bad = indexed.failing(lambda text: EmbedError("gone") if len(bad.texts) >= 10 else None)
    with pytest.raises(EmbedError, match="gone"):
        indexed.run(model=bad)
    assert indexed.look(Snapshot.counts)["pending"] == 20
    assert indexed.found("word29") == {"29.md"}
    assert indexed.run().embedded == 20


def test_newest_notes_get_their_vectors_first(indexed: Any) -> None:
    """A file that changed just now before all others."""
    for n in range(5):
        indexed.write(f"{n}.md", f"word{n}", at=LATER + n)
    indexed.write("now.md", "latest", at=time.time())
    indexed.run()
    assert [text.split("\n")[1] for text in indexed.model.texts] == [
        "latest",
        "word4",
        "word3",
        "word2",
        "word1",
        "word0",
    ]


def test_f66_rows_of_another_width_are_an_error(indexed: Any) -> None:
    """They are not written; the passages stay pending."""
    indexed.write("a.md", "alpha")
    model = type(indexed.model)(dimension=32)
    model.dimension = 64
    model.embed_documents = lambda texts, on_batch=None: type(indexed.model)(32).embed_documents(texts)
    with pytest.raises(EmbedError, match=r"shape \(1, 32\), not \(1, 64\)"):
        indexed.run(model=model)
    assert indexed.look(Snapshot.counts)["pending"] == 1


def test_f67_vectors_of_any_length_are_kept_at_length_one(indexed: Any) -> None:
    """Cosine is what is compared."""
    indexed.write("a.md", "alpha words")
    real = indexed.model.embed_documents
    indexed.model.embed_documents = lambda texts, on_batch=None: real(texts) * 37
    indexed.run()
    question = type(indexed.model)().embed_queries(["a alpha words"])[0]
    (pair,) = indexed.look(lambda s: s.vectors().search(question, 1))
    assert pair[1] == pytest.approx(1.0, abs=1e-3)


def test_a_vector_without_a_direction_is_kept_as_unreadable(indexed: Any) -> None:
    """Zeros and what is not a number are counted, and not tried again and again."""
    import numpy

    indexed.write("a.md", "alpha")
    indexed.write("b.md", "beta")
    indexed.model.embed_documents = lambda texts, on_batch=None: numpy.array(
        [[numpy.nan] * 64 if "alpha" in text else [1.0] * 64 for text in texts], dtype=numpy.float32
    )
    report = indexed.run()
    assert (report.embedded, report.pending) == (1, 0)
    assert indexed.look(Snapshot.counts)["unreadable"] == 1


def test_a_passage_that_the_model_cannot_read_is_left_out_of_the_dense_leg(indexed: Any) -> None:
    """It is not pending, not embedded, and found by words."""
    indexed.write("a.md", "alpha")
    indexed.write("z.md", "更精确的结果")
    indexed.model.readability = lambda text: float(text.isascii())
    report = indexed.run()
    assert (report.embedded, report.pending) == (1, 0)
    assert indexed.look(Snapshot.counts)["unreadable"] == 1
    assert indexed.found("精确") == {"z.md"}
    assert indexed.near("alpha", 5) == ["a.md"]


def test_progress_is_told_for_each_stage(indexed: Any) -> None:
    """From nothing to all."""
    told: list[tuple[str, int, int]] = []
    for n in range(3):
        indexed.write(f"{n}.md", f"word{n}")
    indexed.run(progress=lambda *step: told.append(step))
    assert ("scan", 0, 0) in told
    assert [step for step in told if step[0] == "lexical"] == [("lexical", n, 3) for n in range(4)]
    assert ("vectors", 0, 3) in told and told[-1] == ("vectors", 3, 3)


def test_where_there_is_no_index_no_empty_one_is_made(indexed: Any) -> None:
    """It was cleared while vectors were made: who asks would be told that there is nothing."""
    vectors = Vectors(indexed.model.fingerprint, indexed.model.dimension, lambda count: indexed.model)
    with pytest.raises(Damaged):
        fill(indexed.state, vectors)
    assert not exists(indexed.state)


@pytest.fixture
def half_changed(indexed: Any) -> Any:
    """A vault whose vectors are half of the way to another model: the run stopped after one round."""
    indexed.write("a.md", PARTS)
    indexed.run()
    indexed.other = type(indexed.model)(dimension=96)
    rounds = iter((True, False))
    vectors = Vectors(indexed.other.fingerprint, 96, lambda count: indexed.other, model="other")
    filled = fill(indexed.state, vectors, go_on=lambda: next(rounds), size=3)
    assert (filled.made, filled.waiting, filled.pending) == (3, 3, 3)
    return indexed


def test_old_vectors_answer_while_those_of_another_model_are_made(half_changed: Any) -> None:
    """A generation holds the vectors of one model, all of them, until the other one has read everything."""
    assert half_changed.look(lambda s: s.embedder) == half_changed.model.fingerprint
    assert half_changed.look(lambda s: s.counts()["vectors"]) == 6
    assert half_changed.near("needle2 and words of part 2", 1) == ["a.md"]
    report = half_changed.run(model=half_changed.other)
    assert (report.embedded, report.pending, len(half_changed.other.texts)) == (3, 0, 6)
    assert half_changed.look(lambda s: (s.embedder, len(s.vectors()))) == (half_changed.other.fingerprint, 6)
    half_changed.model = half_changed.other
    assert half_changed.near("needle2 and words of part 2", 1) == ["a.md"]
    assert len(list(half_changed.state.glob("vectors-*"))) == 1


def test_a_change_that_is_taken_back_costs_nothing(half_changed: Any) -> None:
    """The old vectors stay, and those of the other model go."""
    half_changed.model.texts.clear()
    report = half_changed.run()
    assert (report.embedded, report.notes, half_changed.model.texts) == (0, (), [])
    assert len(list(half_changed.state.glob("vectors-*"))) == 1
    assert half_changed.look(lambda s: s.catalog.count("coming")) == 0


def test_notes_that_change_meanwhile_are_read_by_the_model_that_takes_over(half_changed: Any) -> None:
    """Deleted text leaves no vector, new text has one."""
    half_changed.write("a.md", "# A\n\nnothing of before", at=LATER)
    half_changed.write("b.md", "beta", at=LATER)
    half_changed.run(vectors=False)
    half_changed.run(model=half_changed.other)
    half_changed.model = half_changed.other
    assert half_changed.near("beta", 1) == ["b.md"]
    assert half_changed.tables()["vectors"] == half_changed.look(lambda s: s.counts()["vectors"]) == 2


def test_lost_vectors_of_the_model_that_takes_over_are_made_again(half_changed: Any) -> None:
    """Those that answer are not touched by it."""
    max(half_changed.state.glob("vectors-*"), key=lambda file: file.name).unlink()
    assert half_changed.near("needle2 and words of part 2", 1) == ["a.md"]
    report = half_changed.run(model=half_changed.other)
    assert (report.embedded, report.pending) == (6, 0)
    assert half_changed.look(lambda s: s.embedder) == half_changed.other.fingerprint
