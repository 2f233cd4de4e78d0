"""The folder of an index: the rights to work in it, who holds them, and deleting what is ours."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from indexer.errors import Busy, StoreError

CATALOG = "catalog.sqlite"

# The rights, each a lock file that the system frees when its process ends, however that happens. To write is held for
# as long as one commit takes, to embed while vectors are made, so that no two processes make the same ones, to watch
# for as long as a watcher lives, and to serve for as long as a daemon does. What is kept of the web has one, too.
WRITE, EMBED, WATCH, SERVE, WEB = "write.lock", "embed.lock", "watch.lock", "serve.lock", "web.lock"
_BUSY = {
    WRITE: "another process is indexing this vault",
    EMBED: "another process is making the vectors of this vault",
    WATCH: "another process is watching this vault",
    SERVE: "a daemon serves this vault already",
    WEB: "another process is keeping what the web answered",
}
_POLL = 0.01  # seconds between two attempts: less than anybody notices after a save


@dataclass(frozen=True, slots=True)
class Owner:
    """A process that lives and holds a right."""

    pid: int
    started: float


@contextmanager
def locked(folder: Path, wait: float, right: str = WRITE) -> Iterator[None]:
    """Hold a right; beside the lock stands whose it is. Raises Busy after `wait` seconds, StoreError."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder / right)
    note = folder / f"{right}.owner"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=wait, poll_interval=_POLL)
    except Timeout as error:
        holder = owner(folder, right)
        where = f"{folder}, process {holder.pid}" if holder else str(folder)
        raise Busy(_BUSY[right], where=where, fix="wait for it, then run it again") from error
    except OSError as error:
        raise unwritable(folder, error) from error
    try:
        with suppress(OSError):  # only told to people
            note.write_text(json.dumps({"pid": os.getpid(), "started": process_start(os.getpid())}), "utf-8")
        yield
    finally:
        with suppress(OSError):
            note.unlink(missing_ok=True)
        lock.release()


def owner(folder: Path, right: str = WRITE) -> Owner | None:
    """Return who holds a right; None where nobody does, or a process that died left its note behind."""
    try:
        said = json.loads((folder / f"{right}.owner").read_bytes())
        holder = Owner(int(said["pid"]), float(said["started"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return holder if process_start(holder.pid) == holder.started else None


def left_behind(folder: Path) -> list[str]:
    """Return the rights whose holder died before it could give them back: the next one takes them over."""
    return [right for right in _BUSY if (folder / f"{right}.owner").exists() and owner(folder, right) is None]


def process_start(pid: int) -> float | None:
    """Return when a process began, None where none of that number lives.

    The number alone names no process, since it is given again; both together do. The unit is the platform's own.
    """
    if sys.platform == "linux":
        try:
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            return None
        return None if fields[0] in (b"Z", b"X") else float(fields[19])  # proc(5): the state, and the start in ticks
    import psutil

    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return None


def erase(folder: Path, *, wait: float = 10.0) -> None:
    """Delete an index, and nothing else that may lie in its folder. Raises Busy, StoreError."""
    if folder.exists():
        with locked(folder, wait):
            erase_files(folder)


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
