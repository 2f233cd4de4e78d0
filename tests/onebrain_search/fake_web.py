"""What tests of the web share: a web whose every source has its key and leads to the fake internet."""

from __future__ import annotations

import json
import os
import sys
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
PROJECT = '{"id": 6, "path_with_namespace": "acme/ci", "web_url": "https://gitlab.com/acme/ci"}'
KEYS = dict.fromkeys(VARIABLES, KEY)


def open_fake(
    net: FakeInternet, environ: Mapping[str, str] = KEYS, folder: Path | None = None, **settings: Any
) -> Web:
    """Return a web at a fixed time; programs of code hosts are not found, unless `environ` names a PATH."""
    chosen = WebSettings(**{"keyring": False, **settings})
    web = open_web(chosen, {"PATH": "", **environ}, folder, http=Http(routes=net.routes))
    web.now = lambda: NOW
    return web


def install(folder: Path, name: str, *, out: str = "", err: str = "", code: int = 0) -> str:
    """Put a program into a folder, which prints this and keeps its arguments; return the folder as a PATH."""
    folder.mkdir(exist_ok=True)
    log = folder / f"{name}.log"
    body = (
        f"import json, sys\nopen({str(log)!r}, 'a').write(json.dumps(sys.argv[1:]) + '\\n')\n"
        f"place = [a for a in sys.argv if a.startswith('/projects')]\n"
        f"sys.stdout.write({PROJECT!r} if place else {out!r})\nsys.stderr.write({err!r})\nsys.exit({code})\n"
    )
    if os.name == "nt":
        (folder / f"{name}.py").write_text(body, "utf-8")
        (folder / f"{name}.cmd").write_text(f'@"{sys.executable}" "{folder / name}.py" %*\n', "utf-8")
    else:
        program = folder / name
        program.write_text(f"#!{sys.executable}\n{body}", "utf-8")
        program.chmod(0o755)
    return str(folder)


def arguments(folder: Path, name: str) -> list[list[str]]:
    """Return the arguments of each call of an installed program."""
    log = folder / f"{name}.log"
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []
