"""A note -> the notes it belongs with: near in meaning or words, named by it, linked by its like, or beside it."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import log, log1p
from pathlib import Path

from indexer import tokens
from indexer.errors import NotFound
from indexer.snapshot import Snapshot
from indexer.types import Chunk
from onebrain_search.links import LinkMap
from onebrain_search.query import stop_words
from onebrain_search.types import Hit

# What a full tie of each kind adds. Set on two public gardens by the links that their authors made, one taken away
# at a time: 215 as `score.py related` does it, 400 more in the graph alone. Recall@10 of the first garden is .51 and
# .33 by vectors alone; it falls to .41 without vectors or the links of similar notes, .46 without names, .47 without
# words or with links at 0. The name path is what a garden of dotted names needs (.53, without it .33). A note that is
# linked already comes after its equals: whoever reads the note has that link at hand.
WEIGHTS: Mapping[str, float] = {
    "vector": 0.25,
    "words": 0.15,
    "links of similar notes": 0.15,
    "names": 0.4,
    "mention": 0.02,
    "name path": 0.22,
    "shared links": 0.01,
    "tags": 0.15,
    "backlink": 0.01,
    "link": -0.2,
}
CHUNKS = 12  # passages of the note that are compared by meaning
NEIGHBOURS = 100  # nearest passages looked at for each of them
SIMILAR = 30  # notes near in meaning whose links count
FAR = 0.2  # cosine from which a note is similar at all
TERMS = 25  # words of the note that are searched in others
PASSAGES = 200  # passages with these words that are looked at
SHORT = 3  # letters of a name that is too short to be told from a word by chance
LONGEST_NAME = 8  # tokens of a name that is looked for in the text


@dataclass(slots=True)
class Ground:
    """What all notes of a generation are compared by: their links, names and places in the tree of folders."""

    links: LinkMap
    names: dict[str, list[tuple[tuple[str, ...], int]]] = field(default_factory=lambda: defaultdict(list))
    places: dict[int, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def load(cls, snapshot: Snapshot) -> Ground:
        """Read every document's names and links."""
        ground = cls(LinkMap.load(snapshot.catalog))
        for number, path, title, aliases in snapshot.catalog.rows("SELECT id, path, title, aliases FROM documents"):
            stem = re.sub(r"\.\w+$", "", path)
            ground.places[number] = tuple(re.split(r"[/.]", stem))
            for name in {title, Path(stem).name, *json.loads(aliases)}:
                words = tuple(tokens.words(name))
                if len(words) > 1 or (words and len(words[0]) > SHORT):
                    ground.names[words[0]].append((words[:LONGEST_NAME], number))
        return ground


Ties = dict[int, dict[str, float]]


def related(snapshot: Snapshot, root: str, path: str, limit: int) -> list[Hit]:
    """Return the notes most related to one, each with its best chunk and what ties them (`parts`).

    Raises NotFound when the note is not in the index.
    """
    found = snapshot.catalog.rows("SELECT id FROM documents WHERE root = ? AND path = ?", (root, path))
    if not found:
        raise NotFound("this note is not in the index", where=path, fix="check the path, or run `index`")
    ties, chunks = tied(snapshot, _ground(_Cached(snapshot)), found[0][0])
    order = sorted(ties, key=lambda n: (-_total(ties[n]), n))[:limit]
    return [hit for n in order for hit in _hit(snapshot, n, chunks.get(n), ties[n])]


def tied(snapshot: Snapshot, ground: Ground, note: int) -> tuple[Ties, dict[int, int]]:
    """Return what ties other notes to one, by kind from 0 to 1, and the chunk of each that is nearest to it."""
    passages = [stored.chunk for stored in snapshot.catalog.chunks_of(note)]
    ties: Ties = defaultdict(dict)
    nearest: dict[int, int] = {}
    _by_meaning(snapshot, passages, ties, nearest)
    _by_words(snapshot, passages, ties, nearest)
    _by_links(ground.links, note, ties)
    _by_names(snapshot, ground, note, passages, ties)
    _by_tags(snapshot, note, ties)
    _by_place(ground, note, ties)
    ties.pop(note, None)
    return ties, nearest


class _Cached:
    """A snapshot that is equal to others of its generation, for a cache of one."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.key = (snapshot.folder, snapshot.generation)

    def __hash__(self) -> int:
        """Return the hash of the generation."""
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same generation of one index."""
        return isinstance(other, _Cached) and self.key == other.key


@lru_cache(maxsize=1)
def _ground(cached: _Cached) -> Ground:
    """Return the ground of a generation, read once."""
    return Ground.load(cached.snapshot)


def _total(parts: Mapping[str, float]) -> float:
    """Return the weighted sum of what ties two notes."""
    return sum(WEIGHTS[name] * value for name, value in parts.items())


def _by_meaning(snapshot: Snapshot, passages: Sequence[Chunk], ties: Ties, nearest: dict[int, int]) -> None:
    """Tie notes by the best cosine of any two passages."""
    vectors = snapshot.vectors() if snapshot.embedder else None
    if vectors is None or not len(vectors):
        return
    best: dict[int, float] = {}
    for row in vectors.rows_of([piece.id for piece in passages[:CHUNKS]])[1]:
        for number, cosine in vectors.search(row, NEIGHBOURS):
            best[number] = max(cosine, best.get(number, -1.0))
    owners = _owners(snapshot, best)
    for number, cosine in best.items():
        owner = owners[number]
        if cosine > ties[owner].get("vector", -1.0):
            ties[owner]["vector"], nearest[owner] = cosine, number


def _by_words(snapshot: Snapshot, passages: Sequence[Chunk], ties: Ties, nearest: dict[int, int]) -> None:
    """Tie notes by the words that tell this one from others; a note with all of them as often has 1."""
    counts = Counter(word for piece in passages for word in tokens.words(piece.text))
    weights = {
        word: (1 + log(count)) * snapshot.rarity(word)
        for word, count in counts.items()
        if word not in stop_words() and not word.isdigit()
    }
    chosen = sorted(weights, key=lambda word: (-weights[word], word))[:TERMS]
    own = {piece.id for piece in passages}
    found = snapshot.lexical.search([(word, 1 + log(counts[word])) for word in chosen], k=PASSAGES + len(own))
    top = max((score for number, score in found if number in own), default=found[0][1] if found else 1.0)
    owners = _owners(snapshot, (number for number, _ in found if number not in own))
    for number, score in found:
        if number in owners:
            ties[owners[number]].setdefault("words", min(1.0, score / top))
            nearest.setdefault(owners[number], number)


def _by_links(links: LinkMap, note: int, ties: Ties) -> None:
    """Tie notes that are linked, that have linked notes in common, and that notes near in meaning link to."""
    likeness = {n: parts.get("vector", parts.get("words", 0.0)) for n, parts in ties.items() if n != note}
    votes: dict[int, float] = defaultdict(float)
    for other in sorted(likeness, key=lambda n: -likeness[n])[:SIMILAR]:
        for target in links.out[other] - {note}:
            votes[target] += max(0.0, likeness[other] - FAR)
    for target, value in votes.items():
        ties[target]["links of similar notes"] = log1p(value)
    around = links.out[note] | links.back[note]
    shared: dict[int, float] = defaultdict(float)
    for middle in around:
        beyond = links.out[middle] | links.back[middle]
        for other in beyond - {note}:
            shared[other] += 1.0 / (1.0 + len(beyond)) ** 0.5
    for other, value in shared.items():
        ties[other]["shared links"] = min(1.0, value)
    for name, others in (("link", links.out[note]), ("backlink", links.back[note])):
        for other in others:
            ties[other][name] = 1.0


def _by_names(snapshot: Snapshot, ground: Ground, note: int, passages: Sequence[Chunk], ties: Ties) -> None:
    """Tie notes that this one names in its text, and those that name it without a link; rare names count more."""
    links, full = ground.links, 2 * log(2 + len(ground.places))

    def weight(name: Sequence[str]) -> float:
        """Return how telling a name is."""
        return min(1.0, sum(map(snapshot.rarity, name)) / full)

    for words in (tokens.words(piece.text) for piece in passages):
        for name, other in _named(ground, words):
            if other not in links.out[note]:
                ties[other]["names"] = max(weight(name), ties[other].get("names", 0.0))
    own = {name for rows in ground.names.values() for name, owner in rows if owner == note}
    found = snapshot.lexical.search([], phrases=sorted(own), k=PASSAGES) if own else []
    value = max(map(weight, own), default=0.0)
    for other in _owners(snapshot, (number for number, _ in found)).values():
        if other not in links.back[note]:
            ties[other]["mention"] = value


def _owners(snapshot: Snapshot, chunks: Iterable[int]) -> dict[int, int]:
    """Return the document of each of some chunks."""
    ask = "SELECT id, document FROM chunks WHERE id IN (SELECT value FROM json_each(?))"
    return dict(snapshot.catalog.rows(ask, (json.dumps(list(chunks)),)))


def _named(ground: Ground, words: Sequence[str]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the names that stand in a text, with the notes they belong to."""
    for at, word in enumerate(words):
        for name, other in ground.names.get(word, ()):
            if tuple(words[at : at + len(name)]) == name:
                yield name, other


def _by_tags(snapshot: Snapshot, note: int, ties: Ties) -> None:
    """Tie notes by the rarity of the tags they share."""
    rows = snapshot.catalog.rows(
        "SELECT other.document, SUM(1.0 / (SELECT COUNT(*) FROM tags t WHERE t.tag = own.tag)) FROM tags own"
        " JOIN tags other ON other.tag = own.tag WHERE own.document = ? GROUP BY other.document",
        (note,),
    )
    for other, value in rows:
        ties[other]["tags"] = min(1.0, value * 5)


def _by_place(ground: Ground, note: int, ties: Ties) -> None:
    """Tie notes above and below this one in the tree of folders and dotted names."""
    place = ground.places[note]
    for other, elsewhere in ground.places.items():
        depth = min(len(place), len(elsewhere))
        if other != note and elsewhere[:depth] == place[:depth]:
            ties[other]["name path"] = 1.0


def _hit(snapshot: Snapshot, note: int, number: int | None, parts: Mapping[str, float]) -> list[Hit]:
    """Return a note as a hit on its nearest chunk, or its first; nothing for a note without text."""
    passages = list(snapshot.catalog.chunks([number]).values()) if number else snapshot.catalog.chunks_of(note)[:1]
    return [replace(Hit(s.chunk, _total(parts)), parts=dict(parts)) for s in passages]
