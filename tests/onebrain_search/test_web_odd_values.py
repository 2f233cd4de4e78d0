"""Replies of sources with strange values in them: whatever stands there costs at most the source that sent it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from onebrain_search.web import merge, scoring
from onebrain_search.web.http import Ask, Http, Reply
from onebrain_search.web.providers import PROVIDERS, Provider
from onebrain_search.web.purpose import purposes
from onebrain_search.web.replies import pause
from onebrain_search.web.results import Access, SourceError, Wanted
from onebrain_search.web.testing import Call
from onebrain_search.web.testing.engines import ENGINES
from tests.onebrain_search.fake_web import KEY, NOW

NEWS = purposes()["news"]


class Warped(Http):
    """Answers as the engines do, without a network, with one value of one reply put in the place of another."""

    def __init__(self) -> None:
        """Begin with replies as they are."""
        super().__init__()
        self.seen: dict[str, Any] = {}
        self.instead: dict[str, Any] = {}

    def send(self, ask: Ask) -> Reply:
        """Return the engine's reply."""
        parts = urlsplit(ask.url)
        query, headers = (
            {**dict(parse_qsl(parts.query)), **ask.params},
            {k.lower(): v for k, v in ask.headers.items()},
        )
        call = Call(parts.hostname or "", ask.method, parts.path, query, headers, json.dumps(ask.json).encode(), 0.0)
        served = ENGINES[call.host](call)
        if served.status == 200:
            self.seen.setdefault(call.path, json.loads(served.body))
        body = json.dumps(self.instead[call.path]).encode() if call.path in self.instead else served.body
        return Reply(ask.url, served.status, {"content-type": served.kind}, body)


def _warped(value: Any) -> Iterator[Any]:
    """Yield a JSON value with each of its parts in turn replaced by what nobody would send."""
    for odd in (None, True, -1, 10**400, float("inf"), "\ud800", "https://[::1", f"{'9' * 400} days ago", [], {}):
        yield odd
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in list(parts):
        for odd in _warped(part):
            copy = value.copy()
            copy[key] = odd
            yield copy


@pytest.mark.parametrize("row", [row for row in PROVIDERS.values() if not row.html], ids=lambda row: row.name)
def test_a_value_of_another_type_costs_at_most_the_source(row: Provider) -> None:
    """Wherever it stands: there are results that can be merged and scored, or there is one SourceError."""
    http = Warped()
    access = Access(http, row.url or "https://searx.example.org", (KEY,))
    wanted, asks = Wanted("React retry", now=NOW, mode="answer", purpose="news"), row.load()
    asks(wanted, access)
    for path, reply in list(http.seen.items()):
        for odd in _warped(reply):
            http.instead = {path: odd}
            with suppress(SourceError):
                results = scoring.scored(merge.merged([asks(wanted, access).results]), "React", NEWS, NOW)
                assert all(result.title and result.url for result in results)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("2", 2.0), ("2.5", 2.5), ("-5", 0.0), ("nan", 0.0), ("inf", 3600.0), ("soon", None), ("5, 6", None),
     ("Wed, 31 Dec 9999 23:59:59 GMT", 3600.0), ("Mon, 01 Jan 1900 00:00:00 GMT", 0.0),
     (f"01 Jan {'9' * 20} 00:00:00 GMT", None)],
)  # fmt: skip
def test_a_pause_is_read_or_not_known(header: str, seconds: float | None) -> None:
    """Whatever a server writes into Retry-After; an hour is the most that is believed."""
    assert pause(Reply("https://a.org", 429, {"retry-after": header}, b"")) == seconds
