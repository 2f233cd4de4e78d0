"""Hits -> what is shown of them: marked words, the line that answers, and a short excerpt of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from indexer import tokens
from onebrain_search.types import Hit, Query

EXCERPT = 80  # code points of an excerpt in a list of sources, its ellipses included

Weight = Callable[[str], float]  # how much a query term counts, by its rarity


@dataclass(frozen=True, slots=True)
class Line:
    """The line of a passage that best answers: its number in the file, its text, and the terms found in it."""

    number: int
    text: str
    found: frozenset[str]


def wanted_stems(query: Query) -> frozenset[str]:
    """Return the stems that are marked for a query: of its terms, phrases and prefixes."""
    return frozenset(map(tokens.stem, [*query.terms, *(w for p in query.phrases for w in tokens.words(p))]))


def marked(query: Query, hits: Iterable[Hit]) -> list[Hit]:
    """Return the hits with the spans of the query's words in their text, in code points."""
    stems, prefixes = wanted_stems(query), tuple(w for p in query.prefixes for w in tokens.words(p)[-1:])
    return [replace(hit, highlights=spans(hit.chunk.text, stems, prefixes)) for hit in hits]


def spans(text: str, stems: frozenset[str], prefixes: tuple[str, ...] = ()) -> tuple[tuple[int, int], ...]:
    """Return the (start, end) of every wanted word; spans that touch or overlap are joined (bigrams)."""
    found: list[tuple[int, int]] = []
    for start, end, token in tokens.spans(text):
        if tokens.stem(token) in stems or (prefixes and token.startswith(prefixes)):
            if found and start <= found[-1][1]:
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((start, end))
    return tuple(found)


def best_line(hit: Hit, stems: frozenset[str], weight: Weight = lambda stem: 1.0) -> Line:
    """Return the line of a hit that holds the most of the query, a heading only when nothing else does as well."""
    best, best_score = Line(hit.chunk.start_line, "", frozenset()), -1.0
    for offset, text in enumerate(hit.chunk.text.split("\n")):
        if not text.strip():
            continue
        found = frozenset(tokens.stem(token) for _, _, token in tokens.spans(text)) & stems
        score = sum(map(weight, found)) - (0.5 if text.lstrip().startswith(("#", "|--", "```")) else 0.0)
        if score > best_score:
            best, best_score = Line(hit.chunk.start_line + offset, text.strip(), found), score
    return best


def excerpt(text: str, stems: frozenset[str], width: int = EXCERPT) -> str:
    """Return at most `width` code points of a line around its first wanted words, cut at spaces if it has any."""
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    found = spans(text, stems)
    first = max(0, min((found[0][0] if found else 0) - width // 4, len(text) - width))
    start = _space(text, first) if first else 0
    room = width - (1 if start else 0)
    end = start + room
    if end < len(text):
        cut = text.rfind(" ", start + room // 2, end)
        end = cut if cut > 0 else end - 1
    return ("…" if start else "") + text[start:end].strip() + ("…" if end < len(text) else "")


def _space(text: str, at: int) -> int:
    """Return the start of the word after a place, or the place itself where no space is near."""
    space = text.find(" ", at, at + 20)
    return space + 1 if space >= 0 else at


def printable(text: str) -> str:
    """Return text that cannot drive a terminal: control and direction-override characters made visible or dropped."""
    return "".join(map(_shown, text)) if any(map(_is_control, text)) else text


def _is_control(char: str) -> bool:
    """Whether a character steers the terminal or the direction of text (newline and tab are harmless)."""
    code = ord(char)
    return (
        (code < 32 and char not in "\n\t")
        or 127 <= code < 160
        or 0x202A <= code <= 0x202E
        or 0x2066 <= code <= 0x2069
    )


def _shown(char: str) -> str:
    """Return the visible stand-in of a control character."""
    if not _is_control(char):
        return char
    return chr(0x2400 + ord(char)) if ord(char) < 32 else "�"


def lines_of(hits: Sequence[Hit], query: Query) -> list[Line]:
    """Return the answering line of each hit."""
    stems = wanted_stems(query)
    return [best_line(hit, stems) for hit in hits]
