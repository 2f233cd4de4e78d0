"""The chain of decisions behind a question: what belongs to it, in which order, what ended what, what is in force."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from onebrain_search import Brain
from onebrain_search.types import Answer
from tests.conftest import MakeVault

NOISE = {
    "garden.md": "# Garden\n\n## Decisions\n\n- 2024-03-01 — Tomatoes grow in the south bed, because it is warm\n",
    "paint.md": "# Paint\n\nThe shop door is green. Two coats, sanded in between.\n",
    "logs/2024-02-03-session-01.md": (
        "---\ntags: [session-log]\ndate: 2024-02-03\n---\n# Session\n\n## Key Decisions\n\n"
        "- Invoices are numbered by year because the office asks for it\n"
    ),
}


def session(date: str, *decisions: str, number: int = 1, kind: str = "session", talk: str = "") -> dict[str, str]:
    """Return a log of a day with its decisions, as `{path: text}`."""
    tag = "session-log" if kind == "session" else kind
    worked = f"## What We Worked On\n\n- {talk}\n\n" if talk else ""
    decided = "".join(f"- {decision}\n" for decision in decisions)
    text = f"---\ntags: [{tag}]\ndate: {date}\n---\n# Log\n\n{worked}## Key Decisions\n\n{decided}"
    return {f"logs/{date}-{kind}-{number:02d}.md": text}


def record(title: str, status: str, date: str = "", more: str = "") -> str:
    """Return a decision record."""
    dated = f"Date: {date}\n\n" if date else ""
    body = f"## Status\n\n{status}\n\n## Context\n\nIt came up.\n\n## Decision\n\nSo be it.\n\n{more}"
    return f"# {title}\n\n{dated}{body}"


def asked(folder: Path, question: str, **settings: str) -> Answer:
    """Index a vault by words and ask it."""
    brain = Brain.open(folder)
    brain.index(vectors=False)
    return brain.ask(question, retrieval="lexical", **settings)  # type: ignore[arg-type]


def told(answer: Answer) -> list[tuple[str | None, str, str]]:
    """Return date, beginning and status of each link of a chain."""
    return [(event.date, event.what[:16], event.status) for event in answer.chain]


def in_force(answer: Answer) -> str:
    """Return what is in force, empty for nothing."""
    return answer.in_force.what if answer.in_force else ""


OVEN = {
    "bakery.md": (
        "# Bakery\n\n## Decisions\n\n"
        "- 2023-01-05 — The oven is heated with gas, because the line was there\n"
        "- 2023-06-02 — The oven is heated with wood instead of gas, because gas became dear\n"
    ),
    **session("2024-02-02", "The oven goes back to gas from wood, because the chimney was forbidden"),
    **NOISE,
}


def test_a_reversal_of_a_reversal_leaves_the_last_word_in_force(home: Path, vault: MakeVault) -> None:
    """Both earlier decisions are superseded, and the chain is in the order of time."""
    answer = asked(vault(OVEN), "Why is the oven heated with gas again?")
    assert told(answer) == [
        ("2023-01-05", "The oven is heat", "superseded"),
        ("2023-06-02", "The oven is heat", "superseded"),
        ("2024-02-02", "The oven goes ba", ""),
    ]
    assert answer.in_force == answer.chain[-1]


def test_a_superseded_event_names_what_took_it_back(home: Path, vault: MakeVault) -> None:
    """By path and line, where the notes do not say it themselves."""
    first = asked(vault(OVEN), "Why is the oven heated with gas again?").chain[0]
    assert first.superseded_by == ("bakery.md:6",)


def test_a_reversal_reaches_copies_in_other_notes(home: Path, vault: MakeVault) -> None:
    """A copy of an old decision is superseded wherever it stands."""
    copy = {"handbook.md": "# Handbook\n\n## Decisions\n\n- 2023-06-20 — The oven is heated with wood, as agreed\n"}
    answer = asked(vault(OVEN | copy), "Why is the oven heated with gas again?")
    copies = [event for event in answer.chain if event.path == "handbook.md"]
    assert [event.status for event in copies] == ["superseded"]


def test_talk_of_an_old_decision_does_not_revive_it(home: Path, vault: MakeVault) -> None:
    """It is left out of the chain, however new it is."""
    talk = session("2024-05-05", talk="Told Nina that the oven is heated with wood because gas became dear")
    answer = asked(vault(OVEN | talk), "Why is the oven heated with gas again?")
    assert answer.chain[-1].date == "2024-02-02"
    assert in_force(answer).startswith("The oven goes back to gas")


def test_what_replaced_a_thing_is_followed_under_its_new_name(home: Path, vault: MakeVault) -> None:
    """The question names the first of three; the last has no word of it."""
    files = {
        "till.md": "# Till\n\n## Decisions\n\n- 2022-01-03 — Paper slips are the till receipts as they are free\n",
        **session("2022-08-08", "Replaced paper slips by thermal printer rolls as till receipts, because ink ran"),
        **session("2023-09-09", "Mail receipts replace thermal printer rolls at the till, because the rolls fade"),
        **NOISE,
    }
    answer = asked(vault(files), "Why were the paper slips replaced?")
    assert [event.date for event in answer.chain] == ["2022-01-03", "2022-08-08", "2023-09-09"]
    assert in_force(answer).startswith("Mail receipts")


def test_a_note_named_in_the_question_is_where_to_look_not_what_for(home: Path, vault: MakeVault) -> None:
    """Other decisions on the same project are no part of the story."""
    files = {
        "Lark.md": (
            "# Lark\n\n## Decisions\n\n- 2023-01-01 — The colour of Lark is blue, because it calms\n"
            "- 2023-02-01 — The logo of Lark is a bird, because of the name\n"
            "- 2023-03-01 — The colour of Lark is red instead of blue, because nobody saw it\n"
        ),
        **NOISE,
    }
    answer = asked(vault(files), "Why did the colour of Lark change?")
    assert [event.date for event in answer.chain] == ["2023-01-01", "2023-03-01"]


def test_refused_and_proposed_are_never_in_force(home: Path, vault: MakeVault) -> None:
    """Nothing is, when nothing else was decided; the last line says how it ended."""
    files = {**session("2023-03-03", "Rejected a delivery van, because two bicycles are enough"), **NOISE}
    answer = asked(vault(files), "Why did we reject the delivery van?")
    assert (told(answer)[0][2], answer.in_force) == ("rejected", None)
    assert answer.text.endswith("nothing that these notes settle (rejected on 2023-03-03)")


def test_a_refusal_leaves_the_decision_on_its_subject_in_force(home: Path, vault: MakeVault) -> None:
    """The question is about what was refused; what stands is on the same subject."""
    files = {
        **session("2023-01-10", "Flour comes from the mill in Ansbach as the supplier of flour, because it is near"),
        **session(
            "2023-04-04", "Rejected the wholesale market as the supplier of flour, because it sells stale flour"
        ),
        **NOISE,
    }
    answer = asked(vault(files), "Why did we reject the wholesale market as supplier of flour?")
    assert in_force(answer).startswith("Flour comes from the mill")


def test_a_memory_file_supersedes_another(home: Path, vault: MakeVault) -> None:
    """As its front matter says, in both directions."""
    head = "---\ntags: [agent-memory]\ntype: behavioral\nstatus: active\n"
    files = {
        "memory/crates.md": f"{head}created: 2023-01-01\nsuperseded_by: pallets.md\n---\nBread comes in crates.\n",
        "memory/pallets.md": f"{head}created: 2023-09-01\nsupersedes: crates.md\n---\nBread is stacked on pallets.\n",
        **NOISE,
    }
    answer = asked(vault(files), "Why is bread stacked on pallets?")
    assert [(event.path, event.status) for event in answer.chain] == [
        ("memory/crates.md", "superseded"),
        ("memory/pallets.md", ""),
    ]


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


def test_two_decisions_on_one_day_follow_the_numbers_of_their_logs(home: Path, vault: MakeVault) -> None:
    """The second session of a day takes back what the first one chose."""
    files = {
        **session("2023-05-05", "Rolls are sold in paper bags because they breathe"),
        **session("2023-05-05", "Rolls are sold in cloth bags instead of paper bags, because paper tore", number=2),
        **NOISE,
    }
    answer = asked(vault(files), "Why are rolls sold in cloth bags?")
    assert [(event.path[-5:-3], event.status) for event in answer.chain] == [("01", "superseded"), ("02", "")]


def test_a_checkpoint_and_its_session_are_one_event(home: Path, vault: MakeVault) -> None:
    """The session stands for both."""
    text = "Rye bread is baked on Mondays because the mill delivers then"
    files = {**session("2023-05-05", text), **session("2023-05-05", text, kind="checkpoint"), **NOISE}
    answer = asked(vault(files), "Why is rye bread baked on Mondays?")
    assert [event.path for event in answer.chain] == ["logs/2023-05-05-session-01.md"]


def test_a_question_for_what_holds_now_begins_with_it(home: Path, vault: MakeVault) -> None:
    """Other questions begin with the decision that answers them."""
    folder = vault(OVEN)
    now = asked(folder, "Why is the oven still heated with gas?").text.split("\n")[0]
    assert now.startswith("2024-02-02 · The oven goes back to gas")
    then = asked(folder, "Why did we heat the oven with wood instead of gas?").text.split("\n")[0]
    assert then.startswith("2023-06-02 · The oven is heated with wood")


def test_a_question_for_the_end_of_a_decision_begins_with_what_ended_it(home: Path, vault: MakeVault) -> None:
    """The decision that is asked for tells nothing of its end."""
    files = {
        "adr/0001-scales.md": record("1. Weigh dough on scales", "Superseded by [2](0002-volume.md)", "2023-01-01"),
        "adr/0002-volume.md": record("2. Measure dough by volume", "Accepted", "2023-07-01"),
        **NOISE,
    }
    answer = asked(vault(files), 'Why was "Weigh dough on scales" replaced?')
    assert answer.text.startswith("2023-07-01 · ADR-2: Measure dough by volume")


def test_without_a_dated_decision_the_question_is_one_for_what_is_written(home: Path, vault: MakeVault) -> None:
    """And the answer says so."""
    answer = asked(vault(NOISE), "Why is the shop door green?")
    assert (answer.mode, answer.chain) == ("what", ())
    assert any("no dated decision" in note for note in answer.notes)


def test_decisions_about_something_else_are_no_answer(home: Path, vault: MakeVault) -> None:
    """A chain is not made from whatever is nearest."""
    answer = asked(vault(OVEN), "Why did the orchestra choose a new conductor?")
    assert (answer.chain, answer.confidence) == ((), "none")


def test_contradictions_without_an_order_of_time_are_shown_as_such(home: Path, vault: MakeVault) -> None:
    """Two notes of one day that answer a question otherwise: neither is in force."""
    files = {
        "shop/hours.md": "# Hours\n\n## Decisions\n\n- 2023-05-05 — The shop opens at seven on Saturdays\n",
        "staff/rota.md": "# Rota\n\n## Decisions\n\n- 2023-05-05 — The shop opens at nine on Saturdays\n",
        **NOISE,
    }
    answer = asked(vault(files), "Why does the shop open when it does on Saturdays?")
    assert len(answer.chain) == 2
    assert answer.in_force is None
    assert any("no date tells which came later" in note for note in answer.notes)


def test_an_undated_record_stands_before_what_replaced_it(home: Path, vault: MakeVault) -> None:
    """The day of its file's last change is no date of it where the notes say otherwise."""
    folder = vault(
        {
            "adr/0003-stone.md": record("3. Grind with stone", "Superseded by [4](0004-steel.md)"),
            "adr/0004-steel.md": record("4. Grind with steel", "Accepted", "2021-04-01"),
            **NOISE,
        }
    )
    os.utime(folder / "adr/0003-stone.md", (1_750_000_000, 1_750_000_000))
    answer = asked(folder, "Why do we grind with steel?")
    assert [(event.path, event.date) for event in answer.chain] == [
        ("adr/0003-stone.md", None),
        ("adr/0004-steel.md", "2021-04-01"),
    ]
    assert in_force(answer) == "Grind with steel"


def test_dates_that_cannot_be_read_are_kept_as_text(home: Path, vault: MakeVault) -> None:
    """Impossible and ambiguous ones carry no date, and a note counts them."""
    text = (
        "# Yard\n\n## Decisions\n\n- 2023-02-02 — The yard gate is closed at night, because of foxes\n"
        "- 2023-13-40 — The yard gate is locked at night too\n"
        "- 03/04/23 — The yard gate is closed with a bell\n"
    )
    answer = asked(vault({"yard.md": text, **NOISE}), "Why is the yard gate closed at night?")
    undated = [event for event in answer.chain if event.date is None]
    assert [event.what[:10] for event in undated] == ["2023-13-40", "03/04/23 —"]
    assert "2 of these carry no date that can be read" in answer.notes


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


def test_missing_cells_and_escaped_pipes_shift_no_column(home: Path, vault: MakeVault) -> None:
    """A row keeps its decision, its reason and its date, or the note's."""
    text = (
        "---\ndate: 2023-01-01\n---\n# Shop\n\n## Decisions log\n\n| Date | Decision | Rationale |\n|---|---|---|\n"
        "| 2023-03-03 | Labels say rye \\| wheat | buyers asked |\n| 2023-04-04 | Labels are yellow |\n"
        "| | Labels are square | they stack |\n"
    )
    answer = asked(vault({"shop.md": text, **NOISE}), "Why are labels yellow, square and say rye?")
    assert [(event.date, event.what, event.reason) for event in answer.chain] == [
        ("2023-01-01", "Labels are square", "they stack"),
        ("2023-03-03", "Labels say rye | wheat", "buyers asked"),
        ("2023-04-04", "Labels are yellow", ""),
    ]


def test_a_very_long_decision_is_cut(home: Path, vault: MakeVault) -> None:
    """With an ellipsis; its line says all of it."""
    long = f"The cellar is kept cool with {'ice and ' * 1500}straw"
    answer = asked(vault({**session("2023-03-03", long), **NOISE}), "Why is the cellar kept cool?")
    assert answer.chain[0].what.endswith("…")
    assert len(answer.chain[0].what) < 500


def test_the_sources_of_an_answer_begin_with_the_passages_of_its_chain(home: Path, vault: MakeVault) -> None:
    """So does a search for reasons."""
    folder = vault(OVEN)
    answer = asked(folder, "Why is the oven heated with gas again?")
    assert {hit.chunk.path for hit in answer.sources[:2]} == {event.path for event in answer.chain}
    found = Brain.open(folder).search("Why is the oven heated with gas again?", retrieval="lexical")
    assert [hit.chunk.id for hit in found] == [hit.chunk.id for hit in answer.sources]


def test_the_mode_can_be_chosen(home: Path, vault: MakeVault) -> None:
    """Whatever the words are."""
    folder = vault(OVEN)
    assert asked(folder, "oven gas", mode="why").chain
    assert not asked(folder, "Why is the oven heated with gas again?", mode="what").chain
