"""A daemon from start to end: one a vault, found only if it proves itself, ended in good order."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from indexer.errors import DaemonError, Unreachable
from indexer.state import process_start
from onebrain_search import Brain, presence
from onebrain_search import client as clients
from onebrain_search.server import lifecycle
from tests.conftest import MakeVault
from tests.onebrain_search.served import CLI, run, serving, wait_until

NOTES = {"retry.md": "# Retry\n\nWe wait 30 seconds between two attempts.\n", "other.md": "# Other\n\nNothing.\n"}


@pytest.fixture
def notes(vault: MakeVault, home: Path) -> Path:
    """Return a small vault."""
    return vault(NOTES)


def state_of(vault: Path) -> Path:
    """Return the state folder of a vault."""
    return Brain.open(vault).folder


def test_serve_status_and_stop(notes: Path, home: Path) -> None:
    """It comes up in the background, `status` says so, it answers, it ends, and leaves no state file."""
    started = run(home, "serve", "--vault", str(notes))
    assert started.returncode == 0, started.stderr
    found = presence.read(state_of(notes))
    assert found is not None
    assert f"process {found.pid}" in started.stderr
    assert f"process {found.pid}" in run(home, "status", "--vault", str(notes)).stdout
    again = run(home, "serve", "--vault", str(notes))
    assert (again.returncode, "already" in again.stderr, str(found.pid) in again.stderr) == (0, True, True)
    answer = run(home, "--vault", str(notes), "--daemon", "require", "how long do we wait between two attempts")
    assert "30 seconds" in answer.stdout, answer.stderr
    stopped = run(home, "stop", "--vault", str(notes))
    assert (stopped.returncode, f"{found.pid}" in stopped.stderr) == (0, True)
    assert process_start(found.pid) != found.started
    assert presence.read(state_of(notes)) is None
    assert run(home, "stop", "--vault", str(notes)).returncode == 1
    assert "daemon     none" in run(home, "status", "--vault", str(notes)).stdout


def test_f73_of_daemons_started_at_once_one_wins_and_the_others_say_which(notes: Path, home: Path) -> None:
    """One process serves; the others name it and end."""
    environ = {**os.environ, "ONEBRAIN_SEARCH_HOME": str(home)}
    command = [*CLI, "serve", "--foreground", "--vault", str(notes)]
    started = [subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, encoding="utf-8") for _ in range(4)]
    try:
        client = wait_until(lambda: clients.connect(state_of(notes)))
        winner = client.daemon.pid
        client.close()
        losers = [process for process in started if process.pid != winner]
        assert len(losers) == 3
        for process in losers:
            _, said = process.communicate(timeout=60)
            assert process.returncode == 2
            assert f"process {winner}" in said
    finally:
        clients.stop(state_of(notes))
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_good_order(notes: Path, home: Path, number: signal.Signals) -> None:
    """Exit code 0, no state file, and the next daemon starts."""
    if os.name == "nt":
        pytest.skip("Windows ends a process by a signal without asking it; `stop` does")
    environ = {**os.environ, "ONEBRAIN_SEARCH_HOME": str(home)}
    for _ in range(2):
        process = subprocess.Popen([*CLI, "serve", "--foreground", "--vault", str(notes)], env=environ)
        wait_until(lambda: clients.connect(state_of(notes)))
        process.send_signal(number)
        assert process.wait(60) == 0
        assert presence.read(state_of(notes)) is None


def test_what_was_asked_before_the_end_is_answered(notes: Path, home: Path) -> None:
    """SIGTERM drains: requests in flight get their answers, also those that wait for their turn."""
    with serving(notes, home) as client:
        client.search({"query": "retry"})  # the index is there
        answers: list[object] = []

        def ask() -> None:
            """Ask on a connection of its own."""
            own = clients.Client(client.daemon)
            answers.append(own.ask({"question": "how long do we wait between two attempts"}))
            own.close()

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        wait_until(lambda: answers)
        own = clients.Client(client.daemon)
        own.stop()
        for thread in threads:
            thread.join()
        own.close()
    assert len(answers) == 8


def test_f74_a_file_left_behind_is_no_daemon(notes: Path, home: Path) -> None:
    """After kill -9 the file stays; the process number may be a stranger's then, who is not touched."""
    folder = state_of(notes)
    with serving(notes, home) as client:
        left = client.daemon
        os.kill(left.pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
        wait_until(lambda: process_start(left.pid) != left.started)
        presence.announce(folder, left)
        assert clients.connect(folder) is None
        stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        presence.announce(folder, replace(left, pid=stranger.pid))
        assert clients.stop(folder) is None
        assert stranger.poll() is None
        stranger.communicate()
        assert run(home, "--vault", str(notes), "attempts").returncode == 0
        assert run(home, "serve", "--vault", str(notes)).returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without telling it")
def test_f72_a_daemon_that_ends_leaves_the_file_of_another_one(notes: Path, home: Path) -> None:
    """The file of the one that is alive now stays, also when the older one ends late."""
    folder = state_of(notes)
    with serving(notes, home) as client:
        older = client.daemon
        newer = replace(older, token="another", started=older.started + 1)
        presence.announce(folder, newer)
        os.kill(older.pid, signal.SIGTERM)
        wait_until(lambda: process_start(older.pid) != older.started)
        assert presence.read(folder) == newer


class Stranger(BaseHTTPRequestHandler):
    """A web server that answers every health check as a daemon does, except that it does not know the token."""

    asked: list[tuple[str, str]] = []  # noqa: RUF012
    said = b""

    def do_GET(self) -> None:
        """Answer a GET."""
        self.asked.append((self.path, self.headers.get("Authorization", "")))
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.said)))
        self.end_headers()
        self.wfile.write(self.said)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def stranger(notes: Path, said: bytes) -> Iterator[presence.Presence]:
    """Let a stranger listen where the state file of a vault says that this very process is its daemon."""
    own = presence.Presence(0, "secret", os.getpid(), process_start(os.getpid()) or 0.0, str(notes), "0")
    Stranger.said = said.replace(b"%s", own.vault_id.encode())
    Stranger.asked.clear()
    server = HTTPServer(("127.0.0.1", 0), Stranger)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        state_of(notes).mkdir(parents=True, exist_ok=True)
        presence.announce(state_of(notes), replace(own, port=server.server_port))
        yield own
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("said", [b"hello", b"[]", b"", b'{"protocol": 1, "vault_id": "%s", "proof": "0"}'])
def test_f74_a_foreign_server_on_the_port_is_no_daemon_and_learns_no_token(
    notes: Path, home: Path, said: bytes
) -> None:
    """It must prove to know the token, which is not sent to it."""
    with stranger(notes, said):
        assert clients.connect(state_of(notes)) is None
        assert Stranger.asked
        assert not any(token for _, token in Stranger.asked)


def test_a_daemon_with_another_token_is_told_in_one_line_and_not_waited_for(notes: Path, home: Path) -> None:
    """A question is answered without it, also where the settings start one; who requires it gets the reason."""
    (notes / "onebrain.yml").write_text("onebrain_search:\n  daemon: {autostart: true}\n", encoding="utf-8")
    with stranger(notes, b'{"protocol": 1, "vault_id": "%s", "proof": "0"}') as own:
        told = f"the daemon does not know the token of daemon.json (process {own.pid}); end it with `stop`"
        answered = run(home, "--vault", str(notes), "how long do we wait between two attempts")
        assert (answered.returncode, "30 seconds" in answered.stdout) == (0, True)
        assert answered.stderr.splitlines() == [f"answered without the daemon: {told}"]
        assert not (state_of(notes) / clients.LOG).exists(), "another daemon was started"
        for words in (["--daemon", "require", "attempts"], ["serve"]):
            refused = run(home, *words, "--vault", str(notes))
            assert (refused.returncode, refused.stdout, len(refused.stderr.splitlines())) == (2, "", 1)
            assert told in refused.stderr


@pytest.mark.parametrize("content", ["", "{", "[]", '{"port": 1}', '{"protocol": 2}', "\x00"])
def test_a_broken_state_file_is_no_daemon(notes: Path, home: Path, content: str) -> None:
    """It is as if there were none."""
    folder = state_of(notes)
    folder.mkdir(parents=True)
    (folder / presence.FILE).write_text(content, encoding="utf-8")
    assert clients.connect(folder) is None
    assert clients.stop(folder) is None


def test_a_daemon_of_another_protocol_is_not_asked(notes: Path, home: Path) -> None:
    """An older client and a newer daemon, or the other way round; what to do is said."""
    with serving(notes, home) as client:
        presence.announce(state_of(notes), replace(client.daemon, protocol=presence.PROTOCOL + 1))
        found, why = clients.reach(state_of(notes))
        presence.announce(state_of(notes), client.daemon)
    assert found is None
    assert "another version" in why and "`stop`" in why


def test_a_daemon_that_nobody_can_find_ends(notes: Path, home: Path) -> None:
    """Its state file was deleted, with all program data or by hand: no process is left over."""
    with serving(notes, home) as client:
        (state_of(notes) / presence.FILE).unlink()
        wait_until(lambda: process_start(client.daemon.pid) != client.daemon.started)


def test_a_port_that_is_taken_is_said(notes: Path, home: Path) -> None:
    """Which one, and what to do; in the background as in the foreground."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        for mode in ([], ["--foreground"]):
            found = run(home, "serve", "--vault", str(notes), "--port", str(port), *mode)
            assert found.returncode == 2
            assert f"port {port} is taken" in found.stderr
            assert "Traceback" not in found.stderr


def test_a_chosen_port_is_used(notes: Path, home: Path) -> None:
    """By option."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with serving(notes, home, "--port", str(port)) as client:
        assert client.daemon.port == port


def test_it_ends_by_itself_when_nobody_asks(notes: Path, home: Path) -> None:
    """After the time that the option names; a listener is somebody."""
    with serving(notes, home, "--idle", "0.1") as client:
        listening = clients.Client(client.daemon)
        events = listening.events()
        assert next(events)[0] == "status"
        pid, started = client.daemon.pid, client.daemon.started
        client.status()
        assert process_start(pid) == started
        listening.close()
        wait_until(lambda: process_start(pid) != started)
        with pytest.raises((Unreachable, DaemonError)):
            client.status()
    assert presence.read(state_of(notes)) is None


def test_answers_leave_at_once() -> None:
    """asyncio switches Nagle's delay off only for sockets that are named as TCP, which the listener hands down."""
    with lifecycle._listener(0) as listener:
        listener.listen()
        with socket.create_connection(listener.getsockname()):
            accepted, _ = listener.accept()
        with accepted:
            assert accepted.proto == socket.IPPROTO_TCP
