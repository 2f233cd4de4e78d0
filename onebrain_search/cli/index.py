"""`index`: bring the index up to date."""

from __future__ import annotations

from pathlib import Path

import click

from onebrain_search.cli.console import Progress, json_option, open_brain, print_json, vault_option


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@vault_option
@click.option("--lexical-only", is_flag=True, help="Stop before vectors; they can be made later.")
@click.option("--yes", is_flag=True, help="Index a home folder, or accept that a vault was emptied.")
@json_option
def index(folder: Path | None, vault: Path | None, lexical_only: bool, yes: bool, as_json: bool) -> int:
    """Bring the index of the vault (or FOLDER) up to date: words, then vectors.

    Words are found at once; a vector for each passage, which takes longer, lets it be found by its meaning.

    A run that is stopped keeps what it has; the next one goes on. Exit code 2 when something could not be read.
    """
    from onebrain_search import render, text

    brain = open_brain(vault or folder)
    progress = Progress()
    try:
        report = brain.index(vectors=not lexical_only, yes=yes, progress=progress)
    finally:
        progress.done()
    shape = render.report_json(report)
    if as_json:
        print_json(shape)
    else:
        click.echo(text.report_text(shape), err=True)
    return 2 if report.partial else 0
