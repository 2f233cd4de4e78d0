"""Print how long search as you type takes in Neovim: from the end of the pause to sources that are drawn.

    python benchmarks/neovim.py [VAULT] [--rounds 3]

A headless Neovim with the plugin asks a real daemon; VAULT is a folder of notes with a questions.jsonl, by default
the OneBrain fixture vault. Beside it stands what the daemon alone needs for the same questions. Figures depend on the
machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from onebrain_search import client as clients
from onebrain_search.brain import Brain

REPO = Path(__file__).parents[1]
CLI = [sys.executable, "-c", "from onebrain_search.cli import main; main()"]
QUESTIONS = 60  # enough for a 95th percentile

# In the editor: put each question into the prompt, as a paste does, and note when which sources were drawn.
SCRIPT = """
local questions = vim.json.decode(io.open(vim.env.QUESTIONS):read("*a"))
vim.o.columns, vim.o.lines = 120, 40
require("onebrain").setup({ program = vim.json.decode(vim.env.PROGRAM), picker = "builtin" })
require("onebrain").search("warm up")
local picker = require("onebrain.picker").current()
local show, rows, row = picker.live.on_change, {}, nil
picker.live.on_change = function(state)
  show(state)
  if row and state.query == row.query and not state.trouble then
    row[state.stage] = (picker.drawn - picker.live.sent) / 1e6
  end
end
vim.wait(20000, function() return picker.state.stage == "hybrid" end, 5)
for _, question in ipairs(questions) do
  row = { query = vim.trim(question) }
  vim.api.nvim_buf_set_lines(picker.frame.buffers.prompt, 0, -1, false, { picker.sign .. question })
  vim.wait(10000, function() return row.hybrid end, 1)
  table.insert(rows, row)
end
io.open(vim.env.ANSWER, "w"):write(vim.json.encode(rows))
vim.cmd("qa!")
"""


def editor_times(vault: Path, home: Path, questions: list[str], place: Path) -> list[dict[str, float]]:
    """Return for each question the milliseconds until sources by words, and by words and meaning, were drawn."""
    script, asked, answer = place / "ask.lua", place / "questions.json", place / "answer.json"
    script.write_text(SCRIPT, encoding="utf-8")
    asked.write_text(json.dumps(questions), encoding="utf-8")
    environ = {**os.environ, "ONEBRAIN_SEARCH_HOME": str(home), "QUESTIONS": str(asked), "ANSWER": str(answer)}
    environ |= {"PROGRAM": json.dumps(CLI)}
    command = ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd"]
    command += [f"set runtimepath^={REPO / 'editors' / 'neovim'}", "-c", f"luafile {script}"]
    subprocess.run(command, cwd=vault, env=environ, check=True, capture_output=True)
    rows: list[dict[str, float]] = json.loads(answer.read_text(encoding="utf-8"))
    return rows


def daemon_times(client: clients.Client, questions: list[str]) -> list[float]:
    """Return for each question the milliseconds of a search by words over a kept connection."""
    found = []
    for question in questions:
        started = time.perf_counter()
        client.search({"query": question, "stage": "lexical", "limit": 20})
        found.append(1000 * (time.perf_counter() - started))
    return found


def row(name: str, times: Sequence[float]) -> str:
    """Return one line of the table."""
    ordered = sorted(times)
    return f"| {name} | {statistics.median(ordered):.1f} ms | {ordered[int(0.95 * len(ordered))]:.1f} ms |"


def main() -> None:
    """Serve a copy of the vault, ask, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path, nargs="?", default=REPO / "vault_fixtures" / "onebrain")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if shutil.which("nvim") is None:
        print("Neovim is not on this machine: nothing to measure")
        return
    lines = (given.vault / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines][:QUESTIONS]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        home, vault = place / "state", Path(shutil.copytree(given.vault, place / "vault"))
        os.environ["ONEBRAIN_SEARCH_HOME"] = str(home)
        brain = Brain.open(vault)
        brain.index()
        clients.start(vault, brain.folder)
        try:
            client = clients.connect(brain.folder)
            assert client is not None
            client.search({"query": "warm up"})
            words, meaning, alone = [], [], []
            for _ in range(given.rounds):
                shown = editor_times(vault, home, questions, place)
                words += [found["lexical"] for found in shown if "lexical" in found]
                meaning += [found["hybrid"] for found in shown if "hybrid" in found]
                alone += daemon_times(client, questions)
        finally:
            clients.stop(brain.folder)
    print("| from the end of the pause | p50 | p95 |")
    print("|---|---|---|")
    print(row("the daemon alone: words", alone))
    print(row("Neovim: words are drawn", words))
    print(row("Neovim: words and meaning are drawn", meaning))


if __name__ == "__main__":
    main()
