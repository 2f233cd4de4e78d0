"""The list of popular domains: whether it has a domain, and where. Two servers' shapes are known."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from indexer.errors import WebError
from onebrain_search.web.http import Ask, Http
from onebrain_search.web.replies import rows, within

SECONDS = 2.0
MOST = 20  # domains asked for at once
PATHS = {"tranco-list.eu": "/api/ranks/domain/{domain}"}  # by host; else siterank's
SITERANK = "/api/rank.json"


def places(http: Http, url: str, domains: Sequence[str], seconds: float = SECONDS) -> dict[str, int | None]:
    """Return the places of domains, None for one that the list does not have; those that it gives no answer to lack.

    They are asked at once, and nobody waits longer than `seconds`.
    """
    found: dict[str, int | None] = {}

    def look(domain: str) -> None:
        """Ask for one domain."""
        own = next((path for host, path in PATHS.items() if host in url), "")
        ask = (
            Ask(url + own.format(domain=domain), seconds=seconds, redirects=0)
            if own
            else Ask(url + SITERANK, params={"domain": domain}, seconds=seconds, redirects=0)
        )
        try:
            reply = http.send(ask)
            answer = reply.json() if reply.status == 200 else None
        except WebError:
            return
        if isinstance(answer, dict):
            found[domain] = _place(answer)

    threads = [threading.Thread(target=look, args=(domain,), daemon=True) for domain in domains[:MOST]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds)
    return dict(found)


def _place(answer: Mapping[str, object]) -> int | None:
    """Return the place that an answer names."""
    listed = [row.get("rank") for row in rows(answer, "ranks")] or [within(answer, "rank")]
    number = listed[0]
    return number if isinstance(number, int) and number > 0 else None
