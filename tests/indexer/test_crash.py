"""A run that is killed at any point leaves an index that opens, and a next run that ends as a clean one would."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from indexer.errors import StoreError
from indexer.snapshot import Snapshot

pytestmark = pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
REPO = Path(__file__).parents[2]
STEPS = [
    "a document is put", "words are added", "words are to be committed", "words are committed",
    "the catalog is to be committed", "the catalog is committed", "vectors are to be written", "vectors are written",
    "vectors are to be zeroed", "vectors are zeroed", "segments are merged", "leftovers are to be deleted",
]  # fmt: skip


def note(n: int, word: str) -> str:
    """Return a note of two passages."""
    return (
        f"---\ntitle: Note {n}\n---\n## One\n\n{word}{n} and the rest\n\n## Two\n\n[[{n + 1}]] #tag{n % 3} other{n}\n"
    )


@pytest.fixture
def changed(indexed: Any) -> Any:
    """Return a vault of 24 notes with its index, of which many were then edited, deleted, moved or added."""
    for n in range(24):
        indexed.write(f"{n}.md", note(n, "first"))
    indexed.run()
    for n in range(6):
        indexed.write(f"{n}.md", note(n, "second"), at=1_700_000_100)
    for n in range(6, 12):
        (indexed.folder / f"{n}.md").unlink()
    (indexed.folder / "moved").mkdir()
    for n in range(12, 16):
        (indexed.folder / f"{n}.md").rename(indexed.folder / "moved" / f"{n}.md")
    for n in range(30, 40):
        indexed.write(f"{n}.md", note(n, "third"))
    return indexed


def kill(vault: Any, step: str, count: int) -> int:
    """Run until a step is reached for the n-th time; return the exit code, negative when it was."""
    script = Path(__file__).with_name("crash.py")
    command = [sys.executable, str(script), str(vault.folder), str(vault.state), step, str(count)]
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": str(REPO)}, check=False).returncode


def reads(vault: Any) -> bool:
    """Return whether a reader is answered now; if not, it is told what to do in one line."""
    try:
        hits = vault.look(lambda s: s.catalog.chunks([n for n, _ in s.lexical.search([("rest", 1.0)], k=100)]))
        ids = vault.look(lambda s: set(s.lexical.ids([s.lexical.phrase(["rest"])]).tolist()))
        assert set(hits) == ids, "every hit is a passage of the same generation"
        vault.look(lambda s: s.vectors())
    except StoreError as error:
        assert "run `index`" in str(error) and "\n" not in str(error)
        return False
    return True


def mended(vault: Any) -> None:
    """Assert that the next run ends with the index of a clean build, in all three parts."""
    vault.run()
    content, tables = vault.content(), vault.tables()
    counts = vault.look(Snapshot.counts)
    assert (counts["pending"], counts["vectors"], tables["freed"]) == (0, counts["chunks"], 0)
    assert vault.look(lambda s: s.lexical.chunk_count()) == counts["chunks"]
    assert vault.found("second3") == {"3.md"} and vault.found("first14") == {"moved/14.md"}
    assert vault.found("first7") == vault.found("first2") == set()
    assert vault.near("Note 33 › One third33 and the rest", 1) == ["33.md"]
    vault.state = vault.state.with_name("clean")
    vault.run()
    assert vault.content() == content
    assert {**vault.tables(), "vectors": 0} == {**tables, "vectors": 0}


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("step", STEPS)
def test_a_run_killed_at_a_step_is_mended_by_the_next(changed: Any, step: str, count: int) -> None:
    """Between any two things that are written."""
    code = kill(changed, step, count)
    if code == 0:
        assert count > 1 or step == "segments are merged", "the step is reached at least once"
    reads(changed)
    mended(changed)


@pytest.mark.parametrize("step", ["words are added", "words are committed", "the catalog is committed"])
def test_a_first_run_that_is_killed_is_taken_up(changed: Any, step: str) -> None:
    """Also before there was any index."""
    shutil.rmtree(changed.state)
    assert kill(changed, step, 3) < 0
    reads(changed)
    mended(changed)


def test_runs_that_are_each_killed_come_to_an_end(changed: Any) -> None:
    """Each one keeps what the last one committed, and goes on from there."""
    codes = []
    while not codes or (codes[-1] < 0 and len(codes) < 40):
        codes.append(kill(changed, "the catalog is committed", 3))
        reads(changed)
    assert codes[-1] == 0 and len(codes) > 3
    mended(changed)


@pytest.mark.parametrize("milliseconds", [60, 120, 180, 240, 320, 400, 500])
def test_a_run_killed_at_any_time_is_mended_by_the_next(changed: Any, milliseconds: int) -> None:
    """Wherever it happens to be."""
    kill(changed, "after", milliseconds)
    reads(changed)
    mended(changed)
