"""The cross-encoder on sentence-transformers: it reads question and passage together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.embed.sentence_transformers import hardware, quiet
from indexer.errors import EmbedError, ModelMissing

if TYPE_CHECKING:
    from indexer.embed import Vectors


@dataclass(frozen=True, slots=True)
class SentenceTransformersCrossEncoder:
    """Scores of a sentence-transformers CrossEncoder."""

    model: str
    engine: Any

    @classmethod
    def open(cls, model: str, *, offline: bool = False) -> SentenceTransformersCrossEncoder:
        """Load `model` from a folder, the local cache, or (not offline) the hub. ModelMissing, EmbedError."""
        from sentence_transformers import CrossEncoder

        device, dtype = hardware()
        local = Path(model).is_dir()
        for local_only in (True,) if offline or local else (True, False):
            try:
                with quiet():
                    engine = CrossEncoder(
                        model, device=device, local_files_only=local_only, model_kwargs={"dtype": dtype}
                    )
                return cls(model, engine)
            except Exception as error:  # the libraries raise OSError, ValueError and hub errors alike
                problem = error
        reason = str(problem).strip().splitlines()[0]
        if local:
            raise EmbedError(
                f"the re-ranker cannot be loaded ({reason})",
                where=model,
                fix="point it at the folder of a cross-encoder",
            ) from problem
        raise ModelMissing(
            f"the re-ranker {model} is not on this machine ({reason})",
            fix=f"run `hf download {model}` once while online, or leave the re-ranker out",
        ) from problem

    def score(self, query: str, passages: Sequence[str]) -> Vectors:
        """One score (n,) a passage as float32, higher is better."""
        import numpy as np

        if not passages:
            return np.zeros(0, np.float32)
        with quiet():
            found = self.engine.predict([(query, passage) for passage in passages], show_progress_bar=False)
        return np.asarray(found, np.float32).reshape(len(passages), -1)[:, 0]
