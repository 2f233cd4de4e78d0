"""What an index holds, in numbers and lists, for `status`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from indexer.snapshot import Snapshot


def held(snapshot: Snapshot, folder: Path) -> dict[str, Any]:
    """Return what a generation of the index in a folder holds, and what could not be taken in."""
    catalog = snapshot.catalog
    return {
        **snapshot.counts(),
        "generation": snapshot.generation,
        "excluded": int(catalog.state("excluded", "0")),
        "indexed_at": int(catalog.state("indexed_at", "0")),
        "model": snapshot.embedder,
        "bytes": sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
        "skipped": [skip for skip in catalog.skips() if not skip.failed],
        "failed": [skip for skip in catalog.skips() if skip.failed],
    }
