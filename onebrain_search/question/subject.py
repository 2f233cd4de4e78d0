"""What a question is about: its own words without question words, politeness and auxiliaries."""

from __future__ import annotations

import re
import unicodedata

from onebrain_search.question.asked import detect
from onebrain_search.question.names import hide_names
from onebrain_search.question.phrases import HIDDEN, Phrases, fold, languages, starts, table

_FILE = "frames.txt"
_BEFORE_WORD = re.compile(rf"[^\w{HIDDEN}]*")
_SOMETHING = re.compile(rf"[\w{HIDDEN}]")
_QUOTES = re.compile(r"[\"“”„«»‹›「」『』《》〈〉【】＂`]|\[\[|\]\]|(?<!\w)['‘‚]|['’](?!\w)")
_LEFT_EDGE, _RIGHT_EDGE = " \t\n?!¿¡,;:-–—？！、，。؟،", " \t\n?!¿¡.,;:-–—…？！、，。؟،।"


def topic(text: str) -> str:
    """The content words of a question in their order and case, no quotation marks; never empty if `text` is not."""
    text = " ".join(unicodedata.normalize("NFC", text).split())
    folded = fold(hide_names(text))
    why = detect(text) == "why"
    start, language = _opened(folded, why)
    end = _closed(folded, start, why, language)
    return _cleaned(_without_asking(text, folded, start, end, why)) or _cleaned(text) or text


def _opened(folded: str, why: bool) -> tuple[int, str]:
    """Where the question's frame at its beginning ends, and the language group it is in (`""`: it has none)."""
    end, language = 0, ""
    while True:
        start = _BEFORE_WORD.match(folded, end).end()  # type: ignore[union-attr]  # it matches the empty string too
        if start == len(folded):
            return end, language
        reached, spoken = max(
            (phrases.at(folded, start), name) for name, phrases in _frames(language, why and bool(end))
        )
        if reached <= start or not _SOMETHING.search(folded, reached):
            return end, language
        end, language = reached, spoken


def _frames(language: str, deciding: bool) -> list[tuple[str, Phrases]]:
    """The tables to try with their language: all openings at first, then all that a language has."""
    if not language:
        return [(name, table(_FILE, "opening", name)) for name in reversed(languages(_FILE, "opening"))]
    names = ("opening", "after", "deciding") if deciding else ("opening", "after")
    return [(language, table(_FILE, name, language)) for name in names]


def _closed(folded: str, start: int, why: bool, language: str) -> int:
    """Where the question's frame at its end begins; what stands between the two is never empty."""
    tables = [table(_FILE, "closing", language), *([table(_FILE, "decided", language)] if why else [])]
    end = len(folded)
    while (cut := _last_phrase(folded, start, _last_word(folded, end), tables)) > 0:
        end = cut
    return end


def _last_word(folded: str, end: int) -> int:
    """The end of the last word before `end`."""
    while end and not _SOMETHING.match(folded, end - 1) and folded[end - 1] not in ")]":
        end -= 1
    return end


def _last_phrase(folded: str, start: int, end: int, tables: list[Phrases]) -> int:
    """Where the longest phrase begins that ends at `end`, with something left before it; else -1."""
    for begin in starts(folded[:end]):
        if begin <= start or folded[begin - 1] == "-" or not _SOMETHING.search(folded, start, begin):
            continue
        if any(phrases.fills(folded, begin, end) for phrases in tables):
            return begin
    return -1


def _without_asking(text: str, folded: str, start: int, end: int, why: bool) -> str:
    """`text[start:end]` less the question words of languages that put them inside the sentence."""
    tables = [table(_FILE, "anywhere"), *([table(_FILE, "reasoned")] if why else [])]
    kept, done = [], start
    for begin in starts(folded[:end]):
        if begin >= done and (stop := max(phrases.at(folded[:end], begin) for phrases in tables)) > begin:
            kept.append(text[done:begin])
            done = stop
    return " ".join([*kept, text[done:end]])


def _cleaned(text: str) -> str:
    """`text` without quotation marks and without punctuation at its edges."""
    return " ".join(_QUOTES.sub(" ", text).split()).lstrip(_LEFT_EDGE).rstrip(_RIGHT_EDGE)
