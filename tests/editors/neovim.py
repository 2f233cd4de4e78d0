"""A real headless Neovim with the plugin, driven through its own remote calls."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

PLUGIN = Path(__file__).parents[2] / "editors" / "neovim"
PATIENCE = 40.0  # seconds until something must have happened; far more than a busy machine needs


class Neovim:
    """One editor, started in a folder with the plugin and the settings given; keys are typed into it."""

    def __init__(self, folder: Path, settings: Mapping[str, Any], environ: Mapping[str, str] | None = None) -> None:
        self._place = tempfile.TemporaryDirectory(prefix="nvim")
        self._socket = str(Path(self._place.name, "socket"))
        setup = f"lua require('onebrain').setup(vim.json.decode([==[{json.dumps(dict(settings))}]==]))"
        command = [
            *("nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "--listen", self._socket),
            *("--cmd", f"set runtimepath^={PLUGIN}", "-c", "runtime! plugin/**/*.lua", "-c", setup),
            *("-c", "lua heard = {}; vim.notify = function(line) table.insert(heard, line) end"),
            *("-c", "set columns=120 lines=40"),
        ]
        private = {name: self._place.name for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
        self._process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **private, **(environ or {})}, stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.wait(lambda: Path(self._socket).exists(), "its socket")

    def close(self) -> None:
        """End the editor, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        if self._process.stdin:
            self._process.stdin.close()
        self._place.cleanup()

    def wait(self, happened: Callable[[], Any], what: str) -> Any:
        """Return what a condition gives as soon as it is true; fails with `what` when it does not become so."""
        until = time.monotonic() + PATIENCE
        while not (found := happened()):
            assert self._process.poll() is None, "Neovim has ended"
            assert time.monotonic() < until, f"waited in vain for {what}"
            time.sleep(0.02)
        return found

    def _remote(self, *arguments: str) -> str:
        """Run one remote call and return what it prints."""
        command = ["nvim", "--server", self._socket, *arguments]
        run = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert run.returncode == 0, run.stderr
        return run.stdout or run.stderr

    def lua(self, body: str) -> Any:
        """Return what a Lua chunk returns, as JSON values; by a file, for a remote call prints 1,024 bytes only."""
        answer = Path(self._place.name, "answer.json")
        call = f"local f = io.open('{answer}', 'w') f:write(vim.json.encode(((function() {body} end)()))) f:close()"
        chunk = " ".join(call.replace("'", "''").split("\n"))
        self._remote("--remote-expr", f"luaeval('(function() {chunk} end)()')")
        return json.loads(answer.read_text(encoding="utf-8"))

    def apply(self, function: str, *arguments: Any) -> list[Any]:
        """Return what a Lua function returns, called with JSON values."""
        given = Path(self._place.name, "given.json")
        given.write_text(json.dumps(list(arguments)), encoding="utf-8")
        found = self.lua(
            f"""local text = io.open('{given}'):read('*a')
            local given = vim.json.decode(text, {{ luanil = {{ object = true, array = true }} }})
            return {{ {function}(unpack(given)) }}"""
        )
        return found if isinstance(found, list) else []

    def call(self, name: str, fields: Mapping[str, Any]) -> tuple[Any, Any]:
        """Make a call of the plugin's client, wait for it, and return (trouble, object)."""
        self.lua("answered = nil")
        given = Path(self._place.name, "fields.json")
        given.write_text(json.dumps(dict(fields)), encoding="utf-8")
        self.lua(
            f"""local fields = vim.json.decode(io.open('{given}'):read('*a'))
            require('onebrain.client').call(vim.fn.getcwd(), '{name}', fields, function(trouble, object)
            answered = {{ trouble = trouble, object = object }} end)"""
        )
        answered = self.wait(lambda: self.lua("return answered"), f"the answer to {name}")
        return answered.get("trouble"), answered.get("object")

    def command(self, line: str) -> None:
        """Run an Ex command as if it was typed."""
        self.keys(f"<Cmd>{line}<CR>")

    def keys(self, keys: str) -> None:
        """Type keys, written as in a mapping."""
        self._remote("--remote-send", keys)

    def lines(self) -> list[str]:
        """Return the lines of the current buffer."""
        found: list[str] = self.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
        return found

    def name(self) -> str:
        """Return the path of the current buffer's file."""
        return str(self.lua("return vim.api.nvim_buf_get_name(0)"))

    def cursor(self) -> list[int]:
        """Return the cursor's line (from 1) and column (from 0)."""
        found: list[int] = self.lua("return vim.api.nvim_win_get_cursor(0)")
        return found

    def heard(self) -> list[str]:
        """Return the lines that were said to the user."""
        return list(self.lua("return heard"))

    def picker(self) -> dict[str, Any] | None:
        """Return what the open picker shows, or None when none is open."""
        shown: dict[str, Any] | None = self.lua(
            """local p = require('onebrain.picker').current()
            local function lines(b) return b and vim.api.nvim_buf_get_lines(b, 0, -1, false) or {} end
            return p and { query = p.state.query, stage = p.state.stage or '', said = p.said, index = p.index,
            busy = p.state.busy or false, sources = p.sources, list = lines(p.frame.buffers.list),
            preview = lines(p.frame.buffers.preview) } or vim.NIL"""
        )
        if shown is not None:
            shown["paths"] = [source["path"] for source in shown["sources"] or []]
        return shown

    def wait_for_hits(self, stage: str = "hybrid") -> dict[str, Any]:
        """Return what the picker shows when it has sources of a stage and waits for nothing."""

        def ready() -> dict[str, Any] | None:
            """Return the picker when it is at rest."""
            shown = self.picker()
            return shown if shown and shown["stage"] == stage and not shown["busy"] else None

        found: dict[str, Any] = self.wait(ready, f"{stage} results")
        return found


Open = Callable[..., Neovim]  # of a vault, with settings by name
