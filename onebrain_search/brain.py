"""The one composition: an open vault with its index, model and pipeline."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.build import Plan, Progress, Vectors, build, silent
from indexer.errors import EmbedError
from indexer.parse import PARSERS
from indexer.scan import ScanRules, refuse_unbounded
from indexer.snapshot import Snapshot
from indexer.types import Report, Root
from onebrain_search import config as configs
from onebrain_search import fuse, rank, retrieve
from onebrain_search import query as queries
from onebrain_search.config import Config
from onebrain_search.types import Hit, Query, Retrieval

if TYPE_CHECKING:
    from indexer.embed import Embedder
    from indexer.vectors import Floats


class Brain:
    """A vault, its index and its model. Cheap to open: everything heavy is loaded at first use."""

    def __init__(self, config: Config, environ: Mapping[str, str]) -> None:
        self.config = config
        self.folder = configs.state_folder(config.vault, environ, state=config.state)
        self.notes: list[str] = []
        self._environ = environ
        self._snapshot: Snapshot | None = None
        self._embedder: Embedder | None = None

    @classmethod
    def open(cls, vault: str | os.PathLike[str] | None = None, *, environ: Mapping[str, str] | None = None) -> Brain:
        """Open a vault: the folder given, else `ONEBRAIN_VAULT`, else the one this folder is in.

        Raises ConfigError when its settings cannot be used.
        """
        environ = os.environ if environ is None else environ
        return cls(configs.load(Path(vault) if vault is not None else None, environ=environ), environ)

    def index(self, *, vectors: bool = True, yes: bool = False, progress: Progress = silent) -> Report:
        """Bring the index up to date; return when vectors are complete, with `vectors=False` before.

        `yes` allows a home folder and a vault that was emptied. Raises ScanError, Busy, StoreError, EmbedError.
        """
        refuse_unbounded(self.config.vault, yes=yes)
        report = build(self.folder, self._plan(vectors, yes, progress))
        self._close_snapshot()
        return report

    def search(self, text: str, *, limit: int | None = None, retrieval: Retrieval = "hybrid") -> list[Hit]:
        """Return the best passages for a question or a list of terms.

        Raises QueryError for a date filter that cannot be read, StoreError without a readable index.
        """
        query = queries.parse(text, limit=limit or self.config.limit)
        return self._ranked(query, retrieval)[: query.limit]

    def _ranked(self, query: Query, retrieval: Retrieval) -> list[Hit]:
        """Run the question line: retrieve, fuse, rank."""
        snapshot = self.snapshot()
        hits = self._fused(snapshot, query, retrieval)
        for stage in rank.stages(snapshot):
            hits = stage(query, hits)
        return hits

    def _fused(self, snapshot: Snapshot, query: Query, retrieval: Retrieval) -> list[Hit]:
        """Return the candidates of the wanted legs in one order."""
        words = retrieve.lexical(snapshot)(query) if retrieval != "vector" else []
        asked = self._question(snapshot, query) if retrieval != "lexical" else None
        if asked is None:
            return words
        question, share = asked
        near = retrieve.vector(snapshot, question)(query)
        share = 1.0 if retrieval == "vector" else fuse.DENSE_SHARE * share
        vectors = snapshot.vectors()
        candidates = retrieve.ids([*words, *near])
        first = fuse.convex(words, vectors.cosines(question, candidates), near, share)
        moved = fuse.feedback(question, first, vectors)
        return fuse.convex(words, vectors.cosines(moved, candidates), near, share)

    def _question(self, snapshot: Snapshot, query: Query) -> tuple[Floats, float] | None:
        """Return the question's vector and its share, None where the dense leg has nothing to say."""
        if not query.terms or not snapshot.embedder:
            return None
        try:
            question, share = retrieve.question_vector(query, self.embedder())
        except EmbedError as error:
            self._say(f"answered by words alone: {error}")
            return None
        return (question, share) if share > 0 else None

    def snapshot(self) -> Snapshot:
        """Return the newest generation of the index. Raises StoreError when there is none that can be read."""
        if self._snapshot is not None and self._snapshot.superseded():
            self._close_snapshot()
        if self._snapshot is None:
            self._snapshot = Snapshot.open(self.folder)
        return self._snapshot

    def embedder(self) -> Embedder:
        """Return the model that reads questions. Raises EmbedError when it cannot be loaded."""
        if self._embedder is None:
            from indexer.embed import open_query_embedder

            self._embedder = open_query_embedder(self.config.embedding.model)
        return self._embedder

    def _plan(self, vectors: bool, yes: bool, progress: Progress) -> Plan:
        """Return what to index and how, from the settings."""
        settings = self.config
        roots = [Root("", settings.vault, "note")]
        roots += [Root(folder.name, folder.path, "code") for folder in settings.code]
        rules = ScanRules(
            suffixes={suffix: row.kind for suffix, row in PARSERS.items()},
            exclude=settings.exclude,
            max_bytes=int(settings.max_file_mb * 1_000_000),
            gitignore=settings.gitignore,
            hidden=settings.hidden,
        )
        return Plan(
            roots=tuple(roots),
            rules={root.name: rules for root in roots},
            vectors=self._vectors if vectors else None,
            accept_emptied=yes,
            progress=progress,
        )

    def _vectors(self) -> Vectors:
        """Return how vectors are made."""
        from indexer.embed import document_embedder_for

        model = self.embedder()
        return Vectors(
            model.fingerprint,
            model.dimension,
            lambda count: document_embedder_for(count, self.config.embedding.model),
        )

    def _say(self, note: str) -> None:
        """Keep a note for the next answer, once."""
        if note not in self.notes:
            self.notes.append(note)

    def _close_snapshot(self) -> None:
        """Let go of the generation that is open."""
        if self._snapshot is not None:
            self._snapshot.close()
            self._snapshot = None
