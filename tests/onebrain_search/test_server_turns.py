"""Requests wait for their turn: lanes, newer ones before older ones of the same client, limits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from onebrain_search.server.refusal import Refusal
from onebrain_search.server.turns import MOST_WAITING, Turns


async def until_waiting(turns: Turns, count: int) -> None:
    """Return when so many requests wait or are being done."""
    while turns.count < count:
        await asyncio.sleep(0)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run it to its end."""
    return asyncio.run(work)


def test_a_newer_request_of_a_client_drops_its_older_ones() -> None:
    """What has begun is finished, what waits is dropped with 409, the newest and other clients are answered."""

    async def work() -> list[Any]:
        """Ask five times while the lane is held up."""
        turns, free, done = Turns({"quick": 1}), threading.Event(), list[str]()

        def job(name: str) -> dict[str, Any]:
            """Note that it was done, when the lane is free."""
            free.wait()
            done.append(name)
            return {"name": name}

        asked = []
        for n, (name, client) in enumerate(
            [("begun", "a"), ("old", "a"), ("other", "b"), ("none", ""), ("new", "a")]
        ):
            asked.append(asyncio.create_task(turns.take("quick", lambda name=name: job(name), client=client)))  # type: ignore[misc]
            await until_waiting(turns, n + 1 if n < 4 else 4)
        while not asked[1].done():
            await asyncio.sleep(0)
        free.set()
        found = await asyncio.gather(*asked, return_exceptions=True)
        turns.end()
        return [done, *found]

    done, begun, old, other, none, new = run(work())
    assert done == ["begun", "other", "none", "new"]
    assert isinstance(old, Refusal)
    assert (old.status, old.overtaken) == (409, True)
    assert [shape["name"] for shape in (begun, other, none, new)] == ["begun", "other", "none", "new"]


def test_lanes_do_not_wait_for_each_other() -> None:
    """A quick request is answered while a thorough one goes on."""

    async def work() -> Any:
        """Hold up one lane and ask on the other."""
        turns, free = Turns({"quick": 1, "thorough": 1}), threading.Event()
        slow = asyncio.create_task(turns.take("thorough", lambda: {"free": free.wait()}))
        found = await turns.take("quick", lambda: {"quick": True})
        assert not slow.done()
        free.set()
        await slow
        turns.end()
        return found

    assert run(work()) == {"quick": True}


def test_what_takes_too_long_is_refused() -> None:
    """With 504, so that nobody waits for ever."""

    async def work() -> None:
        """Ask for what does not come."""
        turns, free = Turns({"quick": 1}), threading.Event()
        try:
            await turns.take("quick", lambda: {"free": free.wait()}, seconds=0.01)
        finally:
            free.set()
            turns.end()

    with pytest.raises(Refusal) as refused:
        run(work())
    assert refused.value.status == 504


def test_a_request_that_nobody_waits_for_is_dropped() -> None:
    """When its client has gone before its turn came."""

    async def work() -> list[str]:
        """Go away while waiting."""
        turns, free, done = Turns({"quick": 1}), threading.Event(), list[str]()
        first = asyncio.create_task(turns.take("quick", lambda: {"free": free.wait()}))
        second = asyncio.create_task(turns.take("quick", lambda: {"done": done.append("second")}, client="a"))
        await until_waiting(turns, 2)
        second.cancel()
        await asyncio.wait([second])
        assert second.cancelled()
        free.set()
        await first
        await turns.take("quick", lambda: {"done": done.append("third")}, client="a")
        turns.end()
        return done

    assert run(work()) == ["third"]


def test_too_many_that_wait_are_refused() -> None:
    """With 503; the queue does not grow without end."""

    async def work() -> None:
        """Fill the lane, and ask once more."""
        turns, free = Turns({"quick": 1}), threading.Event()
        waiting = [asyncio.create_task(turns.take("quick", lambda: {"f": free.wait()})) for _ in range(MOST_WAITING)]
        await until_waiting(turns, MOST_WAITING)
        try:
            with pytest.raises(Refusal) as refused:
                await turns.take("quick", dict)
            assert refused.value.status == 503
        finally:
            free.set()
            await asyncio.gather(*waiting)
            turns.end()

    run(work())
