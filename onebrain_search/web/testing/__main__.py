"""`python -m onebrain_search.web.testing`: show the web verb against the fake internet, with a source that hangs."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from onebrain_search.web.providers import PROVIDERS
from onebrain_search.web.testing import FakeInternet
from onebrain_search.web.testing.engines import KEY

HOSTS = {
    "context7": "context7.com/api", "exa": "api.exa.ai", "tavily": "api.tavily.com", "brave": "api.search.brave.com",
    "searxng": "searx.example.org", "duckduckgo": "html.duckduckgo.com", "github": "api.github.com",
    "gitlab": "gitlab.com",
}  # fmt: skip
SHOWN = (  # (a host that hangs, a command)
    ("", 'web "React useEffect official docs"'),
    ("", 'web "retry with jitter in Next.js" --wide'),
    ("", 'web --code "retry implementation"'),
    ("", 'web --strict "how to retry with backoff"'),
    ("api.exa.ai", 'web "retry policy ecosystem"'),
)


def settings(net: FakeInternet) -> str:
    """Return an `onebrain.yml` whose sources are those of a fake internet; JSON is YAML, too."""
    urls = {name: net.at(host) for name, host in HOSTS.items()}
    web = {"enabled": True, "keyring": False, "urls": urls, "ranks": net.at("siterank.redirect2.me")}
    return json.dumps({"onebrain_search": {"web": web}})


def environment(home: str) -> dict[str, str]:
    """Return an environment with the keys that the fake internet takes, without programs of code hosts."""
    keys = {variable: KEY for row in PROVIDERS.values() for variable in row.keys[:1]}
    return {**os.environ, **keys, "PATH": "", "ONEBRAIN_SEARCH_HOME": home}


def main() -> None:
    """Print each command with its output."""
    with tempfile.TemporaryDirectory() as place, FakeInternet() as net:
        vault = Path(place, "notes")
        vault.mkdir()
        (vault / "onebrain.yml").write_text(settings(net), "utf-8")
        program = [sys.executable, "-c", "from onebrain_search.cli import main; main()"]
        for hanging, line in SHOWN:
            net.fail("api.exa.ai", "hang" if hanging else "")
            sys.stdout.write(f"$ onebrain-search {line}{f'   # while {hanging} hangs' if hanging else ''}\n")
            sys.stdout.flush()
            subprocess.run([*program, *shlex.split(line)], cwd=vault, env=environment(f"{place}/state"), check=False)
            sys.stdout.write("\n")


if __name__ == "__main__":
    main()
