"""What runs only when it is allowed: the handshake of a browser by curl_cffi, a real browser behind our gateway."""

from __future__ import annotations

import http.client
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from onebrain_search.web.addresses import PublicOnly
from onebrain_search.web.fetch.doctor import chrome
from onebrain_search.web.fetch.gateway import REFUSED, Gateway
from onebrain_search.web.fetch.pipeline import fetch
from onebrain_search.web.fetch.types import Choices, Fetched
from onebrain_search.web.http import Http
from onebrain_search.web.testing import Call, FakeInternet, Served
from onebrain_search.web.testing.faults import FAULTS
from tests.onebrain_search.fetching import WORDS, internet, page, tried

SCRIPT = f"""<html><body><div id="root"></div><script>
for (const url of ['http://10.0.0.1/secret', 'http://127.0.0.1:PORT/', 'http://private.example/'])
  fetch(url, {{mode: 'no-cors'}}).catch(() => 0);
setTimeout(() => {{ document.getElementById('root').innerHTML = '<article><p>{WORDS}</p></article>'; }}, 300);
</script></body></html>"""


class World:
    """An internet whose hosts are reached by their names and its port; `looked_up` holds the names asked for."""

    def __init__(self, net: FakeInternet) -> None:
        self.net, self.looked_up = net, list[str]()
        self.port = net.origin.rpartition(":")[2]
        guard = PublicOnly(resolve=self._resolve, allowed=frozenset({"127.0.0.1"}))
        self.http = Http(guard=guard)

    def _resolve(self, host: str, port: int) -> Sequence[str]:
        """Lead every name here, and some to a private place."""
        self.looked_up.append(host)
        return ["10.1.1.1"] if host.startswith("private") else ["127.0.0.1"]

    def serve(self, host: str, served: Served) -> str:
        """Let a host always serve this; return its address."""
        self.net.sites[f"{host}:{self.port}"] = lambda call: served
        return f"http://{host}:{self.port}/"

    def fetch(self, url: str, way: str, seconds: float = 30.0, **environ: str) -> Fetched:
        """Fetch in one way, which is allowed."""
        choices = Choices(only=(way,), allowed=frozenset({way}), seconds=seconds, environ={**os.environ, **environ})
        return fetch(url, choices, http=self.http)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Return a running internet without a proxy before it."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    with internet() as net:
        yield World(net)


@pytest.fixture
def browser(tmp_path: Path) -> str:
    """Return the path of a browser; one for root must be told to run without its sandbox."""
    program = chrome(os.environ)
    if not program:
        pytest.skip("there is no Chrome or Chromium on this machine")
    if not hasattr(os, "geteuid") or os.geteuid():
        return program
    script = tmp_path / "chrome"
    script.write_text(f'#!/bin/sh\nexec "{program}" --no-sandbox "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return str(script)


def _through(gateway: Gateway, url: str) -> tuple[int, bytes]:
    """Ask for an address through the gateway, as a browser would; return status and body."""
    connection = http.client.HTTPConnection(gateway.address.removeprefix("http://"), timeout=20)
    connection.request("GET", url)
    reply = connection.getresponse()
    return reply.status, reply.read()


def test_the_gateway_lets_a_page_through(world: World) -> None:
    """By the address that was checked, with the path and the host as they were asked for."""
    url = world.serve("open.example", Served(b"here", kind="text/plain"))
    with Gateway(world.http, time.monotonic() + 20) as gateway:
        assert _through(gateway, f"{url}a/b?c=d") == (200, b"here")
    (call,) = world.net.calls
    assert (call.path, call.query, call.host) == ("/a/b", {"c": "d"}, f"open.example:{world.port}")
    assert "proxy-connection" not in call.headers


@pytest.mark.parametrize(
    "url",
    [
        "http://10.0.0.1/",
        "http://[::1]/",
        "http://localhost/",
        "http://private.example/",
        "http://u:p@open.example/",
        "http://update.googleapis.com/",
        "ftp://open.example/",
    ],
)
def test_the_gateway_refuses_what_is_not_public(world: World, url: str) -> None:
    """Private addresses and names, passwords, and what a browser asks on its own account."""
    with Gateway(world.http, time.monotonic() + 20) as gateway:
        assert _through(gateway, url) == (403, REFUSED.encode())


def test_the_gateway_opens_tunnels_to_public_places_only(world: World) -> None:
    """For https the same rules hold."""
    world.serve("open.example", Served(b"here", kind="text/plain"))
    with Gateway(world.http, time.monotonic() + 20) as gateway:
        connection = http.client.HTTPConnection(gateway.address.removeprefix("http://"), timeout=20)
        connection.set_tunnel("open.example", int(world.port))
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"here"
        refused = http.client.HTTPConnection(gateway.address.removeprefix("http://"), timeout=20)
        refused.set_tunnel("private.example", 443)
        with pytest.raises(OSError, match="403"):
            refused.request("GET", "/")


def test_the_gateway_goes_through_the_proxy_of_the_environment(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proxy gets the whole address, after it was looked at."""
    monkeypatch.setenv("http_proxy", world.net.origin)
    world.net.sites["open.example"] = lambda call: Served(b"here", kind="text/plain")
    with Gateway(world.http, time.monotonic() + 20) as gateway:
        assert _through(gateway, "http://open.example/") == (200, b"here")
        assert _through(gateway, "http://10.0.0.1/") == (403, REFUSED.encode())


@pytest.mark.parametrize("ends", ["by its time", "by leaving"])
def test_the_gateway_cuts_what_does_not_end(world: World, ends: str) -> None:
    """A stream without end is cut, and the port is closed afterwards."""
    url = world.serve("open.example", Served())
    world.net.sites[f"open.example:{world.port}"] = FAULTS["slow"]
    with Gateway(world.http, time.monotonic() + (3 if ends == "by its time" else 60)) as gateway:
        connection = http.client.HTTPConnection(gateway.address.removeprefix("http://"), timeout=20)
        connection.request("GET", url)
        reply = connection.getresponse()
        if ends == "by its time":
            assert len(reply.read(1000)) < 1000  # a thousand would take minutes
    assert len(reply.read(1000)) < 1000
    with pytest.raises(OSError):
        _through(gateway, url)


def test_a_browser_shows_what_scripts_make_of_a_page(world: World, browser: str) -> None:
    """The text of the script is read, and what the script asks of this machine and private places is refused."""
    world.net.sites["app.example"] = lambda call: page(SCRIPT.replace("PORT", world.port))
    world.http = Http(
        guard=PublicOnly(resolve=lambda host, port: ["10.1.1.1"]), routes={"http://app.example": world.net.origin}
    )
    result = world.fetch("http://app.example/", "browser", OMA_CHROME_PATH=browser)
    assert tried(result) == [("browser", "ok")], result.last.error
    assert "takes bicycles for nothing" in result.last.content
    assert "httpStatus" not in result.json()
    assert {call.host for call in world.net.calls} == {"app.example"}


def test_a_browser_does_not_follow_to_a_private_place(world: World, browser: str) -> None:
    """The redirect ends the fetch as bad input."""
    url = world.serve("moved.example", Served(status=302, headers={"location": "http://10.0.0.1/"}))
    result = world.fetch(url, "browser", OMA_CHROME_PATH=browser)
    assert tried(result) == [("browser", "invalid-input")]


def test_a_browser_that_cannot_load_a_page_says_why(world: World, browser: str) -> None:
    """In its own words, as for a certificate or a server that speaks no TLS."""
    last = world.fetch(f"https://plain.example:{world.port}/", "browser", OMA_CHROME_PATH=browser).last
    assert last.status == "error"
    assert "net::ERR_" in last.error


def test_a_browser_that_cannot_run_is_an_error(world: World, tmp_path: Path) -> None:
    """A program that only ends, or is none, is told in one line."""
    program = tmp_path / "chrome.exe"
    program.write_bytes(b"no program")
    program.chmod(0o755)
    last = world.fetch("http://app.example/", "browser", OMA_CHROME_PATH=str(program)).last
    assert (last.status, last.error.count("\n")) == ("error", 0)
    assert str(program) in last.error


def test_o24_impersonation_tries_one_browser_after_the_other(world: World) -> None:
    """Safari, Chrome, Firefox, until one is let in; the platform is its name."""
    pytest.importorskip("curl_cffi", reason="the optional package curl_cffi is not installed")
    agents: list[str] = []

    def site(call: Call) -> Served:
        """Let the third in."""
        agents.append(call.headers["user-agent"])
        return page(f"<p>{WORDS}</p>", 200 if len(agents) == 3 else 403)

    world.net.sites[f"picky.example:{world.port}"] = site
    result = world.fetch(f"http://picky.example:{world.port}/", "impersonate")
    assert tried(result) == [("impersonate", "ok")]
    assert result.last.platform == "firefox"
    assert ["Safari" in agents[0], "Chrome" in agents[1], "Firefox" in agents[2]] == [True] * 3
    assert not any("bot" in agent.lower() for agent in agents)


@pytest.mark.parametrize(
    ("fault", "status", "word"),
    [
        ("private redirect", "invalid-input", "169.254.169.254"),
        ("file redirect", "invalid-input", "only http"),
        ("redirect loop", "error", "redirects"),
        ("big", "error", "5 MB"),
        ("endless", "error", "5 MB"),
        ("hang", "timeout", ""),
        ("slow", "timeout", ""),
        ("cut", "error", ""),
    ],
)
def test_impersonation_keeps_all_limits(world: World, fault: str, status: str, word: str) -> None:
    """Each hop is checked, and neither size nor time has a way around."""
    pytest.importorskip("curl_cffi", reason="the optional package curl_cffi is not installed")
    world.net.sites[f"one.example:{world.port}"] = FAULTS[fault]
    seconds = 1.0 if status == "timeout" else 20.0
    last = world.fetch(f"http://one.example:{world.port}/", "impersonate", seconds).last
    assert last.status == status
    assert word in last.error


def test_impersonation_keeps_to_the_answer_that_was_checked(world: World) -> None:
    """The name is looked up once, by us."""
    pytest.importorskip("curl_cffi", reason="the optional package curl_cffi is not installed")
    url = world.serve("one.example", page(f"<p>{WORDS}</p>"))
    assert world.fetch(url, "impersonate").last.ok
    assert world.looked_up == ["one.example"]
    assert world.fetch("http://private.example/", "impersonate").last.status == "invalid-input"
