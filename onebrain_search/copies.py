"""Whether one passage repeats another, by word triples: no cosine tells copies from passages on the same matter."""

from __future__ import annotations

from functools import cached_property

from indexer import tokens

SAME_SHARE = 0.9  # of equal triples from which a passage counts as a copy of another
# A word that one of two passages lacks is in a triple that it lacks, and a triple has three words: so copies differ
# in no more words than this share of the shorter one. That is looked at first, and tells nearly all others apart.
_DIFFERENT = 3 * (1 - SAME_SHARE) / SAME_SHARE + 1e-9
_LONG = 12  # characters a piece on average from which a text is of a script without spaces


class Worded:
    """The words of a passage in their order, and the triples that they make, worked out when they are asked for."""

    def __init__(self, text: str) -> None:
        lowered = text.lower()
        pieces = tokens.pieces(lowered)
        self.words = pieces if len(lowered) <= _LONG * len(pieces) else list("".join(pieces))
        self.vocabulary = set(self.words)

    @cached_property
    def triples(self) -> set[int]:
        """Hashes of three words in a row; of all words where there are fewer."""
        words = self.words
        return set(map(hash, zip(words, words[1:], words[2:], strict=False))) or {hash(tuple(words))}

    def repeats(self, other: Worded) -> bool:
        """Whether the two share nearly all triples."""
        most = _DIFFERENT * min(len(self.words), len(other.words))
        mine, others = len(self.vocabulary), len(other.vocabulary)
        if abs(mine - others) > most or mine + others - 2 * len(self.vocabulary & other.vocabulary) > most:
            return False
        one, two = self.triples, other.triples
        if min(len(one), len(two)) < SAME_SHARE * max(len(one), len(two)):
            return False
        return len(one & two) >= SAME_SHARE * len(one | two)
