"""The HTTP API of a real daemon: what it answers, and what it refuses."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from onebrain_search import Brain
from onebrain_search.client import Client
from onebrain_search.service import Service
from tests.onebrain_search.served import ask, copied, serving


@pytest.fixture(scope="module")
def daemon(onebrain_brain: Brain, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Serve the OneBrain vault."""
    home = tmp_path_factory.mktemp("served")
    copied(onebrain_brain, home)
    with serving(onebrain_brain.config.vault, home) as client:
        yield client


@pytest.fixture
def here(onebrain_brain: Brain) -> Service:
    """Return what answers in this process."""
    return Service(onebrain_brain)


QUESTION = "How long are idempotency keys kept?"
NOTE = "01-projects/parcel-api/Retry Policy.md"


def without_index(shape: dict[str, Any]) -> dict[str, Any]:
    """Return an object without the numbers of the index, whose generation is the copy's own."""
    return {name: value for name, value in shape.items() if name != "index"}


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("search", {"query": QUESTION, "limit": 3, "retrieval": "lexical"}),
        ("search", {"query": "idempo", "stage": "lexical"}),
        ("ask", {"question": QUESTION, "explain": True, "retrieval": "lexical"}),
        ("ask", {"question": "why did we drop qmd", "retrieval": "lexical"}),
        ("ask", {"question": "what is the capital of mongolia?", "retrieval": "lexical"}),
        ("get", {"address": f"{NOTE}:7:6"}),
        ("related", {"path": NOTE, "limit": 4}),
    ],
)
def test_the_daemon_answers_as_the_brain_does(
    daemon: Client, here: Service, name: str, request_: dict[str, Any]
) -> None:
    """The very same object, through a real socket."""
    assert without_index(getattr(daemon, name)(request_)) == without_index(getattr(here, name)(request_))


def test_status_says_how_the_daemon_is(daemon: Client) -> None:
    """Beside what the index holds."""
    found = daemon.status()
    assert found["exists"] is True
    assert (found["daemon"]["pid"], found["daemon"]["port"]) == (daemon.daemon.pid, daemon.daemon.port)


def test_health_needs_no_token_and_tells_nothing_private(daemon: Client) -> None:
    """Name, protocol, version, and an id that names no folder."""
    status, _, found = ask(daemon, "GET", "/health", headers={"Authorization": ""})
    assert status == 200
    assert set(found) == {"name", "protocol", "version", "vault_id"}
    assert Path(daemon.daemon.vault).name not in found["vault_id"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": ""},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer "},
        {"Authorization": "Basic eDp5"},
        {"Authorization": "bearer ünicode"},
    ],
)
@pytest.mark.parametrize("path", ["/v1/status", "/v1/events", "/nowhere"])
def test_a_wrong_token_is_401(daemon: Client, headers: dict[str, str], path: str) -> None:
    """Whatever the path, so that nothing is learned of what is there."""
    status, told, found = ask(daemon, "GET", path, headers=headers)
    assert (status, told["www-authenticate"]) == (401, "Bearer")
    assert "token" in found["error"]["what"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "localhost:1@evil.example"}, 403),
        ({"Host": "192.168.1.7:80"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Host": "localhost"}, 200),
        ({"Host": "LOCALHOST:8080"}, 200),
        ({"Host": "[::1]:8080"}, 200),
        ({"Origin": "http://127.0.0.1:8080"}, 200),
    ],
)
@pytest.mark.parametrize("path", ["/health", "/v1/status"])
def test_f80_a_foreign_host_or_origin_is_403(daemon: Client, headers: dict[str, str], status: int, path: str) -> None:
    """Also with the token, and also for health: a page must not learn that we are here."""
    assert ask(daemon, "GET", path, headers=headers)[0] == status


@pytest.mark.parametrize("method", ["GET", "OPTIONS", "POST"])
def test_f81_no_answer_allows_other_origins(daemon: Client, method: str) -> None:
    """No CORS header, also not in answer to a browser's question before the request."""
    asks = {"Origin": "http://localhost", "Access-Control-Request-Method": "POST"}
    _, told, _ = ask(daemon, method, "/v1/search", {"query": "x"} if method == "POST" else None, asks)
    assert not [name for name in told if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("path", "body", "named"),
    [
        ("/v1/search", {"query": "x", "colour": 1}, "colour"),
        ("/v1/search", {"query": "x", "limit": 0}, "limit"),
        ("/v1/ask", {"question": ["x"]}, "question"),
        ("/v1/ask", {}, "question"),
        ("/v1/ask", '{"question": ', "body"),
        ("/v1/ask", "[1]", "body"),
        ("/v1/ask", b"\xff\xfe", "body"),
        ("/v1/ask", "[" * 100_000, "body"),
        ("/v1/search", {"query": "date:soonish"}, "soonish"),
    ],
)
def test_a_request_that_is_not_understood_is_422(daemon: Client, path: str, body: Any, named: str) -> None:
    """And what is at fault is named."""
    status, _, found = ask(daemon, "POST", path, body)
    assert status == 422
    assert named in f"{found['error']['what']} {found['error']['where']}"


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/v1/related?path=a.md&colour=red", "colour"),
        ("/v1/related?path=a.md&limit=ten", "limit"),
        ("/v1/related?path=a.md&limit=%C2%B2", "limit"),
        (f"/v1/related?path=a.md&limit={'9' * 5000}", "limit"),
        ("/v1/get", "address"),
    ],
)
def test_a_field_in_the_address_is_checked_too(daemon: Client, path: str, named: str) -> None:
    """As in a body."""
    status, _, found = ask(daemon, "GET", path)
    assert (status, named in found["error"]["what"]) == (422, True)


def test_a_body_that_is_too_large_is_413(daemon: Client) -> None:
    """It is not read to its end."""
    assert ask(daemon, "POST", "/v1/search", {"query": "x" * 300_000})[0] == 413


@pytest.mark.parametrize(
    "address",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "..%5c..%5cx",
        "no such note.md",
        "a\0b",
        "x" * 5000,
        f"a:{'9' * 5000}",
    ],
)
def test_f78_a_path_outside_of_the_vault_is_404_without_a_word_on_the_disk(daemon: Client, address: str) -> None:
    """The answer names nothing but what was asked for."""
    from urllib.parse import quote

    status, _, found = ask(daemon, "GET", f"/v1/get?address={quote(address, safe='')}")
    assert (status, found["error"]["kind"]) == (404, "NotFound")
    assert daemon.daemon.vault not in str(found)
    assert os.sep + "tmp" not in str(found)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/v2/search", 404), ("GET", "/", 404), ("GET", "/v1/search", 405), ("DELETE", "/v1/status", 405)],
)
def test_an_unknown_path_or_method_is_told_as_json(daemon: Client, method: str, path: str, status: int) -> None:
    """Like every other error."""
    found = ask(daemon, method, path)
    assert found[0] == status
    assert found[2]["error"]["fix"]


def test_the_state_file_is_for_its_owner_alone(daemon: Client, onebrain_brain: Brain) -> None:
    """It holds the token."""
    if os.name == "nt":
        pytest.skip("Windows has no such rights; its folder is the user's own")
    file = next(Path(str(daemon.status()["state"])).glob("daemon.json"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
