"""The Neovim plugin as a person uses it, in a real headless Neovim against a real daemon."""

from __future__ import annotations

import pytest

from tests.editors.neovim import Open
from tests.editors.notes import Notes

RETRY = "01-projects/parcel-api/Retry Policy.md"


def test_typing_shows_words_first_and_then_words_and_meaning(edit: Open, served: Notes) -> None:
    """One search by words, one by meaning, however many keys were pressed in the pause before."""
    editor = edit(served)
    editor.lua(
        """local client = require('onebrain.client')
        local call = client.call
        sent = {}
        client.call = function(folder, name, fields, done)
          table.insert(sent, (fields.stage or 'hybrid') .. ' ' .. (fields.query or name))
          return call(folder, name, fields, done)
        end"""
    )
    editor.command("OneBrain")
    editor.keys("retry policy")
    shown = editor.wait_for_hits()
    assert RETRY in shown["paths"] and shown["query"] == "retry policy"
    assert shown["list"][0].startswith(" Retry Policy")
    assert shown["preview"][0].startswith(f" {shown['paths'][0]}:")
    assert editor.lua("return sent") == ["lexical retry policy", "hybrid retry policy"]


def test_enter_opens_the_chosen_source_at_its_line(edit: Open, served: Notes) -> None:
    """And split, vertical split and tab have their keys."""
    editor = edit(served)
    for key, windows, tabs in (("<CR>", 1, 1), ("<C-x>", 2, 1), ("<C-v>", 3, 1), ("<C-t>", 1, 2)):
        editor.command("OneBrain idempotency keys")
        shown = editor.wait_for_hits()
        editor.keys("<C-n>" + key)
        chosen = shown["sources"][1]
        editor.wait(lambda path=chosen["path"]: editor.name().endswith(path), "the note")  # type: ignore[misc]
        assert editor.cursor()[0] == chosen["line"]
        assert editor.lua("return { #vim.api.nvim_tabpage_list_wins(0), #vim.api.nvim_list_tabpages() }") == [
            windows,
            tabs,
        ]
        assert editor.picker() is None


def test_a_source_of_a_code_folder_is_opened(edit: Open, served: Notes) -> None:
    """Its path has the folder's name in front, the file is beside the vault."""
    editor = edit(served)
    editor.command("OneBrain kind:code parse_retry_after")
    assert editor.wait_for_hits()["paths"][0].startswith("tools:")
    editor.keys("<CR>")
    editor.wait(lambda: editor.name().endswith("onebrain_code/carrier/retry.py"), "the program")


def test_a_link_is_inserted_where_the_cursor_is(edit: Open, served: Notes) -> None:
    """From the picker by its key, and by the command for links with enter."""
    editor = edit(served)
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, {'see é here'}) vim.api.nvim_win_set_cursor(0, {1, 4})")
    editor.command("OneBrain idempotency keys path:03-knowledge")
    editor.wait_for_hits()
    editor.keys("<C-l>")
    link = "[[03-knowledge/http/Idempotency Keys|Idempotency Keys]]"
    editor.wait(lambda: editor.lines() == [f"see é{link} here"], "the link")
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, {''})")
    editor.command("OneBrainLink idempotency keys path:03-knowledge")
    editor.wait_for_hits()
    editor.keys("<CR>")
    editor.wait(lambda: editor.lines() == [link], "the second link")


def test_what_is_found_goes_to_the_quickfix_list(edit: Open, served: Notes) -> None:
    """By the command and by the key, each with file, line and text."""
    editor = edit(served)
    editor.command("OneBrainQuickfix retry policy")
    editor.wait(lambda: editor.lua("return vim.bo.buftype") == "quickfix", "the list")
    read = (
        "return vim.tbl_map(function(i) return { vim.fn.bufname(i.bufnr), i.lnum, i.text } end, vim.fn.getqflist())"
    )
    rows = editor.lua(read)
    assert any(name.endswith(RETRY) for name, _, _ in rows) and all(line > 0 and text for _, line, text in rows)
    editor.command("cclose")
    editor.command("OneBrain idempotency keys path:03-knowledge/http")
    shown = editor.wait_for_hits()
    editor.keys("<C-q>")
    editor.wait(lambda: len(editor.lua(read)) == len(shown["paths"]), "the new list")


def test_notes_that_belong_with_the_buffer_are_listed_and_filtered(edit: Open, served: Notes) -> None:
    """Typing narrows the list; enter opens."""
    editor = edit(served)
    editor.command(f"edit {RETRY.replace(' ', '&').replace('&', chr(92) + ' ')}")
    editor.command("OneBrainRelated")
    shown = editor.wait(lambda: (p := editor.picker()) and p["paths"] and p, "related notes")
    assert RETRY not in shown["paths"] and len(shown["paths"]) > 3
    editor.keys("parcel api")
    editor.wait(lambda: 0 < len(editor.picker()["paths"]) < len(shown["paths"]), "fewer notes")  # type: ignore[index]


def test_a_why_shows_the_dated_chain_in_a_split(edit: Open, served: Notes) -> None:
    """Oldest first, what is in force is marked, and enter leads to the place."""
    editor = edit(served)
    editor.command("OneBrainWhy why did we drop qmd?")
    editor.wait(lambda: "Sources" in editor.lines(), "the answer")
    lines = editor.lines()
    assert any(line.startswith("  In force now: Chose tantivy") for line in lines)
    chain = lines[lines.index("Decisions, oldest first") + 2 : lines.index("Sources")]
    days = [line.strip().lstrip("~")[:10] for line in chain if line[2:3] in ("2", "~") and line[3:4] != " "]
    assert len(days) > 4 and days == sorted(days)
    row = next(n for n, line in enumerate(lines, 1) if "Adopt qmd as the search engine" in line)
    editor.keys(f"{row}G<CR>")
    editor.wait(lambda: editor.name().endswith("Vault Search.md"), "the note")
    assert editor.cursor()[0] == int(lines[row + 1].rpartition(":")[2])
    assert editor.lua("return #vim.api.nvim_tabpage_list_wins(0)") == 2


def test_the_picker_hands_its_question_to_the_timeline(edit: Open, served: Notes) -> None:
    """By its key for why."""
    editor = edit(served)
    editor.command("OneBrain qmd")
    editor.wait_for_hits()
    editor.keys("<C-y>")
    editor.wait(lambda: "Decisions, oldest first" in editor.lines(), "the chain")


@pytest.mark.parametrize(("columns", "lines"), [(30, 12), (70, 20), (250, 70)])
def test_the_picker_fits_any_editor(edit: Open, served: Notes, columns: int, lines: int) -> None:
    """Also when its size changes while it is open."""
    editor = edit(served)
    editor.command(f"set columns={columns} lines={lines}")
    editor.command("OneBrain retry policy")
    editor.wait_for_hits()
    editor.lua(f"vim.o.columns = {columns + 40} vim.cmd('doautocmd VimResized')")
    editor.lua(f"vim.o.columns = {columns} vim.cmd('doautocmd VimResized')")
    assert RETRY in editor.picker()["paths"]  # type: ignore[index]
    assert editor.lua("return vim.v.errmsg") == ""


def test_leaving_the_picker_closes_all_of_it(edit: Open, served: Notes) -> None:
    """By escape, and by going to another window."""
    editor = edit(served)
    for leave in ("<Esc><Esc>", "<C-c>", "<Esc><C-w>p"):
        editor.command("OneBrain retry")
        editor.wait(editor.picker, "the picker")
        editor.keys(leave)
        editor.wait(lambda: editor.picker() is None, "its end")
        assert editor.lua("return #vim.api.nvim_list_wins()") == 1


def test_the_status_is_said_in_a_line(edit: Open, served: Notes) -> None:
    """What the index holds, and that a daemon answers."""
    editor = edit(served)
    editor.command("OneBrainStatus")
    said = editor.wait(editor.heard, "the line")[0]
    assert str(served.vault) in said and "passages" in said and said.endswith("daemon")
