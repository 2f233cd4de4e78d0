"""The scan: what is listed, what is left out, and what is reported."""

from __future__ import annotations

import os
import shutil
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from indexer import scan as scanning
from indexer.errors import ScanError
from indexer.scan import ScanResult, ScanRules, read_source, scan
from indexer.types import Kind, Root

SUFFIXES: dict[str, Kind] = {".md": "note", ".txt": "note", ".py": "code", ".js": "code", ".lock": "code"}

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX file names and rights")


def write(folder: Path, *paths: str, text: str = "text\n") -> None:
    """Write files below a folder."""
    for path in paths:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def look(folder: Path, **rules: object) -> ScanResult:
    """Scan a folder as the vault."""
    return scan(Root("", folder, "note"), ScanRules(SUFFIXES, **rules))  # type: ignore[arg-type]


def listed(folder: Path, **rules: object) -> list[str]:
    """The paths that a scan lists, in its order."""
    return [file.path for file in look(folder, **rules).files]


@contextmanager
def unprivileged() -> Iterator[Path]:
    """A folder in which rights count even when the tests run as root, for the time of the block."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    root = os.geteuid() == 0
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        for place in [folder, *folder.rglob("*")]:
            place.chmod(0o755)
        shutil.rmtree(folder)


def drop_rights() -> None:
    """Go on as a user whom file rights bind; `unprivileged` undoes it."""
    if os.geteuid() == 0:
        os.seteuid(65534)


# --- what is listed ---------------------------------------------------------------------------------


def test_files_of_known_suffixes_come_sorted_with_size_and_time(tmp_path: Path) -> None:
    """Each file carries what a later run needs to see that it is unchanged."""
    write(tmp_path, "b.md", "a/z.md", "a.md", "picture.png", "noSuffix")
    files = look(tmp_path).files
    assert [file.path for file in files] == ["a.md", "a/z.md", "b.md"]
    info = (tmp_path / "b.md").stat()
    assert (files[-1].size, files[-1].mtime_ns, files[-1].root) == (info.st_size, info.st_mtime_ns, "")


def test_kind_is_told_by_the_suffix_in_any_case(tmp_path: Path) -> None:
    """A source repository opened as a vault gives both notes and code."""
    write(tmp_path, "README.MD", "src/core.py")
    assert [(file.path, file.kind) for file in look(tmp_path).files] == [
        ("README.MD", "note"),
        ("src/core.py", "code"),
    ]


def test_names_round_trip_to_the_file(tmp_path: Path) -> None:
    """F77 and its kind: what is listed opens, whatever the name holds."""
    nfd = unicodedata.normalize("NFD", "Café.md")
    names = [
        "ö/日本.md",
        nfd,
        "a#b.md",
        "100%.md",
        "50%25.md",
        "[x].md",
        "with space .md",
        "é" * 120 + ".md",
        "👍.md",
    ]
    names += ["line\nbreak.md", 'quo"te.md', "back\\slash.md", "star*.md"] if os.name != "nt" else []
    for name in names:
        write(tmp_path, name, text=name)
    root = Root("", tmp_path, "note")
    found = {file.path: read_source(root, file).decode() for file in look(tmp_path).files}
    assert {unicodedata.normalize("NFC", path) for path in found} == {
        unicodedata.normalize("NFC", name) for name in names
    }
    assert all(
        unicodedata.normalize("NFC", path) == unicodedata.normalize("NFC", text) for path, text in found.items()
    )


def test_f77_multibyte_path_round_trips(tmp_path: Path) -> None:
    """The path that is handed out is the one on disk."""
    write(tmp_path, "ö/日本.md", text="hello")
    (file,) = look(tmp_path).files
    assert (tmp_path / file.path).read_text() == "hello"


@pytest.mark.skipif(os.name == "nt" or os.uname().sysname == "Darwin", reason="these systems refuse such names")
def test_a_name_that_is_no_utf8_is_a_reported_skip(tmp_path: Path) -> None:
    """Such a name can neither be stored nor printed, so it is listed among the skips with its bytes escaped."""
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md"))).write_text("x")
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xe9"))
    write(folder, "in.md")
    result = look(tmp_path)
    assert result.files == ()
    assert [(skip.path, skip.failed) for skip in result.skipped] == [("caf\\udce9.md", False), ("d\\udce9", False)]


def test_f62_a_file_over_the_limit_is_a_reported_skip(tmp_path: Path) -> None:
    """A 20 MB one-line file is named with its size, and the scan ends."""
    write(tmp_path, "big.md", text="x" * 20_000_000)
    write(tmp_path, "small.md")
    result = look(tmp_path)
    assert [file.path for file in result.files] == ["small.md"]
    assert [(skip.path, skip.reason, skip.failed) for skip in result.skipped] == [
        ("big.md", "20.0 MB is over the limit of 10 MB", False)
    ]


@posix
def test_a_pipe_with_a_note_name_is_reported_and_never_opened(tmp_path: Path) -> None:
    """Opening a pipe would wait for a writer for ever."""
    os.mkfifo(tmp_path / "pipe.md")
    result = look(tmp_path)
    assert (result.files, [skip.reason for skip in result.skipped]) == ((), ["not a regular file"])


def test_more_files_than_somebody_writes_are_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F60: the run goes on, and says that this may be the wrong folder."""
    monkeypatch.setattr(scanning, "MANY_FILES", 2)
    write(tmp_path, "a.md", "b.md", "c.md")
    assert look(tmp_path).notes == (f"3 files in {tmp_path}: is this the folder you meant?",)


# --- what is left out -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "folder",
    [
        *(".obsidian", ".trash", ".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".tox"),
        *(".mypy_cache", ".ruff_cache", "site-packages", ".idea", ".vscode", ".onebrain", ".onebrain-backups"),
    ],
)
def test_folders_of_tools_stay_out_even_with_hidden(tmp_path: Path, folder: str) -> None:
    """They hold no notes of the user's, at any depth, and are not counted."""
    write(tmp_path, "a.md", f"{folder}/x.md", f"deep/{folder}/x.md")
    result = look(tmp_path, hidden=True)
    assert ([file.path for file in result.files], result.excluded) == (["a.md"], 0)


def test_a_python_environment_is_known_by_its_marker(tmp_path: Path) -> None:
    """`env` is a fine name for a folder of notes, so the file inside decides."""
    write(tmp_path, "env/pyvenv.cfg", "env/lib/x.py", "notes/env/environment.md")
    assert listed(tmp_path) == ["notes/env/environment.md"]


def test_the_logseq_folder_of_a_graph_stays_out(tmp_path: Path) -> None:
    """It holds settings, backups and deleted pages; a folder of that name without settings is the user's."""
    write(tmp_path, "logseq/config.edn", "logseq/bak/old.md", "logseq/.recycle/x.md", "pages/a.md")
    write(tmp_path, "topics/logseq/how-to.md")
    assert listed(tmp_path) == ["pages/a.md", "topics/logseq/how-to.md"]


def test_generated_files_are_left_out_and_counted(tmp_path: Path) -> None:
    """Lock files and minified code answer no question."""
    write(tmp_path, "app.js", "app.min.js", "poetry.lock", "vendor/lib.bundle.js")
    result = look(tmp_path)
    assert ([file.path for file in result.files], result.excluded) == (["app.js"], 3)


def test_f54_a_vault_inside_a_hidden_folder_works(tmp_path: Path) -> None:
    """Only the part of a path below the root tells whether it is hidden."""
    vault = tmp_path / ".notes" / "node_modules" / "vault"
    write(vault, "a.md", "sub/b.md", ".secret/c.md", ".d.md")
    assert listed(vault) == ["a.md", "sub/b.md"]


def test_hidden_takes_dot_files_and_folders(tmp_path: Path) -> None:
    """A documented setting."""
    write(tmp_path, ".secret/c.md", ".d.md")
    assert listed(tmp_path, hidden=True) == [".d.md", ".secret/c.md"]


def test_apart_folders_are_neither_listed_nor_counted(tmp_path: Path) -> None:
    """A code folder inside the vault is a root of its own."""
    write(tmp_path, "a.md", "code/app/x.py", "code/notes.md", "other/code/app/y.md")
    result = look(tmp_path, apart=frozenset({"code/app"}))
    assert [file.path for file in result.files] == ["a.md", "code/notes.md", "other/code/app/y.md"]
    assert result.excluded == 0


# --- links ------------------------------------------------------------------------------------------


@posix
def test_f79_links_inside_are_followed_once_and_outside_never(tmp_path: Path) -> None:
    """A file is listed under one path; a link out of the root is reported, whether to a file or a folder."""
    vault, elsewhere = tmp_path / "v", tmp_path / "elsewhere"
    write(elsewhere, "secret.txt", "notes/n.md")
    write(vault, "real.md", "folder/in.md", ".store/kept.md", ".store/deep/d.md")
    (vault / "out.md").symlink_to(elsewhere / "secret.txt")
    (vault / "outdir").symlink_to(elsewhere)
    (vault / "a-copy.md").symlink_to("real.md")
    (vault / "b-folder").symlink_to("folder")
    (vault / "kept.md").symlink_to(".store/kept.md")
    (vault / "kept-again.md").symlink_to(".store/kept.md")
    (vault / "store").symlink_to(".store")
    result = look(vault)
    assert [file.path for file in result.files] == ["folder/in.md", "kept-again.md", "real.md", "store/deep/d.md"]
    assert [(skip.path, skip.reason) for skip in result.skipped] == [
        ("out.md", "a symlink that leads outside the root"),
        ("outdir", "a symlink that leads outside the root"),
    ]


@posix
def test_f79_loops_end(tmp_path: Path) -> None:
    """Links to the root, to a parent, to each other and to nothing."""
    write(tmp_path, "a/b/x.md", ".h/i/y.md")
    (tmp_path / "a/b/up").symlink_to("..")
    (tmp_path / "a/b/root").symlink_to(tmp_path)
    (tmp_path / ".h/i/self").symlink_to("../../h")
    (tmp_path / "h").symlink_to(".h")
    (tmp_path / "one.md").symlink_to("two.md")
    (tmp_path / "two.md").symlink_to("one.md")
    result = look(tmp_path)
    assert [file.path for file in result.files] == ["a/b/x.md", "h/i/y.md"]
    assert {skip.path: skip.reason for skip in result.skipped} == {
        "one.md": "a symlink that leads nowhere",
        "two.md": "a symlink that leads nowhere",
    }


@posix
def test_a_link_does_not_bring_back_what_a_rule_leaves_out(tmp_path: Path) -> None:
    """Neither by its target nor by its own name."""
    write(
        tmp_path, "private/p.md", "ignored/i.md", ".trash/t.md", ".git/g.md", "sub/half.md", "apart/c.md", ".x/y.md"
    )
    write(tmp_path, ".onebrainignore", text="ignored/\n")
    write(tmp_path, "sub/.onebrainignore", text="half.md\n")
    targets = ["private/p.md", "ignored/i.md", ".trash/t.md", ".git/g.md", "sub/half.md", "apart/c.md"]
    for number, target in enumerate([*targets, "private", "ignored", ".trash", "apart"]):
        (tmp_path / (f"{number}.md" if target.endswith(".md") else f"link{number}")).symlink_to(target)
    (tmp_path / "private-y.md").symlink_to(".x/y.md")
    rules = {"exclude": ("private", "private-y.md"), "apart": frozenset({"apart"})}
    assert listed(tmp_path, **rules) == []


@posix
def test_the_root_may_be_a_link_and_hard_links_are_files(tmp_path: Path) -> None:
    """A vault kept elsewhere and linked to is a vault."""
    write(tmp_path / "real", "a.md")
    os.link(tmp_path / "real/a.md", tmp_path / "real/b.md")
    (tmp_path / "vault").symlink_to("real")
    (tmp_path / "real/c.md").symlink_to(tmp_path / "vault/a.md")
    assert listed(tmp_path / "vault") == ["a.md", "b.md"]


# --- what cannot be looked at -----------------------------------------------------------------------


@posix
def test_f63_a_placeholder_is_not_opened_and_its_entry_is_kept(tmp_path: Path) -> None:
    """A file with a size and no blocks is on some server; only the setting opens it."""
    write(tmp_path, "here.md")
    with (tmp_path / "there.md").open("wb") as file:
        file.truncate(5000)
    if (tmp_path / "there.md").stat().st_blocks:
        pytest.skip("this file system gives blocks to holes")
    result = look(tmp_path)
    assert [file.path for file in result.files] == ["here.md"]
    assert [(skip.path, skip.reason, skip.failed) for skip in result.skipped] == [
        ("there.md", "not downloaded", True)
    ]
    assert listed(tmp_path, download=True) == ["here.md", "there.md"]


def test_f63_an_icloud_stub_stands_for_its_note(tmp_path: Path) -> None:
    """Older macOS leaves `.name.md.icloud`; an excluded one is not reported."""
    write(tmp_path, ".Note.md.icloud", ".photo.png.icloud", "private/.p.md.icloud")
    result = look(tmp_path, exclude=("p.md",))
    assert [(skip.path, skip.failed) for skip in result.skipped] == [("Note.md", True)]


@posix
def test_an_unreadable_folder_is_reported_so_that_its_entries_stay() -> None:
    """Promise 3: a failed read is not an empty folder."""
    with unprivileged() as vault:
        write(vault, "a.md", "locked/b.md", "locked/deep/c.md")
        (vault / "locked").chmod(0)
        drop_rights()
        result = look(vault)
    assert [file.path for file in result.files] == ["a.md"]
    assert result.unreadable == ("locked/",)
    assert [(skip.path, skip.reason, skip.failed) for skip in result.skipped] == [
        ("locked/", "cannot be read: Permission denied", True)
    ]


@posix
def test_a_folder_that_shows_names_only_reports_each_file() -> None:
    """Without the right to enter, names are known and sizes are not."""
    with unprivileged() as vault:
        write(vault, "half/b.md", "half/p.png", "half/deep/c.md")
        (vault / "half").chmod(0o444)
        drop_rights()
        result = look(vault)
    assert (result.files, result.unreadable) == ((), ("half/deep/",))
    assert [(skip.path, skip.failed) for skip in result.skipped] == [("half/b.md", True), ("half/deep/", True)]


@posix
def test_an_ignore_file_that_cannot_be_read_closes_its_folder() -> None:
    """Nobody knows what it would have left out, so nothing of the folder is taken."""
    with unprivileged() as vault:
        write(vault, "a.md", "sub/b.md", "sub/.onebrainignore")
        (vault / "sub/.onebrainignore").chmod(0)
        drop_rights()
        result = look(vault)
    assert ([file.path for file in result.files], result.unreadable) == (["a.md"], ("sub/",))
    assert result.skipped[0].reason == "cannot be read: .onebrainignore: Permission denied"


@posix
def test_an_unreadable_root_is_an_error() -> None:
    """So that no index takes it for an emptied vault."""
    with unprivileged() as vault:
        write(vault, "locked/a.md")
        (vault / "locked").chmod(0)
        drop_rights()
        with pytest.raises(ScanError, match=r"this folder cannot be read: Permission denied \(.*locked\): check"):
            look(vault / "locked")


@pytest.mark.parametrize("name", ["missing", "file.md"])
def test_a_missing_root_is_an_error(tmp_path: Path, name: str) -> None:
    """The message says which folder and what to do."""
    write(tmp_path, "file.md")
    with pytest.raises(ScanError, match=f"cannot be read: .*{name}.*check that it is there"):
        look(tmp_path / name)


@posix
def test_deep_folders_end_in_a_report_not_a_crash(tmp_path: Path) -> None:
    """Past the longest path of the system a folder cannot be listed; what is above it is."""
    here = os.open(tmp_path, os.O_RDONLY)
    try:
        for _ in range(60):
            os.mkdir("d" * 100, dir_fd=here)
            below = os.open("d" * 100, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
    finally:
        os.close(here)
    write(tmp_path, "d" * 100 + "/a.md")
    result = look(tmp_path)
    assert len(result.files) == len(result.unreadable) == 1
    shutil.rmtree(tmp_path / ("d" * 100))
