"""Long texts in windows, and windows in batches: so nothing is cut off and little is padded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from indexer.embed import Progress, Vectors

Run = Callable[[Sequence[str]], "Vectors"]
Spans = Callable[[Sequence[str]], list[list[tuple[int, int]]]]  # token offsets of each text, no specials


def embed_in_windows(
    texts: Sequence[str], spans: Spans, room: int, run: Run, budget: int, on_batch: Progress | None
) -> Vectors:
    """Unit vectors (n, d) of `texts` by `run`, in batches of like length and at most `budget` tokens.

    A text of more than `room` tokens is cut into windows of even size whose unit vectors are averaged.
    """
    import numpy as np

    pieces: list[str] = []
    owners: list[int] = []
    lengths: list[int] = []
    for owner, (text, offsets) in enumerate(zip(texts, spans(texts), strict=True)):
        for piece, length in cut(text, offsets, room):
            pieces.append(piece)
            owners.append(owner)
            lengths.append(length)
    left = np.bincount(owners, minlength=len(texts)) if owners else np.zeros(0, int)
    sums: Any = None
    for batch in batches(lengths, budget):
        found = unit(run([pieces[i] for i in batch]))
        if sums is None:
            sums = np.zeros((len(texts), found.shape[1]), np.float32)
        rows = [owners[i] for i in batch]
        np.add.at(sums, rows, found)
        np.subtract.at(left, rows, 1)
        if on_batch is not None:
            on_batch(sum(1 for row in set(rows) if left[row] == 0))
    return np.zeros((0, 0), np.float32) if sums is None else unit(sums)


def cut(text: str, offsets: Sequence[tuple[int, int]], room: int) -> Iterator[tuple[str, int]]:
    """`text` in windows of at most `room` tokens and about even size, each with its count of tokens."""
    if len(offsets) <= room:
        yield text, len(offsets)
        return
    parts = -(-len(offsets) // room)
    size = -(-len(offsets) // parts)
    for first in range(0, len(offsets), size):
        window = offsets[first : first + size]
        yield text[window[0][0] : window[-1][1]], len(window)


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Indices of all texts, longest first, in batches whose padded size stays within `budget` tokens."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    start = 0
    while start < len(order):
        longest = max(lengths[order[start]], 1)
        size = max(1, budget // longest)
        yield order[start : start + size]
        start += size


def unit(vectors: Any) -> Vectors:
    """The rows at length 1 (a zero row stays zero), as float32."""
    import numpy as np

    rows = np.asarray(vectors, np.float32)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Vectors = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    return scaled
