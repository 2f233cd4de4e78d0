"""DOIs by Crossref: what a work is, who wrote it, and its abstract where the publisher gives one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    rows,
    texts,
)
from onebrain_search.web.fetch.extraction import html_text

API: Final = "https://api.crossref.org/works"


def read(place: Place, desk: Desk) -> Reading:
    """Read `/DOI`."""
    doi = "/".join(place.steps)
    if not doi.startswith("10.") or len(place.steps) < 2:
        raise WrongShape("works are /DOI, as /10.1000/182")
    found = desk.json(f"{API}/{quote(doi, safe='')}")["message"]
    title, authors, published = _title(found), _authors(found), _published(found)
    journal = next(iter(texts(found.get("container-title"))), "")
    facts = [", ".join(authors), journal, published]
    return Reading(
        markdown(title, facts, html_text(found.get("abstract") or ""), found.get("URL") or ""),
        known(
            doi=found.get("DOI"), authors=authors, published=published, journal=journal,
            publisher=found.get("publisher"), type=found.get("type"), citations=found.get("is-referenced-by-count"),
        ),
    )  # fmt: skip


def search(words: str, desk: Desk) -> Sequence[Finding]:
    """Works with these words."""
    found = desk.json(f"{API}?query={quote(words)}&rows={MOST_FOUND}")["message"]
    return [
        Finding(_title(row), row.get("URL") or "", " · ".join([", ".join(_authors(row)[:3]), _published(row)]))
        for row in rows(found.get("items"))
    ]


def _title(work: Mapping[str, Any]) -> str:
    """The title of a work, or its DOI."""
    return html_text(next(iter(texts(work.get("title"))), "")) or str(work.get("DOI", ""))


def _authors(work: Mapping[str, Any]) -> list[str]:
    """The names of the authors; a group has one name."""
    people = rows(work.get("author"))
    return [" ".join(filter(None, (row.get("given"), row.get("family") or row.get("name")))) for row in people]


def _published(work: Mapping[str, Any]) -> str:
    """The day, month or year of publication."""
    parts = ((work.get("published") or work.get("issued") or {}).get("date-parts") or [[]])[0]
    return "-".join(f"{part:02d}" for part in parts if isinstance(part, int))
