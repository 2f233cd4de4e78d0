"""V2EX by its interface: topics."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from onebrain_search.web.fetch.asking import Desk, Place, Reading, WrongShape, day, known, markdown, rows

API: Final = "https://www.v2ex.com/api/topics/show.json"


def read(place: Place, desk: Desk) -> Reading:
    """Read `/t/ID`."""
    number = place.step(1)
    if place.step(0) != "t" or not number.isdigit():
        raise WrongShape("topics of V2EX are /t/NUMBER")
    found = rows(desk.json(f"{API}?id={quote(number)}"))
    if not found:
        raise desk.missing(f"V2EX has no topic {number}")
    topic = found[0]
    node, who = (topic.get("node") or {}).get("title", ""), (topic.get("member") or {}).get("username", "")
    return Reading(
        markdown(topic["title"], [node, who, day(topic.get("created"))], topic.get("content") or ""),
        known(node=node, author=who, replies=topic.get("replies")),
    )
