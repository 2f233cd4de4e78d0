"""Sections of plain text, for notes whose parser gives no blocks: headings that are underlined or numbered."""

from __future__ import annotations

import re

from indexer.types import Block

_HEADING = re.compile(r"(?m)^(?P<title>\S[^\n]{0,120})\n(?P<line>([=\-~^\"'`#*+])\3{2,})[ \t]*$")
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[ \t]*\S[^\n]*)*")
_NUMBERED = re.compile(r"(?m)^(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})\.?\s{1,3}(?P<title>[A-Z][^\n.]{2,70})$")


def underlined_blocks(text: str) -> list[Block]:
    """Headings and paragraphs of a text; a heading's level is the order in which its kind of underline first comes.

    A text without underlines has the numbered headings of an RFC (`3.1.  Title`), or none.
    """
    marks = [
        (m.start(), m.end(), m["title"].strip(), m["line"][0])
        for m in _HEADING.finditer(text)
        if len(m["line"]) >= len(m["title"]) // 2
    ]
    levels = {mark: level for level, mark in enumerate(dict.fromkeys(mark for *_, mark in marks), 1)}
    heads = [(start, end, title, levels[mark]) for start, end, title, mark in marks]
    if not heads:
        heads = [
            (m.start(), m.end(), m["title"].strip(), m["number"].count(".") + 1) for m in _NUMBERED.finditer(text)
        ]
    blocks: list[Block] = []
    line, done = 1, 0
    for start, end, title, level in [*heads, (len(text), len(text), "", 0)]:
        blocks += _paragraphs(text, done, start, line)
        line += text.count("\n", done, start)
        if title:
            last = line + text.count("\n", start, end)
            blocks.append(Block("heading", line, last, title, level))
            line = last
        done = end
    return blocks


def _paragraphs(text: str, start: int, end: int, line: int) -> list[Block]:
    """The paragraphs between two headings; `line` is that of `start`."""
    found, done = [], start
    for match in _PARAGRAPH.finditer(text, start, end):
        line += text.count("\n", done, match.start())
        last = line + match[0].count("\n")
        found.append(Block("paragraph", line, last, match[0]))
        line, done = last, match.end()
    return found
