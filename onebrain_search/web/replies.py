"""Request of a source -> its reply as plain values, or the one error that says what it did instead."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import unescape
from typing import Any

from indexer.errors import WebError
from onebrain_search.web.http import Ask, Reply, shown
from onebrain_search.web.results import Access, SourceError

LONGEST_TITLE = 300
LONGEST_SNIPPET = 1500  # characters; longer texts of a source are cut
LONGEST_PAUSE = 3600.0  # seconds that a source's own word is believed
RATE_STATUSES = (403, 429)

_ADDRESS = re.compile(r"https?://[^\s\x00-\x1f\x7f\ud800-\udfff]{1,2000}")
_LONE = re.compile(r"[\ud800-\udfff]")  # half a character, which JSON can name and nobody can print
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


def sent(access: Access, ask: Ask, *, fixes: Mapping[int, str] | None = None, passing: int = 200) -> Reply:
    """Return the reply of a source with a status of 2xx. Raises SourceError for all else, never with a key in it.

    `fixes` says what to do about a status, `passing` is one more that is taken.
    """
    try:
        reply = access.http.send(ask)
    except WebError as error:
        code = "search_timeout" if error.kind == "timeout" else "search_error"
        raise SourceError(code, _covered(error.what, access.keys), where=error.where) from error
    if reply.status != passing and (reply.status == 202 or not 200 <= reply.status < 300):
        words = said(reply, access.keys)
        fix = (fixes or {}).get(reply.status, "")
        what = f"answered {reply.status}" + (f" ({words})" if words else "") + (f"; {fix}" if fix else "")
        limit = reply.headers.get("x-ratelimit-limit", "").split(",")[0].strip()[:12]
        code = f"search_http_{reply.status}"
        raise SourceError(code, what, where=shown(ask.url), wait=pause(reply), limit=limit)
    return reply


def mapping(reply: Reply) -> Mapping[str, Any]:
    """Return the JSON object of a reply. Raises SourceError where it is none."""
    value = _json(reply)
    if not isinstance(value, dict):
        raise SourceError("search_error", "answered something else than results", where=shown(reply.url))
    return value


def listing(reply: Reply) -> list[Any]:
    """Return the JSON list of a reply. Raises SourceError where it is none."""
    value = _json(reply)
    if not isinstance(value, list):
        raise SourceError("search_error", "answered something else than a list", where=shown(reply.url))
    return value


def within(value: Any, *path: str) -> Any:
    """Return what lies below the names of a path, None where anything on the way is missing or no object."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def rows(value: Any, *path: str) -> list[dict[str, Any]]:
    """Return the objects of the list at a path; whatever else is there is left out."""
    found = within(value, *path)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def text(value: Any, most: int = LONGEST_SNIPPET) -> str:
    """Return a text without tags and entities on one line; a list of texts is joined, anything else is empty."""
    if isinstance(value, (list, tuple)):
        value = " … ".join(part for part in value if isinstance(part, str))
    if not isinstance(value, str):
        return ""
    return _LONE.sub("\ufffd", " ".join(unescape(_TAG.sub("", value[: 20 * most])).split())[:most])


def title(value: Any, url: str) -> str:
    """Return a title, or the address where a source gives none."""
    return text(value, LONGEST_TITLE) or url


def address(value: Any) -> str:
    """Return an http address as it is; nothing for what is none, has spaces, or cannot be written."""
    found = value.strip() if isinstance(value, str) else ""
    return found if _ADDRESS.fullmatch(found) else ""


def said(reply: Reply, keys: Iterable[str] = ()) -> str:
    """Return a server's own words about an error, one short line, without our keys."""
    try:
        value = reply.json()
    except WebError:
        value = None
    words = next(filter(None, map(text, _messages(value))), "")
    return _covered(words, keys)[:160]


def _covered(words: str, keys: Iterable[str]) -> str:
    """Return a text without our keys."""
    for key in keys:
        words = words.replace(key, "***") if key else words
    return words


def pause(reply: Reply) -> float | None:
    """Return the seconds that a server asks to wait: by Retry-After, or by its rate limit where nothing is left."""
    import time
    from email.utils import parsedate_to_datetime

    asked = reply.headers.get("retry-after", "")
    try:
        return min(LONGEST_PAUSE, max(0.0, float(asked)))
    except ValueError:
        pass
    try:
        return min(LONGEST_PAUSE, max(0.0, parsedate_to_datetime(asked).timestamp() - time.time()))
    except (TypeError, ValueError, IndexError, OverflowError):
        pass
    left, reset = (_first(reply.headers.get(f"x-ratelimit-{name}", "")) for name in ("remaining", "reset"))
    if left != 0 or reset is None:
        return None
    seconds = reset - time.time() if reset > 1e9 else reset  # an hour of the clock, or a number of seconds
    return min(LONGEST_PAUSE, max(0.0, seconds))


def _json(reply: Reply) -> Any:
    """Return the JSON of a reply. Raises SourceError."""
    try:
        return reply.json()
    except WebError as error:
        raise SourceError("search_error", error.what, where=error.where) from error


def _first(numbers: str) -> float | None:
    """Return the first of a comma list of numbers, as some sources give them for a second and a month."""
    try:
        return float(numbers.split(",")[0])
    except ValueError:
        return None


def _messages(value: Any) -> list[Any]:
    """Return where sources write what is wrong."""
    error = within(value, "error")
    paths = (("error", "detail"), ("error", "message"), ("detail", "error"), ("message",), ("detail",), ("error",))
    return [within(value, *path) for path in paths] if error or value else []
