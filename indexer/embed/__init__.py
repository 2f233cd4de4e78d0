"""Text to vectors: three ways to run a model behind one protocol, and the cross-encoder.

Opening is lazy, so that importing this package costs nothing. The packaged model answers questions by
`numpy_bert`, takes in a few documents by `onnx` and many by `sentence_transformers`, which also runs any
other local model; `http` asks a server.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

DEFAULT_MODEL = "all-MiniLM-L6-v2"

# Below this many texts ONNX (21 to 35 a second) is done before torch (65 to 104, after 4 to 5 s to start).
FEW_TEXTS = 150

Progress = Callable[[int], None]


class Embedder(Protocol):
    """A model that turns text into unit vectors of float32, one row a text, in order."""

    @property
    def model(self) -> str:
        """The name the user knows the model by."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever the vectors would: identity, dimension, prompts, pooling, window."""

    @property
    def dimension(self) -> int:
        """Width of a vector. A remote model of unstated width is asked: EmbedError if it is away."""

    @property
    def window(self) -> int:
        """Tokens the model reads at once, its special tokens included."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimension) of questions; what is past the window is cut."""

    def embed_documents(self, texts: Sequence[str], on_batch: Progress | None = None) -> Vectors:
        """Vectors (n, dimension) of passages; nothing past the window is lost, its windows are averaged.

        `on_batch` hears after each batch how many more texts are done.
        """

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` without special ones; an upper estimate where the tokenizer is not ours to ask."""

    def readability(self, text: str) -> float:
        """How far this model can read `text`: the share 0 to 1 of full weight that its score deserves."""


class CrossEncoder(Protocol):
    """A model that reads a question and a passage together and scores how well they fit."""

    @property
    def model(self) -> str:
        """The name the user knows the model by."""

    def score(self, query: str, passages: Sequence[str]) -> Vectors:
        """One score (n,) a passage, higher is better; comparable within one call only."""


@dataclass(frozen=True, slots=True)
class Remote:
    """Where an OpenAI-compatible embeddings server is, and what it cannot be asked."""

    url: str  # up to and with `/v1`
    key_variable: str = ""  # name of the environment variable that holds the key
    dimension: int = 0  # 0: learned from the first answer
    window: int = 512  # tokens; servers do not tell, and cut silently what is longer
    query_prompt: str | None = None  # None: as the model's name asks for
    document_prompt: str | None = None
    timeout: float = 60.0  # seconds for one batch


def open_query_embedder(
    model: str = DEFAULT_MODEL, *, remote: Remote | None = None, offline: bool = False
) -> Embedder:
    """The embedder for questions: never imports torch for the default model. ModelMissing, EmbedError."""
    if remote is not None:
        return _open_remote(model, remote)
    if is_default(model):
        from indexer.embed.packaged import open_for_queries

        return open_for_queries()
    return _open_sentence_transformer(model, offline)


def open_document_embedder(
    model: str = DEFAULT_MODEL, *, remote: Remote | None = None, offline: bool = False
) -> Embedder:
    """The embedder for bulk: packaged weights are checked by sha256 first. ModelMissing, EmbedError."""
    if remote is not None:
        return _open_remote(model, remote)
    return _open_sentence_transformer(model, offline)


def document_embedder_for(
    count: int, model: str = DEFAULT_MODEL, *, remote: Remote | None = None, offline: bool = False
) -> Embedder:
    """The embedder that has `count` documents done first, its own start included."""
    if remote is None and is_default(model) and count < FEW_TEXTS:
        from indexer.embed.packaged import open_for_few_documents

        return open_for_few_documents()
    return open_document_embedder(model, remote=remote, offline=offline)


def open_cross_encoder(model: str, *, offline: bool = False) -> CrossEncoder:
    """The re-ranker called `model`, a name or a local path. ModelMissing, EmbedError."""
    from indexer.embed.cross_encoder import SentenceTransformersCrossEncoder

    return SentenceTransformersCrossEncoder.open(model, offline=offline)


def is_default(model: str) -> bool:
    """Whether `model` names the packaged model, with or without its publisher."""
    return model.removeprefix("sentence-transformers/") == DEFAULT_MODEL


def _open_remote(model: str, remote: Remote) -> Embedder:
    """The embedder that asks a server; nothing is sent before the first text."""
    from indexer.embed.http import HttpEmbedder

    return HttpEmbedder(model, remote)


def _open_sentence_transformer(model: str, offline: bool) -> Embedder:
    """The embedder that runs sentence-transformers here."""
    from indexer.embed.sentence_transformers import SentenceTransformersEmbedder

    return SentenceTransformersEmbedder.open(model, offline=offline)
