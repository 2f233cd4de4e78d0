"""What one daemon holds: the Brain that answers, the watcher that keeps its index fresh, and the news of that."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from indexer.errors import OneBrainError
from indexer.snapshot import exists
from onebrain_search.brain import Brain
from onebrain_search.config import Config
from onebrain_search.presence import Presence
from onebrain_search.server.events import Events
from onebrain_search.server.turns import Turns
from onebrain_search.service import Service, understood

# Nobody waits for something slower than what he asks for: half a word, a question, how things are, an index run. So
# each has threads of its own. Questions have four, because one that asks the web waits for it.
TYPING, ASKING, LOOKING, WRITING = "typing", "asking", "looking", "writing"
THREADS = {TYPING: 1, ASKING: 4, LOOKING: 1, WRITING: 1}
LANES = {"get": LOOKING, "status": LOOKING, "reindex": WRITING}

SETTLE_SECONDS = 1.0  # that a question waits for changes to be taken in; then it is answered and says so
FIRST_SECONDS = 25.0  # that it waits for the first look at the files, or the first index
RETRY_SECONDS = 5.0  # until the daemon tries again to watch, where another process does
END_SECONDS = 2.0  # that the watcher has to finish what it is writing
TELL_EVERY = 0.1  # seconds between two events of progress

Shape = dict[str, Any]


class Daemon:
    """Answers requests about one vault, from threads of its own. Raises ScanError for a whole home folder."""

    def __init__(self, config: Config, environ: Mapping[str, str], presence: Presence) -> None:
        self.presence = presence
        self.events = Events()
        self.turns = Turns(THREADS)
        self.brain = Brain(config, environ, apart=True)
        self.service = Service(self.brain)
        self.watch = self.brain.watch(on_change=self._changed, progress=self._progress)
        self.watching = False
        self._since = self._last_asked = time.monotonic()
        self._told = 0.0

    async def asked(self, name: str, fields: Mapping[str, Any]) -> Shape:
        """Return the answer to a request, by the names and fields of Service. Raises what it raises, and Refusal."""
        understood(name, fields)  # what is not understood need not wait
        self._last_asked = time.monotonic()
        if name == "reindex":
            return await self.turns.take(WRITING, partial(self._reindexed, fields), seconds=None)
        lane = TYPING if fields.get("stage") == "lexical" else LANES.get(name, ASKING)
        job = partial(self._answered, lane, name, fields)
        found = await self.turns.take(lane, job, client=fields.get("client") or "")
        return {**found, "daemon": self.status()} if name == "status" else found

    def status(self) -> Shape:
        """Return how the daemon itself is."""
        return {
            "pid": os.getpid(),
            "port": self.presence.port,
            "version": self.presence.version,
            "seconds": round(time.monotonic() - self._since),
            "listeners": self.events.listeners,
        }

    def idle_seconds(self) -> float:
        """Return for how long nobody has asked, listened or waited."""
        if self.turns.count or self.events.listeners:
            self._last_asked = time.monotonic()
        return time.monotonic() - self._last_asked

    async def keep_fresh(self) -> None:
        """Begin to watch as soon as no other process does, and load what the first question needs."""
        while not self.watching:
            try:
                await asyncio.to_thread(self.watch.start)
                self.watching = True
            except OneBrainError:  # another process watches and keeps the index fresh, or nothing can be written
                await asyncio.sleep(RETRY_SECONDS)
        await asyncio.wrap_future(self.turns.submit(ASKING, self._warmed))

    def end(self) -> bool:
        """Take no more requests and no more changes; return whether nothing goes on any more."""
        self.turns.end()
        if self.watching:
            ending = threading.Thread(target=self.watch.stop, daemon=True)
            ending.start()
            ending.join(END_SECONDS)
            return not ending.is_alive() and not self.turns.count
        return not self.turns.count

    # --- in the threads of the lanes ---------------------------------------------------------------------

    def _answered(self, lane: str, name: str, fields: Mapping[str, Any]) -> Shape:
        """Answer from the index as it is when the changes that were noticed are in it."""
        said = self._settled() if lane == ASKING else []
        found: Shape = getattr(self.service, name)(fields)
        return found | {"notes": [*found["notes"], *said]} if said and "notes" in found else found

    def _settled(self) -> list[str]:
        """Wait until the index has followed the files, and return what to say where it has not."""
        there = exists(self.brain.folder)
        standing = self.watch.standing
        if not self.watching and there:
            return []
        if standing.mode in ("unreachable", "failing") and there:
            return [f"answered from the last finished index: {standing.why}"]
        if standing.mode == "polling" or not there:
            self.watch.look()
        first = standing.mode == "starting" or not there
        if self.watch.settle(FIRST_SECONDS if first else SETTLE_SECONDS):
            return []
        return ["answered from the last finished index: changes are still being taken in"] if there else []

    def _warmed(self) -> Shape:
        """Load the model and the vectors, so that the first who asks need not wait for that."""
        try:
            return self._answered(ASKING, "search", {"query": "warm", "limit": 1})
        except OneBrainError:
            return {}  # who asks is told

    def _reindexed(self, fields: Mapping[str, Any]) -> Shape:
        """Bring the index up to date, however long that takes."""
        self.watch.pause_vectors()
        try:
            return self.service.reindex(fields, self._progress)
        finally:
            self.watch.pause_vectors(False)
            self._changed(self.brain.snapshot().generation, ())

    # --- in any thread -----------------------------------------------------------------------------------

    def _changed(self, generation: int, paths: tuple[str, ...]) -> None:
        """Tell of a new generation of the index, and which files it is about."""
        self.events.tell("changed", {"generation": generation, "paths": list(paths)})

    def _progress(self, stage: str, done: int, total: int) -> None:
        """Tell how far an index run is, now and then."""
        now = time.monotonic()
        if now - self._told > TELL_EVERY or done == total:
            self._told = now
            self.events.tell("progress", {"stage": stage, "done": done, "total": total})
