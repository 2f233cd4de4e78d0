"""The web beside an answer from the vault: asked last, only with consent, and loaded only then."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onebrain_search import query as queries
from onebrain_search.types import Answer, Hit
from onebrain_search.web_settings import WebSettings

if TYPE_CHECKING:
    from onebrain_search.web.handles import Handles
    from onebrain_search.web.health import Events
    from onebrain_search.web.http import Http
    from onebrain_search.web.options import Options
    from onebrain_search.web.results import Result
    from onebrain_search.web.search import Outcome, Web

NOT_ALLOWED = (
    "the web was not asked: `--web` asks it for this question, `web: {enabled: true}` under `onebrain_search:` in"
    " onebrain.yml whenever the notes have no answer"
)

ONLY_FILTERS = "the web was not asked: the question has nothing but filters, and those stay here"


class Fallback:
    """The web of one vault: what is remembered of sources and domains lies in the folder of its index.

    Many threads may ask it. `code` finds what the vault and the code folders hold; `http` can be replaced before the
    first question.
    """

    def __init__(
        self,
        settings: WebSettings,
        environ: Mapping[str, str],
        folder: Callable[[], Path],
        code: Callable[[str], Sequence[Hit]],
    ) -> None:
        self.settings = settings
        self.http: Http | None = None
        self._environ, self._folder, self._code = environ, folder, code
        self._opening = threading.Lock()  # threads of a daemon share one web: its pauses and limits hold for all
        self._web: Web | None = None
        self._handles: Handles | None = None

    def beside(self, answer: Answer, wanted: bool | None) -> Answer:
        """Return an answer with what the web says, if that may be asked; without consent a note says how to give it.

        The sources of the answer stay what they were: the web's results stand in `web` alone.
        """
        unanswered = answer.confidence == "none"
        if wanted or (wanted is None and unanswered and self.settings.enabled):
            from onebrain_search.web.shape import shape

            question = outward(answer.question)
            if not question:
                return replace(answer, notes=(*answer.notes, ONLY_FILTERS))
            from onebrain_search.web.options import Options

            return replace(answer, web=shape(self.search(question, Options(vault_asked=True))))
        if wanted is None and unanswered:
            return replace(answer, notes=(*answer.notes, NOT_ALLOWED))
        return answer

    def search(self, question: str, options: Options | None = None, tell: Events | None = None) -> Outcome:
        """Ask the web. Raises SourceError `invalid_arguments`; every other failure is told in the outcome."""
        from onebrain_search.web import search
        from onebrain_search.web.options import Options as Defaults

        web = self._opened()
        outcome = search.search(question, replace(web, tell=tell) if tell else web, options or Defaults())
        self.handles.issue([each.url for each in outcome.results])
        return outcome

    def forget(self) -> None:
        """Delete what is remembered of sources and domains; what cannot be deleted is asked anew in time."""
        self._web = None
        for file in self._folder().glob("web-*.json"):
            with suppress(OSError):
                file.unlink()

    @property
    def handles(self) -> Handles:
        """What S1.. and H.. stand for: the results of this process."""
        with self._opening:
            if self._handles is None:
                from onebrain_search.web.handles import Handles

                self._handles = Handles()
            return self._handles

    def _opened(self) -> Web:
        """Return the web of this vault."""
        with self._opening:
            if self._web is None:
                from onebrain_search.web.setup import open_web

                self._web = open_web(self.settings, self._environ, self._folder(), http=self.http, local=self._local)
            return self._web

    def _local(self, question: str) -> list[Result]:
        """Return code of the vault and its code folders as results of the local route."""

        return [_result(hit) for hit in self._code(question)]


def outward(question: str) -> str:
    """Return what of a question may leave the machine: not its filters, which name folders, tags and fields."""
    query = queries.parse(question)
    return query.topic if query.filters or query.excluded or query.prefixes else question


def _result(hit: Hit) -> Result:
    """Return a passage as a result."""
    from onebrain_search.web.results import Result

    piece = hit.chunk
    named = piece.symbol or " › ".join(piece.heading) or piece.title
    meta: dict[str, Any] = {"line": piece.start_line}
    said = " ".join(piece.text.split())[:300]
    return Result("local", named, piece.address, said, ("vault",), piece.date or "", meta=meta)
