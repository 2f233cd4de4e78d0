"""What the system says about changed files -> the areas to look at.

Only where something changed is taken from it, never what: the scan sees how things are, so it does not matter in
which order or how many notices arrive for a save, a rename or a branch that is switched. watchdog does the listening;
under Linux its descriptor is told which folders need no watch, and asked whether notices or watches were lost.
"""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.entries import ICLOUD_END, below
from indexer.ignore import RULE_FILES, never
from indexer.scan import ScanRules
from indexer.types import Area, Root

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver

Report = Callable[[Area | None], None]

LIMIT_FIX = "run `sysctl fs.inotify.max_user_watches=524288` as root"
INSTANCES_FIX = "run `sysctl fs.inotify.max_user_instances=512` as root"


class WatchLimit(Exception):
    """The system watches no more folders; its text is for people."""


def identity(root: Root) -> tuple[int, int] | None:
    """Return what tells a folder from another that took its place, None when it cannot be reached."""
    try:
        info = root.folder.stat()
    except OSError:
        return None
    return info.st_dev, info.st_ino


class Listener:
    """Hears of changes in the roots that can be reached, from `start` until `stop`; `report` is called by threads."""

    def __init__(
        self, roots: Sequence[Root], rules: Mapping[str, ScanRules], settings: frozenset[str], report: Report
    ) -> None:
        self.roots, self.rules, self.settings, self.report = roots, rules, settings, report
        self.identities = {root.name: identity(root) for root in roots}
        self.overflows = 0
        self.limit: OSError | None = None
        self.observer: BaseObserver | None = None
        self.descriptor: Any = None

    def start(self) -> None:
        """Begin to listen. Raises WatchLimit when the system has no watches left, OSError."""
        try:
            self.observer = self._observer()
            for root in self.roots:
                if self.identities[root.name] is not None:
                    self._schedule(root)
            self.observer.start()
        except OSError as error:
            self.limit = self.limit or error
            self.check()
            raise
        self.check()

    def check(self) -> None:
        """Raise WatchLimit when a folder could not be watched for want of watches."""
        if self.limit is not None and self.limit.errno == errno.EMFILE:
            raise WatchLimit(f"the limit of inotify instances is reached: {INSTANCES_FIX}")
        if self.limit is not None and self.limit.errno == errno.ENOSPC:
            raise WatchLimit(f"the watch limit is reached: {LIMIT_FIX}")

    def stop(self) -> None:
        """Listen no more."""
        for thread in (self.observer, self.descriptor):
            if thread is not None:
                with suppress(RuntimeError, OSError):  # one that never began, or has died
                    thread.stop()
                    thread.join()
        self.observer = self.descriptor = None

    def is_sound(self) -> bool:
        """Whether all its threads live, every folder is watched, and the roots are those it began with."""
        if self.observer is None or self.limit is not None:
            return False
        if any(identity(root) != self.identities[root.name] for root in self.roots):
            return False
        threads = [self.observer, *self.observer.emitters, *filter(None, [self.descriptor])]
        there = [root for root in self.roots if self.identities[root.name] is not None]
        return len(self.observer.emitters) == len(there) and all(thread.is_alive() for thread in threads)

    def has_died(self) -> bool:
        """Whether it is its own fault that it is not sound."""
        return self.limit is None and all(identity(root) == self.identities[root.name] for root in self.roots)

    def _schedule(self, root: Root) -> None:
        """Listen to one root."""
        from watchdog import events

        listener, top, rules = self, os.path.realpath(root.folder), self.rules[root.name]

        class Handler(events.FileSystemEventHandler):
            """Passes on where something changed."""

            def on_any_event(self, event: FileSystemEvent) -> None:
                """Report the areas."""
                for area in listener.areas(root.name, top, rules, event):
                    listener.report(area)

        wanted: list[type[FileSystemEvent]] = [
            events.FileCreatedEvent, events.FileModifiedEvent, events.FileClosedEvent, events.FileMovedEvent,
            events.FileDeletedEvent, events.DirCreatedEvent, events.DirMovedEvent, events.DirDeletedEvent,
        ]  # fmt: skip
        assert self.observer is not None
        self.observer.schedule(Handler(), top, recursive=True, event_filter=wanted)

    def areas(self, root: str, top: str, rules: ScanRules, event: FileSystemEvent) -> Iterator[Area | None]:
        """Yield where to look after an event, None for everywhere."""
        for place in (os.fsdecode(event.src_path), os.fsdecode(event.dest_path)):
            path = below(top, place)
            if path is None:
                continue
            *folders, name = path.split("/")
            if not name or name in RULE_FILES or (not folders and name in self.settings):
                yield None
            elif any(_unseen(folder, rules) for folder in folders):
                continue
            elif event.is_directory:
                if not _unseen(name, rules):
                    yield Area(root, f"{path}/", deep=True)
            elif _counts(name, rules) or Path(place).is_symlink():
                yield Area(root, path[: len(path) - len(name)])

    def _observer(self) -> BaseObserver:
        """Return watchdog's observer; under Linux with our eyes on its descriptor."""
        if sys.platform != "linux":
            from watchdog.observers import Observer

            return Observer()
        from watchdog.observers.api import BaseObserver
        from watchdog.observers.inotify import InotifyEmitter
        from watchdog.observers.inotify_c import InotifyFD

        # A folder that is made and filled at once is met twice by watchdog: on its walk through the folder above, and
        # by the notice of its making. The same watch gets the same callback again, which is right and no news.
        warnings.filterwarnings("ignore", r"Callback with id .* already exists for watch", RuntimeWarning)
        listener = self
        tops = {os.path.realpath(root.folder): self.rules[root.name] for root in self.roots}

        class Descriptor(InotifyFD):
            """The one inotify descriptor of this listener."""

            def add_callback(self, path: bytes, mask: Any, callback: Any, id_: Any) -> Any:
                """Watch a folder, unless nothing below it counts; note when there are no watches left."""
                if _is_unseen(os.fsdecode(path), tops):
                    raise PermissionError(errno.EACCES, "is left out")  # which watchdog passes over
                try:
                    return super().add_callback(path, mask, callback, id_)
                except OSError as error:
                    if error.errno in (errno.ENOSPC, errno.EMFILE):
                        listener.limit = error
                    raise

            def handle_event(self, event: Any) -> None:
                """Pass an event on; when the queue ran over, watchdog renews its watches, and we look everywhere."""
                super().handle_event(event)
                if event.is_queue_overflow:
                    listener.overflows += 1
                    listener.report(None)

        self.descriptor = Descriptor()
        self.descriptor.start()
        return BaseObserver(InotifyEmitter, inotify_fd=self.descriptor)


def _counts(name: str, rules: ScanRules) -> bool:
    """Whether a file of this name may be indexed, or stands for one that is not downloaded."""
    return name[name.rfind(".") :].lower() in rules.suffixes or name.endswith(ICLOUD_END)


def _unseen(name: str, rules: ScanRules) -> bool:
    """Whether a folder of this name is left out wherever it is."""
    return never(name) or (name.startswith(".") and not rules.hidden)


def _is_unseen(path: str, tops: Mapping[str, ScanRules]) -> bool:
    """Whether a folder lies in one that is left out wherever it is, below each root that holds it."""
    inside = [(below(top, path), rules) for top, rules in tops.items()]
    held = [(found, rules) for found, rules in inside if found]
    return bool(held) and all(any(_unseen(name, rules) for name in found.split("/")) for found, rules in held)
