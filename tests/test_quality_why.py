"""Every question for reasons of the fixture vaults is asked: the chain, its statuses, and what is in force."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from indexer.types import Event, written
from onebrain_search import Brain
from onebrain_search.types import Answer, Retrieval

VAULTS = Path(__file__).parents[1] / "vault_fixtures"
NAMES = ("onebrain", "obsidian", "adr")
LEGS: tuple[Retrieval, ...] = ("hybrid", "lexical")
ON_AVERAGE, AT_LEAST = 0.95, 0.8  # chain F1 of a vault, and of each of its questions

Place = tuple[str, int]


class Asked(NamedTuple):
    """A question of a vault with its right chain, and our answer by one way of looking."""

    vault: str
    leg: Retrieval
    right: dict[str, Any]
    answer: Answer

    def __str__(self) -> str:
        """Return what a failed test shows."""
        return f"{self.vault}, {self.leg}: {self.right['question']}"

    def place(self, event: Event) -> Place:
        """Return where an event stands; a record is its file, whichever line its title has."""
        return written(event.root, event.path), 0 if self.vault == "adr" else event.line

    def gold(self, key: str) -> dict[Place, dict[str, Any]]:
        """Return the links of the right chain, or those that are right to show, by place."""
        return {(x["path"], 0 if self.vault == "adr" else x["line"]): x for x in self.right.get(key, [])}

    @property
    def f1(self) -> float:
        """Return the harmonic mean of how much of the chain is there and how much that is there is right."""
        need, fair = self.gold("chain"), {**self.gold("chain"), **self.gold("also_relevant")}
        got = {self.place(event) for event in self.answer.chain}
        recall = len(need.keys() & got) / len(need)
        precision = len(fair.keys() & got) / len(got) if got else 0.0
        return 2 * recall * precision / (recall + precision) if got and recall else 0.0


@pytest.fixture(scope="session")
def asked(onebrain_brain: Brain, tmp_path_factory: pytest.TempPathFactory) -> list[Asked]:
    """Return our answers to every question for reasons, of all vaults and by both ways of looking."""
    brains = {"onebrain": onebrain_brain}
    for name in NAMES[1:]:
        copy = tmp_path_factory.mktemp("why") / name
        shutil.copytree(VAULTS / name, copy)
        brains[name] = Brain.open(copy, environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path_factory.mktemp(f"{name}-why"))})
        brains[name].index()
    return [
        Asked(name, leg, right, brains[name].ask(right["question"], retrieval=leg))
        for name in NAMES
        for right in map(json.loads, (VAULTS / name / "questions.jsonl").read_text("utf-8").splitlines())
        if right["mode"] == "why"
        for leg in LEGS
    ]


def test_each_question_is_read_as_one_for_reasons(asked: list[Asked]) -> None:
    """Without being told the mode."""
    assert not [str(each) for each in asked if each.answer.mode != "why"]


@pytest.mark.parametrize("leg", LEGS)
@pytest.mark.parametrize("vault", NAMES)
def test_the_chains_of_a_vault_are_right(asked: list[Asked], vault: str, leg: Retrieval) -> None:
    """On average nearly all of each chain, and nearly nothing else."""
    scores = {str(each): each.f1 for each in asked if (each.vault, each.leg) == (vault, leg)}
    assert sum(scores.values()) / len(scores) >= ON_AVERAGE, {q: f1 for q, f1 in scores.items() if f1 < 1}


def test_no_chain_is_mostly_wrong(asked: list[Asked]) -> None:
    """Each question by itself."""
    assert not {str(each): each.f1 for each in asked if each.f1 < AT_LEAST}


def test_what_is_in_force_is_right_every_time(asked: list[Asked]) -> None:
    """By the place where it was decided; nothing where only a proposal, a refusal or a postponement is told."""
    wrong = []
    for each in asked:
        right, found = each.right["in_force"], each.answer.in_force
        wanted = (right["path"], 0 if each.vault == "adr" else right["line"]) if right else None
        if (each.place(found) if found else None) != wanted:
            wrong.append(f"{each} | {found and found.what}")
    assert not wrong


def test_the_last_line_says_what_is_in_force_and_since_when(asked: list[Asked]) -> None:
    """With the place to open."""
    for each in asked:
        line, found = each.answer.text.split("\n")[-1], each.answer.in_force
        assert line.startswith("In force now: "), str(each)
        if found:
            assert found.what in line, str(each)
            assert f"since {found.date}" in line, str(each)
            assert line.endswith(f"{written(found.root, found.path)}:{found.line}"), str(each)


def test_every_link_that_the_vaults_know_has_its_status(asked: list[Asked]) -> None:
    """Those that are right to show too."""
    wrong = [
        f"{each} | {event.what[:50]}: {event.status}"
        for each in asked
        for event in each.answer.chain
        if (known := {**each.gold("also_relevant"), **each.gold("chain")}.get(each.place(event)))
        and known["status"] != event.status
    ]
    assert not wrong


def test_chains_are_in_the_order_of_time(asked: list[Asked]) -> None:
    """Oldest first, and every link of these vaults has a date."""
    for each in asked:
        dates = [event.date for event in each.answer.chain]
        assert all(dates), str(each)
        assert all(one <= other for one, other in pairwise(dates)), str(each)  # type: ignore[operator]


def test_the_reasons_are_word_for_word(asked: list[Asked]) -> None:
    """A reason stands in its note as it is quoted, but for the marks of its format and how its lines are broken."""
    texts: dict[str, str] = {}
    for each in asked:
        for event in each.answer.chain:
            file = VAULTS / each.vault / event.path
            text = texts.setdefault(str(file), _plain(file.read_text("utf-8")))
            assert _plain(event.reason) in text, f"{each} | {event.reason}"


def _plain(text: str) -> str:
    """Return a text without the marks of its format and line breaks."""
    for mark in ("**", "*", "`", "[[", "]]", "\\", "~~"):
        text = text.replace(mark, "")
    return " ".join(text.split())
