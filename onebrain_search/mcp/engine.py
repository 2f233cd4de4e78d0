"""Who answers an agent: the vault's daemon when one runs, else a Brain of this process, kept fresh by a thread."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.errors import Busy, OneBrainError, StoreError, Unreachable

if TYPE_CHECKING:
    from onebrain_search.brain import Brain
    from onebrain_search.client import Client
    from onebrain_search.service import Service

STAGES = {
    "model": "unpacking the multilingual model",
    "scan": "looking for notes",
    "lexical": "reading notes",
    "vectors": "making vectors",
}
PATIENCE = 2.0  # seconds that a question waits for the first index of a small vault, before it says how far that is
LOOK = 0.25  # seconds that a question waits for a look at the files; one at 6,500 notes takes .1 s


class Engine:
    """Calls methods of the Service by name, in the daemon or here; each returns JSON or raises OneBrainError.

    Cheap to make: settings, index and model are opened by the first call or by `start`, not before the handshake.
    """

    def __init__(self, vault: Path | None, environ: Mapping[str, str]) -> None:
        self._vault, self._environ = vault, environ
        self._asking = ThreadPoolExecutor(1, thread_name_prefix="asks")  # Brain and Client belong to one thread
        self._keeper = threading.Thread(target=self._keep, name="keeps the index fresh", daemon=True)
        self._asked, self._looked, self._finished = threading.Event(), threading.Event(), threading.Event()
        self._stopping = threading.Event()
        self._starting = threading.Lock()
        self._brain: Brain | None = None
        self._client: Client | None = None
        self._progress = "starting"
        self._trouble: OneBrainError | None = None

    def start(self) -> None:
        """Begin to index and to load the model, in threads of their own; once."""
        with self._starting:
            if self._keeper.ident is None:
                self._keeper.start()
                self._asking.submit(self._warm)

    def close(self) -> None:
        """End the threads as soon as they can."""
        self._stopping.set()
        self._asked.set()
        self._asking.shutdown(wait=False, cancel_futures=True)

    def call(self, method: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the daemon or the Service here answers. Raises OneBrainError."""
        self.start()
        return self._asking.submit(self._call, method, request).result()

    def folder(self) -> Path:
        """Return the vault's state folder. Raises ConfigError."""
        return self._asking.submit(self._open).result().folder

    def _call(self, method: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer in the daemon if one runs, else here; `places` is a method of ours."""
        brain = self._open()
        if method == "places":
            from onebrain_search.mcp.places import places

            return places(brain.config)
        client = self._daemon(brain)
        if client is not None:
            try:
                found: dict[str, Any] = getattr(client, method)(request)
                return _told(found, "daemon", "", brain) if method == "status" else found
            except Unreachable:
                self._client = None  # it ended in between: answer here
        return self._answered(brain, method, request)

    def _answered(self, brain: Brain, method: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer with the Brain of this process. Raises StoreError with how far the index is while there is none."""
        from onebrain_search.service import Service as Here

        service = Here(brain)
        if method == "status":
            return _told(self._status(brain, service), "in this process", self._progress, brain)
        if method != "get":
            self._made_ready(brain)
        found: dict[str, Any] = getattr(service, method)(request)
        if "notes" in found:
            stale = [f"answered from the last finished index: {self._trouble}"] if self._trouble else []
            found["notes"] = [*found["notes"], *stale, *filter(None, [self._progress])]
        return found

    def _status(self, brain: Brain, service: Service) -> dict[str, Any]:
        """Return the status, of a vault without index as long as the first one is made."""
        try:
            return service.status()
        except StoreError:
            if not self._progress:
                raise
            return {"version": 1, "vault": str(brain.config.vault), "state": str(brain.folder), "exists": False}

    def _made_ready(self, brain: Brain) -> None:
        """Wait for a look at the files, as long as one takes. Raises StoreError while there is no index."""
        self._looked.clear()
        self._asked.set()
        if not self._has_index(brain):
            self._looked.wait(PATIENCE)
            if not self._has_index(brain):
                raise self._trouble or StoreError(
                    self._progress, where=str(brain.config.vault), fix="ask again in a moment"
                )
        elif self._finished.is_set():
            self._looked.wait(LOOK)

    def _open(self) -> Brain:
        """Return the Brain of this process, opened at the first call. Raises ConfigError."""
        if self._brain is None:
            self._brain = self._opened()
        return self._brain

    def _opened(self) -> Brain:
        """Open the vault as the command line does: the very folder that is named, or the one we are in."""
        from onebrain_search import config
        from onebrain_search.brain import Brain

        return Brain(config.load(self._vault, environ=self._environ), self._environ)

    def _daemon(self, brain: Brain) -> Client | None:
        """Return a connection to the vault's daemon, None when there is none."""
        if self._client is None:
            from onebrain_search.client import connect

            self._client = connect(brain.folder)
        return self._client

    def _has_index(self, brain: Brain) -> bool:
        """Whether there is an index to answer from; an empty one that was never filled is none."""
        from indexer.snapshot import exists

        if not self._progress and self._trouble is None:
            return exists(brain.folder)
        try:
            return exists(brain.folder) and brain.snapshot().counts()["documents"] > 0
        except StoreError:
            return False  # it is just being made, or made anew

    def _warm(self) -> None:
        """Load what the first question needs; what fails here is told by the first call."""
        try:
            brain = self._open()
            if self._daemon(brain) is None:
                brain.embedder()
        except OneBrainError:
            return

    def _keep(self) -> None:
        """Bring the index up to date at the start and whenever it is asked, unless a daemon does it."""
        while not self._stopping.is_set():
            self._look()
            self._finished.set()
            self._looked.set()
            self._asked.wait()
            self._asked.clear()

    def _look(self) -> None:
        """Bring the index up to date once; what goes wrong is told with the next answer."""
        try:
            brain = self._opened()
            if not _daemon_lives(brain.folder):
                brain.index(progress=self._advance)
            self._progress, self._trouble = "", None
        except Busy:
            self._progress, self._trouble = "another process is indexing", None
        except OneBrainError as error:
            self._progress, self._trouble = "", error

    def _advance(self, stage: str, done: int, total: int) -> None:
        """Keep how far an index run is, for whoever asks; a look at the files for changes is no news."""
        if stage == "scan" and not self._progress:
            return
        share = f"indexing, {100 * done // total}%" if total else "indexing"
        self._progress = f"{share} ({STAGES.get(stage, stage)}: {done}{f' of {total}' if total else ''})"


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
