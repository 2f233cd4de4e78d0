"""The one composition: an open vault with its index, model and pipeline."""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from indexer import tokens
from indexer.build import Plan, Progress, Vectors, build, silent
from indexer.errors import Busy, EmbedError
from indexer.parse import PARSERS
from indexer.scan import ScanRules, refuse_unbounded
from indexer.snapshot import Snapshot, exists
from indexer.store import erase
from indexer.types import Report, Root
from onebrain_search import confidence, fuse, rank, reading, related, retrieve, snippet
from onebrain_search import config as configs
from onebrain_search import query as queries
from onebrain_search.answer import what
from onebrain_search.config import Config
from onebrain_search.reading import Passage
from onebrain_search.types import Answer, Hit, Query, Retrieval

if TYPE_CHECKING:
    from indexer.embed import Embedder
    from indexer.vectors import Floats

QUICK_PASSAGES = 400  # embedded at once before a question: under 20 s on the slowest machine measured (21 a second)


class Brain:
    """A vault, its index and its model. Cheap to open: everything heavy is loaded at first use."""

    def __init__(self, config: Config, environ: Mapping[str, str]) -> None:
        self.config = config
        self.folder = configs.state_folder(config.vault, environ, state=config.state)
        self.notes: list[str] = []
        self._share = 0.0  # of the dense leg in the last question
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

    def refresh(self, *, progress: Progress = silent) -> Report | None:
        """Make the index, or bring it up to date, before a question: words always, vectors when they take seconds.

        Returns None when another process is indexing: what is there is used. Raises ScanError, StoreError.
        """
        refuse_unbounded(self.config.vault)
        try:
            report = build(self.folder, self._plan(False, False, progress), wait=0.0)
            if 0 < report.pending <= QUICK_PASSAGES:
                report = build(self.folder, self._plan(True, False, progress), wait=0.0)
        except Busy as error:
            self._say(f"answered from the last finished index: {error.what}")
            return None
        except EmbedError as error:
            self._say(f"answered by words alone: {error}")
            return None
        self._close_snapshot()
        return report

    def search(self, text: str, *, limit: int | None = None, retrieval: Retrieval = "hybrid") -> list[Hit]:
        """Return the best passages for a question or a list of terms.

        Raises QueryError for a date filter that cannot be read, StoreError without a readable index.
        """
        self.notes.clear()
        query = queries.parse(text, limit=limit or self.config.limit)
        return snippet.marked(query, self._ranked(query, retrieval)[: query.limit])

    def ask(
        self,
        text: str,
        *,
        mode: Literal["auto", "what", "why"] = "auto",
        retrieval: Retrieval = "hybrid",
        limit: int | None = None,
        web: bool | None = None,
    ) -> Answer:
        """Answer a question: `what` with sentences from the best passages, `why` with the dated chain of decisions.

        `web` is kept for the fallback that asks the web by consent; without it nothing leaves the machine.
        Raises QueryError and StoreError as `search` does.
        """
        self.notes.clear()
        query = queries.parse(text, limit=limit or self.config.limit, mode=None if mode == "auto" else mode)
        snapshot = self.snapshot()
        hits = self._ranked(query, retrieval)
        sources = snippet.marked(query, hits[: query.limit])
        said = confidence.label(self._evidence(snapshot, query, hits), self.config.embedding.model)
        answer = ""
        if said != "none":
            embed = self.embedder().embed_queries if self._share > 0 else None
            answer = what.direct_answer(query, sources, self._rarity, embed)
        self._say_coverage(snapshot)
        return Answer(text, query.mode, said, answer, tuple(sources), (), (*query.notes, *self.notes))

    def explain(self, text: str) -> dict[str, Any]:
        """Return how a question is read: mode, topic, words and conditions."""
        query = queries.parse(text, limit=self.config.limit)
        filters = [
            f"{'-' if c.negated else ''}{c.field}:{c.value}{f'..{c.upper}' if c.upper else ''}" for c in query.filters
        ]
        return {
            "mode": query.mode, "kind": "sentence" if query.sentence else "terms", "topic": query.topic,
            "terms": list(query.terms), "phrases": list(query.phrases), "without": list(query.excluded),
            "prefixes": list(query.prefixes), "filters": filters,
        }  # fmt: skip

    def get(self, address: str) -> Passage:
        """Return the lines that `path`, `path:40`, `path:40:20`, `path#Heading` or `path#^block` names.

        Raises NotFound for what does not exist or lies outside of the vault and its code folders.
        """
        return reading.read(address, {root.name: root.folder for root in self.roots()})

    def related(self, path: str, *, limit: int = 10) -> list[Hit]:
        """Return the notes most related to one. Raises NotFound when it is not in the index."""
        name, colon, rest = path.partition(":")
        root, path = (name, rest) if colon and any(r.name == name for r in self.roots() if r.name) else ("", path)
        return related.related(self.snapshot(), root, path, limit)

    def status(self) -> dict[str, Any]:
        """Return what the index holds and what it does not; works when the vault is gone."""
        found: dict[str, Any] = {
            "vault": str(self.config.vault),
            "state": str(self.folder),
            "exists": exists(self.folder),
        }
        if not found["exists"]:
            return found
        snapshot = self.snapshot()
        catalog = snapshot.catalog
        found |= snapshot.counts()
        found["generation"] = snapshot.generation
        found["excluded"] = int(catalog.state("excluded", "0"))
        found["indexed_at"] = int(catalog.state("indexed_at", "0"))
        found["model"] = snapshot.embedder
        found["bytes"] = sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file())
        found["skipped"] = [s for s in catalog.skips() if not s.failed]
        found["failed"] = [s for s in catalog.skips() if s.failed]
        return found

    def clear(self) -> None:
        """Delete the index; the notes are not touched. Works when the vault is gone."""
        self._close_snapshot()
        erase(self.folder)

    def roots(self) -> list[Root]:
        """Return the vault and the code folders."""
        code = [Root(folder.name, folder.path, "code") for folder in self.config.code]
        return [Root("", self.config.vault, "note"), *code]

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
        self._share = 0.0
        if not query.terms or not snapshot.embedder:
            return None
        try:
            question, share = retrieve.question_vector(query, self.embedder())
        except EmbedError as error:
            self._say(f"answered by words alone: {error}")
            return None
        self._share = share
        if share <= 0:
            self._say(
                "answered by words alone: the model cannot read this question's language; a multilingual model does"
                " (set `embedding.model`)"
            )
            return None
        return question, share

    def _evidence(self, snapshot: Snapshot, query: Query, hits: list[Hit]) -> confidence.Evidence:
        """Return what the confidence label rests on."""
        cosines = [hit.parts["vector"] for hit in hits[:10] if "vector" in hit.parts] if self._share > 0 else []
        stems = [tokens.stem(term) for term in query.terms]
        total = sum(map(self._rarity, stems)) or 1.0
        covered = 0.0
        for hit in hits[:5]:
            text = " ".join([hit.chunk.title, *hit.chunk.heading, hit.chunk.text])
            there = {tokens.stem(token) for _, _, token in tokens.spans(text)}
            covered = max(covered, sum(self._rarity(stem) for stem in stems if stem in there) / total)
        return confidence.Evidence(max(cosines, default=None), covered, len(hits))

    def _rarity(self, stem: str) -> float:
        """Return how much a stem counts: BM25's inverse document frequency."""
        reader = self.snapshot().lexical
        count, holding = reader.chunk_count(), reader.frequency(stem, "stem") or reader.frequency(stem)
        return log(1 + (count - holding + 0.5) / (holding + 0.5)) if holding <= count else 0.0

    def _say_coverage(self, snapshot: Snapshot) -> None:
        """Say once which share of the vault has vectors, when it is not all of it."""
        counts = snapshot.counts()
        if counts["pending"]:
            share = 100 * (counts["chunks"] - counts["pending"]) // max(1, counts["chunks"])
            self._say(f"{share}% of the passages have vectors; `index` makes the rest")

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
        roots = self.roots()
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
