"""Who answers an agent: the vault's daemon when one runs, else a Brain of this process with a watcher of its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.errors import Busy, OneBrainError, StoreError, Unreachable

if TYPE_CHECKING:
    from indexer.watch.loop import Watch
    from onebrain_search.brain import Brain
    from onebrain_search.client import Client

STAGES = {"scan": "looking for notes", "lexical": "reading notes", "vectors": "making vectors"}
PATIENCE = 2.0  # seconds that a question waits for the first index of a small vault, before it says how far that is
SETTLE = 0.5  # seconds that it waits for changes to be taken in, before it says that they are not
RETRY = 2.0  # seconds between two looks at whether a daemon came or went
END = 2.0  # seconds that the watcher has to finish what it is writing


class Engine:
    """Calls methods of the Service by name, in the daemon or here; each returns JSON or raises OneBrainError.

    Cheap to make: settings, index and model are opened by the first call or by `start`, not before the handshake.
    Many threads may call.
    """

    def __init__(self, vault: Path | None, environ: Mapping[str, str]) -> None:
        self._vault, self._environ = vault, environ
        self._keeper = threading.Thread(target=self._keep, name="keeps the index fresh", daemon=True)
        self._begun, self._ended = threading.Event(), threading.Event()
        self._lock, self._speaking = threading.Lock(), threading.Lock()
        self._brain: Brain | None = None
        self._watch: Watch | None = None
        self._client: Client | None = None
        self._stage, self._progress = "", "starting"
        self._distrusted = ""  # why the daemon that runs is not asked
        self._trouble: OneBrainError | None = None

    def start(self) -> None:
        """Begin to keep the index fresh and to load the model, in a thread of its own; once."""
        with self._lock:
            if self._keeper.ident is None:
                self._keeper.start()

    def close(self) -> None:
        """End the watcher, or leave it when it does not end in time: whatever it writes can be cut off."""
        self._ended.set()
        ending = threading.Thread(target=self._rest, daemon=True)
        ending.start()
        ending.join(END)

    def folder(self) -> Path:
        """Return the vault's state folder. Raises ConfigError."""
        return self._open().folder

    def call(self, method: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the daemon or the Service here answers; `places` is a method of ours. Raises OneBrainError."""
        self.start()
        brain = self._open()
        if method == "places":
            from onebrain_search.mcp.places import places

            return places(brain.config)
        found = self._by_daemon(brain, method, request)
        return self._answered(brain, method, request) if found is None else found

    def _by_daemon(self, brain: Brain, method: str, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return what the daemon answers, None when there is none or it just ended."""
        with self._speaking:
            if self._client is None:
                from onebrain_search.client import reach

                self._client, self._distrusted = reach(brain.folder)
            if self._client is None:
                return None
            try:
                found: dict[str, Any] = getattr(self._client, method)(request)
            except Unreachable:
                self._client = None
                return None
        return _told(found, "daemon", "", brain) if method == "status" else found

    def _answered(self, brain: Brain, method: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer with the Brain of this process. Raises StoreError with how far the index is while there is none."""
        from onebrain_search.service import Service

        service = Service(brain)
        if method == "status":
            engine = f"in this process: {self._distrusted}" if self._distrusted else "in this process"
            return _told(self._status(brain), engine, self._indexing, brain)
        notes = self._settled(brain) if method != "get" else []
        found: dict[str, Any] = getattr(service, method)(request)
        return {**found, "notes": [*found["notes"], *notes]} if "notes" in found else found

    def _status(self, brain: Brain) -> dict[str, Any]:
        """Return the status, of a vault without index as long as the first one is made."""
        from onebrain_search.service import Service

        try:
            return Service(brain).status()
        except StoreError:
            if not self._indexing:
                raise
            return {"version": 1, "vault": str(brain.config.vault), "state": str(brain.folder), "exists": False}

    def _settled(self, brain: Brain) -> list[str]:
        """Wait until the index has followed the files, as long as that may take; return what to say where it has not.

        Raises StoreError while there is no index.
        """
        there = self._has_index(brain)
        if not there:
            self._begun.wait(PATIENCE)
        watch, said = self._watch, list[str]()
        if watch is not None:
            standing = watch.standing
            if there and standing.mode in ("unreachable", "failing"):
                said = [standing.why]
            elif standing.mode == "polling" or not there:
                watch.look()
            if not watch.settle(SETTLE if there else PATIENCE) and not said:
                said = ["changes are still being taken in"]
        if there or self._has_index(brain):
            return [f"answered from the last finished index: {line}" for line in said]
        if watch is not None and watch.standing.mode in ("unreachable", "failing"):
            raise StoreError(watch.standing.why)
        where = str(brain.config.vault)
        raise self._trouble or StoreError(self._indexing or "indexing", where=where, fix="ask again in a moment")

    def _open(self) -> Brain:
        """Return the Brain of this process, opened as the command line does it. Raises ConfigError."""
        with self._lock:
            if self._brain is None:
                from onebrain_search import config
                from onebrain_search.brain import Brain

                settings = config.load(self._vault, environ=self._environ)
                self._brain = Brain(settings, self._environ, apart=True)
                self._trouble = None
            return self._brain

    def _has_index(self, brain: Brain) -> bool:
        """Whether there is an index to answer from; an empty one that was never filled is none."""
        from indexer.snapshot import exists

        try:
            return exists(brain.folder) and (not self._indexing or brain.snapshot().counts()["documents"] > 0)
        except StoreError:
            return False  # it is just being made, or made anew

    def _keep(self) -> None:
        """Watch the vault while no daemon and no other process does; what fails is told by the calls."""
        while not self._ended.is_set():
            try:
                self._trouble = None
                self._keep_once(self._open())
            except Busy:
                self._progress = "another process is indexing"
                if self._has_index(self._open()):
                    self._progress = ""  # it is kept fresh there
            except OneBrainError as error:
                self._trouble = error
            self._begun.set()
            self._ended.wait(RETRY)

    def _keep_once(self, brain: Brain) -> None:
        """Begin to watch, or leave that to the daemon. Raises Busy and what watching raises."""
        if _daemon_lives(brain.folder):
            self._progress = ""
            self._rest()
        elif self._watch is None:
            watch = brain.watch(progress=self._advance)
            watch.start()
            self._watch = watch
            self._begun.set()
            brain.embedder()

    def _rest(self) -> None:
        """End the watcher."""
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.stop()

    @property
    def _indexing(self) -> str:
        """How far an index run is, empty when every change can be found by words and no vectors are made."""
        watch = self._watch
        settled = watch is not None and self._stage != "vectors" and watch.settle(0.0)
        return "" if settled else self._progress

    def _advance(self, stage: str, done: int, total: int) -> None:
        """Keep how far an index run is."""
        share = f"indexing, {100 * done // total}%" if total else "indexing"
        finished = stage == "vectors" and done >= total
        counted = f"{done} of {total}" if total else str(done)
        self._stage = stage
        self._progress = "" if finished else f"{share} ({STAGES.get(stage, stage)}: {counted})"


def _daemon_lives(folder: Path) -> bool:
    """Whether a daemon keeps the index of a state folder."""
    from onebrain_search.client import connect

    client = connect(folder)
    if client is not None:
        client.close()
    return client is not None


def _told(status: dict[str, Any], engine: str, indexing: str, brain: Brain) -> dict[str, Any]:
    """Return the status with who answers, how far indexing is, and what can be named as a collection."""
    from onebrain_search.mcp.places import places

    known = places(brain.config)
    collections = [*known["vault"], *known["code"], *known["folders"]]
    return {**status, "engine": engine, "indexing": indexing, "collections": collections}


def of(vault: Path | None) -> Engine:
    """Return the engine for a vault named on the command line, None for the one that the environment names."""
    return Engine(vault, os.environ)
