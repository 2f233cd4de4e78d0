"""Phrase tables: many short phrases of many languages, found in a question in one walk over its words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

HIDDEN = "\ue000"  # stands for every character of a name, so that no phrase reaches into it

# Scripts whose words touch each other.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_INDIC = "\u0900-\u0dff"  # their vowel signs are no word characters to `re`
_START = r"(?<![^\W_])[^\W_]"
_START_IN_ANY_SCRIPT = rf"(?<![^\W_])(?<![{_INDIC}])[^\W_]|[{_UNSPACED}]"  # made when it is needed: it takes 4 ms
_REST_OF_WORD = re.compile(r"(?<!\))\*")
_HEAD = 6  # letters by which phrases are sorted
_LETTERS = re.compile(rf"[^\s()|?*+.$\[\\^',-]{{1,{_HEAD}}}")
_NAMED = re.compile(r"<([a-z]+)>")
_SENTENCE_START = r"(?<!\w)(?<!\w[ ,])"
_SPACE = r"[\s,'\-]+"
_NO_SPACE = r"[\s,'\-]{0,3}"
_GAP = r"(?:\s+\S+){0,8}?\s+"
_WORD_END = rf"(?![\w{_INDIC}])"

_SAME = dict(
    zip(
        "ıłøđ’‘ʼ´‐‑–—\u200c\u00a0\u3000يىك"
        "為麼甚幹緣動機來龍決選擇過歷時換棄開遷導讓憑會據變後經從於個詞碼編欄這們還將該誰請問訴負責關採",
        "ilod''''----   ییک"
        "为么什干缘动机来龙决选择过历时换弃开迁导让凭会据变后经从于个词码编栏这们还将该谁请问诉负责关采",
        strict=True,
    )
)


class _Folding(dict[int, str]):
    """Maps a code point to its lower-case base letter; one character in, one out."""

    def __missing__(self, code: int) -> str:
        """Work out a letter once and keep it."""
        letter = (
            chr(code).lower() if len(chr(code).lower()) == 1 else unicodedata.normalize("NFD", chr(code))[0].lower()
        )
        base, *marks = list(unicodedata.normalize("NFD", letter))
        if marks and all("\u0300" <= mark <= "\u036f" or "\u0653" <= mark <= "\u0655" for mark in marks):
            letter = base
        self[code] = letter = _SAME.get(letter, "σ" if letter == "ς" else letter)
        return letter


_FOLDING = _Folding()


def fold(text: str) -> str:
    """Lower case without accents, traditional Chinese as simplified; every position stays that of `text` (NFC)."""
    return text.translate(_FOLDING)


def starts(text: str) -> Iterator[int]:
    """Where a word begins, in order; in scripts without spaces that is every character."""
    return (match.start() for match in re.finditer(_START if text.isascii() else _START_IN_ANY_SCRIPT, text))


class Phrases:
    """A table of phrases, looked up by the letters they begin with and tried only there.

    The notation is told at the top of the `.txt` files beside this module. Phrases are compiled the first time a
    question has their first letters: compiling is what a question costs here. Positions are of text `fold` has made.
    """

    def __init__(self, phrases: Iterable[str]) -> None:
        """Sort folded phrases under their first letters."""
        self._phrases = tuple(phrases)
        self._heads: dict[str, list[int]] = {}
        self._compiled: dict[tuple[int, ...], re.Pattern[str]] = {}
        for number, phrase in enumerate(self._phrases):
            for head in _heads(phrase):
                self._heads.setdefault(head, []).append(number)
        self._initials = {head[:1] for head in self._heads}

    def at(self, text: str, start: int) -> int:
        """The end of the phrase that begins at `start`, or -1; the earliest of the table that fits."""
        pattern = self._pattern(text, start)
        match = pattern.match(text, start) if pattern else None
        return match.end() if match else -1

    def fills(self, text: str, start: int, end: int) -> bool:
        """Whether `text[start:end]` is a phrase from end to end."""
        pattern = self._pattern(text, start)
        return bool(pattern and pattern.fullmatch(text, start, end))

    def within(self, text: str) -> bool:
        """Whether the text has a phrase anywhere."""
        return any(self.at(text, start) >= 0 for start in starts(text))

    def _pattern(self, text: str, start: int) -> re.Pattern[str] | None:
        """The compiled phrases, in the table's order, whose first letters stand at `start`."""
        if text[start : start + 1] not in self._initials:
            return None
        found = [
            numbers
            for end in range(start + 1, start + _HEAD + 1)
            if (numbers := self._heads.get(text[start:end])) is not None
        ]
        if not found:
            return None
        chosen = tuple(found[0] if len(found) == 1 else sorted({number for numbers in found for number in numbers}))
        if chosen not in self._compiled:
            self._compiled[chosen] = re.compile("|".join(_pattern(self._phrases[number]) for number in chosen))
        return self._compiled[chosen]


@cache
def table(file: str, name: str, language: str = "") -> Phrases:
    """The phrases of a data file beside this module: its sections `[name language]`, of all languages or of one."""
    chosen = [key for key in _sections(file) if key[0] == name and language in ("", key[1])]
    return Phrases(phrase for key in chosen for phrase in _sections(file)[key])


@cache
def languages(file: str, name: str) -> tuple[str, ...]:
    """The languages that have a section `[name language]` in a data file, in its order."""
    return tuple(language for section, language in _sections(file) if section == name)


def lines(file: str, name: str, language: str) -> Sequence[str]:
    """The lines of a section `[name language]` of a data file, none where it is not there."""
    return _sections(file).get((name, language), ())


@cache
def _sections(file: str) -> dict[tuple[str, str], list[str]]:
    """A data file as phrases by (table, language), its named alternatives put in."""
    sections, named = dict[tuple[str, str], list[str]](), dict[str, str]()
    phrases: list[str] = []
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    for line in fold(unicodedata.normalize("NFC", text)).splitlines():
        if line.startswith("["):
            name, language = line[1:-1].split()
            phrases = sections.setdefault((name, language), [])
        elif not sections and " = " in line and not line.startswith("#"):
            key, _, alternatives = line.partition(" = ")
            named[key] = f"({alternatives})"
        elif line and sections:
            phrases.append(_NAMED.sub(lambda match: named[match[1]], line))
    return sections


def _heads(phrase: str) -> set[str]:
    """The keys of a phrase: all that its first word can begin with, up to its first sign or some letters."""
    phrase = phrase.removeprefix("^")
    if not phrase.startswith("("):
        letters = _LETTERS.match(phrase)
        end = letters.end() if letters else 0
        return {phrase[: end - 1] if phrase[end : end + 1] == "?" else phrase[:end]}
    depth, cuts = 0, [0]
    for end, character in enumerate(phrase):
        depth += (character == "(") - (character == ")")
        if depth == 0 or (depth == 1 and character == "|"):
            cuts.append(end)
        if depth == 0:
            break
    heads = {head for left, right in pairwise(cuts) for head in _heads(phrase[left + 1 : right])}
    rest = phrase[end + 1 :]
    return heads | _heads(rest[1:].lstrip()) if rest[:1] in ("?", "*") and rest[1:] else heads


def _pattern(phrase: str) -> str:
    """The regular expression of a phrase."""
    body = phrase.removeprefix("^").replace(" ~ ", _GAP).replace(" ?", _NO_SPACE).replace(" ", _SPACE)
    body = _REST_OF_WORD.sub(r"\\w*", body)
    unspaced = not phrase.isascii() and re.search(f"[{_UNSPACED}]", phrase)
    bounded = "" if unspaced or (phrase.endswith("*") and not phrase.endswith(")*")) else _WORD_END
    return (_SENTENCE_START if phrase.startswith("^") else "") + f"(?:{body})" + bounded
