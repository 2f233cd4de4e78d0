"""MCP over streamable HTTP: on the loopback, for requests with the token, our Host and no foreign Origin."""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

from indexer.errors import StoreError
from onebrain_search.mcp.engine import Engine
from onebrain_search.mcp.server import build

PORT = 8422
TOKEN = "mcp-token"  # the file in the state folder that keeps the token, for its owner's eyes only
HOSTS = ("127.0.0.1", "localhost", "[::1]")

Message = MutableMapping[str, Any]
App = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]


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


def guarded(app: App, secret: str) -> App:
    """Return the app behind a check of the token."""
    wanted = f"Bearer {secret}".encode()

    async def check(scope: Message, receive: Any, send: Any) -> None:
        """Refuse a request without the token."""
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        if scope["type"] != "http" or hmac.compare_digest(given, wanted):
            await app(scope, receive, send)
            return
        said = b"wrong or missing token: send the header `Authorization: Bearer TOKEN`\n"
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": said})

    return check


def serve(engine: Engine, secret: str, port: int) -> None:
    """Serve until the process is told to end."""
    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    rules = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[form for host in HOSTS for form in (host, f"{host}:*")],
        allowed_origins=[form for host in HOSTS for form in (f"http://{host}", f"http://{host}:*")],
    )
    app: Any = build(engine).streamable_http_app(json_response=True, transport_security=rules)
    uvicorn.run(guarded(app, secret), host="127.0.0.1", port=port, log_level="warning", access_log=False)
