"""Document -> Chunks: cut at headings, then at paragraphs, list items, table rows and fences.

Every line that holds text is in some chunk, each chunk knows its file-true lines, and line i of a chunk's text
is line `start_line + i` of the file (a line longer than the budget yields several one-line chunks).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from indexer.types import Block, Chunk, Document

CHUNKER = "1"  # part of the index fingerprint: raise it when the same file would be cut differently

# MiniLM reads 256 pieces; about 130 words of English leave room for the title and heading in front.
NOTE_BUDGET = 180.0
CODE_BUDGET = 420.0  # about 50 lines; longer than the window on purpose, the embedder averages windows
STRETCH = 1.25  # a single line may be this much over the budget before it is cut at sentence ends
OVERLAP_SHARE = 0.25  # a unit this small is repeated at the start of the next chunk of its section
SMALL_TAIL = 0.2  # a rest this small joins the chunk before it

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？।])|(?<=;)\s+")


@dataclass(slots=True)
class _Span:
    """A run of lines, or a part of one line when `text` is set; `cost` in estimated word pieces."""

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
    symbol: str = ""


def chunk(document: Document) -> list[Chunk]:
    """Cut a document; ids are 0 until the catalog gives them out."""
    lines = document.text.split("\n")
    budget = CODE_BUDGET if document.kind == "code" else NOTE_BUDGET
    chunks = []
    for section in _sections(document, lines):
        starts = sorted({b.start_line for b in document.blocks if section.start <= b.start_line <= section.end})
        units = list(_units(lines, section, starts, budget))
        chunks += [_chunk(document, lines, section, span) for span in _packed(units, budget)]
    return [c for c in chunks if c.text.strip()]


def embedding_text(piece: Chunk) -> str:
    """Return what the model reads: title, headings and date in front of the passage.

    A date that is only the file's time of change is left out: touching a file must not change its vector.
    """
    head = " › ".join([piece.title, *piece.heading])
    dated = f" ({piece.date})" if piece.date and piece.date_source != "mtime" else ""
    return f"{head}{dated}\n{piece.text}"


def content_key(piece: Chunk) -> bytes:
    """Return the 16-byte content hash under which the vector of a chunk is kept."""
    return blake2b(embedding_text(piece).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def cost(text: str) -> float:
    """Estimate word pieces: a quarter of a piece a character, about one for each Chinese or Thai character."""
    return len(text) * 0.25 + (len(text.encode("utf-8", "surrogatepass")) - len(text)) * 0.4


def _sections(document: Document, lines: Sequence[str]) -> list[_Section]:
    """Split the lines at headings; a heading with nothing below it joins the section after it."""
    cuts: list[_Section] = [_Section((), 1, len(lines))]
    path: list[tuple[int, str]] = []
    for block in document.blocks:
        if block.kind == "heading":
            path = [(level, text) for level, text in path if level < block.level] + [(block.level, block.text)]
            cuts[-1].end = block.start_line - 1
            cuts.append(_Section(_trail(document.title, path), block.start_line, len(lines)))
    bare = {b.start_line: b.end_line for b in document.blocks if b.kind == "heading"}
    return _joined_when_empty(cuts, bare, lines)


def _trail(title: str, path: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """Return the heading path without a first heading that only repeats the title."""
    texts = [text for _, text in path if text]
    return tuple(texts[1:] if texts and texts[0] == title else texts)


def _joined_when_empty(cuts: list[_Section], bare: dict[int, int], lines: Sequence[str]) -> list[_Section]:
    """Drop sections without text and join those that are a heading only to their neighbour."""
    kept: list[_Section] = []
    waiting = 0
    for section in cuts:
        body_start = bare.get(section.start, section.start - 1) + 1
        if any(line.strip() for line in lines[body_start - 1 : section.end]):
            section.start = waiting or section.start
            waiting = 0
            kept.append(section)
        elif section.start in bare:
            waiting = waiting or section.start
    if waiting and kept:
        kept[-1].end = len(lines)
    elif waiting:
        kept.append(_Section(cuts[-1].heading, waiting, len(lines)))
    return kept


def _units(lines: Sequence[str], section: _Section, starts: Sequence[int], budget: float) -> Iterator[_Span]:
    """Yield the smallest pieces of a section: blocks, or lines and sentences of blocks over the budget."""
    marks = sorted({section.start, *starts, section.end + 1})
    for start, following in itertools.pairwise(marks):
        size = sum(cost(line) + 0.25 for line in lines[start - 1 : following - 1])
        if size <= budget * (STRETCH if following == start + 1 else 1):
            yield _Span(start, following - 1, size)
            continue
        for number in range(start, following):
            line = lines[number - 1]
            size = cost(line) + 0.25
            if size <= budget * STRETCH:
                yield _Span(number, number, size)
            else:
                for part in _sentences(line, size / -(size // -budget) * 1.1):
                    yield _Span(number, number, cost(part), part)


def _sentences(line: str, budget: float) -> Iterator[str]:
    """Cut one long line at sentence ends, else at spaces, else anywhere, into pieces of about `budget`."""
    room = int(budget * 4) if line.isascii() else int(budget)
    piece = ""
    for sentence in _SENTENCE_END.split(line):
        while len(sentence) > room:
            cut = sentence.rfind(" ", room // 2, room)
            cut = cut if cut > 0 else room
            if piece:
                yield piece
                piece = ""
            yield sentence[:cut]
            sentence = sentence[cut:].lstrip()
        if piece and cost(piece) + cost(sentence) > budget:
            yield piece
            piece = ""
        piece = f"{piece} {sentence}" if piece and piece[-1:].isascii() else piece + sentence
    if piece.strip():
        yield piece


def _packed(units: Sequence[_Span], budget: float) -> list[_Span]:
    """Fill chunks up to the budget; a small last unit is repeated at the start of the next one."""
    packed: list[_Span] = []
    current: list[_Span] = []
    for unit in units:
        if current and sum(u.cost for u in current) + unit.cost > budget:
            packed += _merged(current)
            last = current[-1]
            again = len(current) > 1 and last.text is None and last.cost <= budget * OVERLAP_SHARE
            current = [last] if again and last.cost + unit.cost <= budget else []
        current.append(unit)
    tail = _merged(current) if current else []
    if packed and tail and tail[0].cost < budget * SMALL_TAIL and tail[0].text is packed[-1].text is None:
        before = packed.pop()
        tail = [_Span(before.start, tail[-1].end, before.cost + tail[0].cost)]
    return packed + tail


def _merged(units: Sequence[_Span]) -> list[_Span]:
    """Join units into one span; parts of one long line join as text, and never with whole lines."""
    parts = [u for u in units if u.text is not None]
    if not parts:
        return [_Span(units[0].start, units[-1].end, sum(u.cost for u in units))]
    merged: list[_Span] = []
    for unit in units:
        last = merged[-1] if merged else None
        if last and last.text is None and unit.text is None:
            last.end, last.cost = unit.end, last.cost + unit.cost
        elif last and last.text is not None and unit.text is not None and last.end == unit.start:
            last.text, last.cost = f"{last.text} {unit.text}", last.cost + unit.cost
        else:
            merged.append(_Span(unit.start, unit.end, unit.cost, unit.text))
    return merged


def _chunk(document: Document, lines: Sequence[str], section: _Section, span: _Span) -> Chunk:
    """Build the chunk of a span, without the blank lines at its ends."""
    start, end = span.start, span.end
    while start < end and not lines[start - 1].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    text = span.text if span.text is not None else "\n".join(lines[start - 1 : end])
    return Chunk(
        id=0,
        root=document.root,
        path=document.path,
        title=document.title,
        heading=section.heading,
        text=text,
        start_line=start,
        end_line=end,
        kind=document.kind,
        symbol=_symbol(document.blocks, start, end) if document.kind == "code" else "",
        date=document.date,
        date_source=document.date_source,
    )


def _symbol(blocks: Sequence[Block], start: int, end: int) -> str:
    """Return the name of the definition that a code chunk starts in or holds first."""
    around = [b for b in blocks if b.kind == "definition" and b.start_line <= end and b.end_line >= start]
    return around[0].text if around else ""
