"""Wikipedia in any language: the summary of an article for its facts, and the article itself."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import quote

from indexer.errors import WebError
from onebrain_search.web.fetch.asking import Desk, Place, Reading, Unanswered, WrongShape, known, markdown
from onebrain_search.web.fetch.extraction import main_text


def read(place: Place, desk: Desk) -> Reading:
    """Read `/wiki/TITLE`; where only the summary comes, `partial` says so."""
    if place.step(0) != "wiki" or len(place.steps) < 2:
        raise WrongShape("articles of Wikipedia are /wiki/TITLE")
    title = quote("/".join(place.steps[1:]).replace(" ", "_"), safe="")
    host = place.host.removeprefix("www.").replace(".m.", ".")
    found = desk.json(f"https://{host}/api/rest_v1/page/summary/{title}")
    text, partial = found.get("extract") or "", "summary"
    with suppress(Unanswered, WebError):  # the summary is worth having alone, and says that it is one
        page = desk.page(f"https://{host}/api/rest_v1/page/html/{title}")
        text, partial = main_text(page, whole=True)[0] or text, ""
    facts = known(
        description=found.get("description"), lang=found.get("lang"), updated=found.get("timestamp"), partial=partial
    )
    return Reading(markdown(found["title"], [found.get("description") or ""], text), facts)
