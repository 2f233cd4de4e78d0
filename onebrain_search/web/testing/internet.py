"""The server behind the fake internet: one loopback socket that answers for every host."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from onebrain_search.web.testing.faults import FAULTS
from onebrain_search.web.testing.served import Call, Served, Site, nothing_there
from onebrain_search.web.testing.sites import SITES


class FakeInternet:
    """Answers as the hosts of SITES do, over a real socket, until it is closed; a context manager.

    A host is reached in three ways: by `routes` of `Http`, with this server as HTTP proxy (`http_proxy`), and by an
    address that starts with `net.at("host")`. `calls` holds what arrived, in order.
    """

    def __init__(self, sites: Mapping[str, Site] | None = None) -> None:
        self.sites: dict[str, Site] = {**SITES, **(sites or {})}
        self.calls: list[Call] = []
        self.closing = threading.Event()
        self._faults: dict[str, Site] = {}
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.internet = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> FakeInternet:
        """Start to answer."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, and let go of everyone who waits."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def origin(self) -> str:
        """Where it listens: `http://127.0.0.1:PORT`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def routes(self) -> dict[str, str]:
        """What leads every origin here, for `Http`."""
        return {"*": self.origin}

    def at(self, host: str) -> str:
        """Return an address that stands for a host without any route."""
        return f"{self.origin}/{host}"

    def fail(self, host: str, fault: str) -> None:
        """Let a host answer with one of FAULTS from now on; an empty one heals it."""
        self._faults.pop(host, None)
        if fault:
            self._faults[host] = FAULTS[fault]

    def asked(self, host: str) -> list[Call]:
        """Return the calls that a host got."""
        return [call for call in self.calls if call.host == host]

    def serve(self, call: Call) -> Served:
        """Keep a call and return what its host says to it."""
        self.calls.append(call)
        return self._faults.get(call.host, self.sites.get(call.host, nothing_there))(call)


class _Server(ThreadingHTTPServer):
    """One thread a connection; none of them keeps the process alive."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    internet: FakeInternet

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent about clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    """Reads a request and writes what the host serves."""

    protocol_version = "HTTP/1.1"
    server: _Server
    timeout = 30

    def do_GET(self) -> None:
        """Answer a request of any method."""
        self._write(self.server.internet.serve(self._call()))

    do_POST = do_HEAD = do_GET  # noqa: N815 (the names are http.server's)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name is http.server's)
        """Keep stderr clean."""

    def _call(self) -> Call:
        """Return the request: its host is in the target of a proxy's client, in the path, or in the Host header."""
        target = urlsplit(self.path)
        host, path = target.netloc or self.headers.get("host", ""), target.path
        first, _, rest = path.lstrip("/").partition("/")
        if not target.netloc and first in self.server.internet.sites:
            host, path = first, f"/{rest}"
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        query = dict(parse_qsl(target.query, keep_blank_values=True))
        closing = self.server.internet.closing
        return Call(host.lower(), self.command, path, query, headers, body, time.monotonic(), closing)

    def _write(self, served: Served) -> None:
        """Write status, headers and body."""
        with suppress(OSError):
            self.send_response(served.status)
            self.send_header("content-type", served.kind)
            for name, value in served.headers.items():
                self.send_header(name, value)
            if isinstance(served.body, bytes):
                self.send_header("content-length", str(len(served.body) + 1000 * served.cut))
                self.end_headers()
                self.wfile.write(b"" if self.command == "HEAD" else served.body)
                self.close_connection = served.cut
                return
            self.close_connection = True
            self.send_header("connection", "close")
            self.end_headers()
            for piece in served.body:
                self.wfile.write(piece)
                self.wfile.flush()
