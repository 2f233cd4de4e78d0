"""What a caller may ask of a web search, checked in one place."""

from __future__ import annotations

from dataclasses import dataclass

from onebrain_search.web.purpose import FRESHNESS, NONE, purposes
from onebrain_search.web.results import SourceError

MOST = 20  # results of a source
MODES = ("fast", "deep", "answer")


@dataclass(frozen=True, slots=True)
class Options:
    """Route by `flag` or by a caller's `explicit` word; `purpose` names one of the seven, `none` gives no scores.

    `queries` are asked in the place of the question; `boost` are domains to prefer; `num` is results a source;
    `vault_asked` says that the notes and code had no answer, so that "function" alone does not mean them again.
    """

    flag: str = ""
    explicit: str = ""
    strict: bool = False
    wide: bool = False
    gitlab: bool = False
    purpose: str = ""
    mode: str = ""
    freshness: str = ""
    boost: tuple[str, ...] = ()
    num: int = 5
    queries: tuple[str, ...] = ()
    vault_asked: bool = False

    @property
    def modifiers(self) -> tuple[str, ...]:
        """The words that the mode line shows."""
        return tuple(name for name in ("strict", "wide", "gitlab") if getattr(self, name))


def checked(question: str, options: Options) -> Options:
    """Return the options as they are. Raises SourceError `invalid_arguments` that says what is allowed."""
    problem = ""
    if not question.strip():
        problem = "the question is empty"
    elif not 1 <= options.num <= MOST:
        problem = f"{options.num} results of a source cannot be asked for: take 1 to {MOST}"
    elif options.strict and options.wide:
        problem = "strict and wide exclude each other"
    elif options.mode and options.mode not in MODES:
        problem = f"there is no mode `{options.mode}`: take {', '.join(MODES)}"
    elif options.freshness and options.freshness not in FRESHNESS:
        problem = f"there is no freshness `{options.freshness}`: take {', '.join(FRESHNESS)}"
    elif options.purpose and options.purpose not in (*purposes(), NONE):
        problem = f"there is no intent `{options.purpose}`: take {', '.join((*purposes(), NONE))}"
    if problem:
        raise SourceError("invalid_arguments", problem)
    return options
