"""A Brain behind requests: named fields in, the JSON objects of docs/json.md out. For HTTP, MCP and commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from indexer.errors import RequestError
from indexer.plan import Progress, silent
from onebrain_search import render
from onebrain_search.brain import Brain
from onebrain_search.printable import whole

MOST_SOURCES = 1000  # a request may ask for
LONGEST = 100_000  # characters of a text: a book's chapter takes a second, and a whole book nobody's question is
CUT = 60  # characters shown of a value that is refused

Request = Mapping[str, Any]
Shape = dict[str, Any]
Reader = Callable[[str, Any], Any]


def _text(name: str, value: Any) -> str:
    """Read a text that says something."""
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST:
        raise _refused(name, value, f"a text that is not empty, of at most {LONGEST} characters")
    return whole(value)


def _flag(name: str, value: Any) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise _refused(name, value, "true or false")
    return value


def _limit(name: str, value: Any) -> int:
    """Read how many are wanted."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_SOURCES:
        raise _refused(name, value, f"a whole number from 1 to {MOST_SOURCES}")
    return value


def _one_of(*choices: str) -> Reader:
    """Return a reader of one of some words."""

    def read(name: str, value: Any) -> str:
        """Read one of the words."""
        if value not in choices:
            raise _refused(name, value, f"one of: {', '.join(choices)}")
        return str(value)

    return read


RETRIEVAL = _one_of("hybrid", "lexical", "vector")
# request: (the field it cannot do without, its fields and how each is read); `null` is as if it were left out
FIELDS: dict[str, tuple[str, dict[str, Reader]]] = {
    "search": (
        "query",
        {
            "query": _text, "limit": _limit, "retrieval": RETRIEVAL, "stage": _one_of("lexical", "full"),
            "client": _text,
        },
    ),
    "ask": (
        "question",
        {
            "question": _text, "mode": _one_of("auto", "what", "why"), "retrieval": RETRIEVAL, "limit": _limit,
            "web": _flag, "explain": _flag, "client": _text,
        },
    ),
    "get": ("address", {"address": _text}),
    "related": ("path", {"path": _text, "limit": _limit}),
    "status": ("", {}),
    "reindex": ("", {"vectors": _flag}),
}  # fmt: skip


def understood(name: str, request: Request) -> dict[str, Any]:
    """Return the fields of a request, each read; raises RequestError that names the field at fault."""
    needed, known = FIELDS[name]
    for field in request:
        if field not in known:
            fix = f"known here: {', '.join(known)}" if known else "leave it out"
            raise RequestError(f"unknown field `{whole(field[:CUT])}`", where=name, fix=fix)
    found = {field: known[field](field, value) for field, value in request.items() if value is not None}
    if needed and needed not in found:
        raise RequestError(f"the field `{needed}` is missing", where=name, fix="add it")
    found.pop("client", None)  # says whose request it is, not what is wanted
    return found


class Service:
    """Answers requests from one Brain; RequestError for a field that it does not know or cannot read."""

    def __init__(self, brain: Brain) -> None:
        self.brain = brain

    def search(self, request: Request) -> Shape:
        """Return the best passages for `query`; at the stage `lexical` by words alone, the last one maybe half typed.

        Raises QueryError for a date filter that cannot be read, StoreError without a readable index.
        """
        wanted = understood("search", request)
        query, stage = wanted.pop("query"), wanted.pop("stage", "full")
        found = self.brain.found(query, typing=stage == "lexical", **wanted)
        return render.found_json(query, stage, found.hits, found.notes, self._index())

    def ask(self, request: Request) -> Shape:
        """Return the answer to `question`. Raises QueryError and StoreError as `search` does."""
        wanted = understood("ask", request)
        question, explain = wanted.pop("question"), wanted.pop("explain", False)
        shape = render.answer_json(self.brain.ask(question, **wanted), self._index())
        return shape | ({"explain": self.brain.explain(question)} if explain else {})

    def get(self, request: Request) -> Shape:
        """Return the lines that `address` names. Raises NotFound."""
        return render.passage_json(self.brain.get(understood("get", request)["address"]))

    def related(self, request: Request) -> Shape:
        """Return the notes related to the one at `path`. Raises NotFound when it is not in the index."""
        wanted = understood("related", request)
        return render.related_json(wanted["path"], self.brain.related(**wanted))

    def status(self, request: Request | None = None) -> Shape:
        """Return what the index holds and what it does not; `daemon` is told by the one that runs."""
        understood("status", request or {})
        return render.status_json(self.brain.status()) | {"daemon": None}

    def reindex(self, request: Request | None = None, progress: Progress = silent) -> Shape:
        """Bring the index up to date, with `vectors` false its words only. Raises ScanError, Busy, StoreError."""
        return render.report_json(self.brain.index(**understood("reindex", request or {}), progress=progress))

    def _index(self) -> Shape:
        """Return what the generation that is asked holds."""
        snapshot = self.brain.snapshot()
        return {**snapshot.counts(), "generation": snapshot.generation}


def _refused(name: str, value: Any, wanted: str) -> RequestError:
    """Return the error for a value that a field does not take."""
    return RequestError(f"`{name}` takes {wanted}, not {repr(value)[:CUT]}", where=name, fix="change this field")
