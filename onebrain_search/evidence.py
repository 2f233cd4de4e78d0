"""What was found -> what the confidence label rests on."""

from __future__ import annotations

from indexer import tokens
from indexer.snapshot import Snapshot
from onebrain_search import confidence, rank
from onebrain_search.pipeline import Found


def of(snapshot: Snapshot, found: Found) -> confidence.Evidence:
    """Return what the confidence label rests on; a guessed word counts for less than one that was typed."""
    query, covered = found.query, 0.0

    def weight(term: str) -> float:
        """Return how much a term counts."""
        return snapshot.rarity(term) * (confidence.GUESSED if term in query.guessed else 1.0)

    for hit in found.hits[:5]:
        text = " ".join([hit.chunk.title, *hit.chunk.heading, hit.chunk.text])
        words = frozenset(token for _, _, each in tokens.spans(text) for token in (each, tokens.stem(each)))
        covered = max(covered, rank.covered(query.terms, words, weight))
    total = sum(map(snapshot.rarity, query.terms)) or 1.0
    named = any("exact" in hit.parts for hit in found.hits[:1]) and not query.guessed
    return confidence.Evidence(
        found.cosine, covered / total, len(found.hits), snapshot.lexical.chunk_count(),
        named or not query.terms, query.sentence, guessed=sum(map(snapshot.rarity, query.guessed)) / total,
    )  # fmt: skip
