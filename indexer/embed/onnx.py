"""A model on onnxruntime, without the start of torch: 25 to 35 chunks a second of all-MiniLM-L6-v2 in float32."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.errors import EmbedError, reason

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from indexer.embed import Vectors
    from indexer.embed.light import Forward

THREADS = 4  # at most: a few sentences have too little for more
SHARED_FROM = 64  # tokens from which half of a batch is read by another thread
SLACK = 12  # tokens: padding a row by more costs more than to run it by itself


def onnx_forward(model: Path, *, first_token: bool = False) -> Forward:
    """A function from rows of token numbers to vectors (n, width), by an ONNX file.

    A vector is the mean of a row's states, or the state of its `first_token`.
    """
    session = _session(str(model))
    asked = {each.name for each in session.get_inputs()}

    def run(rows: list[list[int]]) -> Vectors:
        """Vectors of rows of about one length."""
        import numpy as np

        ids, mask = padded(rows)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = session.run(None, {name: value for name, value in feed.items() if name in asked})[0]
        if hidden.ndim == 2:  # the graph pools by itself
            ready: Vectors = hidden
            return ready
        if first_token:
            states: Vectors = hidden[:, 0]
            return states
        return _pooled(hidden, mask)

    return partial(_in_groups, run)


@cache
def bert_forward(weights: Path, *, quick: bool) -> Forward:
    """A function from rows of token numbers to vectors (n, width), by the safetensors file of a BERT; one a process.

    It takes 0.2 s to make in float32, or `quick` 0.07 s in 8 bits, see `bert_graph`.
    """
    from indexer.embed.bert_graph import LENGTHS, STATES, written
    from indexer.embed.numpy_bert import embedded, mapped

    session = _session(written(mapped(weights), _largest() if quick else 0))
    tensors = mapped(weights)  # anew: of this one only the words that are met come into memory

    def run(rows: list[list[int]]) -> Vectors:
        """Vectors of rows of about one length."""
        import numpy as np

        ids, mask = padded(rows)
        lengths = mask.sum(axis=1, dtype=np.int32)
        states = embedded(tensors, ids, np.arange(ids.shape[1]))
        return _pooled(session.run(None, {STATES: states, LENGTHS: lengths})[0], mask)

    def run_alone(rows: list[list[int]]) -> Vectors:
        """Vectors of rows, each by itself: what is read with it would change the scale of its states."""
        import numpy as np

        return np.concatenate([run([row]) for row in rows])

    return partial(_in_groups, run_alone if quick else run)


@cache
def _largest() -> int:
    """The largest weight in 8 bits whose products this processor adds without overflow."""
    import numpy as np

    from indexer.embed.bert_graph import LARGEST, LARGEST_IN_PAIRS, LENGTHS, STATES, one_product

    file, states, right = one_product()
    found = _session(file).run(None, {STATES: states, LENGTHS: np.zeros(1, np.int32)})[0]
    return LARGEST if np.abs(found - right).max() < 1 else LARGEST_IN_PAIRS


def padded(rows: list[list[int]]) -> tuple[Any, Any]:
    """The numbers of rows (n, longest), zeros behind shorter ones, and 1 where there is one."""
    import numpy as np

    ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
    mask = np.zeros_like(ids)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return ids, mask


def _session(model: str | bytes) -> Any:
    """What runs an ONNX file, named or in memory. EmbedError where onnxruntime cannot be imported."""
    try:
        import onnxruntime
    except ImportError as error:
        raise EmbedError(
            f"onnxruntime cannot be imported ({reason(error)})", fix="pip install --force-reinstall onnxruntime"
        ) from error

    options = onnxruntime.SessionOptions()
    options.inter_op_num_threads = 1  # the graph is one line
    # A question of twelve tokens takes as long on one core as on two, which would also be kept from other work;
    # rows of a batch are shared out instead.
    options.intra_op_num_threads = 1
    if isinstance(
        model, bytes
    ):  # ours is as it should be: a sum and its normalisation made one take four times as long
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3  # errors only: warnings of the optimiser are nobody's business
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    session._model_bytes = None  # the library would keep the file, too, to change its device later: 85 MB of e5-small
    _give_back()
    return session


def _pooled(hidden: Any, mask: Any) -> Vectors:
    """The sum of each row's states, which points where their mean does."""
    import numpy as np

    pooled: Vectors = np.einsum("btd,bt->bd", hidden, mask.astype(np.float32))
    return pooled


def _in_groups(run: Forward, rows: list[list[int]]) -> Vectors:
    """Vectors of any rows, by what takes rows of about one length."""
    import numpy as np

    lengths = list(map(len, rows))
    groups = shared_out(alike(lengths), lengths, min(THREADS, os.cpu_count() or 1))
    parts = [[rows[i] for i in group] for group in groups]
    found = np.concatenate(list(_pool().map(run, parts) if len(parts) > 1 else map(run, parts)))
    return found[np.argsort(np.concatenate(groups))]


def alike(lengths: Sequence[int]) -> list[list[int]]:
    """The numbers of rows in groups of about one length, longest first."""
    groups: list[list[int]] = []
    for row in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if groups and lengths[groups[-1][0]] - lengths[row] <= SLACK:
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def shared_out(groups: Sequence[list[int]], lengths: Sequence[int], threads: int) -> list[list[int]]:
    """The groups, the largest cut in two again and again until each thread has one, or they are too small."""
    parts = [(lengths[group[0]] * len(group), group) for group in groups]
    while parts and len(parts) < threads:
        parts.sort()
        tokens, group = parts[-1]
        if len(group) < 2 or tokens < SHARED_FROM:
            break
        half = len(group) // 2
        parts[-1:] = [(lengths[part[0]] * len(part), part) for part in (group[:half], group[half:])]
    return [group for _, group in parts]


@cache
def _pool() -> ThreadPoolExecutor:
    """The threads that read batches; started when there is one to share out."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(min(THREADS, os.cpu_count() or 1), "onnx")


def _give_back() -> None:
    """Give back to the system what loading has freed and the C library would keep: 60 of 160 MB with our model."""
    with suppress(AttributeError, OSError, TypeError):  # there is no such function, or no way to it
        ctypes.CDLL(None).malloc_trim(0)
