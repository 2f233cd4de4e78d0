"""The one composition: an open vault with its index, model and pipeline."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from indexer.build import build
from indexer.errors import Busy, EmbedError, ScanError, StoreError
from indexer.plan import Plan, Progress, silent
from indexer.readers import Readers, of_one_generation
from indexer.snapshot import Snapshot, exists
from indexer.state import erase
from indexer.types import Condition, Report, Root
from onebrain_search import confidence, evidence, forgotten, pipeline, plan, reading, retrieve, snippet
from onebrain_search import config as configs
from onebrain_search import query as queries
from onebrain_search.answer import what
from onebrain_search.config import Config
from onebrain_search.fallback import Fallback
from onebrain_search.models import Models
from onebrain_search.places import FILES, discover, state_folder
from onebrain_search.reading import Passage
from onebrain_search.types import Answer, Hit, Mode, Query, Retrieval

if TYPE_CHECKING:
    from indexer.embed import CrossEncoder, Embedder
    from indexer.watch.loop import OnChange, Watch
    from onebrain_search.answer.why import Story

REST = 10.0  # seconds without a question, after which a watched Brain keeps no state of the catalog from SQLite
WAIT = 10.0  # seconds for another process that is indexing
MARK = "vault.txt"  # in the state folder: which vault it is of
QUICK_PASSAGES = 400  # embedded at once before a question: under 20 s on the slowest machine measured (21 a second)


class _Said(threading.local):
    """What a thread keeps to be said with its next answer."""

    def __init__(self) -> None:
        self.notes: list[str] = []


class Brain:
    """A vault, its index and its model. Cheap to open: everything heavy is loaded at first use.

    Many threads may ask one while another thread indexes or a watcher is open. `apart`: vectors of many passages are
    made in a process of its own, so that this one stays small.
    """

    def __init__(self, config: Config, environ: Mapping[str, str], *, apart: bool = False) -> None:
        self.config = config
        self.folder = state_folder(config.vault, environ, state=config.state)
        self.readers = Readers(self.folder)
        self._said = _Said()
        self._environ = environ
        self._models = Models(self.folder.parent / "models", apart)
        self.web = self._fallback()

    @classmethod
    def open(cls, vault: str | os.PathLike[str] | None = None, *, environ: Mapping[str, str] | None = None) -> Brain:
        """Open a vault: the folder given, else `ONEBRAIN_VAULT`, else the one this folder is in.

        Raises ConfigError when its settings cannot be used.
        """
        environ = os.environ if environ is None else environ
        return cls(configs.load(discover(Path(vault)) if vault is not None else None, environ=environ), environ)

    def index(self, *, vectors: bool = True, yes: bool = False, progress: Progress = silent) -> Report:
        """Bring the index up to date; return when vectors are complete, with `vectors=False` before.

        `yes` allows a home folder and a vault that was emptied. Raises ScanError, Busy, StoreError, EmbedError.
        """
        plan.refuse_unbounded(self.config, yes=yes)
        return self._built(vectors, yes, progress, wait=WAIT)

    def refresh(self, *, vectors: bool = True, progress: Progress = silent) -> Report | None:
        """Make the index, or bring it up to date, before a question: words always, `vectors` when they take seconds.

        Returns None when another process is indexing: what is there is used. Raises ScanError, StoreError.
        """
        plan.check_new(self.config, self.folder)
        try:
            report = self.refresh_words(progress)
        except StoreError as error:
            report = self._refresh_elsewhere(error, progress)
        if vectors and report is not None and 0 < report.pending <= QUICK_PASSAGES:
            try:
                filled = self._built(True, False, progress)
                report = replace(report, embedded=filled.embedded, pending=filled.pending)
                for note in filled.notes:
                    self.say(note)
            except (Busy, EmbedError) as error:
                self.say(f"answered by words alone: {error}")
        return report

    def refresh_words(self, progress: Progress = silent) -> Report | None:
        """Bring the lexical side up to date.

        Returns None when that cannot be done now: another process is at it, the vault is away, or the index cannot be
        written. Raises ScanError or StoreError then when there is no index to answer from.
        """
        try:
            report = self._built(False, False, progress)
        except (ScanError, StoreError) as error:
            if not exists(self.folder):
                raise
            self.say(f"answered from the last finished index: {error.what if isinstance(error, Busy) else error}")
            return None
        for note in report.notes:
            self.say(note)
        return report

    def _refresh_elsewhere(self, error: StoreError, progress: Progress) -> Report | None:
        """Answer from the index as it is if it cannot be written; without any, read all notes into a passing one."""
        if exists(self.folder):
            self.say(f"answered from the last index, which may be out of date: {error}")
            return None
        from tempfile import TemporaryDirectory

        self._passing = TemporaryDirectory(prefix="onebrain-search-")
        self.folder = Path(self._passing.name)
        self.readers = Readers(self.folder)
        self.say(f"answered by reading all notes, by words alone, since no index can be kept: {error}")
        return self._built(False, False, progress)

    def _built(self, vectors: bool, yes: bool, progress: Progress, *, wait: float = 0.0) -> Report:
        """Run the indexing line and leave a mark of whose index this is; the model changes only where one waits."""
        report = build(self.folder, self._plan(vectors, yes, progress, settled=not wait), wait=wait)
        self.readers.forget()
        self._mark()
        return report

    def _mark(self) -> None:
        """Leave a mark of whose index this is."""
        mark = self.folder / MARK
        if not mark.exists():
            with suppress(OSError):  # only told to people
                mark.write_text(str(self.config.vault), "utf-8")

    def watch(self, *, on_change: OnChange | None = None, progress: Progress = silent) -> Watch:
        """Return a watcher that keeps the index up to date while it is open: `with brain.watch(): ...`.

        `on_change` is told the generation and the written forms of the files of each change that can be found now, no
        files when only vectors were made; it and `progress` are called by threads of the watcher. Opening it raises
        Busy when another process watches this vault. Raises ScanError for a home folder, or none that ever was.
        """
        plan.check_new(self.config, self.folder)
        from indexer.watch.loop import Watch

        def changed(generation: int, paths: tuple[str, ...]) -> None:
            """Make the new generation ready before it is asked, then tell of it."""
            with suppress(StoreError):  # the next question says why it cannot be read
                self.readers.follow()
            self.readers.rest(REST)
            if on_change is not None:
                on_change(generation, paths)

        return Watch(self.folder, self._watched, settings=FILES, on_change=changed, progress=progress)

    def _watched(self) -> Plan:
        """Return what a watcher indexes, by the settings as they are now. Raises ConfigError."""
        before, self.config = self.config, configs.load(self.config.vault, environ=self._environ)
        self.web = self.web if before.web == self.config.web else self._fallback()
        self._mark()
        return self._plan(True, False, silent)

    def search(self, text: str, *, limit: int | None = None, retrieval: Retrieval = "hybrid") -> list[Hit]:
        """Return the best passages for a question or a list of terms.

        Raises QueryError for a date filter that cannot be read, StoreError without a readable index.
        """
        return self.found(text, limit=limit, retrieval=retrieval).hits

    def _fallback(self) -> Fallback:
        """Return the web that the settings allow."""
        folder, code = (lambda: self.folder), (lambda text: self.search(f"{text} kind:code"))
        return Fallback(self.config.web, self._environ, folder, code)

    @of_one_generation
    def found(
        self, text: str, *, limit: int | None = None, retrieval: Retrieval = "hybrid", typing: bool = False
    ) -> pipeline.Found:
        """Return what `search` does, with notes on it; `typing` asks fast, by words, for a query that is being typed.

        Raises QueryError and StoreError as `search` does.
        """
        query = self._query(text, limit, "what" if typing else None, typing=typing)
        if typing:
            retrieval = "lexical"
        story = self._story(query, retrieval) if query.mode == "why" else None
        found = self._find(query, retrieval, story)
        return replace(found, hits=self._shown(found), notes=(*found.query.notes, *found.notes, *self.notes()))

    @of_one_generation
    def ask(
        self,
        text: str,
        *,
        mode: Literal["auto", "what", "why"] = "auto",
        retrieval: Retrieval = "hybrid",
        limit: int | None = None,
        web: bool | None = None,
    ) -> Answer:
        """Answer a question: `what` with sentences from the best passages, `why` with the dated chain of decisions.

        `web` True asks the web, too, and False never; None asks it where the notes have no answer and the settings
        allow it. Raises QueryError and StoreError as `search` does.
        """
        return self.web.beside(self._answer(text, mode, retrieval, limit), web)

    def _answer(
        self, text: str, mode: Literal["auto", "what", "why"], retrieval: Retrieval, limit: int | None
    ) -> Answer:
        """Answer a question from the vault."""
        query = self._query(text, limit, None if mode == "auto" else mode)
        snapshot = self.snapshot()
        if query.mode == "why":
            answer = self._why(query, retrieval)
            if answer is not None:
                return answer
            self.say("no dated decision about this was found: answered as a question for what is written")
            query = replace(query, mode="what")
        found = self._find(query, retrieval)
        query, sources = found.query, self._shown(found)
        grounds, model = evidence.of(snapshot, found), snapshot.model
        said, sentences = confidence.label(grounds, model), []
        if said != "none":
            nearness = what.nearness(self.embedder, found.question, snapshot.model)
            sentences = what.scored(query, sources, snapshot.rarity, nearness)
            said = confidence.label(replace(grounds, support=max((s.score for s in sentences), default=0.0)), model)
        if found.relaxed and said == "strong":
            said = "weak"  # it is not what was asked for
        words = what.worded(sentences, query, sources)
        self.say_coverage(snapshot)
        return Answer(text, query.mode, said, words, tuple(sources), (), (*query.notes, *found.notes, *self.notes()))

    def _why(self, query: Query, retrieval: Retrieval) -> Answer | None:
        """Return the chain of decisions about a topic, None where the notes tell none."""
        from onebrain_search.answer import why  # a question for what is written does without

        story = self._story(query, retrieval)
        if not story.events:
            return None
        found = self._find(query, retrieval, story)
        said = "none" if found.idle else story.confidence
        if said == "none":
            said = confidence.label(evidence.of(self.snapshot(), found), self.snapshot().model)
            if said == "none":
                return None
        sources = self._shown(found)
        self.say_coverage(self.snapshot())
        notes = (*query.notes, *found.notes, *story.notes, *self.notes())
        return Answer(
            query.text, "why", said, why.worded(story), tuple(sources), story.events, notes, in_force=story.in_force
        )

    def _story(self, query: Query, retrieval: Retrieval) -> Story:
        """Return the chain of decisions about a topic, empty where the notes tell none."""
        from onebrain_search.answer import why

        snapshot = self.snapshot()
        return why.tell(
            snapshot, query, lambda count: pipeline.passages(snapshot, query, retrieval, self.embedder, count)
        )

    def explain(self, text: str) -> dict[str, Any]:
        """Return how a question is read: mode, topic, words and conditions."""
        return queries.explained(queries.parse(text, limit=self.config.limit))

    def get(self, address: str) -> Passage:
        """Return the lines that `path`, `path:40`, `path:40:20`, `path#Heading` or `path#^block` names.

        Raises NotFound for what does not exist or lies outside of the vault and its code folders.
        """
        return reading.read(address, plan.folders(self.config), plan.parse_options(self.config))

    @of_one_generation
    def related(self, path: str, *, limit: int = 10) -> list[Hit]:
        """Return the notes most related to one. Raises NotFound when it is not in the index."""
        name, colon, rest = path.partition(":")
        root, path = (name, rest) if colon and any(r.name == name for r in self.roots() if r.name) else ("", path)
        from onebrain_search import related

        return related.related(self.snapshot(), root, path, limit)

    @of_one_generation
    def status(self) -> dict[str, Any]:
        """Return what the index holds and what it does not; works when the vault is gone."""
        found: dict[str, Any] = {"vault": str(self.config.vault), "state": str(self.folder)}
        found["exists"] = exists(self.folder)
        if not found["exists"]:
            return found
        from onebrain_search import status

        return found | status.of(self.folder, self.snapshot(), self._plan(False, False, silent), self._models.slow)

    def clear(self) -> None:
        """Delete the index; the notes are not touched. Works when the vault is gone."""
        self.readers.forget()
        self.web.forget()
        erase(self.folder)

    def forget(self, path: str, *, undo: bool = False) -> tuple[str, ...]:
        """Take a note or folder out of the index and keep it out, or with `undo` let it in at the next run.

        Returns what is forgotten now. It is hidden at once, also when its rows can only be deleted later. Raises
        QueryError for a path outside of the vault, StoreError when nothing can be written.
        """
        place = forgotten.normal(path, self.config.root_folders())
        before = set(forgotten.load(self.folder))
        after = before - {place} if undo else before | {place}
        forgotten.save(self.folder, tuple(after))
        if not undo and exists(self.folder):
            self.refresh_words()
        return tuple(sorted(after))

    def forgotten(self) -> tuple[str, ...]:
        """Return the written forms of what stays out of the index."""
        return forgotten.load(self.folder)

    def roots(self) -> list[Root]:
        """Return the vault and the code folders."""
        return plan.roots(self.config)

    def _query(self, text: str, limit: int | None, mode: Mode | None, *, typing: bool = False) -> Query:
        """Return a question parsed and corrected, with what must stay hidden until it is deleted."""
        self._models.questions += 1
        query, snapshot = queries.parse(text, limit=limit or self.config.limit, mode=mode), self.snapshot()
        query = queries.half_typed(query) if typing else retrieve.corrected(snapshot, query, self._models.english)
        hidden = [Condition("at", path, negated=True) for path in forgotten.load(self.folder)]
        kept = [each for each in hidden if snapshot.holds(each.value)]
        return replace(query, hidden=tuple(kept))

    def _shown(self, found: pipeline.Found) -> list[Hit]:
        """Return the best hits as their files stand now, with the words of the question marked."""
        hits, options = found.hits[: found.query.limit], plan.parse_options(self.config)
        return snippet.marked(found.query, reading.current(self.snapshot(), hits, plan.folders(self.config), options))

    def _find(self, query: Query, retrieval: Retrieval, story: Story | None = None) -> pipeline.Found:
        """Run the question line over the newest generation; look at the best hits again if the settings say so.

        Passages that tell a story come first where it surely is about the topic.
        """
        told = story.passages if story and story.confidence != "none" else {}
        snapshot = self.snapshot()
        found = pipeline.find(snapshot, query, retrieval, lambda: self.embedder(snapshot), told)
        if not self.config.reranker.enabled:
            return found
        try:
            from onebrain_search import rerank

            return replace(found, hits=rerank.rerank(self.cross_encoder())(query, found.hits))
        except EmbedError as error:
            return replace(found, notes=(*found.notes, f"not looked at again by the reranker: {error}"))

    def say_coverage(self, snapshot: Snapshot) -> None:
        """Say once which share of the vault has vectors, when it is not all of it, and what could not be read."""
        counts = snapshot.counts()
        if counts["pending"]:
            share = 100 * (counts["chunks"] - counts["pending"]) // max(1, counts["chunks"])
            self.say(f"meaning is searched in {share}% of the passages; `index` makes the rest")
        if lost := sum(skip.failed for skip in snapshot.catalog.skips()):
            self.say(f"answers may lack what could not be read: {lost}, see `status`")

    def snapshot(self) -> Snapshot:
        """Return the newest generation of the index. Raises StoreError when there is none that can be read."""
        return self.readers.snapshot()

    def embedder(self, of: Snapshot | None = None) -> Embedder:
        """Return the model that reads questions: that `of` a generation, else of the newest. Raises EmbedError."""
        newest = self.snapshot() if of is None and exists(self.folder) else None
        return self._models.answering(self.config.embedding, of or newest)

    def cross_encoder(self) -> CrossEncoder:
        """Return the model that reads question and passage together. Raises EmbedError when it cannot be loaded."""
        return self._models.cross_encoder(self.config.reranker.model)

    def _plan(self, with_vectors: bool, yes: bool, progress: Progress, *, settled: bool = False) -> Plan:
        """Return what to index and how, from the settings and what is to be forgotten."""
        made = self._models.vectors(self.config.embedding, self.folder, settled=settled, progress=progress)
        return plan.plan(
            self.config, self.folder, forgotten=forgotten.load(self.folder), vectors=made if with_vectors else None,
            accept_emptied=yes, progress=progress,
        )  # fmt: skip

    def say(self, note: str) -> None:
        """Keep a note for the next answer to this thread, once."""
        if note not in self._said.notes:
            self._said.notes.append(note)

    def notes(self) -> tuple[str, ...]:
        """Return the notes kept for this answer, and forget them."""
        said, self._said.notes = (*self._said.notes, *self._models.news()), []
        return said
