"""A model without torch: its tokenizer, and any way to run it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.embed.readability import readability
from indexer.embed.windows import embed_in_windows, encodable, unit

if TYPE_CHECKING:
    from indexer.embed import Progress, Vectors

Pieces = tuple[Sequence[int], Sequence[tuple[int, int]]]  # token numbers and character offsets of a text
Tokenize = Callable[[list[str]], list[Pieces]]  # without special tokens
Forward = Callable[[list[list[int]]], "Vectors"]  # rows of token numbers -> vectors of any length

BUDGET = 512  # padded tokens a batch: by ONNX 1.4 times as fast as 4096, which leave the cache


@dataclass(frozen=True, slots=True)
class LightEmbedder:
    """Unit vectors of a model; `around` are the special tokens before and after a text."""

    model: str
    fingerprint: str
    dimension: int
    window: int
    tokenize: Tokenize = field(repr=False)
    forward: Forward = field(repr=False)
    around: tuple[tuple[int, ...], tuple[int, ...]]
    unknown: int | None  # number of the unknown piece
    query_prompt: str = ""
    document_prompt: str = ""
    mixed: bool = False  # the vocabulary is one for many languages

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimension) of questions; what is past the window is cut."""
        return self._run([self.query_prompt + encodable(text) for text in texts])

    def embed_documents(self, texts: Sequence[str], on_batch: Progress | None = None) -> Vectors:
        """Vectors (n, dimension) of passages; the windows of a long one are averaged."""
        room = self.window - sum(map(len, self.around)) - self.count_tokens(self.document_prompt)

        def run(pieces: list[str]) -> Vectors:
            """Vectors of one batch, each behind the prompt."""
            return self._run([self.document_prompt + piece for piece in pieces])

        found = embed_in_windows(texts, self._spans, room, run, BUDGET, on_batch)
        return found.reshape(len(texts), self.dimension)

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` without special ones."""
        return len(self._encode(encodable(text))[0])

    def readability(self, text: str) -> float:
        """How far the model can read `text`, 0 to 1, by its own tokenizer."""
        return readability(encodable(text), self._encode, self.unknown, self.mixed)

    def _encode(self, text: str) -> Pieces:
        """Token numbers and character offsets of `text`, without special tokens."""
        return self.tokenize([text])[0]

    def _spans(self, texts: list[str]) -> list[Sequence[tuple[int, int]]]:
        """Character offsets of the tokens of each text."""
        return [offsets for _, offsets in self.tokenize(texts)]

    def _run(self, texts: list[str]) -> Vectors:
        """Vectors of one batch, each text cut to the window, its closing special token kept."""
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        before, after = self.around
        room = self.window - len(before) - len(after)
        return unit(self.forward([[*before, *ids[:room], *after] for ids, _ in self.tokenize(texts)]))


def tokenizing(tokenizer: object) -> Tokenize:
    """What a tokenizer of `tokenizers` does, without cutting, padding and special tokens."""
    tokenizer.no_truncation()  # type: ignore[attr-defined]
    tokenizer.no_padding()  # type: ignore[attr-defined]

    def tokenize(texts: list[str]) -> list[Pieces]:
        """Token numbers and offsets of each text."""
        found = tokenizer.encode_batch(texts, add_special_tokens=False)  # type: ignore[attr-defined]
        return [(each.ids, each.offsets) for each in found]

    return tokenize
