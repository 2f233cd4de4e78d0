"""A note's date, and explicit dates in a line of prose.

Only full dates that have one reading count: `2026-13-40` is impossible and `03/04/26` ambiguous, so both are
problems. Years of the Buddhist calendar (2443..2643) become common years.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any, NamedTuple

from indexer.parse.months import month_number

DATE_KEYS = (
    "date",
    "created",
    "created at",
    "created on",
    "date created",
    "creation date",
    "file creation date",
    "published",
    "published at",
    "publish date",
    "publication date",
    "day",
    "session date",
    "meeting date",
)

_BUDDHIST = 543  # years ahead of the common era
_YEARS = range(1900, 2101)
_NAME = r"(?:[^\W\d_]|[\u0e00-\u0e7f.]){3,14}"
_DATE = re.compile(
    rf"""(?<!\d)(?:
      (?P<y1>\d{{4}})(?P<sep1>[-/._])(?P<m1>\d{{1,2}})(?P=sep1)(?P<d1>\d{{1,2}})
    | (?P<y2>\d{{4}})\s?[年년]\s?(?P<m2>\d{{1,2}})\s?[月월]\s?(?P<d2>\d{{1,2}})\s?[日号號일]?
    | (?P<d3>\d{{1,2}})(?:st|nd|rd|th|er|[ºª.])?[\s_-]{{0,2}}(?:(?:of|de|del)\s)?(?P<n3>{_NAME})
      ,?[\s_-]{{1,2}}(?:(?:de|del|พ\.ศ\.|ค\.ศ\.)\s)?(?P<y3>\d{{4}})
    | (?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?:,\s{{0,2}}|[\s_-])(?P<y4>\d{{4}})
    | (?P<d5>\d{{1,2}})(?P<sep5>[-/._])(?P<m5>\d{{1,2}})(?P=sep5)(?P<y5>\d{{4}})
    | (?P<d6>\d{{1,2}})\stháng\s(?P<m6>\d{{1,2}}),?\s(?:năm\s)?(?P<y6>\d{{4}})
    )(?!\d)""",
    re.VERBOSE | re.IGNORECASE,
)
_NAME_BEFORE = re.compile(rf"({_NAME})[\s_-]{{0,2}}$")
_COMPACT = re.compile(r"(?<!\d)(\d{4})(\d\d)(\d\d)(?:[T_-]?\d{4}(?:\d\d)?)?(?!\d)")
_WEEK = re.compile(r"(?<!\d)(\d{4})-?W(\d\d)(?!\d)", re.IGNORECASE)
_MONTH = re.compile(r"(?<!\d)(\d{4})[-_.](\d\d)(?!\d|[-_.]\d)")
_SHORT_YEAR = re.compile(r"(?<!\d)\d{1,2}([-/.])\d{1,2}\1\d\d(?!\d)")
_YEAR = re.compile(r"\d{4}")
_YEAR_FOLDER = re.compile(r"(?:19|20)\d\d$")
_MONTH_FOLDER = re.compile(r"(\d\d)(?!\d)|([^\W\d_]{3,10})$")
_DAY_STEM = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?(?![\d.])")
_MONTH_DAY_STEM = re.compile(r"(\d{1,2})[-_.](\d{1,2})(?!\d)")
_SEPARATORS = str.maketrans("", "", " _-")


class Found(NamedTuple):
    """A note's ISO date or None, where it came from, and dates that could not be read."""

    date: str | None
    source: str  # `front matter:KEY`, `file name`, `path`, `title`, `mtime` or ""
    problems: tuple[str, ...] = ()


def find_date(
    meta: Mapping[str, Any],
    path: str,
    mtime_ns: int,
    date_keys: tuple[str, ...] = DATE_KEYS,
    title: str = "",
) -> Found:
    """The date of a note: front matter, else file name, path, title, last change (local day).

    `path` is relative and POSIX. Keys match whatever their case, spaces, hyphens and underscores.
    A week or month alone stands for its first day.
    """
    problems: list[str] = []
    for found, source in _candidates(meta, path, date_keys, title, problems):
        if found:
            return Found(found, source, tuple(problems))
    return _from_mtime(mtime_ns, problems)


def dates_in(text: str) -> list[tuple[int, int, str]]:
    """Explicit full dates in prose as (start, end, ISO date), in order; `text[start:end]` is as written."""
    if not _YEAR.search(text):
        return []
    return [(start, end, iso) for start, end, iso in _scan(text) if iso]


def _candidates(
    meta: Mapping[str, Any], path: str, date_keys: tuple[str, ...], title: str, problems: list[str]
) -> Iterator[tuple[str | None, str]]:
    """Dates by falling authority, each with its source; unreadable ones are added to `problems`."""
    if meta:
        yield from _from_meta(meta, date_keys, problems)
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0] or name
    yield _from_name(stem, problems), "file name"
    if folders:
        yield _from_folders(folders, stem), "path"
    if title and title != stem:
        yield _first(title, []), "title"
    if folders:
        yield _month_of(folders), "path"


def _from_meta(
    meta: Mapping[str, Any], date_keys: tuple[str, ...], problems: list[str]
) -> Iterator[tuple[str | None, str]]:
    """Dates of the front matter, in the order of `date_keys`."""
    keys = {_plain(key): key for key in reversed(list(meta))}
    for wanted in date_keys:
        key = keys.get(_plain(wanted))
        if key is not None:
            yield _from_value(meta[key], key, problems), f"front matter:{key}"


def _plain(key: str) -> str:
    """A key without case and separators."""
    return key.casefold().translate(_SEPARATORS)


def _from_value(value: Any, key: str, problems: list[str]) -> str | None:
    """The date in a front matter value: ISO, in words, compact, or seconds or milliseconds since 1970."""
    if value is None or isinstance(value, (bool, list, dict)) or value == "":
        return None
    written = str(value).strip()
    found = _iso(written[:10]) or _first(written, []) or _epoch(written) or _coarse(written)
    if not found:
        found = _by_dateutil(written)
    if not found:
        problems.append(f"{key}: {written[:40]!r} is not a date with one reading")
    return found


def _iso(written: str) -> str | None:
    """`YYYY-MM-DD` when that is what is written."""
    if len(written) != 10 or written[4] != "-" or written[7] != "-" or not written.isascii():
        return None
    year, month, day = written[:4], written[5:7], written[8:]
    if not (year.isdigit() and month.isdigit() and day.isdigit()):
        return None
    return _valid(int(year), int(month), int(day))


def _epoch(written: str) -> str | None:
    """Local day of a Unix time in seconds (10 digits) or milliseconds (13 digits)."""
    digits, _, _ = written.partition(".")
    if not (digits.isascii() and digits.isdigit() and len(digits) in (10, 13)):
        return None
    return datetime.fromtimestamp(int(digits[:10])).date().isoformat()


def _by_dateutil(written: str) -> str | None:
    """Let dateutil read other forms; day, month and year must all be there, the month as a word."""
    if len(written) > 60 or not _YEAR.search(written) or not re.search(r"[^\W\d_]{3}", written):
        return None
    from dateutil.parser import parse

    try:
        first = parse(written, default=datetime(2001, 1, 1)).date()
        second = parse(written, default=datetime(2002, 2, 2)).date()
    except (ValueError, OverflowError):
        return None
    return _valid(first.year, first.month, first.day) if first == second else None


def _from_name(stem: str, problems: list[str]) -> str | None:
    """The date a file name holds: full, compact, week or month."""
    if not any(map(str.isdigit, stem)):
        return None
    return _first(stem, problems) or _coarse(stem)


def _first(text: str, problems: list[str]) -> str | None:
    """The first full date of a short text; what looks like a date and is none becomes a problem."""
    for start, end, iso in _scan(text):
        if iso:
            return iso
        problems.append(f"{text[start:end]!r} is not a date with one reading")
    for match in _COMPACT.finditer(text):
        iso = _valid(int(match[1]), int(match[2]), int(match[3]))
        if iso:
            return iso
    short = _SHORT_YEAR.search(text)
    if short:
        problems.append(f"{short[0]!r} is not a date with one reading")
    return None


def _coarse(text: str) -> str | None:
    """First day of the ISO week or month that a name holds."""
    week = _WEEK.search(text)
    if week and int(week[1]) in _YEARS:
        try:
            return date.fromisocalendar(int(week[1]), int(week[2]), 1).isoformat()
        except ValueError:
            return None
    month = _MONTH.search(text)
    return _valid(int(month[1]), int(month[2]), 1) if month and int(month[1]) in _YEARS else None


def _from_folders(folders: list[str], stem: str) -> str | None:
    """A full date spread over folders and file name, or held by one folder's name."""
    for folder in reversed(folders):
        if len(folder) > 7 and (found := _first(folder, [])):
            return found
    for depth in range(len(folders) - 1, -1, -1):
        if _YEAR_FOLDER.match(folders[depth]):
            return _below_year(int(folders[depth]), folders[depth + 1 :], stem)
        month = _MONTH.match(folders[depth])
        day = _DAY_STEM.match(stem)
        if month and day:
            return _valid(int(month[1]), int(month[2]), int(day[1]))
    return None


def _below_year(year: int, folders: list[str], stem: str) -> str | None:
    """A date from `05-May/06`, `May/06`, `05/06` or `telcons/09-04-minutes` under a year's folder."""
    for folder in folders:
        month = _folder_month(folder)
        day = _DAY_STEM.match(stem)
        if month and day:
            return _valid(year, month, int(day[1]))
    pair = _MONTH_DAY_STEM.match(stem)
    if not pair:
        return None
    first, second = int(pair[1]), int(pair[2])
    return _valid(year, second, first) if first > 12 else _valid(year, first, second)


def _folder_month(folder: str) -> int:
    """The month a folder stands for: `05`, `05-May`, `May`; 0 when it stands for none."""
    match = _MONTH_FOLDER.match(folder)
    if not match:
        return 0
    month = int(match[1]) if match[1] else month_number(match[2])
    return month if month <= 12 else 0


def _month_of(folders: list[str]) -> str | None:
    """First day of the month a file is filed under: `2024/05/` or `2024-05/`."""
    for depth, folder in enumerate(folders):
        if found := _coarse(folder):
            return found
        if _YEAR_FOLDER.match(folder):
            month = _folder_month(folders[depth + 1]) if depth + 1 < len(folders) else 0
            return _valid(int(folder), month, 1) if month else None
    return None


def _from_mtime(mtime_ns: int, problems: list[str]) -> Found:
    """The local day of the last change."""
    try:
        day = datetime.fromtimestamp(mtime_ns / 1e9).date()
    except (OverflowError, OSError, ValueError):
        return Found(None, "", (*problems, "the time of last change is out of range"))
    return Found(day.isoformat(), "mtime", tuple(problems))


def _scan(text: str) -> Iterator[tuple[int, int, str | None]]:
    """What looks like a full date: (start, end, ISO date, or None when impossible or ambiguous)."""
    for match in _DATE.finditer(text):
        start, end, parts = match.start(), match.end(), match.groupdict()
        if parts["y1"]:
            yield start, end, _valid(int(parts["y1"]), int(parts["m1"]), int(parts["d1"]))
        elif parts["y2"]:
            yield start, end, _valid(int(parts["y2"]), int(parts["m2"]), int(parts["d2"]))
        elif parts["y6"]:
            yield start, end, _valid(int(parts["y6"]), int(parts["m6"]), int(parts["d6"]))
        elif parts["y5"]:
            yield start, end, _by_size(int(parts["d5"]), int(parts["m5"]), parts["sep5"], int(parts["y5"]))
        else:
            yield from _in_words(text, match)


def _in_words(text: str, match: re.Match[str]) -> Iterator[tuple[int, int, str | None]]:
    """A date whose month is a word, behind the day or before it; nothing when the word is no month."""
    if match["y3"]:
        month = month_number(match["n3"])
        if month:
            yield match.start(), match.end(), _valid(int(match["y3"]), month, int(match["d3"]))
        return
    before = _NAME_BEFORE.search(text, max(0, match.start() - 17), match.start())
    month = month_number(before[1]) if before else 0
    if before and month:
        yield before.start(), match.end(), _valid(int(match["y4"]), month, int(match["d4"]))


def _by_size(first: int, second: int, separator: str, year: int) -> str | None:
    """Day and month told apart: dots are day first, else one of them is over 12 or both are equal."""
    if separator == "." or first > 12 or first == second:
        return _valid(year, second, first)
    return _valid(year, first, second) if second > 12 else None


def _valid(year: int, month: int, day: int) -> str | None:
    """The ISO form of a date that exists in 1900..2100, Buddhist years made common ones."""
    if year - _BUDDHIST in _YEARS:
        year -= _BUDDHIST
    if year not in _YEARS:
        return None
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
