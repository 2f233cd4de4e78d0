"""What an answer tells beside its text: blocked, paid for, empty, limited; and the status that follows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from onebrain_search.web.fetch.types import Signal, Status

RATE_LIMITED: Final = (429, 503)
FORBIDDEN: Final = (403, 406, 430)
THIN: Final = 200  # characters of text below which the source is looked at as well: a challenge may show no words
# Phrases are looked for only in pages with less text than this: an article about captchas is no captcha. The block
# pages of the firewalls below hold up to about 1,000 characters.
SHORT: Final = 1500

_HEADERS: Final[Mapping[str, str]] = {
    "cf-ray": "cloudflare",
    "cf-mitigated": "cloudflare",
    "x-amz-cf-id": "cloudfront",
    "x-datadome": "datadome",
    "x-akamai-transformed": "akamai",
}
_COOKIES: Final[Mapping[str, str]] = {
    "__cf_bm": "cloudflare",
    "cf_clearance": "cloudflare",
    "_abck": "akamai",
    "datadome": "datadome",
    "_px3": "perimeterx",
}
_WALLS: Final[Mapping[str, str]] = {  # titles and imprints of the pages that firewalls show
    "attention required! | cloudflare": "cloudflare",
    "just a moment...": "cloudflare",
    "incapsula incident id": "imperva",
    "px-captcha": "perimeterx",
    "captcha-delivery.com": "datadome",
    "errors.edgesuite.net": "akamai",
    "ddos-guard": "ddos-guard",
}
_CHALLENGES: Final = (
    "please enable javascript",
    "checking your browser",
    "verify you are human",
    "captcha",
    "unusual traffic",
)
_PAYWALLS: Final = (
    "please log in",
    "sign in to continue",
    "subscribe to read",
    "subscribers only",
    "로그인 후 이용",
    "구독 후 이용",
)
_TO_COMMENT: Final = re.compile(r"(please log in|sign in to continue) to (comment|reply|post|vote|leave|like|rate)")
_SCRIPTED: Final = ("behavioral-content", "sec-if-cpt")  # pages that a script of Akamai's has to finish
_QUOTA: Final = ("rate limit", "exceeded your quota", "402 payment required")


def detect(
    status: int, headers: Mapping[str, str], source: str, text: str, *, page: bool = True
) -> tuple[Signal, ...]:
    """The signals of one answer.

    `source` is the body as text, `text` what a reader would see of it. Where `page` is False (data, plain text) the
    wording is looked at only when the status is that of an error.
    """
    found = [*_by_status(status, headers), *_by_sender(headers)]
    if page or status >= 400:
        found += _by_wording(source, text)
    if page and status < 400 and not text.strip():
        found.append(Signal("spa-empty", "no text before scripts run" if source.strip() else "empty body"))
    return tuple(found)


def classify(status: int, signals: Sequence[Signal], body: str) -> Status:
    """The status of an answer, in the order: paywall, challenge, gone, closed, limited, failed, empty, ok.

    Headers and cookies of a firewall alone block nothing: half of the web sends them.
    """
    kinds = {signal.kind for signal in signals}
    rules: tuple[tuple[bool, Status], ...] = (
        ("paywall" in kinds, "auth-required"),
        (bool(kinds & {"waf-body", "challenge-body"}), "blocked"),
        (status in (404, 410), "not-found"),
        (status in (401, 407), "auth-required"),
        (status in RATE_LIMITED or "rate-limit" in kinds, "blocked"),
        (status >= 400, "error"),
        (not body.strip() or "spa-empty" in kinds, "error"),
    )
    return next((result for holds, result in rules if holds), "ok")


def _by_status(status: int, headers: Mapping[str, str]) -> Iterator[Signal]:
    """What the status says: a limit with the time that the server gave, or a closed door."""
    spent = headers.get("x-ratelimit-remaining", "").strip() == "0"
    if status in RATE_LIMITED or (status == 403 and spent):
        yield Signal("rate-limit", limit_of(status, headers))
    elif status in FORBIDDEN:
        yield Signal("http-status", str(status))


def limit_of(status: int, headers: Mapping[str, str]) -> str:
    """The limit in the server's own numbers: `retry-after: 2`, or when the window ends, or only the status."""
    if after := headers.get("retry-after"):
        return f"retry-after: {after.strip()[:40]}"
    reset = headers.get("x-ratelimit-reset", "")
    if re.fullmatch(r"\d{9,11}", reset):
        from datetime import UTC, datetime

        return f"HTTP {status}, resets at {datetime.fromtimestamp(int(reset), UTC):%Y-%m-%d %H:%M} UTC"
    return f"HTTP {status}"


def _by_sender(headers: Mapping[str, str]) -> Iterator[Signal]:
    """Which firewall stands before the site, by its headers and cookies."""
    for name, vendor in _HEADERS.items():
        if name in headers:
            yield Signal("waf-header", name, vendor)
    if headers.get("server", "").lower() == "cloudflare":
        yield Signal("waf-header", "server=cloudflare", "cloudflare")
    for name in re.findall(r"(?:^|,\s*)([\w-]+)=", headers.get("set-cookie", "")):
        if name in _COOKIES:
            yield Signal("waf-cookie", name, _COOKIES[name])


def _by_wording(source: str, text: str) -> Iterator[Signal]:
    """What a short page says of itself, and the marks of pages that a script has to finish."""
    lowered = source.lower()
    if len(text) < SHORT:
        words = _TO_COMMENT.sub("", text.lower() if len(text) >= THIN else lowered)
        yield from (Signal("waf-body", wall, vendor) for wall, vendor in _WALLS.items() if wall in lowered)
        yield from (Signal("challenge-body", phrase) for phrase in _CHALLENGES if phrase in words)
        yield from (Signal("paywall", phrase) for phrase in _PAYWALLS if phrase in words)
    yield from (Signal("js-essential", mark) for mark in _SCRIPTED if mark in lowered)


def quota(status: int, text: str) -> tuple[Signal, ...]:
    """The signal that the reader service has no quota left for us."""
    words = text[:SHORT].lower()
    found = str(status) if status in (402, 429) else next((phrase for phrase in _QUOTA if phrase in words), "")
    return (Signal("jina-quota", found),) if found and (status >= 400 or len(text) < SHORT) else ()
