"""DEV by its interface: articles in the Markdown they were written in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
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
)

API: Final = "https://dev.to/api/articles"


def read(place: Place, desk: Desk) -> Reading:
    """Read `/USER/ARTICLE`."""
    if len(place.steps) != 2 or place.step(0) in ("t", "api", "search"):
        raise WrongShape("articles of DEV are /USER/ARTICLE")
    found = desk.json(f"{API}/{quote(place.step(0))}/{quote(place.step(1))}")
    author = (found.get("user") or {}).get("name", "")
    published = str(found.get("published_at") or "")[:10]
    tags = found.get("tags") if isinstance(found.get("tags"), list) else found.get("tag_list")
    return Reading(
        markdown(found["title"], [author, published], found.get("body_markdown") or found.get("description") or ""),
        known(author=author, published=published, tags=tags, reactions=found.get("public_reactions_count")),
    )


def search(words: str, desk: Desk) -> Sequence[Finding]:
    """Articles with these words as a tag, which is all that the interface can look for."""
    tag = "".join(character for character in words.lower() if character.isalnum())
    found = rows(desk.json(f"{API}?tag={quote(tag)}&per_page={MOST_FOUND}"))
    return [Finding(row["title"], row["url"], row.get("description") or "") for row in found]
