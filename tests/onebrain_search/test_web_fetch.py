"""Fetching over real sockets: the order of strategies, statuses, signals, limits, and what is printed."""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from typing import get_args

import pytest

from indexer.errors import WebError
from onebrain_search.cli import cli
from onebrain_search.web.fetch.pipeline import pause
from onebrain_search.web.fetch.types import EXIT_CODES, STRATEGIES, Choices, Fetched, Outcome, SignalKind
from onebrain_search.web.testing import Call, FakeInternet, Served
from onebrain_search.web.testing.faults import FAULTS
from onebrain_search.web.testing.served import as_html
from tests.onebrain_search.fetching import WORDS, fetched, internet, opening, page, tried

ARTICLE = "https://article.example.org/ferry"


@pytest.fixture
def net() -> Iterator[FakeInternet]:
    """Return a running internet with the pages that are shipped."""
    with internet() as running:
        yield running


def _cli(net: FakeInternet, *arguments: str) -> int:
    """Run `fetch` in this internet and return its exit code."""
    code = cli.main(["fetch", *arguments], obj=opening(net), standalone_mode=False)
    assert isinstance(code, int)
    return code


def test_o24_strategies_go_in_order_and_the_first_page_wins(net: FakeInternet) -> None:
    """Api, probe, impersonate, browser; archives only on request."""
    assert STRATEGIES == ("api", "probe", "impersonate", "browser", "archive")
    everything = Choices(allowed=frozenset({"impersonate", "browser"}), include_archive=True)
    assert everything.strategies() == STRATEGIES
    assert Choices().strategies() == ("api", "probe")
    assert tried(fetched(net, "https://github.com/acme/ferry")) == [("api", "ok")]
    assert tried(fetched(net, ARTICLE)) == [("probe", "ok")]
    net.fail("api.github.com", "500")
    net.sites["github.com"] = lambda call: as_html(f"<html><body><p>{WORDS}</p></body></html>")
    assert tried(fetched(net, "https://github.com/acme/ferry")) == [("api", "error"), ("probe", "ok")]


@pytest.mark.parametrize(
    ("url", "code"),
    [
        (ARTICLE, 0),
        ("https://shell.example.org/", 1),
        ("https://wall.example.org/", 2),
        ("https://nowhere.example.org/", 3),
        ("https://npmjs[.]com/about".replace("[.]", "."), 4),
        ("http://127.0.0.1/", 4),
        ("https://members.example.org/", 5),
        ("https://hanging.example.org/", 6),
    ],
)
def test_o25_each_status_has_its_exit_code(net: FakeInternet, url: str, code: int) -> None:
    """The command ends by it."""
    net.sites["hanging.example.org"] = net.sites["m.hanging.example.org"] = FAULTS["hang"]
    assert _cli(net, url, "--timeout", "1" if code == 6 else "20") == code
    assert dict(EXIT_CODES) == {
        "ok": 0, "error": 1, "blocked": 2, "not-found": 3, "invalid-input": 4, "auth-required": 5, "timeout": 6,
    }  # fmt: skip


def test_o26_json_has_the_fields_of_the_contract(net: FakeInternet, capsys: pytest.CaptureFixture[str]) -> None:
    """One object on one line; what is unknown is left out."""
    assert _cli(net, ARTICLE, "--json") == 0
    (line,) = capsys.readouterr().out.splitlines()
    found = json.loads(line)
    order = (
        "url status strategy platform provenance httpStatus content contentType elapsedMs signals metadata attempts"
    )
    required = {"url", "status", "strategy", "content", "elapsedMs", "signals", "attempts"}
    assert required <= set(found)
    assert list(found) == [name for name in (*order.split(), "error") if name in found]
    assert (found["url"], found["status"], found["strategy"], found["httpStatus"]) == (ARTICLE, "ok", "probe", 200)
    assert found["contentType"] == "text/html"
    assert found["content"].startswith("# The last ferry")
    assert "Please log in" not in found["content"]
    (attempt,) = found["attempts"]
    assert set(attempt) == {"strategy", "platform", "status", "httpStatus", "elapsedMs", "signals"}
    assert _cli(net, "https://wall.example.org/", "--json") == 2
    found = json.loads(capsys.readouterr().out)
    assert {"kind": "waf-header", "detail": "cf-ray", "vendor": "cloudflare"} in found["signals"]
    assert found["error"] == found["attempts"][-1]["error"]


def test_o27_options_choose_strategies_time_and_language(
    net: FakeInternet, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lists of names, an archive on request, a limit from one second, a locale, JSON on many lines."""
    assert Choices(only=("probe", "api")).strategies() == ("api", "probe")
    assert Choices(skip=("api",), include_archive=True).strategies() == ("probe", "archive")
    assert (Choices().seconds, Choices().locale) == (15.0, "en-US,en;q=0.9")
    with pytest.raises(WebError):
        Choices(skip=("probes",)).strategies()
    assert _cli(net, ARTICLE, "--only", "api,probes") == 1
    assert "probes" in capsys.readouterr().err
    assert _cli(net, ARTICLE, "--timeout", "0.5") == 1
    assert _cli(net) == 1
    assert _cli(net, "https://github.com/acme/ferry", "--skip", "api", "--locale", "th", "--pretty") == 3
    assert capsys.readouterr().out.startswith('{\n  "url"')
    assert {call.headers["accept-language"] for call in net.asked("github.com")} == {"th"}


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("https://stackoverflow.com/q/404", "not-found"),
        ("https://pypi[.]org/about", "invalid-input"),
        ("https://dev.to/ada/paid", "auth-required"),
    ],
)
def test_o28_some_answers_end_the_fetch(net: FakeInternet, url: str, status: str) -> None:
    """No other strategy is asked when the page is not there, not shaped so, or not for us."""
    dev = net.sites["dev.to"]
    net.sites["dev.to"] = lambda call: Served(b"{}", 401) if call.path.endswith("paid") else dev(call)
    assert tried(fetched(net, url.replace("[.]", "."), include_archive=True)) == [("api", status)]


def test_o29_a_page_that_needs_scripts_is_not_impersonated(net: FakeInternet) -> None:
    """The mark of such a page leaves that strategy out, and without the mark it is tried."""
    net.sites["akamai.example"] = lambda call: page('<div id="sec-if-cpt-container"></div><script src="x"></script>')
    allowed = frozenset({"impersonate"})
    result = fetched(net, "https://akamai.example/", allowed=allowed)
    assert tried(result) == [("probe", "error")]
    assert result.last.has("js-essential")
    assert [name for name, _ in tried(fetched(net, "https://shell.example.org/", allowed=allowed))] == [
        "probe",
        "impersonate",
    ]


def test_o30_a_limit_is_waited_for_once(net: FakeInternet) -> None:
    """The second try is an attempt of its own, and there is no third one."""
    answers = iter([page("", 429, retry_after="0"), page(f"<p>{WORDS}</p>")])
    net.sites["limited.example"] = lambda call: next(answers)
    net.sites["twice.example"] = lambda call: page("", 503, retry_after="0")
    for host in ("limited.example", "twice.example"):  # one arm only, so that answers come in order
        net.sites[f"m.{host}"] = net.sites[host]
    result = fetched(net, "https://m.twice.example/", only=("probe",))
    assert tried(result) == [("probe", "blocked"), ("probe", "blocked")]
    assert all(attempt.has("rate-limit") for attempt in result.attempts)
    assert "retry-after: 0" in result.last.error


def test_o30_the_second_try_can_succeed(net: FakeInternet) -> None:
    """An interface that was busy for a moment answers the second time."""
    answers = [Served(b"{}", 429, headers={"retry-after": "0"})]
    good = net.sites["pypi[.]org".replace("[.]", ".")]
    net.sites["pypi[.]org".replace("[.]", ".")] = lambda call: answers.pop() if answers else good(call)
    result = fetched(net, "https://pypi[.]org/project/ferry".replace("[.]", "."))
    assert tried(result) == [("api", "blocked"), ("api", "ok")]


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [("0", 0, 0.5), ("2", 2, 2.5), ("10", 10, 10.5), ("11", 1.5, 2), ("", 1.5, 2), ("soon", 1.5, 2), ("-5", 0, 0.5)],
)
def test_o30_how_long_is_waited(header: str, low: float, high: float) -> None:
    """What the server asks for up to ten seconds, else one and a half; up to half a second more."""
    assert pause(header, 0.0) == low
    assert pause(header, 1.0) == high


def test_o30_a_date_is_waited_for_too() -> None:
    """The header may name a time instead of seconds."""
    assert 1 < pause(formatdate(time.time() + 5, usegmt=True), 0.0) <= 5
    assert pause(formatdate(time.time() + 500, usegmt=True), 0.0) == 1.5


def test_o31_no_interface_means_no_row_for_it(net: FakeInternet) -> None:
    """Also when only that strategy is asked for."""
    assert fetched(net, ARTICLE, only=("api",)).attempts == ()
    result = fetched(net, "https://github.com/topics/boats", only=("api",))
    assert (result.attempts, result.last.status) == ((), "error")


@pytest.mark.parametrize("provenance", ["amp", "archive-today", "wayback"])
def test_o32_a_copy_says_whose_it_is(net: FakeInternet, provenance: str) -> None:
    """The first archive with a copy wins; without the flag none learns the address."""
    copy = f"<html><body><article><p>{WORDS}</p></article></body></html>"
    if provenance == "amp":
        net.sites["cdn.ampproject.org"] = lambda call: as_html(copy)
    if provenance == "archive-today":
        net.sites["archive.md"] = lambda call: as_html(copy)
    result = fetched(net, "https://waybacked.example.org/old", include_archive=True)
    assert (result.last.strategy, result.last.provenance, result.last.status) == ("archive", provenance, "ok")
    assert result.json()["provenance"] == provenance
    net.calls.clear()
    fetched(net, "https://waybacked.example.org/old")
    assert {call.host for call in net.calls} == {"waybacked.example.org", "m.waybacked.example.org"}


def test_o32_without_any_copy_the_archive_says_so(net: FakeInternet) -> None:
    """A snapshot that is not there is an attempt with a reason."""
    result = fetched(net, "https://shell.example.org/", include_archive=True)
    assert tried(result)[-1] == ("archive", "not-found")


def test_o34_a_page_of_another_shape_is_told_the_right_one(net: FakeInternet) -> None:
    """The reason names the wanted path, and how to read the page all the same."""
    result = fetched(net, "https://www.npmjs[.]com/about".replace("[.]", "."))
    assert result.last.status == "invalid-input"
    assert "/package/NAME" in result.last.error
    assert "--skip api" in result.last.error
    assert not net.calls


def test_o37_arms_go_at_once_and_the_first_page_wins(net: FakeInternet) -> None:
    """A hanging arm holds nobody up; the platform is the arm's name; the reader service is asked only by leave."""
    together = threading.Barrier(5)

    def site(call: Call) -> Served:
        """Answer the phone's host, once all five arms are here."""
        together.wait(20)
        if not call.host.startswith("m."):
            call.closing.wait(60)
        return page(f"<p>{WORDS}</p>")

    for host in ("slow.example", "m.slow.example", "r.jina.ai"):
        net.sites[host] = site
    last = fetched(net, "https://slow.example/", seconds=40.0, allowed=frozenset({"jina"})).last
    assert (last.status, last.platform) == ("ok", "curl-mobile")
    net.calls.clear()
    fetched(net, ARTICLE)
    assert not net.asked("r.jina.ai")
    assert not [call for call in net.calls if "bot" in call.headers["user-agent"].lower()]


def test_o37_the_other_arms_are_cut_off(net: FakeInternet) -> None:
    """Who still sends when another arm has the page loses the connection, long before the time is over."""
    gone = threading.Semaphore(0)

    def drip(call: Call) -> Iterator[bytes]:
        """Send a byte now and then; tell when the receiver went away."""
        try:
            while not call.closing.wait(0.05):
                yield b" "
        finally:
            gone.release()

    net.sites["slow.example"] = lambda call: Served(drip(call), kind="text/html")
    net.sites["m.slow.example"] = lambda call: page(f"<p>{WORDS}</p>")
    assert fetched(net, "https://slow.example/", seconds=600.0).last.platform == "curl-mobile"
    assert gone.acquire(timeout=20)
    assert gone.acquire(timeout=20)


def test_o37_the_reader_service_is_an_arm_by_leave(net: FakeInternet) -> None:
    """It reads what only scripts show, as text or as JSON, and its spent quota is told."""
    allowed = frozenset({"jina"})
    text = net.sites["r.jina.ai"]
    net.sites["r.jina.ai"] = lambda call: text(call) if call.headers["accept"] == "text/plain" else Served(b"", 500)
    last = fetched(net, "https://shell.example.org/", allowed=allowed).last
    assert (last.status, last.platform) == ("ok", "jina")
    assert "The text that the script writes." in last.content
    body = b'{"code": 200, "data": {"title": "App", "content": "Written by a script."}}'
    net.sites["r.jina.ai"] = lambda call: (
        Served(body) if "json" in call.headers["accept"] else Served(b"exceeded your quota", 402, "text/plain")
    )
    last = fetched(net, "https://shell.example.org/", allowed=allowed).last
    assert (last.platform, last.content, last.metadata) == ("jina-json", "Written by a script.", {"title": "App"})


def test_o37_without_a_page_the_site_itself_is_believed(net: FakeInternet) -> None:
    """Not the host for phones, which may be anybody's, nor the service; but a spent quota of that is told."""
    net.sites["one.example"] = lambda call: page("<p>Broken.</p>", 500)
    net.sites["r.jina.ai"] = lambda call: Served(b"402 payment required", 402, "text/plain")
    last = fetched(net, "https://one.example/", allowed=frozenset({"jina"})).last
    assert (last.status, last.http_status, last.platform) == ("error", 500, "plain")
    assert last.has("jina-quota")
    net.fail("one.example", "hang")
    assert fetched(net, "https://one.example/", seconds=1.0).last.status == "timeout"


def test_o38_what_is_missing_is_said_and_the_others_run(net: FakeInternet, monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser or package that is not there is an attempt with its message."""
    monkeypatch.setitem(sys.modules, "curl_cffi", None)
    missing = {"OMA_CHROME_PATH": "nowhere/chrome"}
    result = fetched(
        net, "https://shell.example.org/", allowed=frozenset({"impersonate", "browser"}), environ=missing
    )
    told = {attempt.strategy: attempt.error for attempt in result.attempts}
    assert list(told) == ["probe", "impersonate", "browser"]
    assert told["impersonate"] == "curl_cffi is not installed. Run: pip install curl_cffi"
    assert told["browser"].startswith("Chrome/Chromium not found")
    assert told["browser"].endswith("or set OMA_CHROME_PATH.")


def test_o38_what_is_off_says_how_to_allow_it(net: FakeInternet) -> None:
    """Named but not allowed: nothing is run, and the attempt names the setting."""
    result = fetched(net, ARTICLE, only=("impersonate", "browser"))
    assert tried(result) == [("impersonate", "error"), ("browser", "error")]
    assert "web.fetch_allow" in result.last.error
    assert not net.calls
    assert any("browser" in note for note in fetched(net, "https://shell.example.org/").notes)


def test_o39_the_doctor_names_what_is_there(net: FakeInternet, capsys: pytest.CaptureFixture[str]) -> None:
    """A line each, and exit code 1 when one is missing."""
    code = _cli(net, "--doctor")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == ["chrome", "python3", "curl_cffi", "yt-dlp", "gh", "trafilatura"]
    assert all(line[0] in "✓!" for line in lines)
    assert code == any(line[0] == "!" for line in lines)


def test_pages_in_other_encodings_are_read(net: FakeInternet) -> None:
    """By what the page names when the header is silent."""
    assert "schöne Möhne" in fetched(net, "https://latin.example.org/").last.content
    body = '<html><head><meta charset="koi8-r"></head><body><p>Паром</p></body></html>'.encode("koi8-r")
    net.sites["one.example"] = lambda call: Served(body, kind="text/html")
    assert "Паром" in fetched(net, "https://one.example/").last.content


def test_several_addresses_are_printed_one_after_the_other(
    net: FakeInternet, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line of JSON each; the first that failed gives the code."""
    assert _cli(net, ARTICLE, "https://nowhere.example.org/", "https://wall.example.org/", "--json") == 3
    assert [json.loads(line)["status"] for line in capsys.readouterr().out.splitlines()] == [
        "ok",
        "not-found",
        "blocked",
    ]


def test_without_trafilatura_the_plain_reader_serves_and_says_so(
    net: FakeInternet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same page by the reader of notes; the JSON names it and stderr says how to get the better one."""
    monkeypatch.setattr("onebrain_search.web.fetch.extraction.has_trafilatura", lambda: False)
    monkeypatch.setattr("onebrain_search.web.fetch.pipeline.has_trafilatura", lambda: False)
    assert _cli(net, ARTICLE, "--json") == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert found["metadata"]["extraction"] == "plain"
    assert "ninety years" in found["content"]
    assert "onebrain-search[web]" in captured.err


def test_the_page_about_fetch_lists_every_field_code_signal_and_strategy() -> None:
    """docs/fetch.md has the tables that the code has."""
    page = (Path(__file__).parents[2] / "docs" / "fetch.md").read_text(encoding="utf-8")
    rows = {match[1]: match[2] for match in re.finditer(r"^\| `?([\w-]+)`? \| (.+) \|$", page, re.M)}
    outcome = Outcome("archive", "ok", "x", "amp", 200, "c", "text/html", metadata={"a": 1}, error="e")
    assert set(Fetched("u", (outcome,)).json()) <= set(rows)
    assert {status: code for status, code in EXIT_CODES.items() if f"`{status}`" in rows[str(code)]} == dict(
        EXIT_CODES
    )
    assert set(STRATEGIES) <= set(rows)
    assert not [kind for kind in get_args(SignalKind) if f"`{kind}`" not in page]
