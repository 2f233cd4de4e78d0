"""The embedder for many documents in a process of its own, whose memory goes away with it.

PyTorch keeps half a gigabyte for as long as its process lives. A daemon that embeds a vault once and a note now and
then has no use for that.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.embed import Embedder, Progress, open_document_embedder
from indexer.errors import EmbedError

if TYPE_CHECKING:
    from indexer.embed import Vectors

SERVE = "from indexer.embed.apart import serve; serve()"  # what the process runs


class Apart:
    """An embedder that is `asked` for everything but documents, which a process of its own reads until `close`."""

    def __init__(self, asked: Embedder, *, offline: bool = False, models: Path | None = None) -> None:
        self._asked = asked
        self._settings = {"model": asked.model, "offline": offline, "models": models}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def model(self) -> str:
        """The name the user knows the model by."""
        return self._asked.model

    @property
    def fingerprint(self) -> str:
        """That of the model, which is the same in both processes."""
        return self._asked.fingerprint

    @property
    def dimension(self) -> int:
        """Width of a vector."""
        return self._asked.dimension

    @property
    def window(self) -> int:
        """Tokens the model reads at once."""
        return self._asked.window

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimension) of questions, made here."""
        return self._asked.embed_queries(texts)

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` without special ones."""
        return self._asked.count_tokens(text)

    def readability(self, text: str) -> float:
        """How far the model can read `text`, 0 to 1."""
        return self._asked.readability(text)

    def embed_documents(self, texts: Sequence[str], on_batch: Progress | None = None) -> Vectors:
        """Vectors (n, dimension) of passages, made by the other process. Raises EmbedError when it fails or dies."""
        process = self._process or self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            pickle.dump(list(texts), process.stdin)
            process.stdin.flush()
            while True:
                kind, value = pickle.load(process.stdout)
                if kind == "batch" and on_batch is not None:
                    on_batch(value)
                elif kind == "rows":
                    rows: Vectors = value
                    return rows
                elif kind == "error":
                    raise EmbedError(value[0], where=value[1], fix=value[2])
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self.close()
            fix = "free some memory; what is missing is made at the next try"
            raise EmbedError("the process that makes vectors ended", where=f"model {self.model}", fix=fix) from error

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None and process.stdout is not None
            process.kill()
            with contextlib.suppress(OSError):  # what it did not read is flushed into a pipe that nobody holds
                process.stdin.close()
            process.stdout.close()
            process.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        """Start the process and tell it which model to open."""
        here = str(Path(__file__).parents[2])
        environ = {**os.environ, "PYTHONPATH": os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])}
        process = self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", SERVE],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )  # fmt: skip
        assert process.stdin is not None
        pickle.dump(self._settings, process.stdin)
        return process


def serve() -> None:
    """Embed lists of texts from stdin until it closes. Runs in the other process; what libraries print is lost."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process is told too, and ends this one
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def answer(kind: str, value: Any) -> None:
        """Send one answer."""
        pickle.dump((kind, value), answers)
        answers.flush()

    settings = pickle.load(sys.stdin.buffer)
    embedder: Embedder | None = None
    while True:
        try:
            texts = pickle.load(sys.stdin.buffer)
        except (EOFError, OSError):
            return
        try:
            embedder = embedder or open_document_embedder(**settings)
            answer("rows", embedder.embed_documents(texts, lambda count: answer("batch", count)))
        except EmbedError as error:
            answer("error", (error.what, error.where, error.fix))
