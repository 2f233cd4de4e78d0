"""Documents embedded by a process of its own: the same vectors, and an end that is noticed and mended."""

from __future__ import annotations

import numpy as np
import pytest

from indexer.embed import open_document_embedder, open_query_embedder
from indexer.embed.apart import Apart
from indexer.errors import EmbedError

TEXTS = ["We wait 30 seconds between two attempts.", "The cat sleeps.", "Tantivy replaced whoosh."]


def test_vectors_from_apart_are_those_of_this_process() -> None:
    """Row by row, with progress; the process ends on `close`, and a new one serves the next call."""
    far, done = Apart(open_query_embedder()), list[int]()
    rows = far.embed_documents(TEXTS, done.append)
    process = far._process
    assert process is not None
    assert np.allclose(rows, open_document_embedder().embed_documents(TEXTS), atol=1e-3)
    assert sum(done) == len(TEXTS)
    far.close()
    assert process.poll() is not None
    assert far.readability(TEXTS[0]) > 0.9
    far.close()


@pytest.mark.parametrize("gone", [True, False], ids=["before it is asked", "while it is asked"])
def test_a_process_that_was_killed_is_an_error(gone: bool) -> None:
    """As when memory runs out: the passages stay pending, the daemon lives."""
    far = Apart(open_query_embedder(), offline=True)
    process = far._started()
    process.kill()
    if gone:
        process.wait()
    with pytest.raises(EmbedError, match="ended"):
        far.embed_documents(TEXTS)
    assert far._process is None, "the next call starts another"


def test_an_error_of_the_model_is_told_as_it_is() -> None:
    """What, where and what to do cross the pipe, and the process stays."""
    far = Apart(open_query_embedder(), offline=True)
    far._settings["model"] = "no/such-model"
    with pytest.raises(EmbedError, match="no/such-model"):
        far.embed_documents(TEXTS)
    assert far._process is not None
    far.close()
