"""Passages that have no vector yet -> vectors, newest notes first, in rounds that are committed one by one.

The right to write is held for the moments of a commit only: while the model works, notes that change are taken
in, and the next round begins with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.catalog import Stored
from indexer.errors import Damaged, EmbedError
from indexer.plan import Progress, Vectors, silent
from indexer.snapshot import exists
from indexer.state import EMBED, locked
from indexer.store import Store, open_store

if TYPE_CHECKING:
    from indexer.embed import Embedder
    from indexer.vectors import Floats

ROUND = 512  # passages embedded between two commits
PART = 64  # passages tried at once when a round failed


def always() -> bool:
    """Go on until nothing waits."""
    return True


@dataclass(slots=True)
class Filled:
    """How many vectors were made, how many texts and passages (of the same text) wait, and what is to be said."""

    made: int = 0
    waiting: int = 0
    pending: int = 0
    generation: int = 0
    notes: list[str] = field(default_factory=list)


def fill(
    folder: Path,
    vectors: Vectors,
    *,
    wait: float = 10.0,
    progress: Progress = silent,
    go_on: Callable[[], bool] = always,
    size: int = 0,
) -> Filled:
    """Make the vectors that are missing, `size` passages a round, for as long as `go_on` says before each.

    A passage on which the model fails stays waiting and the others are made. Raises EmbedError when all of a round
    fail, Busy when another process makes vectors or writes for `wait` seconds, Damaged when there is nothing to read
    from before the next index run.
    """
    with locked(folder, wait, EMBED):
        return _Filling(folder, vectors, wait, progress).run(go_on, size or ROUND)


@dataclass(slots=True)
class _Made:
    """What a round brought: vectors by key, and the keys of passages that the model cannot read."""

    rows: list[tuple[list[bytes], Floats]] = field(default_factory=list)
    unreadable: list[bytes] = field(default_factory=list)


class _Filling:
    """The rounds."""

    def __init__(self, folder: Path, vectors: Vectors, wait: float, progress: Progress) -> None:
        self.folder, self.vectors, self.wait, self.progress = folder, vectors, wait, progress
        self.filled = Filled(notes=[vectors.note] if vectors.note else [])
        self.failed: set[bytes] = set()  # keys that are not tried again this time
        self.waiting: list[int] = []  # as of the last commit: to ask each time would take longer than the vectors
        self.ahead = 0  # how many of these the round was chosen from
        self.tried: dict[int, bytes] = {}  # the keys of the round's passages by their ids
        self.done = 0  # passages the model has looked at

    def run(self, go_on: Callable[[], bool], size: int) -> Filled:
        """Make vectors until none is missing or it is to end."""
        model: Embedder | None = None
        made: _Made | None = None
        try:
            while True:
                passages = self._commit(made, size if go_on() else 0)
                if not passages:
                    return self.filled
                model = model or self.vectors.embedder(self.filled.waiting)
                made = self._round(model, passages)
        finally:
            self.vectors.release()

    def _commit(self, made: _Made | None, size: int) -> list[Stored]:
        """Keep what the last round made, and return the passages of the next one."""
        damaged = Damaged("the index is damaged", where=str(self.folder), fix="run `index`")
        if not exists(self.folder):  # to open it would make an empty one, and who asks meanwhile would find nothing
            raise damaged
        with open_store(self.folder, wait=self.wait) as store:
            if not store.catalog.state("settings"):
                raise damaged
            store.rows.use(self.vectors.fingerprint, self.vectors.dimension, self.vectors.model)
            if made:
                store.rows.mark_unreadable(made.unreadable)
                self.filled.made += sum(store.rows.put(keys, rows) for keys, rows in made.rows)
            waiting = self._waiting(store, made)
            chosen = self._next(store, waiting, size)
            if not chosen and (size or not waiting):
                store.rows.take_over()
            if made or not chosen:  # another model changes nothing before its first vectors are there
                store.commit()
            if not chosen:
                store.clean_up()
            self.filled.waiting = len(waiting)
            self.filled.pending = store.rows.pending()
            self.filled.generation = store.catalog.number("generation")
            self.filled.notes += [note for note in store.notes if note not in self.filled.notes]
        if made or chosen:
            self.progress("vectors", self.done, self.done + len(waiting) - len(self.failed))
        return chosen

    def _waiting(self, store: Store, made: _Made | None) -> list[int]:
        """Return what waits, after a round that `made` something: as it is known if nobody else has written since."""
        if made is None or store.catalog.number("generation") != self.filled.generation:
            self.waiting = store.rows.waiting()
        else:
            ended = {number for number, key in self.tried.items() if key not in self.failed}
            self.waiting = [n for n in self.waiting[: self.ahead] if n not in ended] + self.waiting[self.ahead :]
        return self.waiting

    def _next(self, store: Store, waiting: Sequence[int], size: int) -> list[Stored]:
        """Return the first passages that were not tried before."""
        self.ahead = size + len(self.failed) if size else 0
        ahead = waiting[: self.ahead]
        found = store.catalog.chunks(ahead)
        chosen = [found[n] for n in ahead if n in found and found[n].key not in self.failed][:size]
        self.tried = {stored.chunk.id: stored.key for stored in chosen}
        return chosen

    def _round(self, model: Embedder, passages: Sequence[Stored]) -> _Made:
        """Embed what the model can read, first all at once, then in parts where that fails."""
        readable = [s for s in passages if model.readability(s.chunk.text) > 0.0]
        read = {s.key for s in readable}
        made = _Made(unreadable=[s.key for s in passages if s.key not in read])
        before = self.done
        try:
            self._embed(model, readable, made)
        except EmbedError as error:
            self.done = before
            parts = [readable[at : at + PART] for at in range(0, len(readable), PART)]
            lost = [s.key for part in parts if not self._try(model, part, made) for s in part]
            if len(lost) == len(readable):
                raise
            self.failed.update(lost)
            self.filled.notes.append(f"{len(lost)} passages wait for vectors: {error}")
        self.done = before + len(passages)
        return made

    def _try(self, model: Embedder, passages: Sequence[Stored], made: _Made) -> bool:
        """Embed some passages; False when the model fails."""
        try:
            self._embed(model, passages, made)
        except EmbedError:
            return False
        return True

    def _embed(self, model: Embedder, passages: Sequence[Stored], made: _Made) -> None:
        """Embed some passages."""
        if not passages:
            return
        from indexer.chunk import embedding_text
        from indexer.embed import MULTILINGUAL, packaged_as

        # With titles and headings said once, nDCG@10 of the multilingual model by meaning alone is .953 (.951) within
        # six languages of xquad, .856 (.854) across 13 pairs of them, .420 (.412) in cacm and .382 (.374) in
        # cranfield. The English model loses .010 and .005 in the last two.
        once = packaged_as(model.model) == MULTILINGUAL
        texts = [embedding_text(s.chunk, once=once) for s in passages]
        made.rows.append(([s.key for s in passages], model.embed_documents(texts, self._on_batch)))

    def _on_batch(self, count: int) -> None:
        """Count the texts of a batch as done."""
        self.done += count
        self.progress("vectors", self.done, max(self.done, self.filled.waiting + self.filled.made))
