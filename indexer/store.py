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
from indexer.errors import Damaged
from indexer.snapshot import fingerprint
from indexer.state import CATALOG, erase_files, locked
from indexer.tables import packed
from indexer.terms import entry_of
from indexer.types import Skip, SourceFile
from indexer.vector_rows import VectorRows

if TYPE_CHECKING:
    from indexer.prepare import Prepared

GARBAGE_SHARE = 0.2  # of deleted chunks in the lexical index before a rewrite
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


class Store:
    """The index open for writing, by one process at a time; `notes` says what had to be made anew and why."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes: list[str] = []
        self.catalog: Catalog
        self.rows: VectorRows
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
        self.catalog.change()
        owner, first = self.catalog.put(prepared.file, prepared.rows)
        self._lexical().add(owner, first, prepared.entry)

    def move(self, old: Known, prepared: Prepared) -> None:
        """Put a document in the place of one of the same content; passages of the same text keep their vectors."""
        rows = {packed(s.chunk.text): s.row for s in self.catalog.chunks_of(old.id) if s.row is not None}
        self.remove([old.id])
        self.catalog.change()
        known = self.rows.known([row[-1] for row in prepared.rows.chunks])
        carried = {key: rows[text] for _, text, *_, key in prepared.rows.chunks if key not in known and text in rows}
        self.rows.carry(carried)
        self.put(prepared)

    def remove(self, documents: Sequence[int]) -> None:
        """Delete documents and all that came from them but vectors, which an edit or a move may want again."""
        if documents:
            self.catalog.change()
            deleted = self.catalog.remove(documents)
            self._lexical().remove(documents)
            self.catalog.set_state(deleted=self.catalog.number("deleted") + deleted)

    def forget_vectors(self) -> None:
        """Delete the vectors of text that is in no document any more."""
        self.catalog.change()
        self.rows.forget_unused()

    def touch(self, known: Known, file: SourceFile) -> None:
        """Note new times of a file whose content is the same."""
        self.catalog.change()
        self.catalog.touch(known, file)

    def report(self, skips: Sequence[Skip], **values: object) -> None:
        """Keep the list of what the run could not take in, and named values, if any of this or anything changed."""
        same = all(self.catalog.state(name) == str(value) for name, value in values.items())
        if self.changing or not same or list(skips) != self.catalog.skips():
            self.catalog.change()
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
        self.rows.compact()
        self.commit()
        if self._writer is not None:
            self._writer.merge()
            self._writer = None
        erase_files(self.folder, keep={self.catalog.state("lexical"), CATALOG, *self.rows.files()})

    # --- inside ------------------------------------------------------------------------------------------

    def _zero_freed(self) -> None:
        """Blank the vectors of deleted text, which is no new generation."""
        if self.rows.zero_freed():
            self.catalog.commit()

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
            self.catalog.change()
            self.catalog.create()
            self.catalog.set_state(fingerprint=fingerprint())
            self._rebuild_lexical()
        elif (before := self.catalog.state("fingerprint")) != fingerprint():
            self.notes.append(f"the index was made by another version ({before}): it is made anew")
            self.catalog.change()
            self.catalog.drop_documents()
            self.catalog.create()
            self.catalog.set_state(fingerprint=fingerprint())
            self._rebuild_lexical()
        elif not self._lexical_is_sound():
            self.notes.append("the lexical index was missing, damaged or not of the last run: it is made anew")
            self._rebuild_lexical()
            (self.folder / lexical.DAMAGED).unlink(missing_ok=True)
        self.rows = VectorRows(self.folder, self.catalog, self.notes)
        self.rows.check()
        self.commit()
        self._zero_freed()

    def _lexical_is_sound(self) -> bool:
        """Whether the lexical index is of the catalog's last commit, and no reader found it broken."""
        stamp = lexical.opstamp(self.folder / self.catalog.state("lexical"))
        return stamp == self.catalog.number("opstamp") and not (self.folder / lexical.DAMAGED).exists()

    def _rebuild_lexical(self) -> None:
        """Write the lexical index anew from the catalog, in a new folder, as the next generation."""
        self.catalog.change()
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
