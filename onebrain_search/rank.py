"""Fused hits -> ranked hits: a list of stages, each a function with one signature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from indexer.snapshot import Snapshot
from onebrain_search.types import Hit, Query

Stage = Callable[[Query, list[Hit]], list[Hit]]

PER_DOCUMENT = 2  # hits of one document in a list of sources


def stages(snapshot: Snapshot) -> list[Stage]:
    """Return the stages in the order in which they run."""
    return [per_document]


def per_document(query: Query, hits: list[Hit]) -> list[Hit]:
    """Keep the best two hits of each document."""
    seen: Counter[tuple[str, str]] = Counter()
    kept = []
    for hit in hits:
        place = (hit.chunk.root, hit.chunk.path)
        seen[place] += 1
        if seen[place] <= PER_DOCUMENT:
            kept.append(hit)
    return kept
