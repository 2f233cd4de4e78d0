"""A folder of notes with its index, for tests of the indexing line."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from indexer.build import build
from indexer.embed.hashing import HashingEmbedder
from indexer.parse import PARSERS
from indexer.plan import Plan, Vectors
from indexer.scan import ScanRules
from indexer.snapshot import Snapshot
from indexer.types import Report, Root

RULES = ScanRules({suffix: row.kind for suffix, row in PARSERS.items()})
OLD = 1_700_000_000  # a time of change that no run takes for a racy one


class Counting(HashingEmbedder):
    """The hashing embedder, which counts the passages it was given and may fail on some."""

    def __init__(self, dimension: int = 64, fails: Callable[[str], Exception | None] = lambda text: None) -> None:
        super().__init__(dimension)
        self.texts: list[str] = []
        self.fails = fails

    def embed_documents(self, texts: Any, on_batch: Any = None) -> Any:
        """Count, fail where asked to, else embed."""
        for text in texts:
            if error := self.fails(text):
                raise error
        self.texts += texts
        return super().embed_documents(texts, on_batch)


class Indexed:
    """A vault in a folder of its own and its index in another."""

    def __init__(self, folder: Path, kind: Any = "note") -> None:
        self.folder, self.state = folder / "vault", folder / "index"
        self.folder.mkdir()
        self.root = Root("", self.folder, kind)
        self.model = Counting()

    def write(self, path: str, text: str | bytes = "", *, at: float | None = OLD) -> Path:
        """Write a file, changed at a time long ago unless told otherwise (None: now)."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        if at is not None:
            os.utime(file, (at, at))
        return file

    def failing(self, fails: Callable[[str], Exception | None]) -> Counting:
        """Return the embedder of the vault, which raises what `fails` returns for a text."""
        return Counting(fails=fails)

    def plan(self, *, vectors: bool = True, model: Any = None, **changes: Any) -> Plan:
        """Return the plan of a run: the hashing embedder, or none."""
        used = model or self.model
        made = (lambda: Vectors(used.fingerprint, used.dimension, lambda count: used)) if vectors else None
        return replace(Plan((self.root,), {"": RULES}, vectors=made), **changes)

    def run(self, **changes: Any) -> Report:
        """Index the vault."""
        return build(self.state, self.plan(**changes), wait=0.0)

    def snapshot(self) -> Snapshot:
        """Open the index for reading; the caller closes it."""
        return Snapshot.open(self.state)

    def look(self, function: Callable[[Snapshot], Any]) -> Any:
        """Return what a function finds in a snapshot."""
        snapshot = self.snapshot()
        try:
            return function(snapshot)
        finally:
            snapshot.close()

    def paths(self) -> list[str]:
        """Return the paths of all documents in the catalog."""
        return sorted(path for _, path in self.look(lambda s: s.catalog.known()))

    def found(self, *words: str) -> set[str]:
        """Return the paths of the passages that hold any of some words."""
        terms = [(word, 1.0) for word in words]
        return self.look(lambda s: set(_paths(s, [n for n, _ in s.lexical.search(terms, k=10_000)])))

    def near(self, text: str, k: int = 10) -> list[str]:
        """Return the paths of the passages nearest to a text."""
        question = self.model.embed_queries([text])[0]
        return self.look(lambda s: list(_paths(s, [n for n, _ in s.vectors().search(question, k)])))

    def content(self) -> set[tuple[Any, ...]]:
        """Return all that is stored of every passage, but for ids and vector rows."""
        rows = (
            "SELECT d.root, d.path, c.start_line, c.end_line, c.heading, c.text, c.key, d.digest, d.size, d.mtime_ns"
        )
        return set(self.look(lambda s: s.catalog.rows(f"{rows} FROM chunks c JOIN documents d ON d.id = c.document")))

    def tables(self) -> Mapping[str, int]:
        """Return how many rows each table holds, but for state and skips."""
        names = ("documents", "chunks", "links", "tags", "events", "vectors", "freed")
        return self.look(lambda s: {name: s.catalog.count(name) for name in names})


def _paths(snapshot: Snapshot, ids: list[int]) -> dict[str, None]:
    """Return the paths of chunks, in order, each once."""
    stored = snapshot.catalog.chunks(ids)
    return dict.fromkeys(stored[number].chunk.path for number in ids)


@pytest.fixture
def indexed(tmp_path: Path) -> Indexed:
    """Return an empty vault."""
    return Indexed(tmp_path)
