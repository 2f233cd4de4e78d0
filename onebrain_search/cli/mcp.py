"""`mcp`: serve agents."""

from __future__ import annotations

from pathlib import Path

import click

from onebrain_search.cli.console import say, vault_option


@click.command()
@vault_option
@click.option("--http", is_flag=True, help="Serve streamable HTTP on the loopback instead of stdio.")
@click.option("--port", type=click.IntRange(1, 65535), default=8422, show_default=True, help="The port of --http.")
def mcp(vault: Path | None, http: bool, port: int) -> int:
    """Serve the vault to agents by MCP: over stdio, as clients start it, or with --http.

    Questions go to the daemon where one runs; else this process keeps the index fresh and answers itself.
    """
    from onebrain_search.mcp import engine as engines
    from onebrain_search.mcp import server

    engine = engines.of(vault)
    try:
        if http:
            from onebrain_search.mcp import http as loopback

            folder = engine.folder()
            secret = loopback.token(folder)
            say(f"MCP at http://127.0.0.1:{port}/mcp; the token is in {folder / loopback.TOKEN}")
            loopback.serve(engine, secret, port)
        else:
            from onebrain_search.mcp import stdio

            stdio.serve(server.build(engine), engine.close)
    finally:
        engine.close()
    return 0
