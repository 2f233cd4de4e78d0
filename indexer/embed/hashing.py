"""Words hashed into a vector: an embedder without a model, for tests and for places where no model may be.

Texts that share words are near each other, and nothing else is. It is fast, the same everywhere, and needs no file.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from indexer import tokens

if TYPE_CHECKING:
    from indexer.embed import Progress, Vectors


class HashingEmbedder:
    """Each stem adds one to a place of the vector, which then has length one; text without words has no vector."""

    def __init__(self, dimension: int = 64) -> None:
        self.dimension = dimension
        self.model = "hashing"
        self.fingerprint = f"hashing {dimension} 1"
        self.window = 1_000_000

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors (n, dimension) of questions."""
        return self.embed_documents(texts)

    def embed_documents(self, texts: Sequence[str], on_batch: Progress | None = None) -> Vectors:
        """Return the vectors (n, dimension) of passages."""
        import numpy

        rows = numpy.zeros((len(texts), self.dimension), dtype=numpy.float32)
        for row, text in zip(rows, texts, strict=True):
            for token in tokens.words(text):
                row[self._place(tokens.stem(token))] += 1.0
        rows /= numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        if on_batch is not None:
            on_batch(len(texts))
        return rows

    def count_tokens(self, text: str) -> int:
        """Return the number of words of a text."""
        return len(tokens.words(text))

    def readability(self, text: str) -> float:
        """Every text can be read."""
        return 1.0

    def _place(self, stem: str) -> int:
        """Return the place of a stem."""
        return int.from_bytes(blake2b(stem.encode(), digest_size=4).digest(), "big") % self.dimension
