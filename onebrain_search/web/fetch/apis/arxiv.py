"""arXiv by its Atom interface: abstract and facts of a paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote

from onebrain_search.web.fetch.asking import (
    MOST_FOUND,
    Desk,
    Finding,
    Place,
    Reading,
    WrongShape,
    known,
    markdown,
)

API: Final = "https://export.arxiv.org/api/query"
_NAMES: Final = {"a": "http://www.w3.org/2005/Atom", "x": "http://arxiv.org/schemas/atom"}
_ID: Final = re.compile(r"(\d{4}\.\d{4,5}|[a-z-]+(\.[A-Z]{2})?/\d{7})(v\d+)?")


def read(place: Place, desk: Desk) -> Reading:
    """Read `/abs/ID`, `/pdf/ID` or `/html/ID`."""
    number = "/".join(place.steps[1:]).removesuffix(".pdf")
    if place.step(0) not in ("abs", "pdf", "html") or not _ID.fullmatch(number):
        raise WrongShape("papers of arXiv are /abs/ID or /pdf/ID")
    entries = _entries(f"{API}?id_list={quote(number, safe='/')}", desk)
    if not entries or "/api/errors" in _text(entries[0], "a:id"):
        raise desk.missing(f"arXiv has no paper {number}")
    entry = entries[0]
    authors = [" ".join(name.split()) for name in entry.xpath("a:author/a:name/text()", namespaces=_NAMES)]
    published = _text(entry, "a:published")[:10]
    categories = list(map(str, entry.xpath("a:category/@term", namespaces=_NAMES)))
    return Reading(
        markdown(_text(entry, "a:title"), [", ".join(authors), published], _text(entry, "a:summary")),
        known(
            authors=authors, published=published, updated=_text(entry, "a:updated")[:10], categories=categories,
            doi=_text(entry, "x:doi"), comment=_text(entry, "x:comment"), pdf=f"https://arxiv.org/pdf/{number}",
        ),
    )  # fmt: skip


def search(words: str, desk: Desk) -> Sequence[Finding]:
    """Papers with these words anywhere."""
    entries = _entries(f"{API}?search_query={quote(f'all:{words}')}&max_results={MOST_FOUND}", desk)
    return [
        Finding(_text(entry, "a:title"), _text(entry, "a:id"), _text(entry, "a:summary")[:300])
        for entry in entries
        if "/api/errors" not in _text(entry, "a:id")
    ]


def _entries(url: str, desk: Desk) -> list[Any]:
    """The entries of an Atom feed. Raises WebError for what is none."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        feed = etree.fromstring(desk.get(url, accept="application/atom+xml").body, parser)
    except etree.XMLSyntaxError as error:
        raise desk.malformed(url, "no Atom feed") from error
    return list(feed.xpath("//a:entry", namespaces=_NAMES))


def _text(entry: Any, path: str) -> str:
    """The text of an element below an entry, on one line."""
    return " ".join(" ".join(entry.xpath(f"{path}//text()", namespaces=_NAMES)).split())
