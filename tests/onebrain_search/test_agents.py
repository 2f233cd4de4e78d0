"""Agent programs are set up and left again: their own settings stay, with a backup, a diff first, and once only."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from onebrain_search.agents.changes import backup_of, skill_text
from onebrain_search.agents.clients import CLIENTS, SERVER, edited_json, edited_toml
from onebrain_search.cli import main
from onebrain_search.mcp.tools import TOOLS

JSON = '{\n    "theme": "dark",\n    "mcpServers": {\n        "other": {"command": "x", "args": []}\n    }\n}\n'
TOML = '# mine\nmodel = "o5"\n\n[mcp_servers.other]\ncommand = "x"  # keep\n'
SETTINGS = {"claude-code": JSON, "codex": TOML, "cursor": JSON}

Run = Callable[[str], tuple[int, str, str]]


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home folder of our own, with a vault in it that we are in."""
    vault = tmp_path / "notes"
    vault.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.chdir(vault)
    return tmp_path


@pytest.fixture
def run(person: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command line and returns (exit code, stdout, stderr)."""

    def command(line: str) -> tuple[int, str, str]:
        """Run it as the installed program would."""
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *capsys.readouterr()

    return command


def _entry(client: str, home: Path) -> dict[str, object] | None:
    """Return our entry as the client's own format holds it."""
    file = CLIENTS[client].settings_file(home, {})
    read = tomllib.loads if file.suffix == ".toml" else json.loads
    found: dict[str, dict[str, dict[str, object]]] = read(file.read_text("utf-8"))
    return found.get(CLIENTS[client].key, {}).get(SERVER)


@pytest.mark.parametrize("client", CLIENTS)
def test_installing_keeps_what_was_there(client: str, person: Path, run: Run) -> None:
    """The entry is added, other servers and comments stay, and the file as it was lies beside it."""
    file = CLIENTS[client].settings_file(person, {})
    file.parent.mkdir(exist_ok=True)
    file.write_text(SETTINGS[client], "utf-8")
    code, shown, _ = run(f"onebrain-search skill install --client {client}")
    assert code == 0
    entry = _entry(client, person)
    assert entry is not None
    assert entry["args"] == ["mcp", "--vault", str(person / "notes")]
    assert '"other"' in file.read_text("utf-8") or "# mine" in file.read_text("utf-8")
    assert backup_of(file).read_text("utf-8") == SETTINGS[client]
    assert re.search(rf"^\+.*{SERVER}", shown, re.M)
    assert CLIENTS[client].skill_file(person).read_text("utf-8") == skill_text()


@pytest.mark.parametrize("client", CLIENTS)
def test_installing_twice_changes_nothing_more(client: str, person: Path, run: Run) -> None:
    """It says so, and shows no diff."""
    run(f"onebrain-search skill install --client {client}")
    code, shown, said = run(f"onebrain-search skill install --client {client}")
    assert (code, shown) == (0, "")
    assert "nothing to change" in said


@pytest.mark.parametrize("client", CLIENTS)
def test_uninstalling_leaves_the_settings_as_they_were(client: str, person: Path, run: Run) -> None:
    """The entry and the skill are gone, and nothing else is."""
    file = CLIENTS[client].settings_file(person, {})
    file.parent.mkdir(exist_ok=True)
    file.write_text(SETTINGS[client], "utf-8")
    run(f"onebrain-search skill install --client {client}")
    assert run(f"onebrain-search skill uninstall --client {client}")[0] == 0
    assert _entry(client, person) is None
    assert not CLIENTS[client].skill_file(person).exists()
    read = tomllib.loads if file.suffix == ".toml" else json.loads
    assert read(file.read_text("utf-8")) == read(SETTINGS[client])


def test_a_dry_run_writes_nothing(person: Path, run: Run) -> None:
    """It shows the diff of each file."""
    code, shown, _ = run("onebrain-search skill install --client claude-code --dry-run")
    assert code == 0
    assert "+++ " in shown
    assert [entry.name for entry in person.iterdir()] == ["notes"]


def test_without_a_name_the_programs_that_are_there_are_set_up(person: Path, run: Run) -> None:
    """And when there is none, the command says which it knows."""
    code, _, said = run("onebrain-search skill install")
    assert code == 2
    assert "claude-code" in said
    (person / ".cursor").mkdir()
    assert run("onebrain-search skill install")[0] == 0
    assert _entry("cursor", person) is not None
    assert not (person / ".claude.json").exists()


def test_an_unknown_program_gets_the_entry_to_paste(person: Path, run: Run) -> None:
    """On standard output, as the JSON that most programs take."""
    code, shown, _ = run("onebrain-search skill install --client zed")
    assert code == 0
    assert json.loads(shown)["mcpServers"][SERVER]["args"][0] == "mcp"


@pytest.mark.parametrize(
    ("client", "broken"), [("cursor", '{"a": }'), ("cursor", '{"mcpServers": []}'), ("codex", "model = ")]
)
def test_broken_settings_are_left_alone(client: str, broken: str, person: Path, run: Run) -> None:
    """One line says what is wrong and where."""
    file = CLIENTS[client].settings_file(person, {})
    file.parent.mkdir()
    file.write_text(broken, "utf-8")
    code, _, said = run(f"onebrain-search skill install --client {client}")
    assert code == 2
    assert file.name in said
    assert file.read_text("utf-8") == broken


def test_another_skill_of_that_name_comes_back(person: Path, run: Run) -> None:
    """It is kept beside ours and put in its place again by `uninstall`."""
    skill = CLIENTS["claude-code"].skill_file(person)
    skill.parent.mkdir(parents=True)
    skill.write_text("theirs\n", "utf-8")
    run("onebrain-search skill install --client claude-code")
    assert skill.read_text("utf-8") == skill_text()
    run("onebrain-search skill uninstall --client claude-code")
    assert skill.read_text("utf-8") == "theirs\n"


def test_a_skill_that_was_changed_stays(person: Path, run: Run) -> None:
    """It is the person's now."""
    run("onebrain-search skill install --client claude-code")
    skill = CLIENTS["claude-code"].skill_file(person)
    skill.write_text(f"{skill_text()}\nMine.\n", "utf-8")
    run("onebrain-search skill uninstall --client claude-code")
    assert skill.exists()


def test_a_link_is_followed_and_rights_are_kept(person: Path, run: Run) -> None:
    """Settings that live in another folder, as people with dotfiles have them, are changed there."""
    real = person / "dotfiles.json"
    real.write_text("{}", "utf-8")
    real.chmod(0o600)
    try:
        (person / ".claude.json").symlink_to(real)
    except OSError:
        pytest.skip("this system does not let us make links")
    run("onebrain-search skill install --client claude-code")
    assert (person / ".claude.json").is_symlink()
    assert SERVER in real.read_text("utf-8")
    assert real.stat().st_mode & 0o777 == 0o600 or sys.platform == "win32"


@pytest.mark.parametrize("edit", [edited_json, edited_toml])
def test_removing_what_is_not_there_changes_no_byte(edit: Callable[..., str]) -> None:
    """Also in a file of odd form."""
    text = '{"mcpServers":{},\n "a":1}' if edit is edited_json else "a=1 # x\n[mcp_servers]\n"
    assert edit(text, "mcpServers" if edit is edited_json else "mcp_servers", None) == text


def test_the_skill_has_its_header_and_names_tools_that_exist() -> None:
    """Name, description, hint for arguments, and the tools that it may use without asking."""
    _, header, body = skill_text().split("---\n", 2)
    fields = yaml.safe_load(header)
    assert fields["name"] == "search"
    assert "--mode=why|what" in fields["argument-hint"]
    assert len(fields["description"]) < 1024
    named = set(re.findall(r"mcp__onebrain-search__(\w+)", fields["allowed-tools"]))
    assert named == set(TOOLS)
    assert "web" not in fields["allowed-tools"].lower()
    for part in ("📌 Direct answer", "🕐 Decision chain (chronological):", "➡ In force now:", "🔴 No strong match"):
        assert part in body


def test_the_page_for_agents_lists_every_tool_and_parameter() -> None:
    """In the order of the table of tools, no more and no fewer."""
    page = (Path(__file__).parents[2] / "docs" / "agents.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \|([^|]*)\|", page, re.M)
    told = {name: re.findall(r"`(\w+)`", parameters) for name, parameters in rows if name in TOOLS}
    assert list(told) == list(TOOLS)
    assert told == {name: [each.name for each in tool.parameters] for name, tool in TOOLS.items()}


def test_the_picture_for_agents_is_there_and_fetches_nothing() -> None:
    """It shows a real session, as its script made it."""
    picture = (Path(__file__).parents[2] / "docs" / "pictures" / "agent.svg").read_text("utf-8")
    assert "data,&#160;not&#160;instructions" in picture
    assert "url(" not in re.sub(r"url\(#", "", picture)
