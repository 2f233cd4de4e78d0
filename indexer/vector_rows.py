"""Which passage has its vector in which row of which file.

There is one set of vectors that questions are compared with, the table `vectors`, whose rows the chunks repeat. When
another model is to take over, its vectors gather in the table `coming` and a file of their own. Nobody searches them
before they are complete; then they become `vectors` in one commit. So a generation never mixes two models.

Rows are on disk before a commit names them, and rows of deleted text are zeroed after one has forgotten them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.catalog import Catalog
from indexer.errors import EmbedError
from indexer.state import unwritable
from indexer.tables import COMING, UNREADABLE

if TYPE_CHECKING:
    from indexer.vectors import Floats

ROWS = ".i8"  # ending of a vector file, by how a row is kept: a file of another ending is made anew
GARBAGE_SHARE = 0.2  # of unused rows in the vector file before a rewrite
GARBAGE_FLOOR = 200  # rows below which there is nothing to gain
STATE = ("embedder", "dimension", "vectors", "next_row", "model")  # values by name that belong to a set of vectors


class VectorRows:
    """The vectors of an index that is open for writing; every method may start a transaction and commits nothing."""

    def __init__(self, folder: Path, catalog: Catalog, notes: list[str]) -> None:
        self.folder, self.catalog, self.notes = folder, catalog, notes

    def use(self, fingerprint: str, dimension: int, model: str = "") -> None:
        """Say whose vectors are made from now on, by fingerprint, width and the name that opens the model again.

        Those of another model answer until all of this one are made.
        """
        catalog = self.catalog
        before = catalog.state("embedder"), catalog.number("dimension")
        usable = catalog.state("vectors").endswith(ROWS)
        if before == (fingerprint, dimension) and usable:
            if catalog.state("model") != model or self._coming():
                catalog.change()
                catalog.set_state(model=model)
                self._give_up_coming()
        elif not before[0] or not usable or not catalog.count("vectors", "row >= 0"):
            if before[0]:
                self.notes.append("the embedding model changed: all vectors are made anew")
            catalog.change()
            catalog.write("DELETE FROM vectors")
            catalog.write("UPDATE chunks SET row = NULL")
            catalog.write("DELETE FROM freed")
            self._give_up_coming()
            self._begin_set("", fingerprint, dimension, model)
        elif (catalog.state(f"{COMING}embedder"), catalog.number(f"{COMING}dimension")) != (fingerprint, dimension):
            self.notes.append("the embedding model changes: the old vectors answer until all are made anew")
            catalog.change()
            self._give_up_coming()
            self._begin_set(COMING, fingerprint, dimension, model)

    def waiting(self) -> list[int]:
        """Return the id of one chunk for each content key that has no vector, newest documents first."""
        found = self.catalog.rows(
            f"SELECT MIN(c.id) FROM chunks c JOIN documents d ON d.id = c.document WHERE {self._unmade()}"
            " GROUP BY c.key ORDER BY MAX(d.mtime_ns) DESC, MIN(c.id)"
        )
        return [row[0] for row in found]

    def pending(self) -> int:
        """Return how many chunks have no vector yet of the model that vectors are made by."""
        return self.catalog.count("chunks c", self._unmade())

    def put(self, keys: Sequence[bytes], rows: Floats) -> int:
        """Keep the vectors (n, dimension) of content keys at length one; return how many could be used.

        A row without a direction (zeros, not a number) counts as a passage that the model cannot read.
        Raises EmbedError when the rows are not of the width and number that was announced.
        """
        from indexer import vectors

        wanted = (len(keys), self.catalog.number(f"{self._coming()}dimension"))
        if rows.shape != wanted:
            what = f"the model gave vectors of shape {rows.shape}, not {wanted}"
            raise EmbedError(what, fix="run `index` again; if it stays, say which model in a report")
        self.catalog.change()
        name, first = self.catalog.state(f"{self._coming()}vectors"), self.catalog.number(f"{self._coming()}next_row")
        scaled, sound = vectors.unit(rows)
        try:
            vectors.append(self.folder / name, first, scaled[sound])
        except OSError as error:
            raise unwritable(self.folder, error) from error
        good = [key for key, usable in zip(keys, sound, strict=True) if usable]
        self._set({key: first + n for n, key in enumerate(good)})
        self.catalog.set_state(**{f"{self._coming()}next_row": first + len(good)})
        self.mark_unreadable([key for key, usable in zip(keys, sound, strict=True) if not usable])
        return len(good)

    def mark_unreadable(self, keys: Sequence[bytes]) -> None:
        """Note that the model cannot read the passages of some keys, so that they are not pending."""
        self.catalog.change()
        self._set(dict.fromkeys(keys, UNREADABLE))

    def take_over(self) -> None:
        """Let the vectors that were to come answer from now on, when there are any."""
        if not self._coming():
            return
        catalog = self.catalog
        catalog.change()
        catalog.write("DELETE FROM vectors")
        catalog.write("DELETE FROM freed")
        catalog.write("INSERT INTO vectors SELECT key, row FROM coming")
        catalog.write("UPDATE chunks SET row = (SELECT row FROM vectors WHERE vectors.key = chunks.key)")
        catalog.set_state(**{name: catalog.state(f"{COMING}{name}") for name in STATE})
        self._give_up_coming()
        self.forget_unused()

    def carry(self, rows: Mapping[bytes, int]) -> None:
        """Note under which keys old rows are found again."""
        catalog = self.catalog
        catalog.write("INSERT OR REPLACE INTO vectors (key, row) VALUES (?,?)", list(rows.items()))
        catalog.write("UPDATE chunks SET row = ? WHERE key = ?", [(row, key) for key, row in rows.items()])

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Return those of some keys that have a vector, or are known to have none."""
        return {key for key in keys if self.catalog.rows("SELECT 1 FROM vectors WHERE key = ?", (key,))}

    def forget_unused(self) -> None:
        """Forget the vectors whose key no chunk has; rows that nothing refers to now become `freed`."""
        unused = "SELECT key FROM vectors v WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.key = v.key)"
        write = self.catalog.write
        write(f"INSERT OR IGNORE INTO freed SELECT row FROM vectors WHERE row >= 0 AND key IN ({unused})")
        write(f"DELETE FROM vectors WHERE key IN ({unused})")
        write("DELETE FROM freed WHERE row IN (SELECT row FROM vectors)")

    def check(self) -> None:
        """Forget vectors that a file has lost."""
        for prefix, table in (("", "vectors"), (COMING, "coming")):
            name, expected = self.catalog.state(f"{prefix}vectors"), self.catalog.number(f"{prefix}next_row")
            path, width = self.folder / name, self.catalog.number(f"{prefix}dimension")
            size = path.stat().st_size // width if name and width and path.exists() else 0
            if size < expected:
                self.notes.append(f"{expected - size} vectors were lost: they are made anew")
                self.catalog.change()
                self.catalog.write(f"DELETE FROM {table} WHERE row >= ?", [(size,)])
                if not prefix:
                    self.catalog.write("UPDATE chunks SET row = NULL WHERE row >= ?", [(size,)])
                self.catalog.set_state(**{f"{prefix}next_row": size})

    def zero_freed(self) -> bool:
        """Blank the vectors of deleted text, then forget that they were there; return whether there were any."""
        freed = [row for (row,) in self.catalog.rows("SELECT row FROM freed")]
        if freed:
            from indexer import vectors

            try:
                vectors.zero(self.folder / self.catalog.state("vectors"), self.catalog.number("dimension"), freed)
            except OSError as error:
                raise unwritable(self.folder, error) from error
            self.catalog.change()
            self.catalog.write("DELETE FROM freed")
        return bool(freed)

    def compact(self) -> None:
        """Write the vector file anew without rows that no chunk uses, when they are many."""
        name, total = self.catalog.state("vectors"), self.catalog.number("next_row")
        used = self.catalog.count("(SELECT DISTINCT row FROM chunks WHERE row >= 0)")
        if not name or total - used <= max(GARBAGE_FLOOR, GARBAGE_SHARE * total):
            return
        from indexer import vectors

        self.catalog.change()
        self.forget_unused()
        self.catalog.write("DELETE FROM freed")
        found = self.catalog.rows("SELECT key, row FROM vectors WHERE row >= 0 ORDER BY row")
        kept = sorted({row for _, row in found})
        place = {row: n for n, row in enumerate(kept)}
        target = self._new_file()
        try:
            vectors.copy_rows(self.folder / name, self.folder / target, self.catalog.number("dimension"), kept)
        except OSError as error:
            raise unwritable(self.folder, error) from error
        self.carry({key: place[row] for key, row in found})
        self.catalog.set_state(vectors=target, next_row=len(kept))

    def files(self) -> set[str]:
        """Return the names of the vector files that are in use."""
        return {self.catalog.state("vectors"), self.catalog.state(f"{COMING}vectors")}

    # --- inside ------------------------------------------------------------------------------------------

    def _coming(self) -> str:
        """Return the prefix of the set that vectors are made for: COMING while another model is to take over."""
        return COMING if self.catalog.state(f"{COMING}embedder") else ""

    def _unmade(self) -> str:
        """Return the condition on chunks `c` that wait for a vector."""
        made = "EXISTS (SELECT 1 FROM coming WHERE coming.key = c.key)"
        return f"NOT {made}" if self._coming() else "c.row IS NULL"

    def _set(self, rows: Mapping[bytes, int]) -> None:
        """Note where the vectors of keys lie, in the set that is being made."""
        if self._coming():
            self.catalog.write("INSERT OR REPLACE INTO coming (key, row) VALUES (?,?)", list(rows.items()))
        else:
            self.carry(rows)

    def _begin_set(self, prefix: str, fingerprint: str, dimension: int, model: str) -> None:
        """Begin an empty set of vectors."""
        values = (fingerprint, dimension, self._new_file(), 0, model)
        self.catalog.set_state(**{f"{prefix}{name}": value for name, value in zip(STATE, values, strict=True)})

    def _give_up_coming(self) -> None:
        """Forget the set that was to take over."""
        self.catalog.write("DELETE FROM coming")
        self.catalog.write("DELETE FROM state WHERE name LIKE 'coming!_%' ESCAPE '!'")

    def _new_file(self) -> str:
        """Return the name of the next vector file."""
        number = self.catalog.number("vector_file") + 1
        self.catalog.set_state(vector_file=number)
        return f"vectors-{number}{ROWS}"
