"""Results -> scores: how many words of the question they have, how fresh they are, and how good their domain is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

from onebrain_search.web.purpose import Purpose
from onebrain_search.web.results import Result, host_of
from onebrain_search.web.tables import load

BOOST = 0.2  # of a domain that the user prefers
NEUTRAL = 0.5  # where a question has no words, or a page no date
SHORTEST = 3  # characters of a word that counts
BY_AGE = ((1, 1.0), (7, 0.9), (30, 0.7), (90, 0.5), (365, 0.3))  # days, score
OLDER = 0.1
BY_YEAR = {0: 0.9, 1: 0.6, 2: 0.4, 3: 0.4}  # years before now that a snippet names, score
OLDER_YEAR = 0.2
FORMATS = ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%Y/%m/%d", "%Y%m%d")

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_AGO = re.compile(r"^(\d{1,9}|an?)\s+(minute|hour|day|week|month|year)s?\s+ago$", re.IGNORECASE)
_DAYS = {"minute": 0.0, "hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.0, "year": 365.0}


def scored(
    results: Iterable[Result], question: str, purpose: Purpose | None, now: datetime, boost: Sequence[str] = ()
) -> list[Result]:
    """Return the results with their scores, in the order they came in; without a purpose they get none."""
    if purpose is None:
        return list(results)
    return [replace(each, score=score(each, question, purpose, now, boost)) for each in results]


def score(result: Result, question: str, purpose: Purpose, now: datetime, boost: Sequence[str] = ()) -> float:
    """Return the weighted sum of keyword, freshness and authority, to 4 places (0..1)."""
    text = f"{result.title} {result.snippet}"
    worth = authority(host_of(result.url), boost)
    keyword, fresh, good = purpose.weights
    value = keyword * matched(question, text) + fresh * freshness(result.date, result.snippet, now) + good * worth
    return round(value, 4)


def matched(question: str, text: str) -> float:
    """Return the share of a question's words longer than two characters that stand in a text, also inside words."""
    words = [word for word in question.lower().split() if len(word) >= SHORTEST]
    text = text.lower()
    return sum(word in text for word in words) / len(words) if words else NEUTRAL


def freshness(date: str, snippet: str, now: datetime) -> float:
    """Return how fresh a page is by its date, else by the newest year that its snippet names."""
    if date:
        age = age_in_days(date, now)
        if age is None:
            return NEUTRAL
        return next((value for days, value in BY_AGE if age <= days), OLDER)
    years = [int(year) for year in _YEAR.findall(snippet) if int(year) <= now.year]
    return BY_YEAR.get(now.year - max(years), OLDER_YEAR) if years else NEUTRAL


def age_in_days(date: str, now: datetime) -> float | None:
    """Return how many days ago a date was, in any form that sources write; None for one that cannot be read."""
    ago = _AGO.match(date.strip())
    if ago:
        count = 1 if ago[1].lower().startswith("a") else int(ago[1])
        return count * _DAYS[ago[2].lower()]
    when = _read(date.strip())
    if when is None:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return (now - when).total_seconds() / 86400


def authority(domain: str, boost: Sequence[str] = ()) -> float:
    """Return how good a domain is: listed, below a listed one, or by its form; a preferred one gets more, up to 1."""
    value = _listed(domain)
    preferred = any(domain == each or domain.endswith(f".{each}") for each in map(str.lower, boost))
    return min(1.0, value + BOOST) if preferred else value


def _listed(domain: str) -> float:
    """Return the value of a domain from the table."""
    known = _domains()
    table = load("authority")
    for host in (domain, domain.removeprefix("www.")):
        if host in known:
            return known[host]
        above = next((value for name, value in known.items() if host.endswith(f".{name}")), None)
        if above is not None:
            return above
    for pattern, value in table["patterns"]:
        if fits(domain, pattern):
            return float(value)
    return float(table["default"])


@cache
def _domains() -> dict[str, float]:
    """Return the value of each listed domain; of one that is listed twice the last counts."""
    return {name: value for value, names in load("authority")["tiers"] for name in names}


def fits(domain: str, pattern: str) -> bool:
    """Whether a domain has the form of a pattern: `docs.*` starts it, `*.edu` ends it, `*.docs.*` is inside."""
    inner = pattern.strip("*")
    if pattern.startswith("*") and pattern.endswith("*"):
        return inner in domain
    if pattern.startswith("*"):
        return domain.endswith(inner)
    return domain.startswith(inner) if pattern.endswith("*") else domain == pattern


def _read(date: str) -> datetime | None:
    """Return a written date; None for what is none."""
    try:
        return datetime.fromisoformat(date)
    except ValueError:
        pass
    for form in FORMATS:
        try:
            return datetime.strptime(date, form)
        except ValueError:
            continue
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(date)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
