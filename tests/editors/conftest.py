"""What the tests of the editors share: real daemons over copies of the fixture vault, and small vaults to change."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from onebrain_search import Brain
from tests.editors.neovim import Neovim, Open
from tests.editors.notes import Notes, few_notes
from tests.onebrain_search.served import copied, serving


@pytest.fixture(scope="session")
def program() -> str:
    """Return the path of the installed program."""
    beside = Path(sys.executable).with_name("onebrain-search")
    if not beside.exists():
        pytest.skip("onebrain-search is not installed beside this Python: an editor has nothing to start")
    return str(beside)


@pytest.fixture(scope="package")
def served(onebrain_brain: Brain, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notes]:
    """Return the OneBrain vault with a running daemon: only ask it."""
    home = tmp_path_factory.mktemp("editors")
    copied(onebrain_brain, home)
    with serving(onebrain_brain.config.vault, home):
        yield Notes(onebrain_brain.config.vault, home)


@pytest.fixture
def few(tmp_path: Path) -> Iterator[Notes]:
    """Return a vault of three notes without a daemon, to be changed at will."""
    with few_notes(tmp_path / "few", tmp_path / "state") as notes:
        yield notes


@pytest.fixture(scope="module")
def installed() -> None:
    """Skip where there is no Neovim."""
    if shutil.which("nvim") is None:
        pytest.skip("Neovim is not on this machine")


@pytest.fixture
def edit(installed: None, program: str) -> Iterator[Open]:
    """Return a function that opens Neovim in a vault, with settings by name; each is ended."""
    opened: list[Neovim] = []

    def start(notes: Notes, **settings: Any) -> Neovim:
        """Start one."""
        given = {"program": program, "picker": "builtin", **settings}
        opened.append(Neovim(notes.vault, given, notes.environ))
        return opened[-1]

    yield start
    for editor in opened:
        editor.close()


@pytest.fixture(scope="module")
def editor(installed: None, program: str, served: Notes) -> Iterator[Neovim]:
    """Return one Neovim in the served vault, for tests that leave it as it is."""
    with closing(Neovim(served.vault, {"program": program, "start": False}, served.environ)) as opened:
        yield opened
