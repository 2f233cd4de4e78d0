"""The live search in telescope, whose interface stands in tests/editors/telescope; the daemon behind it is real."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.editors.neovim import Neovim, Open
from tests.editors.notes import Notes

STAND_IN = Path(__file__).parent / "telescope"
READ = """local p = require('telescope.pickers').current
    return p and { prompt = p.prompt, shown = p.shown, paths = vim.tbl_map(function(e) return e.value.path end,
    p.entries), places = vim.tbl_map(function(e) return e.filename .. ':' .. e.lnum end, p.entries) } or vim.NIL"""


@pytest.fixture
def editor(edit: Open, served: Notes) -> Neovim:
    """Return a Neovim that finds telescope."""
    opened = edit(served, picker="auto")
    opened.lua(f"vim.opt.runtimepath:prepend('{STAND_IN}')")
    return opened


def _refined(editor: Neovim) -> dict[str, Any]:
    """Return what telescope shows after words and meaning have come."""
    found: dict[str, Any] = editor.wait(lambda: (p := editor.lua(READ)) and len(p["shown"]) == 2 and p, "both rounds")
    return found


def test_telescope_is_used_where_it_is_installed(editor: Neovim, served: Notes) -> None:
    """It gets the words first, and is asked to look again when the meaning is there."""
    editor.command("OneBrain retry policy")
    found = _refined(editor)
    assert "01-projects/parcel-api/Retry Policy.md" in found["paths"]
    assert all(place.startswith(str(served.vault)) for place in found["places"])
    assert editor.picker() is None


def test_a_changed_prompt_is_searched_anew(editor: Neovim) -> None:
    """Nothing of the old one is shown."""
    editor.command("OneBrain")
    editor.wait(lambda: editor.lua(READ), "telescope")
    editor.lua(
        "local p = require('telescope.pickers').current p:type('retry') p.shown = {} p:type('idempotency keys')"
    )
    assert _refined(editor)["paths"][0] == "03-knowledge/http/Idempotency Keys.md"


def test_the_chosen_entry_is_opened_or_linked(editor: Neovim) -> None:
    """By telescope's own key for opening, and ours for a link."""
    press = "local p = require('telescope.pickers').current p.keys['<C-l>']()"
    editor.command("OneBrain idempotency keys path:03-knowledge/http")
    _refined(editor)
    editor.lua(press)
    assert editor.lines() == ["[[03-knowledge/http/Idempotency Keys|Idempotency Keys]]"]
    editor.command("set nomodified")
    editor.command("OneBrain idempotency keys path:03-knowledge/http")
    _refined(editor)
    editor.lua("require('telescope.actions').chosen.select_default()")
    editor.wait(lambda: editor.name().endswith("Idempotency Keys.md"), "the note")
