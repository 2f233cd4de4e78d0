"""Print how soon the MCP server shakes hands and how fast its tools answer, beside the SDK alone in the same run.

    python benchmarks/mcp.py [VAULT] [--runs 7] [--calls 30]

The bare server is the SDK's own with one empty tool. Both are started in turns, and what is timed is the wall time
from the start of the process to its answer to `initialize`. Warm calls are medians within one session, after the
index is complete and one call of each that does not count. Nothing is asserted: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BARE = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("bare", log_level="WARNING")
@server.tool()
def nothing() -> str:
    return ""
server.run("stdio")
"""
OURS = "from onebrain_search.cli import main; main()"
NOTE = "01-projects/parcel-api/Retry Policy.md"
CALLS: dict[str, dict[str, Any]] = {
    "search": {"query": "what is our retry policy?"},
    "ask": {"question": "what is our retry policy?"},
    "ask (why)": {"question": "why did we drop qmd?"},
    "query": {
        "searches": [{"type": "lex", "query": "retry"}, {"type": "vec", "query": "how often do we try again?"}]
    },
    "get": {"file": f"{NOTE}:7:3"},
    "related": {"path": NOTE},
}


class Session:
    """One running server, spoken to line by line."""

    def __init__(self, command: list[str], home: str) -> None:
        environ = {**os.environ, "ONEBRAIN_SEARCH_HOME": home, "HF_HUB_OFFLINE": "1"}
        pipe = subprocess.PIPE
        self.number, self.started = 0, time.perf_counter()
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8", env=environ)
        client = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        }
        self.ask("initialize", client)
        self.handshake = time.perf_counter() - self.started
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its result."""
        self.number += 1
        self._send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())["result"]
        return found

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool and return its result."""
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def _send(self, message: dict[str, Any]) -> None:
        """Send one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()


@contextmanager
def session(code: str, home: str, *words: str) -> Iterator[Session]:
    """Start a server, give its session, and end it."""
    made = Session([sys.executable, "-c", code, *words], home)
    try:
        yield made
    finally:
        made.process.communicate()


def handshakes(vault: Path, home: str, runs: int) -> tuple[float, float]:
    """Return the median seconds to the handshake of the bare server and of ours, started in turns."""
    seconds: dict[str, list[float]] = {BARE: [], OURS: []}
    for number in range(runs + 1):
        for code, words in ((BARE, ()), (OURS, ("mcp", "--vault", str(vault)))):
            with session(code, home, *words) as one:
                if number:  # the first run of each fills the disk's cache
                    seconds[code].append(one.handshake)
    return statistics.median(seconds[BARE]), statistics.median(seconds[OURS])


def warm(vault: Path, home: str, calls: int) -> tuple[dict[str, float], float]:
    """Return the median milliseconds of each tool in one session, and of an empty tool of the bare server."""
    with session(OURS, home, "mcp", "--vault", str(vault)) as ours, session(BARE, home) as bare:
        while ours.call("status", {})["structuredContent"]["indexing"]:
            time.sleep(0.1)
        spent: dict[str, list[float]] = {name: [] for name in CALLS}
        empty: list[float] = []
        for number in range(calls + 1):
            for name, arguments in CALLS.items():
                started = time.perf_counter()
                result = ours.call(name.split()[0], arguments)
                seconds = time.perf_counter() - started
                assert not result["isError"], result
                if number:
                    spent[name].append(seconds)
            started = time.perf_counter()
            bare.call("nothing", {})
            empty.append(time.perf_counter() - started)
    return {name: 1e3 * statistics.median(each) for name, each in spent.items()}, 1e3 * statistics.median(empty)


def main() -> None:
    """Measure and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    fixture = Path(__file__).parent.parent / "vault_fixtures" / "onebrain"
    parser.add_argument("vault", type=Path, nargs="?", default=fixture)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--calls", type=int, default=30)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        spent, empty = warm(args.vault, home, args.calls)
        bare, ours = handshakes(args.vault, home, args.runs)
    print("| what | measured |\n|---|---|")
    print(f"| handshake, ours / the bare SDK | {ours:.2f} s, {ours - bare:+.2f} s beside {bare:.2f} s |")
    print(f"| an empty tool of the bare SDK | {empty:.1f} ms |")
    for name, milliseconds in spent.items():
        print(f"| `{name}`, warm | {milliseconds:.1f} ms, {milliseconds / empty:.1f} times the empty tool |")


if __name__ == "__main__":
    main()
