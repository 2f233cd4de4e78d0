"""What a vault leaves out: the user's excludes, and `.gitignore` and `.onebrainignore` by git's rules."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_NEVER: Final = frozenset(
    [
        *(".obsidian", ".trash", ".Trash", ".idea", ".vscode", ".stversions", ".git", ".hg", ".svn"),
        *("node_modules", ".venv", "venv", "site-packages", "__pycache__", ".tox", ".nox"),
        *(".mypy_cache", ".pytest_cache", ".ruff_cache"),
    ]
)
_GENERATED: Final = (
    *(".min.js", ".min.css", ".bundle.js", ".map"),
    *(".lock", ".lockb", "-lock.json", "-lock.yaml", "npm-shrinkwrap.json"),
)
_GIT: Final = ".gitignore"
_GIT_PRIVATE: Final = ".git/info/exclude"
_OWN: Final = ".onebrainignore"
RULE_FILES: Final = frozenset([_GIT, _OWN, "pyvenv.cfg", "config.edn"])  # decide about other files, see `foreign`


_CLASSES: Final = {  # of POSIX, which git knows and pathspec does not
    "[:alpha:]": "a-zA-Z",
    "[:digit:]": "0-9",
    "[:alnum:]": "a-zA-Z0-9",
    "[:upper:]": "A-Z",
    "[:lower:]": "a-z",
    "[:space:]": " \t",
    "[:xdigit:]": "0-9a-fA-F",
}
_ANYTHING: Final = (".", "/", "(?P<ps_d>/)")  # how pathspec writes `*`, `**` and `*/`


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of an ignore file; `ignores` is False for one that starts with `!`.

    pathspec makes regexes that match a path whenever they match a folder above it. Git asks each path by
    itself on the way down, which differs where a `!` line has brought a folder back, so that is done here.
    """

    regex: re.Pattern[str]
    ignores: bool
    below: bool  # ends in `**`: matches what is in a folder, at any depth, and not the folder
    folders: bool  # ends in `/`

    def match(self, path: str, folder: bool) -> bool:
        """Whether the line names this very path, given from the folder of the ignore file."""
        if self.regex.pattern in _ANYTHING:
            return folder or not self.folders
        if self.below:
            return (folder or not self.folders) and self.regex.search(path) is not None
        return self.regex.fullmatch(path + "/" if folder else path) is not None


@dataclass(frozen=True, slots=True)
class Patterns:
    """The lines of an ignore file, last first, and one regex that matches whatever any of them may match."""

    lines: tuple[Pattern, ...]
    some: re.Pattern[str]

    @classmethod
    def of(cls, lines: tuple[Pattern, ...]) -> Patterns:
        """Join the lines' regexes: most paths match no line, and one C call tells so."""
        parts = []
        for line in lines:
            text = ".*" if line.regex.pattern in _ANYTHING else line.regex.pattern.replace("(?P<ps_d>", "(?:")
            parts.append(f"(?:{text}.*)" if line.below else f"(?:{text})")
        return cls(lines, re.compile("|".join(parts), re.DOTALL))

    def decide(self, path: str, folder: bool) -> bool | None:
        """Whether the last line that names the path ignores it; None when no line does."""
        if not self.some.fullmatch(path + "/" if folder else path):
            return None
        return next((line.ignores for line in self.lines if line.match(path, folder)), None)


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The patterns of one ignore file, which hold in the folder it lies in (`""` or `a/b/`)."""

    folder: str
    patterns: Patterns
    own: bool  # ours (`.onebrainignore`), so what it leaves out is counted like an `exclude`


@dataclass(frozen=True, slots=True)
class Exclusions:
    """The user's `exclude` entries by how they match; in NFC, so that they match NFD names on disk too."""

    names: frozenset[str] = frozenset()  # a folder or file of that name at any depth
    paths: frozenset[str] = frozenset()  # this path from the root, and all below it
    globs: Patterns | None = None

    def match(self, path: str, name: str, folder: bool) -> bool:
        """Whether an entry names this path, whose parents are known not to be excluded."""
        if not path.isascii():
            path, name = unicodedata.normalize("NFC", path), unicodedata.normalize("NFC", name)
        if name in self.names or path in self.paths:
            return True
        return self.globs is not None and self.globs.decide(path, folder) is True


def exclusions(entries: Iterable[str]) -> Exclusions:
    """Sort `exclude` entries: bare names, paths from the root (with `/`), globs as git reads them."""
    names, paths, globs = set(), set(), []
    for entry in entries:
        clean = unicodedata.normalize("NFC", entry.strip())
        if "/" in clean.removeprefix("./"):
            paths.add("/".join(part for part in clean.split("/") if part not in ("", ".")))
        elif clean:
            names.add(clean)
        if any(mark in clean for mark in "*?["):  # also, because a folder may be named `[Private]`
            globs.append(clean)
    lines, _ = _compiled(globs)
    return Exclusions(frozenset(names), frozenset(paths - {""}), Patterns.of(lines) if lines else None)


def never(name: str) -> bool:
    """Whether a folder of this name holds no notes of the user's, whatever the settings say."""
    return name in _NEVER or name.startswith(".onebrain")


def foreign(path: str, names: Container[str]) -> bool:
    """Whether a folder (`a/b/`) is a Python environment, or the one of a Logseq graph with its backups."""
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
        lines, bad = _compiled(file.read_bytes().decode("utf-8-sig", "replace").split("\n"))
        if lines:
            found.append(IgnoreFile(folder, Patterns.of(lines), name == _OWN))
        if bad:
            problems.append((folder + name, f"not an ignore pattern: line {', '.join(map(str, bad))}"))
    return tuple(found), problems


def deciding(layers: tuple[IgnoreFile, ...], path: str, folder: bool) -> IgnoreFile | None:
    """The ignore file that leaves `path` out, or None: the deepest one with a matching line decides."""
    for layer in reversed(layers):
        ignored = layer.patterns.decide(path[len(layer.folder) :], folder)
        if ignored is not None:
            return layer if ignored else None
    return None


def _compiled(lines: list[str]) -> tuple[tuple[Pattern, ...], list[int]]:
    """The lines that are patterns, last first, and the 1-based numbers of those that should be and are not."""
    good, bad = [], []
    for number, line in enumerate(lines, 1):
        try:
            pattern = _pattern(line.removesuffix("\r"))
        except ValueError:
            bad.append(number)
        else:
            good += [pattern] if pattern else []
    return tuple(reversed(good)), bad


def _pattern(line: str) -> Pattern | None:
    """One line; None for an empty one or a comment. Raises ValueError when git could not match it."""
    if not line.strip() or line.startswith("#"):
        return None
    from pathspec import GitIgnoreSpec

    for name, members in _CLASSES.items():
        line = line.replace(name, members)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of `[[` in regexes that pathspec makes
        spec = GitIgnoreSpec.from_lines([line])
        found = next((entry for entry in spec.patterns if entry.regex is not None), None)
        if found is None or found.regex is None:
            raise ValueError(line)
        regex = re.compile(found.regex.pattern, re.DOTALL)
    text = line.strip().removeprefix("!")
    below = text.rstrip("/").rpartition("/")[2] == "**"
    return Pattern(regex, bool(found.include), below, text.endswith("/"))
