"""Which model reads a vault: the one that is named in the settings, or the packaged one that can read the notes.

`auto` asks the English model's tokenizer how much of the notes it can read (pieces and unknown ones a letter, no list
of languages). Where that is too little, and the multilingual model is there, that one reads the vault.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.errors import EmbedError
from indexer.plan import Progress, Vectors, silent
from indexer.snapshot import Snapshot
from onebrain_search.config import AUTO, Embedding

if TYPE_CHECKING:
    from indexer.embed import CrossEncoder, Embedder, Remote

# Shares of the notes that the English model cannot read, measured on 300 passages: English collections and vaults
# 0 to .05, a vault of English notes with some Thai and Chinese ones .14, Spanish .35, half Thai .5, Chinese 1.0.
# A fifth is worth the multilingual model, which is weaker in English; below a tenth the English one comes back.
FROM, BACK = 0.2, 0.1
LEAST = 5  # passages: fewer are counted as if the others could be read, so that one odd one of two decides nothing
SAMPLE = 300  # passages looked at, chosen by their hashes: the same ones while they stay


@dataclass(frozen=True, slots=True)
class Choice:
    """The name that opens a model, and why it was chosen, for people; empty where nobody asks."""

    model: str
    note: str = ""


@dataclass(slots=True)
class Models:
    """The models of a vault, opened at first use; `folder` is where a packed one is unpacked, for all vaults.

    `apart`: vectors of many passages are made in a process of its own, so that this one stays small.
    """

    folder: Path
    apart: bool = False
    opened: dict[tuple[str, str], Embedder] = field(default_factory=dict)
    light: dict[str, Embedder] = field(default_factory=dict)  # for a few passages
    rankers: dict[str, CrossEncoder] = field(default_factory=dict)
    opening: threading.Lock = field(default_factory=threading.Lock)  # many threads may want one at once
    read: dict[str, float] = field(default_factory=dict)  # how far the English model reads a passage of the sample
    questions: int = 0  # that came so far
    slow: str = ""  # why each of them takes longer than it should
    _told: bool = False

    def answering(self, settings: Embedding, snapshot: Snapshot | None) -> Embedder:
        """Return the model of a generation's vectors, or the one that would make them.

        Raises EmbedError when it cannot be opened, or when the vectors are of a model that is not there any more.
        """
        named, kept = named_in(settings), snapshot.model if snapshot else ""
        fallback = named if named != AUTO else "english"
        found = self.open(settings, kept if kept and _key(kept) != _key(named) else fallback)
        if snapshot and snapshot.embedder and found.fingerprint != snapshot.embedder:
            raise EmbedError(
                "the vectors of the index are of another model", fix="run `index`, which makes them anew"
            )
        if self.questions > 1:  # who asks one question and ends need not load for many
            from indexer.embed import hasten

            self.slow = hasten(found)
        return found

    def news(self) -> tuple[str, ...]:
        """Return once why questions take longer than they should."""
        if not self.slow or self._told:
            return ()
        self._told = True
        return (f"questions take longer, since the model's faster engine cannot be loaded: {self.slow}",)

    def english(self) -> Embedder:
        """Return the packaged English model, whose vocabulary tells words from slips. Raises EmbedError."""
        return self.open(Embedding(), "english")

    def open(self, settings: Embedding, name: str) -> Embedder:
        """Return the embedder for questions that a name opens, an address too. Raises EmbedError."""
        place = (name, settings.api_key_env)
        with self.opening:
            if place not in self.opened:
                from indexer.embed import open_query_embedder

                model, server = source(name, settings.api_key_env)
                self.opened[place] = open_query_embedder(model, remote=server, models=self.folder)
            return self.opened[place]

    def cross_encoder(self, name: str) -> CrossEncoder:
        """Return the model that reads question and passage together. Raises EmbedError when it cannot be loaded."""
        with self.opening:
            if name not in self.rankers:
                from indexer.embed import open_cross_encoder

                self.rankers[name] = open_cross_encoder(name)
            return self.rankers[name]

    def vectors(
        self, settings: Embedding, index: Path, *, settled: bool = False, progress: Progress = silent
    ) -> Callable[[], Vectors]:
        """Return how vectors are made, asked for when there is something to embed.

        `settled`: by the model that answers already, if there is one; a change takes longer than a question may.
        """

        def open_vectors() -> Vectors:
            """Return the model's fingerprint and width, and the embedder for a number of texts."""
            from indexer.embed import are_few, document_embedder_for
            from indexer.embed.apart import Apart

            snapshot = Snapshot.open(index)
            try:
                choice, asked = self._usable(settings, snapshot, settled, progress)
            finally:
                snapshot.close()
            name, server = source(choice.model, settings.api_key_env)
            bulk = Apart(asked, models=self.folder)

            def embedder(count: int) -> Embedder:
                """Return the one that has so many done first; that for few is kept for the next note."""
                if server is not None or not are_few(count, name):
                    near = server is not None or not self.apart
                    return document_embedder_for(count, name, remote=server, models=self.folder) if near else bulk
                with self.opening:
                    if name not in self.light:
                        self.light[name] = document_embedder_for(count, name, models=self.folder)
                    return self.light[name]

            return Vectors(asked.fingerprint, asked.dimension, embedder, _key(choice.model), choice.note, bulk.close)

        return open_vectors

    def choose(self, settings: Embedding, snapshot: Snapshot, *, settled: bool = False) -> Choice:
        """Return the model that is to read the vault, and why where `auto` has something to say."""
        from indexer.embed import ENGLISH, MULTILINGUAL, multilingual

        named, before = named_in(settings), snapshot.model
        if settled and before:
            return Choice(named if _key(named) == before else before)
        if named != AUTO:
            return Choice(named)
        foreign = self._foreign(snapshot)
        if foreign < (BACK if before == MULTILINGUAL else FROM):
            note = f"the English model reads this vault: it cannot read only {foreign:.0%} of it"
            return Choice(ENGLISH, note if before == MULTILINGUAL else "")
        said = f"the English model cannot read {foreign:.0%} of this vault"
        if not multilingual.is_there(self.folder):
            fix = f'pip install "{multilingual.PACKED.install}", then run `index`'
            return Choice(ENGLISH, f"{said}, which is found by words alone: {fix}")
        return Choice(MULTILINGUAL, f"{said}: the multilingual one does" if before != MULTILINGUAL else "")

    def _usable(
        self, settings: Embedding, snapshot: Snapshot, settled: bool, progress: Progress
    ) -> tuple[Choice, Embedder]:
        """Return the choice and its model; where `auto` chose one that cannot be opened, the English one and why."""
        from indexer.embed import ENGLISH, MULTILINGUAL, multilingual

        choice = self.choose(settings, snapshot, settled=settled)
        try:
            if choice.model == MULTILINGUAL:
                multilingual.unpacked(self.folder, lambda done, total: progress("model", done, total))
            return choice, self.open(settings, choice.model)
        except EmbedError as error:
            if named_in(settings) != AUTO or choice.model != MULTILINGUAL or snapshot.model == MULTILINGUAL:
                raise
            choice = Choice(ENGLISH, f"the English model reads this vault, the multilingual one cannot: {error}")
            return choice, self.open(settings, ENGLISH)

    def _foreign(self, snapshot: Snapshot) -> float:
        """Return the share 0 to 1 of notes that the English model cannot read; those without letters do not count."""
        english = self.english()
        texts = [text for text in snapshot.catalog.sample(SAMPLE) if any(map(str.isalpha, text))]
        self.read = {text: self.read.get(text, -1.0) for text in texts}
        for text, share in self.read.items():
            if share < 0:
                self.read[text] = english.readability(text)
        return sum(1 - share for share in self.read.values()) / max(LEAST, len(self.read))


def named_in(settings: Embedding) -> str:
    """Return the name that the settings give: AUTO, a model, a folder, or a server as `address#model`."""
    if not settings.url:
        return settings.model
    return settings.url if settings.model == AUTO else f"{settings.url}#{settings.model}"


def source(name: str, key_variable: str = "") -> tuple[str, Remote | None]:
    """Return the model that a name means, and its server if the name is an address (`http://…/v1#model`)."""
    from indexer.embed import DEFAULT_MODEL, Remote

    if not name.startswith(("http://", "https://")):
        return name, None
    address, _, model = name.partition("#")
    return model or DEFAULT_MODEL, Remote(address, key_variable)


def _key(name: str) -> str:
    """Return the name under which the index remembers a model: packaged ones by one name, and no password."""
    from indexer.embed import packaged_as

    return packaged_as(name) or re.sub(r"//[^/@]*@", "//", name)
