"""Events of meeting notes and daily notes."""

from __future__ import annotations

from indexer.events import find_events
from indexer.parse import parse
from indexer.types import Event, SourceFile


def events(text: str, path: str = "folder/Note.md") -> list[Event]:
    """The events of a note of the vault."""
    file = SourceFile("", path, "note", len(text), 1_700_000_000_000_000_000)
    return find_events(parse(file, text.encode()))


MINUTES = """# TAG Teleconference

## Call Minutes

Present: Dan, Amy

#### [Soft Navigations](https://github.com/w3ctag/design-reviews/issues/879) - @LeaVerou, @plinss

Peter: looks like performance

#### [EditContext API](https://github.com/w3ctag/design-reviews/issues/416) - @cynthia

#### [Compression](https://github.com/w3ctag/design-reviews/issues/877) [17:04]

Dan: any news here on this one at all?

RESOLVED: We close it as satisfied because the privacy section is good
"""


def test_each_agenda_heading_is_an_event_of_the_meetings_day() -> None:
    """Name without people and time, first words said, the issue as a link; a bare heading is chatter."""
    found = events(MINUTES, "2023/telcons/09-04-minutes.md")
    assert [(e.line, e.kind) for e in found] == [(7, "outcome"), (11, "chatter"), (13, "decision"), (17, "decision")]
    assert {e.date for e in found} == {"2023-09-04"}
    assert found[0].what == "Soft Navigations: Peter: looks like performance"
    assert found[1].what == "EditContext API"
    assert found[2].what.startswith("Compression: RESOLVED: We close it as satisfied")
    assert [e.links[0] for e in found[:3]] == [f"w3ctag/design-reviews#{number}" for number in (879, 416, 877)]
    assert found[3].reason == "the privacy section is good"


def test_decision_tables_and_marked_lines_of_a_call() -> None:
    """Rows name their record, marked lines keep their number as thread."""
    text = (
        "# Core Devs Meeting 74\n\n### Date/Time: Friday 1 November 2019\n\n"
        "# Decisions\n\n| Topic | Decision |\n|---|---|\n"
        "| EIP-152 | `Accepted & Final` |\n\n# Summary\n\n"
        "**DECISION 60.1**: Go with six months.\n\n### ACTIONS REQUIRED\n\n"
        "**ACTION 58.1:** Look at EIP-1\n"
    )
    found = {e.line: e for e in events(text, "Meetings/Meeting 74.md")}
    assert (found[9].what, found[9].thread, found[9].date) == ("EIP-152: Accepted & Final", "EIP-152", "2019-11-01")
    assert (found[13].what, found[13].thread, found[13].kind) == ("Go with six months.", "DECISION 60.1", "decision")
    assert (found[17].kind, found[17].thread, found[17].links) == ("outcome", "ACTION 58.1", ("EIP-1",))


def test_status_table_of_a_call() -> None:
    """`Status | EIP` rows are outcomes."""
    text = "# Call\n\n## EIP Status\n\n| Status | EIP |\n|---|---|\n| Accepted | EIP-152, EIP-1108 |\n"
    event = events(text, "calls/2019-12-13 call.md")[-1]
    assert (event.what, event.kind, event.status) == ("EIP-152, EIP-1108: Accepted", "outcome", "accepted")
    assert event.links == ("EIP-152", "EIP-1108")


def test_conclusions_are_told_with_their_topic() -> None:
    """`Stage 2` alone says nothing."""
    text = (
        "# Meeting Notes\n\n## 5.1 Temporal\n\n"
        "DH: we talked about it at length\n\n#### Conclusion/Resolution\n\n- Stage 2\n"
    )
    found = events(text, "meetings/2015-09-22.md")
    assert [(e.line, e.what) for e in found][-1] == (9, "Temporal: Stage 2")


def test_bullets_on_issues_are_agenda_items() -> None:
    """Minutes that list issues as bullets; one that has a heading is told once."""
    text = (
        "# TSC Meeting\n\n## Items\n\n* Update V8 [#1](https://github.com/nodejs/node/pull/1)\n"
        "* Drop Python 2 [#9](https://github.com/nodejs/node/issues/9): agreed to land\n"
    )
    found = {e.line: e for e in events(text, "meetings/2023-01-04.md")}
    assert (found[5].kind, found[5].links) == ("chatter", ("nodejs/node#1",))
    assert (found[6].kind, found[6].links) == ("outcome", ("nodejs/node#9",))


def test_sections_that_name_a_record_often_are_linked_to_it() -> None:
    """Two times make a section be about it."""
    text = "# Call\n\n## Gas\n\nA: EIP-1559 changes the fee market a lot.\n\nB: yes, EIP-1559 and EIP-20 do.\n"
    (event,) = events(text, "calls/2020-01-01 call.md")
    assert event.links == ("EIP-1559",)


def test_daily_note_tells_only_what_was_said() -> None:
    """Bare headings of a daily template are no events."""
    text = (
        "# 2026-01-17\n\n## Ideas\n\n## Firing log\n\n"
        "Bisque at 940 degrees, nothing broke.\n\n## Decisions\n- Celadon, because Joana wants green\n"
    )
    found = events(text, "Daily/2026-01-17.md")
    assert [(e.line, e.what) for e in found] == [
        (5, "Firing log: Bisque at 940 degrees, nothing broke"),
        (10, "Celadon"),
    ]


def test_undated_meeting_gives_no_headings() -> None:
    """The time of the last change is not the day of the meeting."""
    assert events("# Call\n\n## Gas\n\nLong talk about the gas price here.\n", "calls/call.md") == []
