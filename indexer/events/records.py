"""Numbered records: architecture decisions of every common kind, PEPs, RFCs and other proposals with a header.

A record is one event, on its title, with the status and supersession its text, front matter or file name tells.
A section or header that tells how it ended (`Rejection Notice`, `Resolution`) is a second one.
"""

from __future__ import annotations

import re

from indexer.events import references, wording
from indexer.events.header import Header, read_header
from indexer.events.outline import Outline, Section, When, cut, renewed, tidy
from indexer.events.reasons import first_sentence, split_reason
from indexer.parse.written_dates import dates_in
from indexer.types import Block, Event

_PLACE = re.compile(
    r"(?:^|/)(?:adrs?|decisions?|decision[-_ ]records?|architecture[-_ ]decision[-_ ]records?|"
    r"arch(?:itecture)?|rfcs?|peps?|eips?|erc?s|keps?|proposals?|dr)/"
    r"|(?:^|/)(?:adr|dr|rfc|pep|eip|kep|bip)[-_ ]?\d+[^/]*$|(?:^|/)\d{3,4}[-_][^/]*$|(?:^|/)\d{8}-[^/]*$",
    re.IGNORECASE,
)
_PART = re.compile(
    r"(?:\d+[.)]\s*)?(?P<part>status|context(?: and problem statement)?|decision(?: outcome)?|"
    r"consequences?|considered options|decision drivers|"
    r"alternatives(?: considered)?|rationale|motivation|options considered|problem statement|"
    r"positive consequences|pros and cons of the options)\W*",
    re.IGNORECASE,
)
_CHOSEN = re.compile(r"chosen option:?\W+", re.IGNORECASE)
_ENDING = re.compile(
    r"(?:\d+[.)]\s*)?(?:PEP\s+)?(?:(?:BDFL\s+|council\s+|final\s+)?(?:pronouncement|reject\w*|withdraw\w*|"
    r"defer\w*|resolution|supersession|postpone\w*|abandon\w*)|"
    r"status(?:\s+(?:note|update))?|update)"
    r"(?:(?:/|\s+(?:and|or)\s+)?(?:\s*(?:notice|notes?|reasons?|rationale|of this pep|by .*|status|"
    r"withdrawal|rejection|deferral|ideas?\b.{0,60}|changes|concepts|"
    r"sub-proposals|models|alternatives?))*)\W*",
    re.IGNORECASE,
)
_SIDE_ENDING = re.compile(r"ideas?|changes|concepts|sub-proposals|models|alternatives?", re.IGNORECASE)
_SETTLING = re.compile(r"pronounce|resolution|accept|status", re.IGNORECASE)
_FILE_STATUS = re.compile(
    r"(?:^|[-_])(superseded|rejected|deprecated|withdrawn|deferred|obsolete|accepted|proposed)(?:[-_.]|$)",
    re.IGNORECASE,
)
_FILE_NUMBER = re.compile(
    r"(?:^|/)(?:(adr|dr|rfc|pep|eip|kep|bip)[-_ ]?)?0*(\d{1,5})(?=[-_. ]|$)(?!-\d\d-\d\d)", re.IGNORECASE
)
_TITLE_NUMBER = re.compile(r"^\W*(?:(?:ADR|DR|RFC|PEP|EIP)[- ]?)?0*(\d{1,5})\s*[.:)—–-]+\s+", re.IGNORECASE)
_NO_TITLES = {"", "summary", "abstract", "status", "context", "index", "readme", "introduction"}
_MOST_LINKS = 24
_MOST_LINES = 12  # that tell of replacing, looked at for a reason
_FIELD_LIKE = re.compile(r"[A-Z][\w -]{1,30}:")
_ENDED = {"rejected", "withdrawn", "deferred", "superseded", "deprecated"}


def record_events(outline: Outline) -> list[Event]:
    """The events of a record; nothing for a file that is none."""
    document = outline.document
    header = read_header(document)
    parts = _parts(outline)
    is_placed = bool(_PLACE.search(document.path))
    is_record = (
        header.series or len(parts) > 2 or (is_placed and (len(parts) > 1 or "status" in parts or header.status))
    )
    if not is_record:
        return []
    record = _record(outline, header, parts)
    return [record, *_endings(outline, header, record)]


def _parts(outline: Outline) -> dict[str, Section]:
    """The sections an architecture decision is made of, by their first word."""
    if not any(section.level for section in outline.sections):
        return {}
    parts: dict[str, Section] = {}
    for section in outline.sections:
        if match := _PART.fullmatch(section.title):
            parts.setdefault(match["part"].lower().split()[0], section)
    return parts


def _record(outline: Outline, header: Header, parts: dict[str, Section]) -> Event:
    """The record itself, on the line of its title."""
    title = _title(outline, header)
    line = header.line if header.series else next((s.line for s in outline.sections if s.level == 1), 0)
    line = line or next((s.line for s in outline.sections if s.level), 1)
    status_text = header.status or _said(outline, parts.get("status"))
    changed = _changed(outline, header, parts)
    event = outline.event(Block("heading", line, line), title, _when(outline, header, status_text))
    status = wording.state(status_text) or _tagged_status(outline)
    if changed.superseded_by and status in ("", "accepted"):
        status = "superseded"
    return renewed(
        event,
        what=cut(title),
        reason=cut(
            header.reason or _reason(outline, parts) or (_why_replaced(outline) if changed.supersedes else "")
        ),
        kind="decision",
        status=status,
        thread=_thread(outline, header),
        links=tuple(dict.fromkeys([*event.links, *_linked(outline)])),
        supersedes=changed.supersedes,
        superseded_by=changed.superseded_by,
    )


def _title(outline: Outline, header: Header) -> str:
    """The record's title without its number."""
    document = outline.document
    title = header.title or document.title
    if title.lower() in _NO_TITLES:
        title = document.path.rpartition("/")[2].rpartition(".")[0].replace("-", " ").replace("_", " ")
        title = title.lstrip("0123456789 ") or title
    return tidy(_TITLE_NUMBER.sub("", title) or title)


def _when(outline: Outline, header: Header, status_text: str) -> When:
    """The record's date: of its header, its note, its status line, or of its last change when nobody wrote one."""
    if header.created and (header.series or not outline.is_dated):
        return When(header.created, "header")
    if outline.is_dated:
        return outline.when
    found = dates_in(status_text[:200]) or dates_in(outline.document.text[:1500])
    return When(found[0][2], "text") if found else outline.when


def _tagged_status(outline: Outline) -> str:
    """A status that stands in the file name or among the tags."""
    document = outline.document
    named = _FILE_STATUS.search(document.path.rpartition("/")[2])
    if named:
        return wording.state(named[1])
    return next((status for tag in document.tags if (status := wording.state(tag))), "")


def _thread(outline: Outline, header: Header) -> str:
    """The record's own name: `ADR-12`, `PEP-5`, `RFC-9110`; one without a number has that of its file or folder."""
    if header.series and header.number:
        return f"{header.series}-{header.number}"
    document = outline.document
    in_title = _TITLE_NUMBER.match(document.title)
    in_name = _FILE_NUMBER.search(document.path)
    series = (in_name[1] if in_name and in_name[1] else "ADR").upper()
    slug = str(document.meta.get("slug", ""))
    number = in_title[1] if in_title else in_name[2] if in_name else slug if slug.isdigit() else ""
    return f"{series}-{int(number)}" if number else references.note_name(document.path)


def _changed(outline: Outline, header: Header, parts: dict[str, Section]) -> references.Replacement:
    """What the record replaces and is replaced by: header, front matter, then every line that names records."""
    supersedes, superseded_by = list(header.supersedes), list(header.superseded_by)
    for number in () if header.series else references.replacing_lines(outline.document.text):
        found = references.replacement(outline.lines[number])
        supersedes += found.supersedes
        superseded_by += found.superseded_by
    own = outline.document.path.rpartition("/")[2]
    return references.Replacement(
        tuple(name for name in dict.fromkeys(supersedes) if name.rpartition("/")[2] != own),
        tuple(name for name in dict.fromkeys(superseded_by) if name.rpartition("/")[2] != own),
    )


def _linked(outline: Outline) -> list[str]:
    """Other records the text refers to."""
    document = outline.document
    named = [name for names in outline.named.values() for name in names]
    linked = [*(link.target for link in document.links if not link.embed and link.target.endswith(".md")), *named]
    return list(dict.fromkeys(linked))[:_MOST_LINKS]


def _said(outline: Outline, section: Section | None) -> str:
    """The text of a section's first block."""
    return next((tidy(block.text) for block in section.blocks if block.text), "") if section else ""


def _reason(outline: Outline, parts: dict[str, Section]) -> str:
    """Why it was decided: the `because` of the decision, else its rationale, else the first of its context."""
    for name in ("decision", "status"):
        for block in parts[name].blocks if name in parts else ():
            if reason := split_reason(_CHOSEN.sub("", tidy(block.text[:1500])))[1]:
                return reason
    for name in ("rationale", "context", "problem", "motivation"):
        if said := _said(outline, parts.get(name)):
            return first_sentence(said)
    return ""


def _why_replaced(outline: Outline) -> str:
    """What a record says of replacing others, below its header: the `because` of that sentence, or all of it."""
    for number in references.replacing_lines(outline.document.text)[:_MOST_LINES]:
        if _FIELD_LIKE.match(outline.lines[number].strip()):
            continue
        first = last = number
        while first > 0 and outline.lines[first - 1].strip():
            first -= 1
        while last + 1 < len(outline.lines) and outline.lines[last + 1].strip():
            last += 1
        text = tidy("\n".join(outline.lines[first : last + 1])[:1500])
        while text and (sentence := first_sentence(text)):
            if references.replacement(sentence).supersedes:
                return split_reason(sentence)[1] or sentence
            text = text[len(sentence) :].lstrip(" .!?")
    return ""


def _endings(outline: Outline, header: Header, record: Event) -> list[Event]:
    """What ended the record or settled it: sections that say so, and a dated resolution in the header."""
    if not header.series:
        return []
    found = []
    date = (
        When(header.resolved or header.last, "header")
        if header.resolved or header.last
        else When(record.date, record.date_source)
    )
    for section in _ended_sections(outline, record):
        body = next(
            (block.text for block in section.blocks if block.kind in ("paragraph", "item", "quote") and block.text),
            "",
        )
        said = tidy(body)
        event = outline.event(
            Block("heading", section.line, section.line),
            f"{record.what}: {section.title}",
            date,
            "decision",
            _why(said),
        )
        found.append(
            renewed(
                event,
                what=cut(f"{record.what}: {first_sentence(said) or section.title}"),
                status=record.status,
                thread=record.thread,
                links=tuple(references.numbered(said)),
            )
        )
    if not found and header.resolved and header.resolution_line:
        event = outline.event(
            Block("heading", header.resolution_line, header.resolution_line),
            record.what,
            When(header.resolved, "header"),
        )
        found.append(
            renewed(event, what=cut(f"{record.what}: {header.status}"), status=record.status, thread=record.thread)
        )
    return found


def _ended_sections(outline: Outline, record: Event) -> list[Section]:
    """The sections that tell how the record ended; those on rejected details only where no other does."""
    sections = [s for s in outline.sections if s.level and _ENDING.fullmatch(s.title.strip())]
    if record.status not in _ENDED:
        return [s for s in sections if _SETTLING.search(s.title)]
    return [s for s in sections if not _SIDE_ENDING.search(s.title)] or sections[:1]


def _why(said: str) -> str:
    """The reason in what a section says: its `because`, else its second sentence, else its first."""
    reason = split_reason(said[:1500])[1]
    if reason:
        return reason
    first = first_sentence(said)
    return first_sentence(said[len(first) :].lstrip(" .!?")) or first
