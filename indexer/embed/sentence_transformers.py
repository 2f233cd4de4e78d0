"""Any model that sentence-transformers can run here: bulk work for the packaged one, all work for others."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.embed import DEFAULT_MODEL, ENGLISH, minilm, packaged_as
from indexer.embed.carrier import verified
from indexer.embed.loading import hardware, is_untiled, load, quiet
from indexer.embed.prompts import prompts_by_name
from indexer.embed.readability import is_mixed, readability
from indexer.embed.windows import embed_in_windows, encodable, estimated_offsets, unit

if TYPE_CHECKING:
    from indexer.embed import Progress, Vectors

# Padded tokens a batch. On a CPU a batch has to stay in the cache: 1024 to 2048 are 1.2 to 1.4 times as
# fast as the 32 texts of `encode`; a GPU wants enough to be busy.
BUDGET = {"cpu": 2048, "cuda": 65536, "mps": 16384}
# A CPU that multiplies bfloat16 without tiles (AMX) orders the weights anew at each call: 8192 tokens are 1.5 times
# as fast as 2048 with the English model, 1.7 times with the multilingual one.
UNTILED = 8192
USUAL_WINDOW, WIDEST_WINDOW = 512, 8192  # tokens, where a model states none, or states 1e30


@dataclass(frozen=True, slots=True)
class SentenceTransformersEmbedder:
    """Unit vectors of a SentenceTransformer, with the prompts that its own configuration asks for."""

    model: str
    fingerprint: str
    dimension: int
    window: int
    engine: Any = field(repr=False)
    query_prompt: str
    document_prompt: str
    mixed: bool  # the vocabulary is one for many languages
    budget: int = BUDGET["cpu"]

    @classmethod
    def open(cls, model: str, *, offline: bool = False) -> SentenceTransformersEmbedder:
        """Load `model`: the English one, a folder, a cached name, or (not offline) one from the hub."""
        if packaged_as(model) == ENGLISH:
            return cls.known(verified(minilm.WEIGHTS).parent, DEFAULT_MODEL, minilm.FINGERPRINT)
        return cls._opened(model, model, "", offline)

    @classmethod
    def known(cls, folder: Path, model: str, fingerprint: str) -> SentenceTransformersEmbedder:
        """Load the folder of a model whose fingerprint is known; nothing is fetched."""
        return cls._opened(str(folder), model, fingerprint, True)

    @classmethod
    def _opened(cls, name: str, model: str, fingerprint: str, offline: bool) -> SentenceTransformersEmbedder:
        """Load the model called `name`, and work its fingerprint out unless one is given."""
        device, precision = hardware()
        engine = engine_of(name, device, offline=offline)
        query, document = prompts(engine, model)
        window = min(int(engine.max_seq_length or USUAL_WINDOW), WIDEST_WINDOW)
        # Before the weights are rounded, so that another machine finds the same model.
        dimension = engine.encode(["width"], show_progress_bar=False).shape[1]
        own = f"{Path(model).name} {identity(engine)} {dimension} {query!r} {document!r} {window}"
        engine.to(precision)
        return cls(
            model=model,
            fingerprint=fingerprint or own,
            dimension=dimension,
            window=window,
            engine=engine,
            query_prompt=query,
            document_prompt=document,
            mixed=is_mixed(engine.tokenizer.get_vocab()),
            budget=UNTILED if is_untiled(device, precision) else BUDGET.get(device, BUDGET["cpu"]),
        )

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimension) of questions; what is past the window is cut."""
        with quiet():
            found = self.engine.encode_query(
                [encodable(text) for text in texts], prompt=self.query_prompt, show_progress_bar=False
            )
        return unit(found.reshape(len(texts), self.dimension))

    def embed_documents(self, texts: Sequence[str], on_batch: Progress | None = None) -> Vectors:
        """Vectors (n, dimension) of passages; the windows of a long one are averaged."""
        with quiet():
            room = self.window - len(self.engine.tokenizer(self.document_prompt)["input_ids"])
            found = embed_in_windows(texts, self._spans, room, self._run, self.budget, on_batch)
        return found.reshape(len(texts), self.dimension)

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` without special ones."""
        return len(self._encode(text)[0])

    def readability(self, text: str) -> float:
        """How far the model can read `text`, 0 to 1, by its own tokenizer."""
        return readability(encodable(text), self._encode, self.engine.tokenizer.unk_token_id, self.mixed)

    def _encode(self, text: str) -> tuple[list[int], Sequence[tuple[int, int]]]:
        """Piece numbers and character offsets of `text`, without special tokens."""
        with quiet():
            ids = self.engine.tokenizer(encodable(text), add_special_tokens=False, verbose=False)["input_ids"]
            return ids, self._spans([encodable(text)])[0]

    def _spans(self, texts: list[str]) -> list[list[tuple[int, int]]]:
        """Character offsets of the tokens of each text, estimated for a tokenizer that does not tell."""
        if not self.engine.tokenizer.is_fast:
            return [estimated_offsets(text) for text in texts]
        found: list[list[tuple[int, int]]] = self.engine.tokenizer(
            texts,
            add_special_tokens=False,
            return_offsets_mapping=True,
            return_attention_mask=False,
            verbose=False,
        )["offset_mapping"]
        return found

    def _run(self, texts: list[str]) -> Vectors:
        """One pass of the model over one batch."""
        found: Vectors = self.engine.encode_document(
            texts, prompt=self.document_prompt, batch_size=len(texts), show_progress_bar=False
        )
        return found


def engine_of(name: str, device: str, *, offline: bool) -> Any:
    """The SentenceTransformer called `name`, in the precision it was saved in. ModelMissing, EmbedError."""
    from sentence_transformers import SentenceTransformer

    return load(lambda local: SentenceTransformer(name, device=device, local_files_only=local), name, offline=offline)


def prompts(engine: Any, name: str) -> tuple[str, str]:
    """The texts put before a question and a passage: as the model says, else as its name does."""
    own = {key: value for key, value in engine.prompts.items() if value}
    if own:
        keys = ("document", "passage", "corpus")
        return own.get("query", ""), next((own[key] for key in keys if key in own), "")
    return prompts_by_name(name)


def identity(engine: Any) -> str:
    """A short sum of a model: its modules, how it pools, and a few values of each of its tensors."""
    modules = [(type(module).__name__, getattr(module, "pooling_mode", "")) for module in engine]
    digest = hashlib.blake2b(repr(modules).encode(), digest_size=8)
    for name, tensor in sorted(engine.state_dict().items()):
        few = tensor.flatten()[:: max(1, tensor.numel() // 16)].float().cpu().numpy()
        digest.update(f"{name}{tuple(tensor.shape)}".encode() + few.tobytes())
    return digest.hexdigest()
