"""Taking out what must not be searched, so that every line stays where it is in the file."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator

_GIANT = 1_000_000  # characters of one line
_PROSE = 1 / 200  # fewest spaces per character of text that someone wrote
_DATA_URI = re.compile(
    r"""(?<![\w-])data:[\w.+-]{1,80}/[\w.+-]{1,80}(?:;[\w.+=-]{1,80}){0,8},
        (?:[A-Za-z0-9+/=%\s]{512,}(?=["'])|[^\s)"'<>\]|`]*)""",
    re.VERBOSE | re.IGNORECASE,
)
Spans = list[tuple[int, int]]


def blank_data(text: str, least: int = 512) -> tuple[str, tuple[str, ...]]:
    """Remove data: URIs from `least` characters on, then lines of over a million characters with hardly a space.

    In this order, so that words on the line of a large picture stay.
    """
    text = blank_data_uris(text, least)
    if len(text) <= _GIANT:
        return text, ()
    lines = text.split("\n")
    giants = [number for number, line in enumerate(lines) if len(line) > _GIANT and _is_data(line)]
    for number in giants:
        lines[number] = ""
    problems = tuple(f"line {number + 1} is a giant line without words; left out" for number in giants)
    return ("\n".join(lines) if giants else text), problems


def _is_data(line: str) -> bool:
    """Whether a line has too few spaces to be prose (scripts without spaces have other gaps: full stops)."""
    return line.count(" ") + line.count("。") + line.count("、") < _PROSE * len(line)


def blank_data_uris(text: str, least: int) -> str:
    """Remove `data:` URIs (images, links, HTML attributes), keeping line ends inside them."""
    if "data:" not in text and "DATA:" not in text:
        return text
    return _DATA_URI.sub(lambda match: match[0] if len(match[0]) < least else "\n" * match[0].count("\n"), text)


def blank_comments(text: str, code_spans: Callable[[str], Spans]) -> str:
    """Remove `%%…%%` and `<!-- … -->` outside code, keeping line ends inside them.

    `code_spans` gives the (start, end) offsets of code in a text, in order; it is asked only when there is something
    that looks like a comment. What is opened and never closed stays.
    """
    if text.find("%%") < 0 and text.find("<!--") < 0:
        return text
    kept: list[str] = []
    last = 0
    for start, end in _comments(text, code_spans(text)):
        kept += (text[last:start], "\n" * text.count("\n", start, end))
        last = end
    return "".join((*kept, text[last:])) if last else text


def _comments(text: str, code: Spans) -> Iterator[tuple[int, int]]:
    """Offsets of comments: an opener outside code up to its closer, which for `%%` is outside code too."""
    percents = _outside(text, "%%", code)
    openers = _outside(text, "<!--", code)
    position = 0
    while percents or openers:
        if openers and (not percents or openers[0] < percents[0]):
            start = openers.popleft()
            if start < position:
                continue
            close = text.find("-->", start + 4)
            if close < 0:
                openers.clear()
                continue
            position = close + 3
        else:
            start = percents.popleft()
            if start < position or not percents:
                continue
            position = percents.popleft() + 2
        yield start, position


def _outside(text: str, mark: str, code: Spans) -> deque[int]:
    """Offsets of a mark outside the spans of code."""
    found: deque[int] = deque()
    spans = iter([*code, (len(text), len(text))])
    start, end = next(spans)
    position = text.find(mark)
    while position >= 0:
        while end <= position:
            start, end = next(spans)
        if position >= start:
            position = text.find(mark, end)
            continue
        found.append(position)
        position = text.find(mark, position + len(mark))
    return found
