"""The indexing line, top to bottom: scan, compare, parse, chunk, store; then vectors, in rounds."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from indexer import chunk as chunker
from indexer.catalog import Known
from indexer.errors import ParseError, ScanError
from indexer.scan import ScanResult, ScanRules, read_source, scan
from indexer.store import Store, erase
from indexer.types import Document, Report, Root, Skip, SourceFile

COMMIT_EVERY = 5000  # documents between two commits of a long run: what a killed run keeps
ROUND = 512  # chunks embedded between two commits
EMPTIED = 20  # a root that held this many documents and lists none now counts as unreachable
RACY_NS = 2_000_000_000  # a file changed this close to its reading may change again in the same tick

Progress = Callable[[str, int, int], None]  # (stage, done, total); called often, must be cheap


def silent(stage: str, done: int, total: int) -> None:
    """Report progress to nobody."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """How to make vectors: the model's fingerprint and width, and the embedder that suits a number of texts."""

    fingerprint: str
    dimension: int
    embedder: Callable[[int], Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to index and how; `rules` by root name, `parse_options` go to the parsers, no `vectors`: lexical only."""

    roots: tuple[Root, ...]
    rules: Mapping[str, ScanRules]
    parse_options: Any = None
    vectors: Callable[[], Vectors] | None = None
    accept_emptied: bool = False
    progress: Progress = silent


def build(folder: Path, plan: Plan, *, wait: float = 10.0) -> Report:
    """Bring the index in a state folder up to date with the files.

    Raises ScanError when the vault itself cannot be listed, Busy and StoreError when the index cannot be written,
    EmbedError when vectors were asked for and the model fails. What was committed before stays.
    """
    started = time.perf_counter()
    try:
        report = _build(folder, plan, wait)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:  # proven damage: the notes are the truth, so start over
        erase(folder)
        report = _build(folder, plan, wait)
        report = replace(report, notes=("the index was damaged: it was rebuilt from the notes", *report.notes))
    return replace(report, seconds=time.perf_counter() - started)


def embed(store: Store, plan: Plan) -> int:
    """Make the vectors that are missing, newest notes first, in committed rounds; return how many passages."""
    if plan.vectors is None:
        return 0
    wanted = plan.vectors()
    if store.use_embedder(wanted.fingerprint, wanted.dimension):
        store.notes.append("the embedding model changed: all vectors are made anew")
    waiting = store.catalog.pending()
    model = wanted.embedder(len(waiting)) if waiting else None
    for start in range(0, len(waiting), ROUND):
        assert model is not None
        part = waiting[start : start + ROUND]
        readable = [s for s in part if model.readability(s.chunk.text) > 0.0]
        plan.progress("vectors", start, len(waiting))
        if readable:
            rows = model.embed_documents([chunker.embedding_text(s.chunk) for s in readable])
            store.put_vectors([s.key for s in readable], rows)
        read = {s.key for s in readable}
        store.mark_unreadable([s.key for s in part if s.key not in read])
        store.commit()
    store.commit()
    plan.progress("vectors", len(waiting), len(waiting))
    return len(waiting)


def _build(folder: Path, plan: Plan, wait: float) -> Report:
    """Run once over everything."""
    with Store.open(folder, wait=wait) as store:
        run = _Run(plan, store)
        run.update(run.scan())
        run.report.embedded = embed(store, plan)
        store.clean_up()
        run.report.pending = store.catalog.count("chunks", "row IS NULL")
        return run.report.frozen(store.notes)


@dataclass(slots=True)
class _Tally:
    """A report while it is being counted."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    excluded: int = 0
    embedded: int = 0
    pending: int = 0
    skipped: list[Skip] = field(default_factory=list)
    failed: list[Skip] = field(default_factory=list)

    def skip(self, *skips: Skip) -> None:
        """Sort skips into what is left out and what could not be read."""
        for each in skips:
            (self.failed if each.failed else self.skipped).append(each)

    def frozen(self, notes: Sequence[str]) -> Report:
        """Return the report."""
        return Report(
            self.added, self.changed, self.moved, self.removed, self.unchanged, self.excluded, tuple(self.skipped),
            tuple(self.failed), self.embedded, self.pending, 0.0, tuple(notes),
        )  # fmt: skip


class _Run:
    """One pass over the roots."""

    def __init__(self, plan: Plan, store: Store) -> None:
        self.plan, self.store, self.report = plan, store, _Tally()
        self.folders = {root.name: root for root in plan.roots}
        self.known = store.catalog.known()
        self.unreadable: list[tuple[str, str]] = []  # (root, path prefix) that could not be looked at
        self.gone: dict[str, list[Known]] = {}  # files that are no longer there, by digest

    def scan(self) -> list[SourceFile]:
        """List all roots."""
        before = Counter(root for root, _ in self.known)
        files: list[SourceFile] = []
        for root in self.plan.roots:
            self.plan.progress("scan", len(files), 0)
            result = _scan_root(root, self.plan.rules[root.name])
            self.report.excluded += result.excluded
            self.report.skip(*result.skipped)
            self.unreadable += [(root.name, prefix) for prefix in result.unreadable]
            if not result.files and before[root.name] >= EMPTIED and not self.plan.accept_emptied:
                reason = (
                    f"lists no files now, but {before[root.name]} are in the index: taken as unreachable, its entries"
                    " stay; if you emptied it, run `index --yes`"
                )
                self.report.skip(Skip(root.name, "", reason, failed=True))
                self.unreadable.append((root.name, ""))
            files += result.files
        return files

    def update(self, files: Sequence[SourceFile]) -> None:
        """Bring catalog and lexical index up to date with the listed files."""
        fresh = []
        for file in files:
            before = self.known.get((file.root, file.path))
            if before and (before.size, before.mtime_ns) == (file.size, file.mtime_ns):
                self.report.unchanged += 1
            else:
                fresh.append(file)
        self._find_gone(files)
        for done, file in enumerate(fresh):
            self.plan.progress("lexical", done, len(fresh))
            self._take_in(file)
            if done % COMMIT_EVERY == COMMIT_EVERY - 1:
                self.store.commit()
        if fresh:
            self.plan.progress("lexical", len(fresh), len(fresh))
        rest = [known for group in self.gone.values() for known in group]
        self.report.removed += len(rest)
        self.store.remove([known.id for known in rest])
        skips = sorted([*self.report.skipped, *self.report.failed], key=lambda s: (s.root, s.path))
        if self.store.catalog.sql.in_transaction or skips != self.store.catalog.skips():
            self.store.report_skips(skips)
            self.store.catalog.set_state(excluded=self.report.excluded, indexed_at=int(time.time()))
        self.store.commit()

    def _find_gone(self, files: Sequence[SourceFile]) -> None:
        """Collect the known files that the scan could have listed and did not."""
        listed = {(file.root, file.path) for file in files}
        listed |= {(skip.root, skip.path) for skip in self.report.failed}
        for place, known in self.known.items():
            unsure = any(known.root == root and known.path.startswith(prefix) for root, prefix in self.unreadable)
            if place not in listed and not unsure:
                self.gone.setdefault(known.digest, []).append(known)

    def _take_in(self, file: SourceFile) -> None:
        """Read, parse and store one new or changed file."""
        before = self.known.get((file.root, file.path))
        document = self._read(file, before)
        if document is None:
            return
        settled = file if file.mtime_ns < time.time_ns() - RACY_NS else replace(file, mtime_ns=-1)
        if before and before.digest == document.digest:
            self.report.unchanged += 1
            self.store.touch(before, settled)
        elif before:
            self.report.changed += 1
            self.store.remove([before.id], keep_vectors=True)
            self._put(settled, document)
        elif document.digest in self.gone:
            self.report.moved += 1
            self._move(self.gone[document.digest].pop(), settled, document)
            if not self.gone[document.digest]:
                del self.gone[document.digest]
        else:
            self.report.added += 1
            self._put(settled, document)

    def _read(self, file: SourceFile, before: Known | None) -> Document | None:
        """Return a file as a document, or None with the reason counted; what cannot be read now keeps its entry."""
        from indexer.parse import parse

        try:
            return parse(file, read_source(self.folders[file.root], file), self.plan.parse_options)
        except FileNotFoundError:
            if before:
                self.gone.setdefault(before.digest, []).append(before)
            self.report.skip(Skip(file.root, file.path, "vanished while the run was going on"))
        except (OSError, ScanError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            self.report.skip(Skip(file.root, file.path, f"cannot be read: {reason}", failed=True))
        except ParseError as error:
            self._drop(file, before, error.what)
        except (RecursionError, ValueError, MemoryError) as error:
            self._drop(file, before, f"cannot be parsed: {type(error).__name__}: {error}"[:300])
        return None

    def _drop(self, file: SourceFile, before: Known | None, reason: str) -> None:
        """Skip a file whose content is not text we can take in; what was known of it no longer holds."""
        self.report.skip(Skip(file.root, file.path, reason))
        if before:
            self.store.remove([before.id])

    def _put(self, file: SourceFile, document: Document) -> None:
        """Store a document with its chunks."""
        self.store.put(file, document, chunker.chunk(document))

    def _move(self, old: Known, file: SourceFile, document: Document) -> None:
        """Store a document under its new path; its vectors come along."""
        passages = self.store.catalog.chunks_of(old.id)
        self.store.remove([old.id], keep_vectors=True)
        self.store.carry_vectors(passages, self.store.put(file, document, chunker.chunk(document)))


def _scan_root(root: Root, rules: ScanRules) -> ScanResult:
    """Scan one root; a code folder that cannot be listed is a failed skip, the vault an error."""
    try:
        return scan(root, rules)
    except ScanError as error:
        if not root.name:
            raise
        return ScanResult((), (Skip(root.name, "", str(error), failed=True),), 0, ("",))
