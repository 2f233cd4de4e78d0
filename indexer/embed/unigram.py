"""The unigram tokenizer of multilingual-e5-small on mapped tables: ready at once, where a JSON file takes a second.

The likeliest way to cut a text into pieces, by the sum of their log probabilities. It gives the pieces that
`tokenizers` gives for the same vocabulary; a test compares them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from unicodedata import is_normalized, normalize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.embed.light import Pieces, Tokenize

    Numbers = NDArray[Any]

SPACE = "▁"  # stands for a space, and at the start of every word
UNKNOWN = 3  # number of the unknown piece
PENALTY = 10.0  # below the least likely piece, for a character that is none
FACTOR = 0x9E3779B97F4A7C15  # odd, of well mixed bits (2^64 over the golden ratio)
PART = 4096  # characters looked up at a time

# The rules of SentencePiece beside NFKC: these are left out, and those are spaces.
DROPPED = "\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f"
SPACES = "\t\n\x0c\r \x85\xa0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2581\u3000\ufeff\ufffd"
_DROPPED = re.compile(f"[{DROPPED}]")
_WORD = re.compile(f"[^{SPACES}]+")


def tables(pieces: Sequence[str], scores: Numbers) -> dict[str, Numbers]:
    """The tables of a vocabulary: sorted hashes, the number of the piece of each, and scores by number."""
    import numpy as np

    codes, lengths = _codes("".join(pieces)), np.array([len(piece) for piece in pieces])
    starts = np.cumsum(lengths) - lengths
    hashes = np.zeros(len(pieces), np.uint64)
    for at in range(lengths.max()):
        longer = np.nonzero(lengths > at)[0]
        hashes[longer] = _added(hashes[longer], codes[starts[longer] + at])
    order = np.argsort(hashes, kind="stable")
    return {
        "hashes": hashes[order],
        "numbers": order.astype(np.int32),
        "scores": np.asarray(scores, np.float32),
        "longest": np.array([lengths.max()], np.int32),
    }


def tokenizer(tables: Mapping[str, Numbers]) -> Tokenize:
    """What cuts texts by the tables of a vocabulary."""
    cutter = _Cutter(tables)
    return lambda texts: [cutter.cut(text) for text in texts]


class _Cutter:
    """Cuts texts into pieces."""

    def __init__(self, tables: Mapping[str, Numbers]) -> None:
        self.hashes, self.numbers, self.scores = tables["hashes"], tables["numbers"], tables["scores"]
        self.longest = int(tables["longest"][0])
        self.unlikely = float(self.scores.min()) - PENALTY

    def cut(self, text: str) -> Pieces:
        """The numbers and the character offsets of the pieces of a text."""
        letters, places = _prepared(text)
        found: list[tuple[int, int, int]] = []  # number, first and last + 1 character of the prepared text
        start = 0
        while start < len(letters):  # in parts that end before a word
            end = letters.find(SPACE, start + PART)
            end = end if end >= 0 else len(letters)
            found += [(number, start + a, start + b) for number, a, b in self._best(letters[start:end])]
            start = end
        return [number for number, _, _ in found], [(places[a][0], places[b - 1][1]) for _, a, b in found]

    def _best(self, letters: str) -> list[tuple[int, int, int]]:
        """The likeliest pieces of a prepared text, unknown neighbours as one."""
        size = len(letters)
        best: list[float | None] = [None] * (size + 1)
        way = [(0, UNKNOWN)] * (size + 1)  # where the piece that ends here begins, and its number
        best[0] = 0.0
        matches = self._matches(letters)
        ends: dict[int, list[tuple[int, int, float]]] = {}
        for start, end, number, score in matches:
            ends.setdefault(start, []).append((end, number, score))
        for start in range(size):
            # Each word counts anew, so that a long text adds up no rounding.
            here = 0.0 if letters[start] == SPACE else best[start] or 0.0
            single = False
            for end, number, score in ends.get(start, ()):
                single |= end == start + 1
                value = best[end]
                if value is None or here + score > value:
                    best[end], way[end] = here + score, (start, number)
            if not single:
                value = best[start + 1]
                if value is None or here + self.unlikely > value:
                    best[start + 1], way[start + 1] = here + self.unlikely, (start, UNKNOWN)
        found: list[tuple[int, int, int]] = []
        end = size
        while end:
            start, number = way[end]
            if number == UNKNOWN and found and found[-1][0] == UNKNOWN:
                found[-1] = (UNKNOWN, start, found[-1][2])
            else:
                found.append((number, start, end))
            end = start
        return found[::-1]

    def _matches(self, letters: str) -> list[tuple[int, int, int, float]]:
        """All pieces in a text as (start, end, number, score), by start and then by length."""
        import numpy as np

        codes = _codes(letters)
        size, hashes, rows = len(codes), np.zeros(len(codes), np.uint64), []
        for length in range(1, min(self.longest, size) + 1):
            hashes = _added(hashes[: size - length + 1], codes[length - 1 :])
            rows.append(hashes)
        asked = np.concatenate(rows)
        starts = np.concatenate([np.arange(len(row)) for row in rows])
        lengths = np.repeat(np.arange(1, len(rows) + 1), [len(row) for row in rows])
        place = np.minimum(np.searchsorted(self.hashes, asked), len(self.hashes) - 1)
        hit = np.nonzero(self.hashes[place] == asked)[0]
        hit = hit[np.lexsort((lengths[hit], starts[hit]))]
        numbers = self.numbers[place[hit]]
        columns = (starts[hit], starts[hit] + lengths[hit], numbers, self.scores[numbers])
        return list(zip(*(column.tolist() for column in columns), strict=True))


def _prepared(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text as it is cut, a mark before each word, and the span of each of its characters in what was given."""
    letters: list[str] = []
    places: list[tuple[int, int]] = []
    for match in _WORD.finditer(text):
        first, last = match.span()
        plain = _DROPPED.sub("", match[0])
        for word in (plain if is_normalized("NFKC", plain) else normalize("NFKC", plain)).split():
            letters.append(SPACE + word)
            if len(word) == last - first:
                places += [(first, first + 1), *((at, at + 1) for at in range(first, last))]
            else:  # composed or decomposed: where each character came from is told by its share
                share = (last - first) / len(word)
                steps = [first + round(n * share) for n in range(len(word) + 1)]
                places += [(first, max(steps[1], first)), *pairwise(steps)]
    return "".join(letters), places


def _codes(text: str) -> Numbers:
    """The code points of a text, plus one, as uint64."""
    import numpy as np

    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64) + np.uint64(1)


def _added(hashes: Numbers, codes: Numbers) -> Numbers:
    """Hashes with one more character; they wrap around."""
    import numpy as np

    mixed = (hashes + codes) * np.uint64(FACTOR)
    found: Numbers = mixed ^ (mixed >> np.uint64(29))
    return found
