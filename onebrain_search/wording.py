"""Which words of a query stand in a passage, found by a look where they may stand instead of at every word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise

from indexer import tokens
from onebrain_search.types import Hit

Pair = tuple[str, str]

MANY = 24  # words of a question from which every word of a passage is read: a look for each would take longer
_SHORT = 5  # characters of a space and what may stand between two words without being one, like an ellipsis


class _Held(dict[str, frozenset[str]]):
    """Which terms a piece of text holds, as such or by their stem; worked out once a piece."""

    def __init__(self, terms: Iterable[str]) -> None:
        self.terms = frozenset(terms)
        self.forms = defaultdict[str, set[str]](set)
        for term in terms:
            self.forms[term].add(term)
            self.forms[tokens.stem(term)].add(term)

    def __missing__(self, piece: str) -> frozenset[str]:
        """Look into a piece."""
        body, stems = tokens.of_piece(piece)
        forms = self.forms.keys() & {*body.split(), *stems.split()}
        found = self[piece] = frozenset[str]().union(*(self.forms[form] for form in forms))
        return found


class Wording:
    """Finds the terms of a query, and neighbouring words of its topic, in passages; looks into each once."""

    def __init__(self, terms: Sequence[str], topic: str = "", cut: Sequence[str] = ()) -> None:
        """`cut` are the terms that notes in other languages than English have by their beginning alone."""
        asked = [tokens.stem(term) for term in tokens.words(topic)]
        self.pairs: Set[Pair] = {pair for pair in pairwise(asked) if pair[0] != pair[1]}
        self._held = _Held(terms)
        self._cores = {core(form) for form in self._held.forms if form.isascii()}
        # A sign that is asked for by itself is no bigram: it stands inside of them.
        self._signs = frozenset(term for term in terms if len(term) == 1 and tokens.is_unspaced(term))
        self._begun: dict[str, set[str]] = {}
        for term in cut:
            self._begun.setdefault(tokens.cut(tokens.stem(term)), set()).add(term)
        self._read: dict[int, tuple[str, str]] = {}
        self._terms: dict[int, frozenset[str]] = {}
        self._pairs: dict[int, Set[Pair]] = {}

    def look_into(self, hit: Hit) -> None:
        """Find what may be asked for later."""
        self.terms_of(hit)
        if self.pairs:
            self.pairs_of(hit)

    def terms_of(self, hit: Hit) -> frozenset[str]:
        """Return the terms that stand in a passage, its title, headings or symbol, as such or by their stem."""
        if hit.chunk.id not in self._terms:
            self._terms[hit.chunk.id] = self._terms_in(hit)
        return self._terms[hit.chunk.id]

    def pairs_of(self, hit: Hit) -> Set[Pair]:
        """Return the neighbours of the topic, as stems, that are neighbours in a passage or its title."""
        if hit.chunk.id not in self._pairs:
            self._pairs[hit.chunk.id] = self._pairs_in(hit)
        return self._pairs[hit.chunk.id]

    def _terms_in(self, hit: Hit) -> frozenset[str]:
        """Look for the terms."""
        above, text = self._plain(hit)
        plain = f"{above} {text}"
        pieces = _likely(plain, self._cores) if len(self._cores) <= MANY else plain.split()
        found = frozenset[str]().union(*map(self._held.__getitem__, pieces))
        if self._begun and len(found) < len(self._held.terms) and tokens.is_cut(tokens.words(text)):
            found |= self._begun_in(plain)
        return found | self._signs.intersection(tokens.fold(plain)) if self._signs else found

    def _begun_in(self, plain: str) -> frozenset[str]:
        """Look for words that begin as the terms do."""
        pieces = _likely(plain, [begun.rstrip(tokens.MARK) for begun in self._begun])
        stems = {tokens.cut(stem) for piece in pieces for stem in tokens.of_piece(piece)[1].split()}
        return frozenset().union(*(self._begun[stem] for stem in stems & self._begun.keys()))

    def _pairs_in(self, hit: Hit) -> Set[Pair]:
        """Look for the pairs."""
        _, plain = self._plain(hit)
        lowered = plain.lower()
        hidden = self.pairs if len(self.pairs) > MANY else _hidden(self.pairs, plain, lowered)
        found = {pair for pair in self.pairs - hidden if _beside(plain, lowered, pair)}
        return found | (hidden & set(pairwise(map(tokens.stem, tokens.words(plain))))) if hidden else found

    def _plain(self, hit: Hit) -> tuple[str, str]:
        """Return headings and symbol, and title and text of a passage made plain, once for all who ask."""
        if hit.chunk.id not in self._read:
            above = tokens.plain(" ".join([*hit.chunk.heading, hit.chunk.symbol]))
            self._read[hit.chunk.id] = above, tokens.plain(f"{hit.chunk.title} {hit.chunk.text}")
        return self._read[hit.chunk.id]


def core(stem: str) -> str:
    """Return what every English word of a stem begins with, tried on 117,000 words."""
    if stem.endswith("ie"):
        return stem[:-2] or stem  # dying, die
    return stem[:-1] or stem if stem.endswith(("i", "e", "bl", "sky")) else stem  # trying, naming, ability, skies


def _hidden(pairs: Set[Pair], plain: str, lowered: str) -> Set[Pair]:
    """Return the pairs that may stand in a text, but in a form that only shows when every word is read."""
    if plain.isascii():
        return frozenset()
    whole, latin = tokens.foldings(plain)

    def stands(stem: str) -> bool | None:
        """Whether a word of this stem may be part of the text; None where it may be and is written otherwise."""
        if not stem.isascii():
            return None if not tokens.is_unspaced(stem) or stem in whole else False
        written = latin.count(core(stem))
        same = len(lowered) == len(plain) and lowered.count(core(stem)) == written
        return None if written and not same else bool(written)

    return {pair for pair in pairs if None in (both := (stands(pair[0]), stands(pair[1]))) and False not in both}


def _beside(plain: str, lowered: str, pair: Pair) -> bool:
    """Whether two stems stand side by side in a text without signs: looked for where the longer one is written so."""
    cores = core(pair[0]), core(pair[1])
    first = len(cores[0]) >= len(cores[1])
    sought, other = cores if first else cores[::-1]
    if other not in lowered:
        return False
    for start, end in _places(lowered, sought):
        if first:
            end = lowered.find(" ", end + _SHORT)
            end = end if end >= 0 else len(lowered)
        else:
            start = lowered.rfind(" ", 0, max(0, start - _SHORT)) + 1
        if lowered.find(other, start, end) >= 0:
            pieces = plain[start:end].split()
            if pair in pairwise(
                tokens.stem(token) for piece in pieces for token in tokens.of_piece(piece)[0].split()
            ):
                return True
    return False


def _likely(plain: str, cores: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of a text that may hold words with one of the cores: those that do, and any not in ASCII."""
    lowered = plain.lower()
    if len(lowered) != len(plain):
        yield from plain.split()
        return
    if not plain.isascii():
        yield from (piece for piece in plain.split() if not piece.isascii())
    for each in cores:
        if each in lowered:
            yield from (plain[start:end] for start, end in _places(lowered, each))


def _places(lowered: str, sought: str) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) of what stands between spaces and holds a string."""
    at = lowered.find(sought)
    while at >= 0:
        end = lowered.find(" ", at)
        end = end if end >= 0 else len(lowered)
        yield lowered.rfind(" ", 0, at) + 1, end
        at = lowered.find(sought, end)
