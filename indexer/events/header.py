"""The header of a record: `Key: value` lines at its top, or its front matter."""

from __future__ import annotations

import re
from dataclasses import dataclass

from indexer.events import references
from indexer.parse.written_dates import dates_in
from indexer.types import Document

_TOP = 4_000  # characters in which a header ends
_GATE = re.compile(
    r"(?im)^[\s*_|+-]{0,8}(?:PEP|RFC|BIP|EIP|XEP|DEP|JEP|KEP|SEP|Status|State|Obsolete[sd].{0,4}|"
    r"Request for Comments|Superseded.By|RFC PR)[*_]{0,2}\s{0,3}[:：]"
)
_WORDS = (
    "status",
    "state",
    "obsolete",
    "request for comments",
    "superseded",
    "rfc pr",
    "pep:",
    "bip:",
    "jep:",
    "kep:",
)  # a cheaper gate before it
_FIELD = re.compile(r"[\s*_+|-]{0,8}([A-Za-z][A-Za-z /-]{1,24}?)[*_]{0,2}\s{0,3}:[*_]{0,2}[ \t]*(.*)")
_COLUMNS = re.compile(r"\s{3,}.*$")  # an RFC writes its authors in a right-hand column
_MONTH_ONLY = re.compile(
    r"\b(January|February|March|April|May|June|July|August|September|October|November|December)\s+((?:19|"
    r"20)\d\d)\b"
)
_RFC_HEADER = re.compile(r"RFC\s?#|Request for Comments")
_RFC_TITLE = re.compile(r"\n\s*\n((?: {2,}\S.{3,70}\n){1,2})(?=\s*\n)")
_FILE_SERIES = re.compile(r"(?:^|/)(rfc|pep|bip|eip)[-_]?0*(\d{1,5})\.(?:txt|rst|md)$", re.IGNORECASE)
_SERIES = {"pep", "bip", "eip", "erc", "xep", "dep", "jep", "kep", "sep", "rfc", "cip", "tip", "nep"}
_REPLACING = {"replaces", "supersedes", "obsoletes", "superseded-by", "replaced-by", "obsoleted-by"}
_MONTHS = "January February March April May June July August September October November December".split()


@dataclass(frozen=True, slots=True)
class Header:
    """What a header says; dates are ISO, names as written with their series in front (`PEP-387`)."""

    series: str = ""
    number: str = ""
    title: str = ""
    status: str = ""
    reason: str = ""
    created: str = ""
    resolved: str = ""
    last: str = ""  # the last day it was posted
    line: int = 1
    resolution_line: int = 0
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()


def read_header(document: Document) -> Header:
    """The header of a note; an empty one when it has none."""
    fields, lines = _fields(document)
    if not fields:
        return Header()
    series, number = _series(fields)
    named = _FILE_SERIES.search(document.path)
    if named and not series and lines:
        series, number = named[1].upper(), named[2]
    supersedes, superseded_by = _replaced(fields, series)
    created = _date(fields.get("created") or fields.get("start-date") or fields.get("date") or "", first=True)
    return Header(
        series=series,
        number=number,
        title=fields.get("title", "").strip() or _rfc_title(document, series),
        status=fields.get("status") or fields.get("state") or fields.get("stage") or "",
        reason=fields.get("withdrawal-reason") or fields.get("rejection-reason") or "",
        created=created or (_month(document.text[:_TOP]) if series == "RFC" else ""),
        resolved=_date(fields.get("resolution", "")),
        last=_date(fields.get("post-history", "")) or _date(fields.get("last-modified", "")),
        line=lines.get("title", 1) if series != "RFC" else 1,
        resolution_line=lines.get("resolution", 0),
        supersedes=supersedes,
        superseded_by=superseded_by,
    )


def _fields(document: Document) -> tuple[dict[str, str], dict[str, int]]:
    """The fields by plain name, and the lines they stand on; lines indented further go on with the field above."""
    fields = {_key(str(key)): _plain(value) for key, value in document.meta.items()}
    lines: dict[str, int] = {}
    top = document.text[:_TOP]
    lowered = top.lower()
    if not any(word in lowered for word in _WORDS) or not _GATE.search(top):
        return fields, lines
    name, margin = "", 0
    for number, line in enumerate(top.split("\n"), 1):
        indent = len(line) - len(line.lstrip())
        match = _FIELD.match(line)
        if match and (not lines or indent == margin):
            name = _key(match[1])
            if name not in lines:
                fields[name], lines[name], margin = _COLUMNS.sub("", match[2]), number, indent
        elif name and indent > margin:
            fields[name] += " " + _COLUMNS.sub("", line.strip())
        elif lines and _ends_header(line, len(lines)):
            break
    return fields, lines


def _key(name: str) -> str:
    """A field's name without case and separators: `Superseded_By` is `superseded-by`."""
    return "-".join(name.lower().replace("_", " ").replace("-", " ").split())


def _ends_header(line: str, fields: int) -> bool:
    """Whether a line that is no field comes after the header: prose below two fields, or a section."""
    is_prose = bool(line.strip()) and not line.lstrip().startswith(("-", "*", "|", "#", "<"))
    return (is_prose and fields > 1) or line.startswith("## ")


def _plain(value: object) -> str:
    """A front matter value as text."""
    return " ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def _series(fields: dict[str, str]) -> tuple[str, str]:
    """The series and number of a record: `PEP: 8`, `Request for Comments: 9110`."""
    for name in ("request-for-comments", *_SERIES):
        number = re.match(r"\W*0*(\d{1,5})\b", fields[name]) if name in fields else None
        if number:
            return ("RFC" if name == "request-for-comments" else name.upper()), number[1]
    pull = re.search(r"(\d{1,5})\)?\s*$", fields.get("rfc-pr", ""))
    if pull:
        return "RFC", pull[1]
    proposal = re.search(r"\b([A-Z]{2,5})-0*(\d{1,5})\b", fields.get("proposal", ""))
    return (proposal[1], proposal[2]) if proposal else ("", "")


def _replaced(fields: dict[str, str], series: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the header says to replace and to be replaced by."""
    found: dict[bool, list[str]] = {True: [], False: []}
    for name, value in fields.items():
        if not value or len(value) > 400:
            continue
        if name in _REPLACING:
            found[not name.endswith("by")] += _names(value, series)
        elif name == "status" and (changed := references.replacement(value, numbers=True)):
            found[True] += changed.supersedes
            found[False] += changed.superseded_by
    return tuple(dict.fromkeys(found[True])), tuple(dict.fromkeys(found[False]))


def _names(value: str, series: str) -> list[str]:
    """The records a field lists: names as written, or numbers with the series of the record itself."""
    named = references.names(value)
    if named:
        return list(named)
    numbers = re.findall(r"\d{1,5}", value)
    if series and numbers:
        return [f"{series}-{int(number)}" for number in numbers]
    return [value.strip()] if value.strip() else []


def _date(value: str, *, first: bool = False) -> str:
    """The last date of a field, or the first."""
    found = dates_in(value)
    return found[0 if first else -1][2] if found else ""


def _month(top: str) -> str:
    """The first day of the month an RFC was published in."""
    match = _MONTH_ONLY.search(top)
    return f"{match[2]}-{_MONTHS.index(match[1]) + 1:02d}-01" if match else ""


def _rfc_title(document: Document, series: str) -> str:
    """The title of a plain-text RFC: the first indented lines below its header."""
    if series != "RFC" or (document.blocks and any(block.kind == "heading" for block in document.blocks)):
        return ""
    header = _RFC_HEADER.search(document.text[:_TOP])
    found = _RFC_TITLE.finditer(document.text, header.end() if header else 0, _TOP)
    titles = (" ".join(match[1].split()) for match in found)
    return next((title for title in titles if not title.startswith(("Obsoletes", "Updates"))), "")
