"""How far a model can read a text: its tokenizer is asked, never a list of languages.

A tokenizer's vocabulary stands in order of how frequent a piece was in what the model read. So a text
in the model's own language is few and frequent pieces, and another language, or another script, is many
and rare ones. The measure is the length of that code: the sum of log2(piece number), in bits a letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from math import log2

# Bits a letter by all-MiniLM-L6-v2, 5th / 50th / 95th percentile of test questions: English 2.2 / 2.8 / 3.9,
# on science 2.1 / 2.9 / 3.9, Spanish 4.0 / 5.0 / 5.9, Hindi 11 / 16 / 20, Arabic 12 / 13 / 14. Between the two
# limits Spanish keeps .54 of the weight on average, English 1.0 for 97 of 100 (.996 on average).
FLUENT, FOREIGN = 3.9, 6.2
LOST = 0.4  # share of letters in unknown pieces that leaves nothing to read (Chinese .7, Thai .9)
USUAL = 2.7  # bits a letter of an English question
DOUBT = 10  # letters at the USUAL rate, added to an ASCII question: `kubernetes` alone proves little
MIXED = 0.25  # share of pieces not ASCII that makes a vocabulary one for many languages (MiniLM .06, E5 .67)

Encode = Callable[[str], tuple[Sequence[int], Sequence[tuple[int, int]]]]

_PLAIN = re.compile(r"[^\w]*(?:[A-Z]?[a-z]+(?:['’-][A-Za-z][a-z]*)*)[^\w]*", re.ASCII)
_BYTE_MARKS = str.maketrans("", "", "ĠĊ▁")


def readability(text: str, encode: Encode, unknown: int | None, mixed: bool) -> float:
    """The share 0 to 1 of its full weight that a dense score of `text` deserves.

    `encode` gives piece numbers and character offsets, `unknown` is the number of the unknown piece,
    `mixed` says that the vocabulary is one for many languages, where only unknown pieces count.
    """
    words = [word for word in text.split() if not is_identifier(word)]
    plain = " ".join(words)
    letters = sum(map(str.isalnum, plain))
    if not letters:
        return 1.0 if any(map(str.isalnum, text)) else known(*encode(text), unknown)
    ids, offsets = encode(plain)
    lost = sum(
        str.isalnum(letter)
        for piece, (start, end) in zip(ids, offsets, strict=True)
        if piece == unknown
        for letter in plain[start:end]
    )
    by_unknown = max(0.0, 1 - lost / letters / LOST)
    if mixed:
        return by_unknown
    bits = sum(log2(max(piece, 2)) for piece in ids if piece != unknown)
    doubt = DOUBT if plain.isascii() else 0
    rate = (bits + USUAL * doubt) / (letters - lost + doubt) if letters - lost + doubt else 0.0
    return by_unknown * max(0.0, min(1.0, (FOREIGN - rate) / (FOREIGN - FLUENT)))


def known(ids: Sequence[int], offsets: Sequence[tuple[int, int]], unknown: int | None) -> float:
    """1.0 if any piece is known (text without letters: numbers, signs, emoji), else 0.0."""
    return float(not ids or any(piece != unknown for piece in ids))


def is_identifier(word: str) -> bool:
    """Whether an ASCII word is a name of code or an abbreviation (`k8s`, `JWT`, `getName`): no language."""
    return word.isascii() and not _PLAIN.fullmatch(word)


def is_mixed(vocabulary: Iterable[str]) -> bool:
    """Whether a tokenizer's vocabulary was made from many scripts: more than MIXED of it is not ASCII."""
    pieces = [piece.translate(_BYTE_MARKS) for piece in vocabulary]
    return sum(not piece.isascii() for piece in pieces) > MIXED * max(1, len(pieces))
