"""Who may ask the daemon, or MCP over HTTP: programs of this machine that hold the token, and no web page."""

from __future__ import annotations

import hmac
import re
from typing import TYPE_CHECKING

from onebrain_search.server.refusal import Refusal, answer

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

# A name of this machine, as a browser or a program may write it; any other one is a page that plays a trick with DNS.
_HERE = re.compile(rb"(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?", re.I)
_ORIGIN = re.compile(rb"https?://" + _HERE.pattern, re.I)


class Guard:
    """Lets requests through to an ASGI app, or refuses them: 403 for a foreign Host or Origin, 401 without token.

    `kept_in` names the file of the token for people; paths in `unlocked` need none.
    """

    def __init__(self, app: ASGIApp, token: str, kept_in: str, unlocked: frozenset[str] = frozenset()) -> None:
        self.app, self.kept_in, self.unlocked = app, kept_in, unlocked
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        refusal = self._refusal(scope) if scope["type"] != "lifespan" else None
        if refusal is None:
            await self.app(scope, receive, send)
            return
        headers = {"www-authenticate": "Bearer"} if refusal.status == 401 else None
        await answer(refusal, headers)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        """Return why a request is refused, None when it is not."""
        hosts, origins, tokens = (
            [value for name, value in scope["headers"] if name == wanted]
            for wanted in (b"host", b"origin", b"authorization")
        )
        if len(hosts) != 1 or not _HERE.fullmatch(hosts[0]):
            return Refusal(403, "this host is not served", where="Host", fix="ask 127.0.0.1")
        if any(not _ORIGIN.fullmatch(origin) for origin in origins):
            return Refusal(403, "pages of other origins may not ask", where="Origin", fix="ask from a program")
        if scope["path"] in self.unlocked:
            return None
        if len(tokens) != 1 or not hmac.compare_digest(tokens[0], self._expected):
            fix = f"send `Authorization: Bearer TOKEN` with the token of {self.kept_in} in the state folder"
            return Refusal(401, "the token is missing or wrong", where="Authorization", fix=fix)
        return None
