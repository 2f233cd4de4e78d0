"""Rename notes to Title Case without a date prefix, as agreed in the naming rules of the vault."""

from __future__ import annotations

import re
from pathlib import Path

DATE_PREFIX = re.compile(r"^\d{4}-\d{2}-\d{2}[-_ ]+")
SMALL_WORDS = frozenset({"a", "an", "and", "at", "for", "in", "of", "on", "or", "the", "to"})


def title_case_filename(stem: str) -> str:
    """`2025-09-01-notes-on-the-well` becomes `Notes on the Well`."""
    words = DATE_PREFIX.sub("", stem).replace("-", " ").replace("_", " ").split()
    return " ".join(
        word if number and word in SMALL_WORDS else word[:1].upper() + word[1:] for number, word in enumerate(words)
    )


def planned_renames(folder: Path) -> dict[Path, Path]:
    """Old path to new path for every note below a folder whose name breaks the rule."""
    plan = {}
    for note in sorted(folder.rglob("*.md")):
        wanted = note.with_name(title_case_filename(note.stem) + note.suffix)
        if wanted != note:
            plan[note] = wanted
    return plan
