"""The packaged all-MiniLM-L6-v2 without torch: its tokenizer, and numpy or onnxruntime to run it."""

from __future__ import annotations

from collections.abc import Callable

from indexer.embed import DEFAULT_MODEL, minilm
from indexer.embed.carrier import located, remedy, verified
from indexer.embed.light import Forward, LightEmbedder, tokenizing
from indexer.errors import EmbedError, reason


def open_for_queries() -> LightEmbedder:
    """The embedder of questions. ModelMissing, EmbedError."""
    from indexer.embed.hastened import Hastened
    from indexer.embed.numpy_bert import numpy_forward

    return _opened(lambda: Hastened(numpy_forward(located(minilm.WEIGHTS)), lambda: _by_onnx(quick=True)))


def open_for_few_documents() -> LightEmbedder:
    """The embedder of a few documents, in float32 by onnxruntime. ModelMissing, EmbedError."""
    return _opened(lambda: _by_onnx(quick=False))


def _by_onnx(*, quick: bool) -> Forward:
    """What runs the model by onnxruntime; its file is checked first. ModelMissing, EmbedError."""
    from indexer.embed.onnx import bert_forward

    return bert_forward(verified(minilm.WEIGHTS), quick=quick)


def _opened(load: Callable[[], Forward]) -> LightEmbedder:
    """The embedder that runs what `load` makes. ModelMissing, EmbedError."""
    from tokenizers import Tokenizer

    words = located(minilm.WEIGHTS, "model/tokenizer.json")
    try:
        forward = load()
        tokenizer = Tokenizer.from_file(str(words))
    except EmbedError:
        raise
    except Exception as error:  # damaged files: the libraries raise their own types, and bare Exception
        raise EmbedError(
            f"the packaged model cannot be loaded ({reason(error)})",
            where=str(words.parent),
            fix=remedy(minilm.WEIGHTS),
        ) from error
    first, last, unknown = (tokenizer.token_to_id(name) or 0 for name in ("[CLS]", "[SEP]", "[UNK]"))
    # 6% of this vocabulary is not ASCII: it is one for English, no need to look each time.
    return LightEmbedder(
        DEFAULT_MODEL, minilm.FINGERPRINT, minilm.DIMENSION, minilm.WINDOW, tokenizing(tokenizer), forward,
        around=((first,), (last,)), unknown=unknown,
    )  # fmt: skip
