"""The one opening to the network: every request of the package goes through `Http.send`.

A request has one time limit for everything (names, redirects, body), a size limit and a redirect limit. Keys are sent
in headers, so they stand in no address, no error and no log; headers that may hold one do not follow a redirect to
another origin. A proxy of the environment is used, except for this machine.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import SplitResult, urljoin, urlsplit

from indexer.errors import Refused, WebError

if TYPE_CHECKING:
    import ssl

    from httpx2 import BaseTransport, Client, Response

AGENT = "onebrain-search/0.1"
SECONDS = 15.0
MOST_BYTES = 5_000_000  # a long article is 1 MB of HTML; what is bigger is a file
REDIRECTS = 5
HARMLESS = frozenset({"accept", "accept-language", "user-agent", "referer"})  # headers that any server may see
MOVED = frozenset({301, 302, 303, 307, 308})
LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
NO_CHARSETS = frozenset({"punycode", "idna", "unicode-escape", "raw-unicode-escape"})  # of Python; the first is slow
ROUTE_ALL = "*"
UNREACHABLE = "cannot be reached"


class Guard(Protocol):
    """Decides which addresses may be asked; both raise Refused."""

    def check(self, url: str) -> None:
        """Look at an address before anything is sent."""

    def addresses(self, host: str, port: int) -> Sequence[str]:
        """Return the IP addresses of a host that may be connected to, best first; the connection keeps to them."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A request and its limits. `seconds` holds for the whole of it; `redirects` 0 hands a redirect back as it is."""

    url: str
    method: str = "GET"
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Any = None
    form: Mapping[str, str] | None = None
    seconds: float = SECONDS
    most_bytes: int = MOST_BYTES
    redirects: int = REDIRECTS
    stop: threading.Event | None = None  # when it is set nobody wants the answer any more, and its body is cut off


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, whatever its status: `url` is the last of `hops`, header names are in lower case."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    hops: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The body as text: by its declared charset, else UTF-8; what is no text becomes U+FFFD."""
        import codecs
        from email.message import Message

        declared = Message()
        declared["content-type"] = self.headers.get("content-type", "")
        try:
            name = codecs.lookup(str(declared.get_content_charset() or "utf-8")).name
            return self.body.decode("utf-8" if name in NO_CHARSETS else name, "replace")
        except (LookupError, ValueError):  # a name that nobody knows, or that is none
            return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON. Raises WebError of kind `malformed`."""
        import json

        try:
            return json.loads(self.body)
        except (ValueError, RecursionError) as error:
            kind = self.headers.get("content-type", "no content type").split(";")[0]
            raise WebError(f"answered no JSON ({kind})", kind="malformed", where=shown(self.url)) from error


class Http:
    """Sends requests; safe to share between threads. Connections are opened at the first one.

    `routes` sends an origin (`https://api.example.org`, or `*` for all) to another one, as the test servers need:
    addresses, redirects and checks still see the real name. `transport` replaces the network itself.
    """

    def __init__(
        self,
        *,
        guard: Guard | None = None,
        routes: Mapping[str, str] | None = None,
        transport: BaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._guard = guard
        self._routes = dict(routes or {})
        self._transport = transport
        self._clock = clock
        self._clients: dict[tuple[str, str], Client] = {}
        self._lock = threading.Lock()

    def check(self, url: str) -> None:
        """Look at an address as each request does, without sending anything. Raises Refused."""
        checked(url)
        if self._guard is not None:
            self._guard.check(url)

    def place(self, url: str) -> tuple[str, int]:
        """IP and port that a client which is not ours may connect to for an address.

        Raises Refused as each request does, and WebError for a name that is not found.
        """
        self.check(url)
        at = urlsplit(self._targets(checked(url), proxied=False)[0][0])
        return at.hostname or "", at.port or (443 if at.scheme == "https" else 80)

    def send(self, ask: Ask) -> Reply:
        """Return the reply to a request. Raises WebError, or its Refused for an address that must not be asked.

        A daemon thread does it, so that neither a hanging name server nor a dripping one outlasts `seconds`.
        """
        done: list[Reply | Exception] = []
        ended = threading.Event()
        until = self._clock() + ask.seconds

        def work() -> None:
            """Send it and keep what came of it."""
            try:
                done.append(self._follow(ask, until))
            except Exception as error:  # handed to the caller, whatever it is
                done.append(error)
            ended.set()

        threading.Thread(target=work, name="web", daemon=True).start()
        ended.wait(ask.seconds)
        result = done[0] if done else _late(ask.url, ask.seconds)
        if isinstance(result, Exception):
            raise result
        return result

    def _follow(self, ask: Ask, until: float) -> Reply:
        """Send a request and go where it is sent to."""
        url, hops, headers = ask.url, [ask.url], {"user-agent": AGENT, **_lower(ask.headers)}
        body: dict[str, Any] = {"method": ask.method, "params": ask.params, "json": ask.json, "data": ask.form}
        while True:
            status, found, content = self._hop(url, headers, body, ask, until)
            onwards = found.get("location", "") if status in MOVED and ask.redirects else ""
            if not onwards:
                return Reply(url, status, found, content, tuple(hops))
            if len(hops) > ask.redirects:
                raise WebError(f"more than {ask.redirects} redirects", kind="redirects", where=shown(ask.url))
            before, url = url, _onwards(url, onwards)
            hops.append(url)
            if origin(before) != origin(url):
                headers = {name: value for name, value in headers.items() if name in HARMLESS}
            kept = {"json": ask.json, "data": ask.form} if status in (307, 308) else {}
            body = {"method": ask.method if kept else "GET", "params": {}, **kept}

    def _hop(
        self, url: str, headers: Mapping[str, str], body: Mapping[str, Any], ask: Ask, until: float
    ) -> tuple[int, dict[str, str], bytes]:
        """Send one request of a chain; return status, headers and body."""
        import httpx2

        self.check(url)
        parts = checked(url)
        proxy = "" if self._route(url) else proxy_of(parts)
        client = self._client(proxy, parts.hostname or "" if self._guard is not None else "")
        problem: Exception | None = None
        for target, extras in self._targets(parts, bool(proxy)):
            left = until - self._clock()
            if left <= 0:
                raise _late(ask.url, ask.seconds)
            sent = {"headers": {**headers, "host": _host(parts)}, "extensions": extras, "timeout": left}
            try:
                with client.stream(url=target, **_filled(body), **sent) as response:  # type: ignore[arg-type]
                    return response.status_code, _joined(response), self._read(response, ask, until, client)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                problem = error  # the next address of the host may be reachable
            except httpx2.TimeoutException as error:
                raise _late(ask.url, ask.seconds) from error
            except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, ValueError) as error:
                kind = (
                    "malformed" if isinstance(error, (httpx2.ProtocolError, httpx2.DecodingError)) else "unreachable"
                )
                raise WebError(_said(error), kind=kind, where=shown(url)) from error
        if isinstance(problem, httpx2.ConnectTimeout):
            raise _late(ask.url, ask.seconds) from problem
        fix = "check the network, or the proxy" if proxy else "check the network"
        raise WebError(UNREACHABLE, kind="unreachable", where=shown(url), fix=fix) from problem

    def _read(self, response: Response, ask: Ask, until: float, client: Client) -> bytes:
        """Return the body, unpacked. Raises WebError when it is too big, too slow, or packed as nobody asked for."""
        packed = _names(response.headers.get("content-encoding", "")) - _names(client.headers["accept-encoding"])
        if packed - {"identity"}:
            if not response.is_success:  # the status says what there is to say
                return b""
            raise WebError(
                f"is packed as nobody asked for ({min(packed)[:20]})", kind="malformed", where=shown(ask.url)
            )
        found = bytearray()
        for piece in response.iter_bytes():  # as they come: whole blocks would wait for a drip
            found += piece
            if len(found) > ask.most_bytes:
                what = f"more than {ask.most_bytes / 1e6:g} MB"
                raise WebError(what, kind="too_big", where=shown(ask.url))
            if self._clock() > until or (ask.stop is not None and ask.stop.is_set()):
                raise _late(ask.url, ask.seconds)
        return bytes(found)

    def _targets(self, parts: SplitResult, proxied: bool) -> list[tuple[str, dict[str, str]]]:
        """Return where to connect for an address, with what the TLS layer must know when that is no name."""
        url = parts.geturl()
        if route := self._route(url):
            at = urlsplit(route)
            return [(parts._replace(scheme=at.scheme, netloc=at.netloc).geturl(), {})]
        host = parts.hostname or ""
        if self._guard is None or proxied:
            return [(url, {})]
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return [
            (
                parts._replace(netloc=f"[{ip}]:{port}" if ":" in ip else f"{ip}:{port}").geturl(),
                {"sni_hostname": host},
            )
            for ip in self._guard.addresses(host, port)
        ]

    def _route(self, url: str) -> str:
        """Return where an origin is sent to instead, or nothing."""
        return self._routes.get(origin(url)) or self._routes.get(ROUTE_ALL, "")

    def _client(self, proxy: str, host: str) -> Client:
        """Return the client of a proxy, or of none.

        Each guarded host has one: pinned addresses of two hosts can be the same, and a connection whose certificate
        was checked for one must not serve the other.
        """
        import httpx2

        key = (proxy, host)
        with self._lock:
            if key not in self._clients:
                client = httpx2.Client(
                    proxy=proxy or None,
                    transport=self._transport,
                    verify=_certificates(),
                    trust_env=False,  # proxies are chosen above; a .netrc is nobody's consent
                    follow_redirects=False,
                )
                client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
                self._clients[key] = client
            return self._clients[key]


def checked(url: str) -> SplitResult:
    """Return an address in parts. Raises Refused for what is no plain http address: another scheme, a password."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise Refused("is no address", where=shown(url)) from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Refused("only http and https addresses are asked", where=shown(url))
    if parts.username is not None or parts.password is not None:
        raise Refused("an address with a user name or password is not asked", where=shown(url))
    return parts


def _onwards(url: str, onwards: str) -> str:
    """Return where a redirect leads. Raises Refused for what is no address."""
    try:
        return urljoin(url, onwards)
    except ValueError as error:
        raise Refused("is sent to what is no address", where=shown(url)) from error


def origin(url: str) -> str:
    """Return scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def shown(url: str) -> str:
    """Return an address as it may be shown: without password, query and fragment."""
    try:
        parts = urlsplit(url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()[:200]
    except ValueError:
        return "an address that cannot be read"


def proxy_of(parts: SplitResult) -> str:
    """Return the proxy that the environment names for an address; this machine is asked directly."""
    from urllib.request import getproxies, proxy_bypass

    host = parts.hostname or ""
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all") or ""
    if not found or host in LOCAL or proxy_bypass(host):
        return ""
    return found if "://" in found else f"http://{found}"


@cache
def _certificates() -> ssl.SSLContext:
    """Return what certificates are checked with; made once, it takes tens of milliseconds."""
    import httpx2

    return httpx2.create_ssl_context(trust_env=True)


def _late(url: str, seconds: float) -> WebError:
    """Return the error of a request that took too long."""
    return WebError(f"no answer within {round(seconds, 1):g} s", kind="timeout", where=shown(url))


def _said(error: Exception) -> str:
    """Return what a library says of a failed request, on one line and short."""
    return (" ".join(str(error).split()) or type(error).__name__)[:160]


def _host(parts: SplitResult) -> str:
    """Return the Host header of an address."""
    return parts.netloc.encode("idna").decode() if not parts.netloc.isascii() else parts.netloc


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers by their names in lower case."""
    return {name.lower(): value for name, value in headers.items()}


def _names(listed: str) -> set[str]:
    """Return the names of a header that lists some."""
    return {name.strip().lower() for name in listed.split(",")} - {""}


def _filled(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a request has of method, parameters and body."""
    return {name: value for name, value in body.items() if value}


def _joined(response: Response) -> dict[str, str]:
    """Return the headers of a response; those that came twice are joined by commas."""
    found: dict[str, str] = {}
    for name, value in response.headers.multi_items():
        name = name.lower()
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found
