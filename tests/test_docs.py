"""The documents tell the truth: their commands run, their outputs and fields are real, their links lead somewhere.

In a `console` block a line with `$ ` is a command, `# exit N` after it says how it ends, and the lines below are its
output, of which `…` leaves parts out.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from indexer.parse import NOTE_SUFFIXES
from indexer.types import Event, Skip
from onebrain_search import Brain, render
from onebrain_search.cli import VERBS, cli, main
from onebrain_search.types import Finding

REPO = Path(__file__).parents[1]
PAGES = [*sorted(REPO.glob("*.md")), *sorted((REPO / "docs").glob("*.md"))]
SET_UP = ("python3 -m venv .venv", ".venv/bin/pip install -c constraints.txt .")  # what .ci/run does with the wheel


class Command(NamedTuple):
    """A command of a page, how it ends, and what it prints as far as the page shows it."""

    page: str
    line: str
    code: int
    output: tuple[str, ...]


def _commands(page: Path) -> Iterator[Command]:
    """Yield the commands in the console blocks of a page."""
    for block in _blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            line, *output = part.rstrip("\n").split("\n")
            line, _, code = line.partition("  # exit ")
            yield Command(page.name, line.strip(), int(code or 0), tuple(output))


def _blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)


COMMANDS = [command for page in PAGES for command in _commands(page)]
ASKED = [command for command in COMMANDS if command.line.startswith("onebrain-search")]


@pytest.fixture
def notes(onebrain_brain: Brain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make `~/notes` the indexed OneBrain vault, the current folder, and return it; its index is a copy."""
    home = tmp_path / "person"
    home.mkdir()
    vault = home / "notes"
    try:
        vault.symlink_to(onebrain_brain.config.vault, target_is_directory=True)
    except OSError:
        pytest.skip("this system does not let us make links")
    shutil.copytree(onebrain_brain.folder, tmp_path / "state" / onebrain_brain.folder.name)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("ONEBRAIN_SEARCH_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(onebrain_brain.config.vault)
    return vault


@pytest.fixture
def run(notes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that runs a command line of ours and returns (exit code, stdout)."""

    def command(line: str) -> tuple[int, str]:
        """Run it as the installed program would."""
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), capsys.readouterr().out

    return command


@pytest.mark.parametrize("command", ASKED, ids=lambda command: f"{command.page} {command.line}")
def test_a_command_of_ours_runs_as_shown(command: Command, run: Any) -> None:
    """It ends with the code that the page says, and prints the lines that the page shows, in their order."""
    code, printed = run(command.line)
    assert code == command.code, printed
    rest = printed.splitlines()
    for line in (line for line in command.output if line.strip() not in ("", "…")):
        assert line in rest, f"not printed, or not in this place: {line}\nbut:\n{printed}"
        rest = rest[rest.index(line) + 1 :]


@pytest.mark.parametrize("command", [c for c in COMMANDS if c not in ASKED], ids=lambda c: f"{c.page} {c.line}")
def test_any_other_command_is_known(command: Command) -> None:
    """It sets us up, is a target of the Makefile, or goes to the notes."""
    if command.line.startswith("make "):
        assert re.search(rf"^{command.line.split()[1]}:", (REPO / "Makefile").read_text(encoding="utf-8"), re.M)
    else:
        assert command.line in (*SET_UP, "cd ~/notes")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_named_make_target_exists(page: Path) -> None:
    """`make x` in running text names a target, too."""
    targets = set(re.findall(r"^(\w+):", (REPO / "Makefile").read_text(encoding="utf-8"), re.M))
    assert set(re.findall(r"`make (\w+)`", page.read_text(encoding="utf-8"))) <= targets


def test_python_in_the_readme_runs(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The example prints hits and an answer."""
    for block in _blocks(REPO / "README.md", "python"):
        exec(compile(block, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "Retry Policy.md:" in printed
    assert "strong" in printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_documents_resolve(page: Path) -> None:
    """Every relative link names a file that is there, and a heading that is in it."""
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)", text):
        if re.match(r"\w+:", target):
            continue
        path, _, heading = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), target
        assert not heading or heading in _anchors(file), target


def _anchors(page: Path) -> set[str]:
    """Return the names that a page's headings can be linked by."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_lists_every_verb() -> None:
    """The table has the verbs of the program, no more and no fewer."""
    table = re.findall(r"^\| `onebrain-search (\w+)`", (REPO / "README.md").read_text(encoding="utf-8"), re.M)
    assert table == list(VERBS)


def test_the_readme_names_every_kind_of_note() -> None:
    """Each suffix that is read as a note is listed."""
    readme = (REPO / "README.md").read_text(encoding="utf-8")
    assert not [suffix for suffix in sorted(NOTE_SUFFIXES) if f"`{suffix}`" not in readme]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_named_option_exists(page: Path) -> None:
    """Every `--option` in running text is one of a verb of ours."""
    context = cli.make_context("onebrain-search", ["status"], resilient_parsing=True)
    verbs = [command for verb in VERBS if (command := cli.get_command(context, verb))]
    commands = [*verbs, *(below for verb in verbs for below in getattr(verb, "commands", {}).values())]
    known = {option for command in commands for p in command.params for option in (*p.opts, *p.secondary_opts)}
    known |= {"--help"}
    quoted = re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8"))
    assert {found for text in quoted for found in re.findall(r"(?<![\w-])--[a-z][\w-]*", text)} <= known


def _documented() -> dict[str, set[str]]:
    """Return the fields of each table of docs/json.md by its heading."""
    tables: dict[str, set[str]] = {}
    for part in (REPO / "docs/json.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        rows = re.findall(r"^\| (`[^|]+`) \|", part, re.M)
        tables[part.split("\n", 1)[0]] = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    return tables


def test_every_json_field_is_documented(run: Any) -> None:
    """Each table of docs/json.md has the fields that are really printed."""

    def printed(line: str) -> dict[str, Any]:
        """Return the object that a command prints."""
        found: dict[str, Any] = json.loads(run(f"onebrain-search {line} --json")[1])
        return found

    answer = printed("'How long are idempotency keys kept?' --explain")
    related = printed("related '01-projects/parcel-api/Retry Policy.md'")
    questions = Path("..", "questions.jsonl")
    questions.write_text('{"question": "idempotency keys", "paths": ["CLAUDE.md"]}', encoding="utf-8")
    measured = printed(f"eval --queries {questions.as_posix()}")
    link = render.event_json(Event(1, "", "a.md", 1, None, "", "Chose tantivy"))
    asked = printed("web 'where is the retry function of this project'")
    tables = _documented()
    del tables["Daemon"]  # compared where one runs, in test_http_docs.py
    real = {
        "Answer": answer,
        "Source": answer["sources"][0],
        "Passages": render.found_json("x", "full", [], [], {}),
        "Link": link,
        "Index": answer["index"],
        "Explanation": answer["explain"],
        "Index run": printed("index"),
        "Web search": asked,
        "Web result": asked["results"][0],
        "Skip": render.skip_json(Skip("", "a.md", "too big")),
        "Passage": printed("get CLAUDE.md:1:1"),
        "Related": related,
        "Status": {k: v for k, v in printed("status").items() if k not in answer["index"]},
        "Watcher": printed("status")["watcher"],
        "Health": render.findings_json([Finding("index", "", "", "")])
        | render.findings_json([Finding("x", "", "", "")])["findings"][0],
        "Evaluation": {**measured, **measured["scores"][0]},
        "Forgotten": printed("forget"),
        "Cleared": printed("clear"),
    }
    assert {name: set(shape) for name, shape in real.items()} == tables
    assert set(related["related"][0]) == tables["Source"]
    assert {"version", "vault", "state", "exists", "daemon"} == set(printed("status"))


def test_the_demo_asks_what_the_readme_shows() -> None:
    """The questions below "See it work" are those of `make demo`."""
    makefile = (REPO / "Makefile").read_text(encoding="utf-8")
    shown = [shlex.split(c.line)[-1] for c in COMMANDS if c.page == "README.md" and " -n 3 " in c.line]
    assert shown
    assert all(f'ask "{question}"' in makefile for question in shown)
