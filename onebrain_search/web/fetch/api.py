"""The strategy `api`: a site's own interface, where the address is one of a platform that has one."""

from __future__ import annotations

from dataclasses import replace

from indexer.errors import WebError
from onebrain_search.web.fetch.asking import Desk, Place, Reading, Unanswered, WrongShape, place_of
from onebrain_search.web.fetch.judging import failed
from onebrain_search.web.fetch.platforms import Platform, platform_of
from onebrain_search.web.fetch.types import Errand, Outcome


def attempt(errand: Errand) -> Outcome | None:
    """What the platform's interface tells of a page; None where no platform reads it."""
    place = place_of(errand.url)
    platform = platform_of(place.host)
    if platform is None:
        return None
    try:
        reading = _read(platform, place, Desk(platform.id, errand))
    except WrongShape as error:
        why = f"{error}, or add `--skip api` to read the page as it is"
        return Outcome("api", "invalid-input", platform.id, error=why)
    except Unanswered as error:
        return replace(error.outcome, strategy="api", platform=platform.id, content="")
    except WebError as error:
        return failed(error, "api", platform.id)
    if reading is None:
        return None
    return Outcome(
        "api",
        "ok" if reading.content.strip() else "error",
        platform.id,
        http_status=200,
        content=reading.content,
        content_type="text/markdown",
        metadata={**_title(reading.content), **reading.metadata},
        error="" if reading.content.strip() else f"{platform.id} knows nothing to tell of this page",
    )


def _title(content: str) -> dict[str, str]:
    """The title of a page in Markdown, where it begins with one."""
    first = content.partition("\n")[0]
    return {"title": first.removeprefix("# ")} if first.startswith("# ") else {}


def _read(platform: Platform, place: Place, desk: Desk) -> Reading | None:
    """Read a place; an answer of another shape than the interface is known for is an error of its own."""
    try:
        return platform.read()(place, desk)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise desk.malformed(place.url) from error
