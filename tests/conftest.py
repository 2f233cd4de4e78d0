"""Shared fixtures: folders of notes, a place for indexes, and one index of the OneBrain fixture vault for all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from onebrain_search import Brain

REPO = Path(__file__).parents[1]

MakeVault = Callable[..., Path]

# The same examples at every run and no limit of time, so that a test fails for what was changed. New examples are
# looked for with HYPOTHESIS_PROFILE=new.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture(scope="session", autouse=True)
def apart_from_the_person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests out of the person's own data folder, vault and network."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ONEBRAIN_SEARCH_HOME", str(tmp_path_factory.mktemp("state")))
        patch.setenv("HF_HUB_OFFLINE", "1")
        for name in ("ONEBRAIN_VAULT", "EDITOR", "VISUAL", "NO_COLOR"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder where this test alone keeps its indexes."""
    folder = tmp_path / "state"
    monkeypatch.setenv("ONEBRAIN_SEARCH_HOME", str(folder))
    return folder


@pytest.fixture
def vault(tmp_path: Path) -> MakeVault:
    """Return a function that writes `{path: text or bytes}` into the folder `name` of tmp_path and returns it."""

    def make(files: Mapping[str, str | bytes], name: str = "vault") -> Path:
        """Write the files; line ends stay as they are."""
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        for path, content in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        return folder

    return make


@pytest.fixture(scope="session")
def fixture_vaults() -> Path:
    """Return the folder of the vaults that are shipped with questions and right answers; never write there."""
    return REPO / "vault_fixtures"


@pytest.fixture(scope="session")
def onebrain_brain(fixture_vaults: Path, tmp_path_factory: pytest.TempPathFactory) -> Brain:
    """Return a copy of the OneBrain vault with its code folder, indexed once for all tests: only ask it."""
    from onebrain_search import Brain  # here, so that tests of single parts run without it

    copy = tmp_path_factory.mktemp("vaults")
    for name in ("onebrain", "onebrain_code"):
        shutil.copytree(fixture_vaults / name, copy / name)
    environ = {"ONEBRAIN_SEARCH_HOME": str(tmp_path_factory.mktemp("onebrain-state"))}
    brain = Brain.open(copy / "onebrain", environ=environ)
    brain.index()
    return brain
