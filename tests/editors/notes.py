"""A vault for the tests of the editors, and the place of its index."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.onebrain_search.served import run

FEW = {
    "Kiln.md": "# Kiln\n\nThe kiln reaches cone six.\n",
    "Glaze.md": "# Glaze\n\nA glaze of ash and clay.\n",
    "Gone.md": "# Gone\n\nThrowing on the wheel.\n",
}


@dataclass(frozen=True, slots=True)
class Notes:
    """A vault, and the place of its index."""

    vault: Path
    home: Path

    @property
    def environ(self) -> dict[str, str]:
        """What a process must know to find the index."""
        return {"ONEBRAIN_SEARCH_HOME": str(self.home)}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the command line about this vault."""
        return run(self.home, *words, "--vault", str(self.vault))

    def status(self) -> dict[str, Any]:
        """Return the status as the command line gives it."""
        found: dict[str, Any] = json.loads(self.run("status", "--json").stdout)
        return found


@contextmanager
def few_notes(folder: Path, home: Path) -> Iterator[Notes]:
    """Write a vault of three notes, to be changed at will; a daemon of it that was started is ended."""
    notes = Notes(folder, home)
    folder.mkdir()
    for name, text in FEW.items():
        (folder / name).write_text(text, encoding="utf-8")
    yield notes
    notes.run("stop")
