"""`get` and `related`: read a note, and find those that belong with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from onebrain_search.cli.console import json_option, print_json, say, vault_option
from onebrain_search.cli.reach import answered, daemon_option, refreshed

if TYPE_CHECKING:
    from onebrain_search.service import Service


@click.command()
@click.argument("address")
@vault_option
@daemon_option
@json_option
def get(address: str, vault: Path | None, daemon: str, as_json: bool) -> int:
    """Print the lines that ADDRESS names: path, path:40, path:40:20, path#Heading, path#^block."""
    from onebrain_search.printable import printable

    passage = answered(vault, daemon, "get", {"address": address})
    if as_json:
        print_json(passage)
    else:
        click.echo(printable(passage["text"]))
    return 0


@click.command()
@click.argument("path")
@vault_option
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many notes.")
@daemon_option
@json_option
def related(path: str, vault: Path | None, limit: int, daemon: str, as_json: bool) -> int:
    """List the notes related to the note at PATH, or of this name: linked to it, near in meaning, or naming it."""
    from onebrain_search import text

    found = answered(vault, daemon, "related", {"path": path, "limit": limit}, _fresh)
    if as_json:
        print_json(found)
    else:
        click.echo(text.related_text(found))
    return 0 if found["related"] else 1


def _fresh(service: Service) -> None:
    """Bring the index up to date; what there is to say of it has no place among related notes."""
    refreshed(service)
    for note in service.brain.notes():
        say(f"note: {note}")
