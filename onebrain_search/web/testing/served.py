"""What reaches a site of the fake internet, and what it serves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """One request as it arrived; header names are in lower case, `closing` is set when the internet shuts down."""

    host: str
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    at: float
    closing: Event = field(repr=False, compare=False, default_factory=Event)

    @property
    def json(self) -> Any:
        """The body as JSON, None where it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Served:
    """A response: a body that is no bytes is sent piece by piece; `cut` announces more than is sent."""

    body: bytes | Iterable[bytes] = b""
    status: int = 200
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False


Site = Callable[[Call], Served]


def as_json(value: Any, status: int = 200, **headers: str) -> Served:
    """Return a response with JSON; underscores in header names become dashes."""
    names = {name.replace("_", "-"): text for name, text in headers.items()}
    return Served(json.dumps(value).encode(), status, headers=names)


def as_html(text: str, status: int = 200) -> Served:
    """Return a response with a page."""
    return Served(text.encode(), status, "text/html; charset=utf-8")


def nothing_there(call: Call) -> Served:
    """Return what a server says of a path that it does not know."""
    return as_html(f"<html><body><h1>404</h1><p>{call.path}</p></body></html>", 404)


def either(*sites: Site) -> Site:
    """Return a host that several functions serve: the first one that knows the path."""

    def site(call: Call) -> Served:
        """Serve a call."""
        for each in sites:
            served = each(call)
            if served.status != 404:
                break
        return served

    return site
