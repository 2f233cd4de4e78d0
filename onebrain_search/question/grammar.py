"""Words of grammar: a question of nothing else asks for nothing that could be found, and they are no subject."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache

from indexer import tokens
from onebrain_search.question.phrases import fold, languages, lines

_FILE = "grammar.txt"
_TOUCHING = ("zh", "ja", "ko", "th")  # languages whose words touch each other, or a word behind them
_LONGEST = 120  # characters; nobody asks so much without a word of content
_WORD = re.compile(r"[^\s\"'’.,;:!?¿¡…？؟،।()-]+")


def alone(text: str, common: Collection[str]) -> bool:
    """Whether a text is nothing but words of one language's grammar; `common` are those of English."""
    if len(text) > _LONGEST or _has_a_name(text.split()):
        return False
    folded = fold(text)
    found = _WORD.findall(folded)
    if not found or all(word in common for word in found):
        return bool(found)
    if any(map(tokens.is_unspaced, found)):
        return any(_made_of(folded, words, behind) for words, behind in _touching())
    # One that stands alone may be a word of another language: `die`, `est`.
    return len(found) > 1 and any(all(word in language for word in found) for language in _languages())


def among(words: Collection[str], common: Collection[str]) -> frozenset[str]:
    """Return the words of grammar in a text: those of the language that has most, if more than English, and two.

    One that stands alone may be a word of another language. `common` are the words of English.
    """
    folded = {word: fold(word) for word in words}
    english = sum(word in common for word in folded)
    found = max(
        (frozenset(word for word in folded if folded[word] in language) for language in _languages()), key=len
    )
    return found if len(found) > max(1, english) else frozenset()


def _has_a_name(words: Sequence[str]) -> bool:
    """Whether a word is written in capitals where not all are: `WHO`, `the IT`."""
    capitals = [word for word in words if len(word) > 1 and word.isupper()]
    return bool(capitals) and (len(capitals) < len(words) or len(words) == 1)


def _words(table: str, language: str) -> list[str]:
    """The words of a table, folded."""
    return " ".join(lines(_FILE, table, language)).split()


@cache
def _languages() -> tuple[frozenset[str], ...]:
    """The words of each language that has spaces."""
    return tuple(frozenset(_words("words", name)) for name in languages(_FILE, "words") if name not in _TOUCHING)


@cache
def _touching() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """The words of each language without spaces, and what may stand behind one."""
    tables = ("words", "behind")
    return tuple(
        (words, behind) for name in _TOUCHING for words, behind in [[frozenset(_words(t, name)) for t in tables]]
    )


def _made_of(text: str, words: frozenset[str], behind: frozenset[str]) -> bool:
    """Whether a text can be cut into such words, with signs between them.

    Each place where a word may end is gone through once; a pattern would try all ways to cut, which are too many.
    """
    longest = max(map(len, words | behind))
    ends = {0}
    for end in range(len(text)):
        if end in ends:
            start = end + _signs(text[end:])
            ends |= {start + n for n in range(1, longest + 1) if text[start : start + n] in words}
            ends |= {end + n for n in range(1, longest + 1) if end and text[end : end + n] in behind}
    return any(end and end + _signs(text[end:]) == len(text) for end in ends)


def _signs(text: str) -> int:
    """With how many characters a text begins that are no letters or digits."""
    return next((n for n, character in enumerate(text) if character.isalnum()), len(text))
