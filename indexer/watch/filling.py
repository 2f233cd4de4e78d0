"""Vectors in the background: a thread that makes what is missing, newest edits first, and can be told to pause."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from indexer.backlog import Filled, fill
from indexer.errors import Busy, Damaged, OneBrainError
from indexer.plan import Plan, Progress, Vectors

ROUND = 64  # passages between two commits: how long a note that is saved meanwhile waits at most, 1 s at 65 a second
LOCK_WAIT = 30.0  # seconds for another process to finish a commit
AGAIN = 10.0  # seconds until it tries again when another process makes vectors, or the model cannot be asked


class Filling:
    """The thread; `on_made` hears what each filling made, `on_damage` that the index must be made anew."""

    def __init__(
        self,
        folder: Path,
        plan: Callable[[], Plan],
        on_made: Callable[[Filled], None],
        on_damage: Callable[[], None],
        progress: Progress,
    ) -> None:
        self.folder, self.plan, self.progress = folder, plan, progress
        self.on_made, self.on_damage = on_made, on_damage
        self.error = ""  # why none are made now
        self.paused = self._ended = False
        self._vectors: Vectors | None = None
        self._asked = threading.Event()
        self.thread = threading.Thread(target=self._run, name="onebrain-vectors", daemon=True)

    def start(self) -> None:
        """Begin to wait for work."""
        self.thread.start()

    def stop(self) -> None:
        """End after the round that is being made."""
        self._ended = True
        self._asked.set()

    def ask(self) -> None:
        """Say that passages may be missing vectors."""
        self._asked.set()

    def renew(self) -> None:
        """Ask again by which model vectors are made, and make those that it lacks."""
        self._vectors = None
        self._asked.set()

    def pause(self, paused: bool) -> None:
        """Make none after the round at hand, or go on."""
        self.paused = paused
        self._asked.set()

    def _goes_on(self) -> bool:
        """Whether another round is wanted."""
        return not self._ended and not self.paused

    def _run(self) -> None:
        """Fill whenever asked to."""
        wait: float | None = None
        while not self._ended:
            self._asked.wait(wait)
            self._asked.clear()
            wait = None
            if self._goes_on() and not self._fill():
                wait = AGAIN

    def _fill(self) -> bool:
        """Make what is missing; False when that could not be done now."""
        try:
            vectors = self._vectors
            if vectors is None:
                made = self.plan().vectors
                if made is None:
                    return True
                vectors = self._vectors = made()
            filled = fill(
                self.folder, vectors, wait=LOCK_WAIT, progress=self.progress, go_on=self._goes_on, size=ROUND
            )
        except Damaged:
            self.on_damage()
            return True
        except OneBrainError as error:
            self._vectors = None
            self.error = error.what if isinstance(error, Busy) else str(error)
            return False
        except Exception as error:  # a library's own, from a model or a child: the thread must outlive it
            self._vectors = None
            self.error = f"vectors cannot be made: {type(error).__name__}: {error}"
            return False
        self.error = ""
        if filled.made:
            self.on_made(filled)
        return True
