"""Events of OneBrain notes: sessions, pauses, memory, audit logs, decision tables, dated bullets and headings."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.events import PARTS, WHOLE, find_events
from indexer.events.outline import LONGEST, Outline
from indexer.parse import parse
from indexer.types import Document, Event, SourceFile


def events(text: str, path: str = "folder/Note.md") -> list[Event]:
    """The events of a note of the vault."""
    file = SourceFile("", path, "note", len(text), 1_700_000_000_000_000_000)
    return find_events(parse(file, text.encode()))


def brief(found: list[Event]) -> list[tuple[int, str | None, str, str]]:
    """Line, date, what and reason of events."""
    return [(event.line, event.date, event.what, event.reason) for event in found]


SESSION = """---
tags: [session-log]
date: 2026-02-22
pause_slug: search-trial
---
# Session Summary : February 22, 2026 (Session 1)

## What We Worked On
- Read [[Vault Search]]

## Key Decisions
- Went back to MiniLM, because e5 was slow

## What Worked / Didn't Work
- ❌ Hosting at home

## Open Questions
- Will Thai be found?
"""


def test_session_bullets_take_the_logs_date_and_their_sections_kind() -> None:
    """Decisions, outcomes, questions and talk are kept apart; a pause's slug is the thread."""
    found = events(SESSION, "07-logs/session/2026/02/2026-02-22-session-01.md")
    assert [(e.line, e.kind) for e in found] == [(9, "chatter"), (12, "decision"), (15, "outcome"), (18, "question")]
    assert {(e.date, e.date_source, e.thread) for e in found} == {("2026-02-22", "front matter:date", "search-trial")}
    assert (found[1].what, found[1].reason) == ("Went back to MiniLM", "e5 was slow")
    assert found[0].links == ("Vault Search",)


def test_memory_file_is_one_event_with_explicit_supersession() -> None:
    """The statement, dated by its creation, superseded by the file the front matter names."""
    text = (
        "---\ntags: [agent-memory]\ncreated: 2025-09-10\ntype: behavioral\nstatus: deprecated\n"
        "superseded_by: tasks-in-vault.md\n---\n# Tasks live in Todoist\n\n"
        "All tasks go to Todoist, because it reminds.\n"
    )
    (event,) = events(text, "05-agent/memory/tasks-in-todoist.md")
    assert (event.line, event.date, event.status) == (10, "2025-09-10", "superseded")
    assert event.superseded_by == ("tasks-in-vault.md",)
    assert event.reason == "it reminds"


def test_audit_log_links_the_memory_it_changed() -> None:
    """A line of a recap run is an outcome that refers to the file."""
    text = (
        "---\ntags: [audit-log, recap]\ndate: 2026-01-07\n---\n# Recap\n\n### Memory Changes\n"
        '- **deprecated** memory/old.md — "replaced by new"\n'
    )
    (event,) = events(text, "07-logs/log/2026/01/2026-01-07-recap.md")
    assert (event.kind, event.status, event.links) == ("outcome", "", ("old.md",))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (
            "| Date | Decision | Rationale |\n|---|---|---|\n| 2026-01-02 | Use `a \\| b` | fast |\n",
            [(5, "2026-01-02", "Use a | b", "fast")],
        ),
        (
            "| Decision | Rationale |\n|---|---|\n| Use sqlite | one file |\n",
            [(5, "2025-01-01", "Use sqlite", "one file")],
        ),
        ("| Question | Decision |\n|---|---|\n| Which? | Seoul |\n", [(5, "2025-01-01", "Which?: Seoul", "")]),
        (
            "| Date | Decision | Why |\n|---|---|---|\n| 2026-03-11 | Wiped nightly |\n| 2026-03-12 |\n",
            [(5, "2026-03-11", "Wiped nightly", "")],
        ),
        (
            "| Datum | Entscheidung | Grund |\n|---|---|---|\n| 2026-01-02 | ZPL | Drucker |\n",
            [(5, "2026-01-02", "ZPL", "Drucker")],
        ),
        (
            "| 日期 | 决定 | 理由 |\n|---|---|---|\n| 2026-01-02 | 用 pnpm | 快 |\n",
            [(5, "2026-01-02", "用 pnpm", "快")],
        ),
        ("| Decision Item | Description |\n|---|---|\n| 12.1 | Ship it |\n", [(5, "2025-01-01", "Ship it", "")]),
        ("| Bed | Plants |\n|---|---|\n| North | chilli |\n", []),
    ],
)
def test_decision_tables_by_their_columns(table: str, expected: list[tuple[int, str, str, str]]) -> None:
    """Whatever the columns are called; missing cells and escaped pipes shift nothing."""
    assert brief(events(f"# Project\n\n{table}", "projects/2025-01-01 Project.md")) == expected


def test_rows_under_a_decision_heading_need_no_decision_column() -> None:
    """The heading tells what the table is."""
    text = "# P\n\n## Decisions log\n\n| When | Note |\n|---|---|\n| 2026-02-01 | Moved the index |\n"
    assert brief(events(text)) == [(7, "2026-02-01", "Moved the index", "")]


def test_ids_of_bullets_are_threads_and_what_others_replace() -> None:
    """`D-L1-1` names the line, and `replaces D-L1-1` refers to it."""
    text = (
        "# P\n\n## Decisions\n\n### 2025-10-12 : First\n\n"
        "- **D-L1-1** — Water from the well because tap water costs\n\n"
        "### 2026-01-31 : Second\n\n"
        "- **D-L2-1** — Water from the tank rather than the well, because of stains (replaces D-L1-1)\n"
    )
    first, second = events(text)
    assert (first.thread, first.date, first.what) == ("D-L1-1", "2025-10-12", "Water from the well")
    assert (second.thread, second.supersedes, second.reason) == ("D-L2-1", ("D-L1-1",), "stains")


@pytest.mark.parametrize(
    ("bullet", "date"),
    [
        ("2026-03-02 — dropped qmd", "2026-03-02"),
        ("[[2026-03-02]] dropped qmd", "2026-03-02"),
        ("**2026-03-02**: dropped qmd", "2026-03-02"),
        ("March 2, 2026 - dropped qmd", "2026-03-02"),
        ("2 March 2026: dropped qmd", "2026-03-02"),
        ("2026年3月2日 dropped qmd", "2026-03-02"),
    ],
)
def test_dated_bullets_anywhere(bullet: str, date: str) -> None:
    """A line that begins with a date is an event, under any heading."""
    (event,) = events(f"# Anything\n\n- {bullet}\n")
    assert (event.date, event.date_source, event.what, event.kind) == (date, "text", "dropped qmd", "decision")


@pytest.mark.parametrize(
    "bullet", ["2026-13-40 — moved to Mars", "03/04/26 — moved to Mars", "03/04/2026 — moved to Mars"]
)
def test_dates_of_no_or_two_readings_stay_text(bullet: str) -> None:
    """Such an event has no date, and what is written is kept."""
    (event,) = events(f"# Log\n\n- {bullet}\n")
    assert (event.date, event.date_source, event.what) == (None, "", bullet)


def test_version_numbers_are_no_dates() -> None:
    """`1.12.10` at the start of a line says nothing about a day."""
    assert events("# Changes\n\n- 1.12.10 is out\n") == []


def test_newest_first_logbook_with_hundreds_of_headings() -> None:
    """Every dated heading is an event of its own day."""
    days = [f"{year}-{month:02d}-11" for year in range(2025, 2005, -1) for month in range(12, 0, -1)]
    text = "# Log\n\n" + "\n".join(f"## {day} : Trip {day}\n\nWe went, because we could.\n" for day in days)
    found = events(text)
    assert [event.date for event in found] == days
    assert {event.reason for event in found} == {"we could"}


def test_dated_heading_without_title_gives_its_lines() -> None:
    """Each line is an event; retelling an old decision is chatter."""
    text = (
        "# Log\n\n## 2026-03-06\n\n- planted trees\n- decided to sell the car\n- told a visitor that we dropped qmd\n"
    )
    assert [(e.line, e.kind) for e in events(text)] == [(5, "chatter"), (6, "decision"), (7, "chatter")]


def test_heading_date_at_the_end_counts_unless_it_is_a_deadline() -> None:
    """`Update — 2026-02-22` is about that day, `Last call (ends 2026-02-22)` is not."""
    assert [e.date for e in events("# N\n\n## Update — 2026-02-22\n\nCounted all.\n")] == ["2026-02-22"]
    assert events("# N\n\n## Last call (ends 2026-02-22)\n\nCounted all.\n") == []


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("Rejected: bge-m3", "rejected"),
        ("Ruled out FTS5", "rejected"),
        ("Proposed: a global limit", "proposed"),
        ("Postponed the audit", "deferred"),
        ("~~Use Redis for all~~", "superseded"),
        ("Verworfen: Kafka", "rejected"),
        ("否决：使用 Kafka", "rejected"),
        ("Report of the test", ""),
        ("Final layout of the beds", ""),
    ],
)
def test_status_a_line_begins_with(line: str, status: str) -> None:
    """The first word tells it, in several languages."""
    (event,) = events(f"# P\n\n## Decisions\n\n- {line}\n")
    assert event.status == status


@pytest.mark.parametrize(
    "heading",
    [
        "Decisions",
        "Key Decisions",
        "Decision Log",
        "Beschlüsse",
        "Décisions",
        "Решения",
        "决定",
        "決定事項",
        "결정 사항",
        "Quyết định",
        "Kararlar",
        "القرارات",
        "การตัดสินใจ",
    ],
)
def test_decision_headings_in_many_languages(heading: str) -> None:
    """Bullets below are decisions of the note's date."""
    (event,) = events(f"# P\n\n## {heading}\n\n- X over Y\n", "2026-01-05 P.md")
    assert (event.date, event.kind) == ("2026-01-05", "decision")


def test_a_loose_decision_in_a_dated_note() -> None:
    """A line that begins by deciding counts where somebody wrote the date, not where only the clock did."""
    text = "# Notes\n\n- Decided to move the server, because of noise\n- Weather is fine\n"
    assert brief(events(text, "2026-04-01 Notes.md")) == [(3, "2026-04-01", "Decided to move the server", "noise")]
    assert events(text, "Notes.md") == []


def test_a_decision_of_ten_kilobytes_is_cut() -> None:
    """What and reason end in an ellipsis."""
    (event,) = events("# P\n\n## Decisions\n\n- Use " + "very " * 1000 + "long, because " + "so " * 1700 + "\n")
    assert LONGEST - 9 < len(event.what) <= LONGEST
    assert LONGEST - 9 < len(event.reason) <= LONGEST
    assert event.what.endswith("…")
    assert event.reason.endswith("…")


@pytest.mark.parametrize("path", ["Templates/Daily.md", "meetings/2026-01-01-agenda.md"])
def test_templates_and_agendas_tell_nothing(path: str) -> None:
    """They are plans."""
    assert events("# X\n\n## Decisions\n\n- 2026-01-01 — chose X\n", path) == []


def test_code_has_no_events() -> None:
    """Only notes are read."""
    file = SourceFile("tools", "decisions.py", "code", 1, 1)
    assert find_events(parse(file, b"# 2026-01-01 decided to drop X\n")) == []


@pytest.mark.parametrize("extractor", [*WHOLE, *PARTS], ids=lambda row: row.__name__)
def test_every_extractor_takes_an_empty_note(extractor: Callable[[Outline], list[Event]]) -> None:
    """The contract of a row: an outline in, a list out."""
    empty = Document("", "x.md", "note", "x", (), (), None, "", {}, "\n", (), "")
    assert extractor(Outline(empty)) == []


READABLE = st.characters(exclude_categories=("Cs", "Cc"))
TABLE = "| Date | Decision |\n|---|---|\n| a | b |\n"
LINES = (
    "# T",
    "## Decisions",
    "## 2026-01-02 : x",
    "- 2026-01-02 — a because b",
    "- b",
    "---",
    "",
    "```",
    "> q",
    "日本 ため、x",
)
PIECES = st.sampled_from(
    [
        TABLE,
        *(f"{line}\n" for line in LINES),
        "Superseded by [[x]]\n",
        "Status: Accepted\n",
        "[ ](\n",
        "\\|",
        "~~x~~ ",
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(PIECES | st.text(READABLE, max_size=20), max_size=25),
    st.sampled_from(["a.md", "adr/0001-x.md", "2026-01-01-minutes.md", "pep-1.txt"]),
)
def test_any_note_gives_events_on_its_own_lines(pieces: list[str], path: str) -> None:
    """No input fails; lines exist, each once, in order; every event says something."""
    document = parse(
        SourceFile("", path, "note", 1, 1_700_000_000_000_000_000), "".join(pieces).encode("utf-8", "replace")
    )
    found = find_events(document)
    assert all(1 <= event.line <= document.text.count("\n") + 1 for event in found)
    assert [event.line for event in found] == sorted(event.line for event in found)
    assert all(event.what and len(event.what) <= LONGEST for event in found)
    assert all(replace(event, id=0, root="", path=path) == event for event in found)


def test_every_link_of_the_fixture_chains_is_an_event() -> None:
    """The three fixture vaults: each event of a chain is found on its line, with its date."""
    vaults = Path(__file__).parents[2] / "vault_fixtures"
    missing = []
    for questions in sorted(vaults.glob("*/questions.jsonl")):
        for row in map(json.loads, questions.read_text(encoding="utf-8").splitlines()):
            for link in [*row.get("chain", []), *row.get("also_relevant", [])]:
                path = questions.parent / link["path"]
                found = events(path.read_text(encoding="utf-8"), link["path"])
                if not any((event.line, event.date) == (link["line"], link["date"]) for event in found):
                    missing.append((questions.parent.name, link["path"], link["line"]))
    assert missing == []
