"""What happens in the daemon, told to everyone who listens, as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

KEEP_ALIVE = 15.0  # seconds of silence before a comment shows that the connection lives
MOST_UNREAD = 1000  # events kept for a listener that does not read; then it is let go and may come again


class Events:
    """A hub: any thread tells, every listener hears."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: set[asyncio.Queue[str | None]] = set()
        self._ended = False

    def tell(self, name: str, data: dict[str, Any]) -> None:
        """Send an event to all who listen now; costs nothing when nobody does."""
        if self._listeners and self._loop is not None:
            text = f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
            self._loop.call_soon_threadsafe(self._hand_out, text)

    @property
    def listeners(self) -> int:
        """How many listen."""
        return len(self._listeners)

    def end(self) -> None:
        """Let all listeners go, so that the server can end. To be called on the server's loop."""
        self._ended = True
        self._hand_out(None)

    async def heard(self, first: dict[str, Any]) -> AsyncIterator[str]:
        """Yield the text of events as they come, an event `status` with `first` before; comments keep it alive."""
        self._loop = asyncio.get_running_loop()
        queue: asyncio.Queue[str | None] = asyncio.Queue(MOST_UNREAD)
        self._listeners.add(queue)
        try:
            yield f"event: status\ndata: {json.dumps(first, ensure_ascii=False)}\n\n"
            while not self._ended:
                try:
                    text = await asyncio.wait_for(queue.get(), KEEP_ALIVE)
                except TimeoutError:
                    text = ": still here\n\n"
                if text is None:
                    return
                yield text
        finally:
            self._listeners.discard(queue)

    def _hand_out(self, text: str | None) -> None:
        """Give a text to every listener; one that has not read for long loses what waits, and is let go."""
        for queue in tuple(self._listeners):
            if queue.full():
                while not queue.empty():
                    queue.get_nowait()
                text = None
            queue.put_nowait(text)
