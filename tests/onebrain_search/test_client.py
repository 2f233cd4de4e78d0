"""The command line through a daemon: the same words on the screen, nothing heavy loaded, and a way without it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from onebrain_search import Brain
from onebrain_search import client as clients
from onebrain_search.client import Client
from tests.conftest import MakeVault
from tests.onebrain_search.served import CLI, copied, run, serving, wait_until

NOTE = "01-projects/parcel-api/Retry Policy.md"
BY_WORDS = ("--retrieval", "lexical")
COMMANDS = [
    ("How long are idempotency keys kept?", *BY_WORDS),
    ("why did we drop qmd", "--all", *BY_WORDS),
    ("why did we drop qmd", "--explain", "-n", "3", *BY_WORDS),
    ("why did we drop qmd", "--json", *BY_WORDS),
    ("path:01-projects after:2026-03 token", "-n", "3", *BY_WORDS),
    ("what is the capital of mongolia?", *BY_WORDS),
    ("idempotency keys", "--retrieval", "lexical", "--mode", "what", "--explain", "--json"),
    ("get", f"{NOTE}:7:6"),
    ("get", f"{NOTE}:7:6", "--json"),
    ("related", NOTE, "-n", "4"),
    ("get", "../../etc/passwd"),
    ("date:soonish", "token"),
]


@pytest.fixture(scope="module")
def daemon(onebrain_brain: Brain, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Serve the OneBrain vault."""
    home = tmp_path_factory.mktemp("served")
    copied(onebrain_brain, home)
    with serving(onebrain_brain.config.vault, home) as client:
        client.search({"query": "warm"})
        yield client


@pytest.fixture
def home_of(daemon: Client) -> Path:
    """Return where the served index lies."""
    return Path(str(daemon.status()["state"])).parent


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_daemon_prints_what_the_process_itself_would(daemon: Client, home_of: Path, words: tuple[str, ...]) -> None:
    """Text, JSON, errors and exit codes, byte for byte."""
    command = [*words, "--vault", daemon.daemon.vault, "--daemon"]
    through, alone = run(home_of, *command, "require"), run(home_of, *command, "never")
    assert (through.returncode, through.stdout) == (alone.returncode, alone.stdout)
    assert through.stderr.splitlines() == [line for line in alone.stderr.splitlines() if not line.startswith("→")]


@pytest.mark.parametrize("question", ["How long are idempotency keys kept?", "why did we drop qmd"])
def test_a_daemon_answers_by_meaning_as_the_process_itself(daemon: Client, home_of: Path, question: str) -> None:
    """Its engine rounds the model's weights, which moves scores in their third digit and what stands nearly level."""
    command = [question, "--json", "--vault", daemon.daemon.vault, "--daemon"]
    through, alone = (json.loads(run(home_of, *command, how).stdout) for how in ("require", "never"))
    for name in ("mode", "confidence", "chain", "in_force"):
        assert through[name] == alone[name]
    best, same = through["sources"][0], alone["sources"][0]
    assert (best["path"], best["line"]) == (same["path"], same["line"])
    assert best["score"] == pytest.approx(same["score"], abs=0.02)


def test_nothing_heavy_is_loaded_when_a_daemon_answers(daemon: Client, home_of: Path) -> None:
    """No array, index or model library, no tokenizer, no YAML where there are no settings of ours to read."""
    code = (
        "import sys\nfrom onebrain_search.cli import cli\n"
        "cli.main(sys.argv[1:], standalone_mode=False)\nprint('loaded', *sys.modules)"
    )
    words = ["how long are idempotency keys kept", "--vault", daemon.daemon.vault, "--daemon", "require"]
    environ = {**os.environ, "ONEBRAIN_SEARCH_HOME": str(home_of)}
    found = subprocess.run(
        [sys.executable, "-c", code, *words], env=environ, capture_output=True, encoding="utf-8", check=True
    )
    loaded = set(found.stdout.rpartition("loaded ")[2].split())
    heavy = "numpy tantivy onnxruntime tokenizers torch sqlite3 Stemmer starlette uvicorn asyncio filelock"
    assert not loaded & set(heavy.split())
    assert "24 hours" in found.stdout


def test_open_goes_to_the_file_of_the_source(daemon: Client, home_of: Path, tmp_path: Path) -> None:
    """Through the daemon as without it."""
    editor = tmp_path / "editor.py"
    editor.write_text("import sys; print(*sys.argv[1:])", encoding="utf-8")
    environ = {**os.environ, "ONEBRAIN_SEARCH_HOME": str(home_of), "EDITOR": f'"{sys.executable}" "{editor}"'}
    words = ["idempotency keys", "--open", "1", "-n", "1", "--vault", daemon.daemon.vault, "--daemon", "require"]
    found = subprocess.run([*CLI, *words], env=environ, capture_output=True, encoding="utf-8", check=False)
    assert re.search(r"^\+\d+ .*Idempotency Keys\.md$", found.stdout, re.M), found.stdout + found.stderr
    opened = Path(re.findall(r"^\+\d+ (.*)$", found.stdout, re.M)[0])
    assert opened.is_file()


def test_a_place_is_a_hyperlink_on_a_terminal(daemon: Client, home_of: Path) -> None:
    """To the file and line, through the daemon as without it."""
    if os.name == "nt":
        pytest.skip("Windows has no pseudo-terminal to test this with")
    import pty

    shown = []
    for which in ("require", "never"):
        ours, theirs = pty.openpty()
        words = ["idempotency keys", "-n", "1", "--vault", daemon.daemon.vault, "--daemon", which]
        environ = {**os.environ, "ONEBRAIN_SEARCH_HOME": str(home_of), "TERM": "xterm"}
        process = subprocess.Popen([*CLI, *words], env=environ, stdout=theirs, stderr=subprocess.DEVNULL)
        os.close(theirs)
        printed = b""
        try:
            while part := os.read(ours, 4096):
                printed += part
        except OSError:  # Linux says so when the other end is closed
            pass
        process.wait()
        os.close(ours)
        shown.append(printed.decode())
    assert shown[0] == shown[1]
    uri = (Path(daemon.daemon.vault).resolve() / "03-knowledge/http/Idempotency Keys.md").as_uri()
    assert f"\x1b]8;;{uri}#L7\x1b\\" in shown[0]


def test_without_a_daemon_the_process_answers_itself(vault: MakeVault, home: Path) -> None:
    """Unless a daemon is required: then that is an error that says what to do."""
    notes = vault({"a.md": "# A\n\nThe boiler is serviced in May.\n"})
    assert "May" in run(home, "when is the boiler serviced", "--vault", str(notes)).stdout
    refused = run(home, "boiler", "--vault", str(notes), "--daemon", "require")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "`serve`" in refused.stderr


def test_never_means_that_no_daemon_is_asked(daemon: Client, home_of: Path) -> None:
    """Status then comes from this process, and says nothing of a daemon."""
    words = ["status", "--vault", daemon.daemon.vault, "--json", "--daemon"]
    assert '"daemon": null' in run(home_of, *words, "never").stdout
    assert f'"pid": {daemon.daemon.pid}' in run(home_of, *words, "auto").stdout


def test_a_question_starts_the_daemon_where_the_settings_say_so(vault: MakeVault, home: Path) -> None:
    """It is answered without waiting for it, and the next one is answered by it."""
    settings = "onebrain_search:\n  daemon:\n    autostart: true\n    idle_minutes: 1\n"
    notes = vault({"onebrain.yml": settings, "a.md": "# A\n\nThe boiler is serviced in May.\n"})
    folder = Brain.open(notes).folder
    try:
        assert "May" in run(home, "when is the boiler serviced", "--vault", str(notes)).stdout
        client = wait_until(lambda: clients.connect(folder))
        client.close()
        again = run(home, "when is the boiler serviced", "--vault", str(notes), "--daemon", "require")
        assert "May" in again.stdout
    finally:
        clients.stop(folder)
    assert run(home, "get", "a.md", "--vault", str(notes), "--daemon", "never").returncode == 0
    assert clients.connect(folder) is None
