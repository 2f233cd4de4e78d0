"""A note's date: from its front matter, name, folders, title, first lines, or the time of its last change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any, NamedTuple

from indexer.parse.content import DATE_KEYS
from indexer.parse.months import month_number
from indexer.parse.written_dates import YEARS, dates_in, scan, valid

_COMPACT = re.compile(r"(?<!\d)(\d{4})(\d\d)(\d\d)(?:[T_-]?\d{4}(?:\d\d)?)?(?!\d)")
_WEEK = re.compile(r"(?<!\d)(\d{4})-?W(\d\d)(?!\d)", re.IGNORECASE)
_MONTH = re.compile(r"(?<!\d)(\d{4})[-_.](\d\d)(?!\d|[-_.]\d)")
_SHORT_YEAR = re.compile(r"(?<!\d)\d{1,2}([-/.])\d{1,2}\1\d\d(?!\d)")
_TOP, _TOP_LINES = 4_000, 20  # characters and lines in which a note says its date
_LABEL = re.compile(
    r"[\s#>*_|+-]{0,8}((?:[^\W\d_]{1,12}\s){0,2}(?:date|time|when|created|datum|fecha|data|дата|日期|日付|วันที่|날짜|tarih"
    r"|dátum|dato|päivämäärä|pvm|ημερομηνία|ngày|tanggal|tarikh|petsa|kuupäev|tarix|tarehe|תאריך|تاریخ|التاريخ|दिनांक|तारीख"
    r"|तारिख|मिति|তারিখ|તારીખ|ਤਾਰੀਖ|தேதி|తేదీ|ದಿನಾಂಕ|തീയതി|දිනය|თარიღი|ամսաթիվ|ቀን|ວັນທີ|ရက်စွဲ|កាលបរិច្ឆេទ)"
    r"(?:(?:\s|/|\s?&\s?)[^\W\d_]{1,10}){0,2})[\s*_]{0,40}[:：|]",
    re.IGNORECASE,
)
_WEEKDAY = 18  # characters that may stand beside a date: marks and the name of the day
_CLOCK = re.compile(r"(?:\bat\s)?\b\d{1,2}:\d\d(?:\s?[AaPp]\.?[Mm]\b)?|\b(?:UTC|GMT|CES?T|[ECMP][SD]?T|[IJ]ST)\b")
_BOLD = str.maketrans("", "", "*")
_FIRST_VERSION = re.compile(r"[\s:|–—*_-]{1,8}(?:initial|first|created|draft|proposed|started)", re.IGNORECASE)
_OTHER_DATE = re.compile(
    r"next|due|clos|expir|end|updat|modif|review|target|dead|revis|last|publi|launch|birth|until|effect|release",
    re.IGNORECASE,
)
_YEAR_FOLDER = re.compile(r"(?:19|20)\d\d$")
_MONTH_FOLDER = re.compile(r"(\d\d)(?!\d)|([^\W\d_]{3,10})$")
_DAY_STEM = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?(?![\d.])")
_MONTH_DAY_STEM = re.compile(r"(\d{1,2})[-_.](\d{1,2})(?!\d)")
_SEPARATORS = str.maketrans("", "", " _-")


class Found(NamedTuple):
    """A note's ISO date or None, where it came from, and dates that could not be read."""

    date: str | None
    source: str  # `front matter:KEY`, `file name`, `path`, `title`, `text`, `mtime` or ""
    problems: tuple[str, ...] = ()


def find_date(
    meta: Mapping[str, Any],
    path: str,
    mtime_ns: int,
    date_keys: tuple[str, ...] = DATE_KEYS,
    title: str = "",
    text: str = "",
) -> Found:
    """The date of a note: front matter, else file name, path, title, the top of the text, last change (local day).

    `path` is relative and POSIX. Keys match whatever their case, spaces, hyphens and underscores.
    A week or month alone stands for its first day. Of the text, the first heading and labelled lines such as
    `Date: 2017-09-04` near the top count.
    """
    problems: list[str] = []
    for found, source in _from_meta(meta, date_keys, problems):
        if found:
            return Found(found, source, tuple(problems))
    for found, source in _from_note(path, title, text, problems):
        if found:
            return Found(found, source, tuple(problems))
    return _from_mtime(mtime_ns, problems)


def _from_note(path: str, title: str, text: str, problems: list[str]) -> Iterator[tuple[str | None, str]]:
    """Dates outside the front matter by falling authority, each with its source."""
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0] or name
    yield _from_name(stem, problems), "file name"
    if folders:
        yield _from_folders(folders, stem), "path"
    if title and title != stem:
        yield _first(title, []), "title"
    if text:
        yield _from_top(text, problems), "text"
    if folders:
        yield _month_of(folders), "path"


def _from_top(text: str, problems: list[str]) -> str | None:
    """A date in the first heading, or on a line near the top that says it is the note's date."""
    lines = [line for line in text.lstrip()[:_TOP].split("\n") if line and not line.isspace()][:_TOP_LINES]
    heading = next((line for line in lines if line.startswith("#")), "")
    if found := dates_in(heading):
        return found[0][2]
    return next((iso for line in lines if (iso := _of_line(line, problems))), None)


def _of_line(line: str, problems: list[str]) -> str | None:
    """The date of a line that is labelled as the date, is nothing but a date, or notes the first version."""
    line = _CLOCK.sub("", line.translate(_BOLD))
    label = _LABEL.match(line)
    after = label.end() if label and not _OTHER_DATE.search(label[1]) else 0
    start, end, iso = next(scan(line[after : after + 60]), (0, 0, ""))
    if iso is None and after:
        problems.append(f"{line.strip()[:60]!r} is not a date with one reading")
    if not iso or start > _WEEKDAY:
        return None
    is_whole = start + len(line) - end <= _WEEKDAY
    return iso if after or is_whole or _FIRST_VERSION.match(line, end) else None


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
    return valid(int(year), int(month), int(day))


def _epoch(written: str) -> str | None:
    """Local day of a Unix time in seconds (10 digits) or milliseconds (13 digits)."""
    digits, _, _ = written.partition(".")
    if not (digits.isascii() and digits.isdigit() and len(digits) in (10, 13)):
        return None
    day = datetime.fromtimestamp(int(digits[:10]))
    return valid(day.year, day.month, day.day)


def _by_dateutil(written: str) -> str | None:
    """Let dateutil read other forms; day, month and year must all be there, the month as a word."""
    if not 6 <= len(written) <= 60 or not re.search(r"[^\W\d_]{3}", written):
        return None
    from dateutil.parser import parse

    try:
        first = parse(written, default=datetime(2001, 1, 1)).date()
        second = parse(written, default=datetime(2002, 2, 2)).date()
    except (ValueError, OverflowError):
        return None
    return valid(first.year, first.month, first.day) if first == second else None


def _from_name(stem: str, problems: list[str]) -> str | None:
    """The date a file name holds: full, compact, week or month."""
    if not any(map(str.isdigit, stem)):
        return None
    return _first(stem, problems) or _coarse(stem)


def _first(text: str, problems: list[str]) -> str | None:
    """The first full date of a short text; what looks like a date and is none becomes a problem."""
    for start, end, iso in scan(text):
        if iso:
            return iso
        problems.append(f"{text[start:end]!r} is not a date with one reading")
    for match in _COMPACT.finditer(text):
        iso = valid(int(match[1]), int(match[2]), int(match[3]))
        if iso:
            return iso
    short = _SHORT_YEAR.search(text)
    if short:
        problems.append(f"{short[0]!r} is not a date with one reading")
    return None


def _coarse(text: str) -> str | None:
    """First day of the ISO week or month that a name holds."""
    week = _WEEK.search(text)
    if week and int(week[1]) in YEARS:
        try:
            return date.fromisocalendar(int(week[1]), int(week[2]), 1).isoformat()
        except ValueError:
            return None
    month = _MONTH.search(text)
    return valid(int(month[1]), int(month[2]), 1) if month and int(month[1]) in YEARS else None


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
            return valid(int(month[1]), int(month[2]), int(day[1]))
    return None


def _below_year(year: int, folders: list[str], stem: str) -> str | None:
    """A date from `05-May/06`, `May/06`, `05/06` or `telcons/09-04-minutes` under a year's folder.

    Month and day in a name go before a folder that begins with a month: a meeting may run into the next one.
    """
    pair, day = _MONTH_DAY_STEM.match(stem), _DAY_STEM.match(stem)
    for folder in folders:
        month = _folder_month(folder)
        if month and day and not (pair and (int(pair[1]) == month or not _is_month(folder))):
            return valid(year, month, int(day[1]))
    if not pair:
        return None
    first, second = int(pair[1]), int(pair[2])
    return valid(year, second, first) if first > 12 else valid(year, first, second)


def _is_month(folder: str) -> bool:
    """Whether a folder is named for a month alone (`05`, `05-May`), not for what happened in it (`05-reykjavik`)."""
    name = folder.lstrip("0123456789-_. ")
    return not name or bool(month_number(name))


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
            return valid(int(folder), month, 1) if month else None
    return None


def _from_mtime(mtime_ns: int, problems: list[str]) -> Found:
    """The local day of the last change."""
    try:
        day = datetime.fromtimestamp(mtime_ns / 1e9).date()
    except (OverflowError, OSError, ValueError):
        return Found(None, "", (*problems, "the time of last change is out of range"))
    return Found(day.isoformat(), "mtime", tuple(problems))
