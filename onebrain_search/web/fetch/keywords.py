"""Keyword search on the platforms that have one: all at once, and each failure is named."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from indexer.errors import WebError
from onebrain_search.web.addresses import PublicOnly
from onebrain_search.web.fetch.asking import Desk, Finding, Unanswered
from onebrain_search.web.fetch.platforms import Platform, searchable
from onebrain_search.web.fetch.together import as_they_come
from onebrain_search.web.fetch.types import Choices, Errand
from onebrain_search.web.http import Http


@dataclass(frozen=True, slots=True)
class Findings:
    """What each platform found, and why others found nothing; both by the platform's name, in the table's order."""

    words: str
    found: Mapping[str, Sequence[Finding]]
    failed: Mapping[str, str]

    def json(self) -> dict[str, Any]:
        """The whole as it is printed: results in one list, each with its platform."""
        rows = [{"platform": name, **row.json()} for name, results in self.found.items() for row in results]
        return {"query": self.words, "results": rows, "failed": dict(self.failed)}


def search(words: str, choices: Choices | None = None, *, http: Http | None = None) -> Findings:
    """Ask all platforms for these words under one deadline, `choices.seconds`. `http` is for tests."""
    choices, http = choices or Choices(), http or Http(guard=PublicOnly())
    until = time.monotonic() + choices.seconds
    errand = Errand("", choices, http, until)
    platforms = list(searchable())
    jobs = {platform.id: partial(_ask, platform, words, errand) for platform in platforms}
    got = dict(as_they_come(jobs, until))
    late = WebError(f"no answer within {choices.seconds:g} s", kind="timeout")
    results = {platform.id: got.get(platform.id, late) for platform in platforms}
    return Findings(
        words,
        {name: result for name, result in results.items() if not isinstance(result, Exception)},
        {name: _said(result) for name, result in results.items() if isinstance(result, Exception)},
    )


def _ask(platform: Platform, words: str, errand: Errand) -> Sequence[Finding]:
    """What one platform finds. Raises Unanswered or WebError."""
    desk = Desk(platform.id, errand)
    try:
        return platform.search()(words, desk)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise desk.malformed("") from error


def _said(error: Exception) -> str:
    """Why a platform found nothing, on one line."""
    known = isinstance(error, (Unanswered, WebError))
    return str(error) if known else f"{type(error).__name__}: {error}"[:200]
