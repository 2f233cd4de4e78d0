"""Reading scanned files, and paths given from outside."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import NotFound, ScanError
from indexer.scan import ScanResult, ScanRules, inside, read_source, refuse_unbounded, scan
from indexer.types import Root

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX file names and rights")


def write(folder: Path, *paths: str, text: str = "text\n") -> None:
    """Write files below a folder."""
    for path in paths:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def look(folder: Path) -> ScanResult:
    """Scan a folder as the vault."""
    return scan(Root("", folder, "note"), ScanRules({".md": "note"}))


def test_read_source_says_when_a_file_is_gone(tmp_path: Path) -> None:
    """Files vanish between the scan and the read."""
    write(tmp_path, "a.md")
    (file,) = look(tmp_path).files
    (tmp_path / "a.md").unlink()
    with pytest.raises(FileNotFoundError):
        read_source(Root("", tmp_path, "note"), file)


@posix
@pytest.mark.parametrize("swapped", ["file", "folder"])
def test_f79_a_swap_after_the_scan_is_caught(tmp_path: Path, swapped: str) -> None:
    """The place of the opened file is checked, not the path that was scanned."""
    write(tmp_path, "elsewhere/a.md", text="secret")
    vault = tmp_path / "v"
    write(vault, "sub/a.md")
    (file,) = look(vault).files
    shutil.rmtree(vault / "sub")
    if swapped == "folder":
        (vault / "sub").symlink_to(tmp_path / "elsewhere")
    else:
        (vault / "sub").mkdir()
        (vault / "sub/a.md").symlink_to(tmp_path / "elsewhere/a.md")
    with pytest.raises(ScanError, match="leads out of its folder"):
        read_source(Root("", vault, "note"), file)


@posix
def test_read_source_takes_links_inside_and_refuses_pipes(tmp_path: Path) -> None:
    """A linked root and a linked file are read; a pipe is refused at once."""
    write(tmp_path / "real", ".h/a.md", text="linked")
    (tmp_path / "real/a.md").symlink_to(".h/a.md")
    (tmp_path / "vault").symlink_to("real")
    root = Root("", tmp_path / "vault", "note")
    (file,) = look(root.folder).files
    assert read_source(root, file) == b"linked"
    (tmp_path / "real/a.md").unlink()
    os.mkfifo(tmp_path / "real/a.md")
    with pytest.raises(ScanError, match="not a regular file"):
        read_source(root, file)


@pytest.mark.parametrize(
    "path",
    [
        *("../../etc/passwd", "..", "a/../../x", "/etc/passwd", "//x", "", "..%2fetc", "%2e%2e/x", "..%252f..%252fx"),
        *("..\\x", "a\\..\\..\\x", "\\x", "C:/x", "c:\\x", "a\0b", "a%00b", "%2fetc/passwd", "a\\b"),
    ],
)
def test_f78_a_path_from_outside_never_leaves_the_root(tmp_path: Path, path: str) -> None:
    """Refused with what to do, whatever the way it is written."""
    with pytest.raises(NotFound, match="not a path inside this folder"):
        inside(tmp_path, path)


@posix
def test_f78_a_link_out_of_the_root_is_refused(tmp_path: Path) -> None:
    """By the real place, of the file and of every folder on the way."""
    write(tmp_path, "elsewhere/a.md", "v/real.md")
    (tmp_path / "v/out").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "v/in.md").symlink_to("real.md")
    assert inside(tmp_path / "v", "in.md").read_text() == "text\n"
    for path in ("out/a.md", "out/not-yet.md", "out"):
        with pytest.raises(NotFound):
            inside(tmp_path / "v", path)


@pytest.mark.parametrize("path", ["a.md", "x/y z.md", "100%.md", "a..b/..c.md", "日本.md", "~/x.md", "not/there.md"])
def test_paths_inside_are_resolved(tmp_path: Path, path: str) -> None:
    """What looks odd and is harmless stays possible; the file need not exist."""
    assert inside(tmp_path, path) == tmp_path / path


@given(st.text(st.sampled_from("./\\%2e5cfC:a\0~"), max_size=12))
def test_inside_is_inside_or_refused(path: str) -> None:
    """Property: no text leads out."""
    top = Path(__file__).parent
    try:
        found = inside(top, path)
    except NotFound:
        return
    assert Path(os.path.realpath(found)).is_relative_to(os.path.realpath(top))


def test_f60_home_and_above_are_refused_unless_yes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of notes below home is what is meant."""
    home = tmp_path / "users/me"
    (home / "notes").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for folder in (home, home.parent, Path(home.anchor), Path("/home"), Path("/Users")):
        with pytest.raises(ScanError, match=r"a whole home folder or drive .*--yes"):
            refuse_unbounded(folder)
        refuse_unbounded(folder, yes=True)
    refuse_unbounded(home / "notes")


@posix
def test_f60_a_link_to_home_is_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real folder counts."""
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    (tmp_path / "me").mkdir()
    (tmp_path / "link").symlink_to("me")
    with pytest.raises(ScanError):
        refuse_unbounded(tmp_path / "link")
