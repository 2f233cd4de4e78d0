"""reStructuredText: structure with true lines, headers of PEPs, links, and nothing read from elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.parse import ParseOptions, parse
from indexer.types import Block, Document, SourceFile

PEP = """PEP: 387
Title: Backwards ``Compatibility`` Policy
Author: A. Body <a@example.org>,
        B. Body <b@example.org>
Status: Active
Created: 18-Jun-2009
Replaces: 291, 5
Superseded-By:

Abstract
========

See :pep:`5`, :pep:`the first <1>` and :rfc:`822`.
"""


def _parse(text: str, path: str = "docs/note.rst", comments: bool = False) -> Document:
    """Parse a file of the vault."""
    file = SourceFile("", path, "note", len(text), 1_700_000_000_000_000_000)
    return parse(file, text.encode(), ParseOptions(comments=comments))


def _brief(document: Document) -> list[tuple[str, int, int, str]]:
    """Kind, lines and text of the blocks."""
    return [(block.kind, block.start_line, block.end_line, block.text) for block in document.blocks]


# headers


def test_a_pep_header_is_meta_data_title_and_date() -> None:
    """Its fields keep their names; folded lines are one value; the header stays in the text."""
    document = _parse(PEP, "pep-0387.rst")
    assert document.title == "Backwards Compatibility Policy"
    assert document.aliases == ("PEP 387", "pep-0387")
    assert (document.date, document.date_source) == ("2009-06-18", "front matter:Created")
    assert document.meta["Author"] == "A. Body <a@example.org>, B. Body <b@example.org>"
    assert document.meta["Status"] == "Active" and document.meta["Superseded-By"] == ""
    assert document.text == PEP
    assert [(block.start_line, block.end_line) for block in document.blocks] == [(1, 8), (10, 11), (13, 13)]


def test_a_pep_header_links_to_what_it_replaces() -> None:
    """The header's numbers are links to the files of those PEPs, as are the roles in the text."""
    links = [(link.target, link.line, link.display) for link in _parse(PEP, "pep-0387.rst").links]
    assert links[:2] == [("pep-0291", 7, "Replaces"), ("pep-0005", 7, "Replaces")]
    assert links[2:] == [("pep-0005", 13, ""), ("pep-0001", 13, "the first")]


def test_a_field_list_below_the_title_is_meta_data() -> None:
    """The bibliographic fields of docutils count, and a field list further down does not."""
    document = _parse("Title\n=====\n\n:Author: Me\n:Date: 2024-05-06\n\nText.\n\n:param x: number\n")
    assert dict(document.meta) == {"Author": "Me", "Date": "2024-05-06"}
    assert document.date == "2024-05-06"
    assert document.title == "Title"


# structure


def test_heading_levels_follow_the_order_of_their_marks() -> None:
    """With or without a line above, a title is its own line with the lines of its marks."""
    document = _parse("=====\n Top\n=====\n\nOne\n---\n\nTwo\n~~~\n\nthree\n\nFour\n----\n")
    assert [block for block in document.blocks if block.kind == "heading"] == [
        Block("heading", 1, 3, "Top", 1),
        Block("heading", 5, 6, "One", 2),
        Block("heading", 8, 9, "Two", 3),
        Block("heading", 13, 14, "Four", 2),
    ]


def test_list_items_have_their_depth_and_own_lines() -> None:
    """Bullets, numbers and terms of definitions are items; what follows in them are paragraphs."""
    text = "- one\n  more\n\n  - two\n\n  again\n\n1. three\n\nterm\n  meaning\n"
    assert [(b.kind, b.start_line, b.end_line, b.text, b.level) for b in _parse(text).blocks] == [
        ("item", 1, 2, "one\nmore", 1),
        ("item", 4, 4, "two", 2),
        ("paragraph", 6, 6, "again", 0),
        ("item", 8, 8, "three", 1),
        ("item", 10, 10, "term", 1),
        ("paragraph", 11, 11, "meaning", 0),
    ]


@pytest.mark.parametrize(
    ("table", "lines"),
    [
        ("=====  =====\nDate   What\n=====  =====\nMay 6  chose\n=====  =====\n", [(2, 2), (4, 4)]),
        (
            "+-------+-------+\n| Date  | What  |\n+=======+=======+\n| May 6 | chose |\n+-------+-------+\n",
            [(2, 2), (4, 4)],
        ),
        (
            ".. list-table::\n   :header-rows: 1\n\n   * - Date\n     - What\n   * - May 6\n     - chose\n",
            [(4, 5), (6, 7)],
        ),
        (".. csv-table::\n   :header-rows: 1\n\n   Date,What\n   May 6,chose\n", [(4, 4), (5, 5)]),
    ],
    ids=["simple", "grid", "list", "csv"],
)
def test_tables_of_every_form_have_rows_with_cells(table: str, lines: list[tuple[int, int]]) -> None:
    """The header is level 0; each row knows its lines."""
    rows = [block for block in _parse(table).blocks if block.kind == "row"]
    assert [(row.level, row.cells) for row in rows] == [(0, ("Date", "What")), (1, ("May 6", "chose"))]
    assert [(row.start_line, row.end_line) for row in rows] == lines


def test_literal_text_is_a_fence_however_it_is_written() -> None:
    """Behind two colons, in a code directive whatever its options, and at a Python prompt."""
    code = ".. code-block:: python\n\n   c = 1\n\n>>> d\n1\n\n.. code:: c\n   :linenos:\n\n   e\n"
    fences = [block for block in _parse(f"So::\n\n    a\n    b\n\n{code}").blocks if block.kind == "fence"]
    assert [(block.start_line, block.end_line) for block in fences] == [(3, 4), (8, 8), (10, 11), (13, 16)]


def test_notes_and_quotes_are_quotes() -> None:
    """Indented text and admonitions are told apart from the running text."""
    blocks = _brief(_parse(".. note::\n   mind this\n\ntext\n\n   quoted\n"))
    assert blocks == [("quote", 2, 2, "mind this"), ("paragraph", 4, 4, "text"), ("quote", 6, 6, "quoted")]


def test_a_directive_of_sphinx_is_text_and_its_contents_lead_to_documents() -> None:
    """What docutils does not know is kept as it stands; a toctree lists links; neither is a fault."""
    contents = ".. toctree::\n   :maxdepth: 2\n\n   intro\n   More <guide/more>\n"
    document = _parse(f".. versionadded:: 3.2\n\n   The new way.\n\n{contents}")
    assert [block[:3] for block in _brief(document)] == [("paragraph", 1, 3), ("paragraph", 5, 9)]
    links = [(link.target, link.line, link.display) for link in document.links]
    assert links == [("intro", 8, ""), ("guide/more", 9, "More")]
    assert not document.problems


def test_comments_are_blanked_unless_they_are_searched() -> None:
    """A comment is found only on request; the lines around it stay."""
    text = "one\n\n.. a remark\n   of two lines\n\n..\n   another\n\ntwo\n"
    assert _parse(text).text == "one\n\n\n\n\n\n\n\ntwo\n"
    assert "remark" in _parse(text, comments=True).text


# inside a line


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("``code *x*`` and *it* and **bold**", "code *x* and it and bold"),
        (":func:`~os.path.join` and `text`:title:", "os.path.join and text"),
        ("`the site <https://x.org>`_ and `name`_ and ref_", "the site and name and ref"),
        (":pep:`8`, :rfc:`2119#section-1`", "PEP 8, RFC 2119#section-1"),
        ("|version| of 2 * 3 * 4 and a*b*c", "version of 2 * 3 * 4 and a*b*c"),
        (r"10\ :sup:`-6` and \*args, snake_case_name", "10-6 and *args, snake_case_name"),
    ],
)
def test_text_is_rendered(written: str, shown: str) -> None:
    """Marks are no part of a block's text."""
    assert _parse(written + "\n").blocks[0].text == shown


def test_links_lead_to_documents_and_not_to_sites() -> None:
    """`:doc:`, relative targets and named targets are links; URLs and labels are not."""
    text = (
        ":doc:`/guide/intro`, :doc:`more <more>`,\n`here <other.rst#part>`_, `web <https://x.org>`_, :ref:`label`\n"
    )
    links = [(link.target, link.line, link.fragment) for link in _parse(text + "\n.. _named: third.rst\n").links]
    assert links == [("guide/intro", 1, ""), ("more", 1, ""), ("other.rst", 2, "part"), ("third.rst", 4, "")]


# safety


def test_no_directive_reads_a_file(tmp_path: Path) -> None:
    """Inclusion, raw input and tables from files stay what is written."""
    secret = tmp_path / "secret.txt"
    secret.write_text("marmalade", encoding="utf-8")
    lines = (f".. include:: {secret}", f".. raw:: html\n   :file: {secret}", f".. csv-table::\n   :file: {secret}")
    document = _parse("\n\n".join(lines))
    assert "marmalade" not in document.text + "".join(block.text + "".join(block.cells) for block in document.blocks)


def test_reading_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    """What docutils has to say is a problem of the document, not output."""
    _parse("Title\n=====\n\n- a\n b\n\n    c\n  d\n\nNext\n===\n\n.. wrong::\n")
    assert capfd.readouterr() == ("", "")


def test_a_fault_is_named_with_its_line() -> None:
    """Text that docutils could not place is a problem."""
    assert _parse("some\ntext\n  indented\n").problems == ("line 3: Unexpected indentation.",)


def test_a_file_too_deep_for_docutils_is_plain_text() -> None:
    """Its paragraphs are found all the same, and the problem is said."""
    document = _parse("\n".join(" " * depth + "* a" for depth in range(900)) + "\n\nneedle\n")
    assert document.blocks[-1].text == "needle"
    assert "structure not read" in document.problems[0]


def test_a_file_too_long_for_docutils_is_plain_text() -> None:
    """Its words are found, and the problem is said."""
    document = _parse("- word\n\n" * 60_000)
    assert document.blocks[-1] == Block("paragraph", 119_999, 119_999, "- word")
    assert "over 400,000 characters" in document.problems[0]


@pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x85", "\u2028"])
def test_odd_separators_end_no_line_for_docutils(mark: str) -> None:
    """Form feed, U+2028 and their like are characters of a line."""
    document = _parse(f"one{mark}two\n\nHead\n====\n")
    assert [(b.kind, b.start_line) for b in document.blocks] == [("paragraph", 1), ("heading", 3)]
