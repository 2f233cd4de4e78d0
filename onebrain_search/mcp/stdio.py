"""MCP over standard input and output: whatever is asked is answered, and the process ends when its client has gone.

The SDK's own reader passes over a line that it cannot read, for whose answer a client may wait for ever, and nothing
but the next line ends it.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn, cast

from onebrain_search.printable import whole

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.server.mcpserver import MCPServer
    from mcp.shared.message import SessionMessage
    from mcp.types import JSONRPCError, JSONRPCMessage

LAST = 15.0  # seconds for the answers to what was asked before the input ended, or a signal came
BLOCK = 65536  # bytes read at once
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def serve(server: MCPServer[Any], close: Callable[[], None]) -> NoReturn:
    """Serve until the input ends, a signal comes, or nobody reads the output; then `close`, and end this process.

    Threads may still work on answers that nobody waits for any more: an interpreter that ends waits for them.
    """

    async def run() -> NoReturn:
        """Serve, and end before the loop does, which waits, too."""
        await _serve(server._lowlevel_server)
        close()
        os._exit(0)

    asyncio.run(run())


async def _serve(server: Server[Any]) -> None:
    """Serve until the end."""
    from mcp.server.stdio import stdio_server
    from mcp.shared.message import SessionMessage

    lines = _lines()

    async def messages() -> AsyncIterator[str]:
        """Yield the lines that are messages, and answer the others."""
        async for line in lines:
            message, text, refusals = understood(line)
            if message is not None:
                answers.expect(message)
                yield text
            for refusal in refusals:
                await write.send(SessionMessage(refusal))
        await answers.complete()

    try:
        async with stdio_server(stdin=cast(Any, messages())) as (read, write):
            answers = _Answers(write)
            await server.run(read, answers, server.create_initialization_options())
    except* BrokenPipeError:
        pass  # the client does not read any more


class _Answers:
    """The stream of answers, which knows what is asked and not answered yet."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._asked: set[int | str] = set()
        self._answered = asyncio.Event()
        self._answered.set()

    def expect(self, message: JSONRPCMessage) -> None:
        """Note a request, or that one is not wanted any more."""
        from mcp.types import JSONRPCNotification, JSONRPCRequest

        if isinstance(message, JSONRPCRequest):
            self._asked.add(message.id)
            self._answered.clear()
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._done((message.params or {}).get("requestId"))

    async def complete(self) -> None:
        """Wait until nothing is to be answered any more."""
        await self._answered.wait()

    async def send(self, item: SessionMessage, /) -> None:
        """Send an answer."""
        await self._stream.send(item)
        self._done(getattr(item.message, "id", None))

    def _done(self, number: Any) -> None:
        """Note that there is nothing more to be said to a request."""
        self._asked = {each for each in self._asked if each != number}
        if not self._asked:
            self._answered.set()

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    async def __aenter__(self) -> _Answers:
        """Use it."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Close the stream."""
        await self.aclose()


def understood(line: bytes) -> tuple[JSONRPCMessage | None, str, list[JSONRPCError]]:
    """Return the message of a line with a text that the SDK can read, or the answers to what is none.

    Halves of characters, which no library takes, are replaced.
    """
    from mcp import types

    def refused(sent: Any, code: int, why: str) -> JSONRPCError:
        """Return the answer to something that is no message, with its id if it has one."""
        number = sent.get("id") if isinstance(sent, dict) else None
        kept = number if isinstance(number, (str, int)) and not isinstance(number, bool) else None
        return types.JSONRPCError(jsonrpc="2.0", id=kept, error=types.ErrorData(code=code, message=why))

    def message(text: str) -> JSONRPCMessage | None:
        """Return the message that the SDK makes of a text."""
        try:
            return types.jsonrpc_message_adapter.validate_json(text, by_name=False)
        except ValueError:
            return None

    text = line.decode("utf-8-sig", "replace")
    if (found := message(text)) is not None or not text.strip():
        return found, text, []
    try:
        sent = json.loads(text)
    except (ValueError, RecursionError):
        return None, "", [refused(None, types.PARSE_ERROR, "this line is no JSON that can be read")]
    text = whole(json.dumps(sent, ensure_ascii=False))
    if (found := message(text)) is not None:
        return found, text, []
    why = "this is no message: send one JSON-RPC request a line"
    each = sent if isinstance(sent, list) and sent else [sent]
    return None, "", [refused(one, types.INVALID_REQUEST, why) for one in each]


async def _lines() -> AsyncIterator[bytes]:
    """Yield the lines of standard input until its end or a signal; a second signal ends the process."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes] = asyncio.Queue()

    def put(line: bytes) -> None:
        """Hand a line over; nothing is the end, after which the process goes even where nobody reads its answers."""
        queue.put_nowait(line)
        if not line:
            loop.call_later(LAST, os._exit, 1)

    def end(number: int) -> None:
        """End, and let the next signal do what it does by itself."""
        loop.remove_signal_handler(number)
        put(b"")

    for number in SIGNALS:
        with suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(number, end, number)
    reading = threading.Thread(
        target=_read, args=(lambda line: loop.call_soon_threadsafe(put, line),), name="standard input", daemon=True
    )
    reading.start()
    while line := await queue.get():
        yield line


def _read(put: Callable[[bytes], object]) -> None:
    """Put every line of standard input, and nothing at its end; whatever else reads it from now on finds its end."""
    rest = b""
    with suppress(RuntimeError):  # nobody waits for lines any more
        with suppress(OSError):  # it is closed
            own = os.dup(0)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            while block := os.read(own, BLOCK):
                *lines, rest = (rest + block).split(b"\n")
                for line in lines:
                    put(line + b"\n")
        if rest:
            put(rest)
        put(b"")
