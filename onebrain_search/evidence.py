"""What was found -> what the confidence label rests on."""

from __future__ import annotations

from functools import partial

from indexer.snapshot import Snapshot
from onebrain_search import confidence
from onebrain_search.pipeline import Found
from onebrain_search.wording import Wording


def of(snapshot: Snapshot, found: Found) -> confidence.Evidence:
    """Return what the confidence label rests on; a guessed word counts for less than one that was typed."""
    query, covered = found.query, 0.0
    rarity = partial(snapshot.rarity, among=confidence.FEW)

    def weight(term: str) -> float:
        """Return how much a term counts."""
        return rarity(term) * (confidence.GUESSED if term in query.guessed else 1.0)

    wording = Wording(query.terms)
    for hit in found.hits[:5]:
        there = wording.terms_of(hit)
        covered = max(covered, sum(weight(term) for term in query.terms if term in there))
    total = sum(map(rarity, query.terms)) or 1.0
    named = any("exact" in hit.parts for hit in found.hits[:1]) and not query.guessed
    return confidence.Evidence(
        found.cosine, covered / total, len(found.hits), snapshot.lexical.chunk_count(),
        named or not query.terms, query.sentence, guessed=sum(map(rarity, query.guessed)) / total,
        idle=found.idle,
    )  # fmt: skip
