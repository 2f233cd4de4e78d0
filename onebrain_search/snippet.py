"""Hits -> what is shown of them: marked words, the line that answers, and a short excerpt of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from indexer import tokens
from onebrain_search.types import Hit, Query
from onebrain_search.wording import core

EXCERPT = 80  # code points of an excerpt in a list of sources, its ellipses included

_SIGNS = dict.fromkeys(
    [0xA0, 0xAB, 0xB7, 0xBB, *range(0x2010, 0x2028), *range(0x2030, 0x205F), *range(0x2190, 0x2C00)], " "
)  # of prose
_STRUCTURE = re.compile(r"\s*(?:#{1,6}\s|```|~~~|\|?[\s|:-]*-[\s|:-]*$|[=*_-]{3,}\s*$)")
_OTHER = re.compile(r"[^\x00-\x7f]")
_RULE = re.compile(r"\s*(?:```|~~~|[|\s:=*_-]+$)")

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
    """Return the (start, end) of every wanted word; spans that touch or overlap are joined (bigrams).

    Two letters of a longer Thai word are no word where they stand alone.
    """
    found: list[tuple[int, int]] = []
    alone: list[str] = []  # the token of each span, empty where it is of several
    for start, end, token in _likely(text, stems, prefixes):
        if tokens.stem(token) in stems or (prefixes and token.startswith(prefixes)):
            if found and start <= found[-1][1]:
                found[-1], alone[-1] = (found[-1][0], max(end, found[-1][1])), ""
            else:
                found.append((start, end))
                alone.append(token)
    if text.isascii():
        return tuple(found)
    parts = _parts(stems)
    return tuple(span for span, token in zip(found, alone, strict=True) if token not in parts)


@lru_cache(maxsize=16)
def _parts(stems: frozenset[str]) -> frozenset[str]:
    """Return the bigrams that are wanted as parts of longer words only: others overlap with them."""
    pairs = [stem for stem in stems if tokens.is_part(stem)]
    firsts, lasts = {pair[0] for pair in pairs}, {pair[-1] for pair in pairs}
    return frozenset(pair for pair in pairs if pair[-1] in firsts or pair[0] in lasts)


def _likely(text: str, stems: frozenset[str], prefixes: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, token) of a text, of Latin without accents only where a wanted word may stand.

    Two hundred passages are marked in a third of the time that a look at every word takes.
    """
    lowered = text.translate(_SIGNS).lower()
    if any(len(stem) == 1 and tokens.is_unspaced(stem) for stem in stems):
        yield from sorted(tokens.spans(text, signs=True))
    elif len(lowered) != len(text):
        yield from tokens.spans(text)
    else:
        for start, end in sorted(set(_pieces(lowered, _cores(stems, prefixes)))):
            yield from ((start + first, start + last, token) for first, last, token in tokens.spans(text[start:end]))


def _pieces(text: str, cores: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) of what is between two spaces and holds one of the cores, or a letter beyond ASCII."""
    for sought in cores:
        at = text.find(sought)
        while at >= 0:
            start, end = _piece(text, at)
            yield start, end
            at = text.find(sought, end)
    end = 0
    for letter in () if text.isascii() else _OTHER.finditer(text):
        if letter.start() >= end:
            start, end = _piece(text, letter.start())
            yield start, end


def _piece(text: str, at: int) -> tuple[int, int]:
    """Return the (start, end) of what stands between two spaces around a place."""
    start = max(text.rfind(" ", 0, at), text.rfind("\n", 0, at)) + 1
    return start, min(place if (place := text.find(space, at)) >= 0 else len(text) for space in " \n")


@lru_cache(maxsize=16)
def _cores(stems: frozenset[str], prefixes: tuple[str, ...]) -> frozenset[str]:
    """Return what any form of the wanted words holds."""
    return frozenset({core(stem) for stem in stems if stem.isascii()} | set(prefixes))


def best_line(hit: Hit, stems: frozenset[str], weight: Weight = lambda stem: 1.0) -> Line:
    """Return the line of a hit that holds the most of the query, a heading only where there is nothing else."""
    best, best_score = Line(hit.chunk.start_line, "", frozenset()), -1.0
    for offset, text in enumerate(hit.chunk.text.split("\n")):
        if not text.strip():
            continue
        found = frozenset(token for part in tokens.analyse(text) for token in part.split()) & stems
        score = sum(map(weight, found))
        if _STRUCTURE.match(text):
            score = -0.5 if _RULE.match(text) else 0.25 * score - 0.25
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
