"""`serve` and `stop`: the daemon that keeps an index fresh and a model warm."""

from __future__ import annotations

import os
from pathlib import Path

import click

from indexer.errors import ConfigError
from onebrain_search import config as configs
from onebrain_search import places
from onebrain_search.cli.console import say, vault_option
from onebrain_search.presence import Presence


@click.command()
@vault_option
@click.option("--foreground", is_flag=True, help="Stay in this terminal until Ctrl-C.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Listen there (the setting `daemon.port`; 0: any free one)."
)
@click.option(
    "--idle", type=click.FloatRange(0), metavar="MINUTES", help="End after so long without a question; 0: never."
)
def serve(vault: Path | None, foreground: bool, port: int | None, idle: float | None) -> int:
    """Start the process that watches the vault, keeps its index fresh, and answers questions at once.

    It listens on this machine only and asks for a token. `search`, `get`, `related` and `status` use it by
    themselves. End it with `stop`.
    """
    config = configs.load(vault, environ=os.environ)
    if not config.vault.is_dir():
        raise ConfigError("there is no such folder", where=str(config.vault), fix="name your notes with --vault")
    port = config.daemon.port if port is None else port
    idle = config.daemon.idle_minutes if idle is None else idle
    if foreground:
        from onebrain_search.server import lifecycle

        lifecycle.serve(config, os.environ, port=port, idle=60.0 * idle, ready=_say_served)
        return 0
    from onebrain_search import client as clients

    daemon, is_new = clients.start(config.vault, _state(config), [f"--port={port}", f"--idle={idle}"])
    if is_new:
        _say_served(daemon)
    else:
        say(f"a daemon serves this vault already: process {daemon.pid}, port {daemon.port}")
    return 0


@click.command()
@vault_option
def stop(vault: Path | None) -> int:
    """End the daemon of the vault when it has answered what it was asked. Exit code 1 when there is none."""
    from onebrain_search import client as clients

    config = configs.load(vault, environ=os.environ)
    daemon = clients.stop(_state(config))
    say(f"ended process {daemon.pid}" if daemon else f"no daemon serves {config.vault}")
    return 0 if daemon else 1


def _state(config: configs.Config) -> Path:
    """Return the state folder of a vault."""
    return places.state_folder(config.vault, os.environ, state=config.state)


def _say_served(daemon: Presence) -> None:
    """Say where a daemon listens."""
    say(f"serving {daemon.vault} at http://127.0.0.1:{daemon.port} (process {daemon.pid})")
