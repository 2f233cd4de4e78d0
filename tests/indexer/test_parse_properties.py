"""What holds for every input: lines stay true, nothing raises, blocks are in order."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.errors import ParseError
from indexer.parse import NOTE_SUFFIXES, PARSERS, ParseOptions, parse
from indexer.parse.decoding import decode
from indexer.types import Document, SourceFile

_PIECES = st.sampled_from(
    [
        *"\n\r\t\x0b\x0c\x85\u2028 #->`*_[]()|^%!$~=+:;&<\\\"'{}@,.1aé中ก็🎉",
        "---\n", "\r\n", "```", "%%", "<!--", "-->", "[[", "]]", "![[", "data:image/png;base64,", " ^id", "key:: v",
        "| a | b |\n|---|---|\n", "- [ ] ", "> [!note]- ", "    ", "\n\n", "===\n", "[^1]", "$$", "title: ", "a: b\n",
        "#tag", "<div>", "2024-05-06", "\n- ", "\n  - ", "1. ", "![](", "](", "tags: [", "\ufeff", "\0",
    ]
)  # fmt: skip
_MARKDOWN = st.lists(_PIECES, max_size=60).map("".join)
_FRONT = st.tuples(st.lists(_PIECES, max_size=25), st.sampled_from(["", "\n", "\nbody", "\n---\na: 1\n---\n"])).map(
    lambda parts: "---\n" + "".join(parts[0]) + "\n---" + parts[1]
)


def _file(path: str = "note.md") -> SourceFile:
    """A file of the vault."""
    return SourceFile("", path, "note", 0, 1_700_000_000_000_000_000)


def _check(document: Document, data: bytes) -> None:
    """The lines of a document are those of its file; blocks and links lie in them."""
    text, _ = decode(data, "note.md")
    count = text.count("\n") + 1
    assert document.text.count("\n") + 1 == count
    last = 0
    for block in document.blocks:
        assert 1 <= block.start_line <= block.end_line <= count
        assert block.start_line >= last
        last = block.start_line
    assert all(1 <= link.line <= count and link.target for link in document.links)
    assert all(1 <= line <= count for line in document.block_ids.values())
    json.dumps(document.meta)


@settings(max_examples=300, deadline=None)
@given(_MARKDOWN | st.text(max_size=300) | _FRONT, st.booleans())
def test_any_markdown_keeps_its_lines(text: str, comments: bool) -> None:
    """Whatever a note holds, line i of its text is line i of the file."""
    data = text.encode("utf-8", "replace")
    try:
        document = parse(_file(), data, ParseOptions(comments=comments))
    except ParseError:
        assert b"\0" in data
        return
    _check(document, data)


@settings(max_examples=300, deadline=None)
@given(_MARKDOWN)
def test_unblanked_lines_stay_word_for_word(text: str) -> None:
    """A line that holds nothing to blank is the file's line."""
    plain = text.translate(str.maketrans("", "", "%<^:\0\r\ufeff")) + "\n"
    document = parse(_file(), plain.encode())
    file_lines, lines = plain.split("\n"), document.text.split("\n")
    if not plain.startswith("---"):
        assert lines == file_lines


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400), st.sampled_from(sorted(PARSERS)))
def test_any_bytes_parse_or_are_refused_as_binary(data: bytes, suffix: str) -> None:
    """No bytes raise anything but ParseError, in any format."""
    if PARSERS[suffix].raw:
        return
    file = _file("x" + suffix)
    try:
        document = parse(file, data)
    except ParseError:
        return
    _check(document, data)


@pytest.mark.parametrize("suffix", sorted(PARSERS))
def test_each_row_reads_a_small_file(suffix: str) -> None:
    """Each row of the table gives a document with a title, a digest and a date."""
    if PARSERS[suffix].raw:
        pytest.skip("has its own sample")
    document = parse(_file("folder/sample" + suffix), b"first line\n\nsecond line\n")
    assert document.title and len(document.digest) == 32 and document.date
    assert document.text.split("\n")[2] == "second line"
    assert (suffix in NOTE_SUFFIXES) == (PARSERS[suffix].kind == "note")


@pytest.mark.parametrize(
    "text",
    [
        ">" * 10_000 + " deep",
        "[" * 100_000,
        "[[" * 50_000 + "]]",
        "- " * 10_000 + "x",
        "<!--" * 50_000,
        "%%" * 50_001,
        "#" * 100_000,
        "^a " * 50_000,
        "a:: " * 50_000,
        "[a:: " * 50_000,
        "data:image/png," * 30_000,
        "`" * 100_000,
        "$" * 100_000,
        "| a" * 20_000 + "\n" + "|-" * 20_000,
        "\n".join("  " * depth + "- x" for depth in range(1500)),
        "---\na: " + "[" * 100_000 + "\n---\n",
        "---\n" + "b:\n" * 20_000 + "\tx\n---\n",
        "1" * 200_000,
        "2024-" * 50_000,
        "x" * 20_000_000,
        "<a " * 50_000,
    ],
    ids=lambda text: f"{text[:6]!r}x{len(text)}",
)
def test_f62_deep_and_giant_input_ends(text: str) -> None:
    """Deep nesting and giant lines end soon: far from the minutes a quadratic pattern would take."""
    data = text.encode()
    began = time.process_time()
    for path in ("note.md", "note.txt", "note.py"):
        _check(parse(_file(path), data), data)
    assert time.process_time() - began < 20


def test_f62_giant_line_is_left_out_and_reported() -> None:
    """A line of a million characters without words is blanked, the rest stays."""
    document = parse(_file(), b"before\n" + b"x" * 1_500_000 + b"\nafter\n")
    assert document.text == "before\n\nafter\n"
    assert "line 2" in document.problems[0]


def test_f40_long_prose_line_stays() -> None:
    """A long line of words is text, wherever in it a word stands."""
    document = parse(_file(), b"word " * 400_000 + b"needle")
    assert document.text.endswith("needle") and not document.problems


@pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\x1c"])
def test_odd_separators_end_no_line(mark: str) -> None:
    """Form feed, U+2028 and their like are characters of a line."""
    document = parse(_file(), f"one{mark}two\n\n# Head\n".encode())
    assert document.text.split("\n")[0] == f"one{mark}two"
    assert [block.start_line for block in document.blocks if block.kind == "heading"] == [3]


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_line_ends_of_all_systems_count_alike(end: str) -> None:
    """CRLF and CR are line ends like LF."""
    document = parse(_file(), end.join(["# A", "", "text", "", "## B", ""]).encode())
    assert [(b.kind, b.start_line) for b in document.blocks] == [("heading", 1), ("paragraph", 3), ("heading", 5)]
