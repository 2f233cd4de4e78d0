"""The store: one writer and many readers, garbage, erasing, and places that cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest

from indexer.errors import Busy, StoreError
from indexer.snapshot import Snapshot, exists
from indexer.state import erase
from indexer.store import open_store
from indexer.types import Condition

NOTES = {f"note-{n}.md": f"# Note {n}\n\nneedle{n} and common words\n" for n in range(6)}

REPO = Path(__file__).parents[2]
HERE = {**os.environ, "PYTHONPATH": str(REPO)}
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX rights and limits")
linux = pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_FSIZE")


@pytest.fixture
def filled(indexed: Any) -> Any:
    """Return a vault of six notes with its index."""
    for path, text in NOTES.items():
        indexed.write(path, text)
    indexed.run()
    return indexed


def whole(vault: Any) -> None:
    """Assert that an index answers with both legs and agrees with its notes."""
    assert vault.paths() == sorted(NOTES)
    assert vault.found("needle3") == {"note-3.md"}
    assert vault.near("needle4 and common words", 1) == ["note-4.md"]
    counts = vault.look(Snapshot.counts)
    assert (counts["documents"], counts["pending"], counts["vectors"]) == (6, 0, 6)


def test_a_new_index_is_empty_and_whole(indexed: Any) -> None:
    """Opening makes it; readers see no documents."""
    with open_store(indexed.state):
        pass
    assert exists(indexed.state)
    assert indexed.look(Snapshot.counts)["documents"] == 0


def test_without_an_index_a_reader_is_told_at_once(tmp_path: Path) -> None:
    """And what to do."""
    with pytest.raises(StoreError, match=r"there is no index .*: run `index`"):
        Snapshot.open(tmp_path)


def test_an_unchanged_run_writes_nothing(filled: Any) -> None:
    """No commit, no new generation, no file touched."""
    before = {file: file.stat().st_mtime_ns for file in filled.state.rglob("*") if ".lock" not in file.name}
    report = filled.run()
    assert (report.unchanged, report.embedded, report.notes) == (6, 0, ())
    assert {file: file.stat().st_mtime_ns for file in filled.state.rglob("*") if ".lock" not in file.name} == before


def test_a_reader_keeps_its_generation_while_another_is_written(filled: Any) -> None:
    """What it found stays there to be read, and it can tell that there is something newer."""
    reader = filled.snapshot()
    assert not reader.superseded()
    (filled.folder / "note-3.md").unlink()
    filled.write("new.md", "brandnew")
    filled.run()
    assert reader.superseded()
    (number, _), *_ = reader.lexical.search([("needle3", 1.0)])
    assert reader.catalog.chunks([number])[number].chunk.path == "note-3.md"
    assert reader.lexical.search([("brandnew", 1.0)]) == []
    assert len(reader.vectors()) == 6
    reader.close()


def test_what_a_filter_allows_is_what_the_catalog_says(filled: Any) -> None:
    """All conditions hold, and none allows everything."""
    filled.write("work/plan.md", "---\ntags: [work]\n---\n# Plan\n\ncommon words\n")
    filled.write("work/code.py", "common = 1\n")
    filled.run()
    work, note = Condition("path", "work"), Condition("ext", "py", negated=True)
    ids = filled.look(lambda s: [s.allowed(()), *(sorted(s.allowed(c)) for c in ((work,), (note,), (work, note)))])
    rows = "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document WHERE"
    for found, where in zip(
        ids[1:], ("path LIKE 'work/%'", "path LIKE '%.md'", "path = 'work/plan.md'"), strict=True
    ):
        assert found == [
            row[0] for row in filled.look(lambda s, w=where: s.catalog.rows(f"{rows} {w} ORDER BY c.id"))
        ]
    assert ids[0] is None


def test_many_readers_open_while_a_writer_commits(filled: Any) -> None:
    """None of them meets a catalog and a lexical index of two generations."""
    faults: list[Exception] = []
    done = threading.Event()

    def read() -> None:
        """Open the index again and again."""
        while not done.is_set():
            try:
                reader = Snapshot.open(filled.state)
                ids = set(reader.lexical.ids([reader.lexical.phrase(["common"])]).tolist())
                assert ids == {row[0] for row in reader.catalog.rows("SELECT id FROM chunks")}
                reader.close()
            except Exception as error:
                faults.append(error)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for n in range(15):
        filled.write(f"note-{n % 6}.md", f"common words, edit {n}", at=1_700_000_000 + n)
        filled.run()
    done.set()
    for thread in threads:
        thread.join()
    assert not faults


def test_a_second_writer_is_told_that_another_is_busy(filled: Any) -> None:
    """After the time it was willing to wait; readers are not kept out."""
    with open_store(filled.state), pytest.raises(Busy, match="another process is indexing"):
        filled.run()
    whole(filled)


def test_a_second_writer_waits(filled: Any) -> None:
    """As long as it was told to."""
    with open_store(filled.state):
        timer = threading.Timer(0.3, lambda: None)
        timer.start()
    with open_store(filled.state, wait=5.0):
        pass
    timer.join()


def test_f69_a_lock_left_by_a_killed_process_is_no_obstacle(filled: Any) -> None:
    """The next run works at once."""
    script = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom indexer.store import open_store\n"
        "with open_store(Path(sys.argv[1])) as store:\n"
        "    store.remove([1])\n    os.kill(os.getpid(), signal.SIGKILL if hasattr(signal, 'SIGKILL') else 9)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(filled.state)], env=HERE, check=False)
    filled.write("note-1.md", NOTES["note-1.md"], at=1_700_000_100)
    filled.run()
    whole(filled)


def test_the_lexical_index_is_rewritten_when_much_of_it_is_deleted(
    filled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a new folder; the old one goes."""
    monkeypatch.setattr("indexer.store.GARBAGE_FLOOR", 2)
    before = next(filled.state.glob("lexical-*")).name
    for n in range(4):
        filled.write(f"note-{n}.md", NOTES[f"note-{n}.md"], at=1_700_000_001 + n)
        filled.write(f"note-{n}.md", NOTES[f"note-{n}.md"] + "\n", at=1_700_000_001 + n)
    filled.run()
    (after,) = filled.state.glob("lexical-*")
    assert after.name != before
    whole(filled)


def test_the_vector_file_is_rewritten_when_much_of_it_is_unused(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows that stay keep their passages, and nothing is embedded for it."""
    monkeypatch.setattr("indexer.vector_rows.GARBAGE_FLOOR", 2)
    for n in range(4):
        filled.write(f"note-{n}.md", f"# Note {n}\n\nneedle{n} and other words\n", at=1_700_000_001)
    filled.run()
    (file,) = filled.state.glob("vectors-*")
    assert file.stat().st_size == 6 * 64
    for path, text in NOTES.items():
        filled.write(path, text)
    filled.run()
    whole(filled)


def test_what_stays_open_in_another_process_is_deleted_the_next_time(filled: Any) -> None:
    """Files of earlier rewrites do not gather."""
    (filled.state / "lexical-99").mkdir()
    (filled.state / "vectors-99.i8").write_bytes(b"x")
    filled.write("note-0.md", NOTES["note-0.md"] + " ", at=1_700_000_001)
    filled.run()
    assert not (filled.state / "lexical-99").exists() and not (filled.state / "vectors-99.i8").exists()


def test_many_small_runs_leave_few_segments(filled: Any) -> None:
    """Merges that a short run begins are waited for."""
    from indexer.lexical import segments

    for n in range(24):
        filled.write("note-0.md", NOTES["note-0.md"] + "more " * n, at=1_700_000_001 + n)
        filled.run(vectors=False)
    assert segments(next(filled.state.glob("lexical-*"))) < 10


def test_f59_an_index_is_erased_without_its_vault(filled: Any) -> None:
    """Only our files go, and what is not there is no error."""
    (filled.state / "mine.txt").write_text("keep")
    for file in filled.folder.iterdir():
        file.unlink()
    filled.folder.rmdir()
    erase(filled.state)
    assert not exists(filled.state)
    assert {file.name for file in filled.state.iterdir()} <= {"mine.txt", "write.lock", "embed.lock"}
    erase(filled.state)
    erase(filled.state / "never")
    assert not (filled.state / "never").exists()


def test_f59_an_index_that_is_being_written_is_not_erased(filled: Any) -> None:
    """The run goes on; who wants to erase is told."""
    with open_store(filled.state), pytest.raises(Busy):
        erase(filled.state, wait=0.0)
    whole(filled)


def test_a_state_folder_that_cannot_be_made_is_one_line(indexed: Any, tmp_path: Path) -> None:
    """Its path leads through a file."""
    (tmp_path / "file").write_text("x")
    indexed.state = tmp_path / "file" / "index"
    indexed.write("a.md", "text")
    with pytest.raises(StoreError, match=r"cannot be written .*ONEBRAIN_SEARCH_HOME") as told:
        indexed.run()
    assert "\n" not in str(told.value)


@posix
def test_an_index_without_write_permission_is_read_and_not_written() -> None:
    """Both legs answer; a run is one line."""
    script = Path(__file__).with_name("read_only.py")
    with tempfile.TemporaryDirectory() as place:
        told = subprocess.run(
            [sys.executable, str(script), place], env=HERE, capture_output=True, text=True, check=False
        )
    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines()[0] == "found note.md by words and by meaning"
    assert "StoreError the index cannot be written" in told.stdout


@linux
@pytest.mark.parametrize("limit", [10_000, 60_000, 150_000, 400_000])
def test_a_full_disk_is_one_line_and_the_index_survives(indexed: Any, limit: int) -> None:
    """Whatever cannot grow first; with room again the run goes on."""
    for n in range(300):
        indexed.write(f"{n}.md", f"# Note {n}\n\n" + f"needle{n} with words of its own {n * 7919} " * 20)
    script = Path(__file__).with_name("full_disk.py")
    told = subprocess.run(
        [sys.executable, str(script), str(indexed.folder), str(indexed.state), str(limit)],
        env=HERE, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.stdout.startswith(("StoreError", "done")), told.stderr
    assert len(told.stdout.splitlines()) == 1
    indexed.run()
    assert len(indexed.paths()) == 300
    assert indexed.found("needle123") == {"123.md"}


def test_the_catalog_gives_the_room_of_deleted_notes_back(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """When much was deleted, the file gets smaller."""
    monkeypatch.setattr("indexer.store.GARBAGE_FLOOR", 2)
    for n in range(40):
        filled.write(f"more-{n}.md", "\n\n".join(f"{n} {k} {hash((n, k))}" for k in range(200)))
    filled.run()
    size = (filled.state / "catalog.sqlite").stat().st_size
    for n in range(40):
        (filled.folder / f"more-{n}.md").unlink()
    filled.run()
    assert (filled.state / "catalog.sqlite").stat().st_size < size / 2
    whole(filled)


def test_a_catalog_that_is_closed_under_a_reading_thread_ends_nothing(filled: Any) -> None:
    """The thread reads to its end, and who asks later is told; in a process of its own, which SQLite would end."""
    code = (
        "import sys, threading, time; from pathlib import Path\n"
        "from indexer.snapshot import CATALOG, Catalog, StoreError\n"
        "catalog = Catalog(Path(sys.argv[1]) / CATALOG, write=False)\n"
        "long = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n LIMIT 3000000) SELECT max(x) FROM n'\n"
        "reader = threading.Thread(target=lambda: print(catalog.rows(long)[0][0]))\n"
        "reader.start(); time.sleep(0.1); catalog.close(); reader.join()\n"
        "try: catalog.rows('SELECT 1')\n"
        "except StoreError: print('told')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, filled.state], env=HERE, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["3000000", "told"], "")
