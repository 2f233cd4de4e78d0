"""List the files of a root: what to index, what was left out, and what could not be looked at."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from errno import ELOOP
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import unquote

from indexer.entries import ICLOUD_END, below, elsewhere, is_link, is_text
from indexer.errors import NotFound, ScanError
from indexer.ignore import IgnoreFile, deciding, exclusions, foreign, generated, ignore_files, never
from indexer.types import Area, Kind, Root, Skip, SourceFile, changed_ns

MANY_FILES: Final = 200_000  # above this a vault is more likely a mistaken folder than somebody's notes


@dataclass(frozen=True, slots=True)
class ScanRules:
    """What to take and what to leave.

    `suffixes` maps a lower-case suffix with its dot to the kind of file it marks. `max_bytes`, 10 MB
    by default, is 30 times the largest of 9,000 notes of seven public vaults: what is bigger is an
    export or a drawing. `apart` holds folders (`a/b`) that belong to another root, which do not count.
    """

    suffixes: Mapping[str, Kind]
    exclude: tuple[str, ...] = ()
    apart: frozenset[str] = frozenset()
    forgotten: frozenset[str] = frozenset()  # files and folders (`a/b`) that are left out, as if by an exclude rule
    max_bytes: int = 10_000_000
    gitignore: bool = True
    hidden: bool = False
    download: bool = False  # True: take files whose data is not on this disk; reading downloads them


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The files of one root, sorted by path.

    `unreadable` holds the folders (`a/b/`) that could not be read: what is known below them must be
    kept, as must every file with a failed skip. `excluded` counts files of known suffixes that rules
    left out, those in folders that only git ignores aside. `unsure`: there are links in the areas that were
    looked at, and only a look at everything tells what they add.
    """

    files: tuple[SourceFile, ...]
    skipped: tuple[Skip, ...] = ()
    excluded: int = 0
    unreadable: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unsure: bool = False


def scan(root: Root, rules: ScanRules, areas: Sequence[Area] | None = None) -> ScanResult:
    """List a root, or only some areas of it, opening ignore files only.

    Raises ScanError when the root cannot be listed.
    """
    check_listable(root)
    walk = _Walk(root, rules, areas)
    walk.folders()
    unsure = areas is not None and bool(walk.links)
    while walk.links and not unsure:
        walk.follow_links()
    check_listable(root)  # a drive that went away meanwhile is not an emptied vault
    many = f"{len(walk.files):,} files in {root.folder}: is this the folder you meant?"
    return ScanResult(
        tuple(sorted(walk.files, key=lambda file: file.path)),
        tuple(sorted(walk.skipped, key=lambda skip: skip.path)),
        walk.excluded,
        tuple(sorted(walk.unreadable)),
        (many,) if len(walk.files) > MANY_FILES else (),
        unsure,
    )


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder on the walk: its path, where it really is (both `""` or `a/b/`), what is ignored in it."""

    path: str
    real: str
    layers: tuple[IgnoreFile, ...] = ()


class _Entry(NamedTuple):
    """A file or folder in a folder of the walk; `path` is its folder's with its name."""

    name: str
    path: str
    folder: _Folder
    is_folder: bool


class _Walk:
    """One scan under way: the lists it fills."""

    def __init__(self, root: Root, rules: ScanRules, areas: Sequence[Area] | None = None) -> None:
        """Start at the root, with empty lists."""
        self.root, self.rules, self.areas = root, rules, areas
        self.top = str(root.folder)
        self.real_top = os.path.realpath(self.top)
        self.exclude = exclusions(rules.exclude)
        self.files: list[SourceFile] = []
        self.skipped: list[Skip] = []
        self.unreadable: list[str] = []
        self.excluded = 0
        self.links: list[tuple[str, str, _Folder]] = []  # path, name and folder of each
        self.pending = [_Folder("", "")]
        self.walked: dict[str, tuple[IgnoreFile, ...]] = {}  # by real path, with what is ignored there
        self.taken: set[str] = set()  # real paths of files

    def folders(self) -> None:
        """Visit the pending folders and all below them."""
        while self.pending:
            folder = self.pending.pop()
            if folder.real not in self.walked:
                try:
                    self._visit(folder)
                except (FileNotFoundError, NotADirectoryError):
                    continue  # gone since its parent was listed
                except OSError as error:
                    self._fail(folder.path, f"cannot be read: {_said(error)}")

    def follow_links(self) -> None:
        """Take what the links lead to that is not taken yet, in the order of their paths."""
        batch, self.links = sorted(self.links, key=lambda link: link[0]), []
        for path, name, folder in batch:
            self._follow(path, name, folder)
            self.folders()

    def _visit(self, folder: _Folder) -> None:
        """List a folder and look at its entries. Raises OSError when it or an ignore file cannot be read."""
        with os.scandir(f"{self.top}/{folder.path}") as listing:
            entries = list(listing)
        names = {entry.name for entry in entries}
        if folder.path and foreign(folder.path, names):
            return
        found, bad = ignore_files(self.root.folder, folder.path, names, git=self.rules.gitignore)
        for file, reason in bad:
            self._skip(file, reason)
        self.walked[folder.real] = folder.layers + found
        here = _Folder(folder.path, folder.real, folder.layers + found) if found else folder
        for entry in entries:
            self._look(entry, here)

    def _look(self, entry: os.DirEntry[str], folder: _Folder) -> None:
        """Take, leave or report one entry of a folder."""
        name = entry.name
        path = folder.path + name
        if self.areas is not None and not self._asked(path, entry):
            return
        if name[0] == "." and self._hidden(name, folder):
            return
        try:
            if is_link(entry):
                self.links.append((path, name, folder))
            elif entry.is_dir(follow_symlinks=False):
                self._enter(path, name, folder, folder.real + name)
            elif (kind := self._kind(name)) and not self._left_out(_Entry(name, path, folder, is_folder=False)):
                self._take(path, folder.real + name, kind, entry.stat(follow_symlinks=False))
        except FileNotFoundError:
            return  # gone since the folder was listed
        except OSError as error:
            self._skip(path, f"cannot be looked at: {_said(error)}", failed=True)

    def _asked(self, path: str, entry: os.DirEntry[str]) -> bool:
        """Whether an entry is in one of the areas, or is a folder on the way to one."""
        assert self.areas is not None
        if any(area.deep and path.startswith(area.folder) for area in self.areas):
            return True
        if entry.is_dir(follow_symlinks=False):
            return any(area.folder.startswith(path + "/") for area in self.areas)
        return any(area.holds(self.root.name, path) for area in self.areas)

    def _hidden(self, name: str, folder: _Folder) -> bool:
        """Whether a dot name stays out; a stub that iCloud left for a note is reported as that note."""
        if name.endswith(ICLOUD_END):
            note = name[1 : -len(ICLOUD_END)]
            entry = _Entry(note, folder.path + note, folder, is_folder=False)
            if self._kind(note) and not self._left_out(entry):
                self._skip(entry.path, "not downloaded", failed=True)
            return True
        return not self.rules.hidden or never(name)

    def _enter(self, path: str, name: str, folder: _Folder, real: str) -> None:
        """Put a folder on the list to visit, unless it stays out."""
        if never(name) or real in self.rules.apart:
            return
        if self._left_out(_Entry(name, path, folder, is_folder=True)):
            return
        if is_text(name):
            self.pending.append(_Folder(path + "/", real + "/", folder.layers))
        else:
            self._skip(path, "the name of this folder is not valid UTF-8")

    def _ruled_out(self, entry: _Entry) -> bool | None:
        """None when no rule leaves an entry out; else whether the rule is the user's own and not git's."""
        if entry.path in self.rules.forgotten or self.exclude.match(entry.path, entry.name, entry.is_folder):
            return True
        layers = entry.folder.layers
        layer = deciding(layers, entry.path, entry.is_folder) if layers else None
        return layer.own if layer else None

    def _left_out(self, entry: _Entry) -> bool:
        """Whether a rule leaves an entry out; if so, counts the files."""
        own = self._ruled_out(entry)
        if own is None:
            return False
        if not entry.is_folder:
            self.excluded += 1
        elif own:  # what git ignores may be huge build output, so only folders of the user's rules are walked
            self.excluded += self._count(f"{self.top}/{entry.path}")
        return True

    def _count(self, folder: str) -> int:
        """How many files of known suffixes lie in and below an excluded folder."""
        total, pending = 0, [folder]
        while pending:
            try:
                with os.scandir(pending.pop()) as listing:
                    for entry in listing:
                        if never(entry.name) or (entry.name[0] == "." and not self.rules.hidden):
                            continue
                        if entry.is_dir(follow_symlinks=False):
                            pending.append(entry.path)
                        elif self._kind(entry.name) and entry.is_file(follow_symlinks=False):
                            total += 1
            except OSError:
                continue
        return total

    def _take(self, path: str, real: str, kind: Kind, info: os.stat_result) -> None:
        """Add a file, or report why not."""
        limit = self.rules.max_bytes
        if generated(path):
            self.excluded += 1
        elif not stat.S_ISREG(info.st_mode):
            self._skip(path, "not a regular file")
        elif not is_text(path):
            self._skip(path, "its name is not valid UTF-8")
        elif not self.rules.download and elsewhere(info):
            self._skip(path, "not downloaded", failed=True)
        elif info.st_size > limit:
            self._skip(path, f"{info.st_size / 1e6:.1f} MB is over the limit of {limit / 1e6:g} MB")
        elif real not in self.taken:
            self.taken.add(real)
            self.files.append(SourceFile(self.root.name, path, kind, info.st_size, changed_ns(info)))

    def _follow(self, path: str, name: str, folder: _Folder) -> None:
        """Take what a link leads to when it lies inside the root and nothing leaves it out, here or there."""
        try:
            target = os.path.realpath(f"{self.top}/{path}")
            info = Path(target).stat()
        except OSError as error:
            self._lost(path, bool(self._kind(name)), error)
            return
        entry = _Entry(name, path, folder, stat.S_ISDIR(info.st_mode))
        if never(name) or not (entry.is_folder or self._kind(name)) or self._ruled_out(entry) is not None:
            return
        real = below(self.real_top, target)
        if real is None:
            self._skip(path, "a symlink that leads outside the root")
        elif real in self.taken or real + "/" in self.walked or self._kept_out(real, entry.is_folder):
            return
        elif entry.is_folder:
            self._enter(path, name, folder, real)
        else:
            self._take(path, real, self._kind(name) or "note", info)

    def _lost(self, path: str, is_file: bool, error: OSError) -> None:
        """Report a link that cannot be followed; what is known behind one that may only not be looked at stays."""
        if not isinstance(error, FileNotFoundError | NotADirectoryError) and error.errno != ELOOP:
            self._skip(path, f"cannot be read: {_said(error)}", failed=True)
            self.unreadable += [] if is_file else [path + "/"]
        elif is_file:
            self._skip(path, "a symlink that leads nowhere")

    def _kept_out(self, real: str, is_folder: bool) -> bool:
        """Whether the place that a link leads to is kept out; to be hidden alone does not do that."""
        folder = _Folder("", "", self.walked[""])
        parts = real.split("/")
        for depth, name in enumerate(parts, 1):
            path = folder.path + name
            if never(name) or path in self.rules.apart or path + "/" in self.unreadable:
                return True
            if self._ruled_out(_Entry(name, path, folder, depth < len(parts) or is_folder)) is not None:
                return True
            folder = _Folder(path + "/", "", self.walked.get(path + "/", folder.layers))
        return not real

    def _kind(self, name: str) -> Kind | None:
        """The kind of a file by its suffix, None when it is not indexed."""
        dot = name.rfind(".")
        return self.rules.suffixes.get(name[dot:].lower()) if dot > 0 else None

    def _skip(self, path: str, reason: str, *, failed: bool = False) -> None:
        """Report a file or folder that is left; bytes that are no UTF-8 are written as escapes."""
        shown = path.encode("utf-8", "backslashreplace").decode()
        self.skipped.append(Skip(self.root.name, shown, reason, failed))

    def _fail(self, folder: str, reason: str) -> None:
        """Report a folder that cannot be read, so that what is known of it stays; a root is an error."""
        if not folder:
            raise ScanError(f"this folder {reason}", where=self.top, fix="check that it is there and readable")
        self.unreadable.append(folder)
        self._skip(folder, reason, failed=True)


def read_source(root: Root, file: SourceFile, top: str = "") -> bytes:
    """The bytes of a scanned file, which must still be a regular file inside the root once it is open.

    `top` is the real path of the root, for callers that read many files at once.
    Raises FileNotFoundError when it is gone, ScanError when it now leads out of the root or is no
    regular file, and other OSErrors as they come.
    """
    path = f"{root.folder}/{file.path}"
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)  # a pipe must not block
    descriptor = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ScanError("not a regular file", where=path, fix="remove it or exclude it")
        if not _opened_below(top or os.path.realpath(root.folder), descriptor, path):
            raise ScanError("this file leads out of its folder", where=path, fix="remove the link")
        with os.fdopen(descriptor, "rb", buffering=0, closefd=False) as stream:
            return stream.read()
    finally:
        os.close(descriptor)


def inside(root_folder: Path, relative: str) -> Path:
    """The file that a path from outside names below a root, whether or not it exists.

    Raises NotFound when the path, plain or percent-encoded, would leave the root.
    """
    refused = NotFound("not a path inside this folder", where=repr(relative), fix="give a path as `search` prints it")
    for form in (relative, unquote(relative), unquote(unquote(relative))):
        parts = form.replace("\\", "/").split("/")
        drive = form[1:2] == ":" and (os.name == "nt" or form[2:3] in ("/", "\\"))
        if "\0" in form or ".." in parts or not parts[0] or drive:
            raise refused
    path = Path(root_folder, relative)
    if "\\" in relative and not os.path.lexists(path):
        raise refused
    if below(os.path.realpath(root_folder), os.path.realpath(path)) is None:
        raise refused
    return path


def refuse_unbounded(folder: Path, *, yes: bool = False) -> None:
    """Raise ScanError for a home folder, a drive or anything above them, unless the user said yes."""
    real = Path(os.path.realpath(folder))
    home = Path(os.path.realpath(Path.home()))
    of_homes = real.parent == Path(real.anchor) and real.name.lower() in ("home", "users")
    if not yes and (real in (home, *home.parents) or real.parent == real or of_homes):
        raise ScanError(
            "this would index a whole home folder or drive",
            where=str(folder),
            fix="open the folder that holds your notes, or run `index --yes`",
        )


def check_listable(root: Root) -> None:
    """Raise ScanError when a root is not a folder that can be listed."""
    try:
        os.scandir(root.folder).close()
    except OSError as error:
        raise ScanError(
            f"this folder cannot be read: {_said(error)}",
            where=str(root.folder),
            fix="check that it is there and readable",
        ) from error


def _opened_below(top: str, descriptor: int, path: str) -> bool:
    """Whether the open file is inside the real path `top`, even if `path` was changed since it was opened."""
    if sys.platform == "linux":  # a third of the cost of realpath
        try:
            opened = os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115 (Path.readlink costs 4x)
            if below(top, opened) is not None:
                return True
        except OSError:
            pass  # no /proc here
    real = os.path.realpath(path)
    return below(top, real) is not None and os.path.samestat(os.fstat(descriptor), Path(real).stat())


def _said(error: OSError) -> str:
    """What the system says, and of which ignore file if it is one."""
    name = Path(error.filename).name if isinstance(error.filename, str) else ""
    return f"{name}: {error.strerror}" if name.endswith("ignore") else error.strerror or str(error)
