"""What a command reads and writes with: encodings, readers that go, streams that are closed or full."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click import ClickException

from onebrain_search.cli import console

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX shells and locales")


def test_f76_a_terminal_of_another_encoding_gets_utf8(vault: Any, home: Path) -> None:
    """As Windows has them: an emoji in a note is printed, and breaks nothing."""
    folder = vault({"a.md": "The retry limit is five \U0001f389.\n"})
    code = "from onebrain_search.cli import main; main()"
    command = [sys.executable, "-c", code, "search", "--retrieval", "lexical", "retry limit", "--vault", str(folder)]
    legacy = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    ran = subprocess.run(command, env=legacy, capture_output=True, check=False)
    assert (ran.returncode, "\U0001f389" in ran.stdout.decode()) == (0, True), ran.stderr.decode()


@posix
def test_a_locale_of_another_encoding_finds_every_name(vault: Any, home: Path) -> None:
    """What is asked and how notes are called is UTF-8, whatever the locale says."""
    folder = vault({"b ü/日本.md": "The retry limit is 五.\n"})
    command = [sys.executable, "-c", "from onebrain_search.cli import main; main()"]
    legacy = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for words in (["search", "--retrieval", "lexical", "五"], ["get", "b ü/日本.md"]):
        ran = subprocess.run([*command, *words, "--vault", str(folder)], env=legacy, capture_output=True, check=False)
        assert (ran.returncode, "limit is 五" in ran.stdout.decode()) == (0, True), ran.stderr.decode()


@posix
@pytest.mark.parametrize("options", [["-E"], ["-I"], ["-X", "utf8=0"]])
def test_a_python_that_is_told_to_ignore_utf8_is_restarted_once(vault: Any, home: Path, options: list[str]) -> None:
    """What it is told can stand before or in the environment; neither may be a loop."""
    folder = vault({"b ü/日本.md": "The retry limit is 五.\n"})
    code = "from onebrain_search.cli import main; main()"
    command = [sys.executable, *options, "-c", code, "get", "b ü/日本.md", "--vault", str(folder)]
    for told in ("0", "1"):
        legacy = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": told, "PYTHONCOERCECLOCALE": "0"}
        ran = subprocess.run(command, env=legacy, capture_output=True, check=False, timeout=60)
        assert (ran.returncode, "limit is 五" in ran.stdout.decode()) == (0, True), ran.stderr.decode()


@posix
def test_a_python_that_cannot_be_restarted_says_what_to_do(vault: Any, home: Path) -> None:
    """Notes whose names it cannot read are not taken for gone."""
    code = "import sys; sys.executable = '/nowhere'; from onebrain_search.cli import main; main()"
    legacy = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-c", code, "get", "a.md", "--vault", str(vault({"a.md": "needle"}))]
    ran = subprocess.run(command, env=legacy, capture_output=True, text=True, check=False)
    assert (ran.returncode, len(ran.stderr.splitlines())) == (2, 1), ran.stderr
    assert "PYTHONUTF8=1" in ran.stderr


@posix
@pytest.mark.parametrize(
    "words", ["search --retrieval lexical needle", "get a.md", "status --json", "index --lexical-only"]
)
def test_output_that_nobody_takes_is_no_error(vault: Any, home: Path, words: str) -> None:
    """A reader that has gone, and streams that are closed."""
    folder = vault({"a.md": "needle\n"})
    script = "exec " + shlex.join([sys.executable, "-c", "from onebrain_search.cli import main; main()"])
    line = f"{script} {words} --vault {shlex.quote(str(folder))}"
    assert (
        subprocess.run(f"{script} index --lexical-only --vault {shlex.quote(str(folder))}", shell=True).returncode
        == 0
    )
    gone, end = os.pipe()
    os.close(gone)
    ran = subprocess.run(line, shell=True, stdout=end, stderr=subprocess.PIPE, text=True)
    os.close(end)
    assert (ran.returncode, "Traceback" in ran.stderr) == (0, False), ran.stderr
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        ran = subprocess.run(f"{line} {closed}", shell=True, capture_output=True, text=True)
        assert (ran.returncode, "Traceback" in ran.stderr) == (0, False), ran.stderr


@posix
@pytest.mark.parametrize(
    ("words", "code"), [("--help", 0), ("--version", 0), ("search --help", 0), ("get no.md", 2), ("search --nope", 2)]
)
def test_a_pipe_that_nobody_reads_changes_no_exit_code(vault: Any, home: Path, words: str, code: int) -> None:
    """Neither of help nor of an error, whichever stream it is."""
    command = [sys.executable, "-c", "from onebrain_search.cli import main; main()", *words.split()]
    gone, end = os.pipe()
    os.close(gone)
    for streams in ({"stdout": end}, {"stderr": end}, {"stdout": end, "stderr": end}):
        ran = subprocess.run(command, cwd=vault({"a.md": "needle"}), **streams)
        assert ran.returncode == code, streams
    os.close(end)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_output_that_cannot_be_written_is_one_line(vault: Any, home: Path) -> None:
    """A full disk."""
    command = [sys.executable, "-c", "from onebrain_search.cli import main; main()", "get", "a.md", "--vault"]
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [*command, str(vault({"a.md": "needle"}))], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (ran.returncode, len(ran.stderr.strip().splitlines())) == (2, 1), ran.stderr
    assert "the output" in ran.stderr


@pytest.mark.parametrize(("kind", "linked"), [("xterm", True), ("dumb", False)])
def test_a_terminal_that_obeys_nothing_gets_plain_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str, linked: bool
) -> None:
    """A link would stand there as signs; so would a bar of progress."""
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", kind)
    shown = console.linker(lambda: {"": tmp_path})("a.md:1", "a.md", 1)
    assert ("\x1b" in shown, console.Progress().terminal) == (linked, linked)


def test_an_editor_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With what to set."""
    monkeypatch.setenv("EDITOR", str(tmp_path / "nope"))
    with pytest.raises(ClickException, match=r"nope.*set EDITOR"):
        console.open_in_editor(tmp_path / "a.md", 1)
