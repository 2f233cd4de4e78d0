"""The Neovim plugin in a real headless Neovim, against real daemons that come, go and do not answer."""

from __future__ import annotations

import http.server
import json
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.editors.neovim import Neovim
from tests.editors.notes import Notes

PROTOCOL = json.loads((Path(__file__).parents[2] / "editors" / "protocol.json").read_text(encoding="utf-8"))
RETRY = "01-projects/parcel-api/Retry Policy.md"

Open = Callable[..., Neovim]


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


def _at(found: Any, path: str) -> Any:
    """Return what stands at a dotted path of a JSON value."""
    for key in path.split("."):
        found = found[int(key)] if isinstance(found, list) else found.get(key)
    return found


KINDS = {"list": (list, dict), "number": (int, float), "string": str, "boolean": bool}


@pytest.mark.parametrize("case", PROTOCOL["calls"], ids=lambda case: case["name"])
def test_a_call_of_the_protocol(editor: Neovim, case: dict[str, Any]) -> None:
    """The daemon's answer reaches Lua whole, and so does its refusal, in one line."""
    fields = dict(case["fields"])
    if times := fields.pop("times", 0):
        fields["query"] *= times
    trouble, found = editor.call(case["call"], fields)
    if "trouble" in case:
        assert case["trouble"] in trouble["line"] and "\n" not in trouble["line"]
        return
    assert trouble is None
    for path, value in case.get("has", {}).items():
        assert (_at(found, path) or []) == (value or []), path  # Lua has one empty table for {} and []
    for path, kind in case.get("kinds", {}).items():
        assert isinstance(_at(found, path), KINDS[kind]), path


@pytest.mark.parametrize(
    ("name", "function", "field"),
    [
        ("label", "label", "source"),
        ("link", "link", "source"),
        ("trouble", "trouble", "error"),
        ("decision", "decision", "link"),
        ("lacks", "lacks", "index"),
    ],
)
def test_texts_are_written_as_the_protocol_says(editor: Neovim, name: str, function: str, field: str) -> None:
    """The same labels, links and lines as in any other editor."""
    for case in PROTOCOL[name]:
        found = editor.apply(f"require('onebrain.text').{function}", case[field])
        assert found == (case["is"] if isinstance(case["is"], list) else [case["is"]] * (case["is"] is not None))


def test_marked_words_are_found_in_any_script(editor: Neovim) -> None:
    """Code points of the daemon become bytes of a line."""
    for case in PROTOCOL["marked"]:
        spans = editor.apply("require('onebrain.text').spans", case["text"], case["highlights"])[0]
        lines = [line.encode() for line in case["text"].split("\n")]
        assert [lines[row][start:end].decode() for row, start, end in spans or []] == case["is"]


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


def test_a_link_is_refused_where_nothing_can_be_written(edit: Open, served: Notes) -> None:
    """In one line; the buffer stays as it is."""
    editor = edit(served)
    editor.lua("vim.bo.modifiable = false")
    editor.command("OneBrain idempotency keys")
    editor.wait_for_hits()
    editor.keys("<C-l>")
    editor.wait(lambda: "cannot be changed" in "".join(editor.heard()), "the refusal")


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


def test_a_buffer_outside_of_the_vault_has_no_related_notes(edit: Open, served: Notes, tmp_path: Path) -> None:
    """Which is said in a line."""
    editor = edit(served, vault=str(served.vault))
    editor.command(f"edit {tmp_path}/other.md")
    editor.command("OneBrainRelated")
    editor.wait(lambda: "no note of the vault" in "".join(editor.heard()), "the line")


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


def test_a_daemon_is_started_where_none_runs_and_found_again_after_a_restart(edit: Open, few: Notes) -> None:
    """The open picker goes on without an error."""
    editor = edit(few)
    editor.command("OneBrain kiln")
    assert editor.wait_for_hits()["paths"][0] == "Kiln.md"
    first = few.status()["daemon"]["pid"]
    assert few.run("stop").returncode == 0
    assert few.run("serve").returncode == 0
    editor.keys("<C-u>glaze")
    editor.wait(lambda: editor.picker()["paths"][:1] == ["Glaze.md"], "the answer of the new daemon")  # type: ignore[index]
    assert few.status()["daemon"]["pid"] != first
    assert editor.heard() == []


def test_without_a_daemon_the_program_itself_is_asked(edit: Open, few: Notes, program: str, tmp_path: Path) -> None:
    """One that cannot be started is said once; the answers come all the same."""
    broken = tmp_path / "program"
    broken.write_text(
        f'#!/bin/sh\n[ "$1" = serve ] && {{ echo "error: no daemon today" >&2; exit 2; }}\nexec "{program}" "$@"\n'
    )
    broken.chmod(0o755)
    editor = edit(few, program=str(broken))
    editor.command("OneBrain kiln")
    assert editor.wait_for_hits()["paths"][0] == "Kiln.md"
    editor.keys("<C-u>glaze")
    editor.wait(lambda: editor.picker()["paths"][:1] == ["Glaze.md"], "the second answer")  # type: ignore[index]
    assert len(editor.heard()) == 1 and "no daemon today" in editor.heard()[0]
    assert "daemon" not in few.status()


def test_a_missing_program_is_said_in_a_line(edit: Open, few: Notes) -> None:
    """With what to do."""
    editor = edit(few, program="/nowhere/onebrain-search")
    editor.command("OneBrain kiln")
    shown = editor.wait(lambda: (p := editor.picker()) and "not found" in p["said"] and p, "the line")
    assert "/nowhere/onebrain-search" in shown["said"] and "\n" not in shown["said"]


def test_a_vault_that_is_gone_is_said_in_a_line(edit: Open, few: Notes) -> None:
    """It names the folder."""
    editor = edit(few, vault="/nowhere/notes")
    editor.command("OneBrain kiln")
    editor.wait(lambda: (p := editor.picker()) and "/nowhere/notes" in p["said"], "the line")


def test_a_note_that_is_gone_is_said_in_a_line(edit: Open, few: Notes) -> None:
    """No empty buffer is made in its place."""
    editor = edit(few)
    editor.command("OneBrain throwing wheel")
    assert editor.wait_for_hits()["paths"][0] == "Gone.md"
    (few.vault / "Gone.md").unlink()
    editor.keys("<CR>")
    editor.wait(lambda: "Gone.md is gone" in "".join(editor.heard()), "the line")
    assert editor.name() == ""


def test_the_token_is_not_sent_to_another_program_that_has_the_port(edit: Open, few: Notes) -> None:
    """It is asked for proof, without the token, and then left alone."""
    assert few.run("serve").returncode == 0
    heard: list[str] = []

    class Other(http.server.BaseHTTPRequestHandler):
        """Claims to be the daemon."""

        def do_GET(self) -> None:
            """Greet without proof."""
            heard.append(f"{self.path} {self.headers['Authorization']}")
            body = json.dumps({"protocol": 1, "name": "onebrain-search", "proof": "0" * 64}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    file = Path(few.status()["state"], "daemon.json")
    told = file.read_text(encoding="utf-8")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Other) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        file.write_text(json.dumps({**json.loads(told), "port": other.server_port}), encoding="utf-8")
        editor = edit(few, start=False)
        editor.command("OneBrain kiln")
        assert editor.wait_for_hits()["paths"][0] == "Kiln.md"  # from the program itself
        other.shutdown()
    file.write_text(told, encoding="utf-8")
    ours = [line for line in heard if "challenge=" in line]
    assert ours and all(line.startswith("/health?") and line.endswith(" None") for line in heard)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot halt a process")
def test_typing_goes_on_while_the_daemon_does_not_answer(edit: Open, few: Notes) -> None:
    """Keys are taken at once, and its answer is shown when it wakes up."""
    editor = edit(few)
    editor.command("OneBrain kiln")
    editor.wait_for_hits()
    pid = few.status()["daemon"]["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        editor.keys("<C-u>glaze")
        editor.wait(lambda: editor.lua("return require('onebrain.picker').current().live.sent ~= nil"), "the request")
        editor.keys(" of ash")
        typed = "return require('onebrain.picker').current():typed()"
        editor.wait(lambda: editor.lua(typed) == "glaze of ash", "the keys")
        assert editor.picker()["paths"] == ["Kiln.md"]  # type: ignore[index]
    finally:
        os.kill(pid, signal.SIGCONT)
    editor.wait(lambda: editor.picker()["query"] == "glaze of ash", "the answer")  # type: ignore[index]


def test_a_question_of_10_000_characters_is_answered_or_refused_in_a_line(edit: Open, served: Notes) -> None:
    """The picker stays whole."""
    editor = edit(served)
    editor.lua("require('onebrain').search(string.rep('retry policy ', 770))")

    def settled() -> bool:
        """Whether it has an answer or says why it has none."""
        shown = editor.picker()
        return bool(shown and (shown["paths"] or "⏎" not in shown["said"]))

    editor.wait(settled, "an answer")


def test_nothing_found_is_said(edit: Open, few: Notes) -> None:
    """At the foot of the picker."""
    editor = edit(few)
    editor.command("OneBrain qqxzzy")
    editor.wait(lambda: (p := editor.picker()) and p["said"] == "nothing found", "the line")
    assert editor.picker()["paths"] == []  # type: ignore[index]


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


def test_a_setting_that_is_none_is_an_error(edit: Open, served: Notes) -> None:
    """It is named."""
    editor = edit(served)
    said = editor.lua("local _, said = pcall(require('onebrain').setup, { colour = 'red' }) return said")
    assert 'no setting "colour"' in said
