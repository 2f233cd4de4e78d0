"""Files that only show other notes, such as Obsidian's Bases: they hold no text of their own."""

from __future__ import annotations

from indexer.errors import ParseError
from indexer.parse.content import Content, ParseOptions
from indexer.types import SourceFile, written


def read(file: SourceFile, data: bytes, options: ParseOptions) -> Content:
    """Raise ParseError, so that the file is counted among the skipped ones with this reason."""
    raise ParseError("a view of other notes (.base): it holds no text", where=written(file.root, file.path))
