"""Context7: the documentation of a library. First its name becomes an id, then the id is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from onebrain_search.web import words
from onebrain_search.web.http import Ask, Reply
from onebrain_search.web.replies import address, mapping, rows, sent, text, title
from onebrain_search.web.results import Access, Found, Result, SourceError, Wanted
from onebrain_search.web.tables import load

TRIES = 3  # names that are looked up for one question
UNRESOLVED = "context7_unresolved"
EMPTY = "context7_empty"
NOT_READY = "search_http_202"
_STOP = frozenset(
    "a an and are as at be by can do does for from get how i in is it my of on or our the to use using vs we what"
    " when where which why with you".split()
)
_TOKEN = re.compile(r"[A-Za-z][\w.+#/-]*")


def ask(wanted: Wanted, access: Access) -> Found:
    """Return passages of the documentation that a question names. Raises SourceError.

    Its code is UNRESOLVED where no library is known by any name in the question, and EMPTY where the library says
    nothing on it, whether the topic is taken broader or narrower.
    """
    library = resolved(wanted, access)
    topics = dict.fromkeys((wanted.question, _topic(wanted.question, library), ""))
    for topic in topics:
        found = _passages(library, topic or str(library.get("title", "")), access)
        if found:
            return Found(tuple(found[: wanted.count]))
    raise SourceError(EMPTY, "the documentation says nothing on this", where=str(library["id"]))


def resolved(wanted: Wanted, access: Access) -> dict[str, Any]:
    """Return the library that a question is about: the best one whose name stands in the question. SourceError."""
    for name in list(names(wanted.question))[:TRIES]:
        params = {"query": wanted.question, "libraryName": name}
        found = rows(mapping(_get("/v2/libs/search", params, access)), "results")
        fitting = [row for row in found if _is_named(row, name)]
        if fitting:
            return max(fitting, key=_standing)
    raise SourceError(UNRESOLVED, "no library of this name is known")


def names(question: str) -> Iterator[str]:
    """Yield the names that a library may have, likeliest first, each with its other spelling (next.js, nextjs)."""
    keywords = [word for mode in load("routes") for word in load("routes")[mode]["en"]]
    tokens = [token.strip("./-") for token in _TOKEN.findall(question)]
    plain = [t for t in tokens if t.lower() not in _STOP and not words.found(t, keywords)]
    proper = [t for t in plain if t[0].isupper() or "." in t]
    pair = [" ".join(proper)] if len(proper) == 2 and " ".join(proper) in question else []
    seen = set()
    for token in dict.fromkeys([*pair, *proper, *plain]):
        for spelling in (token, _other(token)):
            if spelling and spelling.lower() not in seen:
                seen.add(spelling.lower())
                yield spelling


def _other(name: str) -> str:
    """Return the other spelling of a name: with or without its dot."""
    if name.lower().endswith(".js"):
        return f"{name[:-3]}js"
    return f"{name[:-2]}.js" if name.lower().endswith("js") and len(name) > 3 else ""


def _is_named(row: dict[str, Any], name: str) -> bool:
    """Whether a library is called by a name: all of its title, or of the last part of its id."""
    called = {_plain(text(row.get("title"))), *map(_plain, str(row.get("id", "")).split("/"))}
    return bool(text(row.get("id"))) and _plain(name) in called


def _plain(name: str) -> str:
    """Return a name without case, signs and the ending of JavaScript libraries."""
    return re.sub(r"\.?js$", "", name.lower()).translate({ord(sign): None for sign in " .-_"})


def _standing(row: dict[str, Any]) -> tuple[bool, float, float]:
    """Return what decides between libraries of one name: ready, trusted, large."""
    numbers = (row.get(name) for name in ("trustScore", "totalSnippets"))
    trusted, size = (n if isinstance(n, (int, float)) else 0 for n in numbers)
    return row.get("state", "finalized") == "finalized", trusted, size


def _topic(question: str, library: dict[str, Any]) -> str:
    """Return a question without the library's name and words for documentation: narrower to ask."""
    skip = {_plain(text(library.get("title"))), "official", "docs", "documentation", "reference"}
    return " ".join(word for word in question.split() if _plain(word) not in skip)


def _passages(library: dict[str, Any], topic: str, access: Access) -> list[Result]:
    """Return what a library's documentation says on a topic."""
    params = {"libraryId": str(library["id"]), "query": topic, "type": "json"}
    try:
        answer = mapping(_get("/v2/context", params, access))
    except SourceError as error:
        if error.code in ("search_http_404", "search_http_422"):
            return []
        raise
    moved = text(answer.get("redirectUrl"))
    if moved.startswith("/"):
        if library.get("moved"):
            raise SourceError("search_error", "the library has moved more than once", where=moved)
        return _passages({**library, "id": moved, "moved": True}, topic, access)
    return [*_told(answer, library), *_coded(answer, library)]


def _told(answer: Any, library: dict[str, Any]) -> Iterator[Result]:
    """Yield the passages of prose."""
    for row in rows(answer, "infoSnippets"):
        if url := address(row.get("pageId")):
            yield _result(row.get("breadcrumb") or library.get("title"), url, text(row.get("content")))


def _coded(answer: Any, library: dict[str, Any]) -> Iterator[Result]:
    """Yield the passages of code."""
    for row in rows(answer, "codeSnippets"):
        url = address(str(row.get("codeId", "")).partition("#")[0])
        code = " ".join(text(each.get("code")) for each in rows(row, "codeList"))
        if url:
            said = " ".join(filter(None, (text(row.get("codeDescription")), code)))
            yield _result(row.get("codeTitle") or row.get("pageTitle") or library.get("title"), url, said)


def _result(named: Any, url: str, said: str) -> Result:
    """Return a passage of the library's own documentation."""
    return Result("docs", title(named, url), url, said, ("context7",), library=True)


def _get(path: str, params: dict[str, str], access: Access) -> Reply:
    """Return the reply to a request; a library that has moved is told in its body. Raises SourceError."""
    headers = {"Authorization": f"Bearer {access.keys[0]}"} if access.keys else {}
    place = f"{access.url}{path}"
    request = Ask(place, params=params, headers=headers, seconds=access.seconds, redirects=0)
    fixes = {202: "the library is not ready yet, ask again later", 401: "check the key"}
    return sent(access, request, fixes=fixes, passing=301)
