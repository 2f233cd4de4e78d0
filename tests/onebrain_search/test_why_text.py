"""An answer to a question for reasons as text for people, and as JSON."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexer.types import Event
from onebrain_search import text
from onebrain_search.answer.why import Story, worded
from onebrain_search.render import answer_json
from onebrain_search.types import Answer


def event(n: int, **changes: object) -> Event:
    """Return the n-th decision of a chain."""
    found = Event(n, "", f"logs/{n:02d}.md", n, f"2023-01-{n:02d}", "path", f"Step {n}", f"reason {n}")
    return replace(found, **changes)  # type: ignore[arg-type]


def answer(count: int, settled: int = 1, in_force: int | None = None) -> Answer:
    """Return an answer with a chain of so many decisions."""
    events = tuple(event(n) for n in range(1, count + 1))
    now = events[in_force - 1] if in_force else None
    said = worded(Story(events, events[settled - 1], now, "strong"))
    return Answer("why so", "why", "strong", said, chain=events, in_force=now)


def answer_text(told: Answer, *, all_links: bool = False) -> str:
    """Return an answer as people read it."""
    return text.answer_text(answer_json(told, {}), all_links=all_links)


def test_the_text_leads_with_what_settled_it_and_ends_with_what_is_in_force() -> None:
    """Dates, reasons word for word, and where to open them."""
    assert answer_text(answer(3, settled=2, in_force=3)) == (
        "📌 What settled it\n"
        '  2023-01-02 · Step 2 · "reason 2" · logs/02.md:2\n'
        "\n"
        "🕐 Decision chain (chronological):\n"
        '  2023-01-01 · Step 1 · "reason 1" · logs/01.md:1\n'
        '  2023-01-02 · Step 2 · "reason 2" · logs/02.md:2\n'
        '  2023-01-03 · Step 3 · "reason 3" · logs/03.md:3\n'
        '➡ In force now: Step 3, since 2023-01-03 · "reason 3" · logs/03.md:3'
    )


def test_twelve_links_are_shown_and_the_rest_counted() -> None:
    """`--all` shows them too; the answer itself is whole."""
    long = answer(15, in_force=15)
    short = answer_text(long)
    assert ("Step 12 ·" in short, "Step 13 ·" in short, "… 3 more, --all" in short) == (True, False, True)
    whole = answer_text(long, all_links=True)
    assert ("Step 13 ·" in whole, "more, --all" in whole) == (True, False)
    assert len(long.chain) == 15


def test_what_is_in_force_is_told_though_its_link_is_not_shown() -> None:
    """The thirteenth link of thirteen."""
    assert answer_text(answer(13, in_force=13)).endswith('Step 13, since 2023-01-13 · "reason 13" · logs/13.md:13')


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"status": "rejected"}, '2023-01-01 · Step 1 (rejected) · "reason 1" · logs/01.md:1'),
        ({"date_source": "mtime"}, '~2023-01-01 · Step 1 · "reason 1" · logs/01.md:1'),
        ({"date": None}, 'undated · Step 1 · "reason 1" · logs/01.md:1'),
        ({"reason": ""}, "2023-01-01 · Step 1 · logs/01.md:1"),
        ({"thread": "RFC-9110"}, '2023-01-01 · RFC-9110: Step 1 · "reason 1" · logs/01.md:1'),
        ({"thread": "D-L1-1"}, '2023-01-01 · D-L1-1: Step 1 · "reason 1" · logs/01.md:1'),
        ({"thread": "search-trial"}, '2023-01-01 · Step 1 · "reason 1" · logs/01.md:1'),
        ({"root": "tools"}, '2023-01-01 · Step 1 · "reason 1" · tools:logs/01.md:1'),
    ],
)
def test_a_link_is_one_line(changes: dict[str, object], line: str) -> None:
    """Date or `undated`, the name of a record, what, status, reason, place."""
    link = event(1, **changes)
    told = Answer("why so", "why", "strong", worded(Story((link,), link, None)), chain=(link,))
    assert answer_text(told).split("\n")[1] == f"  {line}"
    assert answer_text(told).split("\n")[4] == f"  {line}"


@pytest.mark.parametrize(
    ("status", "line"),
    [
        ("proposed", "In force now: nothing that these notes settle (proposed on 2023-01-01)"),
        ("superseded", "In force now: nothing that these notes settle"),
    ],
)
def test_where_nothing_is_in_force_the_text_says_so(status: str, line: str) -> None:
    """And how it ended, where it did."""
    link = event(1, status=status)
    assert worded(Story((link,), link, None)).split("\n")[-1] == line


def test_the_json_of_a_link_has_all_that_the_event_has() -> None:
    """`null` for what is unknown; the chain is whole."""
    link = event(1, date=None, reason="", thread="ADR-1", links=("x.md",), supersedes=("0000-y.md",))
    found = answer_json(Answer("why so", "why", "strong", "", chain=(link, event(2)), in_force=event(2)), {})
    assert found["chain"][0] == {
        "date": None, "date_source": "path", "path": "logs/01.md", "line": 1, "what": "Step 1", "reason": None,
        "kind": "decision", "status": None, "thread": "ADR-1", "links": ["x.md"], "supersedes": ["0000-y.md"],
        "superseded_by": [],
    }  # fmt: skip
    assert found["in_force"] == found["chain"][1]


def test_the_json_of_other_answers_has_nothing_in_force() -> None:
    """The field is there and null."""
    found = answer_json(Answer("what", "what", "weak", ""), {})
    assert (found["chain"], found["in_force"]) == ([], None)
