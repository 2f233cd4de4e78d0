"""all-MiniLM-L6-v2 in numpy, for questions: its weights are mapped, not loaded.

A fresh process has its first vector 0.05 s of processor time after `import numpy, tokenizers`, where
onnxruntime needs 0.27 s to import and to unpack its file. After that a question of 12 tokens takes
about as long by either. In bulk this is slow: one text at a time on one core.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from indexer.embed import Vectors
    from indexer.embed.packaged import Forward

HEADS = 12
EPSILON = 1e-12  # layer_norm_eps of the model's configuration
# Formula 7.1.26 of Abramowitz and Stegun for erf: wrong by 1.5e-7 at most, the precision of float32.
ERF = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
ERF_SLOPE = 0.3275911


def numpy_forward(weights: Path) -> Forward:
    """A function from rows of token numbers to mean-pooled vectors (n, 384), by a safetensors file."""
    import numpy as np

    tensors = mapped(weights)
    threads = import_module("threadpoolctl").ThreadpoolController()

    def forward(rows: list[list[int]]) -> Vectors:
        # A second thread gains little on a dozen tokens, and waits in a loop for a core that an indexer has.
        with threads.limit(limits=1, user_api="blas"):
            return np.array([bert(tensors, row).mean(axis=0) for row in rows], np.float32)

    return forward


def mapped(file: Path) -> Mapping[str, Any]:
    """The float32 tensors of a safetensors file: 8 bytes of length, a JSON header, then the numbers."""
    import numpy as np

    with file.open("rb") as opened:
        content = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    return {
        name: np.frombuffer(
            content, np.float32, offset=start + entry["data_offsets"][0], count=int(np.prod(entry["shape"]))
        ).reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }


def bert(tensors: Mapping[str, Any], ids: list[int]) -> Any:
    """Hidden states (tokens, 384) of the last layer for one row of token numbers."""
    state = (
        tensors["embeddings.word_embeddings.weight"][ids]
        + tensors["embeddings.position_embeddings.weight"][: len(ids)]
        + tensors["embeddings.token_type_embeddings.weight"][0]
    )
    state = normalised(tensors, "embeddings.LayerNorm", state)
    layer = 0
    while f"encoder.layer.{layer}.output.dense.weight" in tensors:
        at = f"encoder.layer.{layer}"
        mixed = dense(tensors, f"{at}.attention.output.dense", attended(tensors, f"{at}.attention.self", state))
        state = normalised(tensors, f"{at}.attention.output.LayerNorm", state + mixed)
        inner = gelu(dense(tensors, f"{at}.intermediate.dense", state))
        state = normalised(tensors, f"{at}.output.LayerNorm", state + dense(tensors, f"{at}.output.dense", inner))
        layer += 1
    return state


def attended(tensors: Mapping[str, Any], at: str, state: Any) -> Any:
    """Each token as a mixture of all, by every head."""
    import numpy as np

    tokens, width = state.shape
    query, key, value = (
        dense(tensors, f"{at}.{part}", state).reshape(tokens, HEADS, -1).transpose(1, 0, 2)
        for part in ("query", "key", "value")
    )
    scores = query @ key.transpose(0, 2, 1) * np.float32((width / HEADS) ** -0.5)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return (shares @ value).transpose(1, 0, 2).reshape(tokens, width)


def dense(tensors: Mapping[str, Any], at: str, state: Any) -> Any:
    """The affine map called `at`."""
    # Weights first: so BLAS reads them row by row, 1.5 times as fast on few tokens.
    return (tensors[f"{at}.weight"] @ state.T).T + tensors[f"{at}.bias"]


def normalised(tensors: Mapping[str, Any], at: str, state: Any) -> Any:
    """Each token at mean 0 and variance 1, then scaled and shifted by the layer's own numbers."""
    import numpy as np

    centred = state - state.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(EPSILON))
    return centred / spread * tensors[f"{at}.weight"] + tensors[f"{at}.bias"]


def gelu(state: Any) -> Any:
    """x times the share of the normal distribution below x."""
    import numpy as np

    size = np.abs(state) * np.float32(0.5**0.5)
    step = 1 / (1 + np.float32(ERF_SLOPE) * size)
    tail = np.zeros_like(step)
    for factor in ERF:
        tail = (tail + np.float32(factor)) * step
    tail *= np.exp(-size * size)
    return state * np.where(state < 0, tail, 2 - tail) * np.float32(0.5)
