"""Make docs/pictures/agent.svg: `python docs/pictures/agent.py`, with rich, which `make test` installs.

A real session: the SDK's client starts `onebrain-search mcp` over an indexed copy of vault_fixtures/onebrain and asks
two questions; what it sent and got is drawn as a terminal.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

from onebrain_search import Brain

REPO = Path(__file__).parents[2]
PICTURE = Path(__file__).with_name("agent.svg")
COLUMNS = 116
PROGRAM = ["-c", "from onebrain_search.cli import main; main()", "mcp", "--vault"]
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ask", {"question": "How long are idempotency keys kept?"}),
    ("ask", {"question": "why did we drop qmd?"}),
)


async def session(vault: Path, home: Path) -> list[tuple[str, str]]:
    """Return each call and the text that came back."""
    environ = {**os.environ, "ONEBRAIN_SEARCH_HOME": str(home)}
    server = StdioServerParameters(command=sys.executable, args=[*PROGRAM, str(vault)], env=environ)
    found = []
    async with Client(server) as client:
        for name, arguments in ASKED:
            result: Any = await client.call_tool(name, arguments)
            found.append((f"{name} {json.dumps(arguments)}", str(result.content[0].text)))
    return found


def drawn(calls: list[tuple[str, str]]) -> str:
    """Return the calls as a picture, one colour each for what is sent, our words, and text from notes."""
    with io.StringIO() as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere)
        for sent, got in calls:
            console.print(Text(f"→ {sent}", style="bold cyan"))
            for line in got.split("\n"):
                mark = re.match(r"\[/?[0-9a-f]{8}|more: ", line)
                console.print(Text(line, style="dim" if mark else "", no_wrap=True, overflow="ellipsis"))
            console.print()
        picture = console.export_svg(title="an agent, by MCP", theme=DIMMED_MONOKAI, unique_id="agent")
    alone = re.sub(r"@font-face \{.*?\}\s*|<!--.*?-->", "", picture, flags=re.S)  # nothing is fetched to show it
    return "\n".join(line.rstrip() for line in alone.splitlines()) + "\n"


def main() -> None:
    """Make the picture."""
    with tempfile.TemporaryDirectory() as place:
        for name in ("onebrain", "onebrain_code"):
            shutil.copytree(REPO / "vault_fixtures" / name, Path(place, name))
        vault, home = Path(place, "onebrain"), Path(place, "home")
        Brain.open(vault, environ={"ONEBRAIN_SEARCH_HOME": str(home)}).index()
        calls = asyncio.run(session(vault, home))
    PICTURE.write_text(drawn(calls), "utf-8")


if __name__ == "__main__":
    main()
