"""How far a tokenizer's model can read a text: by the pieces a word falls into, and by unknown pieces."""

from __future__ import annotations

FLUENT, FOREIGN = 0.24, 0.45  # word pieces a character: English .21; es, de .33; vi .38; hi .58; ru, ar .8
LOST = 0.4  # share of unknown pieces at which nothing is left to read (Chinese .70, Thai .79)


def readability(pieces: int, unknown: int, characters: int) -> float:
    """The share 0 to 1 of its full weight that a dense score deserves, from counts of the tokenizer."""
    if pieces == 0 or characters == 0:
        return 1.0
    by_pieces = (FOREIGN - pieces / characters) / (FOREIGN - FLUENT)
    by_unknown = 1 - unknown / pieces / LOST
    return max(0.0, min(1.0, by_pieces)) * max(0.0, by_unknown)
