"""Whether an index is as its files are: told by reading alone, since that is how it is before most questions."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from indexer import lexical
from indexer.catalog import DAMAGED, Catalog
from indexer.errors import ScanError, StoreError
from indexer.plan import Plan
from indexer.scan import scan
from indexer.snapshot import Snapshot
from indexer.types import Report, Skip


def unchanged(folder: Path, plan: Plan) -> Report | None:
    """Return the report of a run that finds every file as it was, by size and time; None where a run must look.

    That is so when anything is to be written, mended or swept, and for whatever could not be read. A run asks for
    the right to write first: what that takes, with the modules of a writer, is a tenth of a cold question.
    """
    marks = (folder / DAMAGED, folder / lexical.DAMAGED)
    if plan.areas is not None or plan.vectors is not None or any(mark.exists() for mark in marks):
        return None
    try:
        with closing(Snapshot.open_now(folder)) as snapshot:
            catalog = snapshot.catalog
            return _compared(catalog, plan) if _is_sound(folder, catalog, plan) else None
    except (StoreError, ScanError):
        return None


def _is_sound(folder: Path, catalog: Catalog, plan: Plan) -> bool:
    """Whether nothing is to be mended, swept, or read in another way than before."""
    vectors, size = folder / catalog.state("vectors"), catalog.number("next_row") * catalog.number("dimension")
    return (
        catalog.state("settings") == repr(plan.parse_options)
        and catalog.state("unswept") != "True"
        and not catalog.state("coming_vectors")
        and not catalog.count("freed")
        and (not size or (vectors.exists() and vectors.stat().st_size >= size))
    )


def _compared(catalog: Catalog, plan: Plan) -> Report | None:
    """Return the report when the files, and what is left out of them, are those of the last run."""
    known = catalog.known()
    skips: list[Skip] = []
    files = excluded = 0
    for root in plan.roots:
        found = scan(root, plan.rules[root.name])
        if found.notes or any(skip.failed for skip in found.skipped):
            return None
        for file in found.files:
            before = known.get((file.root, file.path))
            if before is None or before.size != file.size or before.mtime_ns != file.mtime_ns:
                return None
        skips += found.skipped
        files, excluded = files + len(found.files), excluded + found.excluded
    skips.sort(key=lambda skip: (skip.root, skip.path, skip.reason))
    if files != len(known) or skips != catalog.skips() or excluded != catalog.number("excluded"):
        return None
    return Report(
        unchanged=files,
        excluded=excluded,
        skipped=tuple(skips),
        pending=catalog.count("chunks", "row IS NULL"),
        generation=catalog.number("generation"),
    )
