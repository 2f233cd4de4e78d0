"""How a watcher stands, kept in a file beside the index, so that any process can tell."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from indexer.state import WATCH, owner

FILE = "watch.json"
Mode = Literal["starting", "watching", "polling", "unreachable", "waiting", "failing", "stopped"]


@dataclass(frozen=True, slots=True)
class Standing:
    """What a watcher does: by events (`watching`), by looking every few seconds (`polling`), or why it cannot.

    `restarts` counts how often the listener had died and was started anew, `overflows` how often the system lost
    notices. `paused` are the vectors, and `vectors` says why none are made now. `pid` is 0 where no watcher lives.
    """

    mode: Mode = "stopped"
    why: str = ""
    restarts: int = 0
    overflows: int = 0
    paused: bool = False
    vectors: str = ""
    pid: int = 0


def keep(folder: Path, standing: Standing) -> None:
    """Write down how the watcher of this process stands."""
    with suppress(OSError):  # only told to people
        new = folder / f"{FILE}.new"
        new.write_text(json.dumps(asdict(standing)), "utf-8")
        new.replace(folder / FILE)


def load(folder: Path) -> Standing:
    """Return how the watcher of an index stands; a file whose writer died counts for nothing."""
    holder = owner(folder, WATCH)
    if holder is None:
        return Standing()
    try:
        found = Standing(**json.loads((folder / FILE).read_bytes()))
    except (OSError, ValueError, TypeError):
        return Standing("starting", pid=holder.pid)
    return found if found.pid == holder.pid else Standing("starting", pid=holder.pid)
