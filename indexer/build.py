"""The indexing line, top to bottom: scan, compare, prepare, store; then vectors, in rounds."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.catalog import Known, Stored
from indexer.errors import Damaged, EmbedError, ScanError
from indexer.scan import ScanResult, ScanRules, scan
from indexer.store import Store, open_store
from indexer.tables import UNSETTLED
from indexer.types import Report, Root, Skip, SourceFile

if TYPE_CHECKING:
    from indexer.embed import Embedder
    from indexer.prepare import Prepared

COMMIT_SECONDS = 15.0  # between two commits of a long run: what a killed run loses at most
ROUND = 512  # chunks embedded between two commits
PART = 64  # chunks tried at once when a round failed
EMPTIED = 20  # a root that held this many documents and lists none now counts as unreachable

Progress = Callable[[str, int, int], None]  # (stage, done, total); called often, must be cheap


def silent(stage: str, done: int, total: int) -> None:
    """Report progress to nobody."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """How to make vectors: the model's fingerprint and width, and the embedder that suits a number of texts."""

    fingerprint: str
    dimension: int
    embedder: Callable[[int], Embedder]


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
    with open_store(folder, wait=wait) as store:
        try:
            report = _build(store, plan)
        except Damaged:  # the notes are the truth
            store.start_over()
            report = _build(store, plan)
    return replace(report, seconds=time.perf_counter() - started)


def _build(store: Store, plan: Plan) -> Report:
    """Run once over everything."""
    run = _Run(plan, store)
    run.update(run.scan())
    run.report.embedded = embed(store, plan)
    store.clean_up()
    run.report.pending = store.catalog.count("chunks", "row IS NULL")
    return run.report.frozen(store.notes)


def embed(store: Store, plan: Plan) -> int:
    """Make the vectors that are missing, newest notes first, in committed rounds; return how many were made.

    A passage on which the model fails stays pending and the others are made. Raises EmbedError when all of a round
    fail.
    """
    if plan.vectors is None:
        return 0
    wanted = plan.vectors()
    store.use_embedder(wanted.fingerprint, wanted.dimension)
    waiting = store.catalog.waiting()
    made = 0
    if waiting:
        model = wanted.embedder(len(waiting))
        for start in range(0, len(waiting), ROUND):
            chunks = store.catalog.chunks(waiting[start : start + ROUND])

            def tell(done: int, start: int = start) -> None:
                """Say how far the round is."""
                plan.progress("vectors", start + done, len(waiting))

            tell(0)
            made += _Round(store, model, tell).run([chunks[number] for number in waiting[start : start + ROUND]])
            store.commit()
        plan.progress("vectors", len(waiting), len(waiting))
    store.commit()
    return made


class _Round:
    """The vectors of some passages."""

    def __init__(self, store: Store, model: Embedder, tell: Callable[[int], None]) -> None:
        self.store, self.model, self.tell, self.done = store, model, tell, 0

    def run(self, passages: Sequence[Stored]) -> int:
        """Embed what the model can read, first all at once, then in parts where that fails; return how many."""
        readable = [s for s in passages if self.model.readability(s.chunk.text) > 0.0]
        read = {s.key for s in readable}
        self.store.mark_unreadable([s.key for s in passages if s.key not in read])
        try:
            return self._embed(readable)
        except EmbedError as error:
            self.done = 0
            made = [self._try(readable[at : at + PART]) for at in range(0, len(readable), PART)]
            if not any(made):
                raise
            self.store.notes.append(f"{len(readable) - sum(made)} passages wait for vectors: {error}")
            return sum(made)

    def _try(self, passages: Sequence[Stored]) -> int:
        """Embed some passages; 0 when the model fails."""
        try:
            return self._embed(passages)
        except EmbedError:
            return 0

    def _embed(self, passages: Sequence[Stored]) -> int:
        """Embed some passages and keep the vectors; return how many there are."""
        if not passages:
            return 0
        from indexer.chunk import embedding_text

        rows = self.model.embed_documents([embedding_text(s.chunk) for s in passages], self._on_batch)
        return self.store.put_vectors([s.key for s in passages], rows)

    def _on_batch(self, count: int) -> None:
        """Count the texts of a batch as done."""
        self.done += count
        self.tell(self.done)


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
        self.settings = repr(plan.parse_options)  # every note is read again when they say to read it otherwise
        self.reread = store.catalog.state("settings", self.settings) != self.settings
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
            self.store.notes += result.notes
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
        fresh = list(files) if self.reread else [file for file in files if self._may_have_changed(file)]
        self.report.unchanged += len(files) - len(fresh)
        self._find_gone(files)
        if fresh:
            self._take_in_all(fresh)
        self._remove_gone()
        skips = sorted([*self.report.skipped, *self.report.failed], key=lambda s: (s.root, s.path, s.reason))
        self.store.report(skips, excluded=self.report.excluded, settings=self.settings)
        if self.store.changing:
            self.store.catalog.set_state(indexed_at=int(time.time()))
        self.store.commit()

    def _take_in_all(self, fresh: Sequence[SourceFile]) -> None:
        """Prepare and store the files that are new or may have changed, committing now and then."""
        from indexer.workers import prepare_all  # not needed when nothing changed, which is the common case

        jobs = [(self.folders[file.root], file) for file in fresh]
        committed = time.monotonic()
        with closing(prepare_all(jobs, self.plan.parse_options)) as results:
            for done, (file, result) in enumerate(zip(fresh, results, strict=True)):
                self.plan.progress("lexical", done, len(fresh))
                self._take_in(self.known.get((file.root, file.path)), result)
                if time.monotonic() - committed > COMMIT_SECONDS:
                    self.store.commit()
                    committed = time.monotonic()
        self.plan.progress("lexical", len(fresh), len(fresh))

    def _may_have_changed(self, file: SourceFile) -> bool:
        """Whether a file is new, or its size or time is not what it was when it was read."""
        before = self.known.get((file.root, file.path))
        return before is None or (before.size, before.mtime_ns) != (file.size, file.mtime_ns)

    def _find_gone(self, files: Sequence[SourceFile]) -> None:
        """Collect the known files that the scan could have listed and did not."""
        listed = {(file.root, file.path) for file in files}
        listed |= {(skip.root, skip.path) for skip in self.report.failed}
        for place in [place for place in self.known if place not in listed]:
            known = self.known[place]
            if not any(known.root == root and known.path.startswith(prefix) for root, prefix in self.unreadable):
                self.gone.setdefault(known.digest, []).append(known)

    def _take_in(self, before: Known | None, result: Prepared | Skip) -> None:
        """Store one new or changed file; what cannot be read now keeps its entry, what is no text loses it."""
        if isinstance(result, Skip):
            self.report.skip(result)
            if before and not result.failed:
                self.gone.setdefault(before.digest, []).append(before)
        elif before and before.digest == result.digest and not self.reread:
            self.report.unchanged += 1
            if (before.size, result.file.size) != (UNSETTLED, UNSETTLED):
                self.store.touch(before, result.file)
        elif before:
            self.report.changed += 1
            self.store.remove([before.id])
            self.store.put(result)
        elif self.gone.get(result.digest):
            self.report.moved += 1
            self.store.move(self.gone[result.digest].pop(), result)
        else:
            self.report.added += 1
            self.store.put(result)

    def _remove_gone(self) -> None:
        """Remove the files that went and did not come back elsewhere, with their vectors."""
        rest = [known for group in self.gone.values() for known in group]
        if rest:
            self.report.removed += len(rest)
            self.store.remove([known.id for known in rest])
            self.store.forget_vectors()


def _scan_root(root: Root, rules: ScanRules) -> ScanResult:
    """Scan one root; a code folder that cannot be listed is a failed skip, the vault an error."""
    try:
        return scan(root, rules)
    except ScanError as error:
        if not root.name:
            raise
        return ScanResult((), (Skip(root.name, "", str(error), failed=True),), 0, ("",))
