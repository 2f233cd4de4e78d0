"""A proxy on this machine through which a browser reaches the public web only: every connection it makes is checked.

A browser looks names up, follows redirects and loads parts of a page by itself. Led through here, each of these goes
to an address that the guard of `Http` has looked at, or nowhere.
"""

from __future__ import annotations

import select
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import urlsplit

from indexer.errors import Refused, WebError
from onebrain_search.web.http import Http, checked, proxy_of

MOST_BYTES: Final = 60_000_000  # of a page with all its parts; what is heavier is cut off
REFUSED: Final = "onebrain-search does not let this browser go there"
UNREACHED: Final = "onebrain-search cannot reach this place"
ITS_OWN: Final = frozenset(  # what browsers ask on their own account, for updates, sign-in and lists; never let out
    "accounts.google.com clients2.google.com update.googleapis.com safebrowsing.googleapis.com "
    "optimizationguide-pa.googleapis.com content-autofill.googleapis.com edge.microsoft.com "
    "config.edge.skype.com go-updater.brave.com variations.brave.com".split()
)
_PIECE: Final = 65536
_OWN: Final = frozenset({"proxy-connection", "connection", "keep-alive", "proxy-authorization"})


class Gateway:
    """The proxy, from `with` until its end or `until` (monotonic seconds); `address` is what a browser is told."""

    def __init__(self, http: Http, until: float) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.http, self._server.until, self._server.left = http, until, MOST_BYTES
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Gateway:
        """Begin to serve."""
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Cut all connections."""
        self._server.until = 0.0
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    """A thread a connection; none keeps the process alive."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    http: Http
    until: float
    left: int  # bytes that may still come from outside

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent about a browser that went away."""


class _Handler(BaseHTTPRequestHandler):
    """Opens what the browser asks for, if it may be opened, and passes bytes both ways."""

    server: _Server

    def do_CONNECT(self) -> None:
        """Open a tunnel, for https and web sockets."""
        with self._opened(f"https://{self.path}/") as (outside, proxied):
            if proxied:
                outside.sendall(f"CONNECT {self.path} HTTP/1.1\r\nhost: {self.path}\r\n\r\n".encode("latin-1"))
            else:
                self.connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            self._pass(outside)

    def do_GET(self) -> None:
        """Send a plain request on, of any method, and its answer back."""
        with self._opened(self.path) as (outside, proxied):
            parts = urlsplit(self.path)
            target = self.path if proxied else parts._replace(scheme="", netloc="").geturl() or "/"
            headers = [f"{name}: {value}" for name, value in self.headers.items() if name.lower() not in _OWN]
            head = "\r\n".join([f"{self.command} {target} HTTP/1.1", *headers, "connection: close", "", ""])
            outside.sendall(head.encode("latin-1"))
            outside.sendall(self.rfile.read(int(self.headers.get("content-length") or 0)))
            self._pass(outside)

    do_POST = do_HEAD = do_PUT = do_DELETE = do_OPTIONS = do_PATCH = do_GET  # noqa: N815 (the names are http.server's)

    def tell(self, status: int, text: str) -> None:
        """Answer in the place of the one that is not reached."""
        self.send_response(status)
        self.send_header("content-type", "text/plain")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name is http.server's)
        """Keep stderr clean."""

    def _opened(self, url: str) -> _Opening:
        """The connection to an address, or the refusal told to the browser."""
        return _Opening(self, url)

    def _pass(self, outside: socket.socket) -> None:
        """Pass bytes both ways until one side ends, the time is over or too much has come."""
        self.close_connection = True
        ends = {self.connection: outside, outside: self.connection}
        with suppress(OSError, ValueError):
            while time.monotonic() < self.server.until and self.server.left > 0:
                for ready in select.select(list(ends), [], [], 0.25)[0]:
                    piece = ready.recv(_PIECE)
                    if not piece:
                        return
                    if ready is outside:
                        self.server.left -= len(piece)
                    ends[ready].sendall(piece)


class _Opening:
    """A connection to what a browser asks for, closed in the end; a refusal is an answer with status 403 or 502."""

    def __init__(self, handler: _Handler, url: str) -> None:
        self._handler, self._url = handler, url
        self._outside: socket.socket | None = None

    def __enter__(self) -> tuple[socket.socket, bool]:
        """Return the connection, and whether it leads to the proxy of the environment."""
        server = self._handler.server
        try:
            if urlsplit(self._url).hostname in ITS_OWN:
                raise Refused("is asked by the browser, not by a page")
            proxy = urlsplit(proxy_of(checked(self._url)))
            if proxy.hostname:
                server.http.check(self._url)
                place = (proxy.hostname, proxy.port or 80)
            else:
                place = server.http.place(self._url)
            self._outside = socket.create_connection(place, timeout=max(0.1, server.until - time.monotonic()))
        except (WebError, OSError) as error:
            refused = isinstance(error, Refused)
            self._handler.tell(403 if refused else 502, REFUSED if refused else UNREACHED)
            raise ConnectionAbortedError from error
        return self._outside, bool(proxy.hostname)

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        if self._outside is not None:
            self._outside.close()
