"""The watcher: listen, wait until changes are whole, index what they touched, and look at everything now and then.

One thread takes changes in, another makes vectors (`filling`). Whatever goes wrong is told by `standing` and tried
again; the entries of folders that cannot be reached stay.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from indexer.backlog import Filled
from indexer.build import build
from indexer.errors import Busy, ScanError
from indexer.plan import Plan, Progress, silent
from indexer.state import WATCH, locked
from indexer.types import Area, Report
from indexer.watch.filling import Filling
from indexer.watch.gathering import Gathering
from indexer.watch.notices import Listener, WatchLimit
from indexer.watch.standing import Mode, Standing, keep

HEALTH = 1.0  # seconds between two looks at the listener and the roots
RECONCILE = 300.0  # seconds between two looks at everything: notices of a network drive may never come
POLL, POLL_SHARE = 2.0, 20  # without notices: look at everything this often, or in so many times what a look takes
RELISTEN = 300.0  # seconds until it tries to listen again where the watch limit was reached
RETRY = 2.0  # seconds until something is tried again that failed
LOCK_WAIT = 5.0  # seconds for another writer before that is told

OnChange = Callable[[int, tuple[str, ...]], None]  # (generation, written forms of the files that changed)


class Watch:
    """Keeps an index up to date from `start` until `stop`, or as a context manager.

    `plan` is asked before each run, so settings may change; `settings` are names of files at the top of a root that
    decide about other files. `on_change` and `progress` are called by threads of the watcher.
    """

    def __init__(
        self,
        folder: Path,
        plan: Callable[[], Plan],
        *,
        settings: frozenset[str] = frozenset(),
        on_change: OnChange,
        progress: Progress = silent,
    ) -> None:
        self.folder, self.plan, self.settings = folder, plan, settings
        self.on_change, self.progress = on_change, progress
        self.gathering = Gathering()
        self.filling = Filling(folder, plan, self._on_made, self.look, progress)
        self.listener: Listener | None = None
        self._hearing: tuple[Mode, str] = ("starting", "")
        self._trouble: tuple[Mode, str] | None = None
        self._restarts = self._overflows = 0
        self._told = Standing()
        self._telling = threading.Lock()  # what is written last must be how it stands, whichever thread tells it
        self._held = ExitStack()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="onebrain-watch", daemon=True)
        self._idle = threading.Condition()
        self._busy = True
        self._next_listen = self._next_look = self._next_sweep = 0.0

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        self.stop()

    def start(self) -> None:
        """Begin with a look at everything. Raises Busy when another process watches, StoreError."""
        self._held.enter_context(locked(self.folder, 0.0, WATCH))
        logging.getLogger("watchdog").addHandler(logging.NullHandler())  # what it would print is told by `standing`
        self._tell()
        self.filling.start()
        self._thread.start()

    def stop(self) -> None:
        """End when the change that is being taken in, and the round of vectors, are done."""
        self._ended.set()
        self.gathering.wake()
        for part in (self._thread, self.filling.thread):
            if part.is_alive():
                self.filling.stop()
                part.join()
        if self.listener is not None:
            self.listener.stop()
        keep(self.folder, Standing())
        self._held.close()

    @property
    def standing(self) -> Standing:
        """How it stands now."""
        if self._ended.is_set():
            return Standing()
        mode, why = self._trouble or self._hearing
        overflows = self._overflows + (self.listener.overflows if self.listener else 0)
        filling = self.filling
        return Standing(mode, why, self._restarts, overflows, filling.paused, filling.error, os.getpid())

    def look(self) -> None:
        """Look at everything as soon as possible."""
        self.gathering.add(None, at_once=True)

    def pause_vectors(self, paused: bool = True) -> None:
        """Make no vectors after the round at hand, or go on; words are indexed all the same."""
        self.filling.pause(paused)
        self._tell()

    def settle(self, seconds: float) -> bool:
        """Wait until every change that was noticed can be found by words; False when that takes longer."""
        with self._idle:
            return self._idle.wait_for(lambda: not self._busy and self.gathering.due() is None, seconds)

    # --- the thread --------------------------------------------------------------------------------------

    def _run(self) -> None:
        """Take changes in until the end; nothing else ends this thread."""
        while not self._ended.is_set():
            try:
                self._hear()
                self._take_in_due()
            except Exception as error:
                self._trouble = (_mode(error), str(error) or type(error).__name__)
                self._tell()
                self._ended.wait(RETRY)
                continue
            self._tell()
            self._rest()

    def _take_in_due(self) -> None:
        """Index what is due."""
        if time.monotonic() >= self._next_look:
            self.look()
        due = self.gathering.due()
        if due is not None and due <= 0:
            with self._idle:
                self._busy = True
                areas = self.gathering.take()
            try:
                self._take_in(areas)
            except BaseException:
                self.gathering.add(*((None,) if areas is None else areas), at_once=True)
                raise

    def _take_in(self, areas: tuple[Area, ...] | None) -> None:
        """Index some areas, or everything."""
        began = time.monotonic()
        sweep = areas is None and began >= self._next_sweep
        plan = replace(self.plan(), vectors=None, areas=areas, sweep=sweep, progress=self.progress)
        report = build(self.folder, plan, wait=LOCK_WAIT)
        now = time.monotonic()
        if areas is None:
            polling = max(POLL, POLL_SHARE * (now - began))
            self._next_look = now + (RECONCILE if self._hearing[0] == "watching" else polling)
            self._trouble = _unreachable(report)
            if sweep or self._hearing[0] == "watching":
                self.filling.renew()
            if self.listener and (self.listener.roots, self.listener.rules) != (plan.roots, plan.rules):
                self._listen(plan)
        if sweep:
            self._next_sweep = now + RECONCILE
        if report.pending:
            self.filling.ask()
        if report.paths:
            self.on_change(report.generation, report.paths)

    def _rest(self) -> None:
        """Wait for a change, and look after the listener in between."""
        with self._idle:
            self._busy = self.gathering.due() is not None
            self._idle.notify_all()
        self.gathering.wait(min(HEALTH, max(0.0, self._next_look - time.monotonic())))

    def _hear(self) -> None:
        """Begin to listen; begin anew when the listener has died, or a root went, came back or was replaced."""
        if self.listener is not None:
            if self.listener.is_sound():
                return
            self._restarts += self.listener.has_died()
        elif time.monotonic() < self._next_listen:
            return
        self._listen(self.plan())

    def _listen(self, plan: Plan) -> None:
        """Listen to the roots of a plan; poll where that is not possible."""
        self._deafen()
        self.listener = Listener(plan.roots, plan.rules, self.settings, self.gathering.add)
        try:
            self.listener.start()
            self._hearing = ("watching", "")
        except (WatchLimit, OSError) as error:
            self._deafen()
            self._next_listen = time.monotonic() + (RELISTEN if isinstance(error, WatchLimit) else RETRY)
            self._hearing = ("polling", str(error))
        self.look()  # what happened while nobody listened

    def _deafen(self) -> None:
        """Let go of the listener."""
        if self.listener is not None:
            self._overflows += self.listener.overflows
            self.listener.stop()
            self.listener = None

    def _on_made(self, filled: Filled) -> None:
        """Tell of new vectors."""
        self._tell()
        self.on_change(filled.generation, ())

    def _tell(self) -> None:
        """Write down how it stands, when that is news."""
        with self._telling:
            standing = self.standing
            if standing != self._told:
                self._told = standing
                keep(self.folder, standing)


def _mode(error: Exception) -> Mode:
    """Return what an error means for the watcher."""
    return "unreachable" if isinstance(error, ScanError) else "waiting" if isinstance(error, Busy) else "failing"


def _unreachable(report: Report) -> tuple[Mode, str] | None:
    """Return which root a run could not reach, None when it reached all."""
    lost = [f"{skip.root or 'the vault'} {skip.reason}" for skip in report.failed if not skip.path]
    return ("unreachable", "; ".join(lost)) if lost else None
