"""The Neovim plugin when something is missing, gone, slow, in other hands, or too long: one line each."""

from __future__ import annotations

import http.server
import json
import os
import signal
import threading
from pathlib import Path

import pytest

from indexer.state import locked
from tests.editors.neovim import Open
from tests.editors.notes import Notes


def test_a_link_is_refused_where_nothing_can_be_written(edit: Open, served: Notes) -> None:
    """In one line; the buffer stays as it is."""
    editor = edit(served)
    editor.lua("vim.bo.modifiable = false")
    editor.command("OneBrain idempotency keys")
    editor.wait_for_hits()
    editor.keys("<C-l>")
    editor.wait(lambda: "cannot be changed" in "".join(editor.heard()), "the refusal")


def test_a_buffer_outside_of_the_vault_has_no_related_notes(edit: Open, served: Notes, tmp_path: Path) -> None:
    """Which is said in a line."""
    editor = edit(served, vault=str(served.vault))
    editor.command(f"edit {tmp_path}/other.md")
    editor.command("OneBrainRelated")
    editor.wait(lambda: "no note of the vault" in "".join(editor.heard()), "the line")


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
    assert few.status()["daemon"] is None


def test_a_wrong_token_leads_to_the_program_itself(edit: Open, few: Notes) -> None:
    """Whoever listens does not know that token, so it is not the daemon that is meant."""
    assert few.run("serve").returncode == 0
    file = Path(few.status()["state"], "daemon.json")
    told = file.read_text(encoding="utf-8")
    try:
        file.write_text(json.dumps({**json.loads(told), "token": "wrong"}), encoding="utf-8")
        editor = edit(few, start=False)  # else it waits for one, and then says that none came
        editor.command("OneBrain kiln")
        assert editor.wait_for_hits()["paths"][0] == "Kiln.md"
    finally:
        file.write_text(told, encoding="utf-8")


def test_while_the_first_index_is_made_the_picker_says_so_and_waits(edit: Open, few: Notes) -> None:
    """Its sources come by themselves."""
    with locked(Path(few.status()["state"]), 0.0):
        editor = edit(few)
        editor.command("OneBrain kiln")
        editor.wait(lambda: (p := editor.picker()) and "index is being made" in p["said"], "the line")
    assert editor.wait_for_hits()["paths"][0] == "Kiln.md"


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


def test_a_setting_that_is_none_is_an_error(edit: Open, served: Notes) -> None:
    """It is named."""
    editor = edit(served)
    said = editor.lua("local _, said = pcall(require('onebrain').setup, { colour = 'red' }) return said")
    assert 'no setting "colour"' in said
