"""A document as sections, and the making of an event from a line of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from indexer.events import references, wording
from indexer.events.reasons import split_reason
from indexer.events.underlined import underlined_blocks
from indexer.parse.written_dates import dates_in, scan
from indexer.types import Block, Document, Event

_READ = 12_000  # characters of a line that are read for its parts
LONGEST = 400  # characters of `what` and of `reason`; the line itself is one click away
_SHORT_DATE = re.compile(r"\W{0,3}\d{1,2}([/-])\d{1,2}\1(?:\d{4}|\d\d)(?!\d)")
_DATE_EDGE = " \t:：—–-|·,.)]*_"
_DIGIT = re.compile(r"\d")
_BOX = re.compile(r"\[[ xX/-]\]\s+")
_REPLACES = re.compile(
    r"\s*\((?:replaces|supersedes|replaced by|superseded by|ersetzt|see)\b[^)]*\)\s*$", re.IGNORECASE
)
_ANOTHER_DAY = re.compile(
    r"next|due|clos|expir|ends?\b|until|deadline|\bdate|time\b|release|fällig|bis\b|截止|期限", re.IGNORECASE
)
_PLAIN = (".txt", ".text", ".rst")  # their parsers may give no headings
_STRUCK = re.compile(r"~~(.+?)~~")


class When(NamedTuple):
    """A date and where it came from."""

    date: str | None
    source: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the blocks below it up to the next heading; the first one of a note may have no heading."""

    line: int
    level: int
    title: str
    blocks: Sequence[Block]
    above: tuple[str, ...] = ()  # headings over it, outermost first
    when: When | None = None  # the date its heading, or one over it, begins or ends with


class Outline:
    """A document with what several extractors need of it, each worked out once."""

    def __init__(self, document: Document) -> None:
        self.document = document

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the note."""
        return self.document.text.split("\n")

    @cached_property
    def sections(self) -> list[Section]:
        """The sections in order."""
        return list(_sections(self.document))

    @cached_property
    def named(self) -> dict[int, list[str]]:
        """The numbered records each line names."""
        lines: dict[int, list[str]] = {}
        for breaks, name in references.located(self.document.text):
            lines.setdefault(breaks + 1, []).append(name)
        return lines

    def names(self, first: int, last: int) -> list[str]:
        """The numbered records that the lines `first..last` name, doubles too."""
        if last - first > len(self.named):
            return [name for line, names in self.named.items() if first <= line <= last for name in names]
        return [name for line in range(first, last + 1) for name in self.named.get(line, ())]

    @property
    def when(self) -> When:
        """The note's own date."""
        return When(self.document.date, self.document.date_source)

    @property
    def is_dated(self) -> bool:
        """Whether the note has a date that somebody wrote, not that of its last change."""
        return bool(self.document.date) and self.document.date_source != "mtime"

    def raw(self, first: int, last: int) -> str:
        """The note's text of the lines `first..last`, as written."""
        return "\n".join(self.lines[first - 1 : last])

    def event(
        self, block: Block, text: str, when: When | None = None, kind: str = "decision", reason: str = ""
    ) -> Event:
        """An event on a block's first line: text cut and split into what and why, references and status read off."""
        raw, text = self.raw(block.start_line, block.end_line)[:_READ], text[:_READ]
        thread, rest = references.own_id(tidy(text))
        text = tidy(text) if references.numbered(thread) else rest
        changed = references.replacement(raw)
        date, source = when or self.when
        what, why = (text, tidy(reason)) if reason else split_reason(text)
        struck = "superseded" if raw.count("~~") > 1 and len(_STRUCK.sub("", raw)) < len(raw) / 2 else ""
        return Event(
            id=0,
            root=self.document.root,
            path=self.document.path,
            line=block.start_line,
            date=date,
            date_source=source if date else "",
            what=cut(_REPLACES.sub("", what) or text),
            reason=cut(_REPLACES.sub("", why)),
            kind="question" if kind != "question" and wording.asks(text) and not why else kind,
            status=struck or wording.status(text),
            thread=thread,
            links=self.links(block.start_line, block.end_line, raw),
            supersedes=changed.supersedes,
            superseded_by=changed.superseded_by,
        )

    def links(self, first: int, last: int, raw: str) -> tuple[str, ...]:
        """What the lines refer to: notes, issues (`owner/repo#7`), numbered records (`EIP-1559`)."""
        found = [link.target for link in self.document.links if first <= link.line <= last and not link.embed]
        return tuple(dict.fromkeys([*found, *references.issues(raw), *references.numbered(raw)]))


def tidy(text: str) -> str:
    """One line without check boxes and spare blanks."""
    text = " ".join(text.split())
    return _BOX.sub("", text, count=1) if text.startswith("[") else text


def cut(text: str) -> str:
    """At most `LONGEST` characters, ended by an ellipsis where something is missing."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def leading_date(text: str) -> tuple[When, str] | None:
    """The date a line begins with, and the rest; a date of no or two readings stays in the text, as None."""
    if not _DIGIT.search(text, 0, 16):
        return None
    for start, end, iso in scan(text[:48]):
        if start > 4 or text[:start].strip(" \t*_[(~").strip() != "":
            break
        rest = text[end:].lstrip(_DATE_EDGE)
        return (When(iso, "text"), rest) if iso else (When(None, ""), text)
    return (When(None, ""), text) if _SHORT_DATE.match(text) else None


def heading_date(text: str) -> When | None:
    """The date in a heading that is about a day: it begins with it, or ends with it."""
    found = dates_in(text[:120])
    if not found:
        return When(None, "") if any(start < 3 for start, _, iso in scan(text[:16]) if not iso) else None
    start, end, iso = found[0]
    before = text[:start].rstrip(" [")
    is_its_day = not before or (end > len(text) - 3 and before[-1] in "—–-(:,|" and not _ANOTHER_DAY.search(before))
    return When(iso, "heading") if is_its_day or start < 4 else None


def without_date(heading: str) -> str:
    """A heading without the date it begins or ends with."""
    found = dates_in(heading[:120])
    if not found:
        return heading
    start, end, _ = found[0]
    return heading[end:] if start < 4 else heading[:start]


def _sections(document: Document) -> Iterator[Section]:
    """Cut the blocks at headings."""
    blocks: Sequence[Block] = document.blocks
    if document.path.endswith(_PLAIN) and not any(block.kind == "heading" for block in blocks):
        blocks = underlined_blocks(document.text)
    above: list[tuple[int, str, When | None]] = []
    marks = [n for n, block in enumerate(blocks) if block.kind == "heading"]
    if blocks and (not marks or marks[0] > 0):
        yield Section(1, 0, "", blocks[: marks[0] if marks else len(blocks)])
    for n, following in zip(marks, [*marks[1:], len(blocks)], strict=False):
        heading = blocks[n]
        while above and above[-1][0] >= heading.level:
            above.pop()
        when = heading_date(heading.text) if heading.level > 1 else None
        if when is None and above:
            when = above[-1][2]
        yield Section(
            heading.start_line,
            heading.level,
            heading.text,
            blocks[n + 1 : following],
            tuple(text for _, text, _ in above),
            when,
        )
        above.append((heading.level, heading.text, when))


def renewed(event: Event, **changes: object) -> Event:
    """The event with some fields changed where the change says something."""
    return replace(event, **{name: value for name, value in changes.items() if value})  # type: ignore[arg-type]
