"""GitHub by its REST interface: repositories, files, issues, pull requests, releases, commits, gists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from onebrain_search.web.fetch.asking import Desk, Place, Reading, known, markdown, rows

API: Final = "https://api.github.com"
RAW: Final = "https://raw.githubusercontent.com"
JSON: Final = "application/vnd.github+json"
READABLE: Final = "application/vnd.github.raw+json"  # a file as it is instead of JSON around it
NO_OWNERS: Final = frozenset(  # first steps that are the site's own and name no person
    "about apps collections codespaces customer-stories dashboard enterprise explore features issues login "
    "marketplace new notifications orgs pricing pulls search security settings sponsors stars topics trending "
    "users".split()
)
_NAME: Final = re.compile(r"(?!\.+$)[\w.-]+", re.ASCII)  # of people and repositories
MOST_COMMENTS: Final = 100  # a page of the interface; GitHub's own default of a thread is 30


def read(place: Place, desk: Desk) -> Reading | None:
    """Read a page of GitHub; None for one that the interface does not have."""
    if place.host == "raw.githubusercontent.com":
        return None
    if place.host == "gist.github.com":
        return _gist(place.steps[-1], desk) if len(place.steps) in (1, 2) else None
    if len(place.steps) < 2 or place.steps[0] in NO_OWNERS or not all(map(_NAME.fullmatch, place.steps[:2])):
        return None
    owner, name, kind, what, *rest = *place.steps, *[""] * (4 - len(place.steps))
    repository = f"{owner}/{name.removesuffix('.git')}"
    if not kind:
        return _repository(repository, desk)
    if kind in ("issues", "pull") and what.isdigit():
        return _thread(repository, what, desk)
    if kind in ("blob", "raw") and rest:
        return _file(repository, what, "/".join(rest), desk)
    if kind == "commit" and what:
        return _commit(repository, what, desk)
    if kind == "releases" and what in ("", "latest", "tag"):
        return _releases(repository, what, "/".join(rest), desk)
    return None


def _ask(desk: Desk, path: str) -> Any:
    """The JSON at a path of the interface. A token of the person raises the limit of 60 requests an hour."""
    return desk.json(API + path, accept=JSON, **_token(desk))


def _token(desk: Desk) -> dict[str, str]:
    """The header with the person's token, where there is one; it does not follow a redirect to another host."""
    token = desk.errand.choices.environ.get("GITHUB_TOKEN", "")
    return {"authorization": f"Bearer {token}"} if token else {}


def _repository(repository: str, desk: Desk) -> Reading:
    """A repository: what it is, and its readme."""
    found = _ask(desk, f"/repos/{repository}")
    readme = desk.ask(f"{API}/repos/{repository}/readme", accept=READABLE, **_token(desk))
    licence = (found.get("license") or {}).get("spdx_id")
    facts = [found.get("language") or "", f"{found.get('stargazers_count', 0)} stars", licence or ""]
    text = readme.text if readme.status == 200 else ""
    return Reading(
        markdown(found["full_name"], facts, found.get("description") or "", text),
        known(
            stars=found.get("stargazers_count"), language=found.get("language"), license=licence,
            topics=found.get("topics"), updated=found.get("pushed_at"), homepage=found.get("homepage"),
        ),
    )  # fmt: skip


def _thread(repository: str, number: str, desk: Desk) -> Reading:
    """An issue or a pull request with its first hundred comments."""
    found = _ask(desk, f"/repos/{repository}/issues/{number}")
    comments = []
    if found.get("comments"):
        comments = rows(_ask(desk, f"/repos/{repository}/issues/{number}/comments?per_page={MOST_COMMENTS}"))
    state = "merged" if (found.get("pull_request") or {}).get("merged_at") else found.get("state", "")
    labels = [label["name"] for label in rows(found.get("labels"))]
    return Reading(
        markdown(
            f"{found['title']} #{number}",
            [state, *_signed(found), ", ".join(labels)],
            found.get("body") or "",
            *(f"## {' · '.join(_signed(comment))}\n\n{comment.get('body') or ''}" for comment in comments),
        ),
        known(state=state, labels=labels, comments=found.get("comments"), shown=len(comments) or None),
    )


def _signed(row: Mapping[str, Any]) -> list[str]:
    """Who wrote something, and on which day."""
    return [(row.get("user") or {}).get("login", ""), str(row.get("created_at") or "")[:10]]


def _file(repository: str, reference: str, path: str, desk: Desk) -> Reading | None:
    """A file of a repository as it is; None for one that the page shows otherwise (a branch with a slash)."""
    reply = desk.ask(f"{RAW}/{repository}/{quote(reference)}/{quote(path)}", **_token(desk))
    if reply.status != 200 or b"\0" in reply.body[:8000]:
        return None
    return Reading(reply.text, known(repository=repository, reference=reference, path=path))


def _commit(repository: str, sha: str, desk: Desk) -> Reading:
    """A commit: its message and the changes of each file."""
    found = _ask(desk, f"/repos/{repository}/commits/{quote(sha)}")
    author = found["commit"].get("author") or {}
    title, _, rest = found["commit"]["message"].partition("\n")
    changes = (f"## {row['filename']}\n\n```diff\n{row.get('patch', '')}\n```" for row in rows(found.get("files")))
    return Reading(
        markdown(
            title, [found["sha"][:12], author.get("name", ""), str(author.get("date", ""))[:10]], rest, *changes
        ),
        known(sha=found["sha"], date=author.get("date"), stats=found.get("stats")),
    )


def _releases(repository: str, kind: str, tag: str, desk: Desk) -> Reading:
    """One release, or the newest ones."""
    if kind:
        where = "latest" if kind == "latest" else f"tags/{quote(tag)}"
        found = [_ask(desk, f"/repos/{repository}/releases/{where}")]
    else:
        found = rows(_ask(desk, f"/repos/{repository}/releases?per_page=10"))
    if not found:
        raise desk.missing(f"{repository} has no releases")
    parts = (
        f"## {row.get('name') or row['tag_name']} · {str(row.get('published_at'))[:10]}\n\n{row.get('body') or ''}"
        for row in found
    )
    return Reading(markdown(f"{repository}: releases", [], *parts), known(tags=[row["tag_name"] for row in found]))


def _gist(number: str, desk: Desk) -> Reading:
    """A gist with all its files."""
    found = _ask(desk, f"/gists/{quote(number)}")
    files = [row for row in (found.get("files") or {}).values() if row.get("content")]
    parts = (f"## {row['filename']}\n\n```\n{row['content']}\n```" for row in files)
    owner = (found.get("owner") or {}).get("login", "")
    return Reading(
        markdown(found.get("description") or f"gist {number}", [owner, str(found.get("created_at"))[:10]], *parts),
        known(files=[row["filename"] for row in files]),
    )
