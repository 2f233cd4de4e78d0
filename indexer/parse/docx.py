"""Word documents: mammoth makes HTML of them, and its headings, lists and tables are read as those of a page."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

from indexer.errors import ParseError
from indexer.parse.content import Content, ParseOptions
from indexer.parse.extraction import Extraction, one_line
from indexer.parse.html import extract
from indexer.types import SourceFile, written

_MOST_TEXT = 8_000_000  # bytes of XML in all, about 600 pages: mammoth takes a second and 50 MB of memory for each MB
_MOST_RATIO = 200  # unpacked to packed size of a part over a megabyte; Word's own XML has up to 50
_MOST_PARTS = 10_000
_OLD_FORMAT = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # an OLE container: encrypted, or a .doc
_PROPERTIES = "docProps/core.xml"
_NAMES = {
    "{http://purl.org/dc/elements/1.1/}title": "title",
    "{http://purl.org/dc/elements/1.1/}creator": "author",
    "{http://purl.org/dc/elements/1.1/}subject": "subject",
    "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}keywords": "keywords",
    "{http://purl.org/dc/terms/}created": "created",
}


def read(file: SourceFile, data: bytes, options: ParseOptions) -> Content:
    """Read a document. Raises ParseError when it is encrypted, damaged or would unpack to far more than it is."""
    import mammoth

    where = written(file.root, file.path)
    if data.startswith(_OLD_FORMAT):
        fix = "save it as .docx without a password"
        raise ParseError("encrypted, or in the old .doc format", where=where, fix=fix)
    try:
        with ZipFile(BytesIO(data)) as archive:
            _check_sizes(archive, where)
            meta = dict(_properties(archive))
    except (BadZipFile, ElementTree.ParseError, NotImplementedError, OSError) as error:
        raise ParseError(f"not a readable Word document: {error}"[:200], where=where) from None
    page = mammoth.convert_to_html(BytesIO(data), convert_image=lambda image: [], external_file_access=False)
    made = Extraction()
    extract(page.value, made)
    return made.content(file, meta.pop("title", ""), meta)


def _check_sizes(archive: ZipFile, where: str) -> None:
    """Raise ParseError for an archive that is a bomb or too big, by what its directory says.

    That can be trusted: zipfile never unpacks more than the size given there.
    """
    parts = archive.infolist()
    total = sum(part.file_size for part in parts if part.filename.endswith((".xml", ".rels")))
    bomb = any(part.file_size > 1_000_000 and part.file_size > _MOST_RATIO * part.compress_size for part in parts)
    if bomb or len(parts) > _MOST_PARTS:
        raise ParseError("a zip bomb: it unpacks to far more than its size", where=where, fix="exclude it")
    if total > _MOST_TEXT:
        limit = f"{_MOST_TEXT / 1e6:g} MB"
        raise ParseError(f"unpacks to {total / 1e6:.0f} MB of text, over the limit of {limit}", where=where)


def _properties(archive: ZipFile) -> Iterator[tuple[str, str]]:
    """What the document says of itself: title, author, subject, keywords, and the day it was made."""
    if _PROPERTIES not in archive.namelist():
        return
    for element in ElementTree.fromstring(archive.read(_PROPERTIES)):
        name, value = _NAMES.get(element.tag, ""), one_line(element.text or "")[:500]
        if name and value:
            yield name, value[:10] if name == "created" else value
