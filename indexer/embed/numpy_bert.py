"""A small BERT in numpy, for questions: its weights are mapped, not loaded.

With all-MiniLM-L6-v2 a fresh process has its first vector 0.05 s of processor time after `import numpy, tokenizers`,
where onnxruntime needs 0.2 s to import and to load; after that it is the faster one (`hastened`). With
multilingual-e5-small a question takes as long as by the C engine of its package on one thread, without asking the
processor for AVX2, and without threads that spin where a core is taken: those made 1.3 s of 20 ms. In bulk this is
slow: on two cores at most, and in float32.
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
    from indexer.embed.light import Forward

HEADS = 12
MANY_TOKENS = 64  # from which a second thread pays
KINDS = {"F32": "f4", "F16": "f2", "I32": "i4", "U64": "u8"}  # of safetensors, by numpy's names
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
        # A second thread gains little on a dozen tokens, and waits in a loop for a core that an indexer has; on a
        # hundred it halves the time.
        with threads.limit(limits=1 if sum(map(len, rows)) < MANY_TOKENS else 2, user_api="blas"):
            return np.array([states.mean(axis=0) for states in bert(tensors, rows)], np.float32)

    return forward


def mapped(file: Path) -> Mapping[str, Any]:
    """The tensors of a safetensors file: 8 bytes of length, a JSON header, then the numbers."""
    import numpy as np

    with file.open("rb") as opened:
        content = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    return {
        name: np.frombuffer(
            content,
            KINDS[entry["dtype"]],
            offset=start + entry["data_offsets"][0],
            count=int(np.prod(entry["shape"])),
        ).reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") in KINDS
    }


def bert(tensors: Mapping[str, Any], rows: list[list[int]]) -> list[Any]:
    """Hidden states (tokens, 384) of the last layer for each row of token numbers.

    The rows go through the affine maps as one, since a matrix is read once then; attention stays within a row.
    """
    import numpy as np

    places = np.concatenate([np.arange(len(row)) for row in rows])
    state = embedded(tensors, [number for row in rows for number in row], places)
    state = normalised(tensors, "embeddings.LayerNorm", state)
    ends = np.cumsum([len(row) for row in rows])[:-1]
    layer = 0
    while f"encoder.layer.{layer}.output.dense.weight" in tensors:
        at = f"encoder.layer.{layer}"
        mixed = dense(tensors, f"{at}.attention.output.dense", attended(tensors, f"{at}.attention.self", state, ends))
        state = normalised(tensors, f"{at}.attention.output.LayerNorm", state + mixed)
        inner = gelu(dense(tensors, f"{at}.intermediate.dense", state))
        state = normalised(tensors, f"{at}.output.LayerNorm", state + dense(tensors, f"{at}.output.dense", inner))
        layer += 1
    found: list[Any] = np.split(state, ends)
    return found


def embedded(tensors: Mapping[str, Any], numbers: Any, places: Any) -> Any:
    """What stands for tokens (..., 384) before the first layer, by their numbers and their places in the text."""
    import numpy as np

    words = np.float32(1) * tensors["embeddings.word_embeddings.weight"][numbers]
    kind = tensors["embeddings.token_type_embeddings.weight"][0]
    return words + tensors["embeddings.position_embeddings.weight"][places] + kind


def attended(tensors: Mapping[str, Any], at: str, state: Any, ends: Any) -> Any:
    """Each token as a mixture of all of its row, by every head; `ends` are where rows end but the last."""
    import numpy as np

    mixed = [dense(tensors, f"{at}.{part}", state) for part in ("query", "key", "value")]
    rows = zip(*(np.split(each, ends) for each in mixed), strict=True)
    return np.concatenate([_attended(*row) for row in rows])


def _attended(query: Any, key: Any, value: Any) -> Any:
    """Each token of one row as a mixture of all."""
    import numpy as np

    tokens, width = query.shape
    query, key, value = (part.reshape(tokens, HEADS, -1).transpose(1, 0, 2) for part in (query, key, value))
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
