"""Read and write an index in folders without write permission, and print what comes of it (run by test_store)."""

from __future__ import annotations

import mmap  # noqa: F401 (while still privileged: the Python itself may be out of reach later)
import os
import sys
from pathlib import Path

from indexer.build import build
from indexer.embed.hashing import HashingEmbedder
from indexer.errors import OneBrainError
from indexer.parse import PARSERS
from indexer.plan import Plan, Vectors
from indexer.scan import ScanRules
from indexer.snapshot import Snapshot
from indexer.types import Root


def main(place: Path) -> None:
    """Make an index, take the right to write away, then ask it and run again."""
    vault, state = place / "vault", place / "state"
    vault.mkdir(parents=True)
    (vault / "note.md").write_text("# Note\n\nneedle\n")
    model = HashingEmbedder()
    rules = ScanRules({suffix: row.kind for suffix, row in PARSERS.items()})
    vectors = Vectors(model.fingerprint, model.dimension, lambda count: model)
    plan = Plan((Root("", vault, "note"),), {"": rules}, vectors=lambda: vectors)
    build(state, plan)
    for path in [place, *place.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    privileged = os.geteuid() == 0
    if privileged:
        os.seteuid(65534)
    snapshot = Snapshot.open(state)
    words = snapshot.lexical.search([("needle", 1.0)])
    near = snapshot.vectors().search(model.embed_queries(["needle"])[0], 1)
    paths = {snapshot.catalog.chunks([found[0][0]])[found[0][0]].chunk.path for found in (words, near)}
    sys.stdout.write(f"found {', '.join(paths)} by words and by meaning\n")
    snapshot.close()
    try:
        build(state, plan)
    except OneBrainError as error:
        sys.stdout.write(f"{type(error).__name__} {error}\n")
    if privileged:
        os.seteuid(0)
    for path in [place, *place.rglob("*")]:
        path.chmod(0o755)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
