"""Dates as people write them, found in a text.

Only full dates that have one reading count: `2026-13-40` is impossible and `03/04/2026` ambiguous. Years of the
Buddhist calendar (2443..2643) become common years.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from indexer.parse.months import month_number

_BUDDHIST = 543  # years ahead of the common era
YEARS = range(1900, 2101)
# Vowel signs of Indic and South-East Asian scripts are no letters to `re`.
_NAME = r"(?:(?:[^\W\d_]|[\u0900-\u0eff\u1000-\u109f\u1780-\u17ff\u200d.]){3,14}|[\u0900-\u0dff\u1000-\u109f]{2})"
_DATE = re.compile(
    rf"""(?<!\d)(?:
      (?P<y1>\d{{4}})(?P<sep1>[-/._])(?P<m1>\d{{1,2}})(?P=sep1)(?P<d1>\d{{1,2}})
    | (?P<y2>\d{{4}})\s?[年년]\s?(?P<m2>\d{{1,2}})\s?[月월]\s?(?P<d2>\d{{1,2}})\s?[日号號일]?
    | (?P<d3>\d{{1,2}})(?:st|nd|rd|th|er|[ºª.])?[\s_-]{{0,2}}(?:(?:of|de|del|ng)\s|d['’]|ב|ខែ|ເດືອນ)?(?P<n3>{_NAME})
      [,،]?[\s_-]{{1,2}}(?:(?:de|del|พ\.ศ\.|ค\.ศ\.|ປີ)\s|ឆ្នាំ\s?)?(?P<y3>\d{{4}})
    | (?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?:,\s{{0,2}}|[\s_-])(?P<y4>\d{{4}})
    | (?P<d5>\d{{1,2}})(?P<sep5>[-/._])(?P<m5>\d{{1,2}})(?P=sep5)(?P<y5>\d{{4}})
    | (?P<y7>\d{{4}})(?:\s(?:m|ж|թ)\.|\s?ခုနှစ်)?[-/.,\s]{{1,2}}(?P<n7>{_NAME})[-/.\s]{{1,2}}(?P<d7>\d{{1,2}})
    | (?P<d6>\d{{1,2}})\stháng\s(?P<m6>\d{{1,2}}),?\s(?:năm\s)?(?P<y6>\d{{4}})
    )(?!\d)""",
    re.VERBOSE | re.IGNORECASE,
)
_NAME_BEFORE = re.compile(rf"({_NAME})[\s_-]{{0,2}}$")
_YEAR = re.compile(r"\d{4}")


def dates_in(text: str) -> list[tuple[int, int, str]]:
    """Explicit full dates in prose as (start, end, ISO date), in order; `text[start:end]` is as written."""
    return [(start, end, iso) for start, end, iso in scan(text) if iso]


def scan(text: str) -> Iterator[tuple[int, int, str | None]]:
    """What looks like a full date: (start, end, ISO date, or None when impossible or ambiguous)."""
    if not _YEAR.search(text):
        return
    for match in _DATE.finditer(text):
        start, end, parts = match.start(), match.end(), match.groupdict()
        if parts["y1"]:
            yield start, end, valid(int(parts["y1"]), int(parts["m1"]), int(parts["d1"]))
        elif parts["y2"]:
            yield start, end, valid(int(parts["y2"]), int(parts["m2"]), int(parts["d2"]))
        elif parts["y6"]:
            yield start, end, valid(int(parts["y6"]), int(parts["m6"]), int(parts["d6"]))
        elif parts["y5"]:
            yield start, end, _by_size(int(parts["d5"]), int(parts["m5"]), parts["sep5"], int(parts["y5"]))
        else:
            yield from _in_words(text, match)


def _in_words(text: str, match: re.Match[str]) -> Iterator[tuple[int, int, str | None]]:
    """A date whose month is a word, behind the day or before it; nothing when the word is no month."""
    for year, name, day in (("y3", "n3", "d3"), ("y7", "n7", "d7")):
        if match[year]:
            month = month_number(match[name])
            if month:
                yield match.start(), match.end(), valid(int(match[year]), month, int(match[day]))
            return
    before = _NAME_BEFORE.search(text, max(0, match.start() - 17), match.start())
    month = month_number(before[1]) if before else 0
    if before and month:
        yield before.start(), match.end(), valid(int(match["y4"]), month, int(match["d4"]))


def _by_size(first: int, second: int, separator: str, year: int) -> str | None:
    """Day and month told apart: dots are day first, else one of them is over 12 or both are equal."""
    if separator == "." or first > 12 or first == second:
        return valid(year, second, first)
    return valid(year, first, second) if second > 12 else None


def valid(year: int, month: int, day: int) -> str | None:
    """The ISO form of a date that exists in 1900..2100, Buddhist years made common ones."""
    if year - _BUDDHIST in YEARS:
        year -= _BUDDHIST
    if year not in YEARS:
        return None
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
