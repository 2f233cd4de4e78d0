"""Ask a running daemon over HTTP; imports nothing heavy, so that a whole command takes a tenth of a second."""

from __future__ import annotations

import http.client
import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from indexer import errors
from onebrain_search import presence
from onebrain_search.presence import PROTOCOL, Presence

if TYPE_CHECKING:
    import subprocess

HANDSHAKE_SECONDS = 2.0  # a daemon answers its health from memory, also while it is busy
ANSWER_SECONDS = 40.0  # longer than the daemon itself lets a question take, and less than agents wait
IDLE_SECONDS = 20.0  # after which a connection is made anew: the daemon lets go of one after 30
START_SECONDS = 60.0  # until a daemon that was started listens, on a slow disk; one that fails says so before
STOP_SECONDS = 60.0  # until it has answered what was asked before, and is gone
DETACHED = 0x208 if os.name == "nt" else 0  # no console, and a group of its own; elsewhere a session does it
LOG = "daemon.log"  # in the state folder: what the newest daemon said, without questions or notes

Shape = dict[str, Any]
Request = Mapping[str, Any]


def connect(state_folder: Path) -> Client | None:
    """Return a client of the daemon that serves the vault of a state folder, None when there is none to trust."""
    return reach(state_folder)[0]


def reach(state_folder: Path) -> tuple[Client | None, str]:
    """Return a client of the daemon that serves the vault of a state folder, or why the one that runs is not asked.

    The one who listens must prove to know the token, which is never sent to it before: a stale file, a process number
    or a port in other hands is no daemon, and there is nothing to say of it.
    """
    found = presence.read(state_folder)
    if found is None:
        return None, ""
    client = Client(found)
    if found.protocol == PROTOCOL and client.is_alive():
        return client, ""
    client.close()
    from indexer.state import process_start

    if process_start(found.pid) != found.started:
        return None, ""
    if found.protocol != PROTOCOL:
        why = "is of another version of this program"
    else:
        why = f"does not know the token of {presence.FILE}" if client.was_answered else "does not answer"
    return None, f"the daemon {why} (process {found.pid}); end it with `stop`"


def wait_for(state_folder: Path, seconds: float = START_SECONDS) -> Client | None:
    """Return a client of a daemon that is just starting, None when none answers in time or it is not to be asked."""
    until = time.monotonic() + seconds
    while True:
        client, why = reach(state_folder)
        if client is not None or why or time.monotonic() > until:
            return client
        time.sleep(0.02)


def launch(vault: Path, state_folder: Path, options: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    """Start a daemon as a process of its own, which outlives this one; what it says goes to `daemon.log`.

    Raises StoreError when the state folder cannot be written.
    """
    import subprocess

    code = "from onebrain_search.cli import main; main()"
    command = [sys.executable, "-P", "-c", code, "serve", "--foreground", "--vault", str(vault), *options]
    try:
        state_folder.mkdir(parents=True, exist_ok=True)
        with (state_folder / LOG).open("wb") as log:
            return subprocess.Popen(
                command, cwd=state_folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, creationflags=DETACHED,
                start_new_session=True,
            )  # fmt: skip
    except OSError as error:
        from indexer.state import unwritable

        raise unwritable(state_folder, error) from error


def start(vault: Path, state_folder: Path, options: Sequence[str] = ()) -> tuple[Presence, bool]:
    """Return the daemon of a vault, and whether it was started now. Raises DaemonError when it does not come up."""
    client, why = reach(state_folder)
    if client is not None:
        client.close()
        return client.daemon, False
    if why:
        raise errors.DaemonError(why)
    process = launch(vault, state_folder, options)
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        ended = process.poll() is not None
        if client := connect(state_folder):
            client.close()
            return client.daemon, not ended if os.name == "nt" else client.daemon.pid == process.pid
        if ended:
            said = (state_folder / LOG).read_text("utf-8", "replace").strip().rpartition("\n")[2]
            raise errors.DaemonError("the daemon did not start", where=said.removeprefix("error: "))
        time.sleep(0.02)
    fix = f"see {state_folder / LOG}, or try `serve --foreground`"
    raise errors.DaemonError("the daemon does not answer yet", where=f"process {process.pid}", fix=fix)


def stop(state_folder: Path) -> Presence | None:
    """End the daemon of a vault and return it, None when there is none. Raises DaemonError when it does not end."""
    from indexer.state import process_start

    found = presence.read(state_folder)
    if found is None or process_start(found.pid) != found.started:
        return None  # a file left behind: whatever process has that number now is a stranger
    client = connect(state_folder)
    if client is None:
        os.kill(found.pid, signal.SIGTERM)  # it lives, and does not answer
    else:
        client.stop()
        client.close()
    until = time.monotonic() + STOP_SECONDS
    while process_start(found.pid) == found.started:
        if time.monotonic() > until:
            raise errors.DaemonError("the daemon does not end", where=f"process {found.pid}", fix="end that process")
        time.sleep(0.02)
    return found


class Client:
    """A connection to one daemon; its methods take the fields and return the objects of `Service`.

    They raise what the daemon raised, DaemonError when it refused, Unreachable when it went away.
    """

    def __init__(self, daemon: Presence) -> None:
        self.daemon = daemon
        self._connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=HANDSHAKE_SECONDS)
        self._used = 0.0
        self.was_answered = False  # when it was last asked whether it lives, by whomever

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def is_alive(self) -> bool:
        """Whether the daemon of this vault listens on a new connection, and knows the token."""
        challenge = os.urandom(16).hex()
        self.close()
        self._connection.timeout = HANDSHAKE_SECONDS
        self.was_answered = False
        try:
            self._connection.request("GET", f"/health?challenge={challenge}")
            said = self._connection.getresponse().read(4096)
            self.was_answered = True
            found = json.loads(said)
        except (OSError, http.client.HTTPException, ValueError):
            return False
        self._used = time.monotonic()
        wanted = {"protocol": PROTOCOL, "vault_id": self.daemon.vault_id, "proof": self.daemon.proof(challenge)}
        return isinstance(found, dict) and wanted.items() <= found.items()

    def search(self, request: Request) -> Shape:
        """Return the best passages for `query`."""
        return self._post("search", request)

    def ask(self, request: Request) -> Shape:
        """Return the answer to `question`."""
        return self._post("ask", request)

    def get(self, request: Request) -> Shape:
        """Return the lines that `address` names."""
        return self._fetch("get", request)

    def related(self, request: Request) -> Shape:
        """Return the notes related to the one at `path`."""
        return self._fetch("related", request)

    def status(self, request: Request | None = None) -> Shape:
        """Return what the index holds, and how the daemon is."""
        return self._fetch("status", request or {})

    def reindex(self, request: Request | None = None) -> Shape:
        """Bring the index up to date, however long it takes."""
        return self._post("reindex", request or {}, seconds=None)

    def stop(self) -> Shape:
        """Tell the daemon to end when it has answered what it was asked."""
        return self._post("stop", {})

    def events(self) -> Iterator[tuple[str, Shape]]:
        """Yield (name, data) of what happens in the daemon, until it ends."""
        response = self._open("GET", "/v1/events", seconds=None)
        name = ""
        for raw in response:
            line = raw.decode().rstrip("\r\n")
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                yield name, json.loads(line[6:])

    def _fetch(self, name: str, request: Request) -> Shape:
        """Send a request whose fields stand in its address."""
        fields = urlencode({key: value for key, value in request.items() if value is not None})
        return self._read(self._open("GET", f"/v1/{name}?{fields}"))

    def _post(self, name: str, request: Request, *, seconds: float | None = ANSWER_SECONDS) -> Shape:
        """Send a request whose fields stand in its body."""
        return self._read(self._open("POST", f"/v1/{name}", json.dumps(request), seconds=seconds))

    def _open(
        self, method: str, path: str, body: str | None = None, *, seconds: float | None = ANSWER_SECONDS
    ) -> http.client.HTTPResponse:
        """Send a request and return the answer when it begins."""
        gone = errors.Unreachable("the daemon went away", where=f"port {self.daemon.port}", fix="ask again")
        headers = {"Authorization": f"Bearer {self.daemon.token}", "Content-Type": "application/json"}
        idle = time.monotonic() - self._used > IDLE_SECONDS
        if (idle or self._connection.sock is None) and not self.is_alive():
            raise gone
        try:
            self._connection.sock.settimeout(seconds)
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
        except TimeoutError as error:
            self.close()
            raise errors.DaemonError(
                f"no answer in {seconds:.0f} s", where=path, fix="ask again, or `stop`"
            ) from error
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise gone from error
        self._used = time.monotonic()
        if response.status != http.client.OK:
            raise self._refusal(response)
        return response

    def _read(self, response: http.client.HTTPResponse) -> Shape:
        """Return the object of an answer."""
        try:
            found: Shape = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            what = "the daemon went away in the middle of an answer"
            raise errors.Unreachable(what, where=f"port {self.daemon.port}", fix="ask again") from error
        return found

    def _refusal(self, response: http.client.HTTPResponse) -> errors.OneBrainError:
        """Return the error that an answer tells: of the same kind as the daemon raised, where it says which."""
        told = self._read(response).get("error", {})
        kind: type[errors.OneBrainError] = getattr(errors, str(told.get("kind")), errors.DaemonError)
        what = told.get("what") or f"the daemon answered {response.status}"
        return kind(what, where=told.get("where", ""), fix=told.get("fix", ""))
