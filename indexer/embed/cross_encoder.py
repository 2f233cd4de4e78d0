"""The cross-encoder on sentence-transformers: it reads question and passage together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from indexer.embed.loading import hardware, load, quiet
from indexer.embed.windows import encodable

if TYPE_CHECKING:
    from indexer.embed import Vectors


@dataclass(frozen=True, slots=True)
class SentenceTransformersCrossEncoder:
    """Scores of a sentence-transformers CrossEncoder."""

    model: str
    engine: Any = field(repr=False)

    @classmethod
    def open(cls, model: str, *, offline: bool = False) -> SentenceTransformersCrossEncoder:
        """Load `model`: a folder, a cached name, or (not offline) one from the hub. ModelMissing, EmbedError."""
        from sentence_transformers import CrossEncoder

        device, dtype = hardware()
        engine = load(
            lambda local: CrossEncoder(model, device=device, local_files_only=local).to(dtype),
            model,
            offline=offline,
        )
        return cls(model, engine)

    def score(self, query: str, passages: Sequence[str]) -> Vectors:
        """One score (n,) a passage as float32, higher is better."""
        import numpy as np

        if not passages:
            return np.zeros(0, np.float32)
        pairs = [(encodable(query), encodable(passage)) for passage in passages]
        with quiet():
            found = self.engine.predict(pairs, show_progress_bar=False)
        # A classifier of several labels says how likely each is; the last one is "relevant" by custom.
        return np.asarray(found, np.float32).reshape(len(passages), -1)[:, -1]
