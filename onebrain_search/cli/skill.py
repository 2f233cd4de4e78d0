"""`skill`: put the /search skill and our MCP server into agent programs, and take them out again."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from onebrain_search.cli.console import say, vault_option

if TYPE_CHECKING:
    from onebrain_search.agents.changes import Change

client_option = click.option("--client", "name", metavar="NAME", help="claude-code, codex, cursor, or any other.")
dry_option = click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")


@click.group()
def skill() -> None:
    """Set up agents: the skill /search and the MCP server that it calls."""


@skill.command()
@client_option
@dry_option
@vault_option
def install(name: str | None, dry_run: bool, vault: Path | None) -> int:
    """Write the skill and the MCP entry for the agent program NAME, or for those that are on this machine.

    Each change is shown first, and the file as it was is kept beside. For an unknown NAME the entry is printed.
    """
    from onebrain_search import config
    from onebrain_search.agents import changes
    from onebrain_search.agents.clients import CLIENTS, SERVER

    command = [_program(), "mcp", "--vault", str(config.load(vault, environ=os.environ).vault)]
    if name is not None and name not in CLIENTS:
        say(f"{name}: add this to its MCP servers; the skill is printed by `onebrain-search skill show`")
        click.echo(json.dumps({"mcpServers": {SERVER: {"command": command[0], "args": command[1:]}}}, indent=2))
        return 0
    for each in _wanted(name):
        client = CLIENTS[each]
        _change(client.title, changes.installing(client, Path.home(), os.environ, command), dry_run)
    return 0


@skill.command()
@client_option
@dry_option
def uninstall(name: str | None, dry_run: bool) -> int:
    """Take the skill and the MCP entry out again."""
    from onebrain_search.agents import changes
    from onebrain_search.agents.clients import CLIENTS

    if name is not None and name not in CLIENTS:
        raise click.ClickException(f"nothing was set up for {name}: known are {', '.join(CLIENTS)}")
    for each in [name] if name else CLIENTS:
        client = CLIENTS[each]
        _change(client.title, changes.removing(client, Path.home(), os.environ), dry_run)
    return 0


@skill.command()
def show() -> int:
    """Print the skill."""
    from onebrain_search.agents.changes import skill_text

    click.echo(skill_text(), nl=False)
    return 0


def _wanted(name: str | None) -> list[str]:
    """Return the programs to set up: the one that is named, else those whose folders are there."""
    from onebrain_search.agents.clients import CLIENTS

    if name is not None:
        return [name]
    home = Path.home()
    there = [each for each, client in CLIENTS.items() if (home / client.settings.split("/")[0]).exists()]
    if not there:
        raise click.ClickException(f"no agent program was found: name one with --client ({', '.join(CLIENTS)})")
    return there


def _program() -> str:
    """Return this program as another one can start it: by its full path."""
    own = Path(sys.argv[0])
    found = own if own.is_file() else shutil.which("onebrain-search")
    return str(Path(found).absolute()) if found else "onebrain-search"


def _change(title: str, found: list[Change], dry_run: bool) -> None:
    """Show changes, and make them."""
    if not found:
        say(f"{title}: nothing to change")
    for change in found:
        click.echo(change.diff, nl=False)
        if not dry_run:
            change.apply()
            say(f"{title}: {'wrote' if change.after is not None else 'deleted'} {change.file}")
