"""The question reader: what it asks for and what it is about, in every language of the fixtures."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onebrain_search.question import asks_current, asks_recent, detect, grammar, topic
from onebrain_search.question.phrases import Phrases, fold

HERE = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a fixture file beside this one."""
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", rows("questions_detect.jsonl"), ids=lambda row: f"{row['lang']}-{row['question']}")
def test_detector_tells_reasons_from_facts(row: dict[str, str]) -> None:
    """Each fixture question, straight or adversarial, gets its mode."""
    assert detect(row["question"]) == row["mode"]


@pytest.mark.parametrize("row", rows("questions_topic.jsonl"), ids=lambda row: row["question"])
def test_topic_keeps_the_content_words(row: dict[str, str]) -> None:
    """Question words, politeness and auxiliaries go; the rest keeps order and case."""
    assert topic(row["question"]) == row["topic"]


def test_a_question_quoted_as_a_whole_is_still_a_question() -> None:
    """Pasted with its quotation marks, it asks what it asked before."""
    assert detect('"why did we drop qmd?"') == "why"


def test_a_decomposed_question_is_read_like_a_composed_one() -> None:
    """Accents typed as separate marks change nothing."""
    assert detect("por que\u0301 dejamos Redis") == "why"


@pytest.mark.parametrize(
    "question", ["what is still in force", "ahora qué usamos", "当前的重试策略", "現在の方針", "current owner"]
)
def test_current_is_asked_for(question: str) -> None:
    """Words for now, still and in force are seen in several languages."""
    assert asks_current(question)


@pytest.mark.parametrize("question", ["retry policy", "why did we drop qmd", '"now" button colour'])
def test_current_is_not_asked_for(question: str) -> None:
    """A plain or quoting question does not ask for what holds now."""
    assert not asks_current(question)


@pytest.mark.parametrize(
    "question", ["latest decision on hosting", "what changed last week", "最近的决定", "último cambio"]
)
def test_recent_is_asked_for(question: str) -> None:
    """Words for new and last are seen in several languages."""
    assert asks_recent(question)


def test_recent_is_not_asked_for() -> None:
    """`last` alone names no time."""
    assert not asks_recent("how long does the lease last")


def test_folding_keeps_every_position() -> None:
    """One character in, one out, whatever lower case does elsewhere."""
    assert [len(fold(letter)) for letter in "İßŒé為ﬁς"] == [1] * 7


def test_a_phrase_with_a_gap_and_a_stem() -> None:
    """The notation: ` ~ ` lets words pass, `*` is the rest of a word, `^` is a sentence start."""
    phrases = Phrases(["when did ~ decide*", "^stop"])
    assert phrases.within("when did the whole team decided")
    assert not phrases.within("a full stop")


@given(st.text(max_size=80))
def test_any_text_has_a_mode_and_a_topic(text: str) -> None:
    """No input fails, and a topic is empty only for text without any visible character."""
    assert detect(text) in ("what", "why")
    assert topic(text) or not text.strip()


def test_detecting_takes_microseconds() -> None:
    """Well under 50 microseconds a question on average once the phrases are compiled (measured: 12)."""
    questions = [row["question"] for row in rows("questions_detect.jsonl")]
    for question in questions:
        detect(question)
    started = time.perf_counter()
    for question in questions:
        detect(question)
    assert (time.perf_counter() - started) / len(questions) < 200e-6  # loose: the machine may be shared


def test_a_long_text_that_is_nearly_all_grammar_is_read_at_once() -> None:
    """Its words can be cut in more ways than could be tried: 什么 is one, and so are its parts."""
    for words in ("什么的了吗呢", "ですかのでは", "อะไรคือที่"):
        assert not grammar.alone((words * 30)[:117] + "龍x", frozenset())
    assert grammar.alone("什么的？", frozenset())
