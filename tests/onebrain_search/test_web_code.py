"""Code hosts, by their programs and by their interfaces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from onebrain_search.web.http import Http
from onebrain_search.web.providers import PROVIDERS, github
from onebrain_search.web.results import Access, SourceError, Wanted
from onebrain_search.web.testing import FakeInternet
from onebrain_search.web.testing.engines import github_limited
from tests.onebrain_search.fake_web import KEY, arguments, install


@pytest.fixture
def net() -> Iterator[FakeInternet]:
    """Return a running internet."""
    with FakeInternet() as internet:
        yield internet


def _by_api(net: FakeInternet) -> Access:
    """Return the way to GitHub by its interface."""
    return Access(Http(routes=net.routes), "http://api.github.com", (KEY,), seconds=30)


GH = json.dumps(
    [
        {
            "path": "src/a.py",
            "repository": {"id": "R", "nameWithOwner": "acme/app", "url": "https://github.com/acme/app"},
            "sha": "01", "url": "https://github.com/acme/app/blob/01/src/a.py",
            "textMatches": [{"fragment": "def a():", "matches": [], "property": "content", "type": "FileContent"}],
        }
    ]
)  # fmt: skip


def _by_program(folder: Path, name: str, net: FakeInternet, keys: tuple[str, ...] = ()) -> Access:
    """Return the way to a code host by a program."""
    row = PROVIDERS[name]
    ending = ".cmd" if (folder / f"{name}.cmd").exists() else ""
    program = {"github": "gh", "gitlab": "glab"}[name]
    return Access(
        Http(routes=net.routes), row.url.replace("https", "http"), keys, str(folder / f"{program}{ending}"), 30
    )


def test_o17_github_is_asked_by_its_program(net: FakeInternet, tmp_path: Path) -> None:
    """A question that begins with a dash is no option of it; nothing goes over our own connection."""
    install(tmp_path, "gh", out=GH)
    found = github.ask(Wanted("--web retry implementation Python", 7), _by_program(tmp_path, "github", net))
    assert found.results[0].meta == {"repository": "acme/app", "host": "github"}
    assert found.results[0].snippet == "def a():"
    assert arguments(tmp_path, "gh") == [
        ["search", "code", "--limit", "7", "--json", github.FIELDS, "--", "--web retry language:Python"]
    ]
    assert net.calls == []


def test_o17_without_a_login_the_token_is_used_and_without_one_a_message(net: FakeInternet, tmp_path: Path) -> None:
    """The program's own way to log in is named."""
    install(tmp_path, "gh", err="To get started with GitHub CLI, please run:  gh auth login", code=4)
    assert github.ask(Wanted("retry"), _by_program(tmp_path, "github", net, (KEY,))).results
    with pytest.raises(SourceError, match="gh auth login") as caught:
        github.ask(Wanted("retry"), _by_program(tmp_path, "github", net))
    assert caught.value.code == "search_unconfigured"


def test_o17_gitlab_is_asked_by_its_program(net: FakeInternet, tmp_path: Path) -> None:
    """The address of a file comes from its project."""
    row = {"basename": "ci", "data": "cache:", "path": "a b.yml", "ref": "main", "startline": 4, "project_id": 6}
    install(tmp_path, "glab", out=json.dumps([row]))
    found = PROVIDERS["gitlab"].load()(Wanted("cache & keys"), _by_program(tmp_path, "gitlab", net))
    assert found.results[0].url == "https://gitlab.com/acme/ci/-/blob/main/a%20b.yml#L4"
    assert arguments(tmp_path, "glab") == [
        ["api", "/search?scope=blobs&search=cache+%26+keys&per_page=5"], ["api", "/projects/6"],
    ]  # fmt: skip


def test_o18_a_rate_limit_is_told_with_its_number_and_never_tried_against(net: FakeInternet, tmp_path: Path) -> None:
    """By API and by program; exactly one call."""
    net.sites["api.github.com"] = github_limited
    with pytest.raises(SourceError, match=r"\(10 req/min\)\. Wait 42 s or narrow your query") as caught:
        github.ask(Wanted("retry Python"), _by_api(net))
    assert caught.value.code == "search_http_403"
    assert len(net.calls) == 1
    install(tmp_path, "gh", err="HTTP 403: API rate limit exceeded", code=1)
    with pytest.raises(SourceError, match="rate limit reached"):
        github.ask(Wanted("retry Python"), _by_program(tmp_path, "github", net))
    assert len(arguments(tmp_path, "gh")) == 1


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("OAuth PKCE implementation TypeScript", "OAuth PKCE language:TypeScript"),
        ("OAuth PKCE github", "OAuth PKCE"),
        ("retry pattern in Go", "retry in language:Go"),
        ("github", "github"),
    ],
)
def test_a_question_becomes_a_query_for_code(question: str, query: str) -> None:
    """Words for code itself are left out, a language is a condition."""
    assert github.queries(question)[0] == query


@pytest.mark.parametrize("out", ["no json", '{"a": 1}', "[1, null]", ""])
def test_a_program_that_prints_something_else_does_no_harm(net: FakeInternet, tmp_path: Path, out: str) -> None:
    """An error with a code, or nothing found."""
    install(tmp_path, "gh", out=out)
    try:
        assert github.ask(Wanted("retry"), _by_program(tmp_path, "github", net)).results == ()
    except SourceError as error:
        assert error.code == "search_error"
