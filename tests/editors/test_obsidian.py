"""The Obsidian plugin: its logic under Node and its views in Chromium, both against real daemons."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editors.notes import Notes, few_notes

PLUGIN = Path(__file__).parents[2] / "editors" / "obsidian"
TIMES = "--test-timeout=120000"  # milliseconds for one test, on a machine that does much else


@pytest.fixture(scope="module")
def node() -> str:
    """Return Node with the plugin's packages, and the tests built anew."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("Node is not on this machine")
    if not (PLUGIN / "node_modules" / "esbuild").exists():
        pytest.skip("the plugin's npm packages are not installed: run `make editors`")
    subprocess.run([found, "build.mjs", "test"], cwd=PLUGIN, check=True)
    return found


def _chromium() -> str | None:
    """Return the browser of this machine."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def _passes(node: str, name: str, served: Notes, few: Notes, program: str) -> None:
    """Run one test file of the plugin and show what it said when it fails."""
    environ = {
        **os.environ,
        "ONEBRAIN_SEARCH_HOME": str(served.home),
        "ONEBRAIN_NOTES": str(served.vault),
        "ONEBRAIN_FEW_NOTES": str(few.vault),
        "ONEBRAIN_PROGRAM": program,
        "CHROMIUM": _chromium() or "",
    }
    command = [node, "--test", "--test-reporter=spec", TIMES, f"build/{name}.test.mjs"]
    ran = subprocess.run(command, cwd=PLUGIN, env=environ, capture_output=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-2000:]
    passed = re.search(r"pass (\d+)", ran.stdout)
    assert passed and int(passed[1]) > 0


@pytest.fixture
def beside(tmp_path: Path, served: Notes) -> Iterator[Notes]:
    """Return a small vault with its index below the home of the served one: one environment finds both."""
    with few_notes(tmp_path / "few", served.home) as notes:
        yield notes


@pytest.mark.parametrize("name", ["protocol", "client"])
def test_the_logic_works_against_a_real_daemon(
    node: str, name: str, served: Notes, beside: Notes, program: str
) -> None:
    """Every test in that file passes under Node."""
    _passes(node, name, served, beside, program)


def test_the_views_work_in_a_browser(node: str, served: Notes, beside: Notes, program: str) -> None:
    """Every test of modal, panes, badge and settings passes in Chromium."""
    if _chromium() is None:
        pytest.skip("Chromium is not on this machine")
    _passes(node, "screen", served, beside, program)
