"""`get` and `related`: read a note, and find those that belong with it."""

from __future__ import annotations

from pathlib import Path

import click

from onebrain_search.cli.console import json_option, open_brain, print_json, vault_option


@click.command()
@click.argument("address")
@vault_option
@json_option
def get(address: str, vault: Path | None, as_json: bool) -> int:
    """Print the lines that ADDRESS names: path, path:40, path:40:20, path#Heading, path#^block."""
    from onebrain_search import render, snippet

    passage = open_brain(vault).get(address)
    if as_json:
        print_json(render.passage_json(passage))
    else:
        click.echo(snippet.printable(passage.text))
    return 0


@click.command()
@click.argument("path")
@vault_option
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many notes.")
@json_option
def related(path: str, vault: Path | None, limit: int, as_json: bool) -> int:
    """List the notes related to the note at PATH: linked either way, near in meaning, or naming it."""
    from onebrain_search import render

    brain = open_brain(vault)
    hits = brain.related(path, limit=limit)
    if as_json:
        print_json(render.related_json(path, hits))
    else:
        click.echo(render.related_text(hits))
    return 0 if hits else 1
