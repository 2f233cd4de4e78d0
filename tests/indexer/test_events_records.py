"""Events of numbered records: ADRs in their common forms, PEPs, RFCs and other proposals."""

from __future__ import annotations

import pytest

from indexer.events import find_events
from indexer.events.references import issues, names, numbered, replacement
from indexer.parse import parse
from indexer.types import Event, SourceFile


def events(text: str, path: str = "folder/Note.md") -> list[Event]:
    """The events of a note of the vault."""
    file = SourceFile("", path, "note", len(text), 1_700_000_000_000_000_000)
    return find_events(parse(file, text.encode()))


NYGARD = """# 6. Send counts by HTTPS

Date: 2024-09-16

## Status

Superseded by [11. Send counts by MQTT again](0011-send-counts-by-mqtt.md)

Supersedes [2. Send counts by MQTT](0002-send-counts.md), amends [4](0004-x.md)

## Context

The broker fell over.

## Decision

Boats send counts by HTTPS, because a web server survives a crowd.
"""


def test_nygard_record_with_status_and_both_directions() -> None:
    """One event on the title; what it only amends is not replaced."""
    (event,) = events(NYGARD, "docs/adr/0006-send-counts-by-https.md")
    assert (event.line, event.date, event.what, event.thread) == (1, "2024-09-16", "Send counts by HTTPS", "ADR-6")
    assert (event.status, event.reason) == ("superseded", "a web server survives a crowd")
    assert event.supersedes == ("0002-send-counts.md",)
    assert event.superseded_by == ("0011-send-counts-by-mqtt.md",)


def test_madr_record_with_status_in_the_front_matter() -> None:
    """The chosen option gives the reason, the header the status."""
    text = (
        "---\nstatus: superseded by [0012](0012-keep.md)\ndate: 2024-12-03\n---\n# Store counts in Postgres\n\n"
        "## Context and Problem Statement\n\nTwo stores.\n\n## Decision Outcome\n\n"
        'Chosen option: "Postgres", because it joins in one query.\n'
    )
    (event,) = events(text, "decisions/0008-store-counts.md")
    assert (event.line, event.date, event.status) == (5, "2024-12-03", "superseded")
    assert (event.superseded_by, event.reason) == (("0012-keep.md",), "it joins in one query")


def test_log4brains_record_with_status_bullets() -> None:
    """`- Status: rejected` at the top is a header."""
    text = (
        "# Scan a ticket\n\n- Status: rejected\n- Date: 2025-04-07\n\n"
        "## Context and Problem Statement\n\nQueues.\n\n## Decision Outcome\n\nNo.\n"
    )
    (event,) = events(text, "decisions/20250407-scan-a-ticket.md")
    assert (event.date, event.status, event.reason) == ("2025-04-07", "rejected", "Queues")


def test_status_in_the_file_name_or_the_tags() -> None:
    """Where the text says nothing, the name or a tag does."""
    body = "## Context\n\nIt leaks.\n\n## Decision\n\nRestart.\n"
    (named,) = events(f"# 13. Restart\n\nDate: 2025-02-10\n\n{body}", "adr/0013-superseded-restart.md")
    (tagged,) = events(f"---\nslug: 18\ntags: [Superseded]\n---\n{body}", "adr/2022-04-13_018-single-state.md")
    assert (named.status, tagged.status) == ("superseded", "superseded")
    assert tagged.thread == "ADR-18"


def test_a_record_is_known_by_its_sections_in_any_folder() -> None:
    """Three of the usual headings are enough."""
    (event,) = events(
        "# Bun\n\n## Status\n\nAccepted\n\n## Context\n\nSlow.\n\n## Decision\n\nBun.\n", "notes/bun.md"
    )
    assert (event.status, event.what) == ("accepted", "Bun")


def test_verbs_in_file_names_do_not_turn_the_direction() -> None:
    """`Replaces [13](0013-superseded-x.md)` replaces."""
    found = replacement("Accepted. Replaces [13. Restart](0013-superseded-restart.md).")
    assert (found.supersedes, found.superseded_by) == (("0013-superseded-restart.md",), ())


@pytest.mark.parametrize(
    ("line", "supersedes", "superseded_by"),
    [
        ("⌛️ Superseded by [036. Multi-cluster](036-multi-cluster.md)", (), ("036-multi-cluster.md",)),
        ("Superseded [0019](0019-use-bash.md)", (), ("0019-use-bash.md",)),
        ("Superceded by ADR025", (), ("ADR-25",)),
        ("We supersede [ADR 17](/adr/17) and [ADR 27](/adr/27) decisions", ("/adr/17", "/adr/27"), ()),
        ("This ADR supersedes the decisions made in ADRs 60 and 61, but", ("ADR-60", "ADR-61"), ()),
        ("Superseded: 2019-12-19 by [ADR 14](0014-tagging.md)", (), ("0014-tagging.md",)),
        ("replaced by [[New Note]]", (), ("New Note",)),
        ("(replaces D-L1-1)", ("D-L1-1",), ()),
        ("this does not directly supersede [ADR23](/adr/23)", (), ()),
        ("we replaced the tyres", (), ()),
    ],
)
def test_replacement_as_written(line: str, supersedes: tuple[str, ...], superseded_by: tuple[str, ...]) -> None:
    """Names stay as they stand in the text."""
    found = replacement(line)
    assert (found.supersedes, found.superseded_by) == (supersedes, superseded_by)


PEP = """PEP: 713
Title: Callable Modules
Author: Amethyst Reese <amethyst at n7.gg>
Status: Rejected
Type: Standards Track
Created: 20-Apr-2023
Replaces: 700
Post-History: 23-Apr-2023, 25-Apr-2023
Resolution: 01-May-2023


Rejection Notice
================

The council felt no need. This is because nobody asked.
"""


@pytest.mark.parametrize("name", ["pep-0713.rst", "pep-0713.txt"])
def test_pep_header_and_rejection_section(name: str) -> None:
    """The proposal on its creation day, and its rejection on the day of the resolution."""
    proposal, rejection = events(PEP, f"peps/{name}")
    assert (proposal.line, proposal.date, proposal.what) == (2, "2023-04-20", "Callable Modules")
    assert (proposal.thread, proposal.status, proposal.supersedes) == ("PEP-713", "rejected", ("PEP-700",))
    assert (rejection.line, rejection.date, rejection.status) == (12, "2023-05-01", "rejected")
    assert rejection.reason == "nobody asked"


def test_resolution_header_without_a_section() -> None:
    """A dated resolution of an accepted proposal is its second event."""
    text = (
        "PEP: 1\nTitle: X\nStatus: Final\nCreated: 01-Jan-2020\n"
        "Resolution: 05-Jun-2020\n\nAbstract\n========\n\nText.\n"
    )
    first, second = events(text, "peps/pep-0001.txt")
    assert (first.status, second.status) == ("accepted", "accepted")
    assert (second.date, second.line) == ("2020-06-05", 5)


def test_plain_text_rfc() -> None:
    """Two columns, a centred title, a month for a date, numbers that go on in the next line."""
    text = (
        "\n\nInternet Engineering Task Force (IETF)            R. Fielding, Ed.\n"
        "Request for Comments: 9110                                   Adobe\n"
        "Obsoletes: 2818, 7230,                                      Fastly\n"
        "           7538                                    J. Reschke, Ed.\n"
        "Category: Standards Track                               June 2022\n\n\n"
        "                             HTTP Semantics\n\nAbstract\n\n   Text.\n"
    )
    (event,) = events(text, "rfc/rfc9110.txt")
    assert (event.thread, event.date, event.what) == ("RFC-9110", "2022-06-01", "HTTP Semantics")
    assert event.supersedes == ("RFC-2818", "RFC-7230", "RFC-7538")


def test_plain_text_rfc_with_a_long_title_and_a_reason() -> None:
    """A title of two lines at the margin; what the text says of replacing another is the reason."""
    text = (
        "Internet Engineering Task Force (IETF)                  R. Fielding, Ed.\n"
        "Request for Comments: 7230                                         Adobe\n"
        "Obsoletes: 2145, 2616                                    J. Reschke, Ed.\n"
        "Category: Standards Track                                      June 2014\n\n\n"
        "   Hypertext Transfer Protocol (HTTP/1.1): Message Syntax\n   and Routing\n\nAbstract\n\n"
        "   HTTP is a protocol.  This document replaces RFC 2616 because one text\n   for all was too long.\n"
    )
    (event,) = events(text, "rfc/rfc7230.txt")
    assert event.what == "Hypertext Transfer Protocol (HTTP/1.1): Message Syntax and Routing"
    assert event.reason == "one text for all was too long"


def test_an_old_rfc_has_its_number_from_its_file() -> None:
    """Its header writes it otherwise, or not at all."""
    text = (
        "     RFC #  822\n\n     Obsoletes:  RFC #733  (NIC #41952)\n\n\n"
        "                 ARPA INTERNET TEXT MESSAGES\n\n                 August 13, 1982\n"
    )
    (event,) = events(text, "rfc/rfc0822.txt")
    assert (event.thread, event.date, event.supersedes) == ("RFC-822", "1982-08-13", ("RFC-733",))
    assert event.what == "ARPA INTERNET TEXT MESSAGES"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("decisions/20240105-use-postgres.md", "20240105-use-postgres"),
        ("decision-records/2024-01-05-use-postgres/README.md", "2024-01-05-use-postgres"),
    ],
)
def test_a_record_without_a_number_is_called_by_its_file_or_folder(path: str, name: str) -> None:
    """So that others can name it, and it can be told from other notes."""
    text = "# Use Postgres\n\n## Status\n\nAccepted\n\n## Context\n\nX.\n\n## Decision\n\nY.\n"
    (event,) = events(text, path)
    assert event.thread == name


def test_rust_rfc_takes_its_title_from_the_file_name() -> None:
    """Its first heading is `Summary`."""
    text = (
        "- Feature Name: x\n- Start Date: 2014-03-11\n"
        "- RFC PR: [rust-lang/rfcs#1](https://github.com/rust-lang/rfcs/pull/1)\n\n# Summary\n\nText.\n"
    )
    (event,) = events(text, "rfcs/0001-private-fields.md")
    assert (event.thread, event.date, event.what) == ("RFC-1", "2014-03-11", "private fields")


def test_indented_header_of_a_bip() -> None:
    """A header inside a block has a margin."""
    text = (
        "<pre>\n  BIP: 1\n  Title: Purpose\n  Status: Replaced\n  Created: 2011-09-19\n  Superseded-By: 2\n</pre>\n"
    )
    (event,) = events(text, "bips/bip-0001.md")
    assert (event.what, event.status, event.superseded_by) == ("Purpose", "superseded", ("BIP-2",))


def test_numbered_records_and_issues_in_a_text() -> None:
    """Series are upper case; paths and longer words do not count."""
    assert numbered("EIP-1559, EIPs 20 and 21, rfc 1, EIPS/eip-7 and ADR 012") == [
        "EIP-1559",
        "EIP-20",
        "EIP-21",
        "ADR-12",
    ]
    assert issues("see https://github.com/w3ctag/design-reviews/issues/875#x") == ["w3ctag/design-reviews#875"]
    assert names("[a](b.md) and [[C|d]]") == ("b.md", "C")
