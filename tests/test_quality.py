"""Every question of the fixture vaults is asked: the right note is near the top, the answer says what it should."""

from __future__ import annotations

import json
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from indexer.types import written
from onebrain_search import Brain
from onebrain_search.evaluate import Question, compare
from onebrain_search.types import Answer

REPO = Path(__file__).parents[1]
README, VAULTS = REPO / "README.md", REPO / "vault_fixtures"
NAMES = ("onebrain", "obsidian", "adr")


class Asked(NamedTuple):
    """A question of a vault's list, with its right answer and ours."""

    vault: str
    right: dict[str, Any]
    answer: Answer

    @property
    def paths(self) -> list[str]:
        """The files of the sources, best first, each once."""
        places = (written(hit.chunk.root, hit.chunk.path) for hit in self.answer.sources)
        return list(dict.fromkeys(places))

    def __str__(self) -> str:
        """Return what a failed test shows."""
        return f"{self.vault}: {self.right['question']}"


@cache
def questions(vault: str, mode: str) -> list[dict[str, Any]]:
    """Return the questions of one mode of a vault."""
    lines = (VAULTS / vault / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["mode"] == mode]


@pytest.fixture(scope="session")
def brains(onebrain_brain: Brain, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Brain]:
    """Return the vaults, indexed."""
    brains = {"onebrain": onebrain_brain}
    for name in NAMES[1:]:
        copy = tmp_path_factory.mktemp("quality") / name
        shutil.copytree(VAULTS / name, copy)
        environ = {"ONEBRAIN_SEARCH_HOME": str(tmp_path_factory.mktemp(f"{name}-state"))}
        brains[name] = Brain.open(copy, environ=environ)
        brains[name].index()
    return brains


@pytest.fixture(scope="session")
def facts(brains: dict[str, Brain]) -> list[Asked]:
    """Return our answers to every question for a fact, of all vaults."""
    return [
        Asked(name, right, brains[name].ask(right["question"], mode="what", limit=5))
        for name in NAMES
        for right in questions(name, "what")
    ]


def _own(facts: list[Asked]) -> list[Asked]:
    """Return the questions that the vault answers."""
    return [asked for asked in facts if not asked.right.get("none")]


def _share(values: list[bool]) -> float:
    """Return the share that is true."""
    return sum(values) / len(values)


def test_a_right_note_is_among_the_first_five(facts: list[Asked]) -> None:
    """Of every question that the vault answers."""
    missed = [str(asked) for asked in _own(facts) if not set(asked.paths) & set(asked.right["paths"])]
    assert not missed


def test_a_right_note_is_mostly_the_first(facts: list[Asked]) -> None:
    """Of 93 in 100 questions at least."""
    first = {
        str(asked): asked.paths[:1] == [p for p in asked.paths[:1] if p in asked.right["paths"]]
        for asked in _own(facts)
    }
    assert _share(list(first.values())) >= 0.93, [question for question, right in first.items() if not right]


def test_the_direct_answer_says_the_right_thing(facts: list[Asked]) -> None:
    """Each string that an answer must hold is in the sentences that we chose."""
    wrong = [
        f"{asked} | {asked.answer.text}"
        for asked in _own(facts)
        if not all(part in asked.answer.text for part in asked.right.get("answer_contains", ()))
    ]
    assert not wrong


def test_the_direct_answer_is_word_for_word(facts: list[Asked]) -> None:
    """Every sentence stands in its source, where a line break or the padding of a table became a space."""
    for asked in facts:
        passages = [" ".join(hit.chunk.text.split()) for hit in asked.answer.sources]
        for sentence in _sentences(asked.answer.text):
            parts = [part for part in sentence.split(" ") if part]
            assert any(all(part in passage for part in parts) for passage in passages), f"{asked} | {sentence}"


def test_what_the_vault_does_not_know_is_labelled_none(facts: list[Asked]) -> None:
    """A foreign question has no confidence and no answer, but keeps its nearest candidates."""
    foreign = [asked for asked in facts if asked.right.get("none")]
    assert not [str(asked) for asked in foreign if asked.answer.confidence != "none" or asked.answer.text]


def test_what_the_vault_knows_is_not_labelled_none(facts: list[Asked]) -> None:
    """At most three of a hundred own questions are refused."""
    refused = [str(asked) for asked in _own(facts) if asked.answer.confidence == "none"]
    assert len(refused) <= 0.03 * len(_own(facts)), refused


def _sentences(text: str) -> list[str]:
    """Return the sentences of an answer without their marks."""
    import re

    return [part for part in re.split(r"\s*\[\d+\](?: \([^)]*\))?\s*", text) if part]


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_tells_how_good_the_ranking_is(name: str, brains: dict[str, Brain]) -> None:
    """The figures of its table are those of the vaults; another processor may change the third digit."""
    table = re.search(rf"^\| {name} \|(.*)\|$", README.read_text(encoding="utf-8"), re.M)
    assert table, f"no line for {name}"
    asked = [row for row in questions(name, "what") if not row.get("none")]
    right = {str(number): dict.fromkeys(row["paths"], 1.0) for number, row in enumerate(asked)}
    scores, _ = compare(brains[name], [Question(str(n), row["question"]) for n, row in enumerate(asked)], right)
    both, words, meaning = scores
    measured = [brains[name].status()["documents"], both.questions, words.ndcg, meaning.ndcg, both.ndcg]
    told = [float(cell) for cell in table[1].split("|")]
    assert told == pytest.approx([*measured, both.recall, both.mrr, both.hit1], abs=0.02)
    assert both.ndcg >= max(words.ndcg, meaning.ndcg)
