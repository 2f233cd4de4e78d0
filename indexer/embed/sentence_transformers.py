"""Any model that sentence-transformers can run here: bulk work for the packaged one, all work for others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.embed import DEFAULT_MODEL, is_default, minilm
from indexer.embed.readability import readability
from indexer.embed.windows import embed_in_windows, unit
from indexer.errors import EmbedError, ModelMissing

if TYPE_CHECKING:
    from indexer.embed import Progress, Vectors

BUDGET = {"cpu": 4096, "cuda": 65536, "mps": 16384}  # padded tokens a batch


@dataclass(frozen=True, slots=True)
class SentenceTransformersEmbedder:
    """Unit vectors of a SentenceTransformer, with the prompts its own configuration asks for."""

    model: str
    fingerprint: str
    dimension: int
    window: int
    engine: Any
    query_prompt: str
    document_prompt: str

    @classmethod
    def open(cls, model: str, *, offline: bool = False) -> SentenceTransformersEmbedder:
        """Load `model`: the packaged one, a local folder, a cached name, or (not offline) from the hub."""
        packaged = is_default(model)
        name = str(minilm.verified(minilm.WEIGHTS).parent) if packaged else model
        with quiet():
            engine = loaded(name, offline=offline or packaged)
        query, document = prompts(engine, model)
        window = int(engine.get_max_seq_length() or 512)
        dimension = int(engine.get_embedding_dimension())
        fingerprint = (
            minilm.FINGERPRINT
            if packaged
            else " ".join((model, identity(engine), str(dimension), repr(query), repr(document), str(window)))
        )
        return cls(DEFAULT_MODEL if packaged else model, fingerprint, dimension, window, engine, query, document)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimension) of questions; what is past the window is cut."""
        with quiet():
            found = self.engine.encode_query(list(texts), prompt=self.query_prompt, show_progress_bar=False)
        return unit(found.reshape(len(texts), self.dimension))

    def embed_documents(self, texts: Sequence[str], on_batch: Progress | None = None) -> Vectors:
        """Vectors (n, dimension) of passages; windows of a long one are averaged."""
        budget = BUDGET.get(self.engine.device.type, 4096)
        with quiet():
            room = self.window - len(self.engine.tokenizer(self.document_prompt)["input_ids"])
            found = embed_in_windows(texts, self._spans, room, self._run, budget, on_batch)
        return found if len(texts) else found.reshape(0, self.dimension)

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` without special ones."""
        return len(self._spans([text])[0])

    def readability(self, text: str) -> float:
        """How far the model can read `text`, 0 to 1, by its own tokenizer."""
        with quiet():
            ids = self.engine.tokenizer(text, add_special_tokens=False)["input_ids"]
        return readability(len(ids), ids.count(self.engine.tokenizer.unk_token_id), len(text.strip()))

    def _spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Character offsets of the tokens of each text."""
        if not texts:
            return []
        found: list[list[tuple[int, int]]] = self.engine.tokenizer(
            list(texts),
            add_special_tokens=False,
            return_offsets_mapping=True,
            return_attention_mask=False,
            verbose=False,
        )["offset_mapping"]
        return found

    def _run(self, texts: Sequence[str]) -> Vectors:
        """One pass of the model over one batch."""
        found: Vectors = self.engine.encode_document(
            list(texts), prompt=self.document_prompt, batch_size=len(texts), show_progress_bar=False
        )
        return found


def loaded(name: str, *, offline: bool) -> Any:
    """The SentenceTransformer called `name`, from this machine first, then (not offline) from the hub."""
    from sentence_transformers import SentenceTransformer

    device, dtype = hardware()
    local = Path(name).is_dir()
    for local_only in (True,) if offline or local else (True, False):
        try:
            return SentenceTransformer(
                name, device=device, local_files_only=local_only, model_kwargs={"dtype": dtype}
            )
        except Exception as error:  # the libraries raise OSError, ValueError and hub errors alike
            problem = error
    reason = str(problem).strip().splitlines()[0]
    if local:
        raise EmbedError(
            f"the model folder cannot be loaded ({reason})",
            where=name,
            fix="point embedding.model at a sentence-transformers folder",
        ) from problem
    raise ModelMissing(
        f"the model {name} is not on this machine ({reason})",
        fix=f"run `hf download {name}` once while online, or set embedding.model to {DEFAULT_MODEL}",
    ) from problem


def hardware() -> tuple[str, Any]:
    """The fastest device here and the precision that is faster on it and still right.

    Cosine of bfloat16 with float32 is 0.9999. It doubles the speed where the CPU multiplies it
    (AMX x3.6, avx512-bf16 x2.0) and only costs where it is emulated.
    """
    import torch

    if torch.cuda.is_available():
        return "cuda", torch.float16
    if torch.backends.mps.is_available():
        return "mps", torch.float16
    native = any(
        getattr(torch.cpu, ask, lambda: False)() for ask in ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    )
    return "cpu", torch.bfloat16 if native else torch.float32


def prompts(engine: Any, name: str) -> tuple[str, str]:
    """The texts put before a question and a passage: as the model says, else as E5 models want them."""
    own = {key: value for key, value in engine.prompts.items() if value}
    if own:
        query = own.get("query", "")
        document = next((own[key] for key in ("document", "passage", "corpus") if key in own), "")
        return query, document
    if "e5" in Path(name).name.lower().replace("_", "-").split("-"):
        return "query: ", "passage: "
    return "", ""


def identity(engine: Any) -> str:
    """A short sum of the model's weights, from a few values of each tensor."""
    digest = hashlib.blake2b(digest_size=8)
    for name, tensor in sorted(engine.state_dict().items()):
        few = tensor.flatten()[:: max(1, tensor.numel() // 16)].float().cpu().numpy()
        digest.update(f"{name}{tuple(tensor.shape)}".encode() + few.tobytes())
    return digest.hexdigest()


@contextmanager
def quiet() -> Iterator[None]:
    """Keep progress bars and advice of the model libraries from the terminal while the block runs."""
    hub: Any = import_module("huggingface_hub.utils")
    logging: Any = import_module("transformers.utils.logging")

    bars, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    hub_bars = not hub.are_progress_bars_disabled()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    hub.disable_progress_bars()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
        if hub_bars:
            hub.enable_progress_bars()
