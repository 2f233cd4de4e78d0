"""List the files of a root: what to index, what was left out, and what could not be looked at."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from indexer.errors import NotFound, ScanError
from indexer.ignore import (
    SUFFIXES,
    IgnoreFile,
    deciding,
    exclusions,
    foreign,
    generated,
    ignore_files,
    never,
)
from indexer.types import Kind, Root, Skip, SourceFile

MANY_FILES: Final = 200_000  # above this a vault is more likely a mistaken folder than somebody's notes

_NO_BLOCKS_FROM: Final = 512
_RECALL: Final = 0x1000 | 0x40000 | 0x400000  # FILE_ATTRIBUTE_OFFLINE, RECALL_ON_OPEN, RECALL_ON_DATA_ACCESS
_DATALESS: Final = 0x40000000  # SF_DATALESS of macOS <sys/stat.h>
_COMPRESSED: Final = 0x20  # UF_COMPRESSED: macOS keeps the data outside of blocks
_STUB_END: Final = ".icloud"


@dataclass(frozen=True, slots=True)
class ScanRules:
    """What to take and what to leave.

    `suffixes` maps a lower-case suffix with its dot to the kind of file it marks. `max_bytes`, 10 MB
    by default, is 30 times the largest of 9,000 notes of seven public vaults: what is bigger is an
    export or a drawing.
    """

    exclude: tuple[str, ...] = ()
    max_bytes: int = 10_000_000
    suffixes: Mapping[str, Kind] = field(default_factory=lambda: SUFFIXES)
    gitignore: bool = True
    hidden: bool = False
    placeholders: bool = False  # True: open files whose data is not on this disk, which downloads them


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The files of one root, sorted by path.

    `unreadable` holds the folders (`a/b/`) that could not be read: what is known below them must be kept.
    """

    files: tuple[SourceFile, ...]
    skipped: tuple[Skip, ...] = ()
    excluded: int = 0  # files of a known suffix that the user's rules left out
    unreadable: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def scan(root: Root, rules: ScanRules) -> ScanResult:
    """List a root, opening ignore files only. Raises ScanError when the root cannot be listed."""
    walk = _Walk(root, rules)
    walk.run()
    return walk.result()


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder on the walk: its path, where it really is (both `""` or `a/b/`), what is ignored in it."""

    path: str
    real: str
    layers: tuple[IgnoreFile, ...] = ()


class _Walk:
    """One scan under way: the lists it fills."""

    def __init__(self, root: Root, rules: ScanRules) -> None:
        """Start with empty lists."""
        self.root, self.rules = root, rules
        self.top = str(root.folder)
        self.real_top = os.path.realpath(self.top)
        self.exclude = exclusions(rules.exclude)
        self.files: list[SourceFile] = []
        self.skipped: list[Skip] = []
        self.unreadable: list[str] = []
        self.excluded = 0
        self.links: list[tuple[str, str, _Folder]] = []
        self.walked: dict[str, tuple[IgnoreFile, ...]] = {}
        self.seen: set[str] = set()  # real paths of the files taken
        self.pending = [_Folder("", "")]

    def run(self) -> None:
        """Walk the real folders, then follow the links that lead to something not yet listed."""
        _listable(self.root)
        self._walk()
        while self.links:
            batch, self.links = sorted(self.links, key=lambda link: link[0]), []
            for path, name, folder in batch:
                self._follow(path, name, folder)
        _listable(self.root)  # a drive that went away meanwhile is not an emptied vault

    def result(self) -> ScanResult:
        """What was found, in a fixed order."""
        notes: tuple[str, ...] = ()
        if len(self.files) > MANY_FILES:
            notes += (f"{len(self.files):,} files in {self.top}: is this the folder you meant?",)
        return ScanResult(
            tuple(sorted(self.files, key=lambda file: file.path)),
            tuple(sorted(self.skipped, key=lambda skip: skip.path)),
            self.excluded,
            tuple(sorted(self.unreadable)),
            notes,
        )

    def _walk(self) -> None:
        """Visit the pending folders and all below them."""
        while self.pending:
            folder = self.pending.pop()
            if folder.real in self.walked:
                continue
            try:
                with os.scandir(f"{self.top}/{folder.path}") as listing:
                    entries = list(listing)
                names = {entry.name for entry in entries}
                found, bad = ignore_files(self.root.folder, folder.path, names, git=self.rules.gitignore)
            except (FileNotFoundError, NotADirectoryError):
                continue  # gone since its parent was listed
            except OSError as error:
                self._fail(folder.path, f"cannot be listed: {error.strerror or error}")
                continue
            if folder.path and foreign(folder.path, names):
                continue
            for file, reason in bad:
                self._skip(file, reason)
            layers = folder.layers + found
            self.walked[folder.real] = layers
            here = _Folder(folder.path, folder.real, layers)
            for entry in entries:
                self._visit(entry, here)

    def _visit(self, entry: os.DirEntry[str], folder: _Folder) -> None:
        """Take, leave or report one entry of a folder."""
        name = entry.name
        if name[0] == "." and self._hidden(name, folder):
            return
        path = folder.path + name
        try:
            if _is_link(entry):
                self.links.append((path, name, folder))
            elif entry.is_dir(follow_symlinks=False):
                self._enter(path, name, folder, folder.real + name + "/")
            elif self._kind(name) and not self._left_out(path, name, folder.layers, is_folder=False):
                self._take(path, name, folder.real + name, entry.stat(follow_symlinks=False))
        except FileNotFoundError:
            return  # gone since the folder was listed
        except OSError as error:
            self._skip(path, f"cannot be looked at: {error.strerror or error}", failed=True)

    def _hidden(self, name: str, folder: _Folder) -> bool:
        """Whether a dot name stays out; a stub that iCloud left for a note is reported as that note."""
        if name.endswith(_STUB_END):
            note = name[1 : -len(_STUB_END)]
            path = folder.path + note
            if self._kind(note) and not self._left_out(path, note, folder.layers, is_folder=False):
                self._skip(path, "not downloaded", failed=True)
            return True
        return not self.rules.hidden or never(name)

    def _enter(self, path: str, name: str, folder: _Folder, real: str) -> None:
        """Put a folder on the list to visit, unless it stays out."""
        if never(name) or self._left_out(path, name, folder.layers, is_folder=True):
            return
        if not _is_text(name):
            self._skip(path, "the name of this folder is not valid UTF-8")
            return
        self.pending.append(_Folder(path + "/", real, folder.layers))

    def _left_out(self, path: str, name: str, layers: tuple[IgnoreFile, ...], *, is_folder: bool) -> bool:
        """Whether a rule leaves this out; counts the files that the user's own rules leave out."""
        own = self.exclude.match(path, name, is_folder)
        if not own:
            layer = deciding(layers, path, is_folder) if layers else None
            if layer is None:
                return False
            own = layer.own
        if not is_folder:
            self.excluded += 1
        elif own:  # what git ignores may be huge build output, so only the user's own folders are counted
            self.excluded += self._count(path)
        return True

    def _count(self, path: str) -> int:
        """How many files of known suffixes lie in an excluded folder."""
        total, pending = 0, [f"{self.top}/{path}"]
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

    def _take(self, path: str, name: str, real: str, info: os.stat_result) -> None:
        """Add a file, or report why not."""
        if generated(name):
            self.excluded += 1
        elif not stat.S_ISREG(info.st_mode):
            self._skip(path, "not a regular file")
        elif not _is_text(name):
            self._skip(path, "its name is not valid UTF-8")
        elif not self.rules.placeholders and _elsewhere(info):
            self._skip(path, "not downloaded", failed=True)
        elif info.st_size > self.rules.max_bytes:
            self._skip(path, f"{info.st_size / 1e6:.1f} MB is over the limit of {self.rules.max_bytes / 1e6:g} MB")
        elif real not in self.seen:
            self.seen.add(real)
            kind = self._kind(name) or "note"
            self.files.append(SourceFile(self.root.name, path, kind, info.st_size, info.st_mtime_ns))

    def _follow(self, path: str, name: str, folder: _Folder) -> None:
        """Take what a link leads to, once, when it lies inside the root and no rule leaves it out there."""
        target = os.path.realpath(f"{self.top}/{path}")
        try:
            info = Path(target).stat()
        except OSError:
            if self._kind(name):
                self._skip(path, "a symlink that leads nowhere")
            return
        is_folder = stat.S_ISDIR(info.st_mode)
        if not is_folder and not self._kind(name):
            return
        real = _below(self.real_top, target)
        if real is None:
            if not self.exclude.match(path, name, is_folder):
                self._skip(path, "a symlink that leads outside the root")
        elif real and real not in self.seen and real + "/" not in self.walked and not self._kept_out(real, is_folder):
            if is_folder:
                self._enter(path, name, folder, real + "/")
                self._walk()
            elif not self._left_out(path, name, folder.layers, is_folder=False):
                self._take(path, name, real, info)

    def _kept_out(self, real: str, is_folder: bool) -> bool:
        """Whether a rule keeps out the place that a link leads to; being hidden alone does not."""
        parts = real.split("/")
        layers: tuple[IgnoreFile, ...] = ()
        parent = ""
        for depth, name in enumerate(parts):
            layers = self.walked.get(parent, layers)
            path = parent + name
            below = depth < len(parts) - 1 or is_folder
            if never(name) or path + "/" in self.unreadable:
                return True
            if self.exclude.match(path, name, below) or deciding(layers, path, below):
                return True
            parent = path + "/"
        return False

    def _kind(self, name: str) -> Kind | None:
        """The kind of a file by its suffix, None when it is not indexed."""
        dot = name.rfind(".")
        return self.rules.suffixes.get(name[dot:].lower()) if dot > 0 else None

    def _skip(self, path: str, reason: str, *, failed: bool = False) -> None:
        """Report a file or folder that is left; bytes that are no UTF-8 are written as escapes."""
        shown = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        self.skipped.append(Skip(self.root.name, shown, reason, failed))

    def _fail(self, folder: str, reason: str) -> None:
        """Report a folder that cannot be read, so that what is known of it stays; a root is an error."""
        if not folder:
            raise ScanError(f"this folder {reason}", where=self.top, fix="check that it is there and readable")
        self.unreadable.append(folder)
        self._skip(folder, reason, failed=True)


def read_source(root: Root, file: SourceFile) -> bytes:
    """The bytes of a scanned file, which must still be a regular file inside the root once it is open.

    Raises FileNotFoundError when it is gone, ScanError when it now leads out of the root or is no
    regular file, and other OSErrors as they come.
    """
    path = f"{root.folder}/{file.path}"
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    with os.fdopen(os.open(path, flags), "rb") as stream:
        opened = os.fstat(stream.fileno())
        real = os.path.realpath(path)
        if not stat.S_ISREG(opened.st_mode):
            raise ScanError("not a regular file", where=path, fix="remove it or exclude it")
        if _below(os.path.realpath(root.folder), real) is None or not os.path.samestat(opened, Path(real).stat()):
            raise ScanError("this file leads out of its folder", where=path, fix="run the index again")
        return stream.read()


def inside(root_folder: Path, relative: str) -> Path:
    """The file that a path from outside names below a root. Raises NotFound when it would leave the root."""
    decoded = unquote(unquote(relative))
    for form in (relative, decoded):
        parts = form.replace("\\", "/").split("/")
        drive = len(form) > 1 and form[1] == ":" and (os.name == "nt" or form[2:3] in ("/", "\\"))
        if not form or "\0" in form or ".." in parts or not parts[0] or drive:
            raise NotFound("not a path inside the vault", where=relative, fix="give it as `search` prints it")
    path = Path(root_folder, relative)
    known = "\\" not in relative or os.path.lexists(path)
    if not known or _below(os.path.realpath(root_folder), os.path.realpath(path)) is None:
        raise NotFound("not a path inside the vault", where=relative, fix="give it as `search` prints it")
    return path


def refuse_unbounded(folder: Path, *, yes: bool = False) -> None:
    """Raise ScanError for a home folder, a drive or anything above them, unless the user said yes."""
    real = Path(os.path.realpath(folder))
    home = Path(os.path.realpath(Path.home()))
    shared = real.parent == Path(real.anchor) and real.name.lower() in ("home", "users")
    if not yes and (real == home or real in home.parents or real.parent == real or shared):
        raise ScanError(
            "this would index a whole home folder or drive",
            where=str(folder),
            fix="open the folder that holds your notes, or say --yes",
        )


def _listable(root: Root) -> None:
    """Raise ScanError when a root is not a folder that can be listed."""
    try:
        os.scandir(root.folder).close()
    except OSError as error:
        raise ScanError(
            f"this folder cannot be listed: {error.strerror or error}",
            where=str(root.folder),
            fix="check that it is there and readable",
        ) from error


def _elsewhere(info: os.stat_result) -> bool:
    """Whether a file's data is not on this disk, told without opening it (which may block or download).

    macOS and Windows say so in a flag. Elsewhere a file with a size but without blocks holds no data; below
    512 bytes this proves nothing, because NTFS under Linux keeps such files outside of blocks.
    """
    if getattr(info, "st_file_attributes", 0) & _RECALL:
        return True
    flags = getattr(info, "st_flags", 0)
    if flags & _DATALESS:
        return True
    no_blocks = info.st_size >= _NO_BLOCKS_FROM and getattr(info, "st_blocks", 1) == 0
    return no_blocks and not flags & _COMPRESSED


def _is_link(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a symlink, or on Windows a junction."""
    if sys.platform == "win32":
        tag = entry.stat(follow_symlinks=False).st_reparse_tag
        return entry.is_symlink() or tag == stat.IO_REPARSE_TAG_MOUNT_POINT
    return entry.is_symlink()


def _is_text(name: str) -> bool:
    """Whether a name can be written as UTF-8."""
    try:
        return name.isascii() or bool(name.encode())
    except UnicodeEncodeError:
        return False


def _below(top: str, path: str) -> str | None:
    """`path` relative to `top` with `/`, both real paths; None when it lies outside."""
    start = top.rstrip(os.sep) + os.sep
    if path == top:
        return ""
    return path[len(start) :].replace(os.sep, "/") if path.startswith(start) else None
