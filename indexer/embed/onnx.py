"""all-MiniLM-L6-v2 on onnxruntime, for a few documents: 25 to 35 chunks a second without the start of torch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.embed import Vectors
    from indexer.embed.light import Forward


def onnx_forward(model: Path) -> Forward:
    """A function from rows of token numbers to mean-pooled vectors (n, 384), by an ONNX file."""
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.inter_op_num_threads = 1  # the graph is one line; threads within an operation are as many as cores
    options.log_severity_level = 3  # errors only: warnings of the optimiser are nobody's business
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])

    def forward(rows: list[list[int]]) -> Vectors:
        ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
        mask = np.zeros_like(ids)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = row
            mask[i, : len(row)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = session.run(None, feed)[0]
        pooled: Vectors = np.einsum("btd,bt->bd", hidden, mask.astype(np.float32))
        return pooled

    return forward
