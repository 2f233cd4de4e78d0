"""The commands of docs/editors.md install plugins that work."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]


def _commands(section: str) -> list[str]:
    """Return the commands of a section of the page."""
    page = (REPO / "docs" / "editors.md").read_text(encoding="utf-8")
    part = page.split(f"\n## {section}\n")[1].split("\n## ")[0]
    (block,) = re.findall(r"^```sh\n(.*?)^```$", part, re.M | re.S)
    lines: list[str] = block.splitlines()
    return lines


def _sh(line: str, home: Path) -> str:
    """Run a command as somebody else and return what it prints."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")} | {"HOME": str(home)}
    run = subprocess.run(
        ["sh", "-c", line], cwd=REPO, env=environ, capture_output=True, encoding="utf-8", check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout + run.stderr


@pytest.mark.parametrize("section", ["Neovim", "Obsidian"])
def test_a_plugin_is_installed_by_two_commands(section: str) -> None:
    """No more and no fewer."""
    assert len(_commands(section)) == 2


def test_the_plugin_of_neovim_is_there_after_its_commands(tmp_path: Path) -> None:
    """In an editor that is started as a person starts it, with commands, help and nothing said."""
    if shutil.which("nvim") is None:
        pytest.skip("Neovim is not on this machine")
    for line in _commands("Neovim"):
        _sh(line, tmp_path)
    asked = ["echo exists(':OneBrainWhy') luaeval('require(\"onebrain.config\").limit')", "helptags ALL"]
    asked += ["help onebrain", "echo ' ' .. expand('%:t')", "qa"]
    said = _sh(shlex.join(["nvim", "--headless", *(word for command in asked for word in ("-c", command))]), tmp_path)
    assert said.split() == ["2", "20", "onebrain.txt"]


def test_the_plugin_of_obsidian_is_there_after_its_second_command(tmp_path: Path) -> None:
    """Manifest, code and styles, and the versions agree; the first command fetches what the tests use."""
    if not (REPO / "editors/obsidian/node_modules/esbuild").exists():
        pytest.skip("the plugin's npm packages are not installed: run `make editors`")
    (tmp_path / "notes" / ".obsidian").mkdir(parents=True)
    said = _sh(_commands("Obsidian")[1], tmp_path)
    plugin = tmp_path / "notes/.obsidian/plugins/onebrain-search"
    assert str(plugin) in said
    assert {file.name for file in plugin.iterdir()} == {"main.js", "manifest.json", "styles.css"}
    assert (plugin / "manifest.json").read_bytes() == (REPO / "editors/obsidian/manifest.json").read_bytes()


def test_the_lock_file_names_no_registry() -> None:
    """Packages come from whatever registry the machine uses."""
    assert "://" not in (REPO / "editors/obsidian/package-lock.json").read_text(encoding="utf-8")
