"""The direct answer: which sentences, and how contradicting and superseded sources are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from onebrain_search import Brain
from onebrain_search.text import answer_text

NOISE = {f"n{n}.md": f"The baker counts {n} loaves and {n * 7} rolls before dawn.\n" for n in range(12)}
Ask = Callable[[Mapping[str, str], str], str]


@pytest.fixture
def ask(vault: Callable[..., Path], tmp_path: Path) -> Ask:
    """Return a function that indexes `{path: text}` by words alone and gives the text of the answer to a question."""

    def answer(files: Mapping[str, str], question: str) -> str:
        """Index and ask."""
        brain = Brain.open(vault({**NOISE, **files}), environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")})
        brain.index(vectors=False)
        return brain.ask(question, mode="what").text

    return answer


def test_the_answer_is_a_sentence_with_its_source(ask: Ask) -> None:
    """And not its neighbours."""
    files = {"a.md": "# Pump\n\nThe pump is grey. The fuse of the pump has 15 ampere. Oil it.\n", "b.md": "rope\n"}
    assert ask(files, "how many ampere has the fuse of the pump") == "The fuse of the pump has 15 ampere. [1]"


def test_a_row_answers(ask: Ask) -> None:
    """By the words of its header, of which it is no copy."""
    files = {
        "a.md": "# Beds\n\n| Bed | Plants | Valve |\n|---|---|---|\n| South | tomato, basil | 3 |\n| North | fern | |"
    }
    assert ask(files, "Which plants grow in the south bed?") == "South | tomato, basil | 3 [1]"


def test_two_numbers_for_one_thing_are_both_told_with_their_dates(ask: Ask) -> None:
    """The newer first."""
    files = {
        "old.md": "---\ndate: 2025-02-01\n---\n# Fee\n\nThe mooring fee is 40 a month.\n",
        "new.md": "---\ndate: 2026-03-02\n---\n# Harbour\n\nThe mooring fee is 55 a month.\n",
    }
    answer = ask(files, "how much is the mooring fee a month")
    assert answer == "The mooring fee is 55 a month. [2] (2026-03-02) The mooring fee is 40 a month. [1] (2025-02-01)"


def test_numbers_of_different_things_are_no_contradiction(ask: Ask) -> None:
    """Nor are dates that only the files have."""
    files = {
        "a.md": "---\ndate: 2025-02-01\n---\nThe mooring fee is 40 a month.\n",
        "b.md": "---\ndate: 2026-02-01\n---\nWinter storage in the shed with a crane costs 700.\n",
    }
    assert "(20" not in ask(files, "how much is the mooring fee a month")
    undated = {"a.md": "The mooring fee is 40 a month.\n", "b.md": "The mooring fee is 55 a month.\n"}
    assert "(20" not in ask(undated, "how much is the mooring fee a month")


def test_a_superseded_source_says_so_and_comes_last(ask: Ask) -> None:
    """Even where its date is the newer one."""
    files = {
        "old.md": "---\ndate: 2026-05-01\nstatus: superseded\n---\n# Fee\n\nThe mooring fee a month is 40.\n",
        "new.md": "---\ndate: 2026-03-02\n---\n# Fee\n\nThe mooring fee a month is 55 now.\n",
    }
    answer = ask(files, "mooring fee a month")
    assert "is 55 now. [1] (2026-03-02)" in answer
    assert answer.endswith("is 40. [2] (2026-05-01, superseded)")


def test_a_list_of_pointers_is_a_weak_source(ask: Ask) -> None:
    """What a note says beats what an index says of it."""
    files = {
        "INDEX.md": "# Index\n\n| note | about |\n|---|---|\n| [[codes]] | what the code CN-SF means |\n",
        "codes.md": "# Codes\n\nThe code CN-SF is the partner in Shenzhen.\n",
    }
    assert ask(files, "what does code CN-SF mean?").startswith("The code CN-SF is the partner in Shenzhen.")


def test_a_word_of_one_ideograph_is_seen_inside_a_pair(ask: Ask) -> None:
    """Particles glue to it, so that no pair of the question stands in the sentence."""
    assert "赤松" in ask({"a.md": "# 旅\n\n伊部の登り窯の見学。薪は赤松だけを使う。\n"}, "登り窯の薪")


def test_nothing_is_said_where_nothing_fits(ask: Ask) -> None:
    """An answer without a sentence is empty, and a listing has none."""
    files = {"a.md": "#log\n\nrope\n"}
    assert ask(files, "quantum chromodynamics of gluons?") == ""
    assert ask(files, "tag:log") == ""


def test_prose_answers_before_a_line_of_code(ask: Ask) -> None:
    """Where both say it; the code is the further source."""
    files = {
        "backup.sh": "# keep daily backups\nBACKUPS_KEEP_DAILY=7 BACKUPS_KEEP_WEEKLY=4\n",
        "a.md": "# Backups\n\nThe timer starts at night. We keep 7 daily backups and 4 weekly ones. Oil it.\n",
    }
    assert ask(files, "how many daily backups do we keep").startswith("We keep 7 daily backups and 4 weekly ones.")


def test_a_weak_match_is_told_beside_the_answer() -> None:
    """Who reads the text sees it as who reads the JSON does."""
    shape = {"mode": "what", "question": "q", "answer": "It rains. [1]", "chain": [], "sources": [], "web": []}
    shown = [answer_text({**shape, "notes": [], "confidence": label}) for label in ("strong", "weak")]
    assert shown == [
        "📌 Direct answer\n  It rains. [1]",
        "📌 Direct answer (weak match: check its source)\n  It rains. [1]",
    ]
