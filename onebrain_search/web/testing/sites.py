"""The hosts of the fake internet; a new one is a function and its row."""

from __future__ import annotations

from onebrain_search.web.testing.engines import ENGINES
from onebrain_search.web.testing.served import Call, Served, Site, as_html


def _article(call: Call) -> Served:
    """Serve a page that says where it is."""
    return as_html(f"<html><head><title>{call.path}</title></head><body><p>Written at {call.path}.</p></body></html>")


SITES: dict[str, Site] = {
    **ENGINES,
    "docs.example.org": _article,
}
