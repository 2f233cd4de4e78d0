"""Index a vault and die at the n-th time that a step is reached (run by test_crash)."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import indexer.backlog
import indexer.store
import indexer.update
import indexer.vector_rows
from indexer import lexical, vectors
from indexer.build import build
from indexer.catalog import Catalog
from indexer.embed.hashing import HashingEmbedder
from indexer.parse import PARSERS
from indexer.plan import Plan, Vectors
from indexer.scan import ScanRules
from indexer.types import Root

# step: (where it is, its name, whether to die before it is done)
STEPS: dict[str, tuple[Any, str, bool]] = {
    "a document is put": (Catalog, "put", False),
    "words are added": (lexical.Writer, "add", True),
    "words are to be committed": (lexical.Writer, "commit", True),
    "words are committed": (lexical.Writer, "commit", False),
    "the catalog is to be committed": (Catalog, "commit", True),
    "the catalog is committed": (Catalog, "commit", False),
    "vectors are to be written": (vectors, "append", True),
    "vectors are written": (vectors, "append", False),
    "vectors are to be zeroed": (vectors, "zero", True),
    "vectors are zeroed": (vectors, "zero", False),
    "segments are merged": (lexical.Writer, "merge", True),
    "leftovers are to be deleted": (indexer.store, "erase_files", True),
}


def die() -> None:
    """End this process as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def set_trap(step: str, count: int) -> None:
    """Die at the n-th time that a step is reached."""
    place, name, before = STEPS[step]
    real: Callable[..., Any] = getattr(place, name)
    left = [count]

    def trapped(*args: Any, **options: Any) -> Any:
        """Do the step, or die."""
        left[0] -= 1
        if before and not left[0]:
            die()
        result = real(*args, **options)
        if not before and not left[0]:
            die()
        return result

    setattr(place, name, trapped)


def main(vault: str, state: str, step: str, count: str) -> None:
    """Index the vault; `after` as the step counts milliseconds."""
    model = HashingEmbedder()
    rules = ScanRules({suffix: row.kind for suffix, row in PARSERS.items()})
    wanted = Vectors(model.fingerprint, model.dimension, lambda count: model)
    plan = Plan((Root("", Path(vault), "note"),), {"": rules}, vectors=lambda: wanted)
    indexer.update.COMMIT_SECONDS = 0.0
    indexer.backlog.ROUND = 4
    indexer.store.GARBAGE_FLOOR = indexer.vector_rows.GARBAGE_FLOOR = 4
    if step == "after":
        threading.Timer(int(count) / 1000, die).start()
    else:
        set_trap(step, int(count))
    build(Path(state), plan)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
