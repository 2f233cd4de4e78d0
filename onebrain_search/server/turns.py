"""Requests wait for their turn on a few threads; a newer one of the same client takes the place of older ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from onebrain_search.server.refusal import Refusal

SECONDS = 30.0  # that an answer may take, waiting included
MOST_WAITING = 500  # on one lane: ten a second for as long as an answer may take, and far more than a person needs

Shape = dict[str, Any]


class Turns:
    """Lanes, each of some threads: what is quick is not kept waiting by what is thorough."""

    def __init__(self, lanes: Mapping[str, int]) -> None:
        self._lanes = {name: ThreadPoolExecutor(count, thread_name_prefix=name) for name, count in lanes.items()}
        self._jobs: dict[str, set[Future[Shape]]] = {name: set() for name in lanes}  # that wait or are being done
        self._latest: dict[str, Future[Shape]] = {}

    async def take(
        self, lane: str, job: Callable[[], Shape], *, client: str = "", seconds: float | None = SECONDS
    ) -> Shape:
        """Return what a job returns, or raise what it raises, when it had its turn.

        Raises Refusal: 409 when a newer request of the client overtook it before, 503 when too many wait, 504 when it
        takes too long.
        """
        if len(self._jobs[lane]) >= MOST_WAITING:
            raise Refusal(503, "too many requests are waiting", fix="ask again later")
        future = self.submit(lane, job)
        try:
            if client:
                self._overtake(client, future)
            async with asyncio.timeout(seconds):
                return await asyncio.wrap_future(future)
        except TimeoutError as error:
            raise Refusal(504, f"this took more than {seconds:.0f} s", fix="ask for less, or again later") from error
        except asyncio.CancelledError:
            if client and self._latest.get(client) is not future:
                raise Refusal(409, "a newer request of this client came", overtaken=True) from None
            raise  # the one who asked has gone
        finally:
            if self._latest.get(client) is future:
                del self._latest[client]

    def submit(self, lane: str, job: Callable[[], Shape]) -> Future[Shape]:
        """Queue a job behind what waits on its lane."""
        future = self._lanes[lane].submit(job)
        self._jobs[lane].add(future)
        future.add_done_callback(self._jobs[lane].discard)
        return future

    def _overtake(self, client: str, future: Future[Shape]) -> None:
        """Make a request the newest of its client; the one before is dropped unless it has begun."""
        older = self._latest.get(client)
        self._latest[client] = future
        if older is not None:
            older.cancel()

    @property
    def count(self) -> int:
        """How many requests wait or are being done."""
        return sum(map(len, self._jobs.values()))

    def end(self) -> None:
        """Take no more, and drop what waits."""
        for lane in self._lanes.values():
            lane.shutdown(wait=False, cancel_futures=True)
