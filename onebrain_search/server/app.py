"""The HTTP API (docs/http.md): each path, how its fields are read, and what of the daemon answers it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from indexer.errors import OneBrainError, RequestError
from onebrain_search.presence import FILE, PROTOCOL
from onebrain_search.server.guard import Guard
from onebrain_search.server.refusal import Refusal, answer

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from onebrain_search.server.daemon import Daemon

HEALTH = "/health"  # needs no token, and tells nothing about the notes
MOST_BYTES = 256 * 1024  # of a request's body: far more than the longest question that is read
BODY_SECONDS = 10.0  # until a body has come: on this machine it takes none

Fields = dict[str, Any]
Shape = dict[str, Any]


def make(daemon: Daemon, end: Callable[[], None]) -> ASGIApp:
    """Return the ASGI application of a daemon; `end` is called when it is told to stop."""
    from starlette.applications import Starlette
    from starlette.responses import StreamingResponse
    from starlette.routing import Route

    async def health(request: Request) -> Response:
        """Say who this is; with a challenge, prove it."""
        presence = daemon.presence
        said = {"name": "onebrain-search", "protocol": PROTOCOL, "version": presence.version}
        said |= {"vault_id": presence.vault_id}
        challenge = request.query_params.get("challenge")
        return _json(said | ({"proof": presence.proof(challenge[:128])} if challenge else {}))

    async def stop(request: Request) -> Response:
        """End when everything that was asked is answered."""
        await _body(request)
        end()
        return _json({"version": 1, "stopping": True})

    async def events(request: Request) -> Response:
        """Tell what happens for as long as the client listens."""
        heard = daemon.events.heard(daemon.status())
        return StreamingResponse(heard, headers={"cache-control": "no-store"}, media_type="text/event-stream")

    def posted(name: str) -> Callable[[Request], Awaitable[Response]]:
        """Return what answers a request with its fields in a body."""

        async def endpoint(request: Request) -> Response:
            """Answer it."""
            fields = await _body(request)
            return _json(await _unless_gone(request, daemon.asked(name, fields)))

        return endpoint

    def fetched(name: str) -> Callable[[Request], Awaitable[Response]]:
        """Return what answers a request with its fields in its address."""

        async def endpoint(request: Request) -> Response:
            """Answer it."""
            return _json(await _unless_gone(request, daemon.asked(name, _query(request))))

        return endpoint

    routes = [
        Route(HEALTH, health),
        *(Route(f"/v1/{name}", posted(name), methods=["POST"]) for name in ("search", "ask", "reindex")),
        *(Route(f"/v1/{name}", fetched(name)) for name in ("get", "related", "status")),
        Route("/v1/events", events),
        Route("/v1/stop", stop, methods=["POST"]),
    ]
    handlers: dict[Any, Any] = {OneBrainError: _told, Exception: _failed, 404: _no_such_path, 405: _other_method}
    app = Starlette(routes=routes, exception_handlers=handlers)
    return Guard(app, daemon.presence.token, FILE, unlocked=frozenset({HEALTH}))


async def _told(request: Request, error: OneBrainError) -> Response:
    """Answer with an error of ours."""
    return answer(error)


async def _failed(request: Request, error: Exception) -> Response:
    """Answer with a fault of our own; how it came about is in the log, without what was asked."""
    return answer(
        Refusal(500, f"the daemon failed: {type(error).__name__}", fix="see daemon.log in the state folder")
    )


async def _no_such_path(request: Request, error: Exception) -> Response:
    """Answer a path that is not served."""
    return answer(Refusal(404, "there is no such path", fix="see docs/http.md"))


async def _other_method(request: Request, error: Exception) -> Response:
    """Answer a method that the path does not take."""
    return answer(Refusal(405, "this path takes another method", fix="see docs/http.md"))


def _json(shape: Shape) -> Response:
    """Return an object as an answer that nobody keeps."""
    from starlette.responses import Response

    text = json.dumps(shape, ensure_ascii=False)
    return Response(text, headers={"cache-control": "no-store"}, media_type="application/json")


def _query(request: Request) -> Fields:
    """Return the fields in the address of a request; digits are a number, a field may stand once."""
    pairs = request.query_params.multi_items()
    fields: Fields = {
        name: int(value) if name == "limit" and re.fullmatch(r"\d{1,18}", value) else value for name, value in pairs
    }
    if len(fields) < len(pairs):
        raise RequestError("a field stands twice", where="the address", fix="give it once")
    return fields


async def _body(request: Request) -> Fields:
    """Return the fields in the body of a request: a JSON object, or nothing for none.

    Raises Refusal when it is too large or does not come, RequestError when it is something else.
    """
    content = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                content += part
                if len(content) > MOST_BYTES:
                    raise Refusal(413, f"the body has more than {MOST_BYTES} bytes", fix="ask for less at once")
    except TimeoutError as error:
        raise Refusal(408, "the body did not come", fix="send it at once") from error
    try:
        fields = json.loads(content.decode() or "{}")
    except (ValueError, RecursionError) as error:
        raise RequestError("the body is not JSON", where="body", fix="send one JSON object in UTF-8") from error
    if not isinstance(fields, dict):
        raise RequestError("the body is no JSON object", where="body", fix='send an object, as {"query": "retry"}')
    return fields


async def _unless_gone(request: Request, asked: Coroutine[Any, Any, Shape]) -> Shape:
    """Return what was asked for; when the client goes away first, it is dropped, or its answer is."""
    work, gone = asyncio.create_task(asked), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise Refusal(499, "the client went away")
        return work.result()
    finally:
        work.cancel()
        gone.cancel()


async def _gone(request: Request) -> None:
    """Return when the client of a request has gone away; its body has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
