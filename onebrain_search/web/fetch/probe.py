"""Plain requests for the page itself: all arms at once, the first page wins, the others are left behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from indexer.errors import WebError
from onebrain_search.web.fetch.judging import failed, judged
from onebrain_search.web.fetch.signals import quota
from onebrain_search.web.fetch.together import as_they_come
from onebrain_search.web.fetch.types import Errand, Outcome
from onebrain_search.web.http import AGENT, Reply, origin, shown

JINA: Final = "https://r.jina.ai/"  # a reader service: it learns the address, so it runs only where it is allowed
HTML: Final = "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.8"
DESKTOP: Final = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
MOBILE: Final = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.5 Mobile/15E148 Safari/604.1"
)


@dataclass(frozen=True, slots=True)
class Arm:
    """One way to ask for a page: where, with what headers; `service` arms need the person's leave."""

    label: str
    address: Callable[[str], str]
    agent: str
    accept: str = HTML
    referer: bool = False
    service: bool = False


def _same(url: str) -> str:
    """The address itself."""
    return url


def _mobile(url: str) -> str:
    """The address on the site's host for phones."""
    parts = urlsplit(url)
    host = parts.netloc.removeprefix("www.")
    return parts._replace(netloc=host if host.startswith("m.") else f"m.{host}").geturl()


def _read_by_service(url: str) -> str:
    """The address at the reader service."""
    return JINA + url


# No arm pretends to be the crawler of a search engine.
ARMS: Final = (
    Arm("plain", _same, AGENT),
    Arm("curl-desktop", _same, DESKTOP, referer=True),
    Arm("curl-mobile", _mobile, MOBILE),
    Arm("jina", _read_by_service, AGENT, "text/plain", service=True),
    Arm("jina-json", _read_by_service, AGENT, "application/json", service=True),
)


def attempt(errand: Errand) -> Outcome:
    """The first page that an arm gets; if none does, what the site said of the address itself.

    What the phone's host or the reader service said is no answer to that, but a spent quota of the service is told.
    """
    arms = [arm for arm in ARMS if not arm.service or "jina" in errand.choices.allowed]
    jobs = {arm.label: partial(_ask, arm, errand) for arm in arms}
    got: dict[str, Outcome] = {}
    for label, result in as_they_come(jobs, errand.until):
        got[label] = result if isinstance(result, Outcome) else _broken(result, label)
        if got[label].ok:
            errand.stop.set()
            return got[label]
    own = [got[arm.label] for arm in arms if arm.address is _same and arm.label in got]
    late = WebError(f"no answer within {errand.choices.seconds:g} s", kind="timeout", where=shown(errand.url))
    best = next((outcome for outcome in own if outcome.http_status), (own or [failed(late, "probe")])[0])
    spent = (signal for outcome in got.values() for signal in outcome.signals if signal.kind == "jina-quota")
    return replace(best, signals=(*best.signals, *spent))


def _ask(arm: Arm, errand: Errand) -> Outcome:
    """What one arm gets."""
    referer = {"referer": origin(errand.url) + "/"} if arm.referer else {}
    headers = {"accept": arm.accept, "user-agent": arm.agent, **referer}
    try:
        reply = errand.get(arm.address(errand.url), headers)
    except WebError as error:
        return failed(error, "probe", arm.label)
    outcome = judged(reply, "probe", arm.label, quota(reply.status, reply.text) if arm.service else ())
    return _unwrapped(outcome, reply) if outcome.ok and arm.service else outcome


def _unwrapped(outcome: Outcome, reply: Reply) -> Outcome:
    """The page in the reader service's JSON; its plain text is one already."""
    if "json" not in outcome.content_type:
        return replace(outcome, content_type="text/markdown")
    try:
        data = reply.json()["data"]
        content, title = str(data["content"]), str(data.get("title") or "")
    except (WebError, KeyError, TypeError, AttributeError):
        return replace(outcome, status="error", content="", error="the reader service answered in a shape of its own")
    return replace(outcome, content=content, content_type="text/markdown", metadata={"title": title} if title else {})


def _broken(result: Exception, label: str) -> Outcome:
    """The outcome of an arm that failed in a way nobody foresaw."""
    return Outcome("probe", "error", label, error=f"{type(result).__name__}: {result}"[:200])
