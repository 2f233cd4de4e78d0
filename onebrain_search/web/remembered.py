"""A value in a file that may be lost: what cannot be read or written is forgotten, never an error."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from indexer.errors import StoreError
from indexer.state import WEB, locked

WAIT = 2.0  # seconds for another process, which holds the file for a few milliseconds


def read(file: Path | None) -> Any:
    """Return what a file holds; an empty mapping where there is none, or one that is damaged."""
    try:
        return json.loads(file.read_text("utf-8")) if file else {}
    except (OSError, ValueError):
        return {}


def change(file: Path, changed: Callable[[Any], Any]) -> None:
    """Put into a file what is made of its value, for many processes and threads; nothing of another one is lost.

    Where it cannot be locked, the change is made and forgotten with the process.
    """
    try:
        with locked(file.parent, WAIT, WEB):
            write(file, changed(read(file)))
    except StoreError:
        changed(read(file))


def write(file: Path | None, value: Any) -> None:
    """Put a value into a file, whole or not at all, whoever else writes it."""
    if file is None:
        return
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f"{file.name}.{os.getpid()}-{threading.get_ident()}")
        draft.write_text(json.dumps(value), "utf-8")
        try:
            draft.replace(file)
        except OSError:  # Windows, while another process reads it
            draft.unlink(missing_ok=True)
