"""What can go wrong on the way to a site and back: each fault answers in the place of the site."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

from onebrain_search.web.testing.served import Call, Served, Site, as_html, as_json

BIG = 30_000_000
CHALLENGE = (
    '<html><body><div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>'
    '<form id="challenge-form"></form></body></html>'
)


def _hang(call: Call) -> Served:
    """Say nothing until the internet shuts down."""
    call.closing.wait()
    return Served(status=504)


def _slow(call: Call) -> Served:
    """Send one byte, and another one each fifth of a second, for ever."""

    def drip() -> Iterator[bytes]:
        """Yield the bytes."""
        while not call.closing.wait(0.2):
            yield b" "

    return Served(drip())


def _endless(call: Call) -> Served:
    """Send without end, as fast as it goes."""

    def stream() -> Iterator[bytes]:
        """Yield the pieces."""
        while not call.closing.is_set():
            yield b"x" * 65536

    return Served(stream(), kind="text/html")


def _bomb(call: Call) -> Served:
    """Send little that unpacks to very much."""
    return Served(gzip.compress(b'{"results": "' + b" " * BIG + b'"}'), headers={"content-encoding": "gzip"})


def _loop(call: Call) -> Served:
    """Redirect to itself."""
    return Served(status=302, headers={"location": f"http://{call.host}{call.path}"})


FAULTS: dict[str, Site] = {
    "401": lambda call: as_json({"error": "invalid api key"}, 401),
    "402": lambda call: as_json({"requestId": "r9", "error": "No credits are left", "tag": "NO_MORE_CREDITS"}, 402),
    "403": lambda call: as_html("<html><body><h1>403 Forbidden</h1></body></html>", 403),
    "429": lambda call: as_json({"error": {"code": "RATE_LIMITED", "detail": "too many"}}, 429, retry_after="2"),
    "432": lambda call: as_json({"detail": {"error": "This request exceeds the limit of the plan."}}, 432),
    "500": lambda call: as_json({"error": "internal error"}, 500),
    "challenge": lambda call: as_html(CHALLENGE, 202),
    "html": lambda call: as_html("<html><body>Service page</body></html>"),
    "malformed": lambda call: Served(b'{"results": [{"title": "cut in the mid'),
    "wrong shape": lambda call: as_json(["what", {"is": None}, 7]),
    "invalid utf-8": lambda call: Served(b'{"results": [{"title": "\xff\xfe\xe2\x28", "url": "\xf0"}]}'),
    "cut": lambda call: Served(b'{"results": [', cut=True),
    "hang": _hang,
    "slow": _slow,
    "endless": _endless,
    "big": lambda call: Served(b'{"results": "' + b"x" * BIG + b'"}'),
    "bomb": _bomb,
    "redirect loop": _loop,
    "private redirect": lambda call: Served(status=302, headers={"location": "http://169.254.169.254/latest/"}),
    "file redirect": lambda call: Served(status=302, headers={"location": "file:///etc/passwd"}),
}
