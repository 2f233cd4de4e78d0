"""The chain of decisions behind a question: what belongs to it, in which order, what ended what, what is in force."""

from __future__ import annotations

from pathlib import Path

from onebrain_search import Brain
from tests.conftest import MakeVault
from tests.onebrain_search.decisions import NOISE, asked, in_force, session, told

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
