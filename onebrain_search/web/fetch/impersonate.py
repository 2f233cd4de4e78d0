"""Requests that shake hands as a browser does, by the optional package curl_cffi; only where a person allows it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from indexer.errors import WebError
from onebrain_search.web.fetch.judging import failed, judged
from onebrain_search.web.fetch.types import Errand, Outcome
from onebrain_search.web.http import MOST_BYTES, MOVED, REDIRECTS, Reply, checked, proxy_of, shown

TARGETS: Final = ("safari", "chrome", "firefox")  # in this order, until one is let in
MISSING: Final = "curl_cffi is not installed. Run: pip install curl_cffi"
_TIMED_OUT: Final = 28  # libcurl's code
_STOP: Final = 0xFFFFFFFF  # CURL_WRITEFUNC_ERROR of libcurl


def attempt(errand: Errand) -> Outcome:
    """The page as the first browser gets it, else as the last one was answered; `platform` is the browser."""
    try:
        import curl_cffi  # noqa: F401 (only whether it is there)
    except ImportError:
        return Outcome("impersonate", "error", error=MISSING)
    outcome = Outcome("impersonate", "error")
    for target in TARGETS:
        try:
            outcome = judged(_followed(errand, target), "impersonate", target)
        except WebError as error:
            outcome = failed(error, "impersonate", target)
        if outcome.status != "blocked" and not (outcome.status == "error" and outcome.http_status >= 400):
            return outcome
    return outcome


def _followed(errand: Errand, target: str) -> Reply:
    """The reply at the end of the redirects. Each hop is checked and goes to the address that was checked."""
    hops = [errand.url]
    while True:
        reply = _hop(errand, hops[-1], target)
        onwards = reply.headers.get("location", "") if reply.status in MOVED else ""
        if not onwards:
            return replace(reply, hops=tuple(hops))
        if len(hops) > REDIRECTS:
            raise WebError(f"more than {REDIRECTS} redirects", kind="redirects", where=shown(errand.url))
        hops.append(urljoin(hops[-1], onwards))


def _hop(errand: Errand, url: str, target: str) -> Reply:
    """One request. Raises WebError."""
    from curl_cffi import CurlOpt
    from curl_cffi.requests import Session
    from curl_cffi.requests.exceptions import RequestException

    errand.http.check(url)
    options: dict[Any, Any] = {}
    if not proxy_of(checked(url)):
        (ip, port), host = errand.http.place(url), urlsplit(url).hostname or ""
        pinned = {} if ":" in host else {CurlOpt.RESOLVE: [f"{host}:{port}:{ip}"]}
        options = {**pinned, CurlOpt.NOPROXY: "*"}
    body = bytearray()

    def keep(piece: bytes) -> int:
        """Keep a piece of the body; ends the transfer when it grows beyond what is read of any page."""
        body.extend(piece)
        return len(piece) if len(body) <= MOST_BYTES else _STOP

    left = errand.until - time.monotonic()
    if left <= 0:
        raise WebError(f"no answer within {errand.choices.seconds:g} s", kind="timeout", where=shown(url))
    try:
        with Session(curl_options=options) as session:
            found = session.get(
                url, impersonate=target, timeout=left, allow_redirects=False, content_callback=keep,
                headers={"accept-language": errand.choices.locale},
            )  # fmt: skip
    except (RequestException, ValueError, OSError) as error:
        if len(body) > MOST_BYTES:
            raise WebError(f"more than {MOST_BYTES / 1e6:g} MB", kind="too_big", where=shown(url)) from error
        kind = "timeout" if getattr(error, "code", 0) == _TIMED_OUT else "unreachable"
        raise WebError("cannot be reached", kind=kind, where=shown(url), fix=str(error)[:160]) from error
    return Reply(
        url, found.status_code, {name.lower(): value or "" for name, value in found.headers.items()}, bytes(body)
    )
