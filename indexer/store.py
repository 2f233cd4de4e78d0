"""The only place where catalog, lexical index and vectors change together.

A commit is one number, the generation. The lexical index is committed first and marked with the new generation,
then the catalog; vector rows are on disk before the catalog names them. So after a crash at any point the catalog
is right, a vector file has at most rows that nobody names, and a lexical index whose mark differs from the
catalog's generation is rebuilt from the catalog. Nothing above this module knows which engines stand behind it.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer import chunk as chunker
from indexer import lexical
from indexer.catalog import Catalog, Known, Stored
from indexer.errors import Busy, StoreError
from indexer.snapshot import CATALOG, FINGERPRINT
from indexer.types import Chunk, Document, Event, Skip, SourceFile

if TYPE_CHECKING:
    from indexer.vectors import Floats

LOCK = "write.lock"
GARBAGE_SHARE = 0.2  # of deleted chunks in the lexical index, or unused rows in the vector file, before a rewrite
GARBAGE_FLOOR = 200  # below this many there is nothing to gain
UNREADABLE = -1  # vector row of a chunk that the model cannot read


class Store:
    """The index open for writing, by one process at a time; `notes` says what had to be rebuilt and why."""

    def __init__(self, folder: Path, catalog: Catalog, lock: Any) -> None:
        self.folder, self.catalog, self._lock = folder, catalog, lock
        self.notes: list[str] = []
        self._writer: lexical.Writer | None = None
        self._index: Any = None

    @classmethod
    def open(cls, folder: Path, *, wait: float = 10.0) -> Store:
        """Open or make the index of a state folder.

        Raises Busy when another process keeps writing for `wait` seconds, StoreError when it cannot be written.
        """
        from filelock import FileLock, Timeout

        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(folder / LOCK)
            lock.acquire(timeout=wait)
        except Timeout as error:
            raise Busy(
                "another process is indexing this vault", where=str(folder), fix="wait for it, then run it again"
            ) from error
        except OSError as error:
            raise _unwritable(folder, error) from error
        try:
            catalog, notes = _open_catalog(folder)
            store = cls(folder, catalog, lock)
            store.notes += notes
            store._prepare()
        except sqlite3.Error as error:
            lock.release()
            raise _unwritable(folder, error) from error
        except BaseException:
            lock.release()
            raise
        return store

    def __enter__(self) -> Store:
        """Return the store itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close; what was not committed is forgotten."""
        self.close()

    def close(self) -> None:
        """Forget what was not committed and give the lock back."""
        self.catalog.rollback()
        self.catalog.close()
        self._writer = None
        self._lock.release()

    # --- changes -----------------------------------------------------------------------------------------

    def put(
        self, file: SourceFile, document: Document, chunks: Sequence[Chunk], events: Sequence[Event] = ()
    ) -> list[Stored]:
        """Add a document; one with the same path must have been removed before."""
        self._begin()
        stored = self.catalog.put(file, document, chunks, [chunker.content_key(c) for c in chunks])
        self.catalog.put_events(stored, events)
        if stored:
            self._lexical().add(document, stored[0].document, [s.chunk for s in stored])
        return stored

    def remove(self, documents: Sequence[int], *, keep_vectors: bool = False) -> None:
        """Delete documents and all that came from them; an edited note keeps its vectors until the next clean-up."""
        if not documents:
            return
        self._begin()
        keys = self.catalog.remove(documents)
        self._lexical().remove(documents)
        self.catalog.set_state(deleted=int(self.catalog.state("deleted", "0")) + len(keys))
        if not keep_vectors:
            self._zero(self.catalog.drop_vectors(keys))

    def touch(self, known: Known, file: SourceFile) -> None:
        """Note new times of a file whose content is the same."""
        self._begin()
        self.catalog.touch(known, file)

    def carry_vectors(self, old: Sequence[Stored], new: Sequence[Stored]) -> None:
        """Give the chunks of a moved document the vectors of the same passages at their old place."""
        by_text = {s.chunk.text: s.row for s in old if s.row is not None}
        rows = {s.key: by_text[s.chunk.text] for s in new if s.row is None and s.chunk.text in by_text}
        self.catalog.set_rows({key: row for key, row in rows.items() if row is not None})

    def put_vectors(self, keys: Sequence[bytes], rows: Floats) -> None:
        """Keep the vectors (n, dimension) of content keys."""
        from indexer import vectors

        self._begin()
        first = int(self.catalog.state("next_row", "0"))
        try:
            vectors.append(self.folder / self.catalog.state("vectors"), first, rows)
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        self.catalog.set_rows({key: first + n for n, key in enumerate(keys)})
        self.catalog.set_state(next_row=first + len(keys))

    def mark_unreadable(self, keys: Sequence[bytes]) -> None:
        """Note that the model cannot read the passages of some keys, so that they are not pending."""
        self._begin()
        self.catalog.set_rows(dict.fromkeys(keys, UNREADABLE))

    def use_embedder(self, fingerprint: str, dimension: int) -> bool:
        """Bind the vectors to a model; vectors of another one are dropped. Return whether that happened."""
        before = self.catalog.state("embedder")
        if before == fingerprint:
            return False
        self._begin()
        self.catalog.clear_vectors()
        name = f"vectors-{int(self.catalog.state('vector_file', '0')) + 1}.f16"
        self.catalog.set_state(
            embedder=fingerprint, dimension=dimension, vectors=name, next_row=0,
            vector_file=int(self.catalog.state("vector_file", "0")) + 1,
        )  # fmt: skip
        return bool(before)

    def report_skips(self, skips: Sequence[Skip]) -> None:
        """Keep the list of what the run could not take in."""
        self._begin()
        self.catalog.replace_skips(skips)

    def commit(self) -> None:
        """Make everything visible and lasting, as the next generation."""
        if not self.catalog.sql.in_transaction:
            return
        generation = int(self.catalog.state("generation", "0")) + 1
        try:
            self._lexical().commit(generation)
            self.catalog.set_state(generation=generation)
            self.catalog.commit()
        except (OSError, ValueError, sqlite3.Error) as error:
            raise _unwritable(self.folder, error) from error

    def clean_up(self) -> None:
        """Rewrite what is mostly garbage, and delete files of earlier rewrites."""
        if not self.catalog.sql.in_transaction:
            deleted, live = int(self.catalog.state("deleted", "0")), self.catalog.count("chunks")
            if deleted > max(GARBAGE_FLOOR, GARBAGE_SHARE * live):
                self.rebuild_lexical()
            self._compact_vectors()
        wanted = {self.catalog.state("lexical"), self.catalog.state("vectors")}
        for path in [*self.folder.glob("lexical-*"), *self.folder.glob("vectors-*.f16")]:
            if path.name not in wanted:
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)

    def rebuild_lexical(self) -> None:
        """Write the lexical index anew from the catalog, in a new folder, as the next generation."""
        self._begin()
        number = int(self.catalog.state("lexical_folder", "0")) + 1
        name = f"lexical-{number}"
        shutil.rmtree(self.folder / name, ignore_errors=True)
        self._index = lexical.open_index(self.folder / name, create=True)
        self._writer = lexical.Writer(self._index)
        self.catalog.set_state(lexical=name, lexical_folder=number, deleted=0)
        owner, group = 0, list[Chunk]()
        for stored in [*self.catalog.all_chunks(), None]:
            if group and (stored is None or stored.document != owner):
                self._writer.add(self.catalog.document(owner), owner, group)
                group = []
            if stored is not None:
                owner, group = stored.document, [*group, stored.chunk]
        self.commit()

    # --- inside ------------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Make tables, drop an index of another fingerprint, and mend a lexical index of another generation."""
        before = self.catalog.fingerprint()
        if before != FINGERPRINT:
            if before:
                self.notes.append(f"the index was made by another version ({before}): it is rebuilt")
                self.catalog.drop_documents()
            self.catalog.create()
            self._begin()
            self.catalog.set_state(fingerprint=FINGERPRINT)
            self.rebuild_lexical()
        elif not self._lexical_is_current():
            self.notes.append("the last run did not finish writing: the lexical index is rebuilt from the catalog")
            self.rebuild_lexical()

    def _lexical_is_current(self) -> bool:
        """Whether the lexical index opens and belongs to the catalog's generation."""
        try:
            self._index = lexical.open_index(self.folder / self.catalog.state("lexical"))
            return lexical.Reader(self._index).at_generation(int(self.catalog.state("generation", "0")))
        except (StoreError, ValueError):
            return False

    def _lexical(self) -> lexical.Writer:
        """Return the lexical writer, opened at the first change."""
        if self._writer is None:
            try:
                self._writer = lexical.Writer(self._index)
            except (ValueError, OSError) as error:
                raise _unwritable(self.folder, error) from error
        return self._writer

    def _begin(self) -> None:
        """Start a transaction unless one is open."""
        if not self.catalog.sql.in_transaction:
            self.catalog.begin(write=True)

    def _zero(self, rows: Sequence[int]) -> None:
        """Blank the vectors of deleted text."""
        used = [row for row in rows if row >= 0]
        if used:
            from indexer import vectors

            dimension = int(self.catalog.state("dimension", "0"))
            vectors.zero(self.folder / self.catalog.state("vectors"), dimension, used)

    def _compact_vectors(self) -> None:
        """Write the vector file anew without rows that no chunk uses, when they are many."""
        name, dimension = self.catalog.state("vectors"), int(self.catalog.state("dimension", "0"))
        total = int(self.catalog.state("next_row", "0"))
        used = self.catalog.count("(SELECT DISTINCT row FROM chunks WHERE row >= 0)")
        if not name or total - used <= max(GARBAGE_FLOOR, GARBAGE_SHARE * total):
            return
        from indexer import vectors

        self._begin()
        self.catalog.sql.execute("DELETE FROM vectors WHERE key NOT IN (SELECT key FROM chunks)")
        kept = sorted({row for _, row in self.catalog.vector_rows() if row >= 0})
        place = {row: n for n, row in enumerate(kept)}
        number = int(self.catalog.state("vector_file", "0")) + 1
        target = f"vectors-{number}.f16"
        vectors.copy_rows(self.folder / name, self.folder / target, dimension, kept)
        moved = {key: place[row] for key, row in self.catalog.vector_rows() if row >= 0}
        self.catalog.set_rows(moved)
        self.catalog.set_state(vectors=target, vector_file=number, next_row=len(kept))
        self.commit()


def _open_catalog(folder: Path) -> tuple[Catalog, list[str]]:
    """Open the catalog for writing; one that is proven broken or foreign is replaced by an empty one."""
    try:
        catalog = Catalog(folder / CATALOG, write=True)
        catalog.sql.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        return catalog, []
    except sqlite3.OperationalError:
        raise  # locked, full or read-only: no proof of damage
    except sqlite3.DatabaseError:
        erase(folder)
    return Catalog(folder / CATALOG, write=True), ["the index was damaged or not ours: it is rebuilt from the notes"]


def erase(folder: Path) -> None:
    """Delete an index, and nothing else that may lie in its folder."""
    for path in [*folder.glob(f"{CATALOG}*"), *folder.glob("lexical-*"), *folder.glob("vectors-*.f16")]:
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def _unwritable(folder: Path, error: Exception) -> StoreError:
    """Return the error for a state folder that cannot be written."""
    fix = "free some space, or name another folder in ONEBRAIN_SEARCH_HOME"
    return StoreError("the index cannot be written", where=f"{folder}: {error}", fix=fix)
