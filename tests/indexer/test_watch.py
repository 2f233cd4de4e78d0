"""The watcher on real file events: whatever way a note is saved, moved or removed, the index follows."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer.errors import Busy
from indexer.snapshot import Snapshot
from indexer.watch import loop
from indexer.watch.loop import Watch
from indexer.watch.notices import Listener
from indexer.watch.standing import load

PATIENCE = 30.0  # seconds until a condition counts as never met; a machine under load is slow
posix = pytest.mark.skipif(os.name == "nt", reason="folders that are open cannot be moved on Windows")


def unheard(generation: int, paths: tuple[str, ...]) -> None:
    """Tell nobody."""


def until(condition: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Return what a condition becomes; fail when it stays false."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    pytest.fail("it did not become true")


@pytest.fixture
def watched(indexed: Any) -> Iterator[Any]:
    """Return a vault of three notes whose watcher has looked at it once; `heard` are the changes it told of."""
    indexed.write("a.md", "# A\n\nalpha words\n")
    indexed.write("sub/b.md", "beta words\n")
    indexed.write("sub/deep/c.md", "gamma words\n")
    indexed.heard = []
    indexed.watch = Watch(
        indexed.state, lambda: indexed.plan(), on_change=lambda generation, paths: indexed.heard.append(paths)
    )
    with indexed.watch:
        until(lambda: indexed.state.joinpath("catalog.sqlite").exists() and whole(indexed))
        yield indexed


def whole(vault: Any) -> bool:
    """Whether every passage has its vector, and nothing waits."""
    counts = vault.look(Snapshot.counts)
    return bool(counts["documents"] and not counts["pending"] and vault.watch.settle(0.1))


def test_what_was_there_before_it_began_is_indexed(watched: Any) -> None:
    """The first look takes in everything, with vectors."""
    assert watched.paths() == ["a.md", "sub/b.md", "sub/deep/c.md"]
    assert watched.near("beta words", 1) == ["sub/b.md"]
    assert watched.watch.standing.mode == "watching"


def test_f51_a_new_note_and_an_edit_are_found(watched: Any) -> None:
    """By words, then by vectors; the change is told with its path."""
    watched.write("sub/new.md", "delta", at=None)
    until(lambda: watched.found("delta") == {"sub/new.md"})
    watched.write("a.md", "# A\n\nepsilon words\n", at=None)
    until(lambda: watched.found("epsilon") == {"a.md"} and not watched.found("alpha"))
    until(lambda: watched.near("epsilon words", 1) == ["a.md"])
    until(lambda: ("sub/new.md",) in watched.heard and ("a.md",) in watched.heard)


@pytest.mark.parametrize("way", ["replace", "backup", "outside"])
def test_a_note_that_is_saved_by_renaming_is_found(watched: Any, way: str, tmp_path: Path) -> None:
    """A temporary file put in its place, also from another folder, and the old one set aside first, as vim does."""
    note = watched.folder / "sub/b.md"
    new = tmp_path / "new" if way == "outside" else note.with_name(".b.md.tmp")
    new.write_text("zeta words\n")
    if way == "backup":
        note.rename(note.with_name("b.md~"))
        new.rename(note)
        note.with_name("b.md~").unlink()
    else:
        new.replace(note)
    until(lambda: watched.found("zeta") == {"sub/b.md"} and not watched.found("beta"))
    assert watched.paths() == ["a.md", "sub/b.md", "sub/deep/c.md"]


@posix
def test_a_renamed_folder_costs_no_vector(watched: Any) -> None:
    """Its notes are found under their new paths, in and below it."""
    made = len(watched.model.texts)
    watched.folder.joinpath("sub").rename(watched.folder / "other")
    until(lambda: watched.paths() == ["a.md", "other/b.md", "other/deep/c.md"])
    watched.write("other/deep/c.md", "theta words", at=None)
    until(lambda: watched.found("theta") == {"other/deep/c.md"} and whole(watched))
    assert len(watched.model.texts) == made + 1


def test_a_note_that_goes_and_comes_back_costs_no_vector(watched: Any) -> None:
    """Cloud clients delete and create; the vectors of what is gone are kept until the next look at everything."""
    made = len(watched.model.texts)
    text = (watched.folder / "a.md").read_bytes()
    (watched.folder / "a.md").unlink()
    until(lambda: "a.md" not in watched.paths())
    assert watched.tables()["vectors"] == 3
    watched.write("back/a.md", text, at=None)
    until(lambda: "back/a.md" in watched.paths() and whole(watched))
    assert len(watched.model.texts) == made


def test_a_deleted_folder_is_gone_from_the_index(watched: Any) -> None:
    """With all that was below it."""
    shutil.rmtree(watched.folder / "sub")
    until(lambda: watched.paths() == ["a.md"])


def test_a_folder_that_is_moved_in_is_indexed(watched: Any, tmp_path: Path) -> None:
    """And watched from then on."""
    (tmp_path / "in/deep").mkdir(parents=True)
    (tmp_path / "in/deep/x.md").write_text("iota")
    (tmp_path / "in").rename(watched.folder / "in")
    until(lambda: watched.found("iota") == {"in/deep/x.md"})
    watched.write("in/deep/y.md", "kappa", at=None)
    until(lambda: watched.found("kappa") == {"in/deep/y.md"})


def test_folders_made_and_filled_at_once_are_indexed(watched: Any) -> None:
    """Files that were there before the new folder could be watched are not lost."""
    for n in range(40):
        watched.write(f"n{n}/m/k/x.md", f"word{n}", at=None)
    until(lambda: len(watched.paths()) == 43)


@pytest.mark.skipif(sys.platform != "linux", reason="only inotify watches folder by folder")
def test_a_folder_that_is_met_twice_is_watched_once_without_a_warning(
    recwarn: pytest.WarningsRecorder, watched: Any
) -> None:
    """watchdog meets one that is made and filled at once on its walk and by its notice."""
    emitter = next(iter(watched.watch.listener.observer.emitters))
    inotify = emitter._inotify
    for _ in range(2):
        inotify._add_callback(os.fsencode(watched.folder / "sub"))
    assert not [warning for warning in recwarn if "already exists" in str(warning.message)]
    watched.write("sub/b.md", "omega", at=None)
    until(lambda: watched.found("omega") == {"sub/b.md"})


def test_what_an_ignore_file_says_holds_at_once(watched: Any) -> None:
    """In both directions."""
    watched.write(".onebrainignore", "sub/\n", at=None)
    until(lambda: watched.paths() == ["a.md"])
    (watched.folder / ".onebrainignore").unlink()
    until(lambda: len(watched.paths()) == 3)


def test_hidden_folders_are_not_even_watched(watched: Any) -> None:
    """A repository's own files change all the time."""
    for n in range(10):
        watched.write(f".git/objects/{n}/x.md", "hidden", at=None)
        watched.write("node_modules/x.md", "hidden", at=None)
    watched.write("end.md", "visible", at=None)
    until(lambda: watched.found("visible"))
    assert not watched.found("hidden")
    until(lambda: ("end.md",) in watched.heard)
    before = {"a.md", "sub/b.md", "sub/deep/c.md"}
    assert {path for paths in watched.heard for path in paths} == before | {"end.md"}


def test_f54_a_vault_inside_a_hidden_folder_is_watched(indexed: Any, tmp_path: Path) -> None:
    """What is left out is told by names below the root alone."""
    hidden = tmp_path / ".notes"
    hidden.mkdir()
    vault = type(indexed)(hidden)
    vault.write("a.md", "alpha")
    with Watch(vault.state, lambda: vault.plan(), on_change=unheard) as watch:
        until(lambda: watch.standing.mode == "watching" and watch.settle(0.1) and vault.found("alpha"))
        vault.write("sub/b.md", "beta", at=None)
        until(lambda: vault.found("beta") == {"sub/b.md"})
        vault.write("sub/b.md", "gamma", at=None)
        until(lambda: vault.found("gamma") == {"sub/b.md"})


@posix
def test_a_link_is_followed_as_by_a_whole_run(watched: Any) -> None:
    """What it leads to is indexed once, under its own path where that counts."""
    watched.write(".store/x.md", "linked", at=None)
    (watched.folder / "link").symlink_to(watched.folder / ".store", target_is_directory=True)
    until(lambda: watched.found("linked") == {"link/x.md"})
    (watched.folder / "twice.md").symlink_to(watched.folder / "a.md")
    watched.write("end.md", "visible", at=None)
    until(lambda: watched.found("visible"))
    assert watched.found("alpha") == {"a.md"}


def test_f50_a_branch_of_many_files_is_switched(watched: Any) -> None:
    """Files in many folders change, go and come at once, and go back again."""
    for n in range(600):
        watched.write(f"d{n % 90}/n{n}.md", f"first{n}", at=None)
    until(lambda: len(watched.paths()) == 603 and watched.found("first599"))
    for n in range(600):
        if n % 3:
            watched.write(f"d{n % 90}/n{n}.md", f"second{n}", at=None)
        else:
            (watched.folder / f"d{n % 90}/n{n}.md").unlink()
    until(lambda: len(watched.paths()) == 403 and watched.found("second599") and watched.watch.settle(0.1))
    assert not watched.found(*(f"first{n}" for n in range(600)))
    assert len(watched.found(*(f"second{n}" for n in range(600)))) == 400


def test_f47_what_no_notice_told_of_is_found_by_the_next_look_at_everything(
    indexed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a network drive, which tells nothing of what other machines change."""
    monkeypatch.setattr(loop, "RECONCILE", 0.3)
    monkeypatch.setattr(Listener, "areas", lambda *of_an_event: iter(()))
    indexed.write("a.md", "alpha")
    with Watch(indexed.state, lambda: indexed.plan(), on_change=unheard) as watch:
        until(lambda: watch.standing.mode == "watching" and watch.settle(0.1) and indexed.found("alpha"))
        indexed.write("a.md", "beta", at=None)
        until(lambda: indexed.found("beta") == {"a.md"})
        assert watch.standing.mode == "watching"


def test_f47_a_listener_that_died_is_noticed_and_replaced(watched: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes of the time between are found, and the standing says how often."""
    monkeypatch.setattr(loop, "HEALTH", 0.1)
    watched.watch.listener.observer.stop()
    watched.watch.listener.observer.join()
    watched.write("between.md", "lambda", at=None)
    until(lambda: watched.found("lambda") == {"between.md"})
    assert until(lambda: load(watched.state).restarts) == 1
    assert load(watched.state).mode == "watching"
    watched.write("after.md", "omicron", at=None)
    until(lambda: watched.found("omicron"))


@posix
def test_a_vault_that_goes_away_keeps_its_entries_and_comes_back(
    watched: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The standing says so meanwhile, and it recovers by itself."""
    monkeypatch.setattr(loop, "HEALTH", 0.1)
    monkeypatch.setattr(loop, "RETRY", 0.1)
    away = watched.folder.with_name("away")
    watched.folder.rename(away)
    until(lambda: load(watched.state).mode == "unreachable")
    assert str(watched.folder) in load(watched.state).why
    assert len(watched.paths()) == 3
    (away / "new.md").write_text("sigma")
    away.rename(watched.folder)
    until(lambda: watched.found("sigma"))
    until(lambda: load(watched.state).mode == "watching")
    watched.write("later.md", "tau", at=None)
    until(lambda: watched.found("tau"))


def test_one_watcher_a_vault(watched: Any) -> None:
    """A second one is told which process is at it; when the first ends, the place is free."""
    second = Watch(watched.state, lambda: watched.plan(), on_change=unheard)
    with pytest.raises(Busy, match=rf"watching this vault .*process {os.getpid()}"):
        second.start()
    assert load(watched.state).pid == os.getpid()
    watched.watch.stop()
    assert load(watched.state).mode == "stopped"
    with second:
        until(lambda: second.standing.mode == "watching")


def test_vectors_can_be_paused(watched: Any) -> None:
    """Words are found, the count of what waits is there, and going on makes the rest."""
    watched.watch.pause_vectors()
    watched.write("p.md", "upsilon", at=None)
    until(lambda: watched.found("upsilon") == {"p.md"})
    assert watched.look(Snapshot.counts)["pending"] == 1
    assert load(watched.state).paused
    watched.watch.pause_vectors(False)
    until(lambda: whole(watched))


def test_f52_a_note_that_is_written_while_everything_is_looked_at_is_kept(indexed: Any) -> None:
    """It appears behind the scan, in a folder that was listed already."""
    indexed.write("a/1.md", "one")
    indexed.write("b/2.md", "two")
    during = threading.Event()

    def progress(stage: str, done: int, total: int) -> None:
        """Write a note when the first one is being read."""
        if stage == "lexical" and not during.is_set():
            during.set()
            indexed.write("a/3.md", "three", at=None)

    with Watch(indexed.state, lambda: indexed.plan(), on_change=unheard, progress=progress):
        until(lambda: indexed.state.joinpath("catalog.sqlite").exists() and indexed.found("three"))
    assert len(indexed.paths()) == 3
