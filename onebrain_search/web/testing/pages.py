"""The pages of `pages.json` as sites of the fake internet: the interfaces that `fetch` reads, and pages of all kinds.

A row is an address and what it serves: `json`, `html`, `text`, `atom`, ... with a `status` and `headers` where they
are not the usual ones. The address's query holds what must be asked for; a call may ask for more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from onebrain_search.web.testing.served import Call, Served, Site, nothing_there

KINDS: Final = {  # content type and encoding by the name of the row's text
    "html": ("text/html; charset=utf-8", "utf-8"),
    "text": ("text/plain; charset=utf-8", "utf-8"),
    "atom": ("application/atom+xml", "utf-8"),
    "latin": ("text/html", "latin-1"),
    "png": ("image/png", "utf-8"),
}


@cache
def page_sites() -> Mapping[str, Site]:
    """The sites by host."""
    rows = json.loads(files(__package__).joinpath("pages.json").read_text("utf-8"))
    for row in rows:
        row["url"] = row["url"].replace("[.]", ".")
    hosts = dict.fromkeys(urlsplit(row["url"]).netloc for row in rows)
    return {host: _site([row for row in rows if urlsplit(row["url"]).netloc == host]) for host in hosts}


def _site(rows: list[dict[str, Any]]) -> Site:
    """A site that serves these rows: the one that asks for most of what a call has."""
    ordered = sorted(rows, key=lambda row: -len(urlsplit(row["url"]).query))

    def serve(call: Call) -> Served:
        """Serve the row of a call."""
        return next((_served(row) for row in ordered if _fits(row["url"], call)), nothing_there(call))

    return serve


def _fits(url: str, call: Call) -> bool:
    """Whether a call asks for the page of a row."""
    parts = urlsplit(url)
    same = unquote(parts.path) == unquote(call.path)
    return same and all(call.query.get(name) == value for name, value in parse_qsl(parts.query))


def _served(row: Mapping[str, Any]) -> Served:
    """The response of a row."""
    status, headers = row.get("status", 200), row.get("headers", {})
    if "json" in row:
        return Served(json.dumps(row["json"]).encode(), status, headers=headers)
    kind = next(name for name in KINDS if name in row)
    content_type, encoding = KINDS[kind]
    return Served(row[kind].encode(encoding), status, content_type, headers)
