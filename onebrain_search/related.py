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
from statistics import fmean

from indexer import tokens
from indexer.errors import NotFound
from indexer.snapshot import Snapshot
from indexer.types import Chunk
from onebrain_search.links import LinkMap
from onebrain_search.query import stop_words
from onebrain_search.types import Hit

# What a full tie of each kind adds. Set on three public gardens by the links that their authors made, one a note
# hidden: recall@10 of 400 in a garden of essays is .49 (.46 with the ties and weights before), of 292 in one of
# dotted names .55 (.49), of 320 in a Chinese one by words alone .38 (.28). What `score.py related` asks for is not
# among them, but its figures for the first two were in view. `link`: what a note links to is at hand and falls
# behind; a hidden link gains a place by each one that does (with -.4, 7 of 15 dotted names are found instead of 8).
WEIGHTS: Mapping[str, float] = {
    "vector": 0.12,
    "vector lead": 0.4,
    "words": 0.12,
    "links of similar passages": 0.27,
    "links in common": 0.14,
    "folder of links": 0.3,
    "names": 0.25,
    "words of the name": 0.12,
    "mention": 0.05,
    "name path": 0.22,
    "shared links": 0.22,
    "tags": 0.05,
    "backlink": 0.02,
    "link": -0.6,
}
CHUNKS = 12  # passages of the note that are compared by meaning
NEIGHBOURS = 100  # nearest passages looked at for each of them
RIVALS = 10  # nearest notes of a passage that another must be nearer than to have a lead
SIMILAR = 30  # notes with the same links whose others count
TERMS = 25  # words of the note that are searched in others
PASSAGES = 200  # passages with these words that are looked at
SHORT = 3  # letters of a name that is too short to be told from a word by chance
LOOKED = 5000  # links of linked notes, after which more say nothing
COMMON = 500  # notes with a word in their names, after which it says nothing of any
CROWDED = 0.1  # rarity of a folder that holds half of a vault of a thousand notes: being there says nothing
WORDED = 0.3  # what the best passage by words counts for, where the nearest by meaning has its cosine
LONGEST_NAME = 8  # tokens of a name that is looked for in the text
NAMED = 3  # of several notes with one name that are told

_LINES = re.compile(r"(?::\d+){1,2}$")  # behind a path, as sources have them


@dataclass(slots=True)
class Ground:
    """What all notes of a generation are compared by: their links, names and places in the tree of folders."""

    links: LinkMap
    names: dict[tuple[str, ...], set[int]] = field(default_factory=lambda: defaultdict(set))
    lengths: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))  # of names, by their first words
    called: dict[int, set[tuple[str, ...]]] = field(default_factory=lambda: defaultdict(set))
    titled: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))  # by the stems of a name's words
    weights: dict[int, float] = field(default_factory=dict)  # of all words of a name
    places: dict[int, tuple[str, ...]] = field(default_factory=dict)
    at: dict[tuple[str, ...], list[int]] = field(default_factory=lambda: defaultdict(list))
    below: dict[tuple[str, ...], list[int]] = field(default_factory=lambda: defaultdict(list))  # those at it, too

    @classmethod
    def load(cls, snapshot: Snapshot) -> Ground:
        """Read every document's names and links."""
        ground = cls(LinkMap.load(snapshot.catalog))
        names = "SELECT id, root, path, title, aliases FROM documents"
        for number, root, path, title, aliases in snapshot.catalog.rows(names):
            stem = re.sub(r"\.\w+$", "", path)
            place = ground.places[number] = (root, *re.split(r"[/.]", stem))
            ground.at[place].append(number)
            for depth in range(len(place) + 1):
                ground.below[place[:depth]].append(number)
            for word in _stems(title) | _stems(place[-1]):
                ground.titled[word].add(number)
            for name in {title, Path(stem).name, *json.loads(aliases)}:
                words = tuple(tokens.words(name))
                if len(words) > 1 or (words and len(words[0]) > SHORT):
                    ground.names[words[:LONGEST_NAME]].add(number)
                    ground.lengths[words[0]].add(len(words[:LONGEST_NAME]))
                    ground.called[number].add(words[:LONGEST_NAME])
        for word, owners in ground.titled.items():
            for number in owners:
                ground.weights[number] = ground.weights.get(number, 0.0) + ground.telling(word)
        return ground

    def rarity(self, count: int) -> float:
        """Return how telling it is to be one of some notes: 1 for one alone, 0 where they are all there are."""
        return 1.0 - log(max(1, count)) / log(max(2, len(self.places)))

    def telling(self, word: str) -> float:
        """Return what a word of names is worth: more where fewer notes are called by it."""
        return log1p(len(self.places) / len(self.titled[word]))


def _stems(name: str) -> set[str]:
    """Return the stems of the words of a name that mean something."""
    return {tokens.stem(word) for word in tokens.words(name) if word not in stop_words()}


Ties = dict[int, dict[str, float]]
Alike = dict[int, float]  # passages of other notes, by how much they are like those of this one


def related(snapshot: Snapshot, root: str, path: str, limit: int) -> list[Hit]:
    """Return the notes most related to one, each with its best chunk and what ties them (`parts`).

    Raises NotFound when the note is not in the index, or its name is that of several.
    """
    ground = _ground(_Cached(snapshot))
    ties, chunks = tied(snapshot, ground, _meant(snapshot, ground.links, root, path))
    order = sorted(ties, key=lambda n: (-_total(ties[n]), n))[:limit]
    return [hit for n in order for hit in _hit(snapshot, n, chunks.get(n), ties[n])]


def _meant(snapshot: Snapshot, links: LinkMap, root: str, name: str) -> int:
    """Return the note at a path, else the one that a link with this name would lead to, lines behind it or not."""
    ask = "SELECT id FROM documents WHERE root = ? AND path = ?"
    if exact := snapshot.catalog.rows(ask, (root, name)):
        return int(exact[0][0])
    found = links.called(root, _LINES.sub("", name.strip()))
    if not found:
        raise NotFound("this note is not in the index", where=name, fix="take a path from `search`, or run `index`")
    if len(found) > 1:
        paths = ", ".join(links.paths[number] for number in found[:NAMED])
        raise NotFound(f"{len(found)} notes are called so", where=f"{name}: {paths}", fix="name one by its path")
    return found[0]


def tied(snapshot: Snapshot, ground: Ground, note: int) -> tuple[Ties, dict[int, int]]:
    """Return what ties other notes to one, by kind from 0 to 1, and the chunk of each that is nearest to it."""
    passages = [stored.chunk for stored in snapshot.catalog.chunks_of(note)]
    ties: Ties = defaultdict(dict)
    nearest: dict[int, int] = {}
    alike = _by_meaning(snapshot, passages, ties, nearest)
    for number, value in _by_words(snapshot, passages, ties, nearest).items():
        alike[number] += WORDED * value
    _by_passages(snapshot, ground.links, note, alike, ties)
    _by_links(ground.links, note, ties)
    _by_company(ground.links, note, ties)
    _by_folder(ground, note, ties)
    _by_names(snapshot, ground, note, passages, ties)
    _by_title(ground, passages, ties)
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


def _by_meaning(snapshot: Snapshot, passages: Sequence[Chunk], ties: Ties, nearest: dict[int, int]) -> Alike:
    """Tie notes by the best cosine of any two passages, and by its lead over the nearest notes of that passage.

    A passage that is alike everywhere, such as one of a template, gives no lead. Return how much nearer each passage
    is than the last one looked at.
    """
    alike: Alike = defaultdict(float)
    vectors = snapshot.vectors() if snapshot.embedder else None
    if vectors is None or not len(vectors):
        return alike
    own = {piece.id for piece in passages}
    rows = vectors.rows_of([piece.id for piece in passages[:CHUNKS]])[1]
    near = [[pair for pair in vectors.search(row, NEIGHBOURS) if pair[0] not in own] for row in rows]
    owners = _owners(snapshot, {number for found in near for number, _ in found})
    for found in near:
        first: dict[int, float] = {}  # best first: the nearest passage of each note
        for number, cosine in found:
            owner = owners[number]
            first.setdefault(owner, cosine)
            alike[number] += cosine - found[-1][1]
            if cosine > ties[owner].get("vector", -1.0):
                ties[owner]["vector"], nearest[owner] = cosine, number
        usual = fmean([*first.values()][:RIVALS]) if first else 0.0
        for owner, cosine in first.items():
            if cosine - usual > ties[owner].get("vector lead", 0.0):
                ties[owner]["vector lead"] = cosine - usual
    return alike


def _by_words(snapshot: Snapshot, passages: Sequence[Chunk], ties: Ties, nearest: dict[int, int]) -> Alike:
    """Tie notes by the words that tell this one from others; a note with all of them as often has 1.

    Return how well passages hold these words: 1 for the best, 0 for what was not looked at.
    """
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
    others = [(number, score) for number, score in found if number not in own]
    owners = _owners(snapshot, (number for number, _ in others))
    for number, score in others:
        ties[owners[number]].setdefault("words", min(1.0, score / top))
        nearest.setdefault(owners[number], number)
    last = others[-1][1] if len(found) == PASSAGES + len(own) else 0.0
    return {number: (score - last) / (others[0][1] - last) for number, score in others if score > last}


def _by_passages(snapshot: Snapshot, links: LinkMap, note: int, alike: Alike, ties: Ties) -> None:
    """Tie notes that passages like those of this note link to; a passage of many links says less of each."""
    ask = "SELECT document, start_line, end_line, id FROM chunks WHERE id IN (SELECT value FROM json_each(?))"
    votes: dict[int, float] = defaultdict(float)
    for document, first, last, number in snapshot.catalog.rows(ask, (json.dumps(list(alike)),)):
        targets = links.between(document, first, last)
        for target in targets - {note}:
            votes[target] += alike[number] / (1 + len(targets)) ** 0.5
    for target, value in votes.items():
        ties[target]["links of similar passages"] = log1p(value)


def _by_links(links: LinkMap, note: int, ties: Ties) -> None:
    """Tie notes that are linked, and those two links away, by how often a walk along links at random comes there."""
    around = links.out[note] | links.back[note]
    shared: dict[int, float] = defaultdict(float)
    for middle in _fewest(links, around):
        beyond = links.out[middle] | links.back[middle]
        for other in beyond - {note}:
            shared[other] += 1.0 / (len(around) * len(beyond))
    for other, value in shared.items():
        ties[other]["shared links"] = value**0.5
    for name, others in (("link", links.out[note]), ("backlink", links.back[note])):
        for other in others:
            ties[other][name] = 1.0


def _by_company(links: LinkMap, note: int, ties: Ties) -> None:
    """Tie notes that are linked by notes with the same links as this one."""
    own = links.out[note]
    company: dict[int, float] = defaultdict(float)
    for target in _fewest(links, own):
        for other in links.back[target] - {note}:
            company[other] += 1 / log(2 + len(links.back[target]))
    votes: dict[int, float] = defaultdict(float)
    for other in sorted(company, key=lambda n: (-company[n], n))[:SIMILAR]:
        theirs = links.out[other]
        alike = len(own & theirs) / (len(own) * len(theirs)) ** 0.5
        for target in theirs - {note}:
            votes[target] += alike
    for target, value in votes.items():
        ties[target]["links in common"] = log1p(value)


def _fewest(links: LinkMap, middles: Iterable[int]) -> Iterator[int]:
    """Yield linked notes, those with the fewest links first, until a few thousand links are looked at."""
    looked = 0
    for middle in sorted(middles, key=lambda n: (len(links.out[n]) + len(links.back[n]), n)):
        yield middle
        looked += len(links.out[middle]) + len(links.back[middle])
        if looked > LOOKED:
            return


def _by_folder(ground: Ground, note: int, ties: Ties) -> None:
    """Tie notes beside those that this one links to: by the share of its links, and more in a small folder."""
    linked = ground.links.out[note]
    folders = Counter(ground.places[target][:-1] for target in linked)
    for folder, count in folders.items():
        rarity = ground.rarity(len(ground.below[folder]))
        for other in ground.below[folder] if rarity > CROWDED else ():
            if len(ground.places[other]) == len(folder) + 1:
                ties[other]["folder of links"] = rarity * (count - (other in linked)) / len(linked)


def _by_names(snapshot: Snapshot, ground: Ground, note: int, passages: Sequence[Chunk], ties: Ties) -> None:
    """Tie notes that this one names in its text, and those that name it without a link; rare names count more."""
    links, full = ground.links, 2 * log(2 + len(ground.places))

    def weight(name: Sequence[str]) -> float:
        """Return how telling a name is."""
        return min(1.0, sum(map(snapshot.rarity, name)) / full)

    for name in {name for piece in passages for name in _named(ground, tokens.words(piece.text))}:
        for other in ground.names[name] - links.out[note]:
            ties[other]["names"] = max(weight(name), ties[other].get("names", 0.0))
    own = ground.called.get(note, set())
    found = snapshot.lexical.search([], phrases=sorted(own), k=PASSAGES) if own else []
    value = max(map(weight, own), default=0.0)
    for other in _owners(snapshot, (number for number, _ in found)).values():
        if other not in links.back[note]:
            ties[other]["mention"] = value


def _by_title(ground: Ground, passages: Sequence[Chunk], ties: Ties) -> None:
    """Tie notes whose name's words stand in this one, the rarer the better; a name of common words never has 1."""
    held: dict[int, float] = defaultdict(float)
    for word in {tokens.stem(word) for piece in passages for word in tokens.words(piece.text)} & ground.titled.keys():
        if len(ground.titled[word]) <= COMMON:
            value = ground.telling(word)
            for other in ground.titled[word]:
                held[other] += value
    full = 2 * log1p(len(ground.places))
    for other, value in held.items():
        ties[other]["words of the name"] = value / max(full, ground.weights[other])


def _owners(snapshot: Snapshot, chunks: Iterable[int]) -> dict[int, int]:
    """Return the document of each of some chunks."""
    ask = "SELECT id, document FROM chunks WHERE id IN (SELECT value FROM json_each(?))"
    return dict(snapshot.catalog.rows(ask, (json.dumps(list(chunks)),)))


def _named(ground: Ground, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the names that stand in a text."""
    for at, word in enumerate(words):
        for length in ground.lengths.get(word, ()):
            name = tuple(words[at : at + length])
            if name in ground.names:
                yield name


def _by_tags(snapshot: Snapshot, note: int, ties: Ties) -> None:
    """Tie notes by the rarity of the tags they share."""
    rows = snapshot.catalog.rows(  # each tag is counted once: a tag of 20,000 notes took 9 s when each row counted it
        "WITH own AS MATERIALIZED (SELECT tag, 1.0 / (SELECT COUNT(*) FROM tags t WHERE t.tag = mine.tag) AS worth"
        " FROM tags mine WHERE document = ?)"
        " SELECT other.document, SUM(own.worth) FROM own JOIN tags other ON other.tag = own.tag GROUP BY 1",
        (note,),
    )
    for other, value in rows:
        ties[other]["tags"] = min(1.0, value * 5)


def _by_place(ground: Ground, note: int, ties: Ties) -> None:
    """Tie notes above and below this one in the tree of folders and dotted names."""
    place = ground.places[note]
    above = [n for depth in range(len(place)) for n in ground.at.get(place[:depth], ())]
    for other in [*above, *ground.below[place]]:
        ties[other]["name path"] = 1.0


def _hit(snapshot: Snapshot, note: int, number: int | None, parts: Mapping[str, float]) -> list[Hit]:
    """Return a note as a hit on its nearest chunk, or its first; nothing for a note without text."""
    passages = list(snapshot.catalog.chunks([number]).values()) if number else snapshot.catalog.chunks_of(note)[:1]
    return [replace(Hit(s.chunk, _total(parts)), parts=dict(parts)) for s in passages]
