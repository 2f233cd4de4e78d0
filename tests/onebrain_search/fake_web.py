"""What tests of the web share: a web whose every source has its key and leads to the fake internet."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from onebrain_search.web.http import Http
from onebrain_search.web.search import Web
from onebrain_search.web.setup import open_web
from onebrain_search.web.testing import FakeInternet
from onebrain_search.web.testing.engines import KEY
from onebrain_search.web_settings import WebSettings

NOW = datetime(2026, 9, 15, 12, tzinfo=UTC)
VARIABLES = ("EXA_API_KEY", "TAVILY_API_KEY", "BRAVE_API_KEY", "GITHUB_TOKEN", "GITLAB_TOKEN", "CONTEXT7_API_KEY")
KEYS = dict.fromkeys(VARIABLES, KEY)


def open_fake(
    net: FakeInternet, environ: Mapping[str, str] = KEYS, folder: Path | None = None, **settings: Any
) -> Web:
    """Return a web at a fixed time; programs of code hosts are not found, unless `environ` names a PATH."""
    chosen = WebSettings(**{"keyring": False, **settings})
    web = open_web(chosen, {"PATH": "", **environ}, folder, http=Http(routes=net.routes))
    web.now = lambda: NOW
    return web
