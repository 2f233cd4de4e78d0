"""What the tests of the editors share: real daemons over copies of the fixture vault, and small vaults to change."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from onebrain_search import Brain
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
