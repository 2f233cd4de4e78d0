"""A vault that is as it was is told by reading alone; whatever else asks for a run."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from indexer.parse import ParseOptions
from indexer.state import locked
from indexer.unchanged import unchanged

Change = Callable[[Any], object]


@pytest.fixture
def filled(indexed: Any) -> Any:
    """Return a vault of two notes and a file that is left out, indexed with vectors."""
    indexed.write("a.md", "alpha")
    indexed.write("b.md", "beta")
    indexed.write("big.md", b"x" * 2000)
    indexed.rules = {"": replace(indexed.plan().rules[""], max_bytes=1000)}
    indexed.run(rules=indexed.rules)
    return indexed


def look(indexed: Any, **changes: Any) -> Any:
    """Return what is told of a vault, None when a run must look."""
    return unchanged(indexed.state, indexed.plan(vectors=False, **({"rules": indexed.rules} | changes)))


def test_an_unchanged_vault_needs_no_right_to_write(filled: Any) -> None:
    """The report is that of a run, while another process holds the right."""
    with locked(filled.state, 0.0):
        report = filled.run(vectors=False, rules=filled.rules)
    again = replace(look(filled), seconds=report.seconds)
    assert report == again
    assert (report.unchanged, [skip.path for skip in report.skipped], report.pending) == (2, ["big.md"], 0)
    assert report.generation == filled.look(lambda s: s.generation)


CHANGES: dict[str, Change] = {
    "a new file": lambda v: v.write("c.md", "gamma"),
    "another content": lambda v: v.write("a.md", "alpha two"),
    "another time": lambda v: v.write("a.md", "alpha", at=1_700_000_100),
    "a file that is gone": lambda v: (v.folder / "a.md").unlink(),
    "a file that was renamed": lambda v: (v.folder / "a.md").rename(v.folder / "z.md"),
    "one that was too large and no longer is": lambda v: v.write("big.md", "small"),
    "another one that is too large": lambda v: v.write("large.md", b"x" * 3000),
    "a damaged catalog": lambda v: (v.state / "catalog.sqlite").write_bytes(b"no catalog"),
    "word of damage": lambda v: (v.state / "damaged-lexical").touch(),
    "no index": lambda v: (v.state / "catalog.sqlite").unlink(),
    "lost words": lambda v: next(next(v.state.glob("lexical-*")).glob("meta.json")).unlink(),
    "lost vectors": lambda v: os.truncate(next(v.state.glob("vectors-*")), 10),
    "no vault": lambda v: v.folder.rename(v.folder.with_name("elsewhere")),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_any_change_asks_for_a_run(filled: Any, change: Change) -> None:
    """In the files, in what is left out, or in the index."""
    assert look(filled)
    change(filled)
    assert look(filled) is None


def test_other_settings_ask_for_a_run(filled: Any) -> None:
    """Of the parsers, or of what is left out."""
    assert look(filled, parse_options=ParseOptions(comments=True)) is None
    assert look(filled, rules={"": replace(filled.rules[""], exclude=("b.md",))}) is None


def test_what_cannot_be_read_asks_for_a_run(filled: Any) -> None:
    """A note whose data is not on this disk, as a cloud drive leaves it."""
    (filled.folder / ".c.md.icloud").write_bytes(b"")
    assert look(filled) is None
