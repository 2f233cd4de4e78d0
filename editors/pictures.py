"""Make the pictures of docs/editors.md: `python editors/pictures.py`, after `make editors`. Needs tmux.

Both editors ask a real daemon about a copy of vault_fixtures/onebrain. The screen of Neovim is taken from tmux and
drawn as SVG, so that text stays text; the views of Obsidian are taken in Chromium, in the double of the tests.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

REPO = Path(__file__).parents[1]
PLUGIN = REPO / "editors" / "obsidian"
PICTURES = REPO / "docs" / "pictures"
PROGRAM = Path(sys.executable).with_name("onebrain-search")

COLUMNS, ROWS = 118, 32
CELL, LINE, MARGIN = 8.4, 18, 16  # pixels of a 14 pixel monospace font
FOREGROUND, BACKGROUND = "#d8dee9", "#1f2430"

# A quiet colour scheme for the terminal: Neovim 0.7 brings none.
COLOURS = {
    "Normal": f"guifg={FOREGROUND} guibg={BACKGROUND}",
    "Comment": "guifg=#7f8a9e",
    "Title": "guifg=#88c0d0 gui=bold",
    "Identifier": "guifg=#b9c4d6",
    "Special": "guifg=#ebcb8b gui=bold",
    "Visual": "guibg=#343c4d",
    "Directory": "guifg=#81a1c1",
    "LineNr": "guifg=#5b6578",
    "String": "guifg=#a3be8c",
    "EndOfBuffer": "guifg=#3b4252",
    "StatusLine": "guifg=#b9c4d6 guibg=#2b3140 gui=NONE",
    "StatusLineNC": "guifg=#7f8a9e guibg=#2b3140 gui=NONE",
    "VertSplit": "guifg=#3b4252 guibg=#1f2430 gui=NONE",
}


class Run(NamedTuple):
    """Cells of a line that look the same."""

    column: int
    text: str
    colour: str
    ground: str
    bold: bool


def main() -> None:
    """Make all pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        for name in ("onebrain", "onebrain_code"):
            shutil.copytree(REPO / "vault_fixtures" / name, Path(place, name))
        vault = Path(place, "onebrain")
        os.environ["ONEBRAIN_SEARCH_HOME"] = str(Path(place, "state"))
        _run(str(PROGRAM), "index", "--vault", str(vault))
        _run(str(PROGRAM), "serve", "--vault", str(vault))
        try:
            _obsidian(vault)
            _neovim(vault, Path(place))
        finally:
            _run(str(PROGRAM), "stop", "--vault", str(vault))


def _obsidian(vault: Path) -> None:
    """Make the pictures of the plugin's views."""
    _run("node", "build.mjs", "test", folder=PLUGIN)
    browser = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))))
    environ = {"ONEBRAIN_NOTES": str(vault), "ONEBRAIN_FEW_NOTES": str(vault)}
    environ |= {"ONEBRAIN_PROGRAM": str(PROGRAM), "CHROMIUM": browser}
    _run("node", "build/pictures.mjs", str(PICTURES), folder=PLUGIN, environ=environ)


def _neovim(vault: Path, place: Path) -> None:
    """Make the pictures of Neovim's screen."""
    script = place / "init.vim"
    lines = ["set termguicolors noshowmode noshowcmd noruler shortmess+=IF laststatus=2 fillchars=vert:│"]
    lines += [f"set runtimepath^={REPO / 'editors' / 'neovim'}", "set statusline=\\ %t"]
    lines += [f"lua require('onebrain').setup({{ program = '{PROGRAM}' }})"]
    lines += [f"autocmd VimEnter * highlight {group} {colours}" for group, colours in COLOURS.items()]
    script.write_text("\n".join(lines), encoding="utf-8")
    note = "01-projects/parcel-api/Onboarding.md"
    _screen(vault, script, note, ":OneBrain how long may a customer token live", "words + meaning", "neovim-search")
    note = "01-projects/vault-search/Vault Search.md"
    _screen(vault, script, note, ":OneBrainWhy why did we drop qmd?", "Decisions, oldest first", "neovim-why")


def _screen(vault: Path, script: Path, note: str, typed: str, awaited: str, name: str) -> None:
    """Type a command into Neovim in a terminal, wait for a text on its screen, and draw that screen."""
    tmux = ["tmux", "-L", f"onebrain-pictures-{os.getpid()}", "-f", os.devnull]
    editor = ["nvim", "-u", str(script), "-i", "NONE", "-n", note]
    _run(*tmux, "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), *editor, folder=vault)
    try:
        _until(tmux, Path(note).stem)
        _run(*tmux, "send-keys", "-l", typed)
        _run(*tmux, "send-keys", "Enter")
        _until(tmux, awaited)
        screen = _run(*tmux, "capture-pane", "-e", "-N", "-p")
    finally:
        _run(*tmux, "kill-server")
    (PICTURES / f"{name}.svg").write_text(_drawn(screen.rstrip("\n").split("\n")), encoding="utf-8")


def _until(tmux: list[str], text: str) -> None:
    """Wait until a text is on the screen."""
    until = time.monotonic() + 60
    while text not in _run(*tmux, "capture-pane", "-p"):
        if time.monotonic() > until:
            raise SystemExit(f"waited in vain for {text!r} on the screen")
        time.sleep(0.1)


def _runs(line: str) -> Iterator[Run]:
    """Yield the pieces of a line of a terminal, from its SGR codes."""
    colour, ground, bold, column = FOREGROUND, BACKGROUND, False, 0
    for codes, text in re.findall(r"\x1b\[([\d;]*)m|([^\x1b]+)", line):
        if text:
            yield Run(column, text, colour, ground, bold)
            column += sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
            continue
        left = [int(code or 0) for code in codes.split(";")]
        while left:
            code = left.pop(0)
            if code in (38, 48):
                value = "#{:02x}{:02x}{:02x}".format(*left[1:4])  # the codes are 38;2;red;green;blue
                colour, ground = (value, ground) if code == 38 else (colour, value)
                del left[:4]
            elif code in (0, 39, 49):
                colour = FOREGROUND if code in (0, 39) else colour
                ground = BACKGROUND if code in (0, 49) else ground
                bold = bold and code != 0
            elif code in (1, 22):
                bold = code == 1


def _drawn(lines: list[str]) -> str:
    """Return the picture of a terminal's lines."""
    width, height = COLUMNS * CELL + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" font-size="14" '
        "font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\">",
        f'<rect width="100%" height="100%" rx="10" fill="{BACKGROUND}"/>',
    ]
    for row, line in enumerate(lines):
        top = MARGIN + row * LINE
        for run in _runs(line):
            left, wide = MARGIN + run.column * CELL, len(run.text) * CELL
            if run.ground != BACKGROUND:
                box = f'x="{left:.1f}" y="{top}" width="{wide + 0.3:.1f}" height="{LINE}"'
                parts.append(f'<rect {box} fill="{run.ground}"/>')
            if run.text.strip():
                weight = ' font-weight="bold"' if run.bold else ""
                place = f'x="{left:.1f}" y="{top + 13.5}" textLength="{wide:.1f}" xml:space="preserve"'
                parts.append(f'<text {place} fill="{run.colour}"{weight}>{escape(run.text)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _run(*command: str, folder: Path = REPO, environ: dict[str, str] | None = None) -> str:
    """Run a command and return what it prints; one that fails ends the script."""
    given = {**os.environ, **(environ or {})}
    return subprocess.run(command, cwd=folder, env=given, check=True, capture_output=True, encoding="utf-8").stdout


if __name__ == "__main__":
    main()
