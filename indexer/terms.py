"""Document -> what the lexical index is given: tokens for BM25, and one term for each fact that can be filtered by.

Filters are compared composed (NFC) and without case. A note has a term for each tag and every tag above it, for its
path, folders, file and base name, for its title and each alias, and for each value of its front matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from posixpath import splitext
from typing import Any
from unicodedata import normalize

from indexer import tokens
from indexer.types import Chunk, Condition, Document

LONGEST_NAME = 12  # words of a title or file name that can be looked up
_READ = 300  # words that tell whether a document is English
LONGEST_VALUE = 200  # characters of a front matter value that are compared
_KEYS_OF_FIELDS = {"type": "type", "lang": "lang", "language": "lang"}
_SPACE = re.compile(r"\s")
_NESTING = re.compile(r"[/.]")  # between a tag and one below it; dots in Dendron
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


@dataclass(frozen=True, slots=True)
class Entry:
    """What BM25 and the filters know of a document, each as words; `chunks` are (body, stems, heading)."""

    title: str
    path: str
    day: int
    filters: str
    chunks: list[tuple[str, str, str]]


def entry_of(document: Document, chunks: Iterable[Chunk]) -> Entry:
    """Return a document with its chunks as tokens joined by spaces, and its filter terms."""
    pieces = list(chunks)
    texts = [tokens.analyse(piece.text) for piece in pieces]
    cut = document.kind != "code" and _is_cut(body for body, _ in texts)
    stems = _cut if cut else _stems
    rows = []
    headings: dict[tuple[str, ...], str] = {}
    for piece, (body, stemmed) in zip(pieces, texts, strict=True):
        above = (*piece.heading, piece.symbol)
        if above not in headings:
            headings[above] = stems(" ".join(above))
        rows.append((body, _each_cut(stemmed) if cut else stemmed, headings[above]))
    title = stems(" ".join([document.title, *document.aliases]))
    path = stems(document.path.replace("/", " "))
    filters = " ".join(map(_one_word, dict.fromkeys(_terms(document))))
    return Entry(title, path, day_number(document.date), filters, rows)


def filter_term(wanted: Condition) -> str:
    """Return the term that documents have which meet a condition on a field other than date, title and heading."""
    key, _, rest = wanted.value.partition("=")
    value = _plain(wanted.value)
    if wanted.field == "=":
        return _one_word(_value_term(key, rest))
    if wanted.field in _KEYS_OF_FIELDS.values():
        value = value[:LONGEST_VALUE]
    else:
        value = value.lstrip(".") if wanted.field == "ext" else value.strip("/")
    return _one_word(f"{wanted.field}:{value}")


def name_term(name: str) -> str:
    """Return the term of documents with a title, alias or file name of these words; empty for none or too many."""
    words = tokens.words(name)
    return f"name:{'_'.join(words)}" if 0 < len(words) <= LONGEST_NAME else ""


def day_number(iso: str | None) -> int:
    """Return a day as yyyymmdd, 0 where there is no date."""
    match = _ISO.match(iso or "")
    return int("".join(match.groups())) if match else 0


def _terms(document: Document) -> Iterator[str]:
    """Yield the filter terms of a document."""
    path, root = _plain(document.path), _plain(document.root)
    parts = path.split("/")
    folders = ["/".join(parts[:depth]) for depth in range(1, len(parts))]
    stem, suffix = splitext(parts[-1])
    yield from (f"root:{root}", f"kind:{document.kind}", f"ext:{suffix.lstrip('.')}")
    yield from (f"path:{name}" for name in dict.fromkeys([*parts, stem, path, *folders]))
    yield from (f"at:{root}:{place}" if root else f"at:{place}" for place in (path, *folders))
    yield from filter(None, map(name_term, (document.title, stem, parts[-1], *document.aliases)))
    for tag in document.tags:
        name = _plain(tag).strip("/")
        yield from (f"tag:{name[:end]}" for end in (*(m.start() for m in _NESTING.finditer(name)), len(name)))
    for key, values in document.meta.items():
        for value in values if isinstance(values, (list, tuple)) else [values]:
            if isinstance(value, (str, int, float)):
                yield _value_term(str(key), value)
                if field := _KEYS_OF_FIELDS.get(str(key).casefold()):
                    yield f"{field}:{_plain(str(value))[:LONGEST_VALUE]}"


def _value_term(key: str, value: Any) -> str:
    """Return the term of a front matter value."""
    return f"{_plain(key)}={_plain(str(value))[:LONGEST_VALUE]}"


def _one_word(term: str) -> str:
    """Return a term as one word: with a separator that is no space where it has spaces."""
    return _SPACE.sub("\x1f", term)


def _plain(text: str) -> str:
    """Return text as filters compare it: composed, without case and outer space."""
    return normalize("NFC", text).casefold().strip()


def _is_cut(bodies: Iterable[str]) -> bool:
    """Whether a document has its stems cut, by its first words."""
    return tokens.is_cut(list(islice((word for body in bodies for word in body.split()), _READ)))


def _each_cut(stems: str) -> str:
    """Return stems as notes have them that are not in English."""
    return " ".join(map(tokens.cut, stems.split()))


def _cut(text: str) -> str:
    """Return a short text of such a note as its stems."""
    return _each_cut(_stems(text))


@lru_cache(maxsize=10_000)
def _stems(text: str) -> str:
    """Return a short text as the stems of its tokens, for fields where the exact form does not matter."""
    return " ".join(map(tokens.stem, tokens.analyse(text)[0].split()))
