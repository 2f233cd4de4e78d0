"""The contract of every format: one sample a reader, which says the same in its own way, and hostile files."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.chunk import chunk
from indexer.errors import ParseError
from indexer.parse import PARSERS, parse
from indexer.types import Document, SourceFile

SAMPLES = Path(__file__).parent / "samples"
READERS = {row.module: suffix for suffix, row in reversed(PARSERS.items())} | {"code": ".py"}  # with one suffix each
EXTRACTED = {"canvas", "notebook", "html", "pdf", "docx"}
RAW = sorted(suffix for suffix in READERS.values() if PARSERS[suffix].raw)
each_reader = pytest.mark.parametrize("reader", sorted(READERS.keys() - {"view"}))


def sample(suffix: str) -> bytes:
    """The sample of a format."""
    return (SAMPLES / f"retry-policy{suffix}").read_bytes()


def read(suffix: str, data: bytes, name: str = "retry-policy") -> Document:
    """A document of the vault."""
    return parse(
        SourceFile("", f"notes/{name}{suffix}", PARSERS[suffix].kind, len(data), 1_700_000_000 * 10**9), data
    )


def check(document: Document) -> None:
    """What holds of every document: lines in range and in order, plain meta data, chunks that are its lines."""
    lines = document.text.split("\n")
    assert [b.start_line for b in document.blocks] == sorted(b.start_line for b in document.blocks)
    assert all(1 <= b.start_line <= b.end_line <= len(lines) for b in document.blocks)
    assert all(1 <= link.line <= len(lines) and link.target for link in document.links)
    assert all(1 <= line <= len(lines) for line in document.block_ids.values())
    assert document.title.strip() and len(document.digest) == 32
    json.dumps(document.meta)
    document.text.encode()
    for piece in chunk(document):
        assert 1 <= piece.start_line <= piece.end_line <= len(lines)


# samples


@each_reader
def test_a_sample_is_read_without_a_problem(reader: str) -> None:
    """It has the title, the date of the note or of its last change, and keeps the promises of a document."""
    document = read(READERS[reader], sample(READERS[reader]))
    check(document)
    assert document.title.lower().replace("-", " ").startswith("retry policy")
    assert document.date and not document.problems


@each_reader
def test_a_word_is_found_on_its_line(reader: str) -> None:
    """The word stands in one line, a block is about that line, and a chunk has it there."""
    document = read(READERS[reader], sample(READERS[reader]))
    (line,) = (number for number, text in enumerate(document.text.split("\n"), 1) if "needle" in text)
    assert any(block.start_line <= line <= block.end_line for block in document.blocks)
    (piece,) = (piece for piece in chunk(document) if "needle" in piece.text)
    assert "needle" in piece.text.split("\n")[line - piece.start_line]


@each_reader
def test_a_sample_has_its_headings_items_and_rows(reader: str) -> None:
    """Structure becomes blocks of the same kinds in every format that has it."""
    document = read(READERS[reader], sample(READERS[reader]))
    if reader in ("text", "code", "excalidraw"):
        return
    headings = [block.text for block in document.blocks if block.kind == "heading"]
    assert ("Page 2" if reader == "pdf" else "Limits") in headings
    if reader != "pdf":
        assert any(block.kind == "item" and block.text == "wait two seconds" for block in document.blocks)
    if reader not in ("pdf", "canvas", "notebook"):
        rows = [(block.level, block.cells) for block in document.blocks if block.kind == "row"]
        assert rows == [(0, ("Try", "Wait")), (1, ("1", "2 s"))]


@each_reader
def test_a_sample_leads_to_the_other_file(reader: str) -> None:
    """A link to another file is kept with its line."""
    document = read(READERS[reader], sample(READERS[reader]))
    if reader not in ("text", "code", "pdf"):
        (link,) = document.links
        assert link.target.startswith("other")
        assert "other" in document.text.split("\n")[link.line - 1]


@each_reader
def test_extracted_text_says_so(reader: str) -> None:
    """A reader of the file takes its lines from `parse` when they are not the file's."""
    data = sample(READERS[reader])
    document = read(READERS[reader], data)
    assert (document.meta.get("extracted") is True) == (reader in EXTRACTED)
    if reader not in EXTRACTED:
        assert document.text.count("\n") == data.count(b"\n")


def test_every_reader_has_a_sample() -> None:
    """A new format brings its sample."""
    assert {path.name.removeprefix("retry-policy") for path in SAMPLES.glob("retry-policy*")} == set(READERS.values())


def test_a_view_is_skipped_with_a_reason() -> None:
    """An Obsidian Base holds no text of its own."""
    with pytest.raises(ParseError, match="holds no text"):
        read(".base", sample(".base"))


@pytest.mark.parametrize("size", [50_000, 2_500_000])
@pytest.mark.parametrize(
    ("suffix", "form"),
    [
        (".txt", "before {} after"),
        (".org", "before [[{}]] after"),
        (".rst", "before\n\n.. image:: {}\n\nafter"),
        (".html", '<p>before <img src="{}"> after</p>'),
        (".py", 'before = "{}"  # after'),
        (".canvas", '{{"nodes": [{{"id": "1", "type": "text", "text": "before ![x]({}) after"}}]}}'),
    ],
)
def test_f37_a_picture_in_the_text_makes_no_passages(suffix: str, form: str, size: int) -> None:
    """The words on its line stay, in every format."""
    data = form.format("data:image/png;base64," + "iVBORw0K/Go+" * (size // 12)).encode()
    document = read(suffix, data)
    assert len(chunk(document)) == 1
    assert "before" in document.text and "after" in document.text and "iVBOR" not in document.text
    assert not document.problems


def test_a_double_suffix_counts_before_its_last_part() -> None:
    """`x.excalidraw.md` is a drawing, and `x.org.md` is Markdown."""
    assert "N4KAkA" not in read(".excalidraw.md", sample(".excalidraw.md")).text
    assert read(".md", b"* a\n", name="x.org").blocks[0].kind == "item"


def test_a_missing_library_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra, a file is skipped and the reason says how to read it."""
    monkeypatch.setitem(__import__("sys").modules, "mammoth", None)
    with pytest.raises(ParseError) as caught:
        read(".docx", sample(".docx"))
    assert "pip install onebrain-search[formats]" in caught.value.what


# hostile bytes


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=300), st.sampled_from(RAW))
def test_any_bytes_are_read_or_refused(data: bytes, suffix: str) -> None:
    """No bytes raise anything but ParseError."""
    _read_or_refuse(suffix, data)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(RAW), st.integers(0, 3000), st.integers(0, 60), st.binary(max_size=20))
def test_a_damaged_sample_is_read_or_refused(suffix: str, start: int, length: int, other: bytes) -> None:
    """Neither a cut, a gap nor foreign bytes in a good file raise anything but ParseError."""
    data = sample(suffix)
    start %= len(data)
    _read_or_refuse(suffix, data[:start] + other + data[start + length :])


_PIECES = st.sampled_from(
    [
        *"\n\t\x0b\x0c\x85\u2028 *=-|:#[]`._+<>~\\\"'@,1aé中🎉",
        "\n\n", "\n* ", "\n** ", "\n- ", "\n  - ", "\n1. ", "\n  ", "\n    ", "\n===\n", "\n---\n", "TODO ", "word",
        ":PROPERTIES:\n", ":END:\n", ":ID: x\n", "#+TITLE: a\n", "#+begin_src\n", "#+end_src\n", "# ", "| a | b |\n",
        "|---+---|\n", "[[file:a.org]]", "<2024-99-99>", ".. note:: x\n", ".. ", ".. _a: b\n", "\n::\n\n", ":doc:`a`",
        "``a``", "**", "_", "|a|", "== ==\n", ":a: b\n", "+--+--+\n", ".. include:: /etc/hostname\n",
        ".. code::\n\n  x\n", "A: b\n", ".. [1] a\n", "\\", "`a <b>`_", "%%\n", "# Drawing\n",
    ]
)  # fmt: skip


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from([".rst", ".org", ".excalidraw.md"]), st.lists(_PIECES, max_size=40).map("".join))
def test_any_marked_up_text_keeps_its_lines(suffix: str, text: str) -> None:
    """Line i of the document is line i of the file, or blank."""
    document = read(suffix, text.encode())
    check(document)
    assert not any("structure not read" in problem for problem in document.problems)
    lines = document.text.split("\n")
    file_lines = text.split("\n")
    assert len(lines) == len(file_lines)
    if suffix != ".excalidraw.md":
        assert all(line in ("", own) for line, own in zip(lines, file_lines, strict=True))


def _read_or_refuse(suffix: str, data: bytes) -> Document | None:
    """The document, or None when the file is refused in one line."""
    began = time.process_time()
    try:
        document = read(suffix, data)
    except ParseError as error:
        assert error.what and "\n" not in str(error)
        return None
    finally:
        assert time.process_time() - began < 20
    check(document)
    return document
