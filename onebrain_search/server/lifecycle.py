"""One daemon from its start to its end: the lock of the vault, the socket, the state file, signals and idleness."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType

from indexer.errors import Busy, DaemonError
from indexer.state import SERVE, locked, process_start
from onebrain_search import client as clients
from onebrain_search import places
from onebrain_search import presence as presences
from onebrain_search.config import Config
from onebrain_search.presence import Presence
from onebrain_search.server import app
from onebrain_search.server.daemon import Daemon

DRAIN_SECONDS = 10  # that what was asked before the end has for its answer
CHECK_SECONDS = 5.0  # between two looks at whether it can still be found
KEEP_SECONDS = 30  # that a connection may be idle
MOST_AT_ONCE = 500  # connections
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)]

Ready = Callable[[Presence], None]


def serve(config: Config, environ: Mapping[str, str], *, port: int, idle: float, ready: Ready) -> None:
    """Serve a vault until a signal, `stop`, or `idle` seconds without a request (0: without such an end).

    `ready` is called when it listens. Raises Busy when another daemon serves the vault, DaemonError when the port is
    taken, StoreError when the state folder cannot be written.
    """
    folder = places.state_folder(config.vault, environ, state=config.state)
    try:
        with locked(folder, 0.0, SERVE), closing(_listener(port)) as listener:
            own = Presence(
                listener.getsockname()[1], secrets.token_urlsafe(32), os.getpid(), process_start(os.getpid()) or 0.0,
                str(config.vault), presences.own_version(),
            )  # fmt: skip
            daemon = Daemon(config, environ, own)
            asyncio.run(_run(daemon, listener, folder, idle, ready))
            if not daemon.end():
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(0)  # an index run goes on, and nothing but its process ends it: the next one takes it up
    except Busy as error:
        other = clients.wait_for(folder)
        if other is None:
            raise
        other.close()
        where = f"process {other.daemon.pid}, port {other.daemon.port}"
        raise Busy("a daemon serves this vault already", where=where, fix="use it, or end it with `stop`") from error


async def _run(daemon: Daemon, listener: socket.socket, folder: Path, idle: float, ready: Ready) -> None:
    """Answer requests until the end."""
    import uvicorn

    loop, ended = asyncio.get_running_loop(), asyncio.Event()

    class Server(uvicorn.Server):
        """Announces itself, then waits without waking up now and then."""

        async def main_loop(self) -> None:
            await self.on_tick(0)
            presences.announce(folder, daemon.presence)
            ready(daemon.presence)
            background.append(asyncio.create_task(_wait_for_the_end(daemon, folder, idle, ended)))
            background.append(asyncio.create_task(daemon.keep_fresh()))
            await ended.wait()
            presences.withdraw(folder, daemon.presence)
            daemon.events.end()

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            with _on_signals(lambda: loop.call_soon_threadsafe(self.told_to_end)):
                yield

        def told_to_end(self) -> None:
            self.force_exit = ended.is_set()  # twice: at once
            ended.set()

    settings = uvicorn.Config(
        app.make(daemon, ended.set), log_config=None, access_log=False, lifespan="off", ws="none", date_header=False,
        server_header=False, limit_concurrency=MOST_AT_ONCE, timeout_graceful_shutdown=DRAIN_SECONDS,
        timeout_keep_alive=KEEP_SECONDS,
    )  # fmt: skip
    background: list[asyncio.Task[None]] = []
    try:
        await Server(settings).serve([listener])
    finally:
        presences.withdraw(folder, daemon.presence)
        for task in background:
            task.cancel()


def _listener(port: int) -> socket.socket:
    """Return a socket that listens on a port of this machine alone, on a free one for 0. Raises DaemonError."""
    # Named as TCP: only then does asyncio switch off the delay that costs an answer on a kept connection 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if sys.platform == "win32":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)  # else another program may share it
    else:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port whose last connections just ended
    try:
        listener.bind(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        listener.close()
        fix = "end the program that uses it, or name another one with --port (0: any that is free)"
        raise DaemonError(f"port {port} is taken", where=str(error), fix=fix) from error
    return listener


@contextmanager
def _on_signals(act: Callable[[], object]) -> Iterator[None]:
    """Act when a signal tells this process to end."""

    def handler(number: int, frame: FrameType | None) -> None:
        """Act on a signal."""
        act()

    before = {each: signal.signal(each, handler) for each in SIGNALS}
    try:
        yield
    finally:
        for each, what in before.items():
            signal.signal(each, what)


async def _wait_for_the_end(daemon: Daemon, folder: Path, idle: float, ended: asyncio.Event) -> None:
    """End the daemon when nobody has asked for long, or when its state file is no more: nobody could find it."""
    while presences.read(folder) == daemon.presence:
        left = idle - daemon.idle_seconds() if idle else CHECK_SECONDS
        if left <= 0:
            break
        await asyncio.sleep(min(left, CHECK_SECONDS))
    ended.set()
