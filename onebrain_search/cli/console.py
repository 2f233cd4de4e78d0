"""What the verbs share: the options for vault and JSON, progress on stderr, links on a terminal."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

if TYPE_CHECKING:
    from onebrain_search.brain import Brain

vault_option = click.option(
    "--vault",
    type=click.Path(path_type=Path),
    help="The folder of notes; else ONEBRAIN_VAULT, else the one you are in.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def open_brain(vault: Path | None, *, apart: bool = False) -> Brain:
    """Open the vault of a command: the very folder that is named, or the one this folder is in.

    `apart`: this process stays, so vectors of many passages are made in another one.
    """
    from onebrain_search import config
    from onebrain_search.brain import Brain

    return Brain(config.load(vault, environ=os.environ), os.environ, apart=apart)


def print_json(value: Any) -> None:
    """Print one JSON object on stdout; nothing in it can drive a terminal."""
    from onebrain_search.printable import printable_json

    click.echo(printable_json(json.dumps(value, ensure_ascii=False)))


def say(text: str) -> None:
    """Print a line on stderr; nothing in it can drive a terminal."""
    from onebrain_search.printable import printable

    click.echo(printable(text), err=True)


STAGES = {
    "model": "unpacking the multilingual model",
    "scan": "looking for notes",
    "lexical": "indexing words",
    "vectors": "making vectors",
}
PATIENCE = 1.0  # seconds of silence before the first sign of progress
EVERY = 5.0  # seconds between plain lines of it


class Progress:
    """Progress of an index run on stderr: a bar on a terminal, else a line now and then once it runs long."""

    def __init__(self) -> None:
        self.started = self.last = time.monotonic()
        self.drawn = False
        self.terminal = obeys(sys.stderr)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage is."""
        now = time.monotonic()
        if now - self.started < PATIENCE or now - self.last < (0.1 if self.terminal else EVERY):
            return
        self.last = now
        name = STAGES.get(stage, stage)
        if not self.terminal or not total:
            say(f"{name}: {done} of {total}" if total else f"{name}: {done}")
            return
        filled = 30 * done // total
        bar = "█" * filled + "░" * (30 - filled)
        click.echo(f"\r{name} {bar} {done}/{total}\x1b[K", err=True, nl=False)
        self.drawn = True

    def done(self) -> None:
        """Wipe the bar."""
        if self.drawn:
            click.echo("\r\x1b[K", err=True, nl=False)
            self.drawn = False


def obeys(stream: TextIO) -> bool:
    """Whether a stream is a terminal that obeys control sequences; one of the kind `dumb` prints them."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def linker(folders: Callable[[], Mapping[str, Path]]) -> Callable[[str, str, int], str]:
    """Return a function that makes a place a hyperlink (OSC 8) on a terminal, and leaves it alone elsewhere."""
    plain = not obeys(sys.stdout) or bool(os.environ.get("NO_COLOR"))
    roots = {} if plain else folders()

    def link(shown: str, path: str, line: int) -> str:
        """Return the place as it is printed."""
        if plain:
            return shown
        return f"\x1b]8;;{file_of(path, roots).resolve().as_uri()}#L{line}\x1b\\{shown}\x1b]8;;\x1b\\"

    return link


def file_of(path: str, folders: Mapping[str, Path]) -> Path:
    """Return the file of a written path; `folders` are those of the roots, by name."""
    name, colon, rest = path.partition(":")
    return folders[name] / rest if colon and name and name in folders else folders[""] / path


def open_in_editor(file: Path, line: int) -> None:
    """Open a file at a line in `$VISUAL` or `$EDITOR`."""
    import shlex
    import subprocess

    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    if not command:
        raise click.ClickException("no editor is named: set EDITOR, for example EDITOR=vim")
    name = Path(command[0]).stem
    places = {
        "code": ["--goto", f"{file}:{line}"],
        "cursor": ["--goto", f"{file}:{line}"],
        "subl": [f"{file}:{line}"],
    }
    try:
        subprocess.run([*command, *places.get(name, [f"+{line}", str(file)])], check=False)
    except OSError as error:
        raise click.ClickException(
            f"the editor {command[0]!r} cannot be run: {error.strerror}: set EDITOR"
        ) from error
