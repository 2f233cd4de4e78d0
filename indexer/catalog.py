"""The SQLite side of the index: documents, chunks, links, tags, events and where each vector lies.

Reading needs only sqlite3; sqlite_utils is loaded to make the tables. One commit here is the commit of the whole
index (see `indexer.store`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar
from unicodedata import normalize

from indexer.types import Chunk, Document, Event, Link, Skip, SourceFile

SCHEMA = "2"  # part of the index fingerprint

TABLES: dict[str, dict[str, type]] = {
    "documents": {
        "id": int, "root": str, "path": str, "kind": str, "size": int, "mtime_ns": int, "digest": str,
        "title": str, "aliases": str, "tags": str, "date": str, "date_source": str, "meta": str,
        "problems": str, "block_ids": str, "name": str,
    },
    "chunks": {
        "id": int, "document": int, "heading": str, "text": str, "start_line": int, "end_line": int,
        "symbol": str, "key": bytes, "row": int,
    },
    "links": {
        "document": int, "target": str, "fragment": str, "display": str, "line": int, "embed": int, "wiki": int,
        "name": str,
    },
    "tags": {"document": int, "tag": str},
    "events": {
        "id": int, "document": int, "chunk": int, "line": int, "date": str, "date_source": str, "what": str,
        "reason": str, "kind": str, "status": str, "thread": str, "links": str, "supersedes": str,
        "superseded_by": str,
    },
    "vectors": {"key": bytes, "row": int},
    "skips": {"root": str, "path": str, "reason": str, "failed": int},
    "state": {"name": str, "value": str},
}  # fmt: skip
_PRIMARY = {"documents": "id", "chunks": "id", "events": "id", "vectors": "key", "state": "name"}
_INDEXES = [
    ("documents", "digest"), ("chunks", "document"), ("chunks", "key"), ("chunks", "row"), ("links", "document"),
    ("links", "name"),
    ("tags", "document"), ("tags", "tag"), ("events", "document"), ("events", "chunk"), ("vectors", "row"),
]  # fmt: skip
_T = TypeVar("_T")
_OWNED = ("chunks", "links", "tags", "events")  # rows that go with their document
_BATCH = 500  # bound variables a statement; SQLite's limit is 999 on old builds
_CHUNK = (
    "SELECT c.id, d.root, d.path, d.title, c.heading, c.text, c.start_line, c.end_line, d.kind, c.symbol, d.date,"
    " d.date_source, c.key, d.id, c.row FROM chunks c JOIN documents d ON d.id = c.document"
)


@dataclass(frozen=True, slots=True)
class Known:
    """What the catalog remembers of a file: enough to see whether it changed."""

    id: int
    root: str
    path: str
    size: int
    mtime_ns: int
    digest: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A chunk as kept: with its document's id, its content key and its vector row (None: no vector yet)."""

    chunk: Chunk
    document: int
    key: bytes
    row: int | None


@dataclass(frozen=True, slots=True)
class Facts:
    """What ranking asks of a document: its other names, how many links lead to it, and whether it was replaced."""

    aliases: tuple[str, ...]
    links: int
    status: str
    replaced: bool


class Catalog:
    """One open catalog; a reader sees one state from `begin` until `close`."""

    def __init__(self, path: Path, *, write: bool) -> None:
        self.path = path
        uri = f"{path.absolute().as_uri()}?mode={'rwc' if write else 'ro'}"
        self.sql = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=10)
        if write:
            self.sql.execute("PRAGMA journal_mode = WAL")
            self.sql.execute("PRAGMA synchronous = NORMAL")
            self.sql.execute("PRAGMA secure_delete = FAST")

    def create(self) -> None:
        """Make tables and indexes where they are missing."""
        from sqlite_utils import Database

        database = Database(self.sql)
        for name, columns in TABLES.items():
            database.table(name).create(columns, pk=_PRIMARY.get(name), if_not_exists=True)
        for name, column in _INDEXES:
            database.table(name).create_index([column], if_not_exists=True)
        database.table("documents").create_index(["root", "path"], unique=True, if_not_exists=True)

    def drop_documents(self) -> None:
        """Drop every table but the vectors and the state: what another version's tables cannot be trusted with."""
        for name in TABLES:
            if name not in ("vectors", "state"):
                self.sql.execute(f"DROP TABLE IF EXISTS {name}")

    def begin(self, *, write: bool = False) -> None:
        """Start a transaction; a reader's first statement fixes the state it sees."""
        self.sql.execute("BEGIN IMMEDIATE" if write else "BEGIN")

    def commit(self) -> None:
        """Make everything since `begin` last."""
        if self.sql.in_transaction:
            self.sql.execute("COMMIT")

    def rollback(self) -> None:
        """Forget everything since `begin`."""
        if self.sql.in_transaction:
            self.sql.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connection."""
        self.sql.close()

    # --- values by name ----------------------------------------------------------------------------------

    def fingerprint(self) -> str:
        """Return what the index was made by, empty for a new or foreign file."""
        try:
            return self.state("fingerprint")
        except sqlite3.OperationalError:
            return ""

    def state(self, name: str, default: str = "") -> str:
        """Return a remembered value."""
        row = self.sql.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else default

    def set_state(self, **values: object) -> None:
        """Remember values, each as text."""
        rows = [(name, str(value)) for name, value in values.items()]
        self.sql.executemany("INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)", rows)

    # --- writing -----------------------------------------------------------------------------------------

    def put(
        self, file: SourceFile, document: Document, chunks: Sequence[Chunk], keys: Sequence[bytes]
    ) -> list[Stored]:
        """Write a document that is not there yet, with its chunks; vectors known by content key are taken up."""
        owner = self._insert_document(file, document)
        first = int(self.state("next_chunk", "1"))
        rows = self._rows_of(keys)
        stored = [
            Stored(_with_id(piece, first + n), owner, key, rows.get(key))
            for n, (piece, key) in enumerate(zip(chunks, keys, strict=True))
        ]
        self.sql.executemany(
            "INSERT INTO chunks VALUES (?,?,?,?,?,?,?,?,?)",
            [
                (s.chunk.id, owner, "\x1f".join(s.chunk.heading), s.chunk.text, s.chunk.start_line,
                 s.chunk.end_line, s.chunk.symbol, s.key, s.row)
                for s in stored
            ],
        )  # fmt: skip
        self.set_state(next_chunk=first + len(chunks))
        self.sql.executemany(
            "INSERT INTO links VALUES (?,?,?,?,?,?,?,?)",
            [
                (owner, x.target, x.fragment, x.display, x.line, x.embed, x.wiki, link_name(x.target))
                for x in document.links
            ],
        )
        self.sql.executemany("INSERT INTO tags VALUES (?,?)", [(owner, tag.casefold()) for tag in document.tags])
        return stored

    def _insert_document(self, file: SourceFile, document: Document) -> int:
        """Write the row of a document; return its id."""
        cursor = self.sql.execute(
            "INSERT INTO documents VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                document.root, document.path, document.kind, file.size, file.mtime_ns, document.digest,
                document.title, _json(document.aliases), _json(document.tags), document.date,
                document.date_source, _json(document.meta), _json(document.problems), _json(document.block_ids),
                link_name(document.path),
            ),
        )  # fmt: skip
        return int(cursor.lastrowid or 0)

    def put_events(self, stored: Sequence[Stored], events: Sequence[Event]) -> None:
        """Write the events of the document whose chunks are `stored`, each tied to the chunk that holds its line."""
        if stored:
            self.sql.executemany(
                "INSERT INTO events VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                [
                    (
                        stored[0].document, _holder(stored, e.line), e.line, e.date, e.date_source, e.what,
                        e.reason, e.kind, e.status, e.thread, _json(e.links), _json(e.supersedes),
                        _json(e.superseded_by),
                    )
                    for e in events
                ],
            )  # fmt: skip

    def touch(self, known: Known, file: SourceFile) -> None:
        """Note new times of a file whose content is the same."""
        self.sql.execute(
            "UPDATE documents SET size = ?, mtime_ns = ? WHERE id = ?", (file.size, file.mtime_ns, known.id)
        )

    def remove(self, owners: Sequence[int]) -> list[bytes]:
        """Delete documents with all that hangs on them; return the content keys of their chunks."""
        keys: list[bytes] = []
        for part in _batches(owners):
            marks = ",".join("?" * len(part))
            keys += [row[0] for row in self.sql.execute(f"SELECT key FROM chunks WHERE document IN ({marks})", part)]
            for name in _OWNED:
                self.sql.execute(f"DELETE FROM {name} WHERE document IN ({marks})", part)
            self.sql.execute(f"DELETE FROM documents WHERE id IN ({marks})", part)
        return keys

    def replace_skips(self, skips: Iterable[Skip]) -> None:
        """Remember what the last run could not take in."""
        self.sql.execute("DELETE FROM skips")
        self.sql.executemany(
            "INSERT INTO skips VALUES (?,?,?,?)", [(s.root, s.path, s.reason, s.failed) for s in skips]
        )

    # --- vectors -----------------------------------------------------------------------------------------

    def _rows_of(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        """Return the vector rows that are known for some keys."""
        found: dict[bytes, int] = {}
        for part in _batches(keys):
            marks = ",".join("?" * len(part))
            found.update(self.sql.execute(f"SELECT key, row FROM vectors WHERE key IN ({marks})", part).fetchall())
        return found

    def pending(self) -> list[Stored]:
        """Return one chunk for each content key that has no vector, newest documents first."""
        rows = self.sql.execute(f"{_CHUNK} WHERE c.row IS NULL GROUP BY c.key ORDER BY d.mtime_ns DESC, c.id")
        return [_stored(row) for row in rows]

    def set_rows(self, rows: Mapping[bytes, int]) -> None:
        """Note where vectors lie, for the keys and for every chunk with such a key."""
        self.sql.executemany("INSERT OR REPLACE INTO vectors (key, row) VALUES (?,?)", rows.items())
        self.sql.executemany("UPDATE chunks SET row = ? WHERE key = ?", [(row, key) for key, row in rows.items()])

    def drop_vectors(self, keys: Sequence[bytes]) -> list[int]:
        """Forget the vectors of keys that no chunk uses any more; return the rows that nothing refers to now."""
        unused: list[tuple[bytes, int]] = []
        for part in _batches(list(dict.fromkeys(keys))):
            marks = ",".join("?" * len(part))
            unused += self.sql.execute(
                f"SELECT key, row FROM vectors WHERE key IN ({marks}) AND key NOT IN"
                f" (SELECT key FROM chunks WHERE key IN ({marks}))",
                [*part, *part],
            ).fetchall()
        self.sql.executemany("DELETE FROM vectors WHERE key = ?", [(key,) for key, _ in unused])
        still = "SELECT 1 FROM vectors WHERE row = ?"
        return [row for _, row in unused if not self.sql.execute(still, (row,)).fetchone()]

    def clear_vectors(self) -> None:
        """Forget every vector."""
        self.sql.execute("DELETE FROM vectors")
        self.sql.execute("UPDATE chunks SET row = NULL WHERE row IS NOT NULL")

    def vector_rows(self) -> list[tuple[bytes, int]]:
        """Return (key, row) of every vector, by row."""
        return self.sql.execute("SELECT key, row FROM vectors ORDER BY row").fetchall()

    def chunk_rows(self) -> Iterator[tuple[int, int]]:
        """Yield (chunk id, vector row) of every chunk that has a vector."""
        return iter(self.sql.execute("SELECT id, row FROM chunks WHERE row IS NOT NULL ORDER BY row, id"))

    # --- reading -----------------------------------------------------------------------------------------

    def known(self) -> dict[tuple[str, str], Known]:
        """Return every document by (root, path)."""
        rows = self.sql.execute("SELECT id, root, path, size, mtime_ns, digest FROM documents")
        return {(row[1], row[2]): Known(*row) for row in rows}

    def chunks(self, ids: Sequence[int]) -> dict[int, Stored]:
        """Return chunks by id; an id that is gone is left out."""
        found: dict[int, Stored] = {}
        for part in _batches(ids):
            marks = ",".join("?" * len(part))
            for row in self.sql.execute(f"{_CHUNK} WHERE c.id IN ({marks})", part):
                found[row[0]] = _stored(row)
        return found

    def all_chunks(self) -> Iterator[Stored]:
        """Yield every chunk, document by document."""
        return (_stored(row) for row in self.sql.execute(f"{_CHUNK} ORDER BY d.id, c.id"))

    def chunks_of(self, document: int) -> list[Stored]:
        """Return the chunks of a document in the order of its lines."""
        rows = self.sql.execute(f"{_CHUNK} WHERE c.document = ? ORDER BY c.id", (document,))
        return [_stored(row) for row in rows]

    def document(self, owner: int) -> Document:
        """Return a document without its text and blocks.

        Raises KeyError where there is none.
        """
        row = self.sql.execute(
            "SELECT root, path, kind, title, aliases, tags, date, date_source, meta, digest, problems, block_ids"
            " FROM documents WHERE id = ?",
            (owner,),
        ).fetchone()
        if row is None:
            raise KeyError(owner)
        links = self.sql.execute(
            "SELECT target, line, fragment, display, embed, wiki FROM links WHERE document = ? ORDER BY line",
            (owner,),
        )
        return Document(
            root=row[0], path=row[1], kind=row[2], title=row[3], aliases=tuple(json.loads(row[4])),
            tags=tuple(json.loads(row[5])), date=row[6], date_source=row[7], meta=json.loads(row[8]), text="",
            links=tuple(Link(x[0], x[1], x[2], x[3], bool(x[4]), bool(x[5])) for x in links), digest=row[9],
            problems=tuple(json.loads(row[10])), block_ids=json.loads(row[11]),
        )  # fmt: skip

    def facts(self, places: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Facts]:
        """Return facts on documents by (root, path); links are counted by the names they are written with."""
        found: dict[tuple[str, str], Facts] = {}
        for part in _batches(places):
            marks = ",".join(["(?,?)"] * len(part))
            links = "(SELECT COUNT(*) FROM links WHERE name = d.name AND document <> d.id)"
            rows = self.sql.execute(
                f"SELECT root, path, aliases, meta, {links} FROM documents d WHERE (root, path) IN (VALUES {marks})",
                [value for place in part for value in place],
            )
            for root, path, aliases, meta, count in rows:
                fields = {key.casefold(): value for key, value in json.loads(meta).items()}
                status = str(fields.get("status") or "").casefold()
                replaced = bool(fields.get("superseded_by") or fields.get("superseded-by"))
                found[root, path] = Facts(tuple(json.loads(aliases)), count, status, replaced)
        return found

    def skips(self) -> list[Skip]:
        """Return what the last run could not take in."""
        rows = self.sql.execute("SELECT root, path, reason, failed FROM skips ORDER BY root, path")
        return [Skip(row[0], row[1], row[2], bool(row[3])) for row in rows]

    def count(self, table: str, where: str = "1") -> int:
        """Return how many rows of a table meet a condition."""
        return int(self.sql.execute(f"SELECT COUNT(*) FROM {table} WHERE {where}").fetchone()[0])


def _stored(row: Sequence[Any]) -> Stored:
    """Build a stored chunk from a row of `_CHUNK`."""
    heading = tuple(row[4].split("\x1f")) if row[4] else ()
    return Stored(Chunk(row[0], row[1], row[2], row[3], heading, *row[5:12]), row[13], row[12], row[14])


def _with_id(piece: Chunk, number: int) -> Chunk:
    """Return the chunk with its id; written out, since `replace` costs three times as much."""
    return Chunk(
        number, piece.root, piece.path, piece.title, piece.heading, piece.text, piece.start_line, piece.end_line,
        piece.kind, piece.symbol, piece.date, piece.date_source,
    )  # fmt: skip


def _holder(stored: Sequence[Stored], line: int) -> int:
    """Return the id of the chunk that holds a line, else of the one nearest before it."""
    before = [s for s in stored if s.chunk.start_line <= line] or [stored[0]]
    around = [s for s in before if s.chunk.end_line >= line]
    return (around[0] if around else before[-1]).chunk.id


def _batches(values: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """Yield the values in parts that one statement can bind."""
    return (values[at : at + _BATCH] for at in range(0, len(values), _BATCH))


def link_name(path: str) -> str:
    """Return the name that links to a path are counted by: the file's, without folder, suffix and case."""
    return normalize("NFC", PurePosixPath(path).stem).casefold()


def _json(value: object) -> str:
    """Return JSON text; tuples and mappings as lists and objects, anything unknown as its text."""
    return json.dumps(value, ensure_ascii=False, default=str)
