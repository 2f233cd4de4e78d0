"""Text to vectors: four ways to run a model behind one protocol, and the cross-encoder.

Opening is lazy, so that importing this package costs nothing. Two models come as packages, an English and a
multilingual one: questions are answered by `numpy_bert`, and by `onnx` where a process is asked more than once;
documents are taken in by `onnx` when they are few and by `sentence_transformers` in bulk. That also runs any
other local model, but for what `onnx_folder` can do without; `http` asks a server.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from indexer.errors import EmbedError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

DEFAULT_MODEL = "all-MiniLM-L6-v2"

ENGLISH, MULTILINGUAL = "english", "multilingual"  # the packaged models, as settings call them
OTHER_NAMES = {
    DEFAULT_MODEL: ENGLISH,
    f"sentence-transformers/{DEFAULT_MODEL}": ENGLISH,
    "multilingual-e5-small": MULTILINGUAL,
}

# Below this many texts onnxruntime is done before torch, which takes 4 s more to start: 68 against 145 passages a
# second of the English model on two cores, 15 against 25 of the multilingual one. Half of where both take as long.
FEW_TEXTS = 250
FEW_MULTILINGUAL = 75

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
    model: str = DEFAULT_MODEL, *, remote: Remote | None = None, offline: bool = False, models: Path | None = None
) -> Embedder:
    """The embedder for questions: never imports torch for the packaged models. ModelMissing, EmbedError.

    `models` is the folder where the multilingual one is unpacked.
    """
    if remote is not None:
        return _open_remote(model, remote)
    if packaged_as(model) == ENGLISH:
        from indexer.embed.packaged import open_for_queries

        return open_for_queries()
    if packaged_as(model) == MULTILINGUAL:
        from indexer.embed import multilingual

        return multilingual.open_for_queries(_folder(models))
    return _open_local(model, offline)


def open_document_embedder(
    model: str = DEFAULT_MODEL, *, remote: Remote | None = None, offline: bool = False, models: Path | None = None
) -> Embedder:
    """The embedder for bulk: packaged weights are checked by sha256 first. ModelMissing, EmbedError."""
    if remote is not None:
        return _open_remote(model, remote)
    if packaged_as(model) == MULTILINGUAL:
        from indexer.embed.multilingual import open_bulk

        return open_bulk(_folder(models))
    return _open_local(model, offline, many=True)


def document_embedder_for(
    count: int,
    model: str = DEFAULT_MODEL,
    *,
    remote: Remote | None = None,
    offline: bool = False,
    models: Path | None = None,
) -> Embedder:
    """The embedder that has `count` documents done first, its own start included."""
    if remote is None and are_few(count, model):
        if packaged_as(model) == MULTILINGUAL:
            from indexer.embed import multilingual

            return multilingual.open_for_few_documents(_folder(models))
        from indexer.embed import packaged

        return packaged.open_for_few_documents()
    return open_document_embedder(model, remote=remote, offline=offline, models=models)


def are_few(count: int, model: str = DEFAULT_MODEL) -> bool:
    """Whether a local model has `count` documents done first without PyTorch."""
    return count < {ENGLISH: FEW_TEXTS, MULTILINGUAL: FEW_MULTILINGUAL}.get(packaged_as(model), 0)


def hasten(embedder: Embedder) -> str:
    """Make a packaged model ready for many questions, in a thread aside; those who ask need not wait for it.

    Returns why that failed, empty where it did not, or not yet.
    """
    from indexer.embed.hastened import Hastened

    run = getattr(embedder, "forward", None)
    if not isinstance(run, Hastened):
        return ""
    run.hasten()
    return run.trouble


def open_cross_encoder(model: str, *, offline: bool = False) -> CrossEncoder:
    """The re-ranker called `model`, a name or a local path. ModelMissing, EmbedError."""
    from indexer.embed.cross_encoder import SentenceTransformersCrossEncoder

    return SentenceTransformersCrossEncoder.open(model, offline=offline)


def packaged_as(model: str) -> str:
    """Which packaged model a name means, ENGLISH or MULTILINGUAL; "" for none of them."""
    name = OTHER_NAMES.get(model, model)
    return name if name in (ENGLISH, MULTILINGUAL) else ""


def _folder(models: Path | None) -> Path:
    """The folder for unpacked models. EmbedError without one."""
    if models is None:
        raise EmbedError("there is no folder to unpack the multilingual model into", fix="pass `models`")
    return models


def _open_remote(model: str, remote: Remote) -> Embedder:
    """The embedder that asks a server; nothing is sent before the first text."""
    from indexer.embed.http import HttpEmbedder

    return HttpEmbedder(model, remote)


def _open_local(model: str, offline: bool, *, many: bool = False) -> Embedder:
    """The embedder of any other model: light where its folder allows it, else sentence-transformers."""
    from indexer.embed import onnx_folder
    from indexer.embed.sentence_transformers import SentenceTransformersEmbedder

    at = None if packaged_as(model) else onnx_folder.found(model)
    if at is not None:
        return onnx_folder.open_bulk(at, model) if many else onnx_folder.open_light(at, model)
    return SentenceTransformersEmbedder.open(model, offline=offline)
