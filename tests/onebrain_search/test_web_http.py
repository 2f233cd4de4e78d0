"""The one opening to the network, over real sockets: limits, redirects, proxies, keys, guarded addresses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from indexer.errors import Refused, WebError
from onebrain_search.web.http import Ask, Http, Reply
from onebrain_search.web.testing import Call, FakeInternet, Served

PLACE = "http://docs.example.org/a"


@pytest.fixture
def net() -> Iterator[FakeInternet]:
    """Return a running internet."""
    with FakeInternet() as internet:
        yield internet


def _kind(net: FakeInternet, fault: str, **limits: float) -> str:
    """Return the kind of error that a fault leads to."""
    net.fail("docs.example.org", fault)
    with pytest.raises(WebError) as caught:
        Http(routes=net.routes).send(Ask(PLACE, **limits))  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return caught.value.kind


def test_a_page_is_read_by_its_real_name(net: FakeInternet) -> None:
    """The server sees the host that was asked for, and an agent that says who we are."""
    reply = Http(routes=net.routes).send(Ask(PLACE, params={"q": "ä b"}))
    assert (reply.status, reply.url, reply.hops) == (200, PLACE, (PLACE,))
    assert "Written at /a." in reply.text
    assert net.calls[0].host == "docs.example.org"
    assert net.calls[0].query == {"q": "ä b"}
    assert net.calls[0].headers["user-agent"].startswith("onebrain-search/")


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("hang", "timeout"),
        ("slow", "timeout"),
        ("endless", "too_big"),
        ("big", "too_big"),
        ("bomb", "too_big"),
        ("redirect loop", "redirects"),
        ("file redirect", "refused"),
        ("cut", "malformed"),
    ],
)
def test_a_fault_on_the_way_is_one_line(net: FakeInternet, fault: str, kind: str) -> None:
    """Each ends by a limit, and the error says which."""
    assert _kind(net, fault, seconds=0.5 if kind == "timeout" else 20.0, most_bytes=1_000_000) == kind


@pytest.mark.parametrize("packing", ["compress", "gzip, compress", "x\u00e4"])
def test_a_body_that_cannot_be_unpacked_is_no_text(net: FakeInternet, packing: str) -> None:
    """It is not asked for, and refused where it comes; of an error the status counts, and what is empty is empty."""
    packed = {"content-encoding": packing}
    net.sites["docs.example.org"] = lambda call: Served(b"\x8b\x03", int(call.path[1:]), "text/html", packed)
    with pytest.raises(WebError, match="packed as nobody asked for") as caught:
        Http(routes=net.routes).send(Ask("http://docs.example.org/200"))
    assert (caught.value.kind, "\n" in str(caught.value)) == ("malformed", False)
    assert packing not in net.calls[0].headers["accept-encoding"]
    reply = Http(routes=net.routes).send(Ask("http://docs.example.org/404"))
    assert (reply.status, reply.body) == (404, b"")


def test_a_host_that_is_not_there_cannot_be_reached() -> None:
    """A closed port is told apart from silence."""
    with pytest.raises(WebError, match="cannot be reached") as caught:
        Http().send(Ask("http://127.0.0.1:9/secret?token=abc"))
    assert caught.value.kind == "unreachable"
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://a.org/", "http://me:pw@a.org/", "http://", "http://[::1", "http://a:99999/"]
)
def test_an_address_that_is_no_plain_web_address_is_refused(url: str) -> None:
    """Nothing is sent, and no password is repeated."""
    with pytest.raises(Refused) as caught:
        Http().send(Ask(url))
    assert "pw@" not in str(caught.value)


def test_a_key_does_not_follow_to_another_origin(net: FakeInternet) -> None:
    """Headers that may hold a key stay with the origin they were meant for."""
    net.sites["api.example.org"] = lambda call: Served(status=302, headers={"location": "http://docs.example.org/b"})
    reply = Http(routes=net.routes).send(Ask("http://api.example.org/", headers={"X-Token": "k", "Accept": "a/b"}))
    assert reply.hops == ("http://api.example.org/", "http://docs.example.org/b")
    assert net.calls[0].headers["x-token"] == "k"
    assert "x-token" not in net.calls[1].headers
    assert net.calls[1].headers["accept"] == "a/b"


def test_no_redirect_is_followed_where_none_is_allowed(net: FakeInternet) -> None:
    """The redirect itself is handed back."""
    net.fail("docs.example.org", "redirect loop")
    assert Http(routes=net.routes).send(Ask(PLACE, redirects=0)).status == 302


@pytest.mark.parametrize("target", ["http://[::1", "http://[x]/", "http://a.org:port/", "//", "http://"])
def test_a_redirect_to_what_is_no_address_is_an_error_of_ours(net: FakeInternet, target: str) -> None:
    """Whatever the library says of it."""
    net.sites["api.example.org"] = lambda call: Served(b"", 302, "text/html", {"location": target})
    with pytest.raises(WebError):
        Http(routes=net.routes).send(Ask("http://api.example.org/", redirects=2))


def test_a_proxy_of_the_environment_is_used(net: FakeInternet, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that no name server knows is reached by the proxy; this machine is asked directly."""
    monkeypatch.setenv("http_proxy", net.origin)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert Http().send(Ask(PLACE)).status == 200
    assert Http().send(Ask(net.at("docs.example.org") + "/b")).status == 200
    assert [call.path for call in net.calls] == ["/a", "/b"]


class OnlyHere:
    """Lets one host through, to this machine."""

    def check(self, url: str) -> None:
        """Refuse another host."""
        if "10.0.0.1" in url:
            raise Refused("is private", where=url)

    def addresses(self, host: str, port: int) -> Sequence[str]:
        """Return a dead address and a living one."""
        return ["127.0.0.9", "127.0.0.1"]


def test_a_guarded_host_is_asked_at_the_addresses_that_were_checked(net: FakeInternet) -> None:
    """The name is not looked up again; the next address is tried where one is dead."""
    port = net.origin.rpartition(":")[2]
    net.sites[f"name.example.org:{port}"] = lambda call: Served(b"here")
    assert Http(guard=OnlyHere()).send(Ask(f"http://name.example.org:{port}/")).body == b"here"


def test_every_hop_is_checked(net: FakeInternet) -> None:
    """A redirect to an address that the guard refuses is not followed."""
    net.sites["api.example.org"] = lambda call: Served(status=302, headers={"location": "http://10.0.0.1/"})
    with pytest.raises(Refused, match="private"):
        Http(guard=OnlyHere(), routes=net.routes).send(Ask("http://api.example.org/"))


def test_no_cookie_is_kept(net: FakeInternet) -> None:
    """Two requests have nothing to do with each other."""
    net.sites["api.example.org"] = lambda call: Served(b"", headers={"set-cookie": "who=you; Path=/"})
    http = Http(routes=net.routes)
    assert http.send(Ask("http://api.example.org/")).headers["set-cookie"] == "who=you; Path=/"
    http.send(Ask("http://api.example.org/"))
    assert "cookie" not in net.calls[1].headers


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("text/html; charset=iso-8859-1", b"caf\xe9", "café"),
        ("text/html; charset=nonsense", "café".encode(), "café"),
        ("text/html; charset=base64", b"plain", "plain"),
        ('text/html; charset="\0"', b"plain", "plain"),
        ("text/html; charset=punycode", b"a-" + b"z" * 3_000_000, "a-" + "z" * 3_000_000),  # would take hours
        ("text/html; charset=idna", b"xn--a.b", "xn--a.b"),
        ("text/html; charset=unicode_escape", b"C:\\u0041", "C:\\u0041"),
        ("", b"\xff", "\ufffd"),
    ],
)
def test_text_is_read_by_its_charset(kind: str, body: bytes, text: str) -> None:
    """A charset that nobody knows, or that is none, is UTF-8."""
    assert Reply("http://a.org/", 200, {"content-type": kind}, body).text == text


def test_a_page_is_no_json(net: FakeInternet) -> None:
    """HTML where JSON was due is an error that says so."""
    net.sites["api.example.org"] = lambda call: _page(call)
    with pytest.raises(WebError, match=r"no JSON \(text/html\)"):
        Http(routes=net.routes).send(Ask("http://api.example.org/")).json()


def _page(call: Call) -> Served:
    """Serve a page."""
    return Served(f"<html>{call.path}</html>".encode(), kind="text/html; charset=utf-8")
