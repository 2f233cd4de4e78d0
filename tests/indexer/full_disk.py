"""Index a vault where no file may grow over a limit, and print what comes of it in one line (run by test_store)."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from indexer.build import build
from indexer.embed.hashing import HashingEmbedder
from indexer.errors import OneBrainError
from indexer.parse import PARSERS
from indexer.plan import Plan, Vectors
from indexer.scan import ScanRules
from indexer.types import Root


def main(vault: str, state: str, limit: str) -> str:
    """Return what a run says."""
    model = HashingEmbedder()
    rules = ScanRules({suffix: row.kind for suffix, row in PARSERS.items()})
    vectors = Vectors(model.fingerprint, model.dimension, lambda count: model)
    plan = Plan((Root("", Path(vault), "note"),), {"": rules}, vectors=lambda: vectors)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))
    try:
        return f"done {build(Path(state), plan).added}"
    except OneBrainError as error:
        return f"{type(error).__name__} {error}"


if __name__ == "__main__":
    sys.stdout.write(main(*sys.argv[1:]) + "\n")
