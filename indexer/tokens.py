"""The one place that knows scripts: what a word is, how it is normalised, stemmed and split.

Index and query go through the same functions, so any token yielded from a note finds that note.
Words are NFKC-normalised and casefolded; accents are folded for Latin letters only. Scripts
written without spaces, and Hangul with its glued particles, become character bigrams.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache

from indexer.scripts import (
    ARABIC_FOLDS,
    BIGRAM_CLASS,
    HANGUL_CLASS,
    INVISIBLE,
    LATIN_FOLDS,
    MARKS,
    UNSPACED_CLASS,
)

MAX_TOKEN = 64  # longer runs are hashes or encoded data; nobody types them
MEMO_LIMIT = 400_000  # distinct words remembered before the memory is given back

# A word may carry a dotted number (v2.8.3) or the sign of a language name (C#, C++).
_TAIL = r"(?:(?<=[0-9])(?:\.[0-9]+)+|(?<=\b[CcFf])#(?!\w)|(?<=\b[CcGg])\+\+)?"
_ASCII_RUN = re.compile(rf"[A-Za-z0-9_]+{_TAIL}", re.ASCII)
_LETTERS = rf"[^\W{BIGRAM_CLASS}{HANGUL_CLASS}{UNSPACED_CLASS}]"
_MARKS = f"[{MARKS}{INVISIBLE}]"
_ANY_RUN = re.compile(
    rf"[{BIGRAM_CLASS}]+|[{HANGUL_CLASS}]+|[{UNSPACED_CLASS}]+"
    rf"|{_LETTERS}+(?:{_MARKS}+{_LETTERS}*)*{_TAIL}|{_MARKS}+{_LETTERS}+(?:{_MARKS}+{_LETTERS}*)*"
)
# Typographic punctuation and symbols: once blanked, most European prose is ASCII and takes the fast path.
_SIGNS = re.compile(
    "[\u00a0-\u00a9\u00ab\u00ac\u00ae-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u2010-\u2027\u2030-\u205e\u2190-\u2bff]"
)
_BIGRAM_RUN = re.compile(rf"[{BIGRAM_CLASS}{HANGUL_CLASS}{UNSPACED_CLASS}]")
_COMPOUND = re.compile(r"_|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_PART = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+|[^\W_A-Za-z0-9]+")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)+$")
_STRIP = re.compile(f"[{INVISIBLE}]")


class _Memo(dict[str, str]):
    """A function of one word, remembered; a plain dict look-up once the word was seen."""

    def __init__(self, function: Callable[[str], str]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, word: str) -> str:
        """Work the word out, and start over when the memory has grown too large."""
        if len(self) >= MEMO_LIMIT:
            self.clear()
        value = self[word] = self.function(word)
        return value


def runs(text: str) -> list[str]:
    """Return the raw word runs of a text, in order."""
    if not text.isascii():
        text = _SIGNS.sub(" ", text)
    return (_ASCII_RUN if text.isascii() else _ANY_RUN).findall(text)


def analyse(text: str) -> tuple[str, str]:
    """Return what BM25 indexes of a text: every token in reading order, and the stems of its Latin words."""
    found = runs(text)
    return " ".join(map(_joined.__getitem__, found)), " ".join(map(_stemmed.__getitem__, found))


def words(text: str) -> list[str]:
    """Return the tokens of a question, in order; a run of bigrams does not yield its last character alone."""
    found: list[str] = []
    for run in runs(text):
        tokens = _joined[run].split()
        if len(tokens) > 1 and len(tokens[-1]) == 1 and _BIGRAM_RUN.match(tokens[-1]):
            tokens.pop()
        found += tokens
    return found


def stem(token: str) -> str:
    """Return the stem of one token, or the token itself where stemming does not apply."""
    return _stemmed[token].partition(" ")[0] or token


def spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, token) with offsets in code points of the raw text.

    The parts of an identifier and the whole share the identifier's span; a bigram has its own two characters
    unless normalising changed the length of its run.
    """
    text = _SIGNS.sub(" ", text)
    for match in (_ASCII_RUN if text.isascii() else _ANY_RUN).finditer(text):
        start, end = match.span()
        tokens = _joined[match[0]].split()
        exact = _BIGRAM_RUN.match(match[0]) and sum(map(len, tokens)) == max(1, 2 * (end - start) - 1)
        for place, token in enumerate(tokens):
            yield (start + place, start + place + len(token), token) if exact else (start, end, token)


def fold(word: str) -> str:
    """Normalise one word: NFKC, casefold, Latin accents off, Arabic and Hebrew vowel signs off."""
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKC", _STRIP.sub("", word)).casefold().translate(ARABIC_FOLDS)
    return unicodedata.normalize("NFC", "".join(_unaccented(folded)))


def _unaccented(word: str) -> Iterator[str]:
    """Yield the characters of a word with the marks of Latin letters left out."""
    latin = False
    for char in unicodedata.normalize("NFD", word):
        if unicodedata.combining(char):
            if not latin:
                yield char
        else:
            latin = _is_latin(char)
            yield LATIN_FOLDS.get(char, char)


@cache
def _is_latin(char: str) -> bool:
    """Whether a character is a Latin letter, by its Unicode name."""
    return char.isascii() or unicodedata.name(char, "").startswith("LATIN")


def _tokens(run: str) -> list[str]:
    """Return the tokens of one raw run, the whole word first, then its parts."""
    if len(run) > MAX_TOKEN and not _BIGRAM_RUN.match(run):
        return []
    if _BIGRAM_RUN.match(run):
        return _bigrams(unicodedata.normalize("NFKC", run))
    if "." in run:
        whole = fold(run)
        return list(dict.fromkeys([whole, *_NUMBER.findall(whole), *whole.split(".")]))
    whole = fold(run).strip("_")
    if not whole or not any(char.isalnum() or char in "#+" for char in whole):
        return []
    if not _COMPOUND.search(run):
        return whole.split()  # NFKC can turn one sign into several words
    parts = [fold(part) for part in _PART.findall(run)]
    return list(dict.fromkeys([*whole.split(), *(part for part in parts if len(part) > 1)]))


def _bigrams(run: str) -> list[str]:
    """Return the overlapping pairs of a run, then its last character, so that one character finds it."""
    run = "".join(run.split()).casefold()
    return [run[at : at + 2] for at in range(len(run) - 1)] + [run[-1]] if run else []


def _stem_run(run: str) -> str:
    """Return the stems of a run's Latin tokens joined by spaces."""
    stemmer = _english()
    return " ".join(stemmer(token) for token in _tokens(run) if token.isascii() and len(token) > 1)


@cache
def _english() -> Callable[[str], str]:
    """Load the Snowball English stemmer (Porter 2) once."""
    from Stemmer import Stemmer

    return Stemmer("english").stemWord  # type: ignore[no-any-return]


_joined = _Memo(lambda run: " ".join(_tokens(run)))
_stemmed = _Memo(_stem_run)
