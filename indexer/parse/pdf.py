"""PDF files: the text of each page under the heading `Page n`, by PDFium."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from threading import Lock
from typing import Any

from indexer.errors import ParseError
from indexer.parse.content import Content, ParseOptions
from indexer.parse.extraction import Extraction, one_line
from indexer.types import SourceFile, written

_MOST_PAGES = 2_000  # a page costs 1-5 ms
_MOST_SECONDS = 20.0  # for one file; looked at between pages
_WRONG_PASSWORD = 4  # FPDF_ERR_PASSWORD of PDFium's public header
_HYPHEN = re.compile("(?<=[^\\W\\d_])[\ufffe\x02]\r?\n?")  # what PDFium makes of a word that was cut at a line's end
_CREATED = re.compile(r"D:(\d{4})(\d\d)(\d\d)")
_NO_TITLE = re.compile(
    r"(?:untitled|microsoft (?:word|powerpoint)|powerpoint|slide 1|document\d*\b|none\b)"
    r"|.*\.(?:docx?|indd|tex|dvi|p(?:df|ptx?|s)|xlsx?|qxd|html?|rtf|odt|fm|pages)$|\W*$",
    re.IGNORECASE,
)
_ONE_AT_A_TIME = Lock()  # PDFium is not thread-safe, and `get` reads while the watcher indexes


def read(file: SourceFile, data: bytes, options: ParseOptions) -> Content:
    """Read a PDF. Raises ParseError when it is encrypted or damaged; pages past 2,000 or 20 seconds are left out."""
    with _ONE_AT_A_TIME:
        document = _opened(data, written(file.root, file.path))
        try:
            return _read(file, document)
        finally:
            document.close()


def _opened(data: bytes, where: str) -> Any:
    """Open a document from memory."""
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == _WRONG_PASSWORD:
            fix = "save a copy without a password"
            raise ParseError("encrypted: this PDF opens only with a password", where=where, fix=fix) from None
        raise ParseError(f"not a readable PDF: {error}"[:200], where=where) from None


def _read(file: SourceFile, document: Any) -> Content:
    """Gather the pages of an open document."""
    made = Extraction()
    count = len(document)
    until = time.monotonic() + _MOST_SECONDS
    read = empty = 0
    while read < count and read < _MOST_PAGES and not made.full and (time.monotonic() < until or not read):
        text = _page_text(document, read, made)
        read += 1
        if text.strip():
            made.heading(f"Page {read}", 1)
            made.paragraph(text)
        else:
            empty += 1
    if read < count:
        made.problems.append(f"only the first {read} of {count} pages are kept")
    if empty == read:
        made.problems.append("no page has text: scanned pictures need text recognition first")
    meta = dict(_meta(document))
    title = meta.pop("title", "")
    stem = file.path.rpartition("/")[2].rpartition(".")[0]
    return made.content(file, stem if _NO_TITLE.match(title) else title, {**meta, "pages": count})


def _page_text(document: Any, index: int, made: Extraction) -> str:
    """The text of a page, words joined that were cut at line ends; "" with a problem for a damaged page."""
    import pypdfium2

    try:
        page = document[index]
        try:
            text_page = page.get_textpage()
            try:
                return _HYPHEN.sub("", str(text_page.get_text_bounded()))
            finally:
                text_page.close()
        finally:
            page.close()
    except pypdfium2.PdfiumError as error:
        made.problems.append(f"page {index + 1} cannot be read: {error}"[:200])
        return ""


def _meta(document: Any) -> Iterator[tuple[str, str]]:
    """What the document says of itself: title, author, subject, keywords, and the day it was made."""
    for key in ("Title", "Author", "Subject", "Keywords"):
        value = one_line(document.get_metadata_value(key))[:500]
        if value:
            yield key.lower(), value
    created = _CREATED.match(document.get_metadata_value("CreationDate"))
    if created:
        yield "created", "-".join(created.groups())
