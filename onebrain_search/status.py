"""What the index holds, what it does not, how far it is behind the files, and who keeps it up to date."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from stat import S_ISREG
from typing import Any

from indexer.plan import Plan
from indexer.snapshot import Snapshot
from indexer.staleness import staleness
from indexer.watch.standing import load


def of(folder: Path, snapshot: Snapshot, plan: Plan, slow: str = "") -> dict[str, Any]:
    """Return how the index in a folder stands; `stale` is None where the vault is out of reach.

    `slow` says why this process reads questions slower than it should.
    """
    catalog = snapshot.catalog
    skips = catalog.skips()
    behind = staleness(catalog.known(), [(skip.root, skip.path) for skip in skips], plan.roots, plan.rules)
    return {
        **snapshot.counts(),
        "code": {root.name: str(root.folder) for root in plan.roots if root.name},
        "excluded": catalog.number("excluded"),
        "indexed_at": catalog.number("indexed_at"),
        "model": snapshot.embedder,
        "model_name": snapshot.model,
        "slow": slow,
        "change": _change(snapshot),
        "bytes": sum(map(_size, folder.rglob("*"))),
        "skipped": [skip for skip in skips if not skip.failed],
        "failed": [skip for skip in skips if skip.failed],
        "stale": None if behind is None else asdict(behind),
        "watcher": asdict(load(folder)),
    }


def _change(snapshot: Snapshot) -> dict[str, Any] | None:
    """Return which model is to take over, and how many passages it has read of how many; None without one."""
    if not snapshot.next_model:
        return None
    return {"to": snapshot.next_model, "done": snapshot.read_by_next(), "of": snapshot.counts()["chunks"]}


def _size(path: Path) -> int:
    """Return the bytes of a file, none for a folder and for what a writer has deleted meanwhile."""
    try:
        info = path.stat()
    except OSError:
        return 0
    return info.st_size if S_ISREG(info.st_mode) else 0
