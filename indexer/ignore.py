"""What a vault leaves out: the user's excludes, and `.gitignore` and `.onebrainignore` by git's rules."""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_NEVER: Final = frozenset(
    [
        *(".obsidian", ".trash", ".Trash", ".idea", ".vscode", ".stversions", ".git", ".hg", ".svn"),
        *("node_modules", ".venv", "venv", "site-packages", "__pycache__", ".tox", ".nox"),
        *(".mypy_cache", ".pytest_cache", ".ruff_cache"),
    ]
)
_GENERATED: Final = (
    ".min.js",
    ".min.css",
    ".bundle.js",
    ".map",
    ".lock",
    "-lock.json",
    "-lock.yaml",
    ".lockb",
)
_GIT: Final = ".gitignore"
_GIT_PRIVATE: Final = ".git/info/exclude"
_OWN: Final = ".onebrainignore"


@dataclass(frozen=True, slots=True)
class Exclusions:
    """The user's `exclude` entries, sorted by how they match (NFC, so that NFD names on disk match too)."""

    names: frozenset[str] = frozenset()  # a folder or file of that name at any depth
    paths: frozenset[str] = frozenset()  # this path from the root, and all below it
    globs: GitIgnoreSpec | None = None

    def match(self, path: str, name: str, folder: bool) -> bool:
        """Whether an entry names this path, whose parents are known not to be excluded."""
        if not path.isascii():
            path, name = unicodedata.normalize("NFC", path), unicodedata.normalize("NFC", name)
        if name in self.names or path in self.paths:
            return True
        return self.globs is not None and self.globs.match_file(path + "/" if folder else path)


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The patterns of one ignore file, which hold for the folder it lies in (`""` or `a/b/`)."""

    folder: str
    spec: GitIgnoreSpec
    own: bool  # ours (`.onebrainignore`), so what it leaves out is counted like an `exclude`


def exclusions(entries: Iterable[str]) -> Exclusions:
    """Sort `exclude` entries: bare names, paths from the root (with `/`), globs as git reads them."""
    names, paths, globs = set(), set(), []
    for entry in entries:
        clean = unicodedata.normalize("NFC", entry.strip())
        if any(mark in clean for mark in "*?["):
            globs.append(clean)
        elif "/" in clean.removeprefix("./"):
            paths.add("/".join(part for part in clean.split("/") if part not in ("", ".")))
        elif clean:
            names.add(clean)
    return Exclusions(frozenset(names), frozenset(paths - {""}), _spec(globs)[0] if globs else None)


def never(name: str) -> bool:
    """Whether a folder of this name holds no notes of the user's, whatever the settings say."""
    return name in _NEVER or name.startswith(".onebrain")


def foreign(path: str, names: Container[str]) -> bool:
    """Whether a folder (`a/b/`) is a Python environment, or Logseq's own in a graph (settings and backups)."""
    return "pyvenv.cfg" in names or (f"/{path}".endswith("/logseq/") and "config.edn" in names)


def generated(name: str) -> bool:
    """Whether a tool wrote the file: lock files and minified code, by the end of their names."""
    return name.lower().endswith(_GENERATED)


def ignore_files(
    top: Path, folder: str, names: Container[str], *, git: bool
) -> tuple[tuple[IgnoreFile, ...], list[tuple[str, str]]]:
    """Read the ignore files among the `names` in a folder (`""` or `a/b/`), the one that decides last.

    With them, (path, reason) of those with lines that are no patterns; git never matches such lines either.
    Raises OSError when one is there and cannot be read: then nobody knows what must stay out.
    """
    private = [_GIT_PRIVATE] if git and not folder and ".git" in names else []
    found, problems = [], []
    for name in private + [name for name in (_GIT, _OWN) if name in names and (git or name == _OWN)]:
        file = top / folder / name
        if file.is_symlink() or not file.is_file():  # git does not follow such links either
            continue
        lines = file.read_bytes().decode("utf-8-sig", "replace").split("\n")
        spec, bad = _spec([line.removesuffix("\r") for line in lines])
        if len(spec):
            found.append(IgnoreFile(folder, spec, name == _OWN))
        if bad:
            problems.append((folder + name, f"not an ignore pattern: line {', '.join(map(str, bad))}"))
    return tuple(found), problems


def deciding(layers: tuple[IgnoreFile, ...], path: str, folder: bool) -> IgnoreFile | None:
    """The ignore file that leaves `path` out, or None: the deepest one with a matching line decides."""
    for layer in reversed(layers):
        below = path[len(layer.folder) :]
        ignored = layer.spec.check_file(below + "/" if folder else below).include
        if ignored is not None:
            return layer if ignored else None
    return None


def _spec(lines: list[str]) -> tuple[GitIgnoreSpec, tuple[int, ...]]:
    """Compile the lines that are patterns; the 1-based numbers of those that are not."""
    from pathspec import GitIgnoreSpec

    bad = []
    for number, line in enumerate(lines, 1):
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            bad.append(number)
    return GitIgnoreSpec.from_lines(line for number, line in enumerate(lines, 1) if number not in bad), tuple(bad)
