"""A real daemon for tests: a process of its own over a copy of an index, and raw HTTP to it."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from onebrain_search import Brain
from onebrain_search import client as clients
from onebrain_search.client import Client

CLI = [sys.executable, "-c", "from onebrain_search.cli import main; main()"]
PATIENCE = 60.0  # seconds for a condition, on a machine that does much else


@contextmanager
def serving(vault: Path, home: Path, *options: str) -> Iterator[Client]:
    """Start a daemon of a vault, give a client of it, and end it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ONEBRAIN_SEARCH_HOME", str(home))
        folder = Brain.open(vault).folder
        clients.start(vault, folder, options)
    client: Client = wait_until(lambda: clients.connect(folder))
    try:
        yield client
    finally:
        client.close()
        clients.stop(folder)


def copied(brain: Brain, home: Path) -> Path:
    """Copy the index of a Brain below another home, and return its folder."""
    return shutil.copytree(brain.folder, home / brain.folder.name)


def run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    environ = {**os.environ, "ONEBRAIN_SEARCH_HOME": str(home)}
    return subprocess.run([*CLI, *words], env=environ, capture_output=True, encoding="utf-8", check=False)


def ask(
    client: Client, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
) -> tuple[int, dict[str, str], Any]:
    """Send one request as given, with the token unless headers say otherwise; return status, headers and object."""
    connection = http.client.HTTPConnection("127.0.0.1", client.daemon.port, timeout=PATIENCE)
    sent = {"Authorization": f"Bearer {client.daemon.token}"} | dict(headers or {})
    text = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
    try:
        connection.request(method, path, text, {name: value for name, value in sent.items() if value})
        response = connection.getresponse()
        content = response.read()
    finally:
        connection.close()
    told = {name.lower(): value for name, value in response.getheaders()}
    return response.status, told, json.loads(content) if content else None


def wait_until(condition: Callable[[], Any]) -> Any:
    """Return what a condition gives once it holds."""
    until = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < until, "it never came true"
        time.sleep(0.02)
    return found
