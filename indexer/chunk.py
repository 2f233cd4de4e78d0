"""Document -> Chunks: cut at headings, then at paragraphs, list items, table rows and fences.

Every line that holds text is in some chunk, each chunk knows its file-true lines, and line i of a chunk's text
is line `start_line + i` of the file. A line longer than the budget is in several chunks, a part in each.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate, dropwhile, pairwise
from typing import NamedTuple

from indexer import tokens
from indexer.types import Block, Chunk, Document

# MiniLM reads 256 pieces; about 130 words of English leave room for the title and heading in front.
NOTE_BUDGET = 180.0
CODE_BUDGET = 420.0  # about 50 lines; longer than the window on purpose, the embedder averages windows
STRETCH = 1.25  # a single line may be this much over the budget before it is cut at sentence ends
OVERLAP_SHARE = 0.25  # a unit this small is repeated at the start of the next chunk of its section
SMALL = 0.2  # a start or a rest this small does not stand alone
REPEATED = 8  # characters at a cut inside a run without spaces that both sides hold: no bigram is lost

_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]+")  # kana, Han, Hangul
_FOREIGN = re.compile("[\u0250-\u1fff\u2c00-\ud7ff\uf900-\ufaff]+")  # letters beyond Latin
_RULED = "#=-* \t"  # what headings begin with, or are underlined with
_SENTENCE_END = re.compile(r"[.!?;]\s+|[。！？।]")


class _Unit(NamedTuple):
    """A run of lines that stays together, or a part of one line when there is `text`; `cost` in word pieces."""

    start: int
    end: int
    cost: float
    text: str | None = None


@dataclass(slots=True)
class _Section:
    """The lines below one heading, with the headings above them."""

    heading: tuple[str, ...]
    start: int
    end: int


def chunk(document: Document) -> list[Chunk]:
    """Cut a document into one chunk or more; ids are 0 until the catalog gives them out.

    A document without text is one chunk of an empty line, so that its title, tags and path are found.
    """
    lines = document.text.split("\n")
    budget = CODE_BUDGET if document.kind == "code" else NOTE_BUDGET
    weights = list(accumulate(_costs(document.text, lines), initial=0.0))
    starts = sorted({block.start_line for block in document.blocks})
    symbols = _Symbols(document.blocks if document.kind == "code" else ())
    chunks = []
    for section in _sections(document, lines):
        inner = starts[bisect_left(starts, section.start) : bisect_right(starts, section.end)]
        units = _units(lines, weights, [section.start, *inner, section.end + 1], budget)
        for packed in _packed(units, budget):
            start, text = _trimmed(lines, packed)
            if text:
                chunks.append(_chunk(document, section.heading, start, text, symbols))
    return chunks or [_chunk(document, (), 1, "", symbols)]


def embedding_text(piece: Chunk, *, once: bool = False) -> str:
    """Return what the model reads: title, headings and date in front of the passage.

    With `once` they are not said again where the passage begins with them. A date that is only the file's time of
    change is left out: touching a file must not change its vector.
    """
    names = [piece.title, *piece.heading]
    dated = f" ({piece.date})" if piece.date and piece.date_source != "mtime" else ""
    lines, said = piece.text.split("\n"), {"", *names}
    body = dropwhile(lambda line: line.lstrip(_RULED).rstrip() in said, lines) if once else lines
    return "\n".join([" › ".join(names) + dated, *body])


def content_key(piece: Chunk) -> bytes:
    """Return the 16-byte content hash under which the vector of a chunk is kept."""
    return blake2b(embedding_text(piece).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def cost(text: str) -> float:
    """Estimate word pieces: a quarter a character, more in other alphabets, nearly one a Chinese character."""
    if text.isascii():
        return len(text) * 0.25
    wide = sum(map(len, _WIDE.findall(text)))
    foreign = sum(map(len, _FOREIGN.findall(text))) - wide
    return len(text) * 0.25 + foreign * 0.15 + wide * 0.65


def _costs(text: str, lines: Sequence[str]) -> list[float]:
    """Return the cost of each line of a text with its line end."""
    if text.isascii():
        return [len(line) * 0.25 + 0.25 for line in lines]
    return [cost(line) + 0.25 for line in lines]


def _sections(document: Document, lines: Sequence[str]) -> list[_Section]:
    """Split the lines at headings; a heading with nothing below it joins the section after it, else the last one."""
    cuts = [_Section((), 1, 0)]
    path: list[tuple[int, str]] = []
    bodies = [1]  # first line below the heading of each section
    for block in document.blocks:
        if block.kind == "heading":
            path = [(level, text) for level, text in path if level < block.level] + [(block.level, block.text)]
            cuts[-1].end = block.start_line - 1
            cuts.append(_Section(_trail(document.title, path), block.start_line, 0))
            bodies.append(block.end_line + 1)
    cuts[-1].end = len(lines)
    kept: list[_Section] = []
    waiting = 0  # first line of the bare headings before the section
    for section, body in zip(cuts, bodies, strict=True):
        if _any_text(lines, body, section.end):
            section.start, waiting = waiting or section.start, 0
            kept.append(section)
        elif body > section.start:
            waiting = waiting or section.start
    if waiting and kept:
        kept[-1].end = len(lines)
    elif waiting:
        kept.append(_Section(cuts[-1].heading, waiting, len(lines)))
    return kept


def _trail(title: str, path: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """Return the heading path without a first heading that only repeats the title."""
    texts = [text for _, text in path if text]
    return tuple(texts[1:] if texts and texts[0] == title else texts)


def _any_text(lines: Sequence[str], start: int, end: int) -> bool:
    """Whether a range of lines (1-based, inclusive) holds more than space."""
    return any(lines[number].strip() for number in range(start - 1, end))


def _units(lines: Sequence[str], weights: Sequence[float], marks: Sequence[int], budget: float) -> Iterator[_Unit]:
    """Yield the smallest pieces of a section: blocks, or lines and parts of lines where a block is over the budget.

    `marks` are the lines at which blocks start, `weights` the cost of all lines before each line.
    """
    for start, following in pairwise(marks):
        if start == following:
            continue
        size = weights[following - 1] - weights[start - 1]
        if size <= budget * (STRETCH if following == start + 1 else 1):
            yield _Unit(start, following - 1, size)
            continue
        for number in range(start, following):
            line = lines[number - 1]
            size = weights[number] - weights[number - 1]
            if size <= budget * STRETCH:
                yield _Unit(number, number, size)
            else:
                for part in _parts(line, size / -(size // -budget) * 1.1, budget * SMALL):
                    yield _Unit(number, number, cost(part), part)


def _parts(line: str, target: float, rest: float) -> Iterator[str]:
    """Cut one long line into parts of about `target`, at sentence ends, else between words.

    A run that is longer is cut anywhere, with a few characters on both sides; a `rest` stays with the part before.
    """
    at = 0
    while at < len(line):
        end = _reach(line, at, target)
        if end < len(line) and _reach(line, end, rest) < len(line):
            end, following = _cut(line, at, end)
        else:
            end = following = len(line)
        part = line[at:end].rstrip()
        if part.strip():
            yield part
        at = following


def _reach(line: str, at: int, room: float) -> int:
    """Return how far from `at` a line costs about `room`, and never more; at least one character."""
    window = line[at : at + int(room * 4) + 1]
    while len(window) > 1 and (size := cost(window)) > room + 0.25:
        window = window[: max(1, int(len(window) * room / size))]
    return at + len(window)


def _cut(line: str, at: int, end: int) -> tuple[int, int]:
    """Return where to end a part that may reach from `at` to `end`, and where the next one begins."""
    window = line[at:end]
    half = len(window) // 2
    place = max((match.end() for match in _SENTENCE_END.finditer(window, half)), default=0)
    place = place or window.rfind(" ", half) + 1 or max(tokens.starts(window), default=0)
    if place > half or (place and len(window) - place <= tokens.MAX_TOKEN):
        return at + place, at + place
    return end, max(at + 1, end - REPEATED)


def _packed(units: Iterable[_Unit], budget: float) -> Iterator[list[_Unit]]:
    """Fill chunks up to the budget.

    A small last unit is repeated at the start of the next chunk; a small start or rest does not stand alone.
    """
    before: list[_Unit] = []  # what the last chunk was made of; it waits, as a small rest would join it
    current: list[_Unit] = []
    size = 0.0  # of `current`
    fresh = 0  # units of `current` that were not in the chunk before
    for unit in units:
        if current and not _fits(current[-1], size, unit, budget):
            if before:
                yield before
            before, last = current, current[-1]
            again = len(current) > 1 and last.text is None is unit.text and last.cost <= budget * OVERLAP_SHARE
            current = [last] if again and last.cost + unit.cost <= budget else []
            size, fresh = _cost(current), 0
        current.append(unit)
        size += unit.cost
        fresh += 1
    rest = current[len(current) - fresh :]
    if before and size < budget * SMALL and (before[-1].text is None or rest[0].text is None):
        yield [*before, *rest]
    else:
        yield from filter(None, (before, current))


def _fits(last: _Unit, size: float, unit: _Unit, budget: float) -> bool:
    """Whether a unit goes into a chunk that is full to `size`; parts of lines do not follow one another."""
    if last.text is not None and unit.text is not None:
        return False
    return size + unit.cost <= budget or (size < budget * SMALL and unit.cost <= budget * STRETCH)


def _cost(units: Sequence[_Unit]) -> float:
    """Return the cost of units together."""
    return sum(unit.cost for unit in units)


def _trimmed(lines: Sequence[str], units: Sequence[_Unit]) -> tuple[int, str]:
    """Return the first line and the text of some units without blank lines at its ends, empty if there is no text."""
    first, last = units[0], units[-1]
    if first.text is None and last.text is None:
        text = "\n".join(lines[first.start - 1 : last.end])
    else:
        text = "\n".join(u.text if u.text is not None else "\n".join(lines[u.start - 1 : u.end]) for u in units)
    end = text.find("\n", len(text.rstrip()))
    if end >= 0:
        text = text[:end]
    start = text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1
    return first.start + text.count("\n", 0, start), "" if text.isspace() else text[start:]


class _Symbols:
    """The definitions of a code file, asked for by chunks in the order of their lines."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = [block for block in blocks if block.kind == "definition"]
        self.at = 0

    def name(self, start: int, end: int) -> str:
        """Return the name of the definition that lines `start` to `end` are in, or that they hold first."""
        while self.at < len(self.blocks) and self.blocks[self.at].end_line < start:
            self.at += 1
        found = self.at < len(self.blocks) and self.blocks[self.at].start_line <= end
        return self.blocks[self.at].text if found else ""


def _chunk(document: Document, heading: tuple[str, ...], start: int, text: str, symbols: _Symbols) -> Chunk:
    """Build a chunk from its first line and its text."""
    end = start + text.count("\n")
    return Chunk(
        0, document.root, document.path, document.title, heading, text, start, end, document.kind,
        symbols.name(start, end), document.date, document.date_source,
    )  # fmt: skip
