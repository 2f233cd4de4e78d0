"""A Brain that is watched: fresh answers, many threads, and the verb `watch`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from indexer.errors import ScanError
from indexer.snapshot import Snapshot, exists
from indexer.watch.standing import load
from onebrain_search import Brain

REPO = Path(__file__).parents[2]
Vault = Callable[[Mapping[str, str]], Path]
PATIENCE = 60.0  # seconds until a condition counts as never met; a machine under load is slow
posix = pytest.mark.skipif(os.name == "nt", reason="a console of Windows sends Ctrl-C to every program in it")


def until(condition: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Return what a condition becomes; fail when it stays false."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    pytest.fail("it did not become true")


def found(brain: Brain, word: str) -> list[str]:
    """Return the paths of the notes with a word."""
    return sorted({hit.chunk.path for hit in brain.search(word, retrieval="lexical", limit=50)})


def test_a_watched_vault_answers_with_what_was_just_saved(vault: Vault, home: Path) -> None:
    """By words and by vectors, without another call; `status` names the process, and settings are taken up."""
    folder = vault({"a.md": "The kettle boils at noon.", "private/b.md": "A secret kettle."})
    brain = Brain.open(folder)
    brain.index()
    told: list[tuple[int, tuple[str, ...]]] = []
    with brain.watch(on_change=lambda generation, paths: told.append((generation, paths))) as watch:
        until(lambda: watch.standing.mode == "watching" and watch.settle(1.0))
        (folder / "c.md").write_text("The ferry leaves at seven in the evening.")
        until(lambda: found(brain, "ferry") == ["c.md"])
        until(lambda: [hit.chunk.path for hit in brain.search("boat departure", retrieval="vector")][:1] == ["c.md"])
        assert any(paths == ("c.md",) for _, paths in told)
        assert told[-1][0] == brain.snapshot().generation
        assert brain.status()["watcher"]["pid"] == os.getpid()
        (folder / "onebrain.yml").write_text("onebrain_search:\n  exclude: [private]\n")
        until(lambda: found(brain, "kettle") == ["a.md"])
        (folder / "onebrain.yml").write_text("onebrain_search:\n  exlude: [private]\n")
        until(lambda: "exlude" in brain.status()["watcher"]["why"])
        (folder / "onebrain.yml").unlink()
        until(lambda: found(brain, "kettle") == ["a.md", "private/b.md"])
    assert brain.status()["watcher"]["mode"] == "stopped"


def test_a_home_folder_is_not_watched_unasked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: Path) -> None:
    """As it is not indexed."""
    (tmp_path / "me").mkdir()
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "me")
    with pytest.raises(ScanError):
        Brain.open(tmp_path / "me").watch()


def test_many_threads_ask_one_brain_while_notes_change(vault: Vault, home: Path) -> None:
    """Every answer is of one generation, nothing fails, and each thread sees the last state in the end."""
    folder = vault({f"n{n}.md": f"# Note {n}\n\ncommon words of edit 0 and number{n}\n" for n in range(20)})
    brain = Brain.open(folder)
    brain.index(vectors=False)
    faults: list[BaseException] = []
    done = threading.Event()

    def ask(kind: int) -> None:
        """Ask again and again, each thread in its own way."""
        generation = 0
        try:
            while not done.is_set():
                with brain.readers.question():
                    snapshot = brain.snapshot()
                    assert snapshot.generation >= generation
                    generation = snapshot.generation
                    if kind % 2:
                        assert brain.ask(f"what is said of number{kind}?").sources
                    else:
                        hits = brain.search("common", limit=50, retrieval="lexical")
                        assert {hit.chunk.path for hit in hits} == {path for _, path in snapshot.catalog.known()}
                    assert brain.snapshot() is snapshot
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=ask, args=(kind,)) for kind in range(6)]
    for thread in threads:
        thread.start()
    for edit in range(1, 9):
        (folder / f"n{edit}.md").write_text(f"# Note {edit}\n\ncommon words of edit{edit} and number{edit}\n")
        (folder / f"new{edit}.md").write_text(f"common words, once more {edit}\n")
        brain.index(vectors=False)
    done.set()
    for thread in threads:
        thread.join()
    assert not faults
    assert found(brain, "edit8") == ["n8.md"]


def test_an_idle_reader_lets_the_log_be_emptied(vault: Vault, home: Path) -> None:
    """What it has loaded stays; the next question sees what was written meanwhile."""
    folder = vault({"a.md": "alpha"})
    brain, writer = Brain.open(folder), Brain.open(folder)
    brain.index()
    snapshot = brain.snapshot()
    vectors = snapshot.vectors()
    assert not brain.readers.rest(3600)
    assert brain.readers.rest() and not snapshot.catalog.sql.in_transaction
    assert brain.snapshot() is snapshot and snapshot.vectors() is vectors and snapshot.catalog.sql.in_transaction
    with brain.readers.question():
        assert not brain.readers.rest()
    brain.readers.rest()
    (folder / "b.md").write_text("beta")
    writer.index(vectors=False)
    assert found(brain, "beta") == ["b.md"]


def test_a_newer_generation_is_made_ready_before_it_is_asked(vault: Vault, home: Path) -> None:
    """With its vectors, when those of the last one were in use."""
    folder = vault({"a.md": "alpha"})
    brain = Brain.open(folder)
    brain.index()
    before = brain.snapshot()
    before.vectors()
    (folder / "b.md").write_text("beta")
    Brain.open(folder).index()
    brain.readers.follow()
    after = brain.snapshot()
    assert after.generation > before.generation and after.has_vectors and len(after.vectors()) == 2


def test_a_reader_stays_open_while_the_index_is_made_anew(vault: Vault, home: Path) -> None:
    """What it has begun it ends with the old one, and the next question reads the new one, of whatever number."""
    folder = vault({"a.md": "alpha"})
    brain = Brain.open(folder)
    brain.index(vectors=False)
    old = brain.snapshot()
    other = Brain.open(folder)
    other.clear()
    (folder / "a.md").write_text("omega")
    other.index(vectors=False)
    assert old.lexical.search([("alpha", 1.0)]) and old.counts()["documents"] == 1
    assert brain.snapshot() is not old
    assert found(brain, "omega") == ["a.md"] and not found(brain, "alpha")


def test_two_index_runs_at_once_both_end_well(vault: Vault, home: Path) -> None:
    """In two processes: each waits for the other where it must, and every passage has one vector."""
    folder = vault({f"n{n}.md": f"# Note {n}\n\nwords of number{n}\n" for n in range(60)})
    command = [sys.executable, "-c", "from onebrain_search.cli import main; main()", "index", "--vault", str(folder)]
    environ = {**os.environ, "PYTHONPATH": str(REPO)}
    runs = [subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [run.communicate(timeout=300)[1] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], said
    counts = Brain.open(folder).snapshot().counts()
    assert (counts["documents"], counts["pending"], counts["vectors"]) == (60, 0, counts["chunks"])


def _hears_ctrl_c() -> None:
    """Let a program that is started take Ctrl-C as from a terminal."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def killed(run: subprocess.Popen[str]) -> Iterator[None]:
    """End a program with the test, also when that failed."""
    try:
        yield
    finally:
        run.kill()


@posix
def test_the_verb_watch_tells_each_change_until_ctrl_c(vault: Vault, home: Path) -> None:
    """On stderr, with the file; it ends well, and says where it cannot go on."""
    folder = vault({"a.md": "alpha"})
    command = [sys.executable, "-c", "from onebrain_search.cli import main; main()", "watch", "--vault", str(folder)]
    environ = {**os.environ, "PYTHONPATH": str(REPO)}
    pipes: dict[str, Any] = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    # what runs in the background of a script is started deaf to Ctrl-C
    with subprocess.Popen(command, env=environ, preexec_fn=_hears_ctrl_c, **pipes) as run, killed(run):
        assert run.stderr is not None
        assert run.stderr.readline() == f"watching {folder}; end it with Ctrl-C\n"
        assert run.stderr.readline().endswith(" a.md\n")
        (folder / "b.md").write_text("beta")
        lines = [run.stderr.readline()]
        while not lines[-1].endswith(" b.md\n"):
            lines.append(run.stderr.readline())
        second = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60)
        assert second.returncode == 2 and f"process {run.pid}" in second.stderr
        run.send_signal(signal.SIGINT)
        rest = run.communicate(timeout=60)
    assert run.returncode == 0 and rest[0] == "" and rest[1].endswith("stopped watching\n")


def test_f69_a_watcher_that_was_killed_leaves_no_obstacle(vault: Vault, home: Path) -> None:
    """Its lock is free, nobody takes it for alive, and what it had not done is done by the next one."""
    folder = vault({f"n{n}.md": f"# Note {n}\n\nwords of number{n}\n" for n in range(40)})
    command = [sys.executable, "-c", "from onebrain_search.cli import main; main()", "watch", "--vault", str(folder)]
    environ = {**os.environ, "PYTHONPATH": str(REPO)}
    brain = Brain.open(folder)
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE) as run:
        until(lambda: exists(brain.folder) and load(brain.folder).pid == run.pid)
        run.kill()
    assert load(brain.folder).mode == "stopped"
    (folder / "later.md").write_text("a ferry")
    with brain.watch() as watch:
        until(
            lambda: watch.standing.mode == "watching" and watch.settle(1.0) and found(brain, "ferry") == ["later.md"]
        )
        until(lambda: not brain.snapshot().counts()["pending"])
    assert brain.snapshot().counts()["documents"] == 41


def test_what_is_pending_is_counted_with_the_answer(vault: Vault, home: Path) -> None:
    """Beside the generation that was asked."""
    brain = Brain.open(vault({"a.md": "alpha", "b.md": "beta"}))
    brain.index(vectors=False)
    counts = brain.snapshot().counts()
    assert (counts["pending"], counts["generation"]) == (2, brain.snapshot().generation)
    assert Snapshot.open(brain.folder).generation == counts["generation"]


@pytest.mark.parametrize("verb", ["watch", "serve"])
def test_a_folder_that_never_was_is_an_error(tmp_path: Path, home: Path, verb: str) -> None:
    """What, where and what to do in one line, and no index is made; a vault with an index is waited for."""
    command = [sys.executable, "-c", "from onebrain_search.cli import main; main()", verb, "--vault"]
    ran = subprocess.run([*command, str(tmp_path / "nots")], capture_output=True, text=True, timeout=PATIENCE)
    assert (ran.returncode, len(ran.stderr.splitlines())) == (2, 1), ran.stderr
    assert str(tmp_path / "nots") in ran.stderr
    assert not list(home.glob("nots-*"))
