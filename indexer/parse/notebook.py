"""Jupyter notebooks: Markdown cells as notes, code cells as code with what they printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from indexer.errors import ParseError
from indexer.parse.content import Content, ParseOptions
from indexer.parse.extraction import Extraction, one_line
from indexer.parse.json_file import load_object
from indexer.types import SourceFile, written

_MOST_OUTPUT = 2_000  # characters kept of what one cell printed: the figures, without the logs
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s", re.MULTILINE)


def read(file: SourceFile, data: bytes, options: ParseOptions) -> Content:
    """Read a notebook of nbformat 3 or 4. Without headings of its own, each cell is under `Cell n`."""
    book = load_object(file, data)
    cells = [cell for cell in _cells(book, written(file.root, file.path)) if isinstance(cell, dict)]
    language = _language(book)
    headed = any(_is_headed(cell) for cell in cells)
    made = Extraction()
    for number, cell in enumerate(cells, 1):
        if not headed and _source(cell).strip():
            made.heading(f"Cell {number}", 1)
        _add(cell, made, file, options, language)
    own = _mapping(book.get("metadata")).get("title")
    title = own if isinstance(own, str) else ""
    if not headed and not title and "title" not in made.meta:
        title = file.path.rpartition("/")[2].rpartition(".")[0]
    return made.content(file, title, {"language": language} if language else {})


def _cells(book: dict[str, Any], where: str) -> list[Any]:
    """The cells of a notebook, of its first sheet in the old format. Raises ParseError when there are none."""
    sheets = book.get("worksheets")
    if "cells" not in book and isinstance(sheets, list) and sheets:
        book = _mapping(sheets[0])
    cells = book.get("cells", [] if not book else None)
    if not isinstance(cells, list):
        raise ParseError("not a notebook: it has no list of cells", where=where)
    return cells


def _is_headed(cell: dict[str, Any]) -> bool:
    """Whether a cell brings a heading of its own."""
    kind = _kind(cell)
    return kind == "heading" or (kind == "markdown" and bool(_HEADING.search(_source(cell))))


def _language(book: dict[str, Any]) -> str:
    """The programming language, "" when it is not said."""
    metadata = _mapping(book.get("metadata"))
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        found = _mapping(metadata.get(key)).get(name)
        if isinstance(found, str) and re.fullmatch(r"[\w+#.-]{1,30}", found):
            return found
    return ""


def _add(cell: dict[str, Any], made: Extraction, file: SourceFile, options: ParseOptions, language: str) -> None:
    """Add one cell."""
    kind, source = _kind(cell), _source(cell)
    if kind in ("markdown", "raw"):
        made.markdown(file, source, options)
    elif kind == "heading":  # of nbformat 3
        level = cell.get("level")
        made.heading(one_line(source), level if isinstance(level, int) and 1 <= level <= 6 else 1)
    else:
        made.fence(source, language)
        outputs = cell.get("outputs")
        printed = "\n".join(filter(None, map(_printed, outputs))) if isinstance(outputs, list) else ""
        if len(printed) > _MOST_OUTPUT:
            printed = printed[:_MOST_OUTPUT] + " …"
        made.fence(printed)


def _printed(output: Any) -> str:
    """What an output says in plain text."""
    return _ANSI.sub("", "\n".join(_pieces(_mapping(output)))).strip("\n")


def _pieces(output: dict[str, Any]) -> Iterator[str]:
    """The plain text of an output: printed, a value, or an error's name and reason."""
    yield from filter(None, (_joined(output.get("text")), _joined(_mapping(output.get("data")).get("text/plain"))))
    if output.get("ename"):
        yield f"{output['ename']}: {_joined(output.get('evalue'))}"


def _kind(cell: dict[str, Any]) -> str:
    """The type of a cell, "" when it is not said."""
    kind = cell.get("cell_type")
    return kind if isinstance(kind, str) else ""


def _source(cell: dict[str, Any]) -> str:
    """The source of a cell in either format."""
    return _joined(cell.get("source", cell.get("input")))


def _joined(value: Any) -> str:
    """Text that is kept as a string or as a list of lines."""
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


def _mapping(value: Any) -> dict[str, Any]:
    """A value that is an object, else an empty one."""
    return value if isinstance(value, dict) else {}
