"""The search engines and APIs of the fake internet, each in the shape of its real one, all of the same pages."""

from __future__ import annotations

from datetime import datetime
from email.utils import format_datetime
from html import escape
from typing import Any
from urllib.parse import quote

from onebrain_search.web.testing.corpus import NOTHING, Page, known
from onebrain_search.web.testing.served import Call, Served, Site, as_html, as_json, nothing_there

ADVERT = (
    '<div class="result results_links result--ad web-result">'
    '<h2><a class="result__a" href="https://duckduckgo.com/y.js?ad=1">Buy</a></h2></div>'
)
KEY = "good-key"  # the one key that every engine takes
REFUSED = as_json({"error": "invalid api key"}, 401)


def _number(value: Any, default: int = 10) -> int:
    """Return a count of a request."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return default


def brave(call: Call) -> Served:
    """Serve api.search.brave.com; without results the whole `web` object is missing."""
    if call.path != "/res/v1/web/search":
        return nothing_there(call)
    if call.headers.get("x-subscription-token") != KEY:
        return REFUSED
    pages = known(call.query["q"], _number(call.query.get("count"), 20))
    answer: dict[str, Any] = {"type": "search", "query": {"original": call.query["q"]}}
    if pages:
        rows = [
            {"title": f"<strong>{escape(p.title)}</strong>", "url": p.url, "description": escape(p.text)}
            | ({"page_age": f"{p.date}T00:00:00"} if p.date else {"age": "2 days ago"})
            for p in pages
        ]
        answer["web"] = {"type": "search", "results": rows}
    return as_json(answer)


def exa(call: Call) -> Served:
    """Serve api.exa.ai; dates and titles may be null."""
    key = call.headers.get("x-api-key") or call.headers.get("authorization", "").removeprefix("Bearer ")
    if key != KEY:
        return as_json({"requestId": "r0", "error": "Invalid API key", "tag": "INVALID_API_KEY"}, 401)
    wanted = call.json
    rows = [
        {"id": p.url, "title": p.title or None, "url": p.url, "highlights": [p.text], "score": 0.4}
        | {"publishedDate": f"{p.date}T00:00:00.000Z" if p.date else None}
        for p in known(wanted["query"], _number(wanted.get("numResults")))
    ]
    kind = {"auto": "neural"}.get(wanted.get("type", "auto"), wanted.get("type"))
    return as_json({"requestId": "r1", "resolvedSearchType": kind, "results": rows, "costDollars": {"total": 0.005}})


def tavily(call: Call) -> Served:
    """Serve api.tavily.com; dates come with news only."""
    if call.headers.get("authorization") != f"Bearer {KEY}":
        return as_json({"detail": {"error": "Unauthorized: missing or invalid API key."}}, 401)
    wanted = call.json
    news = wanted.get("topic") == "news"
    pages = known(wanted["query"], _number(wanted.get("max_results"), 5))
    rows = [
        {"title": p.title, "url": p.url, "content": p.text, "score": round(0.9 - 0.1 * n, 2), "raw_content": None}
        | ({"published_date": _mail_date(p)} if news and p.date else {})
        for n, p in enumerate(pages)
    ]
    answer = f"In short: {pages[0].text}" if pages and wanted.get("include_answer") else None
    return as_json({"query": wanted["query"], "answer": answer, "images": [], "results": rows, "response_time": 0.1})


def searxng(call: Call) -> Served:
    """Serve a SearXNG server whose JSON is switched on; one of its engines is silent."""
    if call.query.get("format") != "json":
        return as_html("<html><body>results for people</body></html>")
    rows = [
        {"url": p.url, "title": p.title, "content": p.text, "engine": "mojeek", "engines": ["mojeek"], "score": 1.0}
        | {"publishedDate": p.date or None}
        for p in known(call.query["q"], 20)
    ]
    silent = [["duckduckgo", "CAPTCHA"]]
    return as_json({"query": call.query["q"], "results": rows, "answers": [], "unresponsive_engines": silent})


def duckduckgo(call: Call) -> Served:
    """Serve the page without scripts, and the lite one, with an advertisement on top."""
    pages = known(call.query.get("q", ""), 10)
    if call.path == "/lite/":
        rows = "".join(
            f"<tr><td>{n}.</td><td><a class='result-link' href='{_redirect(p)}'>{escape(p.title)}</a></td></tr>"
            f"<tr><td></td><td class='result-snippet'>{escape(p.text)}</td></tr>"
            for n, p in enumerate(pages, 1)
        )
        return as_html(f"<html><body><table>{rows}</table></body></html>")
    if call.path != "/html/":
        return nothing_there(call)
    rows = "".join(
        f'<div class="result results_links web-result"><h2><a class="result__a" href="{_redirect(p)}">'
        f'{escape(p.title)}</a></h2><a class="result__snippet" href="#">{escape(p.text)}</a></div>'
        for p in pages
    )
    return as_html(f'<html><body><div id="links" class="results">{ADVERT}{rows}</div></body></html>')


def _redirect(page: Page) -> str:
    """Return the link that DuckDuckGo gives to a page."""
    return f"//duckduckgo.com/l/?uddg={quote(page.url, safe='')}&amp;rut=0a"


def _mail_date(page: Page) -> str:
    """Return the date of a page as mails write it."""
    return format_datetime(datetime.fromisoformat(page.date))


LIBRARIES = {  # name asked for -> the library that Context7 has
    "react": ("/facebook/react", "React", "https://github.com/facebook/react/blob/main/docs"),
    "next.js": ("/vercel/next.js", "Next.js", "https://nextjs.org/docs"),
    "blank": ("/acme/blank", "Blank", ""),
    "moved": ("/acme/moved", "Moved", ""),
    "young": ("/acme/young", "Young", ""),
}


def context7(call: Call) -> Served:
    """Serve context7.com: a few libraries; Blank has no text, Moved is now React, Young is not ready."""
    path = call.path.removeprefix("/api")
    if path == "/v2/libs/search":
        found = LIBRARIES.get(call.query.get("libraryName", "").lower())
        rows = [_library("/other/thing", "Thing", 3.0)] + ([_library(found[0], found[1], 9.0)] if found else [])
        return as_json({"results": rows, "searchFilterApplied": False})
    if path != "/v2/context":
        return nothing_there(call)
    wanted = call.query.get("libraryId", "")
    if wanted == "/acme/moved":
        return as_json({"redirectUrl": "/facebook/react"}, 301)
    if wanted == "/acme/young":
        return as_json({"error": "not_finalized", "message": "The library is being read."}, 202)
    place = next((row[2] for row in LIBRARIES.values() if row[0] == wanted), "")
    if not place:
        return as_json({"error": "library_not_found", "message": f'Library "{wanted}" not found.'}, 404)
    told = {"pageId": f"{place}/guide", "breadcrumb": "Guide > Use", "content": "How to use it.", "contentTokens": 5}
    code = {
        "codeTitle": "Use it", "codeDescription": "The least that works", "codeLanguage": "js", "pageTitle": "Guide",
        "codeId": f"{place}/example#_0", "codeList": [{"language": "js", "code": "useIt()"}],
    }  # fmt: skip
    return as_json({"codeSnippets": [code], "infoSnippets": [told]})


def _library(name: str, title: str, trust: float) -> dict[str, Any]:
    """Return a row of the list of libraries."""
    return {
        "id": name,
        "title": title,
        "state": "finalized",
        "totalSnippets": 10,
        "trustScore": trust,
        "versions": [],
    }


def github(call: Call) -> Served:
    """Serve the code search of api.github.com; without a token it is not allowed."""
    if call.path != "/search/code":
        return nothing_there(call)
    if not call.headers.get("authorization", "").endswith(KEY):
        return as_json({"message": "Requires authentication"}, 401)
    if NOTHING in call.query["q"]:
        return as_json({"total_count": 0, "incomplete_results": False, "items": []})
    row = {
        "name": "retry.py", "path": "src/retry.py", "html_url": "https://github.com/acme/app/blob/0123/src/retry.py",
        "repository": {"id": 1, "full_name": "acme/app", "private": False, "html_url": "https://github.com/acme/app"},
        "text_matches": [{"fragment": "def retry(call):", "matches": [{"text": "retry", "indices": [4, 9]}]}],
    }  # fmt: skip
    return as_json({"total_count": 1, "incomplete_results": False, "items": [row]})


def github_limited(call: Call) -> Served:
    """Serve what GitHub says when its ten calls a minute are used up."""
    return as_json(
        {"message": "API rate limit exceeded for user ID 1."}, 403,
        x_ratelimit_limit="10", x_ratelimit_remaining="0", x_ratelimit_reset="42",
    )  # fmt: skip


def gitlab(call: Call) -> Served:
    """Serve gitlab.com: blobs have no address, so their project must be asked for."""
    if call.headers.get("private-token") != KEY:
        return as_json({"message": "401 Unauthorized"}, 401)
    if call.path == "/api/v4/projects/6":
        return as_json({"id": 6, "path_with_namespace": "acme/ci", "web_url": "https://gitlab.com/acme/ci"})
    if call.path != "/api/v4/search":
        return nothing_there(call)
    row = {"basename": "ci", "data": "cache:\n  key: x\n", "path": "ci.yml", "ref": "main", "startline": 46}
    return as_json([] if NOTHING in call.query["search"] else [{**row, "filename": "ci.yml", "project_id": 6}])


def siterank(call: Call) -> Served:
    """Serve the places of domains; only `example.org` and `example.net` are popular."""
    domain = call.query.get("domain", "")
    place = {"example.org": 4000, "sketchy.example.net": 900_000, "popular.example.com": 12301}.get(domain, 0)
    return as_json({"success": bool(place), "domain": domain, "rank": place})


def tranco(call: Call) -> Served:
    """Serve the list's own server."""
    domain = call.path.rpartition("/")[2]
    place = {"popular.example.com": 12301}.get(domain)
    return as_json({"ranks": [{"date": "2026-08-01", "rank": place}] if place else []})


ENGINES: dict[str, Site] = {
    "api.search.brave.com": brave,
    "api.exa.ai": exa,
    "api.tavily.com": tavily,
    "searx.example.org": searxng,
    "html.duckduckgo.com": duckduckgo,
    "lite.duckduckgo.com": duckduckgo,
    "context7.com": context7,
    "api.github.com": github,
    "gitlab.com": gitlab,
    "siterank.redirect2.me": siterank,
    "tranco-list.eu": tranco,
}
