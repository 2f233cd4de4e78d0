"""`watch`: keep the index up to date in this terminal."""

from __future__ import annotations

import time
from pathlib import Path

import click

from onebrain_search.cli.console import Progress, open_brain, say, vault_option

SHOWN = 3  # files named of one change
LOOK = 0.5  # seconds between two looks at how the watcher stands


@click.command()
@vault_option
def watch(vault: Path | None) -> int:
    """Keep the index up to date until Ctrl-C: what you save is found a moment later.

    Each change is told in a line. `serve` does the same in the background, and answers faster.
    """
    brain = open_brain(vault, apart=True)
    watcher = brain.watch(on_change=_tell, progress=Progress())
    told = ("", "")
    with watcher:
        say(f"watching {brain.config.vault}; end it with Ctrl-C")
        try:
            while True:
                standing = watcher.standing
                now = (standing.mode, standing.why or standing.vectors)
                if now != told and (now[1] or told[1]):
                    say(f"{time.strftime('%H:%M:%S')} {now[0]}{': ' if now[1] else ''}{now[1]}")
                told = now
                time.sleep(LOOK)
        except KeyboardInterrupt:
            pass
    say("stopped watching")
    return 0


def _tell(generation: int, paths: tuple[str, ...]) -> None:
    """Name what can be found now."""
    from onebrain_search.printable import one_line

    named = one_line(", ".join(paths[:SHOWN])) + (f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else "")
    say(f"{time.strftime('%H:%M:%S')} {named or 'vectors are complete'}")
