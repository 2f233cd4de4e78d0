"""Who answers a command: a running daemon, or the vault's index in this very process."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from indexer.errors import Unreachable
from onebrain_search import places, presence
from onebrain_search.cli.console import Progress, say

if TYPE_CHECKING:
    from onebrain_search.config import Config
    from onebrain_search.service import Service

daemon_option = click.option(
    "--daemon",
    type=click.Choice(["auto", "never", "require"]),
    default="auto",
    help="Ask a running daemon (see `serve`) if there is one, never, or nothing else.",
)


def answered(
    vault: Path | None,
    daemon: str,
    name: str,
    request: dict[str, Any],
    prepare: Callable[[Service], None] = lambda service: None,
) -> dict[str, Any]:
    """Return the JSON object that answers a request; `prepare` comes before it where this process does it itself.

    Raises Unreachable when a daemon is required and there is none, and all that Service raises.
    """
    found, why = None, ""
    try:
        if daemon != "never":
            found, why = _by_daemon(places.vault_of(vault, os.environ), name, request)
    except Unreachable as error:
        if daemon == "require":
            raise
        say(f"answered without the daemon: {error.what}")
    if found is not None:
        return found
    config = _settings(vault)
    if daemon == "require":
        fix = "then start one with `serve`" if why else "start one with `serve`"
        raise Unreachable(why or "no daemon serves this vault", where=str(config.vault), fix=fix)
    if why:
        say(f"answered without the daemon: {why}")
    from onebrain_search.brain import Brain
    from onebrain_search.service import Service

    service = Service(Brain(config, os.environ))
    prepare(service)
    answer: dict[str, Any] = getattr(service, name)(request)
    if config.daemon.autostart and daemon == "auto" and name == "ask" and not why:
        from onebrain_search import client as clients

        clients.launch(config.vault, service.brain.folder)
    return answer


def refreshed(service: Service, *, vectors: bool = True) -> None:
    """Bring the index up to date before it is asked; a question for words alone waits for no `vectors`."""
    progress = Progress()
    service.brain.refresh(vectors=vectors, progress=progress)
    progress.done()


def root_folders(vault: Path | None) -> dict[str, Path]:
    """Return the folders that a vault's paths are below, by their names in paths."""
    return _settings(vault).root_folders()


def _by_daemon(vault: Path, name: str, request: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """Return what a daemon answers, or why the one that runs is not asked. Raises Unreachable when it went."""
    state = _settings(vault).state if places.may_set_state(vault) else None
    folder = places.state_folder(vault, os.environ, state=state)
    if not (folder / presence.FILE).exists():
        return None, ""  # before the modules of a client are loaded, which takes 20 ms
    from onebrain_search import client as clients

    client, why = clients.reach(folder)
    if client is None:
        return None, why
    try:
        return getattr(client, name)(request), ""
    finally:
        client.close()


def _settings(vault: Path | None) -> Config:
    """Return the settings of a vault."""
    from onebrain_search import config as configs  # costs as much as all else that a daemon's client loads

    return configs.load(vault, environ=os.environ)
