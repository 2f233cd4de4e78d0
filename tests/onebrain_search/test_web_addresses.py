"""Which addresses may be asked: every way to write a private one, every answer of a name server, every hop."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import Refused, WebError
from onebrain_search.web.addresses import PublicOnly, public, readings
from onebrain_search.web.http import Ask, Http
from onebrain_search.web.testing import Call, FakeInternet, Served

LOOPBACK = frozenset({"127.0.0.1"})

PRIVATE = """
127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.0.0.1 0X7F.1 0177.0.0.1 017700000001 0177.0.0.0x1 127.0.0.1.
10.0.0.1 010.0.0.1 172.16.0.1 192.168.1.1 192.168.257 3232235777 169.254.169.254 0xa9fea9fe 100.64.0.1 0.0.0.0 0
224.0.0.1 255.255.255.255 240.0.0.1 192.0.2.1 198.18.0.1 192.0.0.8 168.63.129.16 192.88.99.1
[::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::10.0.0.1] [64:ff9b:1::1] [2002:7f00:1::]
[fe80::1] [fe80::1%25eth0] [fec0::1] [fd00:ec2::254] [ff02::1] [2001:db8::1] [3fff::1] [5f00::1] [100::1]
[2001:0:4136:e378:8000:63bf:3fff:fdd2] [0:0:0:0:0:ffff:a00:1]
１２７.０.０.１ ①②⑦.0.0.1 127。0。0。1
localhost LOCALHOST. x.localhost printer.local metadata.google.internal router.home.arpa intranet
""".split()

PUBLIC = """
93.184.216.34 0x5db8d822 1572395042 93.184.55330 [2606:2800:220:1:248:1893:25c8:1946] [::ffff:93.184.216.34]
[64:ff9b::93.184.216.34] [2002:5db8:d822::] example.org bücher.example xn--bcher-kva.example
1.example.org example.org.
""".split()

NO_ADDRESS = "1.2.3.4.5 256.1.1.1 1.2.3.999 99999999999 0x1ffffffff 09.1.1.1. 1.2..3 [1:2:3] [::g]".split()


@pytest.fixture
def net() -> Iterator[FakeInternet]:
    """Return a running internet with a host that redirects and one that only answers."""
    sites = {
        "moved.example": lambda call: Served(status=302, headers={"location": call.query["to"]}),
        "pinned.example": _here,
    }
    with FakeInternet(sites) as internet:
        internet.sites[f"pinned.example:{_port(internet)}"] = _here  # asked without a route, its port is in the name
        yield internet


def _here(call: Call) -> Served:
    """Serve one word."""
    return Served(b"here", kind="text/plain")


def _port(net: FakeInternet) -> int:
    """Return the port of the fake internet."""
    return int(net.origin.rpartition(":")[2])


@pytest.mark.parametrize("host", PRIVATE)
def test_a_private_address_is_refused_however_it_is_written(host: str) -> None:
    """Before anything is sent, with one line that says why."""
    with pytest.raises(Refused) as caught:
        PublicOnly().check(f"http://{host}/x")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("host", [host for host in PRIVATE if not host.isalpha()])
def test_a_connection_to_a_private_address_is_refused_by_itself(host: str) -> None:
    """The second look, at what is really connected to, does not rely on the first."""
    with pytest.raises(Refused):
        PublicOnly(resolve=lambda name, port: ["127.0.0.1"]).addresses(host.strip("[]").replace("%25", "%"), 80)


@pytest.mark.parametrize("host", PUBLIC)
def test_a_public_address_passes(host: str) -> None:
    """In any form, and names are left to the answer of the name server."""
    PublicOnly().check(f"https://{host}:8443/a?b=c")


@pytest.mark.parametrize("host", NO_ADDRESS)
def test_a_number_that_is_no_address_is_refused(host: str) -> None:
    """No resolver gets the chance to make something else of it."""
    with pytest.raises(Refused):
        PublicOnly().check(f"http://{host}/")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/a",
        "gopher://example.org",
        "javascript:alert(1)",
        "http://user:secret@example.org/",
        "http://user@example.org/",
        "https://example.org\\@127.0.0.1/",
        "http:///nothing",
        "example.org",
        "http://[::1",
        "http://example.org:port/",
        "",
    ],
)
def test_what_is_no_plain_web_address_is_refused(url: str) -> None:
    """Other schemes, names with a password, and what has no host; a password is not repeated."""
    with pytest.raises(Refused) as caught:
        PublicOnly().check(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("answer", [["10.1.2.3"], ["93.184.216.34", "127.0.0.1"], ["fe80::1"], ["::ffff:10.0.0.1"]])
def test_an_answer_with_a_private_address_is_refused(answer: list[str]) -> None:
    """Also when another part of it is public."""
    with pytest.raises(Refused):
        PublicOnly(resolve=lambda host, port: answer).addresses("rebound.example", 443)


def test_a_connection_keeps_to_the_answer_that_was_checked(net: FakeInternet) -> None:
    """A name server that changes its mind after the look is not asked again."""
    asked: list[str] = []

    def resolve(host: str, port: int) -> Sequence[str]:
        """Give the good answer once."""
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    http = Http(guard=PublicOnly(resolve=resolve, allowed=LOOPBACK))
    assert http.send(Ask(f"http://pinned.example:{_port(net)}/")).text == "here"
    assert asked == ["pinned.example"]
    assert net.calls[0].host.startswith("pinned.example")


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:1/",
        "http://2130706433/",
        "//[::1]/",
        "http://localhost/",
        "file:///etc/passwd",
        "https://u:p@example.org/",
        "http://named-private.example/",
    ],
)
def test_each_hop_of_a_redirect_is_checked(net: FakeInternet, target: str) -> None:
    """A public page that sends us to a private place is stopped there."""
    answers = {"moved.example": "93.184.216.34", "named-private.example": "192.168.0.1"}
    guard = PublicOnly(resolve=lambda host, port: [answers[host]])
    http = Http(guard=guard, routes={"http://moved.example": net.origin})
    with pytest.raises(Refused):
        http.send(Ask("http://moved.example/", params={"to": target}))
    assert [call.host for call in net.calls] == ["moved.example"]


def test_loopback_is_asked_only_when_code_allows_it(net: FakeInternet) -> None:
    """The same address is refused without the allowance that tests give."""
    Http(guard=PublicOnly(allowed=LOOPBACK)).send(Ask(net.at("pinned.example")))
    with pytest.raises(Refused):
        Http(guard=PublicOnly()).send(Ask(net.at("pinned.example")))


def test_behind_a_proxy_a_private_name_is_refused_too(net: FakeInternet, monkeypatch: pytest.MonkeyPatch) -> None:
    """What this machine knows to be private is not handed to the proxy; what it cannot find is."""

    def resolve(host: str, port: int) -> Sequence[str]:
        """Know one name."""
        if host == "wiki.example":
            return ["10.0.0.7"]
        raise WebError("the name is not found")

    monkeypatch.setenv("http_proxy", net.origin)
    monkeypatch.delenv("no_proxy", raising=False)
    http = Http(guard=PublicOnly(resolve=resolve))
    assert http.send(Ask("http://pinned.example/")).text == "here"
    with pytest.raises(Refused):
        http.send(Ask("http://wiki.example/"))


def test_a_name_that_is_not_there_is_said_in_one_line() -> None:
    """The reserved name can never be found."""
    with pytest.raises(WebError) as caught:
        PublicOnly().addresses("nothing.invalid", 80)
    assert caught.value.kind == "unreachable"
    assert "nothing.invalid" in str(caught.value)


@pytest.mark.parametrize("host", ["a" * 64 + ".example", "a..example", ".".join(["abcdefgh"] * 40)])
def test_a_name_that_no_server_can_know_is_an_error_of_ours(host: str) -> None:
    """Too long or empty labels make no traceback."""
    with pytest.raises(WebError):
        PublicOnly().addresses(host, 80)


def _written(value: int, parts: int, bases: Sequence[int]) -> str:
    """Return an IPv4 address as `parts` numbers, in these bases."""
    upper = [value >> (24 - 8 * place) & 255 for place in range(parts - 1)]
    numbers = [*upper, value & (256 ** (5 - parts) - 1)]
    forms = {8: "0{:o}", 10: "{}", 16: "0x{:x}"}
    return ".".join(forms[base].format(number) for number, base in zip(numbers, bases, strict=False))


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.lists(st.sampled_from([8, 10, 16]), min_size=4, max_size=4))
def test_every_way_to_write_an_address_is_read_as_c_reads_it(value: int, parts: int, bases: list[int]) -> None:
    """The first reading is what a resolver in C makes of the same text."""
    text = _written(value, parts, bases)
    assert readings(text)[0] == IPv4Address(socket.inet_aton(text)) == IPv4Address(value)


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_carried_addresses_are_as_public_as_they_are_alone(inner: IPv4Address) -> None:
    """Mapped, translated and tunnelled forms change nothing."""
    for carrier in (f"::ffff:{inner}", f"64:ff9b::{inner}", str(IPv6Address((0x2002 << 112) | (int(inner) << 80)))):
        assert public(ip_address(carrier)) == public(inner)


@given(st.text(max_size=30))
def test_no_text_breaks_the_look(text: str) -> None:
    """It passes or is refused, whatever it is."""
    guard = PublicOnly(resolve=lambda host, port: ["93.184.216.34"])
    for use in (lambda: guard.check(f"http://{text}/"), lambda: guard.check(text), lambda: guard.addresses(text, 80)):
        try:
            use()
        except WebError as error:
            assert "\n" not in str(error)


class _Counting(ThreadingHTTPServer):
    """Answers every request, keeps connections open, and counts them."""

    daemon_threads = True
    connections = 0

    def get_request(self) -> tuple[socket.socket, Any]:
        """Count a connection."""
        self.connections += 1
        return super().get_request()


class _Here(BaseHTTPRequestHandler):
    """Answers with one word."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer."""
        self.send_response(200)
        self.send_header("content-length", "4")
        self.end_headers()
        self.wfile.write(b"here")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name is http.server's)
        """Keep stderr clean."""


def test_two_hosts_at_one_address_share_no_connection() -> None:
    """What was checked for one name, its certificate above all, does not hold for another."""
    with _Counting(("127.0.0.1", 0), _Here) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        http = Http(guard=PublicOnly(resolve=lambda host, port: ["127.0.0.1"], allowed=LOOPBACK))
        for host in ("one.example", "one.example", "two.example"):
            assert http.send(Ask(f"http://{host}:{server.server_address[1]}/")).text == "here"
        server.shutdown()
    assert server.connections == 2
