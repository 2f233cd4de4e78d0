"""Runs over what cannot be read, is left out, or is away: nothing is lost, and the report says so."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from indexer.errors import ScanError
from indexer.types import Root
from indexer.update import EMPTIED

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX rights")
LATER = 1_700_000_500


def counts(report: Any) -> tuple[int, int, int, int, int]:
    """Return added, changed, moved, removed and unchanged."""
    return report.added, report.changed, report.moved, report.removed, report.unchanged


def unprivileged_run(vault: Any, path: Path) -> Any:
    """Run while a file or folder cannot be read, also when the tests are run as root."""
    for folder in [vault.state.parent, *vault.state.parent.parents]:
        if folder.stat().st_uid == os.geteuid() and str(folder).startswith("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o055)
    for place in [vault.state, *vault.state.rglob("*")]:
        place.chmod(0o777)
    path.chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        return vault.run(vectors=False)
    finally:
        if root:
            os.seteuid(0)
        path.chmod(0o755)


@posix
@pytest.mark.parametrize("place", ["locked/a.md", "locked"], ids=["a file", "a folder"])
def test_what_cannot_be_read_keeps_its_entry(indexed: Any, place: str) -> None:
    """The run is partial and says where; with rights again the entry is as new."""
    indexed.write("locked/a.md", "alpha")
    indexed.write("b.md", "beta")
    indexed.run()
    indexed.write("locked/a.md", "gamma", at=LATER)
    report = unprivileged_run(indexed, indexed.folder / place)
    assert report.partial
    assert [skip.path.rstrip("/") for skip in report.failed] == [place]
    assert report.removed == 0
    assert indexed.found("alpha") == {"locked/a.md"}
    assert [skip.path.rstrip("/") for skip in indexed.look(lambda s: s.catalog.skips())] == [place]
    assert counts(indexed.run()) == (0, 1, 0, 0, 1)
    assert indexed.look(lambda s: s.catalog.skips()) == []


def test_f63_a_note_that_is_not_downloaded_keeps_its_entry(indexed: Any) -> None:
    """A placeholder is not opened, the run is partial."""
    indexed.write("a.md", "alpha " * 200)
    indexed.run()
    (indexed.folder / "a.md").unlink()
    with (indexed.folder / "a.md").open("wb") as file:
        file.truncate(4096)
    if (indexed.folder / "a.md").stat().st_blocks:
        pytest.skip("this file system has no sparse files")
    report = indexed.run()
    assert [(skip.path, skip.reason) for skip in report.failed] == [("a.md", "not downloaded")]
    assert indexed.found("alpha") == {"a.md"}


def test_f12_what_is_excluded_is_counted_and_leaves_the_index(indexed: Any) -> None:
    """A rule takes a note out, and the report says how many it left out."""
    indexed.write("Archive/a.md", "alpha")
    indexed.write("b.md", "beta")
    indexed.run()
    rules = replace(indexed.plan().rules[""], exclude=("Archive/",))
    report = indexed.run(rules={"": rules})
    assert (report.excluded, report.removed, indexed.paths()) == (1, 1, ["b.md"])
    assert indexed.look(lambda s: s.catalog.number("excluded")) == 1


def test_the_number_of_excluded_files_is_kept_though_nothing_else_changed(indexed: Any) -> None:
    """`status` reads it from the index."""
    rules = replace(indexed.plan().rules[""], exclude=("Archive/",))
    indexed.write("b.md", "beta")
    indexed.run(rules={"": rules})
    indexed.write("Archive/a.md", "alpha")
    indexed.run(rules={"": rules})
    assert indexed.look(lambda s: s.catalog.number("excluded")) == 1


def test_f62_a_file_over_the_limit_is_skipped_and_said_so(indexed: Any) -> None:
    """What it was before does not stay."""
    indexed.write("big.md", "small")
    indexed.run()
    indexed.write("big.md", "x" * 20_000_000)
    report = indexed.run()
    assert [(skip.path, skip.failed) for skip in report.skipped] == [("big.md", False)]
    assert "20.0 MB is over the limit" in report.skipped[0].reason
    assert (report.removed, report.partial, indexed.paths()) == (1, False, [])


def test_a_file_that_became_binary_is_skipped_and_its_entry_goes(indexed: Any) -> None:
    """What it said before is not what it is now."""
    indexed.write("a.md", "alpha")
    indexed.run()
    indexed.write("a.md", bytes(range(256)) * 10, at=LATER)
    report = indexed.run()
    assert (report.removed, len(report.skipped), indexed.paths()) == (1, 1, [])
    again = indexed.run()
    assert (again.removed, len(again.skipped)) == (0, 1)


def test_a_file_that_vanishes_while_the_run_goes_on_is_gone(indexed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was listed, and is not there when it is read."""
    from indexer import prepare

    indexed.write("a.md", "alpha")
    indexed.write("b.md", "beta")
    indexed.run()
    indexed.write("a.md", "gamma", at=LATER)
    real = prepare.read_source

    def vanish(root: Any, file: Any, top: str) -> bytes:
        """Delete the file, then read it."""
        (indexed.folder / file.path).unlink()
        return real(root, file, top)

    monkeypatch.setattr(prepare, "read_source", vanish)
    report = indexed.run()
    assert (report.removed, report.partial, indexed.paths()) == (1, False, ["b.md"])
    assert "vanished" in report.skipped[0].reason


def test_f52_a_note_made_while_a_run_goes_on_is_not_lost(indexed: Any) -> None:
    """It is in the next run at the latest."""
    indexed.write("a.md", "alpha")

    def make(stage: str, done: int, total: int) -> None:
        """Make a note in the middle of the run."""
        if stage == "lexical":
            indexed.write("b.md", "beta")

    indexed.run(progress=make)
    indexed.run()
    assert indexed.paths() == ["a.md", "b.md"]


def test_an_emptied_root_counts_as_unreachable(indexed: Any) -> None:
    """Its entries stay and the run is partial, until somebody says that it was meant."""
    for n in range(EMPTIED):
        indexed.write(f"{n}.md", f"word{n}")
    indexed.run()
    for file in indexed.folder.iterdir():
        file.unlink()
    report = indexed.run()
    assert (report.partial, report.removed, len(indexed.paths())) == (True, 0, EMPTIED)
    assert "index --yes" in report.failed[0].reason
    assert counts(indexed.run(accept_emptied=True)) == (0, 0, 0, EMPTIED, 0)
    assert indexed.paths() == []


def test_a_small_root_may_be_emptied(indexed: Any) -> None:
    """Below 20 notes an empty folder is taken at its word."""
    indexed.write("a.md", "alpha")
    indexed.run()
    (indexed.folder / "a.md").unlink()
    assert counts(indexed.run()) == (0, 0, 0, 1, 0)


def test_a_missing_vault_is_an_error_and_a_missing_code_folder_is_not(indexed: Any) -> None:
    """The folder's entries stay, the run is partial."""
    code = indexed.folder.parent / "code"
    code.mkdir()
    (code / "main.py").write_text("def needle():\n    pass\n")
    indexed.write("a.md", "alpha")
    roots = (indexed.root, Root("tools", code, "code"))
    rules = dict.fromkeys(("", "tools"), indexed.plan().rules[""])
    assert indexed.run(roots=roots, rules=rules).added == 2
    code.rename(code.with_name("away"))
    report = indexed.run(roots=roots, rules=rules)
    assert (report.partial, report.removed, report.unchanged) == (True, 0, 1)
    assert indexed.found("needle") == {"main.py"}
    code.with_name("away").rename(code)
    indexed.folder.rename(indexed.folder.with_name("away"))
    with pytest.raises(ScanError):
        indexed.run(roots=roots, rules=rules)
    assert len(indexed.paths()) == 2


def test_a_root_that_is_no_longer_configured_leaves_the_index(indexed: Any) -> None:
    """Its notes are gone with the next run."""
    code = indexed.folder.parent / "code"
    code.mkdir()
    (code / "main.py").write_text("needle = 1\n")
    roots = (indexed.root, Root("tools", code, "code"))
    indexed.run(roots=roots, rules=dict.fromkeys(("", "tools"), indexed.plan().rules[""]))
    assert counts(indexed.run()) == (0, 0, 0, 1, 0)


def test_a_path_is_unique_within_its_root(indexed: Any) -> None:
    """The same path in two roots is two documents."""
    code = indexed.folder.parent / "code"
    code.mkdir()
    (code / "a.md").write_text("beta")
    indexed.write("a.md", "alpha")
    roots = (indexed.root, Root("tools", code, "code"))
    rules = dict.fromkeys(("", "tools"), indexed.plan().rules[""])
    assert indexed.run(roots=roots, rules=rules).added == 2
    assert indexed.run(roots=roots, rules=rules).unchanged == 2


def test_f54_a_vault_below_a_hidden_folder_is_a_vault(tmp_path: Path, indexed: Any) -> None:
    """Only what is hidden inside of it stays out."""
    indexed.folder = tmp_path / ".notes" / "vault"
    indexed.folder.mkdir(parents=True)
    indexed.root = Root("", indexed.folder, "note")
    indexed.write("a.md", "alpha")
    indexed.write(".hidden/b.md", "beta")
    indexed.run()
    assert indexed.paths() == ["a.md"]


def test_an_empty_vault_has_an_empty_index(indexed: Any) -> None:
    """And no note to say."""
    report = indexed.run()
    assert counts(report) == (0, 0, 0, 0, 0)
    assert (report.notes, report.partial, indexed.paths()) == ((), False, [])
