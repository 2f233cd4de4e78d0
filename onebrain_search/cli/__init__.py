"""The command line: parse input, call the Brain, render. stdout is results, stderr everything else.

Exit codes: 0 found, 1 nothing found, 2 error or a partial index run. A verb's module is loaded when it is used.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module

import click

from indexer.errors import OneBrainError

# verb: (module of this package, one line of help)
VERBS: dict[str, tuple[str, str]] = {
    "search": ("search", "Answer a question from your notes (the default: the verb may be left out)."),
    "index": ("index", "Bring the index up to date."),
    "watch": ("watch", "Keep the index up to date in this terminal."),
    "get": ("read", "Print a note, or the lines that an address names."),
    "related": ("read", "List the notes that belong with a note."),
    "web": ("web", "Ask the web: documentation, pages or public code."),
    "status": ("state", "Say what is in the index and what is not."),
    "mcp": ("mcp", "Serve agents over MCP: tools to ask, search and read your notes."),
    "skill": ("skill", "Set up agent programs: `skill install`, `skill uninstall`, `skill show`."),
    "serve": ("serve", "Keep the index fresh and answer at once, in the background."),
    "stop": ("serve", "End the background process of the vault."),
    "eval": ("evaluate", "Measure search on your own questions."),
    "doctor": ("state", "Find what is wrong, and the command that mends it."),
    "forget": ("state", "Take a note or folder out of the index for good."),
    "clear": ("state", "Delete the index; notes are never touched."),
    "init": ("state", "Write a commented onebrain.yml where there is none."),
    "fetch": ("fetch", "Print a page of the web as text."),
}
DEFAULT = "search"


class Verbs(click.Group):
    """The verbs, loaded one by one; anything that is no verb is a question."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the verbs."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a verb."""
        if cmd_name not in VERBS:
            return None
        place = VERBS[cmd_name][0]
        module = import_module(f"{__name__}.{place}")
        command: click.Command = getattr(module, cmd_name, None) or getattr(module, place)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs from the table, so that `--help` loads none of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, row[1]) for name, row in VERBS.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the default verb in front of a question or of its options."""
        if len(args) > 2 and args[0] == "--vault" and args[2] in VERBS:
            args = [args[2], *args[:2], *args[3:]]
        if args and args[0] not in VERBS and args[0] not in ("--help", "-h", "--version"):
            args = [DEFAULT, *args]
        with _enough(ctx):  # it prints the help
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run a verb."""
        with _enough(ctx):
            return super().invoke(ctx)


@contextmanager
def _enough(ctx: click.Context) -> Iterator[None]:
    """End well when the reader of the output had enough, of which click would make an error."""
    try:
        yield
    except BrokenPipeError:
        ctx.exit(0)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="onebrain-search", prog_name="onebrain-search")
def cli() -> None:
    """Search your notes and code, and rebuild the chain of decisions behind every why. Nothing leaves the machine.

    `onebrain-search "what is our retry policy"` in any folder of notes answers with the line to open.
    """


def main() -> None:
    """Run the command line and exit."""
    _ready_streams()
    code = 2
    with suppress(BrokenPipeError):  # not even what went wrong is read
        code = _run()
    _drop_unread()
    sys.exit(code)


def _run() -> int:
    """Run the command line; return its exit code when what went wrong is told."""
    try:
        code = cli.main(standalone_mode=False)
        return code if isinstance(code, int) else 0
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("stopped; what was indexed so far is kept", err=True)
        return 130
    except click.UsageError as error:
        error.show()
    except click.ClickException as error:
        click.echo(f"error: {error.format_message()}", err=True)
    except OneBrainError as error:
        from onebrain_search.printable import one_line

        click.echo(one_line(f"error: {error}"), err=True)
    except OSError as error:
        place = error.filename or "the output"
        click.echo(f"error: {error.strerror} ({place}): mend that and run it again", err=True)
    return 2


def _ready_streams() -> None:
    """Let every letter be read and written, whatever the locale, and let output that is closed go nowhere."""
    if sys.platform != "win32" and sys.getfilesystemencoding() != "utf-8":  # else no name beyond its letters is found
        _restart_in_utf8()
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 (open to the end)
        elif hasattr(stream, "reconfigure"):  # a legacy code page must not break on an emoji
            stream.reconfigure(encoding="utf-8", errors="replace")


def _restart_in_utf8() -> None:
    """Start this process again with Python's UTF-8 mode; where that cannot be had, say what to do and end."""
    mode = ["-X", "utf8"]  # counts before what comes after it, and under -E; the variable is for our own processes
    with suppress(OSError):
        if sys.orig_argv[1:3] != mode:
            os.execve(sys.executable, [sys.executable, *mode, *sys.orig_argv[1:]], {**os.environ, "PYTHONUTF8": "1"})
    fix = "set PYTHONUTF8=1, or a locale of UTF-8, and run it again"
    click.echo(f"error: Python reads file names as {sys.getfilesystemencoding()} here: {fix}", err=True)
    sys.exit(2)


def _drop_unread() -> None:
    """Send what can still not be written nowhere, else the interpreter makes an error of it when it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
