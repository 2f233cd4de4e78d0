"""The SQLite side of the index: documents, chunks, links, tags, events and where each vector lies.

One commit here is the commit of the whole index (see `indexer.store`).
"""

from __future__ import annotations

import json
import sqlite3
import sys
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from indexer.errors import Damaged, StoreError
from indexer.tables import APPLICATION, TABLES, Rows, unpacked
from indexer.types import Area, Chunk, Document, Link, Skip, SourceFile

DAMAGED = "damaged-catalog"  # this file beside the catalog tells the next writer what a reader found
_OWNED = ("chunks", "links", "tags", "events")  # rows that go with their document
_BATCH = 500  # bound variables a statement; SQLite's limit is 999 on old builds
_CHUNK = (
    "SELECT c.id, d.root, d.path, d.title, c.heading, c.text, c.start_line, c.end_line, d.kind, c.symbol, d.date,"
    " d.date_source, c.key, d.id, c.row FROM chunks c JOIN documents d ON d.id = c.document"
)


# What SQLite says where the files of its locks cannot be made: a folder that is read-only, a disk that is full.
_NO_LOCKS = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)


class Known(NamedTuple):
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


class Catalog:
    """One open catalog; a reader sees one state from `begin` until `close`.

    Every method raises StoreError when the file cannot be read or written, Damaged when it is proven broken.
    """

    def __init__(self, path: Path, *, write: bool) -> None:
        self.path = path
        self.fixed = False  # True: what others write is not seen, since the file is read without its locks
        self._next_chunk = 0
        # Threads take turns on a connection: SQLite would make them do so anyway, but Python's binding shares a
        # prepared statement between threads that run the same one.
        self._turn = threading.Lock()
        self.sql = _connect(path, "rwc" if write else "ro")
        try:
            if write:
                for setting in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = FAST"):
                    self.rows(f"PRAGMA {setting}")
            elif not self._opens():
                self.sql.close()
                self.sql = _connect(path, "ro&immutable=1")
                self.fixed = True
            self._place = _place(path)
        except BaseException:
            self.sql.close()
            raise

    def _opens(self) -> bool:
        """Whether a reader may take part in the locks, for which it writes: not where that cannot be done."""
        try:
            self.sql.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            return error.sqlite_errorcode & 0xFF not in _NO_LOCKS
        except sqlite3.DatabaseError:
            return True
        return True

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Run a statement and return all its rows."""
        try:
            with self._turn:
                return self.sql.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._said(error) from error

    def write(self, statement: str, rows: Iterable[Sequence[Any]] = ((),)) -> int:
        """Run a statement that changes something, once for each row of values; return how many rows it changed."""
        try:
            with self._turn:
                return self.sql.executemany(statement, rows).rowcount
        except sqlite3.Error as error:
            raise self._said(error) from error

    def _said(self, error: sqlite3.Error) -> StoreError:
        """Return our error for one of SQLite's."""
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return self._damaged(error)
        fix = "free some space or name another folder in ONEBRAIN_SEARCH_HOME, then run `index`"
        return StoreError("the index cannot be read or written", where=f"{self.path.parent}: {error}", fix=fix)

    def _damaged(self, error: Exception) -> Damaged:
        """Return the error of a file that is proven broken, and leave word for the next writer."""
        if not self.fixed:  # else a writer may have changed it meanwhile, which is no damage
            with suppress(OSError):
                (self.path.parent / DAMAGED).touch()
        fix = "run `index`, which makes it anew from the notes"
        return Damaged("the index is damaged", where=f"{self.path.parent}: {error}", fix=fix)

    def begin(self, *, write: bool = False) -> None:
        """Start a transaction; a reader's first statement fixes the state it sees."""
        self.rows("BEGIN IMMEDIATE" if write else "BEGIN")

    def change(self) -> None:
        """Start a transaction that writes, unless one is open."""
        if not self.sql.in_transaction:
            self.begin(write=True)

    def commit(self) -> None:
        """Make everything since `begin` last."""
        if self.sql.in_transaction:
            if self._next_chunk:
                self.set_state(next_chunk=self._next_chunk)
            self.rows("COMMIT")

    def close(self) -> None:
        """Close the connection, not under a thread that reads; what was not committed is forgotten."""
        with self._turn:  # SQLite would end the process
            self.sql.close()

    def __del__(self) -> None:
        """Close the connection when nobody holds this any more."""
        if hasattr(self, "sql"):
            self.sql.close()

    def is_in_place(self) -> bool:
        """Whether the file that is open is still the one of that name."""
        return self._place == _place(self.path)

    # --- the file, and values by name --------------------------------------------------------------------

    def create(self) -> None:
        """Make the tables that are missing, as part of a transaction."""
        for statement in TABLES.split(";"):
            self.rows(statement)

    def drop_documents(self) -> None:
        """Drop every table but the vectors and the state: what another version's tables cannot be trusted with."""
        for (name,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'"):
            if name not in ("vectors", "coming", "freed", "state"):
                self.rows(f'DROP TABLE "{name}"')

    def shrink(self) -> None:
        """Give the pages of deleted rows back to the disk, outside of a transaction."""
        from sqlite_utils import Database

        try:
            Database(self.sql).vacuum()
        except sqlite3.Error as error:
            raise self._said(error) from error

    def check(self) -> None:
        """Read every page, as no question does. Raises Damaged when one is broken."""
        ((said,), *_) = self.rows("PRAGMA quick_check(1)")
        if said != "ok":
            raise self._damaged(sqlite3.DatabaseError(said))

    def is_empty(self) -> bool:
        """Whether the file has no tables yet."""
        return not self.rows("SELECT 1 FROM sqlite_master LIMIT 1")

    def is_ours(self) -> bool:
        """Whether the file was made by this program."""
        return self.rows("PRAGMA application_id") == [(APPLICATION,)]

    def state(self, name: str, default: str = "") -> str:
        """Return a remembered value."""
        found = self.rows("SELECT value FROM state WHERE name = ?", (name,))
        return str(found[0][0]) if found else default

    def number(self, name: str) -> int:
        """Return a remembered number, 0 at first."""
        return int(self.state(name, "0"))

    def set_state(self, **values: object) -> None:
        """Remember values, each as text."""
        rows = [(name, str(value)) for name, value in values.items()]
        self.write("INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)", rows)

    # --- writing -----------------------------------------------------------------------------------------

    def put(self, file: SourceFile, rows: Rows) -> tuple[int, int]:
        """Write a document that is not there yet; return its id and that of its first chunk, the others follow.

        A chunk whose content key has a vector takes it up.
        """
        first = self._next_chunk = self._next_chunk or self.number("next_chunk") or 1
        self._next_chunk += len(rows.chunks)
        root, path, kind, *rest = rows.document
        values = (root, path, kind, file.size, file.mtime_ns, *rest)
        self.write(f"INSERT INTO documents VALUES (NULL{',?' * 15})", [values])
        owner = int(self.rows("SELECT last_insert_rowid()")[0][0])
        self.write(
            "INSERT INTO chunks VALUES (?,?,?,?,?,?,?,?,(SELECT row FROM vectors WHERE key = ?))",
            [(first + n, owner, *row, row[-1]) for n, row in enumerate(rows.chunks)],
        )
        for statement, found in (
            ("INSERT INTO links VALUES (?,?,?,?,?,?,?,?)", rows.links),
            ("INSERT INTO tags VALUES (?,?)", rows.tags),
        ):
            if found:
                self.write(statement, [(owner, *row) for row in found])
        if rows.events:
            events = [(owner, first + row[0], *row[1:]) for row in rows.events]
            self.write(f"INSERT INTO events VALUES (NULL{',?' * 13})", events)
        return owner, first

    def touch(self, known: Known, file: SourceFile) -> None:
        """Note new times of a file whose content is the same."""
        self.write("UPDATE documents SET size = ?, mtime_ns = ? WHERE id = ?", [(file.size, file.mtime_ns, known.id)])

    def remove(self, owners: Sequence[int]) -> int:
        """Delete documents with all that hangs on them, but for vectors; return how many chunks they had."""
        marks = [(owner,) for owner in owners]
        self.write("DELETE FROM documents WHERE id = ?", marks)
        changed = {name: self.write(f"DELETE FROM {name} WHERE document = ?", marks) for name in _OWNED}
        return changed["chunks"]

    def replace_skips(self, skips: Iterable[Skip]) -> None:
        """Remember what the last run could not take in."""
        self.write("DELETE FROM skips")
        self.write("INSERT INTO skips VALUES (?,?,?,?)", [(s.root, s.path, s.reason, s.failed) for s in skips])

    # --- reading -----------------------------------------------------------------------------------------

    def chunk_rows(self) -> list[tuple[int, int]]:
        """Return (chunk id, vector row) of every chunk that has a vector."""
        return self.rows("SELECT id, row FROM chunks WHERE row >= 0 ORDER BY row, id")

    def known(self, areas: Sequence[Area] | None = None) -> dict[tuple[str, str], Known]:
        """Return every document by (root, path), or those in some areas."""
        select = "SELECT id, root, path, size, mtime_ns, digest FROM documents"
        if areas is None:
            return {(row[1], row[2]): Known._make(row) for row in self.rows(select)}
        found: dict[tuple[str, str], Known] = {}
        for area in areas:
            below = (area.root, area.folder, area.folder + chr(sys.maxunicode))
            rows = self.rows(f"{select} WHERE root = ? AND path >= ? AND path < ?", below)
            found |= {(row[1], row[2]): Known._make(row) for row in rows if area.holds(row[1], row[2])}
        return found

    def sample(self, count: int) -> list[str]:
        """Return the texts of some passages of notes, chosen by their hashes: the same ones while they stay."""
        rows = self.rows(
            "SELECT c.text FROM chunks c JOIN documents d ON d.id = c.document WHERE d.kind = 'note'"
            " GROUP BY c.key ORDER BY c.key LIMIT ?",
            (count,),
        )
        return [unpacked(text) for (text,) in rows]

    def chunks(self, ids: Sequence[int]) -> dict[int, Stored]:
        """Return chunks by id; an id that is gone is left out."""
        found: dict[int, Stored] = {}
        for at in range(0, len(ids), _BATCH):
            part = ids[at : at + _BATCH]
            marks = ",".join("?" * len(part))
            found |= {each.chunk.id: each for each in self._stored(f"{_CHUNK} WHERE c.id IN ({marks})", part)}
        return found

    def chunks_of(self, document: int) -> list[Stored]:
        """Return the chunks of a document in the order of its lines."""
        return self._stored(f"{_CHUNK} WHERE c.document = ? ORDER BY c.id", (document,))

    def _stored(self, statement: str, values: Sequence[Any]) -> list[Stored]:
        """Return the chunks that a statement selects. Raises Damaged when a passage cannot be unpacked."""
        try:
            return list(map(_stored, self.rows(statement, values)))
        except (zlib.error, UnicodeDecodeError, TypeError) as error:
            raise self._damaged(error) from error

    def documents(self) -> Iterator[tuple[int, Document]]:
        """Yield every document with its id, without text and blocks."""
        for (owner,) in self.rows("SELECT id FROM documents ORDER BY id"):
            yield owner, self.document(owner)

    def document(self, owner: int) -> Document:
        """Return a document without its text and blocks.

        Raises KeyError where there is none.
        """
        found = self.rows(
            "SELECT root, path, kind, title, aliases, tags, date, date_source, meta, digest, problems, block_ids"
            " FROM documents WHERE id = ?",
            (owner,),
        )
        if not found:
            raise KeyError(owner)
        row = found[0]
        links = self.rows(
            "SELECT target, line, fragment, display, embed, wiki FROM links WHERE document = ? ORDER BY line",
            (owner,),
        )
        return Document(
            root=row[0], path=row[1], kind=row[2], title=row[3], aliases=tuple(json.loads(row[4])),
            tags=tuple(json.loads(row[5])), date=row[6], date_source=row[7], meta=json.loads(row[8]), text="",
            links=tuple(Link(x[0], x[1], x[2], x[3], bool(x[4]), bool(x[5])) for x in links), digest=row[9],
            problems=tuple(json.loads(row[10])), block_ids=json.loads(row[11]),
        )  # fmt: skip

    def skips(self) -> list[Skip]:
        """Return what the last run could not take in."""
        rows = self.rows("SELECT root, path, reason, failed FROM skips ORDER BY root, path")
        return [Skip(row[0], row[1], row[2], bool(row[3])) for row in rows]

    def count(self, table: str, where: str = "1") -> int:
        """Return how many rows of a table meet a condition."""
        return int(self.rows(f"SELECT COUNT(*) FROM {table} WHERE {where}")[0][0])


def _place(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one that took its name, None where there is none."""
    try:
        info = path.stat()
    except OSError:
        return None
    return info.st_dev, info.st_ino


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open a SQLite file; nothing is read yet."""
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    try:
        return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=10)
    except sqlite3.Error as error:
        fix = "check that the folder is there and writable"
        raise StoreError("the index cannot be opened", where=f"{path.parent}: {error}", fix=fix) from error


def _stored(row: Sequence[Any]) -> Stored:
    """Build a stored chunk from a row of `_CHUNK`."""
    heading = tuple(row[4].split("\x1f")) if row[4] else ()
    piece = Chunk(row[0], row[1], row[2], row[3], heading, unpacked(row[5]), *row[6:12])
    return Stored(piece, row[13], row[12], row[14])
