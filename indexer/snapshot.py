"""What readers see: one generation of catalog, lexical index and vectors, and how an index folder is laid out."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer import catalog as catalogs
from indexer import chunk as chunker
from indexer import lexical, tokens
from indexer.catalog import Catalog
from indexer.errors import StoreError
from indexer.types import Condition

if TYPE_CHECKING:
    from indexer.vectors import VectorIndex

FINGERPRINT = f"schema {catalogs.SCHEMA}, lexical {lexical.LAYOUT}, chunks {chunker.CHUNKER}, tokens {tokens.TOKENS}"
CATALOG = "catalog.sqlite"
SETTLE_SECONDS = 2.0  # how long a reader waits for a writer between its two commits


def exists(folder: Path) -> bool:
    """Whether there is an index in a state folder."""
    return (folder / CATALOG).exists()


@dataclass(slots=True)
class Snapshot:
    """One generation of the index, open for reading: catalog, lexical and vector search over the same chunks."""

    folder: Path
    catalog: Catalog
    lexical: lexical.Reader
    generation: int
    _vectors: VectorIndex | None = None
    _filtered: tuple[tuple[Condition, ...], Any] | None = None

    @classmethod
    def open(cls, folder: Path) -> Snapshot:
        """Open the newest generation.

        Raises StoreError when there is no index, or one that cannot be read or that a run must mend first.
        """
        until = time.monotonic() + SETTLE_SECONDS
        while True:
            try:
                return cls._open_once(folder)
            except (StoreError, sqlite3.Error, OSError, ValueError) as error:
                if time.monotonic() > until or not exists(folder) or isinstance(error, sqlite3.NotSupportedError):
                    fix = "run `index` to rebuild it"
                    raise StoreError("the index cannot be read", where=f"{folder}: {error}", fix=fix) from error
            time.sleep(0.05)

    @classmethod
    def _open_once(cls, folder: Path) -> Snapshot:
        """Open catalog and lexical index; StoreError when they are not of one generation."""
        if not exists(folder):
            raise StoreError("there is no index", where=str(folder), fix="run `index`")
        catalog = Catalog(folder / CATALOG, write=False)
        try:
            catalog.begin()
            if catalog.state("fingerprint") != FINGERPRINT:
                raise StoreError("the index was made by another version", where=str(folder), fix="run `index`")
            generation = int(catalog.state("generation", "0"))
            reader = lexical.Reader(lexical.open_index(folder / catalog.state("lexical")))
            if not reader.at_generation(generation):
                raise StoreError("the lexical index is of another generation", where=str(folder), fix="run `index`")
        except BaseException:
            catalog.close()
            raise
        return cls(folder, catalog, reader, generation)

    def close(self) -> None:
        """Let go of the generation."""
        self.catalog.close()

    def superseded(self) -> bool:
        """Whether a newer generation has been committed."""
        probe = Catalog(self.folder / CATALOG, write=False)
        try:
            return int(probe.state("generation", "0")) != self.generation
        finally:
            probe.close()

    @property
    def embedder(self) -> str:
        """The fingerprint of the model whose vectors are kept, empty without any."""
        return self.catalog.state("embedder")

    def vectors(self) -> VectorIndex:
        """Return the vector side, loaded at first use."""
        if self._vectors is None:
            from indexer.vectors import VectorIndex

            pairs = [pair for pair in self.catalog.chunk_rows() if pair[1] >= 0]
            path = self.folder / (self.catalog.state("vectors") or "none")
            self._vectors = VectorIndex(path, int(self.catalog.state("dimension", "0") or 0), pairs)
        return self._vectors

    def allowed(self, conditions: tuple[Condition, ...]) -> Any:
        """Return the ids of the chunks that meet all conditions (int64 array), None without conditions."""
        if not conditions:
            return None
        if self._filtered is None or self._filtered[0] != conditions:
            self._filtered = (conditions, self.lexical.ids([self.lexical.condition(c) for c in conditions]))
        return self._filtered[1]

    def rarity(self, term: str) -> float:
        """Return BM25's inverse document frequency of a term, counted by its stem where that is more common."""
        count = self.lexical.chunk_count()
        holding = max(self.lexical.frequency(tokens.stem(term), "stem"), self.lexical.frequency(term))
        return log(1 + (count - holding + 0.5) / (holding + 0.5)) if holding <= count else 0.0

    def counts(self) -> dict[str, int]:
        """Return how much is in the index: documents, chunks, vectors, pending, unreadable, events, links."""
        count = self.catalog.count
        return {
            "documents": count("documents"),
            "chunks": count("chunks"),
            "vectors": count("chunks", "row >= 0"),
            "pending": count("chunks", "row IS NULL"),
            "unreadable": count("chunks", "row = -1"),
            "events": count("events"),
            "links": count("links"),
        }
