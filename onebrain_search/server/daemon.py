"""What one daemon holds: the vault's Brains, a lane of work for each, and the news of what happens to the index."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from contextlib import suppress
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

# What is quick is not kept waiting by what is thorough, and nobody waits for the one who writes. Each lane has a
# Brain of its own: they share files and nothing else.
QUICK, THOROUGH, WRITING = "quick", "thorough", "writing"
LANE = {"get": QUICK, "status": QUICK, "reindex": WRITING}
TELL_EVERY = 0.1  # seconds between two events of progress

Shape = dict[str, Any]


class Daemon:
    """Answers requests about one vault, from threads of its own."""

    def __init__(self, config: Config, environ: Mapping[str, str], presence: Presence) -> None:
        self.config, self.presence = config, presence
        self.events = Events()
        self.turns = Turns(QUICK, THOROUGH, WRITING)
        self.services = {lane: Service(Brain(config, environ)) for lane in (QUICK, THOROUGH, WRITING)}
        self.since = self.last_asked = time.monotonic()
        self._fresh: asyncio.Task[None] | None = None
        self._told = 0.0

    async def asked(self, name: str, fields: Mapping[str, Any]) -> Shape:
        """Return the answer to a request, by the names and fields of Service. Raises what it raises, and Refusal."""
        understood(name, fields)  # what is not understood need not wait
        self.last_asked = time.monotonic()
        lane = QUICK if fields.get("stage") == "lexical" else LANE.get(name, THOROUGH)
        service = self.services[lane]
        if name == "reindex":
            return await self._reindexed(fields)
        if name in ("search", "ask", "related"):
            await self._made_ready()
        client = fields.get("client") or ""
        found = await self.turns.take(lane, partial(getattr(service, name), fields), client=client)
        self.last_asked = time.monotonic()
        return {**found, "daemon": self.status()} if name == "status" else found

    def status(self) -> Shape:
        """Return how the daemon itself is."""
        return {
            "pid": os.getpid(),
            "port": self.presence.port,
            "version": self.presence.version,
            "seconds": round(time.monotonic() - self.since),
            "listeners": self.events.listeners,
        }

    def idle_seconds(self) -> float:
        """Return for how long nobody has asked, listened or waited."""
        if self.turns.count or self.events.listeners:
            self.last_asked = time.monotonic()
        return time.monotonic() - self.last_asked

    def end(self) -> bool:
        """Take no more; return whether nothing goes on any more."""
        self.turns.end()
        return not self.turns.count

    async def keep_fresh(self) -> None:
        """Look at the files at the start, so that the first who asks need not wait."""
        with suppress(OneBrainError):
            await self._made_ready()

    async def _reindexed(self, fields: Mapping[str, Any]) -> Shape:
        """Bring the index up to date, however long that takes."""
        job = partial(self.services[WRITING].reindex, fields, self._progress)
        report = await self.turns.take(WRITING, job, seconds=None)
        brain = self.services[WRITING].brain
        self.events.tell("changed", {"generation": brain.snapshot().generation, "paths": None})
        return report

    async def _made_ready(self) -> None:
        """Wait for the first look at the files, and for an index where there is none."""
        if self._fresh is None or (self._fresh.done() and not exists(self.services[WRITING].brain.folder)):
            self._fresh = asyncio.create_task(self._refreshed())
        await asyncio.shield(self._fresh)

    async def _refreshed(self) -> None:
        """Bring the words of the index up to date."""
        await self._reindexed({"vectors": False})

    def _progress(self, stage: str, done: int, total: int) -> None:
        """Tell how far an index run is, now and then."""
        now = time.monotonic()
        if now - self._told > TELL_EVERY or done == total:
            self._told = now
            self.events.tell("progress", {"stage": stage, "done": done, "total": total})
