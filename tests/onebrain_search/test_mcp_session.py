"""Whole sessions with real server processes: the captured one on the wire, and those of the SDK's own client."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from onebrain_search import Brain
from onebrain_search.mcp.stdio import understood
from onebrain_search.mcp.tools import TOOLS

SESSION = Path(__file__).with_name("mcp_session.jsonl")
PROGRAM = ["-c", "from onebrain_search.cli import main; main()", "mcp"]
NOTE = "01-projects/parcel-api/Retry Policy.md"
CALLS: dict[str, dict[str, Any]] = {
    "ask": {"question": "How long are idempotency keys kept?"},
    "search": {"query": "retry policy", "limit": 3},
    "fetch": {"id": f"{NOTE}:5:8"},
    "related": {"path": NOTE},
    "status": {},
    "query": {"searches": [{"type": "lex", "query": "retry"}, {"type": "vec", "query": "how often do we try again"}]},
    "get": {"file": f"{NOTE}:7:3"},
    "multi_get": {"pattern": "01-projects/parcel-api/*.md", "maxLines": 5},
}


class Place(NamedTuple):
    """Where a server runs: the vault, its environment, and for HTTP the port and the token."""

    vault: Path
    environ: dict[str, str]
    port: int = 0
    token: str = ""


@pytest.fixture(scope="module")
def place(onebrain_brain: Brain, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return the indexed OneBrain vault with an index of our own."""
    home = tmp_path_factory.mktemp("mcp-home")
    shutil.copytree(onebrain_brain.folder, home / onebrain_brain.folder.name)
    return Place(onebrain_brain.config.vault, {**os.environ, "ONEBRAIN_SEARCH_HOME": str(home)})


@pytest.fixture(scope="module")
def loopback(place: Place) -> Iterator[Place]:
    """Start a server over HTTP and return where it is."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, *PROGRAM, "--http", "--port", str(port), "--vault", str(place.vault)]
    server = subprocess.Popen(command, env=place.environ, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        said = server.stderr.readline()
        token = Path(re.search(r"the token is in (.+)$", said)[1]).read_text()  # type: ignore[index]
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.05)
        yield place._replace(port=port, token=token)
    finally:
        server.terminate()
        server.wait(30)


def _holds(expected: Any, found: Any, where: str = "reply") -> None:
    """Check that a reply holds what is expected: named fields, parts of texts, the first items of lists."""
    if isinstance(expected, dict):
        assert isinstance(found, dict), where
        for name, value in expected.items():
            assert name in found, f"{where} has no {name}: {found}"
            _holds(value, found[name], f"{where}.{name}")
    elif isinstance(expected, list):
        assert len(found) >= len(expected), f"{where}: {found}"
        for n, value in enumerate(expected):
            _holds(value, found[n], f"{where}[{n}]")
    elif isinstance(expected, str):
        assert expected in found, f"{where}: {found!r}"
    else:
        assert found == expected, where


def _session() -> list[dict[str, Any]]:
    """Return the captured session: what a client sent, and what of each answer has to hold."""
    return [json.loads(line) for line in SESSION.read_text("utf-8").splitlines()]


def _started(place: Place, **streams: Any) -> subprocess.Popen[bytes]:
    """Start a server on pipes."""
    command = [sys.executable, *PROGRAM, "--vault", str(place.vault)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=place.environ, **(pipes | streams))


@pytest.mark.parametrize(
    ("line", "answered"),
    [
        (b"hello\n", [(None, -32700)]),
        (b'{"jsonrpc": "2.0", "id": 1, "method": ' + b"[" * 100_000, [(None, -32700)]),
        (b"[]\n", [(None, -32600)]),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"id": "b"}]\n', [(1, -32600), ("b", -32600)]),
        (b'{"id": "x", "method": "ping"}\n', [("x", -32600)]),
        (b'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": ["ask"]}\n', [(2, -32600)]),
        (b"\n", []),
    ],
)
def test_what_is_no_message_is_answered(line: bytes, answered: list[tuple[Any, int]]) -> None:
    """With its id where it has one, so that nobody waits; an empty line is nothing."""
    message, _, refusals = understood(line)
    assert (message, [(each.id, each.error.code) for each in refusals]) == (None, answered)


def test_half_a_character_is_replaced_in_what_is_asked() -> None:
    """As JSON cut in the middle of an emoji holds it; the SDK would take it for no message."""
    line = b'{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "a \\ud83d", "arguments": {}}}\n'
    message, text, refusals = understood(line)
    assert (message.id, refusals) == (3, [])  # type: ignore[union-attr]
    assert json.loads(text)["params"]["name"] == "a \ufffd"


def test_what_was_asked_before_the_end_is_answered(place: Place) -> None:
    """As by `printf … | onebrain-search mcp`: the end of the input cuts nothing off."""
    first, ready, *_ = [step["send"] for step in _session()]
    call = {"jsonrpc": "2.0", "id": "last", "method": "tools/call"}
    call["params"] = {"name": "ask", "arguments": {"question": "How long are idempotency keys kept?"}}
    sent = "".join(json.dumps(each) + "\n" for each in (first, ready, "no message", call))
    said, _ = _started(place).communicate(sent.encode(), timeout=120)
    answers = {each["id"]: each for each in map(json.loads, said.splitlines())}
    assert answers[None]["error"]["code"] == -32600
    assert "24 hours" in answers["last"]["result"]["structuredContent"]["answer"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_while_it_waits_for_a_line(place: Place, number: signal.Signals) -> None:
    """At once, and without a word; the lock of its watcher is given back."""
    with _started(place) as server:
        assert server.stdin is not None and server.stdout is not None and server.stderr is not None
        for step in _session()[:2]:
            server.stdin.write(json.dumps(step["send"]).encode() + b"\n")
        server.stdin.flush()
        server.stdout.readline()
        server.send_signal(number)
        assert (server.wait(30), server.stderr.read()) == (0, b"")


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_client_that_does_not_read_any_more_is_no_reason_to_stay(place: Place) -> None:
    """Its end of the output is closed, or full and never read."""
    gone, end = os.pipe()
    with _started(place, stdout=end) as server:
        os.close(end)
        os.close(gone)
        assert server.stdin is not None and server.stderr is not None
        server.stdin.write(b"hello\n")
        server.stdin.flush()
        assert (server.wait(30), server.stderr.read()) == (0, b"")
    gone, end = os.pipe()
    with _started(place, stdout=end) as server:
        os.close(end)
        assert server.stdin is not None
        server.stdin.write(b"hello\n" * 10_000)
        server.stdin.close()
        assert server.wait(90) == 1
    os.close(gone)


def test_the_captured_session_holds_on_stdio(place: Place) -> None:
    """Every line on standard output is JSON-RPC and answers as captured, whatever libraries would like to print."""
    command = [sys.executable, *PROGRAM, "--vault", str(place.vault)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=place.environ, stdin=pipe, stdout=pipe, text=True, encoding="utf-8") as server:
        assert server.stdin is not None and server.stdout is not None
        for step in _session():
            server.stdin.write(json.dumps(step["send"]) + "\n")
            server.stdin.flush()
            if "expect" in step:
                _holds(step["expect"], json.loads(server.stdout.readline()))
        server.stdin.close()
        assert server.stdout.read() == ""
        assert server.wait(60) == 0


def test_f82_only_json_rpc_reaches_stdout_while_an_index_is_made(tmp_path: Path) -> None:
    """Words are indexed, the model is loaded and vectors are made in between; nothing of that is printed there."""
    vault = tmp_path / "notes"
    vault.mkdir()
    for number in range(3):
        (vault / f"{number}.md").write_text(f"# Note {number}\n\nLlamas eat hay in field {number}.\n")
    environ = {**os.environ, "ONEBRAIN_SEARCH_HOME": str(tmp_path / "home")}
    command = [sys.executable, *PROGRAM, "--vault", str(vault)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environ, stdin=pipe, stdout=pipe, text=True, encoding="utf-8") as server:
        assert server.stdin is not None and server.stdout is not None
        status = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "status", "arguments": {}}}
        found: dict[str, Any] = {}
        until = time.monotonic() + 120
        steps = [step["send"] for step in _session()[:2]]
        while found.get("vectors") != 3 and time.monotonic() < until:
            message = steps.pop(0) if steps else {**status, "id": 2}
            server.stdin.write(json.dumps(message) + "\n")
            server.stdin.flush()
            if "id" in message:
                reply = json.loads(server.stdout.readline())
                assert reply["jsonrpc"] == "2.0"
                found = reply["result"].get("structuredContent", {})
                time.sleep(0.05)
        server.stdin.close()
        assert server.stdout.read() == ""
    assert found["vectors"] == 3


def test_the_captured_session_holds_on_http(loopback: Place) -> None:
    """The same requests get the same answers, one POST each, in one session."""
    client = http.client.HTTPConnection("127.0.0.1", loopback.port, timeout=60)
    headers = {
        "Authorization": f"Bearer {loopback.token}", "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }  # fmt: skip
    for step in _session():
        client.request("POST", "/mcp", json.dumps(step["send"]), headers)
        response = client.getresponse()
        body = response.read()
        session = response.getheader("mcp-session-id")
        headers |= {"mcp-session-id": session} if session else {}
        if "expect" in step:
            _holds(step["expect"], json.loads(body))


async def _every_tool(server: Any) -> dict[str, Any]:
    """Run every tool, the prompt and a resource with the SDK's client, which checks results against their schemas."""
    async with Client(server) as client:
        listed = (await client.list_tools()).tools
        found: dict[str, Any] = {name: await client.call_tool(name, given) for name, given in CALLS.items()}
        resource = await client.read_resource(f"onebrain://{NOTE.replace(' ', '%20')}")
        code = await client.read_resource("onebrain://tools:carrier/retry.py")
        prompt = await client.get_prompt("search", {"question": "why did we drop qmd?"})
        return found | {"tools": listed, "resource": resource, "code": code, "prompt": prompt}


@pytest.fixture(scope="module", params=["stdio", "http"])
def answers(request: pytest.FixtureRequest, place: Place) -> dict[str, Any]:
    """Return what the SDK's own client got from every tool, over each transport."""
    if request.param == "stdio":
        arguments = [*PROGRAM, "--vault", str(place.vault)]
        parameters = StdioServerParameters(command=sys.executable, args=arguments, env=place.environ)
        return asyncio.run(_every_tool(parameters))
    found: Place = request.getfixturevalue("loopback")

    async def over_http() -> dict[str, Any]:
        """Run the tools with a client that sends the token."""
        headers = {"Authorization": f"Bearer {found.token}"}
        async with create_mcp_http_client(headers=headers) as client:
            return await _every_tool(streamable_http_client(f"http://127.0.0.1:{found.port}/mcp", http_client=client))

    return asyncio.run(over_http())


def test_every_tool_answers_the_sdk_client(answers: dict[str, Any]) -> None:
    """With a text and with structured content, and none is an error."""
    for name in TOOLS:
        result = answers[name]
        assert not result.is_error, result.content[0].text
        assert result.content[0].text
        assert result.structured_content


def test_every_tool_is_listed_as_reading_only(answers: dict[str, Any]) -> None:
    """Clients may then call it without asking; what it returns has a schema, too."""
    assert [tool.name for tool in answers["tools"]] == list(TOOLS)
    for tool in answers["tools"]:
        assert tool.annotations.read_only_hint
        assert not tool.annotations.destructive_hint
        assert tool.output_schema["type"] == "object"


def test_ask_answers_with_the_right_passage(answers: dict[str, Any]) -> None:
    """In the text as in the data."""
    result = answers["ask"]
    assert "24 hours" in result.content[0].text
    assert "24 hours" in result.structured_content["answer"]
    assert result.structured_content["confidence"] == "strong"


def test_search_and_fetch_have_the_fields_that_clients_require(answers: dict[str, Any]) -> None:
    """`id`, `title` and `url` of results; `id`, `title`, `text`, `url` and `metadata` of a document."""
    assert all({"id", "title", "url"} <= set(row) for row in answers["search"].structured_content["results"])
    assert {"id", "title", "text", "url", "metadata"} <= set(answers["fetch"].structured_content)


def test_a_note_is_a_resource(answers: dict[str, Any]) -> None:
    """By its path in the address, whole."""
    assert "exponential backoff" in answers["resource"].contents[0].text
    assert "def next_delay" in answers["code"].contents[0].text


def test_the_prompt_holds_the_question(answers: dict[str, Any]) -> None:
    """And asks to cite what was returned."""
    text = answers["prompt"].messages[0].content.text
    assert "why did we drop qmd?" in text
    assert "Cite only" in text


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example:8422"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "evil.example", "Authorization": ""}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": ""}, 401),
        ({"Host": "localhost"}, 200),
        ({"Host": "LOCALHOST:8080"}, 200),
        ({"Host": "[::1]:8080"}, 200),
        ({"Origin": "http://127.0.0.1:5173"}, 200),
    ],
)
def test_f80_http_refuses_foreign_pages_and_wrong_tokens(
    loopback: Place, changed: dict[str, str], status: int
) -> None:
    """A page on the web cannot reach the vault by a name of its own, nor a program without the token."""
    client = http.client.HTTPConnection("127.0.0.1", loopback.port, timeout=60)
    headers = {
        "Authorization": f"Bearer {loopback.token}", "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream", **changed,
    }  # fmt: skip
    client.request("POST", "/mcp", json.dumps(_session()[0]["send"]), headers)
    response = client.getresponse()
    said = json.loads(response.read())
    assert response.status == status, said
    assert response.getheader("access-control-allow-origin") is None
    if status == 401:
        assert response.getheader("www-authenticate") == "Bearer"
        assert "mcp-token" in said["error"]["fix"]


@pytest.mark.parametrize(("method", "path"), [("GET", "/mcp"), ("DELETE", "/mcp"), ("GET", "/health"), ("GET", "/")])
def test_nothing_of_mcp_is_open_without_the_token(loopback: Place, method: str, path: str) -> None:
    """Whatever is asked for; only the daemon has a health that anybody may see."""
    client = http.client.HTTPConnection("127.0.0.1", loopback.port, timeout=60)
    client.request(method, path)
    assert client.getresponse().status == 401


def test_the_token_is_for_its_owner_alone(loopback: Place) -> None:
    """And the same at every start, so that a client can keep it."""
    file = next(Path(loopback.environ["ONEBRAIN_SEARCH_HOME"]).glob("*/mcp-token"))
    assert file.read_text() == loopback.token
    assert os.name == "nt" or file.stat().st_mode & 0o777 == 0o600


def test_two_clients_at_once_are_both_answered(place: Place) -> None:
    """Two agents start a server each over the same vault."""

    async def one() -> str:
        """Ask with a process of its own."""
        arguments = [*PROGRAM, "--vault", str(place.vault)]
        server = StdioServerParameters(command=sys.executable, args=arguments, env=place.environ)
        async with Client(server) as client:
            return str((await client.call_tool("ask", CALLS["ask"])).content[0].text)  # type: ignore[union-attr]

    async def both() -> list[str]:
        """Ask with two at the same time."""
        return await asyncio.gather(one(), one())

    for text in asyncio.run(both()):
        assert "24 hours" in text
