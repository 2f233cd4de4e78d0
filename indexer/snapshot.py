"""What readers see: one generation of catalog, lexical index and vectors, and how an index folder is laid out."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer import lexical, tokens
from indexer.catalog import Catalog
from indexer.errors import StoreError
from indexer.state import CATALOG
from indexer.tables import CHUNKER, COMING, SCHEMA
from indexer.types import Condition

if TYPE_CHECKING:
    from indexer.vectors import VectorIndex

SETTLE_SECONDS = 2.0  # how long a reader waits for a writer between its two commits


def fingerprint() -> str:
    """Return what an index is made by; one of another fingerprint is made anew."""
    return f"schema {SCHEMA}, lexical {lexical.LAYOUT}, chunks {CHUNKER}, tokens {tokens.version()}"


def exists(folder: Path) -> bool:
    """Whether there is an index in a state folder."""
    return (folder / CATALOG).exists()


class _Unsettled(StoreError):
    """The lexical index is not of the catalog's generation: a writer is between its two commits, or died there."""

    broken: Path | None = None  # the folder of an index that is of it, and yet cannot be opened


@dataclass(slots=True)
class Snapshot:
    """One generation of the index, open for reading: catalog, lexical and vector search over the same chunks."""

    folder: Path
    catalog: Catalog
    lexical: lexical.Reader
    generation: int
    _vectors: VectorIndex | None = None
    _probe: Catalog | None = None
    _filtered: tuple[tuple[Condition, ...], Any] | None = None
    _loading: threading.Lock = field(default_factory=threading.Lock)
    memory: dict[str, Any] = field(default_factory=dict)  # what readers work out of this generation once, by name

    @classmethod
    def open(cls, folder: Path) -> Snapshot:
        """Open the newest generation.

        Raises StoreError when there is no index, or one that cannot be read or that a run must mend first.
        """
        until = time.monotonic() + SETTLE_SECONDS
        while True:
            try:
                return cls.open_now(folder)
            except _Unsettled as error:
                if time.monotonic() > until:
                    if error.broken:
                        lexical.mark_damaged(error.broken)
                    raise
            time.sleep(0.02)

    @classmethod
    def open_now(cls, folder: Path) -> Snapshot:
        """Open catalog and lexical index, which must be of one generation before and after both are open.

        Raises StoreError as `open` does, and also while a writer is between its two commits.
        """
        if not exists(folder):
            raise StoreError("there is no index", where=str(folder), fix="run `index`")
        catalog = Catalog(folder / CATALOG, write=False)
        try:
            catalog.begin()
            if catalog.is_empty():  # a first run is at it
                raise _Unsettled("there is no finished index", where=str(folder), fix="run `index`")
            if not catalog.is_ours() or catalog.state("fingerprint") != fingerprint():
                raise StoreError("the index was made by another version", where=str(folder), fix="run `index`")
            place, stamp = folder / catalog.state("lexical"), catalog.number("opstamp")
            if lexical.opstamp(place) != stamp:
                raise _Unsettled("the last run did not finish writing", where=str(folder), fix="run `index`")
            try:
                reader = lexical.Reader(place)
            except StoreError as error:
                told = _Unsettled(error.what, where=error.where, fix=error.fix)
                told.broken = place
                raise told from error
            if lexical.opstamp(place) != stamp:
                reader.close()
                raise _Unsettled("the index is being written", where=str(folder), fix="try again")
        except BaseException:
            catalog.close()
            raise
        return cls(folder, catalog, reader, catalog.number("generation"))

    def close(self) -> None:
        """Let go of the generation."""
        self.catalog.close()
        self.lexical.close()
        if self._probe is not None:
            self._probe.close()

    def superseded(self) -> bool:
        """Whether a newer generation has been committed, or the index is gone or made anew."""
        try:
            if self._probe is None or self._probe.fixed:
                self._probe = Catalog(self.folder / CATALOG, write=False)  # sees what is new, our own does not
            return self._probe.number("generation") != self.generation or not self.catalog.is_in_place()
        except StoreError:
            return True

    def rest(self) -> None:
        """Let go of the state of the catalog, so that SQLite can empty its write-ahead log; `wake` takes it again."""
        self.catalog.commit()

    def wake(self) -> bool:
        """Take the state of the catalog again after a rest; False when that is not of this generation any more."""
        if not self.catalog.sql.in_transaction:
            self.catalog.begin()
            return self.catalog.number("generation") == self.generation
        return True

    @property
    def embedder(self) -> str:
        """The fingerprint of the model whose vectors are kept, empty without any."""
        return self._named("embedder")

    @property
    def model(self) -> str:
        """The name that opens that model again; of an index from before names were kept, the English one's."""
        return self._named("model") or ("english" if self.embedder else "")

    @property
    def next_model(self) -> str:
        """The name of the model that is to take over once it has read everything, empty while none is."""
        return self.catalog.state(f"{COMING}model") or self.catalog.state(f"{COMING}embedder")

    def _named(self, name: str) -> str:
        """Return a value of the catalog by its name, read once: a question asks for it ten times."""
        if name not in self.memory:
            self.memory[name] = self.catalog.state(name)
        return str(self.memory[name])

    def read_by_next(self) -> int:
        """Return how many passages the next model has read."""
        return self.catalog.count("chunks c", "EXISTS (SELECT 1 FROM coming WHERE coming.key = c.key)")

    @property
    def has_vectors(self) -> bool:
        """Whether the vector side is loaded."""
        return self._vectors is not None

    def vectors(self) -> VectorIndex:
        """Return the vector side, loaded at first use."""
        with self._loading:  # one thread loads, the others wait for it
            if self._vectors is None:
                from indexer.vectors import VectorIndex

                path = self.folder / (self.catalog.state("vectors") or "none")
                self._vectors = VectorIndex(path, self.catalog.number("dimension"), self.catalog.chunk_rows())
            return self._vectors

    def allowed(self, conditions: tuple[Condition, ...]) -> Any:
        """Return the ids of the chunks that meet all conditions (int64 array), None without conditions."""
        if not conditions:
            return None
        last = self._filtered  # read once: another thread may put its own there
        if last is None or last[0] != conditions:
            last = (conditions, self.lexical.ids([self.lexical.condition(c) for c in conditions]))
            self._filtered = last
        return last[1]

    def holds(self, place: str) -> bool:
        """Whether anything of a file or folder, by its written form, is in the index."""
        return bool(len(self.lexical.ids([self.lexical.condition(Condition("at", place))])))

    def rarity(self, term: str, among: int = 0) -> float:
        """Return BM25's inverse document frequency of a term, counted by its stem where that is more common.

        In fewer passages than `among` as if there were so many, the others without the term.
        """
        count = max(self.lexical.chunk_count(), among)
        holding = self.lexical.holding(term)
        return log(1 + (count - holding + 0.5) / (holding + 0.5)) if holding <= count else 0.0

    def counts(self) -> dict[str, int]:
        """Return the generation and its counts: documents, chunks, vectors, pending, unreadable, events, links."""
        if "counts" not in self.memory:
            self.memory["counts"] = self._counted()
        return dict(self.memory["counts"])

    def _counted(self) -> dict[str, int]:
        """Count what is in the index."""
        count = self.catalog.count
        return {
            "documents": count("documents"),
            "chunks": count("chunks"),
            "vectors": count("chunks", "row >= 0"),
            "pending": count("chunks", "row IS NULL"),
            "unreadable": count("chunks", "row = -1"),
            "events": count("events"),
            "links": count("links"),
            "generation": self.generation,
        }
