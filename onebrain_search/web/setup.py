"""Settings, environment and a folder for what is remembered -> everything that a web search needs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from onebrain_search.web.health import Events, Health, unheard
from onebrain_search.web.http import Http
from onebrain_search.web.keys import Keys
from onebrain_search.web.search import Local, Web
from onebrain_search.web.sources import Desk
from onebrain_search.web.trust import Memory
from onebrain_search.web_settings import WebSettings

SOURCES_FILE = "web-sources.json"
RANKS_FILE = "web-domains.json"


def open_web(
    settings: WebSettings,
    environ: Mapping[str, str],
    folder: Path | None = None,
    *,
    http: Http | None = None,
    tell: Events = unheard,
    local: Local | None = None,
) -> Web:
    """Return what a search needs; without a folder it is forgotten with the process. Nothing is asked yet."""
    health = Health(
        most=settings.rate_max,
        window=settings.rate_window,
        pause=settings.degrade_minutes * 60,
        file=folder / SOURCES_FILE if folder else None,
    )
    memory = Memory(folder / RANKS_FILE if folder else None, time.time)
    desk = Desk(http or Http(), settings, environ, Keys(environ, keyring=settings.keyring))
    return Web(desk, health, memory, tell=tell, local=local, pages=http)
