"""Watch a vault where the system has few watches, and tell how that stands (run by test_watch_limits)."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from indexer.parse import PARSERS
from indexer.plan import Plan
from indexer.scan import ScanRules
from indexer.snapshot import Snapshot
from indexer.types import Root
from indexer.watch import loop
from indexer.watch.loop import Watch

PATIENCE = 60.0


def found(state: Path, word: str) -> bool:
    """Whether a word is in the index."""
    snapshot = Snapshot.open(state)
    try:
        return bool(snapshot.lexical.search([(word, 1.0)]))
    finally:
        snapshot.close()


def main(vault: Path, state: Path, then: str) -> None:
    """Watch, make folders if told to, write a note, and print how the watcher stands when it is found."""
    rules = ScanRules({suffix: row.kind for suffix, row in PARSERS.items()})
    loop.POLL, loop.POLL_SHARE = 0.2, 1
    plan = Plan((Root("", vault, "note"),), {"": rules})
    watch = Watch(state, lambda: plan, on_change=lambda generation, paths: None)
    until = time.monotonic() + PATIENCE
    with watch:
        while watch.standing.mode == "starting" or not watch.settle(1.0):
            assert time.monotonic() < until
        if then == "folders":
            assert watch.standing.mode == "watching"
            for n in range(20):
                (vault / f"more{n}").mkdir()
            while watch.standing.mode == "watching":
                assert time.monotonic() < until
                time.sleep(0.02)
        (vault / "d7/late.md").write_text("late")
        while not found(state, "late"):
            assert time.monotonic() < until
            time.sleep(0.05)
        print(json.dumps(asdict(watch.standing)))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
