"""Bytes to text."""

from __future__ import annotations

import codecs
from hashlib import blake2b

import pytest

from indexer.errors import ParseError
from indexer.parse import parse
from indexer.types import Document, SourceFile


def _parse(data: bytes, path: str = "a/note.md") -> Document:
    """Parse bytes as a note."""
    return parse(SourceFile("", path, "note", len(data), 1_700_000_000_000_000_000), data)


@pytest.mark.parametrize(
    "data",
    [
        "# Grüße 日本\n".encode(),
        codecs.BOM_UTF8 + "# Grüße 日本\n".encode(),
        codecs.BOM_UTF16_LE + "# Grüße 日本\n".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "# Grüße 日本\n".encode("utf-16-be"),
        codecs.BOM_UTF32_LE + "# Grüße 日本\n".encode("utf-32-le"),
    ],
    ids=["utf-8", "utf-8 mark", "utf-16-le", "utf-16-be", "utf-32-le"],
)
def test_unicode_with_and_without_mark(data: bytes) -> None:
    """The mark is no part of the text."""
    document = _parse(data)
    assert (document.title, document.text, document.problems) == ("Grüße 日本", "# Grüße 日本\n", ())


def test_mark_before_front_matter() -> None:
    """A byte order mark does not hide the header."""
    assert _parse(codecs.BOM_UTF8 + b"---\ntitle: T\n---\n").title == "T"


def test_utf16_without_mark() -> None:
    """Zero bytes at every second place tell UTF-16."""
    assert _parse("# A heading in English\n\ntext\n".encode("utf-16-le")).title == "A heading in English"


def test_f75_one_legacy_byte_costs_nothing() -> None:
    """Byte 0xa2 in an English note is a cent sign, and it is said."""
    document = _parse(b"price: 5\xa2 a piece\n")
    assert document.text == "price: 5¢ a piece\n"
    assert "cp1252" in document.problems[0]


def test_f75_broken_byte_in_utf8_is_replaced() -> None:
    """A note that is UTF-8 but for one byte stays UTF-8."""
    document = _parse("Grüße an Zoë, déjà vu ".encode() + b"\xff end")
    assert document.text == "Grüße an Zoë, déjà vu \ufffd end"
    assert "1 byte" in document.problems[0]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        (
            "cp1251",
            "Решение принято на встрече: мы переходим на новую базу данных в марте. Причина простая — скорость.",
        ),
        ("shift_jis", "会議で決定しました。新しいデータベースに移行します。理由は速度です。来月から始めます。"),
        ("gb18030", "会议决定：我们在三月迁移到新的数据库。原因很简单，速度更快，维护也更容易。"),
        ("cp1252", "Le café est fermé à midi; l'équipe préfère déjeuner près du marché où l’été est doux."),
        ("cp874", "การประชุมตัดสินใจย้ายไปใช้ฐานข้อมูลใหม่ในเดือนมีนาคม เพราะเร็วกว่าเดิมมาก"),
    ],
)
def test_legacy_code_pages(encoding: str, text: str) -> None:
    """Old files of several scripts are read as what they are."""
    document = _parse((text * 3).encode(encoding))
    assert document.text == text * 3
    assert "not UTF-8" in document.problems[0]


def test_legacy_text_far_down_is_read_as_such() -> None:
    """The guess looks at the lines that tell, wherever they stand."""
    text = "Решение принято на встрече: мы переходим на новую базу данных в марте.\n" * 3
    document = _parse(b"plain words\n" * 10_000 + text.encode("cp1251"))
    assert document.text.endswith(text)


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 8,
        bytes(range(256)) * 64,
        b"PK\x03\x04" + b"\0\x01\x02\x03abc" * 100,
        b"\0" * 1000,
    ],
)
def test_binary_named_md_is_refused(data: bytes) -> None:
    """Binary content raises one line: what, where, what to do."""
    with pytest.raises(ParseError) as caught:
        _parse(data, "pictures/x.md")
    assert "binary" in str(caught.value) and "pictures/x.md" in str(caught.value) and caught.value.fix


def test_a_few_zero_bytes_are_text() -> None:
    """A stray zero byte does not make a long note binary."""
    assert _parse(b"words " * 500 + b"\0" + b" more").text.endswith(" more")


def test_digest_is_of_the_raw_bytes() -> None:
    """The digest tells any change of the file, line ends included."""
    assert _parse(b"a\r\n").digest == blake2b(b"a\r\n", digest_size=16).hexdigest() != _parse(b"a\n").digest


def test_empty_file() -> None:
    """Nothing in, an empty document out."""
    document = _parse(b"")
    assert (document.text, document.blocks, document.title) == ("", (), "note")
