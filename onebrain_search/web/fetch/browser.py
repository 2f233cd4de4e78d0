"""The page as a browser on this machine shows it, scripts included; only where a person allows it."""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

from indexer.errors import Refused, WebError
from onebrain_search.web.fetch.doctor import CHROME_VARIABLE, chrome
from onebrain_search.web.fetch.gateway import REFUSED, UNREACHED, Gateway
from onebrain_search.web.fetch.judging import failed, judged
from onebrain_search.web.fetch.types import Errand, Outcome
from onebrain_search.web.http import MOST_BYTES, Reply, shown

MISSING: Final = f"Chrome/Chromium not found: install one, or set {CHROME_VARIABLE}."
VIEWPORT: Final = "1280,900"
LOADING: Final = 0.6  # share of the time after which the page is taken as it stands
SCRIPTS: Final = 5000  # milliseconds that the page's timers get; loading does not count, and waiting is skipped
OPTIONS: Final = (
    "--headless=new",
    "--dump-dom",
    f"--window-size={VIEWPORT}",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--mute-audio",
    # Nothing leaves but through the gateway: no name is looked up here, and no stream goes around it.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    f"--virtual-time-budget={SCRIPTS}",
)
_FAILURE: Final = re.compile(rb"Page load failed: (net::\w+)")
_HEAD: Final = 1000  # bytes of a page in which the gateway's own answers stand
_OWN_ERROR: Final = b'id="main-frame-error"'  # of the pages that the browser shows when it cannot load one


def attempt(errand: Errand) -> Outcome:
    """The page as it stands after its scripts ran, in a profile of its own that is deleted afterwards."""
    program = chrome(errand.choices.environ)
    if not program:
        return Outcome("browser", "error", error=MISSING)
    try:
        errand.http.check(errand.url)
        source = _shown(program, errand)
    except WebError as error:
        return failed(error, "browser")
    reply = Reply(errand.url, 200, {"content-type": "text/html; charset=utf-8"}, source, (errand.url,))
    return replace(judged(reply, "browser"), http_status=0)  # a browser does not tell the status


def _shown(program: str, errand: Errand) -> bytes:
    """The source of the page. Raises WebError."""
    left = errand.until - time.monotonic()
    late = WebError(f"no page within {errand.choices.seconds:g} s", kind="timeout", where=shown(errand.url))
    if left <= 0:
        raise late
    with (
        tempfile.TemporaryDirectory(prefix="onebrain-browser-", ignore_cleanup_errors=True) as folder,
        Gateway(errand.http, errand.until) as gateway,
        # Files, for pipes would stay open with the browser's children.
        Path(folder, "page.html").open("w+b") as page,
        Path(folder, "log.txt").open("w+b") as log,
    ):
        own = (
            f"--user-data-dir={Path(folder, 'profile')}",
            f"--proxy-server={gateway.address}",
            f"--accept-lang={errand.choices.locale.split(';')[0]}",
            f"--timeout={int(left * LOADING * 1000)}",
        )
        try:
            subprocess.run(
                [program, *OPTIONS, *own, errand.url],
                stdin=subprocess.DEVNULL, stdout=page, stderr=log, timeout=left, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise late from error
        except OSError as error:
            raise WebError(f"the browser cannot be run: {error.strerror}", where=program) from error
        page.seek(0)
        log.seek(0)
        source, said = page.read(MOST_BYTES + 1), _FAILURE.search(log.read(MOST_BYTES))
    if len(source) > MOST_BYTES:
        raise WebError(f"more than {MOST_BYTES / 1e6:g} MB", kind="too_big", where=shown(errand.url))
    if REFUSED.encode() in source[:_HEAD]:
        raise Refused("leads to a place that is not asked", where=shown(errand.url))
    if not source or UNREACHED.encode() in source[:_HEAD] or _OWN_ERROR in source:
        why = said[1].decode() if said else "it says no more"
        raise WebError(f"the browser cannot load it ({why})", where=shown(errand.url))
    return source
