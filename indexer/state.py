"""The folder of an index: the right to write in it, and deleting what is ours."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from indexer.errors import Busy, StoreError

CATALOG = "catalog.sqlite"
LOCK = "write.lock"


@contextmanager
def locked(folder: Path, wait: float) -> Iterator[None]:
    """Hold the right to write."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=wait)
    except Timeout as error:
        what = "another process is indexing this vault"
        raise Busy(what, where=str(folder), fix="wait for it, then run it again") from error
    except OSError as error:
        raise unwritable(folder, error) from error
    try:
        yield
    finally:
        lock.release()


def erase_files(folder: Path, keep: set[str] | None = None) -> None:
    """Delete the files of an index but some; one that Windows still reads stays until the next time."""
    for path in [*folder.glob("lexical-*"), *folder.glob("vectors-*")]:
        if not keep or path.name not in keep:
            with suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    if keep:
        return
    try:
        for path in [*folder.glob(f"{CATALOG}*"), *folder.glob("damaged-*")]:
            path.unlink(missing_ok=True)
    except OSError as error:
        fix = "close the programs that use it, then try again"
        raise StoreError("the index cannot be deleted", where=f"{folder}: {error}", fix=fix) from error


def unwritable(folder: Path, error: Exception) -> StoreError:
    """Return the error for a state folder that cannot be written."""
    fix = "free some space or name another folder in ONEBRAIN_SEARCH_HOME, then run `index`"
    return StoreError("the index cannot be written", where=f"{folder}: {error}", fix=fix)
