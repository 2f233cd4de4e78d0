"""A packaged model for questions: by numpy at once, and by a faster engine, loaded aside, for who asks again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from indexer.errors import reason

if TYPE_CHECKING:
    from indexer.embed import Vectors
    from indexer.embed.light import Forward

REMEMBERED = 2000  # vectors of texts that were read lately, 2 kB each: sentences come again with their passages


class Hastened:
    """Runs a model on rows of token numbers, and not twice on what it read lately.

    The faster engine takes 0.2 s and 30 MB to load for the English model, 0.4 s and 90 MB for the multilingual one,
    for a moment 350. Then a question takes half to a sixth of the time.
    """

    def __init__(self, light: Forward, load: Callable[[], Forward]) -> None:
        self.trouble = ""  # why the faster engine could not be loaded
        self._run = light
        self._load = load
        self._known: dict[tuple[int, ...], Any] = {}
        self._begun = threading.Lock()

    def __call__(self, rows: list[list[int]]) -> Vectors:
        """Vectors (n, width) of rows."""
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

    def hasten(self) -> None:
        """Load the faster engine in a thread of its own, once. Where that fails, `trouble` says why."""
        if self._begun.acquire(blocking=False):
            # No daemon: an interpreter that ends while the engine starts would tear it down half made.
            threading.Thread(target=self._hasten, name="onnx").start()

    def _hasten(self) -> None:
        """Load it if it can be loaded; what ran the model until then is let go."""
        try:
            self._run = self._load()
        except Exception as error:  # the library raises its own types, and bare Exception
            self.trouble = reason(error)
