"""A whole search over the fake internet: routes, fallbacks, failures, what is said and what is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from onebrain_search.web import candidates, notices, shape, show, trust
from onebrain_search.web.options import Options
from onebrain_search.web.results import Result
from onebrain_search.web.search import Outcome, search, simpler
from onebrain_search.web.testing import FakeInternet
from onebrain_search.web.testing.engines import github_limited
from tests.onebrain_search.fake_web import KEY, KEYS, install, open_fake

WEB_HOSTS = ("api.exa.ai", "api.tavily.com", "api.search.brave.com", "html.duckduckgo.com", "lite.duckduckgo.com")


@pytest.fixture
def net() -> Iterator[FakeInternet]:
    """Return a running internet."""
    with FakeInternet() as internet:
        yield internet


def _found(net: FakeInternet, question: str, options: Options | None = None, **settings: Any) -> Outcome:
    """Search with all keys."""
    return search(question, open_fake(net, **settings), options or Options())


def _text(outcome: Outcome, *, wide: bool = False) -> str:
    """Return what people see."""
    return show.search_text(shape.shape(outcome), wide=wide)


def test_o8_o9_header_mode_and_rows_have_their_form(net: FakeInternet) -> None:
    """Query, mode, then rows that are numbered over all routes."""
    lines = _text(_found(net, "Next.js middleware")).splitlines()
    assert lines[:3] == ['Query: "Next.js middleware"', "Mode: docs + web (auto)", ""]
    rows = [line for line in lines if re.match(r"[A-Z]+ #\d", line)]
    assert [int(row.split("#")[1].split()[0]) for row in rows] == list(range(1, len(rows) + 1))
    assert {row.split()[0] for row in rows} == {"DOCS", "WEB"}
    assert "WEB #1  Middleware – Next.js — nextjs.org  [verified,lib-docs 0.95]" in rows


def test_o9_code_rows_name_their_host_and_repository(net: FakeInternet) -> None:
    """There is no trust of domains for code."""
    assert "CODE #1  src/retry.py — acme/app  [github]" in _text(_found(net, "retry", Options("code")))
    gitlab = _found(net, "cache", Options("code", gitlab=True))
    assert "CODE #1  ci.yml — acme/ci  [gitlab]" in _text(gitlab)
    assert gitlab.route.line == "Mode: code (flag, gitlab)"


def test_o9_stars_stand_under_wide_only(net: FakeInternet) -> None:
    """Unknown stays a dash."""
    outcome = _found(net, "trick effects", Options("web", wide=True, num=20))
    assert "[★★★★ verified 0.90]" in _text(outcome, wide=True)
    assert "★" not in _text(outcome)
    assert "sketchy.example.net  [—]" in _text(outcome, wide=True)


def test_o10_two_routes_with_one_page_are_one_row(net: FakeInternet) -> None:
    """It keeps the first route and names both sources."""
    net.sites["context7.com"] = _docs_of("https://nextjs.org/docs/middleware/")
    rows = [each for each in _found(net, "Next.js middleware").results if each.url.rstrip("/").endswith("middleware")]
    assert [(row.route, row.sources[0]) for row in rows] == [("docs", "context7")]
    assert len(rows[0].sources) > 1


def _docs_of(url: str) -> Any:
    """Return a documentation server that knows one page."""
    from onebrain_search.web.testing.served import as_json

    page = {"pageId": url, "breadcrumb": "Middleware", "content": "Code before a response."}
    library = {"id": "/vercel/next.js", "title": "Next.js"}
    return lambda call: as_json({"results": [library]} if call.path.endswith("search") else {"infoSnippets": [page]})


def test_o12_strict_says_what_it_left_out(net: FakeInternet) -> None:
    """The number is right, unknown domains are in it."""
    all_of_them = _found(net, "retry effects", Options("web", num=20), max_results=20)
    strict = _found(net, "retry effects", Options("web", strict=True, num=20), max_results=20)
    gone = len(all_of_them.results) - len(strict.results)
    assert gone > 0
    assert all((each.trust.score or 0) >= 0.85 for each in strict.results)
    said = f"Filtered: {gone} results below trust threshold (0.85). Use --wide to see all."
    assert said in _text(strict).splitlines()


def test_o13_strict_without_any_result_suggests_wide(net: FakeInternet) -> None:
    """Two sentences, and the count in the JSON."""
    from onebrain_search.web.testing.served import as_json

    net.sites["api.search.brave.com"] = lambda call: as_json({"web": {"results": [{"url": "https://dev.to/a"}]}})
    outcome = _found(net, "tabs", Options("web", strict=True), providers=("brave",))
    assert outcome.notices[:2] == notices.STRICT_ZERO
    assert (outcome.results, outcome.filtered) == ((), 1)


def test_o14_docs_that_are_not_found_are_answered_by_the_web(net: FakeInternet) -> None:
    """The notice and the mode line say so."""
    outcome = _found(net, "htmx form validation", Options("docs"))
    assert outcome.route.line == "Mode: docs -> web (fallback)"
    assert outcome.notices[0] == "Could not find official docs via Context7. Showing web results."
    assert {each.route for each in outcome.results} == {"web"}
    assert outcome.gathered.errored == {}


def test_o15_docs_that_are_empty_are_answered_by_the_web(net: FakeInternet) -> None:
    """With another notice."""
    outcome = _found(net, "Blank lists", Options("docs"))
    assert outcome.notices[0] == "Official docs not found in Context7. Showing web results."
    assert outcome.results


def test_docs_that_cannot_be_asked_are_told_apart(net: FakeInternet) -> None:
    """Down is not the same as not there."""
    net.fail("context7.com", "500")
    outcome = _found(net, "React", Options("docs"))
    assert outcome.notices[0] == "Context7 could not be asked. Showing web results."
    assert outcome.gathered.errored["context7"].code == "search_http_500"
    assert outcome.results


def test_o16_a_question_without_results_is_asked_once_more_in_fewer_words(net: FakeInternet) -> None:
    """One more round, said in a notice, and no third one."""
    outcome = _found(net, "how to do the xyzzy thing with frobnication", Options("web"), providers=("exa",))
    assert outcome.results == ()
    assert [call.json["query"] for call in net.asked("api.exa.ai")] == [
        "how to do the xyzzy thing with frobnication", "xyzzy thing frobnication",
    ]  # fmt: skip
    assert outcome.notices[0] == "No results for the whole question; asked again for: xyzzy thing frobnication"


def test_o16_without_any_result_pages_that_the_question_names_are_fetched(net: FakeInternet) -> None:
    """By the name of a library whose site is known; what cannot be read is said."""
    from onebrain_search.web.testing.served import as_html

    page = (
        f"<html><head><title>htmx home</title></head><body><article><p>{'Attributes for pages. ' * 20}</p></article>"
    )
    net.sites["htmx.org"] = lambda call: as_html(page)
    outcome = _found(net, "xyzzy of htmx on nowhere.example.org", Options("web"), providers=("exa",))
    assert notices.CANDIDATES in outcome.notices
    (row,) = outcome.results
    assert (row.title, row.url, row.sources) == ("htmx home", "https://htmx.org/", ("fetch",))
    assert row.snippet.startswith("Attributes for pages.")
    assert "Unable to access this source" in _text(outcome)


@pytest.mark.parametrize(
    ("question", "addresses"),
    [
        ("what is new in react", ["https://react.dev/"]),
        ("see https://a.org/x?y=1, and b.dev", ["https://a.org/x?y=1", "https://b.dev/"]),
        ("write to me@a.org about src/app.py", []),
        ("Next.js or node.js", []),
        ("file:///etc/passwd and http://", []),
    ],
)
def test_o16_pages_are_named_by_address_domain_or_library(question: str, addresses: list[str]) -> None:
    """Mail addresses, paths and names with dots are none."""
    assert candidates.named(question, trust.rows_of("default")) == addresses


@pytest.mark.parametrize(
    ("question", "fewer"),
    [("what is it for", ""), ('the "retry policy" of Go', "retry policy Go"), ("数据库 是 什么", "数据库 是 什么")],
)
def test_o16_fewer_words_are_the_longer_ones(question: str, fewer: str) -> None:
    """Words of other scripts are kept."""
    assert simpler(question) == fewer


def test_o17_without_gitlabs_program_github_is_asked_with_a_notice(net: FakeInternet) -> None:
    """GitLab by a flag, nobody installed it, and there is no token."""
    environ = {name: key for name, key in KEYS.items() if name != "GITLAB_TOKEN"}
    outcome = search("cache", open_fake(net, environ), Options("code", gitlab=True))
    assert outcome.notices[0] == "GitLab CLI is not installed. Using GitHub search as default."
    assert outcome.results[0].sources == ("github",)


def test_o17_a_gitlab_program_without_a_login_says_how(net: FakeInternet, tmp_path: Path) -> None:
    """Then GitHub is asked."""
    environ = {"GITHUB_TOKEN": KEY, "PATH": install(tmp_path, "glab", err="glab auth login required", code=1)}
    outcome = search("cache", open_fake(net, environ), Options("code", gitlab=True))
    assert outcome.notices[0].startswith("GitLab CLI requires authentication. Run `glab auth login` first.")
    assert outcome.results[0].sources == ("github",)


def test_o17_an_address_of_gitlab_means_gitlab(net: FakeInternet) -> None:
    """Without any flag."""
    assert _found(net, "gitlab.com cache").results[0].sources == ("gitlab",)


def test_o17_without_any_way_to_github_it_is_said_how_to_get_one(net: FakeInternet) -> None:
    """The program and the variable are named."""
    outcome = search("retry", open_fake(net, {}), Options("code"))
    assert outcome.failure is not None
    assert outcome.failure.code == "search_unconfigured"
    assert "GitHub CLI (gh) not installed" in outcome.failure.what
    assert "GITHUB_TOKEN" in outcome.failure.what


def test_o18_a_rate_limit_of_code_search_is_one_call(net: FakeInternet) -> None:
    """The message has the number that the host gave."""
    net.sites["api.github.com"] = github_limited
    outcome = _found(net, "retry in Python", Options("code"))
    assert len(net.asked("api.github.com")) == 1
    assert "GitHub API rate limit reached (10 req/min)" in _text(outcome)


def test_o19_no_code_offers_the_web(net: FakeInternet) -> None:
    """It does not go there by itself."""
    outcome = _found(net, "xyzzy", Options("code"))
    assert outcome.notices == ("No code results found. Search web for examples?",)
    assert {call.host for call in net.calls} == {"api.github.com"}


def test_o20_the_local_route_never_goes_to_the_web(net: FakeInternet) -> None:
    """Its rows are places, without a trust."""
    web = open_fake(net)
    web.local = lambda question: [Result("local", "handle_auth", "app:auth.py:12", "def handle_auth", ("vault",))]
    outcome = search("find handleAuth function", web)
    assert net.calls == []
    assert "LOCAL #1  handle_auth — app:auth.py:12" in _text(outcome).splitlines()
    assert shape.shape(outcome)["results"][0]["trust"] is None


def test_o22_a_second_search_looks_no_domain_up(net: FakeInternet, tmp_path: Path) -> None:
    """Only the unknown one was ever looked up."""
    for _ in range(2):
        search("trick effects", open_fake(net, folder=tmp_path), Options("web", num=20))
    assert [call.query["domain"] for call in net.asked("siterank.redirect2.me")] == ["sketchy.example.net"]


def test_nobody_is_asked_about_domains_when_that_is_switched_off(net: FakeInternet) -> None:
    """An empty `web.ranks`."""
    _found(net, "trick effects", Options("web", num=20), ranks="")
    assert net.asked("siterank.redirect2.me") == []


def test_the_lists_own_server_is_understood(net: FakeInternet) -> None:
    """By the name of its host; the newer table makes a level of the place."""
    from onebrain_search.web.testing.served import as_json

    net.sites["api.exa.ai"] = lambda call: as_json(
        {"results": [{"url": "https://popular.example.com/a", "title": "P"}]}
    )
    settings = {"ranks": "http://tranco-list.eu", "trust_profile": "newer", "providers": ("exa",)}
    outcome = _found(net, "retry", Options("web"), **settings)
    assert (outcome.results[0].trust.rank, outcome.results[0].trust.level) == (12301, "external")
