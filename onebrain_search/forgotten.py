"""What the user wants forgotten: a list beside the index that holds across index runs, rebuilds and `clear`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from unicodedata import normalize

from indexer.errors import QueryError, StoreError
from onebrain_search.printable import whole

FILE = "forgotten.json"


def load(state: Path) -> tuple[str, ...]:
    """Return the forgotten paths, as written forms (`a/b`, `name:a/b`).

    Raises StoreError when the list cannot be read: what is to be hidden must not show because of a bad disk.
    """
    try:
        return tuple(json.loads((state / FILE).read_text("utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except (OSError, ValueError) as error:
        fix = "mend or delete that file, then `forget` again what must stay out"
        raise StoreError("the list of forgotten paths cannot be read", where=str(state / FILE), fix=fix) from error


def save(state: Path, paths: tuple[str, ...]) -> None:
    """Keep the list; the old one stays until the new one is whole. Raises StoreError when it cannot be written."""
    fresh = state / f"{FILE}.new"
    try:
        state.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps(sorted(paths), ensure_ascii=False), "utf-8")
        fresh.replace(state / FILE)
    except OSError as error:
        fix = "make that folder writable, then run it again: nothing was forgotten"
        raise StoreError(
            "the list of forgotten paths cannot be written", where=f"{state}: {error}", fix=fix
        ) from error


def normal(path: str, folders: Mapping[str, Path]) -> str:
    """Return a path from the vault as the list keeps it: in the letters that the disk has for it, where it is there.

    `folders` are those of the vault ("") and of code, by name. Raises QueryError for a path that leaves its folder.
    """
    root, rest = _parted(whole(path), folders)
    real = PurePosixPath(rest)
    if os.sep == "\\" or not (folders[root] / rest).exists():
        real = PurePosixPath(rest.replace("\\", "/"))
    parts = [part for part in real.parts if part != "."]
    if not parts or ".." in parts or parts[0].startswith("/"):
        raise QueryError(
            "this is no path inside the vault", where=path, fix="write it from the vault, as private/x.md"
        )
    folder, found = folders[root], []
    for part in parts:
        found.append(_on_disk(folder, part))
        folder = folder / found[-1]
    return f"{root}:{'/'.join(found)}" if root else "/".join(found)


def missing(paths: tuple[str, ...], folders: Mapping[str, Path]) -> tuple[str, ...]:
    """Return those of the forgotten paths at which nothing lies now."""
    parted = {path: _parted(path, folders) for path in paths}
    return tuple(path for path, (root, rest) in parted.items() if not os.path.lexists(folders[root] / rest))


def of_root(paths: tuple[str, ...], root: str, folders: Mapping[str, Path]) -> frozenset[str]:
    """Return the forgotten paths of one root, relative to it."""
    return frozenset(rest for name, rest in (_parted(path, folders) for path in paths) if name == root)


def _parted(path: str, folders: Mapping[str, Path]) -> tuple[str, str]:
    """Return the root of a written form and the rest; a colon after no root's name is one of a file's name."""
    root, colon, rest = path.partition(":")
    return (root, rest) if colon and root and root in folders else ("", path)


def _on_disk(folder: Path, name: str) -> str:
    """Return a name in a folder as the disk has it: accents may be written apart there, case may not count."""
    try:
        names = [each.name for each in folder.iterdir()]
        if name in names:
            return name
        alike = [each for each in names if normalize("NFC", each) == normalize("NFC", name)]
        if not alike and (folder / name).exists():
            alike = [each for each in names if each.casefold() == name.casefold()]
    except (OSError, ValueError):
        return name
    return alike[0] if alike else name
