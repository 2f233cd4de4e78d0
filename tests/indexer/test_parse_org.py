"""Org files: the outline, keywords and drawers as meta data, lists, tables, blocks, links."""

from __future__ import annotations

import pytest

from indexer.parse import ParseOptions, parse
from indexer.types import Block, Document, SourceFile


def _parse(text: str, path: str = "roam/note.org", comments: bool = False) -> Document:
    """Parse a file of the vault."""
    file = SourceFile("", path, "note", len(text), 1_700_000_000_000_000_000)
    return parse(file, text.encode(), ParseOptions(comments=comments))


def _brief(document: Document) -> list[tuple[str, int, int, str]]:
    """Kind, lines and text of the blocks."""
    return [(block.kind, block.start_line, block.end_line, block.text) for block in document.blocks]


# meta data


def test_keywords_are_meta_data_and_no_text() -> None:
    """Title, date, tags and others; `title` may take several lines; words of keywords are not found."""
    document = _parse(
        "#+TITLE: Retry\n#+title: policy\n#+DATE: <2024-05-06 Mon>\n#+FILETAGS: :work:api:\n#+author: Me\n\ntext\n"
    )
    assert document.title == "Retry policy"
    assert (document.date, document.date_source) == ("2024-05-06", "front matter:date")
    assert document.tags == ("work", "api")
    assert document.meta["author"] == "Me"
    assert document.text == "\n\n\n\n\n\ntext\n"
    assert document.aliases == ("note",)


def test_the_drawer_of_the_file_is_meta_data() -> None:
    """Its id and aliases lead to the file, its other properties are those of a front matter."""
    document = _parse(
        ':PROPERTIES:\n:ID: 1-2\n:ROAM_ALIASES: "Retry rule" tries\n:CREATED: [2024-05-06]\n:END:\n#+title: R\n'
    )
    assert document.aliases == ("Retry rule", "tries", "note", "1-2")
    assert document.date == "2024-05-06"
    assert document.block_ids == {"1-2": 1}
    assert not document.text.strip()


def test_the_id_of_a_heading_names_its_line() -> None:
    """Its drawer is no text, and no meta data of the file."""
    document = _parse("* A\n* B\n:PROPERTIES:\n:ID: x-1\n:EFFORT: 3\n:END:\ntext\n")
    assert document.block_ids == {"x-1": 2}
    assert document.meta == {}
    assert document.text == "* A\n* B\n\n\n\n\ntext\n"


def test_without_a_title_the_name_is_the_title() -> None:
    """Headings of an outline are its parts, not its name."""
    assert _parse("* First\n* Second\n").title == "note"


# outline


def test_headings_lose_state_priority_and_tags() -> None:
    """States are those of Org, common ones, and those that the file defines; levels end at six."""
    states = "#+TODO: OPEN(o) | SHUT\n* TODO [#A] Call *Anna* :home:phone:\n** OPEN b\n"
    document = _parse(states + "******** deep\n* TODOS stay\n*no heading*\n")
    assert document.blocks == (
        Block("heading", 2, 2, "Call Anna", 1),
        Block("heading", 3, 3, "b", 2),
        Block("heading", 4, 4, "deep", 6),
        Block("heading", 5, 5, "TODOS stay", 1),
        Block("paragraph", 6, 6, "no heading"),
    )
    assert document.tags == ("home", "phone")


def test_list_items_have_their_depth_and_own_lines() -> None:
    """Bullets and numbers, with their further lines; a paragraph at the margin ends the list."""
    text = "- one\n  more\n  1. two\n     - [ ] three\n+ four\n\n  in four\n\ntext\n- five\n"
    assert [(b.kind, b.start_line, b.end_line, b.text, b.level) for b in _parse(text).blocks] == [
        ("item", 1, 2, "one\nmore", 1),
        ("item", 3, 3, "two", 2),
        ("item", 4, 4, "[ ] three", 3),
        ("item", 5, 5, "four", 1),
        ("paragraph", 7, 7, "in four", 0),
        ("paragraph", 9, 9, "text", 0),
        ("item", 10, 10, "five", 1),
    ]


def test_tables_have_rows_without_their_rules() -> None:
    """The first row is the header; a table is known by its bars alone."""
    blocks = _parse("|---+---|\n| A | [[file:b.org][B]] |\n|---+---|\n| 1 | 2\n").blocks
    assert blocks == (Block("row", 2, 2, "", 0, ("A", "B")), Block("row", 4, 4, "", 1, ("1", "2")))


def test_blocks_are_fences_and_quotes() -> None:
    """Code and literal lines are kept as they stand; any other block is a quote; a comment is blanked."""
    text = (
        "#+BEGIN_SRC sh\n* no heading\n#+END_SRC\n: literal\n: too\n#+begin_quote\nsaid\n#+end_quote\n"
        "#+begin_comment\nhidden\n#+end_comment\n# remark\nend\n"
    )
    document = _parse(text.replace("* no", ",* no"))
    assert _brief(document) == [
        ("fence", 1, 3, ""), ("fence", 4, 5, ""), ("quote", 7, 7, "said"), ("paragraph", 13, 13, "end"),
    ]  # fmt: skip
    assert "hidden" not in document.text and "remark" not in document.text
    assert "hidden" in _parse(text, comments=True).text and "remark" in _parse(text, comments=True).text


def test_a_block_that_is_never_closed_hides_no_heading() -> None:
    """It ends at the next heading, as in Org."""
    assert [b.text for b in _parse("#+begin_src\nx\n* Next\n").blocks if b.kind == "heading"] == ["Next"]


# links


@pytest.mark.parametrize(
    ("written", "link"),
    [
        ("[[file:other.org::*Limits][the limits]]", ("other.org", "Limits", "the limits", False)),
        ("[[./sub/other.org]]", ("./sub/other.org", "", "", False)),
        ("[[file:a#b.org]]", ("a#b.org", "", "", False)),
        ("[[id:1-2][Retry]]", ("1-2", "", "Retry", True)),
        ("[[https://x.org][site]]", None),
        ("[[*Heading]]", None),
        ("[[#custom]]", None),
    ],
)
def test_links_lead_to_files_and_ids(written: str, link: tuple[str, str, str, bool] | None) -> None:
    """Sites and places in the same file are no links between notes."""
    found = [(found.target, found.fragment, found.display, found.wiki) for found in _parse(f"see\n{written}\n").links]
    assert found == ([link] if link else [])


def test_text_is_rendered() -> None:
    """A link is its description; marks of bold, code and verbatim are no text; paths keep their slashes."""
    assert _parse("*Bold* and =code=, ~x~ in [[id:1][Retry]] at /usr/bin/x 2*3*4\n").blocks[0].text == (
        "Bold and code, x in Retry at /usr/bin/x 2*3*4"
    )
