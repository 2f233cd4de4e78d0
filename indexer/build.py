"""The indexing line, top to bottom: words of what changed, then the vectors that are missing."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from indexer.errors import Damaged
from indexer.plan import Plan
from indexer.scan import check_listable
from indexer.snapshot import exists
from indexer.types import Report
from indexer.unchanged import unchanged


def build(folder: Path, plan: Plan, *, wait: float = 10.0) -> Report:
    """Bring the index in a state folder up to date with the files.

    Raises ScanError when the vault itself cannot be listed, Busy and StoreError when the index cannot be written,
    EmbedError when vectors were asked for and the model fails. What was committed before stays.
    """
    started = time.perf_counter()
    report = unchanged(folder, plan)
    if report is None:
        if not exists(folder):  # nothing is made for a vault that is not there
            check_listable(next(root for root in plan.roots if not root.name))
        try:
            report = _build(folder, plan, wait)
        except Damaged:  # the notes are the truth
            report = _build(folder, plan, wait)
    return replace(report, seconds=time.perf_counter() - started)


def _build(folder: Path, plan: Plan, wait: float) -> Report:
    """Run once."""
    from indexer.backlog import fill  # what writes is loaded when there is something to write
    from indexer.store import open_store
    from indexer.update import update

    with open_store(folder, wait=wait) as store:
        report = update(store, plan)
        store.clean_up()
        notes = store.notes
        report = replace(
            report,
            pending=store.rows.pending(),
            generation=store.catalog.number("generation"),
            notes=tuple(notes),
        )
    if plan.vectors is None:
        return report
    filled = fill(folder, plan.vectors(), wait=wait, progress=plan.progress)
    return replace(
        report,
        embedded=filled.made,
        pending=filled.pending,
        generation=filled.generation,
        notes=(*notes, *(note for note in filled.notes if note not in notes)),
    )
