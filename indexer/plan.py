"""What a run is told: which files to look at, how to read them, and how vectors are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer.scan import ScanRules
from indexer.types import Area, Root

if TYPE_CHECKING:
    from indexer.embed import Embedder

Progress = Callable[[str, int, int], None]  # (stage, done, total); called often, must be cheap


def silent(stage: str, done: int, total: int) -> None:
    """Report progress to nobody."""


def unmoved() -> None:
    """Let go of nothing."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """How to make vectors: the model's fingerprint and width, and the embedder that suits a number of texts.

    `model` is the name that opens the model again, `note` why it was chosen, said where it is another than before.
    `release` is called when no text waits any more, so that an embedder for many can let go of its memory.
    """

    fingerprint: str
    dimension: int
    embedder: Callable[[int], Embedder]
    model: str = ""
    note: str = ""
    release: Callable[[], None] = unmoved


@dataclass(frozen=True, slots=True)
class Plan:
    """What to index and how; `rules` by root name, `parse_options` go to the parsers, no `vectors`: lexical only.

    `areas`: look there only, unless what is found there asks for a look at everything. `sweep`: delete the vectors
    of text that is gone; a watcher leaves that for later, since what went away in one moment often comes back in the
    next (a branch is switched, a file is saved anew).
    """

    roots: tuple[Root, ...]
    rules: Mapping[str, ScanRules]
    parse_options: Any = None
    vectors: Callable[[], Vectors] | None = None
    accept_emptied: bool = False
    progress: Progress = silent
    areas: tuple[Area, ...] | None = None
    sweep: bool = True
