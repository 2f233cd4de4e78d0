"""GitHub's code search, by its program `gh` where that is logged in, else by its API with a token."""

from __future__ import annotations

import re
from typing import Any

from onebrain_search.web import words
from onebrain_search.web.http import Ask
from onebrain_search.web.programs import RATE_LIMITED, UNAUTHENTICATED, printed
from onebrain_search.web.replies import address, mapping, rows, sent, text, within
from onebrain_search.web.results import Access, Found, Result, SourceError, Wanted
from onebrain_search.web.tables import load

LONGEST = 256  # characters of a query
FIELDS = "path,repository,sha,textMatches,url"
LANGUAGES = (
    "Python",
    "TypeScript",
    "JavaScript",
    "Rust",
    "Go",
    "Java",
    "Kotlin",
    "Swift",
    "Ruby",
    "C++",
    "C#",
    "PHP",
)
NO_LOGIN = "GitHub CLI requires authentication. Run `gh auth login` first."
NARROWER = "narrow your query with repo: or language:"
RATE_STATUSES = ("search_http_403", "search_http_429")

_PLATFORM = re.compile(r"(?<!\w)git(?:hub|lab)(?:\.com)?(?!\w)", re.IGNORECASE)


def ask(wanted: Wanted, access: Access) -> Found:
    """Return code from GitHub; a question that names a language is asked again without it where it finds nothing.

    Raises SourceError; a rate limit is told at once and never tried against.
    """
    first, broader = queries(wanted.question)
    found = _asked(first, wanted.count, access)
    if not found and broader != first:
        found = _asked(broader, wanted.count, access)
    return Found(tuple(found))


def queries(question: str) -> tuple[str, str]:
    """Return the query of a question, its language as a condition, and the same without."""
    plain = _PLATFORM.sub(" ", question)
    for word in load("routes")["code"]["en"]:
        plain = words.pattern(word).sub(" ", plain)
    tokens = plain.split()
    language = next((name for name in LANGUAGES for token in tokens if token.lower() == name.lower()), "")
    bare = " ".join(token for token in tokens if token.lower() != language.lower())[: LONGEST - 30] or question
    return (f"{bare} language:{language}" if language else bare), bare


def limited(limit: str = "", wait: float | None = None) -> str:
    """Return what is said of a rate limit, with the numbers that the host gave."""
    rate = f" ({limit} req/min)" if limit else ""
    pause = f"Wait {wait:.0f} s" if wait else "Wait briefly"
    return f"GitHub API rate limit reached{rate}. {pause} or {NARROWER}."


def _asked(query: str, count: int, access: Access) -> list[Result]:
    """Return the code that a query finds."""
    if access.program:
        try:
            return _by_program(query, count, access)
        except SourceError as error:
            if error.code == RATE_LIMITED:
                raise SourceError(RATE_LIMITED, limited(), where="gh") from error
            if error.code != UNAUTHENTICATED:
                raise
            if not access.keys:
                raise SourceError(UNAUTHENTICATED, NO_LOGIN, where="gh") from error
    return _by_api(query, count, access)


def _by_program(query: str, count: int, access: Access) -> list[Result]:
    """Return what `gh` finds."""
    # Behind `--` a query that starts with a dash is still a query.
    arguments = ["search", "code", "--limit", str(count), "--json", FIELDS, "--", query]
    answer = printed(access.program, arguments, access.seconds)
    found = rows({"all": answer}, "all")
    return [
        _result(row.get("path"), within(row, "repository", "nameWithOwner"), url, row.get("textMatches"))
        for row in found
        if (url := address(row.get("url")))
    ]


def _by_api(query: str, count: int, access: Access) -> list[Result]:
    """Return what the API finds."""
    headers = {"Accept": "application/vnd.github.text-match+json"}
    headers |= {"Authorization": f"Bearer {access.keys[0]}"} if access.keys else {}
    params = {"q": query, "per_page": str(min(100, count))}
    request = Ask(f"{access.url}/search/code", params=params, headers=headers, seconds=access.seconds, redirects=0)
    try:
        answer = mapping(sent(access, request, fixes={401: "check the token"}))
    except SourceError as error:
        if error.code in RATE_STATUSES and (error.wait is not None or "rate limit" in error.what.lower()):
            what = limited(error.limit, error.wait)
            raise SourceError(error.code, what, where=error.where, wait=error.wait) from error
        raise
    return [
        _result(row.get("path"), within(row, "repository", "full_name"), url, row.get("text_matches"))
        for row in rows(answer, "items")
        if (url := address(row.get("html_url")))
    ]


def _result(path: Any, repository: Any, url: str, matches: Any) -> Result:
    """Return a file with the lines that fit."""
    fragments = [text(row.get("fragment")) for row in rows({"all": matches}, "all")]
    meta = {"repository": text(repository), "host": "github"}
    return Result("code", text(path) or url, url, text(fragments), ("github",), meta=meta)
