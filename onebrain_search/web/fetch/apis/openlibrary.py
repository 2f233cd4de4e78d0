"""Open Library by the JSON beside each page: works, books, authors."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from onebrain_search.web.fetch.asking import Desk, Place, Reading, WrongShape, known, markdown, texts

KINDS: Final = ("works", "books", "authors", "isbn")


def read(place: Place, desk: Desk) -> Reading:
    """Read `/works/ID`, `/books/ID`, `/authors/ID` or `/isbn/NUMBER`; a title behind it counts for nothing."""
    kind, number = place.step(0), place.step(1).removesuffix(".json")
    if kind not in KINDS or not number:
        raise WrongShape("pages of Open Library are /works/ID, /books/ID, /authors/ID and /isbn/NUMBER")
    found = desk.json(f"https://openlibrary.org/{kind}/{quote(number)}.json")
    first = found.get("first_publish_date") or found.get("publish_date") or found.get("birth_date") or ""
    by = found.get("by_statement") or ", ".join(texts(found.get("publishers")))
    text = _text(found.get("description")) or _text(found.get("bio"))
    subjects = texts(found.get("subjects"))
    return Reading(
        markdown(found.get("title") or found.get("name") or number, [by, str(first)], text, ", ".join(subjects[:20])),
        known(date=first, subjects=subjects[:20], pages=found.get("number_of_pages"), key=found.get("key")),
    )


def _text(value: Any) -> str:
    """A text, which may stand in an object."""
    return str(value.get("value", "") if isinstance(value, dict) else value or "")
