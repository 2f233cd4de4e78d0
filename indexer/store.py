"""The only place where catalog, lexical index and vectors change together.

The lexical index is committed first, then the catalog, which remembers the number of that commit; vector rows are on
disk before the catalog names them, and zeroed after it has forgotten them. So after a crash at any point the catalog
is right, a vector file has at most rows that nobody names, and a lexical index of another commit is made anew from
the catalog. Nothing above this module knows which engines stand behind it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from indexer import lexical
from indexer.catalog import DAMAGED, Catalog, Known
from indexer.errors import Damaged, EmbedError
from indexer.snapshot import fingerprint
from indexer.state import CATALOG, erase_files, locked, unwritable
from indexer.tables import UNREADABLE, packed
from indexer.terms import entry_of
from indexer.types import Skip, SourceFile

if TYPE_CHECKING:
    from indexer.prepare import Prepared
    from indexer.vectors import Floats

ROWS = ".i8"  # ending of the vector file, by how a row is kept: a file of another ending is made anew
GARBAGE_SHARE = 0.2  # of deleted chunks in the lexical index, or unused rows in the vector file, before a rewrite
GARBAGE_FLOOR = 200  # below this many there is nothing to gain


@contextmanager
def open_store(folder: Path, *, wait: float = 10.0) -> Iterator[Store]:
    """Open or make the index of a state folder for writing; what is not committed at the end is forgotten.

    Raises Busy when another process keeps writing for `wait` seconds, StoreError when it cannot be written.
    """
    with locked(folder, wait):
        store = Store(folder)
        try:
            store.make_ready()
            yield store
        finally:
            store.close()


def erase(folder: Path, *, wait: float = 10.0) -> None:
    """Delete an index, and nothing else that may lie in its folder. Raises Busy, StoreError."""
    if folder.exists():
        with locked(folder, wait):
            erase_files(folder)


class Store:
    """The index open for writing, by one process at a time; `notes` says what had to be made anew and why."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes: list[str] = []
        self.catalog: Catalog
        self._writer: lexical.Writer | None = None
        self._changed = False

    def make_ready(self) -> None:
        """Open the catalog; make anew what is missing, damaged, of another version or not ours."""
        if (self.folder / DAMAGED).exists():
            self._say_anew("was damaged")
        try:
            self._open()
        except Damaged:
            self.start_over()

    def start_over(self) -> None:
        """Make a damaged index anew."""
        self.close()
        self._say_anew("was damaged")
        self._open()

    def close(self) -> None:
        """Forget what was not committed and close the files."""
        self._writer = None
        if hasattr(self, "catalog"):
            self.catalog.close()

    # --- changes -----------------------------------------------------------------------------------------

    def put(self, prepared: Prepared) -> None:
        """Add a document; one with the same path must have been removed before."""
        self._begin()
        owner, first = self.catalog.put(prepared.file, prepared.rows)
        self._lexical().add(owner, first, prepared.entry)

    def move(self, old: Known, prepared: Prepared) -> None:
        """Put a document in the place of one of the same content; passages of the same text keep their vectors."""
        rows = {packed(s.chunk.text): s.row for s in self.catalog.chunks_of(old.id) if s.row is not None}
        self.remove([old.id])
        self._begin()
        known = self.catalog.vectors_of([row[-1] for row in prepared.rows.chunks])
        carried = {key: rows[text] for _, text, *_, key in prepared.rows.chunks if key not in known and text in rows}
        self.catalog.set_rows(carried)
        self.put(prepared)

    def remove(self, documents: Sequence[int]) -> None:
        """Delete documents and all that came from them but vectors, which an edit or a move may want again."""
        if documents:
            self._begin()
            deleted = self.catalog.remove(documents)
            self._lexical().remove(documents)
            self.catalog.set_state(deleted=self.catalog.number("deleted") + deleted)

    def forget_vectors(self) -> None:
        """Delete the vectors of text that is in no document any more."""
        self._begin()
        self.catalog.drop_unused_vectors()

    def touch(self, known: Known, file: SourceFile) -> None:
        """Note new times of a file whose content is the same."""
        self._begin()
        self.catalog.touch(known, file)

    def put_vectors(self, keys: Sequence[bytes], rows: Floats) -> int:
        """Keep the vectors (n, dimension) of content keys at length one; return how many could be used.

        A row without a direction (zeros, not a number) counts as a passage that the model cannot read.
        Raises EmbedError when the rows are not of the width and number that was announced.
        """
        from indexer import vectors

        wanted = (len(keys), self.catalog.number("dimension"))
        if rows.shape != wanted:
            what = f"the model gave vectors of shape {rows.shape}, not {wanted}"
            raise EmbedError(what, fix="run `index` again; if it stays, say which model in a report")
        self._begin()
        first = self.catalog.number("next_row")
        scaled, sound = vectors.unit(rows)
        try:
            vectors.append(self.folder / self.catalog.state("vectors"), first, scaled[sound])
        except OSError as error:
            raise unwritable(self.folder, error) from error
        good = [key for key, usable in zip(keys, sound, strict=True) if usable]
        self.catalog.set_rows({key: first + n for n, key in enumerate(good)})
        self.catalog.set_state(next_row=first + len(good))
        self.mark_unreadable([key for key, usable in zip(keys, sound, strict=True) if not usable])
        return len(good)

    def mark_unreadable(self, keys: Sequence[bytes]) -> None:
        """Note that the model cannot read the passages of some keys, so that they are not pending."""
        self._begin()
        self.catalog.set_rows(dict.fromkeys(keys, UNREADABLE))

    def use_embedder(self, model: str, dimension: int) -> None:
        """Bind the vectors to a model, by its fingerprint and width; vectors of another one are dropped."""
        before = (self.catalog.state("embedder"), self.catalog.number("dimension"))
        if before == (model, dimension) and self.catalog.state("vectors").endswith(ROWS):
            return
        if before[0]:
            self.notes.append("the embedding model changed: all vectors are made anew")
        self._begin()
        self.catalog.forget_rows(UNREADABLE)
        self.catalog.write("DELETE FROM freed")
        number = self.catalog.number("vector_file") + 1
        self.catalog.set_state(
            embedder=model, dimension=dimension, vectors=f"vectors-{number}{ROWS}", next_row=0, vector_file=number
        )

    def report(self, skips: Sequence[Skip], **values: object) -> None:
        """Keep the list of what the run could not take in, and named values, if any of this or anything changed."""
        same = all(self.catalog.state(name) == str(value) for name, value in values.items())
        if self.changing or not same or list(skips) != self.catalog.skips():
            self._begin()
            self.catalog.replace_skips(skips)
            self.catalog.set_state(**values)

    @property
    def changing(self) -> bool:
        """Whether there are changes that are not committed."""
        return self.catalog.sql.in_transaction

    def commit(self) -> None:
        """Make everything visible and lasting, as the next generation."""
        if self.changing:
            if self._writer is not None:
                self.catalog.set_state(opstamp=self._writer.commit())
            self.catalog.set_state(generation=self.catalog.number("generation") + 1)
            self.catalog.commit()
            self._changed = True

    def clean_up(self) -> None:
        """After the last commit: zero vectors of deleted text, rewrite what is mostly garbage, delete leftovers."""
        if not self._changed:
            return
        self._zero_freed()
        deleted, live = self.catalog.number("deleted"), self.catalog.count("chunks")
        if deleted > max(GARBAGE_FLOOR, GARBAGE_SHARE * live):
            self._rebuild_lexical()
            self.catalog.shrink()
        self._compact_vectors()
        if self._writer is not None:
            self._writer.merge()
            self._writer = None
        erase_files(self.folder, keep={self.catalog.state("lexical"), self.catalog.state("vectors"), CATALOG})

    # --- inside ------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Start a transaction unless one is open."""
        if not self.changing:
            self.catalog.begin(write=True)

    def _lexical(self) -> lexical.Writer:
        """Return the lexical writer, opened at the first change."""
        if self._writer is None:
            self._writer = lexical.Writer(self.folder / self.catalog.state("lexical"))
        return self._writer

    def _say_anew(self, why: str) -> None:
        """Delete everything, and say why."""
        erase_files(self.folder)
        self.notes.append(f"the index {why}: it is made anew from the notes")

    def _open(self) -> None:
        """Open the catalog and bring the lexical index and the vectors into step with it."""
        self.catalog = Catalog(self.folder / CATALOG, write=True)
        if not self.catalog.is_empty() and not self.catalog.is_ours():
            self.catalog.close()
            self._say_anew("was made by another program")
            self.catalog = Catalog(self.folder / CATALOG, write=True)
        if self.catalog.is_empty():
            self._begin()
            self.catalog.create()
            self.catalog.set_state(fingerprint=fingerprint())
            self._rebuild_lexical()
        elif (before := self.catalog.state("fingerprint")) != fingerprint():
            self.notes.append(f"the index was made by another version ({before}): it is made anew")
            self._begin()
            self.catalog.drop_documents()
            self.catalog.create()
            self.catalog.set_state(fingerprint=fingerprint())
            self._rebuild_lexical()
        elif not self._lexical_is_sound():
            self.notes.append("the lexical index was missing, damaged or not of the last run: it is made anew")
            self._rebuild_lexical()
            (self.folder / lexical.DAMAGED).unlink(missing_ok=True)
        self._check_vectors()
        self._zero_freed()

    def _lexical_is_sound(self) -> bool:
        """Whether the lexical index is of the catalog's last commit, and no reader found it broken."""
        stamp = lexical.opstamp(self.folder / self.catalog.state("lexical"))
        return stamp == self.catalog.number("opstamp") and not (self.folder / lexical.DAMAGED).exists()

    def _rebuild_lexical(self) -> None:
        """Write the lexical index anew from the catalog, in a new folder, as the next generation."""
        self._begin()
        number = self.catalog.number("lexical_folder") + 1
        name = f"lexical-{number}"
        shutil.rmtree(self.folder / name, ignore_errors=True)
        self._writer = None
        self._writer = lexical.Writer(self.folder / name, create=True)
        for owner, document in self.catalog.documents():
            chunks = [stored.chunk for stored in self.catalog.chunks_of(owner)]
            self._writer.add(owner, chunks[0].id, entry_of(document, chunks))
        self.catalog.set_state(lexical=name, lexical_folder=number, deleted=0)
        self.commit()

    def _check_vectors(self) -> None:
        """Forget vectors that the file has lost."""
        name, expected = self.catalog.state("vectors"), self.catalog.number("next_row")
        path = self.folder / name
        size = path.stat().st_size // self.catalog.number("dimension") if name and path.exists() else 0
        if size < expected:
            self.notes.append(f"{expected - size} vectors were lost: they are made anew")
            self._begin()
            self.catalog.forget_rows(size)
            self.catalog.set_state(next_row=size)
            self.commit()

    def _zero_freed(self) -> None:
        """Blank the vectors of deleted text, then forget that they were there."""
        freed = [row for (row,) in self.catalog.rows("SELECT row FROM freed")]
        if freed:
            from indexer import vectors

            try:
                vectors.zero(self.folder / self.catalog.state("vectors"), self.catalog.number("dimension"), freed)
            except OSError as error:
                raise unwritable(self.folder, error) from error
            self._begin()
            self.catalog.write("DELETE FROM freed")
            self.catalog.commit()

    def _compact_vectors(self) -> None:
        """Write the vector file anew without rows that no chunk uses, when they are many."""
        name, total = self.catalog.state("vectors"), self.catalog.number("next_row")
        used = self.catalog.count("(SELECT DISTINCT row FROM chunks WHERE row >= 0)")
        if not name or total - used <= max(GARBAGE_FLOOR, GARBAGE_SHARE * total):
            return
        from indexer import vectors

        self._begin()
        self.catalog.drop_unused_vectors()
        self.catalog.write("DELETE FROM freed")
        kept = sorted({row for _, row in self.catalog.vector_rows()})
        place = {row: n for n, row in enumerate(kept)}
        number = self.catalog.number("vector_file") + 1
        target = f"vectors-{number}{ROWS}"
        try:
            vectors.copy_rows(self.folder / name, self.folder / target, self.catalog.number("dimension"), kept)
        except OSError as error:
            raise unwritable(self.folder, error) from error
        self.catalog.set_rows({key: place[row] for key, row in self.catalog.vector_rows()})
        self.catalog.set_state(vectors=target, vector_file=number, next_row=len(kept))
        self.commit()
