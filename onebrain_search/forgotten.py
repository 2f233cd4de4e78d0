"""What the user wants forgotten: a list beside the index that holds across index runs, rebuilds and `clear`."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

from indexer.errors import QueryError, StoreError

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


def normal(path: str) -> str:
    """Return a path from the vault as the list keeps it. Raises QueryError for one that leaves the vault."""
    root, colon, rest = path.partition(":") if ":" in path and "/" not in path.partition(":")[0] else ("", "", path)
    parts = [part for part in PurePosixPath(rest.replace("\\", "/")).parts if part != "."]
    if not parts or ".." in parts or parts[0].startswith("/"):
        raise QueryError(
            "this is no path inside the vault", where=path, fix="write it from the vault, as private/x.md"
        )
    return f"{root}{colon}{'/'.join(parts)}"


def of_root(paths: tuple[str, ...], root: str) -> frozenset[str]:
    """Return the forgotten paths of one root, relative to it."""
    if not root:
        return frozenset(path for path in paths if ":" not in path.partition("/")[0])
    return frozenset(path[len(root) + 1 :] for path in paths if path.startswith(f"{root}:"))
