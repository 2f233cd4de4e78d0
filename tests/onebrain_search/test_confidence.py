"""How sure an answer is: the label by evidence, and on real notes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from onebrain_search import Brain
from onebrain_search.confidence import MARKS, Evidence, label
from onebrain_search.pipeline import ONLY_GRAMMAR
from onebrain_search.types import Answer

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
FAIR = Evidence(cosine=0.5, coverage=0.3, hits=9, passages=500)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "weak"),
        ({"hits": 0, "certain": True}, "none"),
        ({"cosine": 0.2}, "none"),
        ({"cosine": 0.2, "coverage": 1.0}, "weak"),  # every word stands in one passage
        ({"cosine": 0.2, "coverage": 1.0, "sentence": False}, "strong"),
        ({"coverage": 1.0, "support": 0.5}, "strong"),
        ({"coverage": 1.0, "support": 0.5, "guessed": 0.6}, "weak"),
        ({"certain": True}, "strong"),
        ({"cosine": None}, "none"),
        ({"cosine": None, "coverage": 0.5}, "weak"),
        ({"cosine": None, "coverage": 0.7, "support": 0.5}, "strong"),
    ],
)
def test_a_label_follows_from_its_evidence(change: dict[str, object], said: str) -> None:
    """Words and meaning, and a sentence that supports them; words alone where there is no dense leg."""
    assert label(replace(FAIR, **change), MODEL) == said  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cosine", "coverage", "support", "said"),
    [
        (0.97, 0.66, 0.7, "strong"),  # a question in the language of the notes
        (0.77, 0.13, 0.3, "weak"),  # one in another language
        (0.62, 0.4, 0.43, "weak"),  # what it asks for was taken away
        (0.49, 0.0, 0.22, "none"),  # a foreign one
    ],
)
def test_the_multilingual_model_has_marks_of_its_own(
    cosine: float, coverage: float, support: float, said: str
) -> None:
    """By the middle values that were measured for each kind of question."""
    found = Evidence(cosine=cosine, coverage=coverage, hits=9, passages=500, support=support)
    assert label(found, "multilingual") == label(found, "http://localhost/v1#multilingual-e5-small") == said


def test_more_passages_need_more_evidence() -> None:
    """In a large vault some passage is near any question, by chance."""
    near = replace(FAIR, cosine=0.38)
    assert [label(replace(near, passages=n), MODEL) for n in (50, 500, 50_000)] == ["weak", "weak", "none"]
    assert all(marks.least < marks.most for marks in MARKS.values())


def test_a_model_that_was_never_measured_is_held_to_words() -> None:
    """Cosines of other models have other scales."""
    assert label(replace(FAIR, cosine=0.9), "intfloat/e5-small") == "none"


def test_labels_on_a_real_vault(onebrain_brain: Brain) -> None:
    """A question that is answered, one that is touched on, and one from elsewhere."""
    assert onebrain_brain.ask("How long are idempotency keys kept?").confidence == "strong"
    assert onebrain_brain.ask("Which Kubernetes ingress controller do we run?").confidence == "none"
    assert onebrain_brain.ask("Retry Policy").confidence == "strong"


def test_a_label_neither_orders_nor_deletes(onebrain_brain: Brain) -> None:
    """The nearest candidates are there, as `search` gives them."""
    question = "Which Kubernetes ingress controller do we run?"
    answer = onebrain_brain.ask(question, mode="what")
    assert answer.confidence == "none"
    assert [hit.chunk.id for hit in answer.sources] == [hit.chunk.id for hit in onebrain_brain.search(question)]


def test_an_empty_vault_knows_nothing(vault: Callable[..., Path], tmp_path: Path) -> None:
    """And says so."""
    brain = Brain.open(vault({}), environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")})
    brain.index(vectors=False)
    answer = brain.ask("anything?")
    assert (answer.confidence, answer.sources, answer.text) == ("none", (), "")


@pytest.mark.parametrize(
    "query",
    ["the of and", "what is the", "What is it?", "why is it", "der die und", "¿qué es?", "что это", "这是什么",
     "它是什么", "これは何ですか", "이것은 무엇입니까", "นี่คืออะไร", "क्या है"],
)  # fmt: skip
def test_words_of_grammar_alone_are_no_question(asked: Callable[[str], Answer], query: str) -> None:
    """They stand in all notes, so that they do says nothing; a note tells how to find them nonetheless."""
    answer = asked(query)
    assert answer.confidence == "none"
    assert not answer.sources or ONLY_GRAMMAR in answer.notes


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("To be or not to be", "hamlet.md"),
        ("the who", "music.md"),
        ('"what it is"', "a.md"),
        ("WHO", "music.md"),
        ("几何", "zh.md"),
    ],
)
def test_a_name_or_a_phrase_of_such_words_is_found(asked: Callable[[str], Answer], query: str, path: str) -> None:
    """A title, a heading, a quotation, an abbreviation, a word that is made of two of them."""
    answer = asked(query)
    assert answer.confidence == "strong" and answer.sources[0].chunk.path == path
    assert ONLY_GRAMMAR not in answer.notes


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Answer]:
    """Ask a vault in which words of grammar stand everywhere."""
    notes = {
        "a.md": "# Masks\n\nThe WHO says what it is, and why is it so, of the and of a.\n",
        "hamlet.md": "# To Be or Not to Be\n\nWhether it is nobler in the mind.\n",
        "music.md": "# Bands\n\n## The Who\n\nPete plays loud.\n",
        "de.md": "# Uhr\n\nDer Turm und die Glocke. ¿Qué es? Что это значит? क्या है\n",
        "zh.md": "# 几何学\n\n这是什么，它是什么。几何的证明。これは何ですか 이것은 무엇입니까 นี่คืออะไร\n",
        "d.md": "# Decisions\n\n- 2026-01-02: decided that it is Postgres, because it is the one we know.\n",
    }
    vault = tmp_path_factory.mktemp("vault")
    for path, text in notes.items():
        (vault / path).write_text(text, encoding="utf-8")
    brain = Brain.open(vault, environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path_factory.mktemp("home"))})
    brain.index(vectors=False)
    return lambda query: brain.ask(query, web=False)
