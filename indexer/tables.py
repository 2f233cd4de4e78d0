"""The tables of the catalog, and a document as their rows.

`key` is a chunk's content hash, `row` the place of its vector: NULL while it waits for one, UNREADABLE when the model
cannot read the passage. `coming` are the vectors of a model that will take over once it has read everything. `freed`
are rows of deleted text that must still be zeroed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from posixpath import basename
from typing import Any
from unicodedata import normalize
from zlib import compress, decompress

from indexer.types import Chunk, Document, Event

CHUNKER = "2"  # of indexer.chunk: raise it when the same file would be cut differently
SCHEMA = "8"  # part of the index fingerprint
APPLICATION = 0x6F6E6562  # written into the file, to tell ours from a foreign one
UNREADABLE = -1
COMING = "coming_"  # before the names of state values of the set of vectors that is to take over
UNSETTLED = -1  # size of a file that changed as it was read, so that the next run reads it again
_SUFFIX = re.compile(r"\.(?:md|markdown|mdown|mkd|mdx|qmd|rmd|txt|text|rst|org|canvas|ipynb|html?|docx|pdf)$")
_ENCODE = json.JSONEncoder(ensure_ascii=False, default=str).encode

TABLES = f"""
PRAGMA application_id = {APPLICATION};
CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY, root TEXT, path TEXT, kind TEXT, size INTEGER, mtime_ns INTEGER, digest TEXT, title TEXT,
    aliases TEXT, tags TEXT, date TEXT, date_source TEXT, meta TEXT, problems TEXT, block_ids TEXT,
    name TEXT, UNIQUE (root, path)
);
CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY, document INTEGER, heading TEXT, text BLOB, start_line INTEGER, end_line INTEGER,
    symbol TEXT, key BLOB, row INTEGER
);
CREATE INDEX IF NOT EXISTS chunks_document ON chunks (document);
CREATE INDEX IF NOT EXISTS chunks_key ON chunks (key);
CREATE INDEX IF NOT EXISTS chunks_row ON chunks (row);
CREATE TABLE IF NOT EXISTS links (
    document INTEGER, target TEXT, fragment TEXT, display TEXT, line INTEGER, embed INTEGER, wiki INTEGER,
    name TEXT
);
CREATE INDEX IF NOT EXISTS links_name ON links (name);
CREATE INDEX IF NOT EXISTS links_document ON links (document);
CREATE TABLE IF NOT EXISTS tags (document INTEGER, tag TEXT);
CREATE INDEX IF NOT EXISTS tags_document ON tags (document);
CREATE INDEX IF NOT EXISTS tags_tag ON tags (tag);
CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY, document INTEGER, chunk INTEGER, line INTEGER, date TEXT, date_source TEXT, what TEXT,
    reason TEXT, kind TEXT, status TEXT, thread TEXT, links TEXT, supersedes TEXT, superseded_by TEXT
);
CREATE INDEX IF NOT EXISTS events_document ON events (document);
CREATE INDEX IF NOT EXISTS events_chunk ON events (chunk);
CREATE INDEX IF NOT EXISTS events_thread ON events (thread);
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, row INTEGER) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS vectors_row ON vectors (row);
CREATE TABLE IF NOT EXISTS coming (key BLOB PRIMARY KEY, row INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS freed (row INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS skips (root TEXT, path TEXT, reason TEXT, failed INTEGER);
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT);
"""


@dataclass(frozen=True, slots=True)
class Rows:
    """A document as rows: plain values in the order of the columns, without ids.

    `chunks` are (heading, text, first line, last line, symbol, key); an event's first value is its chunk's place.
    """

    document: tuple[Any, ...]
    chunks: list[tuple[Any, ...]]
    links: list[tuple[Any, ...]]
    tags: list[tuple[Any, ...]]
    events: list[tuple[Any, ...]]


def rows_of(document: Document, chunks: Sequence[Chunk], keys: Sequence[bytes], events: Iterable[Event] = ()) -> Rows:
    """Return a document with its chunks, their content keys and its events as rows."""
    return Rows(
        (
            document.root, document.path, document.kind, document.digest, document.title, _json(document.aliases),
            _json(document.tags), document.date, document.date_source, _json(document.meta),
            _json(document.problems), _json(document.block_ids), link_name(document.path),
        ),
        [
            ("\x1f".join(c.heading), packed(c.text), c.start_line, c.end_line, c.symbol, key)
            for c, key in zip(chunks, keys, strict=True)
        ],
        [(x.target, x.fragment, x.display, x.line, x.embed, x.wiki, link_name(x.target)) for x in document.links],
        [(tag.casefold(),) for tag in document.tags],
        [
            (
                _holder(chunks, e.line), e.line, e.date, e.date_source, e.what, e.reason, e.kind, e.status, e.thread,
                _json(e.links), _json(e.supersedes), _json(e.superseded_by),
            )
            for e in events
        ],
    )  # fmt: skip


def packed(text: str) -> bytes:
    """Return a passage as the catalog keeps it: prose loses more than a third, at 50 MB a second."""
    return compress(text.encode("utf-8", "surrogatepass"), 1)


def unpacked(blob: bytes) -> str:
    """Return the passage that was packed."""
    return decompress(blob).decode("utf-8", "surrogatepass")


def link_name(path: str) -> str:
    """Return the name that links to a path are counted by: the file's, without folder, a note's suffix and case.

    A link is mostly written without the suffix, and a dot in it may be part of the name (`dev.api`, `v2.8 notes`).
    """
    return _SUFFIX.sub("", normalize("NFC", basename(path.rstrip("/"))).casefold())


def _holder(chunks: Sequence[Chunk], line: int) -> int:
    """Return the place of the chunk that holds a line, else of the one nearest before it."""
    before = [at for at, piece in enumerate(chunks) if piece.start_line <= line] or [0]
    around = [at for at in before if chunks[at].end_line >= line]
    return around[0] if around else before[-1]


def _json(value: object) -> str:
    """Return JSON text; tuples and mappings as lists and objects, anything unknown as its text."""
    return _ENCODE(value) if value else "{}" if isinstance(value, dict) else "[]"
