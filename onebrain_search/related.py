"""A note -> the notes it belongs with: linked either way, near in meaning, sharing tags, folder, or a mention."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import PurePosixPath

from indexer import tokens
from indexer.errors import NotFound
from indexer.snapshot import Snapshot
from onebrain_search.links import LinkMap
from onebrain_search.types import Hit

# What each tie is worth beside a cosine of 1; set on two public gardens with one link a note masked.
WEIGHTS = {
    "vector": 1.0,
    "link": 0.35,
    "backlink": 0.35,
    "shared links": 0.25,
    "tags": 0.15,
    "folder": 0.08,
    "mention": 0.3,
}
NEIGHBOURS = 200  # nearest chunks looked at for each chunk of the note
CHUNKS = 12  # of the note that are compared


def related(snapshot: Snapshot, root: str, path: str, limit: int) -> list[Hit]:
    """Return the notes most related to one, each with its best chunk and what ties them (`parts`).

    Raises NotFound when the note is not in the index.
    """
    known = snapshot.catalog.known().get((root, path))
    if known is None:
        raise NotFound("this note is not in the index", where=path, fix="check the path, or run `index`")
    links = LinkMap.load(snapshot.catalog)
    ties: dict[int, dict[str, float]] = defaultdict(dict)
    chunks: dict[int, int] = {}
    _by_meaning(snapshot, known.id, ties, chunks)
    _by_links(links, known.id, ties)
    _by_tags(snapshot, known.id, ties)
    _by_mention(snapshot, known.id, ties)
    for other in list(ties):
        if links.folder(other) == str(PurePosixPath(path).parent):
            ties[other]["folder"] = 1.0
    ties.pop(known.id, None)
    order = sorted(ties, key=lambda n: (-_total(ties[n]), n))[:limit]
    return [hit for n in order for hit in _hit(snapshot, n, chunks, ties[n])]


def _total(parts: dict[str, float]) -> float:
    """Return the weighted sum of what ties two notes."""
    return sum(WEIGHTS[name] * value for name, value in parts.items())


def _by_meaning(snapshot: Snapshot, note: int, ties: dict[int, dict[str, float]], chunks: dict[int, int]) -> None:
    """Tie notes by the mean, over the note's chunks, of the best cosine with any of theirs."""
    vectors = snapshot.vectors() if snapshot.embedder else None
    own = [s.chunk.id for s in snapshot.catalog.chunks_of(note)][:CHUNKS]
    rows = vectors.vectors(own) if vectors is not None and len(vectors) else ()
    if not len(rows) or vectors is None:
        return
    mean = rows.mean(axis=0)  # type: ignore[union-attr]
    mean /= float((mean @ mean) ** 0.5) or 1.0
    near = vectors.search(mean, NEIGHBOURS)
    stored = snapshot.catalog.chunks([number for number, _ in near])
    for number, cosine in near:
        owner = stored[number].document
        if cosine > ties[owner].get("vector", -1.0):
            ties[owner]["vector"], chunks[owner] = cosine, number


def _by_links(links: LinkMap, note: int, ties: dict[int, dict[str, float]]) -> None:
    """Tie notes that one links to, that link to it, and that link to or are linked from the same notes."""
    for other in links.out[note]:
        ties[other]["link"] = 1.0
    for other in links.back[note]:
        ties[other]["backlink"] = 1.0
    shared: dict[int, float] = defaultdict(float)
    for middle in links.out[note] | links.back[note]:
        around = links.out[middle] | links.back[middle]
        for other in around - {note}:
            shared[other] += 1.0 / (1.0 + len(around)) ** 0.5
    top = max(shared.values(), default=1.0)
    for other, value in shared.items():
        ties[other]["shared links"] = value / top


def _by_tags(snapshot: Snapshot, note: int, ties: dict[int, dict[str, float]]) -> None:
    """Tie notes by the rarity of the tags they share."""
    rows = snapshot.catalog.sql.execute(
        "SELECT other.document, SUM(1.0 / (SELECT COUNT(*) FROM tags t WHERE t.tag = own.tag)) FROM tags own"
        " JOIN tags other ON other.tag = own.tag WHERE own.document = ? GROUP BY other.document",
        (note,),
    )
    for other, value in rows:
        ties[other]["tags"] = min(1.0, value * 5)


def _by_mention(snapshot: Snapshot, note: int, ties: dict[int, dict[str, float]]) -> None:
    """Tie notes that name this one in their text without a link."""
    document = snapshot.catalog.document(note)
    names = [tokens.words(name) for name in (document.title, *document.aliases)]
    phrases = [words for words in names if len(words) > 1 or (words and len(words[0]) > 4)]
    found = snapshot.lexical.search([], phrases=phrases, k=100) if phrases else []
    for stored in snapshot.catalog.chunks([number for number, _ in found]).values():
        ties[stored.document]["mention"] = 1.0


def _hit(snapshot: Snapshot, note: int, chunks: dict[int, int], parts: dict[str, float]) -> list[Hit]:
    """Return a note as a hit on its nearest chunk, or its first; nothing for a note without text."""
    number = chunks.get(note)
    passages = list(snapshot.catalog.chunks([number]).values()) if number else snapshot.catalog.chunks_of(note)[:1]
    return [replace(Hit(s.chunk, _total(parts)), parts=dict(parts)) for s in passages]
