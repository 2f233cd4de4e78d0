"""DuckDuckGo's page without scripts, and its lite page where the first one fails; no key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit, urlunsplit

from onebrain_search.web.http import Ask, Reply
from onebrain_search.web.replies import address, sent, text, title
from onebrain_search.web.results import Access, Found, Result, SourceError, Wanted, host_of

LONGEST = 499  # characters of a question
RANGES = {"pd": "d", "pw": "w", "pm": "m", "py": "y"}
BLOCKED = ("challenge-form", "anomaly-modal", "anomaly.js", "bots use DuckDuckGo too")
LITE = "https://lite.duckduckgo.com"
PAGES = (("", "/html/"), ("lite", "/lite/"))
LISTS = {"": "//*[@id='links']", "lite": "//table"}  # where the rows of a page are, also when there are none
ROWS = {  # of a page: XPath of (rows, link, snippet)
    "": (
        "//div[contains(concat(' ', @class, ' '), ' web-result ') and not(contains(@class, 'result--ad'))]",
        ".//a[contains(@class, 'result__a')]",
        ".//*[contains(@class, 'result__snippet')]",
    ),
    "lite": (
        "//tr[.//a[contains(@class, 'result-link')]]",
        ".//a[contains(@class, 'result-link')]",
        "following-sibling::tr[1]//td[contains(@class, 'result-snippet')]",
    ),
}


def ask(wanted: Wanted, access: Access) -> Found:
    """Return the results of DuckDuckGo. Raises SourceError, also for a page that only asks whether we are human."""
    params = {"q": wanted.question[:LONGEST]}
    if wanted.freshness:
        params["df"] = RANGES[wanted.freshness]
    problem: SourceError | None = None
    for page, path in PAGES:
        try:
            place = _place(access.url, page) + path
            reply = sent(access, Ask(place, params=params, seconds=access.seconds, redirects=0))
            return Found(tuple(_results(reply, page))[: wanted.count])
        except SourceError as error:
            if error.code == "search_http_303":  # how the page says that there is nothing
                return Found()
            problem = problem or error
            if error.code in ("search_timeout", "search_http_202"):
                break  # the other page is no better then
    raise problem or SourceError("search_error", "answered nothing")


def _place(url: str, page: str) -> str:
    """Return the origin of a page; the lite one has its own where ours is the public one."""
    return LITE if page and host_of(url) == "html.duckduckgo.com" else url


def _results(reply: Reply, page: str) -> Iterator[Result]:
    """Yield the results of a page. Raises SourceError where it is a challenge, or something else."""
    from lxml import etree, html

    if any(mark in reply.text for mark in BLOCKED):
        what = "answered with a challenge instead of results: it takes us for a robot"
        raise SourceError("search_http_202", what, where=host_of(reply.url))
    every, link, snippet = ROWS[page]
    try:
        tree = html.document_fromstring(reply.text or "<html></html>")
    except (etree.ParserError, ValueError) as error:
        raise SourceError("search_error", "answered no page", where=host_of(reply.url)) from error
    rows = tree.xpath(every)
    if not rows and not tree.xpath(LISTS[page]):  # a portal's or a proxy's own page is no empty list
        raise SourceError("search_error", "answered a page that holds no list of results", where=host_of(reply.url))
    for row in rows:
        url = _target(next(iter(row.xpath(f"{link}/@href")), ""))
        if url:
            named, said = (_inside(row, path) for path in (link, snippet))
            yield Result("web", title(named, url), url, text(said), ("duckduckgo",))


def _inside(row: Any, path: str) -> str:
    """Return the text of the first element at a path."""
    return str(next((each.text_content() for each in row.xpath(path)), ""))


def _target(href: str) -> str:
    """Return the page that a link of the results leads to; nothing for an advertisement or a link of their own."""
    try:
        parts = urlsplit(href, scheme="https")
        own = (parts.hostname or "").endswith("duckduckgo.com") or not parts.netloc
        target = parse_qs(parts.query).get("uddg", [""])[0] if own else urlunsplit(parts)
    except ValueError:
        return ""
    return "" if host_of(target).endswith("duckduckgo.com") else address(target)
