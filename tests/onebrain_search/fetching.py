"""What the tests of `fetch` share: the fake internet with its pages, and a fetch in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onebrain_search.web.addresses import PublicOnly
from onebrain_search.web.fetch.pipeline import fetch
from onebrain_search.web.fetch.types import Choices, Fetched
from onebrain_search.web.http import Http
from onebrain_search.web.testing import FakeInternet, Served
from onebrain_search.web.testing.pages import page_sites
from onebrain_search.web.testing.served import Site

WORDS = "The ferry crosses the river every hour, and takes bicycles for nothing. " * 4


def internet(sites: Mapping[str, Site] | None = None) -> FakeInternet:
    """Return an internet with the pages that are shipped, and these sites."""
    return FakeInternet({**page_sites(), **(sites or {})})


def opening(net: FakeInternet) -> Http:
    """Return an opening to the network that leads there, by the same checks as in life."""
    return Http(guard=PublicOnly(resolve=lambda host, port: ["93.184.216.34"]), routes=net.routes)


def fetched(net: FakeInternet, url: str, **choices: Any) -> Fetched:
    """Return what a fetch in that internet leads to."""
    return fetch(url, Choices(**{"seconds": 20.0, **choices}), http=opening(net))


def tried(result: Fetched) -> list[tuple[str, str]]:
    """Return strategy and status of each attempt."""
    return [(attempt.strategy, attempt.status) for attempt in result.attempts]


def page(text: str, status: int = 200, **headers: str) -> Served:
    """Return a page with this in its body."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Served(f"<html><body>{text}</body></html>".encode(), status, "text/html; charset=utf-8", names)
