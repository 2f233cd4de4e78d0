"""From a reply, or the error in its place, to the outcome of an attempt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from indexer.errors import WebError
from onebrain_search.web.fetch.extraction import Body, body_of
from onebrain_search.web.fetch.signals import classify, detect
from onebrain_search.web.fetch.types import Outcome, Signal, Status
from onebrain_search.web.http import Reply, shown

# An address that must not be asked ends the fetch as bad input, whichever hop led to it.
_BY_KIND: Final[Mapping[str, Status]] = {"timeout": "timeout", "refused": "invalid-input"}


def judged(reply: Reply, strategy: str, platform: str = "", extra: Sequence[Signal] = ()) -> Outcome:
    """What a reply is worth: its main text, or why it is none. `extra` are signals found beside the usual ones."""
    try:
        body = body_of(reply)
    except WebError as error:
        if reply.status < 400:
            return replace(failed(error, strategy, platform), http_status=reply.status)
        body = Body("", "")
    page = body.page is not None
    signals = (*detect(reply.status, reply.headers, body.source, body.seen, page=page), *extra)
    status: Status = "blocked" if extra else classify(reply.status, signals, body.seen)
    known = {"platform": platform, "http_status": reply.status, "signals": signals}
    if status != "ok":
        return Outcome(strategy, status, error=_why(reply, status, signals), **known)  # type: ignore[arg-type]
    content, by = body.content()
    metadata = {**(body.page.metadata() if body.page else {}), **({"extraction": by} if by else {})}
    if reply.url != reply.hops[0]:
        metadata["finalUrl"] = reply.url
    return Outcome(
        strategy,
        "ok" if content.strip() else "error",
        content=content,
        content_type=body.content_type,
        metadata=metadata,
        error="" if content.strip() else f"no main text at {shown(reply.url)}",
        **known,  # type: ignore[arg-type]
    )


def failed(error: WebError, strategy: str, platform: str = "") -> Outcome:
    """The outcome of an attempt that got no reply."""
    loop = (Signal("redirect-loop", error.what),) if error.kind == "redirects" else ()
    status = _BY_KIND.get(error.kind, "error")
    return Outcome(strategy, status, platform, signals=loop, error=str(error))


def _why(reply: Reply, status: Status, signals: Sequence[Signal]) -> str:
    """One line that says why there is no page."""
    seen = [signal.detail for signal in signals if signal.kind not in ("waf-header", "waf-cookie")]
    said = {
        "auth-required": "wants a login or a subscription",
        "not-found": "there is no such page",
        "blocked": "does not let us in",
    }
    because = f", {seen[0]}" if seen and seen[0] != str(reply.status) else ""
    what = said.get(status, "the page holds no text" if reply.status < 400 else "the server failed")
    return f"{what} (HTTP {reply.status}{because}, {shown(reply.url)})"
