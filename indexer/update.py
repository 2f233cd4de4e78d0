"""Files -> catalog and lexical index: list, compare with what is known, prepare what may have changed, store."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.catalog import Known
from indexer.errors import ScanError
from indexer.plan import Plan
from indexer.scan import ScanResult, ScanRules, scan
from indexer.store import Store
from indexer.tables import UNSETTLED
from indexer.types import Area, Report, Root, Skip, SourceFile, written

if TYPE_CHECKING:
    from indexer.prepare import Prepared

COMMIT_SECONDS = 15.0  # between two commits of a long run: what a killed run loses at most
EMPTIED = 20  # a root that held this many documents and lists none now counts as unreachable


def update(store: Store, plan: Plan) -> Report:
    """Bring catalog and lexical index up to date with the files; vectors are not made.

    Raises ScanError when the vault itself cannot be listed. What was committed before stays.
    """
    settings = repr(plan.parse_options)  # every note is read again when they say to read it otherwise
    whole = not store.notes and store.catalog.state("settings") == settings  # else the rest is not as it should be
    if plan.areas is not None and whole:
        run = _Run(plan, store, settings, plan.areas)
        files = run.scan()
        if run.is_certain():
            return run.update(files)
    run = _Run(plan, store, settings)
    return run.update(run.scan())


@dataclass(slots=True)
class _Tally:
    """A report while it is being counted."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    excluded: int = 0
    skipped: list[Skip] = field(default_factory=list)
    failed: list[Skip] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def skip(self, *skips: Skip) -> None:
        """Sort skips into what is left out and what could not be read."""
        for each in skips:
            (self.failed if each.failed else self.skipped).append(each)

    def frozen(self) -> Report:
        """Return the report."""
        return Report(
            self.added, self.changed, self.moved, self.removed, self.unchanged, self.excluded, tuple(self.skipped),
            tuple(self.failed), paths=tuple(self.paths),
        )  # fmt: skip


class _Run:
    """One pass over the roots, or over some areas of them."""

    def __init__(self, plan: Plan, store: Store, settings: str, areas: tuple[Area, ...] | None = None) -> None:
        self.plan, self.store, self.settings, self.areas = plan, store, settings, areas
        self.report, self.unsure = _Tally(), False
        self.folders = {root.name: root for root in plan.roots}
        self.known = store.catalog.known(areas)
        self.reread = store.catalog.state("settings", settings) != settings
        self.unreadable: list[tuple[str, str]] = []  # (root, path prefix) that could not be looked at
        self.gone: dict[str, list[Known]] = {}  # files that are no longer there, by digest

    def scan(self) -> list[SourceFile]:
        """List all roots, or the areas."""
        before = Counter(root for root, _ in self.known)
        files: list[SourceFile] = []
        for root in self.plan.roots:
            areas = None if self.areas is None else [area for area in self.areas if area.root == root.name]
            if areas == []:
                continue
            self.plan.progress("scan", len(files), 0)
            result = _scan_root(root, self.plan.rules[root.name], areas)
            self.report.excluded += result.excluded
            self.report.skip(*result.skipped)
            self.store.notes += result.notes
            self.unsure |= result.unsure
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

    def is_certain(self) -> bool:
        """Whether a look at some areas tells enough: no links in them, no root that lists nothing at all."""
        return not self.unsure and not any((root, "") in self.unreadable for root in self.folders)

    def update(self, files: Sequence[SourceFile]) -> Report:
        """Bring catalog and lexical index up to date with the listed files."""
        fresh = list(files) if self.reread else [file for file in files if self._may_have_changed(file)]
        self.report.unchanged += len(files) - len(fresh)
        self._find_gone(files)
        if fresh:
            self._take_in_all(fresh)
        self._remove_gone()
        self._report_skips()
        if self.store.changing:
            self.store.catalog.set_state(indexed_at=int(time.time()))
        self.store.commit()
        return self.report.frozen()

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
            return
        if before and before.digest == result.digest and not self.reread:
            self.report.unchanged += 1
            if (before.size, result.file.size) != (UNSETTLED, UNSETTLED):
                self.store.touch(before, result.file)
            return
        self.report.paths.append(written(result.file.root, result.file.path))
        if before:
            self.report.changed += 1
            self.store.remove([before.id])
            self.store.put(result)
        elif self.gone.get(result.digest):
            self.report.moved += 1
            old = self.gone[result.digest].pop()
            self.report.paths.append(written(old.root, old.path))
            self.store.move(old, result)
        else:
            self.report.added += 1
            self.store.put(result)

    def _remove_gone(self) -> None:
        """Remove the files that went and did not come back elsewhere, with their vectors unless that can wait."""
        rest = [known for group in self.gone.values() for known in group]
        if rest:
            self.report.removed += len(rest)
            self.report.paths += [written(known.root, known.path) for known in rest]
            self.store.remove([known.id for known in rest])
        unswept = self.store.catalog.state("unswept") == "True"
        if rest or unswept:
            if self.plan.sweep:
                self.store.forget_vectors()
            if unswept == self.plan.sweep:
                self.store.catalog.set_state(unswept=not self.plan.sweep)

    def _report_skips(self) -> None:
        """Keep the list of what could not be taken in; outside of the areas it is as it was."""
        skips = {*self.report.skipped, *self.report.failed}
        excluded = self.report.excluded
        if self.areas is not None:
            looked = self.areas
            before = self.store.catalog.skips()
            skips |= {skip for skip in before if not any(area.holds(skip.root, skip.path) for area in looked)}
            excluded = self.store.catalog.number("excluded")
        ordered = sorted(skips, key=lambda s: (s.root, s.path, s.reason))
        self.store.report(ordered, excluded=excluded, settings=self.settings)


def _scan_root(root: Root, rules: ScanRules, areas: Sequence[Area] | None) -> ScanResult:
    """Scan one root; a code folder that cannot be listed is a failed skip, the vault an error."""
    try:
        return scan(root, rules, areas)
    except ScanError as error:
        if not root.name:
            raise
        return ScanResult((), (Skip(root.name, "", str(error), failed=True),), 0, ("",))
