"""The feeds of a site: those that a page names, else the places where feeds usually are."""

from __future__ import annotations

from typing import Final
from urllib.parse import urljoin

from indexer.errors import WebError
from onebrain_search.web.fetch.page import Page
from onebrain_search.web.fetch.types import Errand

USUAL: Final = ("/rss", "/feed", "/atom.xml", "/rss.xml", "/index.xml")
_MARKS: Final = (b"<rss", b"<feed", b"<rdf:rdf")


def find(errand: Errand) -> list[str]:
    """The addresses of the feeds; the usual places are tried one by one if the page names none. Raises WebError."""
    reply = errand.get(errand.url)
    if named := Page(reply.text, reply.url).feeds():
        return named
    for place in USUAL:
        address = urljoin(reply.url, place)
        try:
            found = errand.get(address)
        except WebError as error:
            if error.kind in ("timeout", "refused"):
                raise
            continue
        if found.status == 200 and any(mark in found.body[:1000].lower() for mark in _MARKS):
            return [found.url]
    return []
