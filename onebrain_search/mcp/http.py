"""MCP over streamable HTTP: on the loopback, behind the guard of the daemon, with a token of its own."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

from indexer.errors import StoreError
from onebrain_search.mcp.engine import Engine
from onebrain_search.mcp.server import build
from onebrain_search.server.guard import Guard

PORT = 8422
TOKEN = "mcp-token"  # the file in the state folder that keeps the token, for its owner's eyes only


def token(folder: Path) -> str:
    """Return the token of a vault, made at the first time and kept, so that clients can keep it, too."""
    file = folder / TOKEN
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        file.write_text(secrets.token_urlsafe(32), "utf-8")
    except FileExistsError:
        pass
    except OSError as error:
        raise StoreError("no token can be kept", where=str(file), fix="check the rights of this folder") from error
    return file.read_text("utf-8").strip()


def serve(engine: Engine, secret: str, port: int) -> None:
    """Serve until the process is told to end."""
    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    # The daemon's guard keeps foreign pages out; the SDK's own is off, since it answers them otherwise (421).
    unguarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = build(engine).streamable_http_app(json_response=True, transport_security=unguarded)
    guarded: Any = Guard(app, secret, TOKEN)
    uvicorn.run(guarded, host="127.0.0.1", port=port, log_level="warning", access_log=False, ws="none")
