"""The agent programs that are set up by one command. A new one is a row in CLIENTS."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexer.errors import ConfigError

SERVER = "onebrain-search"  # our name in their settings
Entry = Mapping[str, Any]
Edit = Callable[[str, str, Entry | None], str]  # (text of the settings, key of the table, our entry or None) -> text


@dataclass(frozen=True, slots=True)
class Client:
    """One program: its settings file, the key of its table of servers, how the file is edited, and its skills."""

    title: str
    settings: str  # below the home folder, as is `skills`
    key: str
    edit: Edit
    skills: str
    home: str = ""  # the environment variable that names the folder of the settings, where there is one
    typed: bool = False  # its entries say that they are of the type stdio

    def settings_file(self, home: Path, environ: Mapping[str, str]) -> Path:
        """Return where its settings are."""
        named = environ.get(self.home) if self.home else None
        return Path(named) / Path(self.settings).name if named else home / self.settings

    def skill_file(self, home: Path) -> Path:
        """Return where its `/search` skill is."""
        return home / self.skills / "search" / "SKILL.md"

    def entry(self, command: Sequence[str]) -> dict[str, Any]:
        """Return our entry in its table."""
        kind = {"type": "stdio"} if self.typed else {}
        return {**kind, "command": command[0], "args": list(command[1:])}


def edited_json(text: str, key: str, entry: Entry | None) -> str:
    """Return JSON settings with our entry, or without it; everything else keeps its place.

    Raises ConfigError for a text that is no JSON object.
    """
    try:
        settings = json.loads(text or "{}")
    except json.JSONDecodeError as error:
        raise ConfigError(f"not valid JSON: {error.msg}", where=f"line {error.lineno}", fix="correct it") from error
    servers = settings.get(key, {}) if isinstance(settings, dict) else None
    if not isinstance(servers, dict):
        raise ConfigError(f"`{key}` is no table of servers", where="the settings", fix="correct it")
    rest = {name: value for name, value in servers.items() if name != SERVER}
    kept = {**servers, SERVER: dict(entry)} if entry is not None else rest
    if kept == servers:
        return text
    changed = {**settings, key: kept} if kept else {name: value for name, value in settings.items() if name != key}
    return json.dumps(changed, indent=_indent(text), ensure_ascii=False) + "\n"


def edited_toml(text: str, key: str, entry: Entry | None) -> str:
    """Return TOML settings with our entry, or without it; comments and order stay. Raises ConfigError."""
    import tomlkit
    from tomlkit.exceptions import ParseError

    try:
        settings = tomlkit.parse(text)
    except ParseError as error:
        raise ConfigError(f"not valid TOML: {error}", where=f"line {error.line}", fix="correct it") from error
    servers = settings.get(key)
    if servers is not None and not isinstance(servers, dict):
        raise ConfigError(f"`{key}` is no table of servers", where="the settings", fix="correct it")
    wanted = dict(entry) if entry is not None else None
    if wanted == (dict(servers[SERVER]) if servers and SERVER in servers else None):
        return text
    if wanted is None:
        del settings[key][SERVER]
        if not settings[key]:
            del settings[key]
    else:
        if servers is None:
            settings[key] = tomlkit.table(is_super_table=True)
        settings[key][SERVER] = wanted
    return tomlkit.dumps(settings)


def _indent(text: str) -> int:
    """Return the indentation of a JSON text, 2 where it has none."""
    second = text.split("\n", 2)[1] if text.count("\n") > 1 else ""
    return len(second) - len(second.lstrip(" ")) or 2


CLIENTS: dict[str, Client] = {
    "claude-code": Client("Claude Code", ".claude.json", "mcpServers", edited_json, ".claude/skills", typed=True),
    "codex": Client("Codex", ".codex/config.toml", "mcp_servers", edited_toml, ".agents/skills", home="CODEX_HOME"),
    "cursor": Client("Cursor", ".cursor/mcp.json", "mcpServers", edited_json, ".cursor/skills"),
}
