"""The sites of Stack Exchange by their common interface: a question with its best answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from onebrain_search.web.fetch.asking import (
    Desk,
    Finding,
    Place,
    Reading,
    Unanswered,
    WrongShape,
    day,
    known,
    markdown,
    rows,
    texts,
)
from onebrain_search.web.fetch.extraction import html_text
from onebrain_search.web.fetch.types import Outcome, Signal

API: Final = "https://api.stackexchange.com/2.3"
MOST_ANSWERS: Final = 5
LIMITED: Final = "throttle_violation"  # the error_name of "too many requests"; its status is 400


def read(place: Place, desk: Desk) -> Reading:
    """Read `/questions/ID`, `/q/ID` or `/a/ID`."""
    kind, number = place.step(0), place.step(1)
    if kind not in ("questions", "q", "a") or not number.isdigit():
        raise WrongShape("questions of Stack Exchange are /questions/ID, /q/ID or /a/ID")
    site = site_of(place.host)
    if kind == "a":
        answers = _items(f"/answers/{number}?site={site}&filter=withbody", desk)
        if not answers:
            raise desk.missing(f"{site} has no answer {number}")
        number = str(answers[0]["question_id"])
    found = _items(f"/questions/{number}?site={site}&filter=withbody", desk)
    if not found:
        raise desk.missing(f"{site} has no question {number}")
    question = found[0]
    order = f"order=desc&sort=votes&pagesize={MOST_ANSWERS}"
    best = _items(f"/questions/{number}/answers?{order}&site={site}&filter=withbody", desk)
    facts = [
        f"{question.get('score', 0)} votes",
        day(question.get("creation_date")),
        ", ".join(texts(question["tags"])),
    ]
    return Reading(
        markdown(html_text(question["title"]), facts, html_text(question.get("body") or ""), *map(_answer, best)),
        known(
            tags=question.get("tags"), score=question.get("score"), answered=question.get("is_answered"),
            answers=question.get("answer_count"), shown=len(best) or None, link=question.get("link"),
        ),
    )  # fmt: skip


def search(words: str, desk: Desk) -> Sequence[Finding]:
    """Questions of Stack Overflow with these words in the title."""
    found = _items(f"/search?order=desc&sort=votes&intitle={quote(words)}&site=stackoverflow", desk)
    return [
        Finding(
            html_text(row["title"]), row["link"], f"{row.get('score', 0)} votes · {', '.join(texts(row.get('tags')))}"
        )
        for row in found
    ]


def site_of(host: str) -> str:
    """The name that the interface has for a host."""
    host = host.removeprefix("www.")
    if host.endswith(".stackexchange.com"):
        return host.removesuffix(".stackexchange.com")
    return host if host == "mathoverflow.net" else host.removesuffix(".com")


def _items(path: str, desk: Desk) -> list[Mapping[str, Any]]:
    """The items of an answer. Raises Unanswered with the limit's own numbers when there were too many requests."""
    reply = desk.ask(API + path, accept="application/json")
    if reply.status == 400 and LIMITED in (said := _said(desk.parsed(reply))):
        signal = Signal("rate-limit", said[:200])
        raise Unanswered(
            Outcome("api", "blocked", desk.platform, http_status=400, signals=(signal,), error=said[:200])
        )
    return rows(desk.parsed(desk.succeeded(reply))["items"])


def _said(value: Any) -> str:
    """The interface's own words of an error, its name first."""
    return f"{value.get('error_name', '')}: {value.get('error_message', '')}" if isinstance(value, Mapping) else ""


def _answer(row: Mapping[str, Any]) -> str:
    """An answer below its question."""
    accepted = " · accepted" if row.get("is_accepted") else ""
    who = (row.get("owner") or {}).get("display_name", "")
    return f"## {row.get('score', 0)} votes{accepted} · {who}\n\n{html_text(row.get('body') or '')}"
