"""Ignore files and excludes: what stays out of an index."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer import ignore
from indexer.scan import ScanResult, ScanRules, scan
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


def test_f12_an_excluded_folder_is_counted(tmp_path: Path) -> None:
    """`status` can say how many files a rule leaves out; files of other types do not count."""
    write(tmp_path, "a.md", "Archive/b.md", "Archive/deep/c.md", "Archive/p.png", "x/Archive/d.md")
    result = look(tmp_path, exclude=("Archive",))
    assert ([file.path for file in result.files], result.excluded) == (["a.md"], 3)


@pytest.mark.parametrize(
    ("entry", "left"),
    [
        ("private", ["a.md", "x/privateer/p.md"]),
        ("x/private", ["a.md", "private/p.md", "x/privateer/p.md"]),
        ("private/", ["a.md", "x/private/p.md", "x/privateer/p.md"]),
        ("./x/private/p.md", ["a.md", "private/p.md", "x/privateer/p.md"]),
        ("a.md", ["private/p.md", "x/private/p.md", "x/privateer/p.md"]),
        ("**/priv*/", ["a.md"]),
        ("p.m?", ["a.md"]),
        ("/x/**", ["a.md", "private/p.md"]),
        ("", ["a.md", "private/p.md", "x/private/p.md", "x/privateer/p.md"]),
    ],
)
def test_exclude_takes_names_paths_and_globs(tmp_path: Path, entry: str, left: list[str]) -> None:
    """A bare name counts at any depth, a path from the root, a glob as git reads it."""
    write(tmp_path, "a.md", "private/p.md", "x/private/p.md", "x/privateer/p.md")
    assert listed(tmp_path, exclude=(entry,)) == left


@pytest.mark.parametrize("name", ["[Private]", "[half", "Why?"])
@posix
def test_exclude_takes_glob_characters_as_they_stand_too(tmp_path: Path, name: str) -> None:
    """A filter that means a folder by its name must never let that folder through."""
    write(tmp_path, f"{name}/x.md", "a.md")
    assert listed(tmp_path, exclude=(name,)) == ["a.md"]


def test_exclude_meets_names_in_the_other_unicode_form(tmp_path: Path) -> None:
    """macOS hands out NFD names, keyboards write NFC."""
    write(tmp_path, unicodedata.normalize("NFD", "Café") + "/x.md", "a.md")
    assert listed(tmp_path, exclude=(unicodedata.normalize("NFC", "Café"),)) == ["a.md"]


def test_ignore_files_hold_for_their_folder_and_the_deepest_decides(tmp_path: Path) -> None:
    """Nested files add to those above, and may bring a file back."""
    write(tmp_path, "a.md", "draft-1.md", "sub/draft-2.md", "sub/draft-keep.md", "sub/only.md", "only.md")
    write(tmp_path, ".gitignore", text="draft-*\n")
    write(tmp_path, "sub/.gitignore", text="!draft-keep.md\n/only.md\n")
    assert listed(tmp_path) == ["a.md", "only.md", "sub/draft-keep.md"]


def test_own_ignore_file_decides_after_gits_and_its_folders_are_counted(tmp_path: Path) -> None:
    """`.onebrainignore` is the user's word to us: it may bring back what git ignores."""
    write(tmp_path, "a.md", "built.md", "private/p.md", "private/deep/q.md", "build/x.md", "build/y.md")
    write(tmp_path, ".gitignore", text="built.md\nbuild/\n")
    write(tmp_path, ".onebrainignore", text="!built.md\r\nprivate/\r\n")
    result = look(tmp_path)
    assert ([file.path for file in result.files], result.excluded) == (["a.md", "built.md"], 2)


def test_gitignore_can_be_switched_off_and_own_file_not(tmp_path: Path) -> None:
    """A vault may be ignored by the repository it lies in."""
    write(tmp_path, "a.md", "b.md", ".git/info/exclude", text="b.md\n")
    write(tmp_path, ".gitignore", text="*.md\n")
    write(tmp_path, ".onebrainignore", text="b.md\n")
    assert listed(tmp_path) == []
    assert listed(tmp_path, gitignore=False) == ["a.md"]


def test_the_private_excludes_of_a_repository_count(tmp_path: Path) -> None:
    """`.git/info/exclude` is weaker than `.gitignore`, as in git."""
    write(tmp_path, "a.md", "b.md", "c.md")
    write(tmp_path, ".git/info/exclude", text="b.md\nc.md\n")
    write(tmp_path, ".gitignore", text="!c.md\n")
    assert listed(tmp_path) == ["a.md", "c.md"]


def test_a_line_that_is_no_pattern_is_reported_and_costs_only_itself(tmp_path: Path) -> None:
    """Bad input is listed with its line; bytes that are no UTF-8 do no harm."""
    write(tmp_path, "a.md", "b.md")
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbfb.md\n!\n# \xff\xfe\n\\\n")
    result = look(tmp_path)
    assert [file.path for file in result.files] == ["a.md"]
    assert [(skip.path, skip.reason, skip.failed) for skip in result.skipped] == [
        (".gitignore", "not an ignore pattern: line 2, 4", False)
    ]


def test_no_ignore_file_means_no_pathspec() -> None:
    """The library costs a cold start 20 ms, so it is imported only when a pattern is there."""
    code = (
        "import sys, pathlib, tempfile; from indexer.scan import *; from indexer.types import Root\n"
        "scan(Root('', pathlib.Path(tempfile.mkdtemp()), 'note'), ScanRules({'.md': 'note'}, exclude=('x', 'y/z')))\n"
        "sys.exit('pathspec' in sys.modules)"
    )
    here = Path(ignore.__file__).parents[1]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=here)


_SEGMENT = st.sampled_from(
    [
        "a",
        "b",
        "foo",
        "*",
        "**",
        "x.md",
        "*.md",
        "a*",
        "?",
        "[ab]",
        "[!a]",
        "[[:alpha:]]",
        "\\*",
        "fo?",
        "b \\[1\\].md",
    ]
)
_LINE = st.builds(
    lambda negation, start, segments, end: negation + start + "/".join(segments) + end,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "/"]),
    st.lists(_SEGMENT, min_size=1, max_size=3),
    st.sampled_from(["", "/", " "]),
)
_FOLDERS = ("", "a", "a/b", "foo", "foo/a/b", "b/foo")
_NAMES = ("x.md", "a.md", "b [1].md", " z.md")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with the same notes in each folder, none added."""
    vault = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q"], cwd=vault, check=True)
    for folder in _FOLDERS:
        write(vault / folder, *_NAMES)
    return vault


@pytest.mark.skipif(not shutil.which("git"), reason="git itself is the measure")
@settings(max_examples=100, deadline=None)
@given(files=st.dictionaries(st.sampled_from(_FOLDERS), st.lists(_LINE, min_size=1, max_size=4), min_size=1))
def test_ignore_files_say_what_git_says(repository: Path, files: dict[str, list[str]]) -> None:
    """Whatever the patterns, the files left are those that git would add."""
    for folder in _FOLDERS:
        write(repository / folder, ".gitignore", text="\n".join([*files.get(folder, []), ""]))
    asked = ["git", "-c", "core.excludesFile=", "ls-files", "-z", "--others", "--exclude-standard"]
    names = subprocess.run(asked, cwd=repository, check=True, capture_output=True).stdout.decode().split("\0")
    assert listed(repository) == sorted(name for name in names if name.endswith(".md"))
