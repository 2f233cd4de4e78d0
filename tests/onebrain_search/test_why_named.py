"""Chains along what notes name: records, numbers, issues, replacements; filters hold along them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from onebrain_search import Brain
from tests.conftest import MakeVault
from tests.onebrain_search.decisions import NOISE, asked, in_force, record


def test_two_notes_that_replace_each_other_are_shown_and_not_guessed(home: Path, vault: MakeVault) -> None:
    """The walk along them ends, neither is called superseded, and a note says so."""
    files = {
        "adr/0001-yeast.md": record("1. Bake with yeast", "Accepted. Supersedes [2](0002-dough.md)", "2023-01-01"),
        "adr/0002-dough.md": record(
            "2. Bake with old dough", "Accepted. Supersedes [1](0001-yeast.md)", "2023-02-01"
        ),
        **NOISE,
    }
    answer = asked(vault(files), "Why do we bake with yeast?")
    assert sorted(event.path for event in answer.chain) == ["adr/0001-yeast.md", "adr/0002-dough.md"]
    assert {event.status for event in answer.chain} == {"accepted"}
    assert answer.in_force is None
    assert any("each say that they replace the other" in note for note in answer.notes)


def test_a_circle_of_three_ends(home: Path, vault: MakeVault) -> None:
    """Supersession that leads back to its start is followed once."""
    files = {
        f"adr/000{n}-step.md": record(
            f"{n}. Loaf shape {n}", f"Accepted. Supersedes [x](000{n % 3 + 1}-step.md)", f"2023-0{n}-01"
        )
        for n in (1, 2, 3)
    }
    answer = asked(vault(files | NOISE), "Why loaf shape 1?")
    assert answer.in_force is None


def test_a_question_for_the_end_of_a_decision_begins_with_what_ended_it(home: Path, vault: MakeVault) -> None:
    """The decision that is asked for tells nothing of its end."""
    files = {
        "adr/0001-scales.md": record("1. Weigh dough on scales", "Superseded by [2](0002-volume.md)", "2023-01-01"),
        "adr/0002-volume.md": record("2. Measure dough by volume", "Accepted", "2023-07-01"),
        **NOISE,
    }
    answer = asked(vault(files), 'Why was "Weigh dough on scales" replaced?')
    assert answer.text.startswith("2023-07-01 · ADR-2: Measure dough by volume")


def test_an_undated_record_stands_before_what_replaced_it(home: Path, vault: MakeVault) -> None:
    """The day of its file's last change counts nothing where the notes say otherwise: it is then as old at least."""
    folder = vault(
        {
            "adr/0003-stone.md": record("3. Grind with stone", "Superseded by [4](0004-steel.md)"),
            "adr/0004-steel.md": record("4. Grind with steel", "Accepted", "2021-04-01"),
            **NOISE,
        }
    )
    os.utime(folder / "adr/0003-stone.md", (1_750_000_000, 1_750_000_000))
    answer = asked(folder, "Why do we grind with steel?")
    assert [(event.path, event.date, event.date_source) for event in answer.chain] == [
        ("adr/0003-stone.md", "2021-04-01", "order"),
        ("adr/0004-steel.md", "2021-04-01", "text"),
    ]
    assert in_force(answer) == "Grind with steel"


def test_an_ended_record_is_followed_by_a_younger_one_that_refers_to_it(home: Path, vault: MakeVault) -> None:
    """Where no field says what came after."""
    files = {
        "adr/0005-cash.md": record("5. Cash only", "Deprecated", "2020-01-01"),
        "adr/0009-cards.md": record("9. Take cards", "Accepted", "2022-01-01", "See [5](0005-cash.md).\n"),
        **NOISE,
    }
    answer = asked(vault(files), "Why was cash only abandoned?")
    assert [event.thread for event in answer.chain] == ["ADR-5", "ADR-9"]
    assert in_force(answer) == "Take cards"


@pytest.mark.parametrize("question", ["Why ADR 12?", "why was adr-12 accepted", "Why was ADR-0012 made?"])
def test_a_record_is_found_by_its_number_however_it_is_written(home: Path, vault: MakeVault, question: str) -> None:
    """Case, dash and zeros do not matter, and other records of like words lose."""
    files = {
        "adr/0012-sourdough.md": record("12. Bake sourdough", "Accepted", "2023-01-01"),
        "adr/0021-adr.md": record("21. Why we write ADRs", "Accepted", "2023-02-01"),
        **NOISE,
    }
    assert [event.thread for event in asked(vault(files), question).chain] == ["ADR-12"]


def test_what_replaced_a_record_is_told_and_not_what_it_replaced(home: Path, vault: MakeVault) -> None:
    """Of a record that stands it is the other way round."""
    files = {
        "adr/0001-a.md": record("1. Mix by hand", "Superseded by [2](0002-b.md)", "2020-01-01"),
        "adr/0002-b.md": record("2. Mix by machine", "Superseded by [3](0003-c.md)", "2021-01-01"),
        "adr/0003-c.md": record("3. Knead slowly", "Accepted", "2022-01-01"),
        **NOISE,
    }
    folder = vault(files)
    assert [e.thread for e in asked(folder, 'Why was "Mix by machine" replaced?').chain] == ["ADR-2", "ADR-3"]
    assert [e.thread for e in asked(folder, "Why do we knead slowly?").chain] == ["ADR-1", "ADR-2", "ADR-3"]


def test_an_rfc_is_followed_to_what_obsoleted_it(home: Path, vault: MakeVault) -> None:
    """Only the younger ones say so, with several numbers in one field, and the reason in their text."""

    def rfc(number: int, title: str, date: str, obsoletes: str = "", text: str = "") -> str:
        """Return an RFC as plain text."""
        field = f"Obsoletes: {obsoletes}\n" if obsoletes else ""
        return (
            f"Network Working Group                         P. Baker\nRequest for Comments: {number}\n{field}"
            f"Category: Standards Track                                 {date}\n\n\n"
            f"                 {title}\n\nAbstract\n\n   Bread has a format.  {text}\n"
        )

    files = {
        "rfcs/rfc3000.txt": rfc(3000, "Crust Format", "May 1999"),
        "rfcs/rfc4001.txt": rfc(
            4001,
            "Crust and Crumb",
            "June 2005",
            "2999, 3000",
            "It replaces RFC 3000 because crumbs\n   had no format.",
        ),
        "rfcs/rfc5002.txt": rfc(5002, "Bread Semantics", "July 2015", "4001"),
        **NOISE,
    }
    answer = asked(vault(files), "Why was RFC 3000 obsoleted?")
    assert [(e.thread, e.date, e.status) for e in answer.chain] == [
        ("RFC-3000", "1999-05-01", "superseded"),
        ("RFC-4001", "2005-06-01", "superseded"),
        ("RFC-5002", "2015-07-01", ""),
    ]
    assert answer.text.startswith('2005-06-01 · RFC-4001: Crust and Crumb (superseded) · "crumbs had no format"')


def test_minutes_are_followed_by_their_issue(home: Path, vault: MakeVault) -> None:
    """A meeting that calls it otherwise belongs, one on another issue of like words does not."""

    def minutes(day: str, title: str, issue: int, said: str) -> dict[str, str]:
        """Return the minutes of a day with one item."""
        link = f"https://github.com/bread/reviews/issues/{issue}"
        return {f"minutes/{day}-minutes.md": f"# Meeting {day}\n\n## [{title}]({link})\n\nAda: {said}\n"}

    files = {
        **minutes("2021-01-05", "Oven Door API", 7, "the door needs a handle."),
        **minutes("2021-02-09", "Doors", 7, "they answered about the handle and we are fine."),
        **minutes("2021-03-09", "Garage Oven Door API for vans", 9, "another thing altogether."),
        **minutes("2021-04-13", "Oven Door API", 7, "we close this."),
        **NOISE,
    }
    answer = asked(vault(files), 'Why did the group reach the view it did on "Oven Door API"?')
    assert [event.date for event in answer.chain] == ["2021-01-05", "2021-02-09", "2021-04-13"]


def test_minutes_that_only_list_an_issue_tell_nothing_of_it(home: Path, vault: MakeVault) -> None:
    """A bullet with words of its own or below it does."""
    link = "https://github.com/bread/reviews/issues/7"
    files = {
        "minutes/2021-01-05-minutes.md": f"# Meeting\n\n## Agenda for next time\n\n* [Oven Door]({link}) - Ada, Bo\n",
        "minutes/2021-02-09-minutes.md": f"# Meeting\n\n## Issues\n\n* [Oven Door]({link})\n    * Bo asks again\n",
        "minutes/2021-03-09-minutes.md": f"# Meeting\n\n## [Oven Door]({link})\n\nAda: the handle is fine with us.\n",
        **NOISE,
    }
    answer = asked(vault(files), 'Why did the group reach the view it did on "Oven Door"?')
    assert [event.date for event in answer.chain] == ["2021-02-09", "2021-03-09"]


def test_a_chain_is_found_by_the_number_of_its_issue(home: Path, vault: MakeVault) -> None:
    """`issue 7` and `#7` are that issue, not any seven."""
    link = "https://github.com/bread/reviews/issues/7"
    files = {
        "minutes/2021-01-05-minutes.md": (
            f"# Meeting\n\n## [Oven]({link})\n\nAda: this is fine with all of us.\n\n## 7 rolls\n\nBo: no.\n"
        ),
        **NOISE,
    }
    for question in ("why was issue 7 closed", "why was #7 closed"):
        assert [event.what[:5] for event in asked(vault(files), question).chain] == ["Oven:"]


def test_filters_hold_along_links_too(home: Path, vault: MakeVault) -> None:
    """What a filter hides is no part of the chain, though a shown record names it."""
    files = {
        "adr/0001-a.md": record("1. Mix by hand", "Superseded by [2](../old/0002-b.md)", "2020-01-01"),
        "old/0002-b.md": record("2. Mix by machine", "Accepted", "2021-01-01"),
        **NOISE,
    }
    folder = vault(files)
    assert len(asked(folder, "Why was mix by hand replaced?").chain) == 2
    assert len(asked(folder, "Why was mix by hand replaced? path:adr").chain) == 1


def test_what_was_forgotten_is_in_no_chain(home: Path, vault: MakeVault) -> None:
    """Neither by its words nor by a name in another note."""
    files = {
        "adr/0001-a.md": record("1. Mix by hand", "Superseded by [2](../old/0002-b.md)", "2020-01-01"),
        "old/0002-b.md": record("2. Mix by machine", "Accepted", "2021-01-01"),
        **NOISE,
    }
    brain = Brain.open(vault(files))
    brain.index(vectors=False)
    brain.forget("old/")
    answer = brain.ask("Why was mix by hand replaced?", retrieval="lexical")
    assert {event.path for event in answer.chain} == {"adr/0001-a.md"}
