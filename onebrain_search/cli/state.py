"""`status`, `doctor`, `forget`, `clear` and `init`: the index and the settings file."""

from __future__ import annotations

from pathlib import Path

import click

from indexer.errors import OneBrainError
from onebrain_search.cli.console import json_option, open_brain, print_json, say, vault_option
from onebrain_search.cli.reach import answered, daemon_option


@click.command()
@vault_option
@daemon_option
@json_option
def status(vault: Path | None, daemon: str, as_json: bool) -> int:
    """Say what is in the index, what was left out and why. Exit code 1 when there is no index."""
    from onebrain_search import text

    found = answered(vault, daemon, "status", {})
    if as_json:
        print_json(found)
    else:
        click.echo(text.status_text(found))
    return 0 if found["exists"] else 1


@click.command()
@vault_option
@json_option
def doctor(vault: Path | None, as_json: bool) -> int:
    """Name each fault of vault and index, and the command that mends it. Exit code 1 when there is one."""
    from onebrain_search import doctor as doctors
    from onebrain_search import render, text

    found = doctors.examine(open_brain(vault))
    shape = render.findings_json(found)
    if as_json:
        print_json(shape)
    else:
        click.echo(text.findings_text(shape))
    return 1 if any(not finding.hint for finding in found) else 0


@click.command()
@click.argument("path", required=False)
@vault_option
@click.option("--undo", is_flag=True, help="Let PATH in again.")
@json_option
def forget(path: str | None, vault: Path | None, undo: bool, as_json: bool) -> int:
    """Take the note or folder PATH out of the index: hidden at once, deleted, and left out of later runs.

    Without PATH, list what is forgotten. The note itself is never touched.
    """
    from indexer.snapshot import exists
    from onebrain_search import forgotten
    from onebrain_search.printable import one_line

    brain = open_brain(vault)
    before = brain.forgotten()
    kept = brain.forget(path, undo=undo) if path else before
    if undo and kept == before:
        say(f"note: {path or 'nothing'} was not forgotten: take a line of `forget` as it is written")
    if path and undo and exists(brain.folder):
        _let_in(vault)
    missing = forgotten.missing(kept, brain.config.root_folders())
    if as_json:
        print_json({"version": 1, "forgotten": list(kept), "missing": list(missing)})
    else:
        click.echo("\n".join(map(one_line, kept)) if kept else "nothing is forgotten")
    for place in missing:
        say(f"note: nothing lies at {one_line(place)} now: look how it is written; it stays out should it come")
    return 0


def _let_in(vault: Path | None) -> None:
    """Take in at once what is forgotten no more: its file has not changed, so no watcher would notice it."""
    try:
        answered(vault, "auto", "reindex", {"vectors": False})
    except OneBrainError as error:
        say(f"note: it comes back with the next index run: {error}")


@click.command()
@vault_option
@json_option
def clear(vault: Path | None, as_json: bool) -> int:
    """Delete the index of the vault, also when the vault itself is gone. Notes are never touched."""
    brain = open_brain(vault)
    there = brain.folder.exists()
    brain.clear()
    if as_json:
        print_json({"version": 1, "cleared": str(brain.folder)})
    else:
        say(f"{'deleted the index' if there else 'there was no index'} of {brain.config.vault}")
    return 0


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
def init(folder: Path) -> int:
    """Write a commented onebrain.yml into FOLDER (here), only where there is none."""
    from onebrain_search.config import starter_text

    target = folder / "onebrain.yml"
    if not folder.is_dir():
        raise click.ClickException(f"there is no folder {folder}: make it first")
    if target.exists():
        raise click.ClickException(f"{target} exists and is left as it is")
    target.write_text(starter_text(), encoding="utf-8")
    say(f"wrote {target}: every setting with its default, commented out")
    return 0
