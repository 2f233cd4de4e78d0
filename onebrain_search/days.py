"""A date as it is typed into a filter -> the days it names."""

from __future__ import annotations

import re
from datetime import MAXYEAR, date, timedelta

from indexer.errors import QueryError

EXAMPLES = "2026-03-02, 2026-03, 2026, 2026-01..2026-03, today, yesterday, 7d, last week, last 3 months"

_DAYS = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?)?$", re.ASCII)
_SPAN = re.compile(r"(?:(?:last|past) )?(?P<count>\d{1,4}) ?(?P<unit>[dwmy])(?:ays?|eeks?|onths?|ears?)?$", re.ASCII)
_UNITS = {"d": "days", "w": "weeks", "m": "months", "y": "years"}
_NAMED = {"last day": "1d", "last week": "7d", "last month": "1m", "last year": "1y"}


def day_range(value: str, today: date) -> tuple[str, str]:
    """Return the first and last ISO day that a date value names, both included; an open end is empty.

    A day, a month, a year, `A..B`, `today`, `yesterday`, `7d` `2w` `3m` `1y` or `last 3 months` (that long ago up to
    and with today), `last week` (7 days ago up to and with today), `last month`, `last year`, `this week` (from
    Monday), `this month`, `this year` (up to today). Raises QueryError for anything else.
    """
    low, dots, high = value.strip().partition("..")
    if dots and (low or high):
        first, last = low and day_range(low, today)[0], high and day_range(high, today)[1]
        if first and last and first > last:
            raise QueryError(f"the dates {value!r} end before they begin", fix="write the earlier one first")
        return first, last
    plain = " ".join(re.sub(r"(?<=\w)[_-](?=\w)", " ", low.casefold()).split())
    found = None if dots else _relative(plain, today) or _calendar(low)
    if found is None:
        raise QueryError(f"the date {value!r} cannot be read", fix=f"write it as one of {EXAMPLES}")
    return found[0].isoformat(), found[1].isoformat()


def day_before(value: str, today: date) -> str:
    """Return the ISO day before the first one that a date value names. Raises QueryError as `day_range` does."""
    first = day_range(value, today)[0]
    if not first or first == date.min.isoformat():
        raise QueryError(f"there is no day before {value!r}", fix=f"write a date as one of {EXAMPLES}")
    return (date.fromisoformat(first) - timedelta(days=1)).isoformat()


def _relative(value: str, today: date) -> tuple[date, date] | None:
    """Return the days of a date that is relative to today."""
    span = _SPAN.match(_NAMED.get(value, value))
    if span:
        return _ago(int(span["count"]), _UNITS[span["unit"]], today), today
    first = {
        "today": today,
        "this week": today - timedelta(days=today.weekday()),
        "this month": today.replace(day=1),
        "this year": today.replace(month=1, day=1),
    }.get(value)
    if value == "yesterday":
        return (today - timedelta(days=1),) * 2
    return (first, today) if first else None


def _ago(count: int, unit: str, today: date) -> date:
    """Return the day some days, weeks, months or years before today, or the first there is."""
    from dateutil.relativedelta import relativedelta

    try:
        return today - relativedelta(**{unit: count})  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        return date.min


def _calendar(value: str) -> tuple[date, date] | None:
    """Return the days of a written day, month or year."""
    match = _DAYS.match(value.strip().replace("/", "-").replace(".", "-"))
    if not match:
        return None
    year, month, day = int(match["year"]), int(match["month"] or 0), int(match["day"] or 0)
    try:
        if match["day"]:
            return (date(year, month, day),) * 2
        first = date(year, month if match["month"] else 1, 1)
        if year == MAXYEAR and month in (0, 12):
            return first, date.max
        after = date(year + (month in (0, 12)), month % 12 + 1 if month else 1, 1)
        return first, after - timedelta(days=1)
    except ValueError:
        return None
