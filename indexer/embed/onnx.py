"""A model on onnxruntime, without the start of torch: 25 to 35 chunks a second of all-MiniLM-L6-v2."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.embed import Vectors
    from indexer.embed.light import Forward

THREADS = 4  # within an operation at most: a question has too little for more
SLACK = 12  # tokens: padding a row by more costs more than to run it by itself


def onnx_forward(model: Path, *, first_token: bool = False) -> Forward:
    """A function from rows of token numbers to vectors (n, width), by an ONNX file.

    A vector is the mean of a row's states, or the state of its `first_token`.
    """
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.inter_op_num_threads = 1  # the graph is one line
    options.intra_op_num_threads = min(THREADS, os.cpu_count() or 1)
    # Threads that have nothing to do would wait in a loop, at the cost of whatever else wants the core.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3  # errors only: warnings of the optimiser are nobody's business
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    _give_back()
    asked = {each.name for each in session.get_inputs()}

    def run(rows: list[list[int]]) -> Vectors:
        """Vectors of rows of about one length."""
        ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
        mask = np.zeros_like(ids)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = row
            mask[i, : len(row)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = session.run(None, {name: value for name, value in feed.items() if name in asked})[0]
        if hidden.ndim == 2:  # the graph pools by itself
            ready: Vectors = hidden
            return ready
        if first_token:
            states: Vectors = hidden[:, 0]
            return states
        pooled: Vectors = np.einsum("btd,bt->bd", hidden, mask.astype(np.float32))
        return pooled

    def forward(rows: list[list[int]]) -> Vectors:
        """Vectors of any rows."""
        groups = alike(list(map(len, rows)))
        found = np.concatenate([run([rows[i] for i in group]) for group in groups])
        return found[np.argsort(np.concatenate(groups))]

    return forward


def alike(lengths: Sequence[int]) -> list[list[int]]:
    """The numbers of rows in groups of about one length, longest first."""
    groups: list[list[int]] = []
    for row in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if groups and lengths[groups[-1][0]] - lengths[row] <= SLACK:
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def _give_back() -> None:
    """Give back to the system what loading has freed and the C library would keep: 60 of 160 MB with our model."""
    with suppress(AttributeError, OSError, TypeError):  # there is no such function, or no way to it
        ctypes.CDLL(None).malloc_trim(0)
