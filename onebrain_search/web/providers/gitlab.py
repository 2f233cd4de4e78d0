"""GitLab's search in files, by its program `glab` where that is logged in, else by its API with a token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

from onebrain_search.web.http import Ask
from onebrain_search.web.programs import UNAUTHENTICATED, printed
from onebrain_search.web.providers.github import queries
from onebrain_search.web.replies import address, listing, mapping, rows, sent, text
from onebrain_search.web.results import Access, Found, Result, SourceError, Wanted

NO_LOGIN = "GitLab CLI requires authentication. Run `glab auth login` first."
FIXES = {401: "check the token", 403: "searching all of GitLab needs a paid plan: search one project instead"}

Get = Callable[[str], Any]  # a path below /api/v4 -> its JSON


def ask(wanted: Wanted, access: Access) -> Found:
    """Return code from GitLab, each with the address of its line. Raises SourceError."""
    path = "search?" + urlencode({"scope": "blobs", "search": queries(wanted.question)[1], "per_page": wanted.count})
    get = _getter(access)
    try:
        blobs = rows({"all": get(path)}, "all")
    except SourceError as error:
        if error.code != UNAUTHENTICATED:
            raise
        if not access.keys:
            raise SourceError(UNAUTHENTICATED, NO_LOGIN, where="glab") from error
        get = _by_api(access)
        blobs = rows({"all": get(path)}, "all")
    numbered = [(blob, text(str(blob.get("project_id")))) for blob in blobs[: wanted.count]]
    places = {number: _project(get, number) for number in dict.fromkeys(number for _, number in numbered)}
    found = (_result(blob, *places[number]) for blob, number in numbered)
    return Found(tuple(each for each in found if each.url))


def _getter(access: Access) -> Get:
    """Return what asks GitLab: its program if there is one."""
    if not access.program:
        return _by_api(access)
    return lambda path: printed(access.program, ["api", f"/{path}"], access.seconds)


def _by_api(access: Access) -> Get:
    """Return what asks GitLab by its API."""
    headers = {"PRIVATE-TOKEN": access.keys[0]} if access.keys else {}

    def get(path: str) -> Any:
        """Return the JSON at a path."""
        request = Ask(f"{access.url}/api/v4/{path}", headers=headers, seconds=access.seconds, redirects=0)
        reply = sent(access, request, fixes=FIXES)
        return listing(reply) if path.startswith("search") else mapping(reply)

    return get


def _project(get: Get, number: str) -> tuple[str, str]:
    """Return address and name of a project; nothing for what is no number of one, or cannot be read."""
    if not (number.isascii() and number.isdecimal()):
        return "", ""
    try:
        answer = get(f"projects/{number}")
    except SourceError:
        return "", ""
    row = answer if isinstance(answer, dict) else {}
    return address(row.get("web_url")), text(row.get("path_with_namespace"))


def _result(blob: dict[str, Any], place: str, repository: str) -> Result:
    """Return a file with the lines that fit; without an address where its project is not known."""
    path, line = text(blob.get("path")) or text(blob.get("filename")), blob.get("startline")
    at = f"#L{line}" if isinstance(line, int) else ""
    url = f"{place}/-/blob/{quote(text(blob.get('ref')))}/{quote(path)}{at}" if place and path else ""
    meta = {"repository": repository, "host": "gitlab"}
    return Result("code", path, url, text(blob.get("data")), ("gitlab",), meta=meta)
