"""Ten malformed files of each format: every one is read, with what is wrong said, or refused with the reason."""

from __future__ import annotations

import io
import re
import time
import zipfile
from pathlib import Path

import pytest

from indexer.errors import ParseError
from indexer.parse import parse
from indexer.types import Document, SourceFile

SAMPLES = Path(__file__).parent / "samples"
PDF = (SAMPLES / "retry-policy.pdf").read_bytes()
DOCX = (SAMPLES / "retry-policy.docx").read_bytes()
SECONDS = 20  # far over what any of them takes, far under what a quadratic reader would


def _docx(method: int = zipfile.ZIP_DEFLATED, **parts: bytes | None) -> bytes:
    """The sample with parts replaced, by the start of their names, or left out."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(DOCX)) as source, zipfile.ZipFile(made, "w", method) as target:
        for name in source.namelist():
            key = re.sub(r"\W", "_", name.rpartition("/")[2].partition(".")[0]).strip("_")
            data = parts.get(key, source.read(name))
            if data is not None:
                target.writestr(name, data)
    return made.getvalue()


def _body(text: str, head: str = "") -> bytes:
    """A main part of a Word document with some XML as its body."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return f'<?xml version="1.0"?>{head}<w:document xmlns:w="{space}"><w:body>{text}</w:body></w:document>'.encode()


def _wrong_size(data: bytes) -> bytes:
    """The archive with a directory that says the main part unpacks to 10 bytes."""
    at = data.rindex(b"word/document.xml")  # the name in the directory, 46 bytes behind its entry's start
    return data[: at - 46 + 24] + (10).to_bytes(4, "little") + data[at - 46 + 28 :]


BOMB = '<!DOCTYPE a [<!ENTITY a "haha">' + "".join(
    f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefghi", "bcdefghij", strict=True)
)

# format -> name -> (bytes, what the refusal says, or "" for a document)
FILES: dict[str, dict[str, tuple[bytes, str]]] = {
    ".rst": {
        "empty": (b"", ""),
        "short underline": (b"Title\n==\n\ntext\n", ""),
        "levels out of order": (b"A\n=\n\nB\n-\n\nC\n~\n\nD\n^\n\nE\n-\n\nF\n~\n\nG\n\"\n\nH\n=\n\nI\n^\n", ""),
        "unclosed marks": (b"``a *b **c |d `e :pep:`x `f <g\n", ""),
        "broken table": (b"+---+---+\n| a | b\n+---+\n\n=== ===\na b\n=== ==\n", ""),
        "unknown directive": (b".. wrong:: x\n   :y: z\n\n   text\n", ""),
        "inclusion": (
            b".. include:: /etc/passwd\n\n.. raw:: html\n   :file: /etc/passwd\n\n"
            b".. csv-table::\n   :file: /etc/passwd\n",
            "",
        ),
        "deep lists": ("\n".join(" " * depth + "* a" for depth in range(1000)).encode(), ""),
        "not UTF-8": (b"caf\xe9 \xe0 la cr\xe8me\n====\n", ""),
        "binary": (bytes(range(256)) * 20, "binary"),
    },
    ".org": {
        "empty": (b"", ""),
        "unclosed block": (b"#+begin_src python\nx = 1\n* Heading\ntext\n", ""),
        "unclosed drawer": (b"* A\n:PROPERTIES:\n:ID: x\n* B\ntext\n", ""),
        "odd dates": (b"* A <2024-99-99 Mon 25:61>\nSCHEDULED: <2024-00-01>\nCLOCK: [x]--[y] =>  z\n", ""),
        "stars alone": (b"*\n**\n*** \n****a\n", ""),
        "broken table": (b"|\n||\n|-\n|a\n|-+-|x\n", ""),
        "many blocks": (b"#+begin_src\n" * 100_000, ""),
        "odd keyword lines": (b"#+\n#+:\n#+title\n#+title:\n#+todo: | | (\n#+filetags: ::::\n", ""),
        "not UTF-8": (b"* caf\xe9 \xe0 la cr\xe8me\n", ""),
        "binary": (bytes(range(256)) * 20, "binary"),
    },
    ".excalidraw.md": {
        "empty": (b"", ""),
        "no drawing": (b"# Text Elements\nword\n", ""),
        "drawing alone": (b"## Drawing\n```compressed-json\nabc\n```\n", ""),
        "unclosed front matter": (b"---\nexcalidraw-plugin: parsed\n", ""),
        "unclosed comment": (b"%%\n# Excalidraw Data\n## Text Elements\nword ^a\n", ""),
        "giant line": (b"# Text Elements\nword\n## Drawing\n" + b"x" * 5_000_000, ""),
        "giant line without a heading": (b"word\n" + b"x" * 5_000_000, ""),
        "two drawings": (b"## Drawing\na\n## Drawing\nb\n", ""),
        "marks alone": (b"%%\n" * 50_000, ""),
        "binary": (bytes(range(256)) * 20, "binary"),
    },
    ".canvas": {
        "empty": (b"", ""),
        "a list": (b"[]", "no object"),
        "null": (b"null", "no object"),
        "cut off": (b'{"nodes": [{"id": "a", "type": "te', "not valid JSON"),
        "nodes are no list": (b'{"nodes": {"a": 1}}', "no list"),
        "nodes are no objects": (b'{"nodes": [1, "a", null, []], "edges": [1]}', ""),
        "values of other types": (b'{"nodes": [{"type": "text", "text": 5, "x": "a"}, {"type": 7}], "edges": 3}', ""),
        "no numbers": (b'{"nodes": [{"type": "text", "text": "a", "x": NaN, "y": Infinity, "width": 1e999}]}', ""),
        "deep": (b'{"nodes": ' + b"[" * 100_000, "nested too deeply"),
        "half characters": (b'{"nodes": [{"type": "text", "text": "a\\ud800\\u0000b"}]}', ""),
    },
    ".ipynb": {
        "empty": (b"", ""),
        "a list": (b"[1]", "no object"),
        "cut off": (b'{"cells": [{"cell_type": "mark', "not valid JSON"),
        "no cells": (b'{"metadata": {}}', "no list of cells"),
        "cells are no list": (b'{"cells": "a"}', "no list of cells"),
        "cells are no objects": (b'{"cells": [1, null, "a", []]}', ""),
        "values of other types": (b'{"cells": [{"cell_type": 1, "source": {"a": 1}, "outputs": 5}]}', ""),
        "odd outputs": (b'{"cells": [{"cell_type": "code", "outputs": [1, {"data": 2}, {"ename": []}]}]}', ""),
        "unclosed fences": (b'{"cells": [{"cell_type": "markdown", "source": "```\\n%%\\n<!--"}]}', ""),
        "deep": (b'{"a":' * 100_000, "nested too deeply"),
    },
    ".html": {
        "empty": (b"", ""),
        "tags alone": (b"<html><body><p><div></table></td></p></ul><li>", ""),
        "never closed": (b"<div><p>a<b>b<i>c<table><tr><td>d<h1>e", ""),
        "deep": (b"<div>" * 200_000 + b"end", ""),
        "deep lists": (b"<ul><li>a" * 50_000, ""),
        "a wrong encoding": ("<meta charset=utf-8><p>caf\u00e9".encode("cp1252"), ""),
        "an unknown encoding": (b"<meta charset=klingon><p>caf\xe9", ""),
        "a codec that is none": (b"<meta charset=zip><p>caf\xe9", ""),
        "UTF-16": ("<p>caf\u00e9</p>".encode("utf-16"), ""),
        "binary": (bytes(range(256)) * 20, "binary"),
    },
    ".pdf": {
        "empty": (b"", "not a readable PDF"),
        "text": (b"just words\n", "not a readable PDF"),
        "head alone": (b"%PDF-1.7\n", "not a readable PDF"),
        "cut off": (PDF[: len(PDF) // 3], "not a readable PDF"),
        "encrypted": ((SAMPLES / "encrypted.pdf").read_bytes(), "encrypted"),
        "no table of objects": (PDF.replace(b"xref", b"xxxx"), ""),
        "words before it": (b"HTTP/1.1 200 OK\r\n\r\n" + PDF, ""),
        "a circle of pages": (PDF.replace(b"/Kids [3 0 R", b"/Kids [1 0 R"), ""),
        "a wrong page count": (PDF.replace(b"/Count 2", b"/Count 99999999"), ""),
        "a wrong stream length": (re.sub(rb"/Length \d+", b"/Length 9999999", PDF), ""),
    },
    ".docx": {
        "empty": (b"", "not a readable Word document"),
        "text": (b"just words\n", "not a readable Word document"),
        "cut off": (DOCX[: len(DOCX) // 2], "not a readable Word document"),
        "another archive": (_docx(document=None), "cannot be read"),
        "broken XML": (_docx(document=b"<w:document><w:body>"), "cannot be read"),
        "an encrypted or old one": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "encrypted"),
        "entities without end": (_docx(document=_body("<w:p>&j;</w:p>", BOMB + "]>")), "cannot be read"),
        "deep": (_docx(document=_body("<w:tbl><w:tr><w:tc>" * 3000 + "</w:tc></w:tr></w:tbl>" * 3000)), "nested"),
        "a zip bomb": (_docx(document=b" " * 7_000_000), "zip bomb"),
        "a lying directory": (_wrong_size(DOCX), "cannot be read"),
    },
}  # fmt: skip
CASES = [(suffix, name) for suffix, files in FILES.items() for name in files]


def _read(suffix: str, data: bytes) -> Document:
    """A document of the vault."""
    return parse(SourceFile("", f"note{suffix}", "note", len(data), 1_700_000_000 * 10**9), data)


@pytest.mark.parametrize(("suffix", "name"), CASES, ids=lambda value: value)
def test_a_malformed_file_is_read_or_refused_with_the_reason(suffix: str, name: str) -> None:
    """It ends soon, in a document or in one line that says what is wrong."""
    data, reason = FILES[suffix][name]
    began = time.process_time()
    if reason:
        with pytest.raises(ParseError, match=reason) as caught:
            _read(suffix, data)
        assert "\n" not in str(caught.value) and f"note{suffix}" in str(caught.value)
    else:
        document = _read(suffix, data)
        assert document.title
        assert "root:" not in document.text
    assert time.process_time() - began < SECONDS


def test_there_are_ten_of_each_format() -> None:
    """Each format that a library or an own reader takes apart has its ten files."""
    assert {suffix: len(files) for suffix, files in FILES.items()} == dict.fromkeys(FILES, 10)


def test_a_word_document_that_unpacks_to_too_much_text_is_refused() -> None:
    """Text that hardly shrinks is no bomb, but more than a document holds."""
    with pytest.raises(ParseError, match="over the limit"):
        _read(".docx", _docx(method=zipfile.ZIP_STORED, document=b"words " * 2_000_000))


def test_what_cannot_be_kept_is_a_problem_of_the_document() -> None:
    """Elements below the depth that libxml2 takes are left out, and this is said."""
    document = _read(".html", b"<p>before</p>" + b"<div>" * 5000 + b"end")
    assert "before" in document.text
    assert "nested too deeply" in document.problems[0]


def test_scanned_pages_are_a_problem_of_the_document() -> None:
    """A PDF without text says what it would need."""
    blank = re.sub(rb"\(.*?\) Tj", lambda match: b"( )" + b" " * (len(match[0]) - 6) + b" Tj", PDF)
    assert "text recognition" in _read(".pdf", blank).problems[0]
