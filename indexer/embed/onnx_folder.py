"""Any sentence-transformers folder that ships an ONNX file and a tokenizer, run without torch.

Its questions are then as light as those of the packaged models. Documents in bulk go through sentence-transformers
where the folder has weights for it; both carry one fingerprint, which is that of the files.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.embed.light import LightEmbedder, tokenizing
from indexer.embed.prompts import prompts_by_name
from indexer.embed.readability import is_mixed
from indexer.errors import EmbedError, reason

if TYPE_CHECKING:
    from indexer.embed import Embedder

GRAPHS = ("onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx", "onnx/model_qint8_avx512_vnni.onnx")
WEIGHTS = ("model.safetensors", "pytorch_model.bin")
PARTS = frozenset({"Transformer", "Pooling", "Normalize"})  # what is done here; more takes sentence-transformers
USUAL_WINDOW, WIDEST_WINDOW = 512, 8192
SAMPLED = 1 << 16  # bytes of a large file's start, middle and end that its sum is made of


@dataclass(frozen=True, slots=True)
class OnnxFolder:
    """A folder that can be run so: its graph, whether it takes the first token for the text, and its settings."""

    folder: Path
    graph: Path
    first_token: bool
    window: int
    prompts: tuple[str, str]

    @property
    def fingerprint(self) -> str:
        """Changes with the files, the prompts, the pooling and the window."""
        digest = hashlib.blake2b(digest_size=8)
        for name in (*WEIGHTS, self.graph.relative_to(self.folder).as_posix(), "tokenizer.json"):
            _add(digest, self.folder / name)
        query, document = self.prompts
        pooling = "first" if self.first_token else "mean"
        return f"{self.folder.name} files {digest.hexdigest()} {query!r} {document!r} {pooling} {self.window}"


def found(model: str) -> OnnxFolder | None:
    """The folder that `model` names, a path or a name in the hub's cache; None when it cannot be run so."""
    folder = Path(model) if Path(model).is_dir() else _cached(model)
    graph = next((folder / name for name in GRAPHS if (folder / name).is_file()), None) if folder else None
    if folder is None or graph is None or not (folder / "tokenizer.json").is_file():
        return None
    modules = _json(folder / "modules.json")
    kinds = [str(module["type"]).rpartition(".")[2] for module in modules or []]
    pooling = next((folder / module["path"] for module in modules or [] if "Pooling" in module["type"]), None)
    modes = _json(pooling / "config.json") if pooling else None
    chosen = {name.removeprefix("pooling_mode_") for name, on in (modes or {}).items() if on is True}
    chosen |= {str((modes or {}).get("pooling_mode", ""))} - {""}
    mean, first = {"mean_tokens", "mean"}, {"cls_token", "cls"}
    if not set(kinds) <= PARTS or len(chosen & (mean | first)) != 1 or chosen - mean - first - {"include_prompt"}:
        return None
    return OnnxFolder(folder, graph, bool(chosen & first), _window(folder), _prompts(folder, model))


def open_light(at: OnnxFolder, model: str) -> LightEmbedder:
    """The embedder of questions and of a few documents. EmbedError where a file is damaged."""
    from tokenizers import Tokenizer

    from indexer.embed.onnx import onnx_forward

    try:
        tokenizer = Tokenizer.from_file(str(at.folder / "tokenizer.json"))
        forward = onnx_forward(at.graph, first_token=at.first_token)
        tokenize = tokenizing(tokenizer)
        around = _around(tokenizer)
        width = int(forward([[*around[0], *around[1]] or [0]]).shape[1])
    except EmbedError:
        raise
    except Exception as error:  # the libraries raise their own types, and bare Exception
        raise EmbedError(
            f"the model folder cannot be loaded ({reason(error)})",
            where=str(at.folder),
            fix="give the folder of a sentence-transformers model",
        ) from error
    unknown = (_json(at.folder / "tokenizer.json") or {}).get("model", {}).get("unk_token")
    names = ("<unk>", "[UNK]") if unknown is None else (unknown,)
    query, document = at.prompts
    return LightEmbedder(
        model, at.fingerprint, width, at.window, tokenize, forward, around=around,
        unknown=next((n for name in names if (n := tokenizer.token_to_id(name)) is not None), None),
        query_prompt=query, document_prompt=document, mixed=is_mixed(tokenizer.get_vocab()),
    )  # fmt: skip


def open_bulk(at: OnnxFolder, model: str) -> Embedder:
    """The embedder of many documents: by sentence-transformers where there are weights, else as for few."""
    if not any((at.folder / name).is_file() for name in WEIGHTS):
        return open_light(at, model)
    from indexer.embed.sentence_transformers import SentenceTransformersEmbedder

    return SentenceTransformersEmbedder.known(at.folder, model, at.fingerprint)


def _around(tokenizer: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The special tokens before and after a text."""
    plain = tokenizer.encode("a", add_special_tokens=False).ids
    whole = tokenizer.encode("a").ids
    start = next((at for at in range(len(whole)) if whole[at : at + len(plain)] == plain), 0)
    return tuple(whole[:start]), tuple(whole[start + len(plain) :])


def _cached(model: str) -> Path | None:
    """The folder of a model in the cache of the hub, found as its layout says, without its library."""
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    hub = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    name = model if "/" in model else f"sentence-transformers/{model}"
    place = hub / f"models--{name.replace('/', '--')}"
    try:
        revision = (place / "refs" / "main").read_text("utf-8").strip()
    except (OSError, ValueError):
        return None
    return place / "snapshots" / revision


def _window(folder: Path) -> int:
    """Tokens the model reads at once."""
    stated = (_json(folder / "sentence_bert_config.json") or {}).get("max_seq_length")
    limit = (_json(folder / "tokenizer_config.json") or {}).get("model_max_length")
    return min(int(stated or limit or USUAL_WINDOW), WIDEST_WINDOW)


def _prompts(folder: Path, model: str) -> tuple[str, str]:
    """What stands before a question and a passage: as the configuration says, else as the name does."""
    settings = _json(folder / "config_sentence_transformers.json") or {}
    own = {key: value for key, value in (settings.get("prompts") or {}).items() if value}
    if not own:
        return prompts_by_name(model)
    keys = ("document", "passage", "corpus")
    return own.get("query", ""), next((own[key] for key in keys if key in own), "")


def _json(path: Path) -> Any:
    """The content of a JSON file, None where there is none that can be read."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _add(digest: Any, path: Path) -> None:
    """Add a file's size and some of its bytes to a sum."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            digest.update(f"{path.name} {size}".encode())
            for place in (0, size // 2, max(0, size - SAMPLED)):
                file.seek(place)
                digest.update(file.read(SAMPLED))
    except OSError:
        return
