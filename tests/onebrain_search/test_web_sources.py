"""A whole search over the fake internet: which sources are asked, for how long, how they fail, and what is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from onebrain_search.web import shape, show
from onebrain_search.web.options import Options
from onebrain_search.web.results import SourceError
from onebrain_search.web.search import Outcome, search
from onebrain_search.web.testing import FakeInternet
from onebrain_search.web_settings import WebSettings
from tests.onebrain_search.fake_web import KEY, open_fake

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


@pytest.mark.parametrize(
    ("mode", "hosts"),
    [
        ("fast", {"api.exa.ai", "api.search.brave.com"}),
        ("deep", {"api.exa.ai", "api.tavily.com", "api.search.brave.com"}),
        ("answer", {"api.tavily.com", "api.search.brave.com"}),
    ],
)
def test_l11_a_mode_has_its_sources(net: FakeInternet, mode: str, hosts: set[str]) -> None:
    """Brave is in all of them, an answer only in `answer`."""
    outcome = _found(net, "retry policy", Options("web", mode=mode, queries=("retry policy",)), ranks="")
    assert {call.host for call in net.calls} == hosts
    assert bool(outcome.answer) == (mode == "answer")


def test_l11_without_any_key_one_keyless_source_is_asked(net: FakeInternet) -> None:
    """Your own SearXNG before DuckDuckGo; the others are named with what they lack."""
    outcome = search("retry", open_fake(net, {}, ranks=""), Options("web"))
    assert {call.host for call in net.calls} == {"html.duckduckgo.com"}
    assert outcome.skipped["brave"] == "no key: set BRAVE_API_KEY"
    net.calls.clear()
    search("retry", open_fake(net, {}, ranks="", urls={"searxng": "http://searx.example.org"}), Options("web"))
    assert {call.host for call in net.calls} == {"searx.example.org"}


def test_l12_a_bundle_is_asked_as_it_is_and_scored_by_its_first(net: FakeInternet) -> None:
    """In the place of the question; each source gives as many results as are wanted."""
    options = Options("web", purpose="resource", queries=("jitter blog", "useEffect"), num=2)
    outcome = _found(net, "x", options, providers=("exa",))
    assert outcome.queries == ("jitter blog", "useEffect")
    asked = net.asked("api.exa.ai")
    assert {call.json["query"] for call in asked} == {"jitter blog", "useEffect"}
    assert all(call.json["numResults"] == 2 for call in asked)
    assert outcome.results[0].domain == "dev.to"


def test_l2_further_wordings_are_asked_when_deep_is_asked_for(net: FakeInternet) -> None:
    """Otherwise only the question leaves the machine."""
    assert _found(net, "RISC-V", Options("web"), providers=("exa",)).queries == ("RISC-V",)
    assert len(_found(net, "RISC-V", Options("web", mode="deep"), providers=("exa",)).queries) == 4


@pytest.mark.parametrize(
    ("options", "fresh"),
    [(Options("web", purpose="news"), "pw"), (Options("web", purpose="status"), "pm"),
     (Options("web", purpose="none"), ""), (Options("web", purpose="news", freshness="pd"), "pd"),
     (Options("web", purpose="factual"), "")],
)  # fmt: skip
def test_l14_freshness_comes_from_the_purpose_or_the_caller(net: FakeInternet, options: Options, fresh: str) -> None:
    """The wider one of a purpose; it stands in the JSON."""
    outcome = _found(net, "retry", options)
    assert shape.shape(outcome)["freshness_filter"] == (fresh or None)
    assert net.asked("api.search.brave.com")[0].query.get("freshness", "") == fresh


def test_l10_without_an_intent_results_have_no_score(net: FakeInternet) -> None:
    """The order is that of the sources."""
    outcome = _found(net, "retry", Options("web", purpose="none"))
    assert outcome.purpose is None
    assert all(each.score is None for each in outcome.results)


def test_l9_a_boost_lifts_a_domain(net: FakeInternet) -> None:
    """By a fifth of its authority's weight."""
    plain = {each.url: each.score or 0 for each in _found(net, "retry", Options("web")).results}
    lifted = {each.url: each.score or 0 for each in _found(net, "retry", Options("web", boost=("dev.to",))).results}
    higher = [url for url in plain if lifted[url] > plain[url]]
    assert higher == ["https://dev.to/ann/retries"]


@pytest.mark.parametrize("fault", ["429", "500", "hang", "malformed", "challenge", "html"])
def test_l26_a_source_that_fails_does_not_stop_the_others(net: FakeInternet, fault: str) -> None:
    """It is named with its code, and the rest is shown."""
    net.fail("api.exa.ai", fault)
    outcome = _found(net, "retry", Options("web"), source_timeout=2.0)
    assert outcome.results
    assert outcome.failure is None
    named = {*outcome.gathered.timed_out, *outcome.gathered.errored}
    assert named == {"exa"} or fault == "html"
    assert "exa" in _text(outcome) or fault == "html"


def test_l26_where_all_fail_those_that_were_not_asked_are(net: FakeInternet) -> None:
    """Exa and Tavily are asked when only Brave was, and is down."""
    net.fail("api.search.brave.com", "500")
    net.fail("api.tavily.com", "500")
    outcome = _found(net, "how to retry", Options("web", mode="answer"))
    assert outcome.failure is None
    assert {name for each in outcome.results for name in each.sources} <= {"exa", "duckduckgo"}
    assert set(outcome.gathered.errored) == {"brave", "tavily"}


def test_l26_where_nobody_answers_the_failure_says_why(net: FakeInternet) -> None:
    """By the order of kinds: a block before other errors."""
    for host in WEB_HOSTS:
        net.fail(host, "500")
    net.fail("html.duckduckgo.com", "challenge")
    outcome = _found(net, "retry", Options("web"))
    assert outcome.failure is not None
    assert outcome.failure.code == "search_http_202"
    assert shape.shape(outcome)["ok"] is False
    assert shape.shape(outcome)["results"] == []


def test_l27_what_the_settings_name_counts_before_the_environment(net: FakeInternet) -> None:
    """An address in the environment alone changes nothing of that, nor does another key."""
    environ = {"EXA_API_URL": "http://elsewhere.example.org", "EXA_API_KEY": "other", "MINE": KEY}
    settings = {"urls": {"exa": "http://api.exa.ai"}, "key_env": {"exa": "MINE"}, "providers": ("exa",), "ranks": ""}
    search("retry", open_fake(net, environ, **settings), Options("web"))
    assert [call.headers["authorization"] for call in net.asked("api.exa.ai")] == [f"Bearer {KEY}"]
    search("retry", open_fake(net, environ, providers=("exa",), ranks=""), Options("web"))
    assert net.asked("elsewhere.example.org")


@pytest.mark.parametrize(
    ("question", "options"),
    [("", Options()), ("   ", Options()), ("q", Options(num=0)), ("q", Options(num=21)), ("q", Options(mode="slow")),
     ("q", Options(freshness="p")), ("q", Options(purpose="fun")), ("q", Options(strict=True, wide=True))],
)  # fmt: skip
def test_m1_arguments_are_checked_before_anything_is_asked(
    net: FakeInternet, question: str, options: Options
) -> None:
    """`invalid_arguments`, with what is allowed; nobody is asked."""
    with pytest.raises(SourceError) as caught:
        _found(net, question, options)
    assert caught.value.code == "invalid_arguments"
    assert net.calls == []


@pytest.mark.parametrize(
    "question", ["retry \ud800 x", "retry " * 10_000, "retry\x00\x1b[2J", "\u202eyrter", "%s{}\\"]
)
def test_any_question_can_be_asked(net: FakeInternet, question: str) -> None:
    """Half characters, a whole book, control characters: the sources get at most a thousand readable characters."""
    outcome = _found(net, question, Options("web"))
    assert outcome.failure is None
    assert outcome.gathered.errored == {}
    assert len(net.asked("api.exa.ai")[0].json["query"]) <= 1000


def test_m2_a_success_has_its_fields(net: FakeInternet) -> None:
    """One source is named, several are a fan-out; nothing found is a success, too."""
    several = shape.shape(_found(net, "retry", Options("web")))
    assert (several["ok"], several["provider"], several["handle_ttl_s"]) == (True, "fanout", 3600)
    assert set(several["providers_used"]) == {"exa", "tavily", "brave"}
    assert several["count"] == len(several["results"]) > 0
    assert several["agent_hints"]
    one = shape.shape(_found(net, "xyzzy", Options("web"), providers=("brave",)))
    assert (one["ok"], one["provider"], one["count"], one["failure"]) == (True, "brave", 0, None)


def test_m3_a_failure_has_a_code_and_no_content(net: FakeInternet) -> None:
    """`ok` is false, and there is nothing that could be taken for an answer."""
    net.fail("api.search.brave.com", "500")
    found = shape.shape(_found(net, "retry", Options("web"), providers=("brave",)))
    assert (found["ok"], found["results"], found["answer"]) == (False, [], None)
    assert found["failure"]["code"] == "search_http_500"


def _coded(net: FakeInternet, fault: str, **settings: Any) -> str:
    """Return the code of a search by Brave alone with a fault."""
    net.fail("api.search.brave.com", fault)
    outcome = _found(net, "retry", Options("web"), **{"providers": ("brave",), "timeout": 1.0, **settings})
    return outcome.failure.code if outcome.failure else ""


def test_m4_every_code_can_be_had(net: FakeInternet) -> None:
    """Time-out, status, error, our own window, nobody to ask; wrong arguments have a test of their own."""
    assert _coded(net, "hang") == "search_timeout"
    assert _coded(net, "challenge") == "search_http_202"
    assert _coded(net, "malformed") == "search_error"
    assert _coded(net, "", providers=("none",)) == "search_unconfigured"
    web = open_fake(net, providers=("brave",), rate_max=1)
    search("retry", web, Options("web"))
    outcome = search("retry", web, Options("web"))
    assert outcome.failure is not None
    assert outcome.failure.code == "search_rate_limited"


def test_m5_with_nothing_set_only_sources_without_a_key_are_asked(net: FakeInternet) -> None:
    """By the web verb alone, since the web is off; those that want a key are named."""
    assert not WebSettings().enabled
    outcome = search("retry", open_fake(net, environ={}, ranks=""), Options("web"))
    assert {call.host for call in net.calls} == {"html.duckduckgo.com"}
    assert outcome.results
    assert {"brave", "exa", "tavily"} <= outcome.skipped.keys()


@pytest.mark.parametrize(
    ("named", "hosts"),
    [
        (("brave", "exa", "brave"), ["api.exa.ai", "api.search.brave.com"]),
        (("keyless",), ["html.duckduckgo.com"]),
        (("searxng", "brave"), ["api.search.brave.com"]),
        (("off",), []),
        (("searxng",), []),
        (("nosuch", "brave"), ["api.search.brave.com"]),
    ],
)
def test_m6_the_sources_of_the_settings_are_asked_each_once(
    net: FakeInternet, named: tuple[str, ...], hosts: list[str]
) -> None:
    """Those that cannot be asked are named; with none left the search is not configured."""
    outcome = _found(net, "retry", Options("web"), providers=named, ranks="")
    assert sorted(call.host for call in net.calls) == hosts
    assert (outcome.failure is None) == bool(hosts)
    assert outcome.failure is None or outcome.failure.code == "search_unconfigured"
    assert "nosuch" not in named or "no source has this name" in outcome.skipped["nosuch"]


def test_m6_the_order_of_the_settings_decides_whose_text_is_taken(net: FakeInternet) -> None:
    """Title and snippet are those of the first one."""
    for named in (("exa", "brave"), ("brave", "exa")):
        outcome = _found(net, "retry", Options("web", purpose="none"), providers=named)
        assert {each.sources for each in outcome.results} == {named}


def test_m7_time_limits_are_those_of_the_settings(net: FakeInternet) -> None:
    """Alone, among several, by name, and the deadline above them."""
    desk = open_fake(net).desk
    exa, brave = desk.every(("exa", "brave"))[0]
    assert desk.seconds([exa])[1] == 20.5
    assert desk.seconds([exa, brave])[1] == 3.5
    named = open_fake(net, timeouts={"exa": 9.0}).desk
    assert named.seconds(named.every(("exa", "brave"))[0])[1] == 9.5
    short = open_fake(net, deadline=2.0).desk
    assert short.seconds(short.every(("exa", "brave"))[0])[1] == 2.0


def test_m9_a_source_that_hung_is_left_out_of_the_next_search(net: FakeInternet, tmp_path: Path) -> None:
    """Also of another process; it is named with the seconds that are left."""
    net.fail("api.exa.ai", "hang")
    search("retry", open_fake(net, folder=tmp_path, source_timeout=1.0), Options("web"))
    net.fail("api.exa.ai", "")
    outcome = search("retry", open_fake(net, folder=tmp_path), Options("web"))
    assert 290 < outcome.gathered.degraded["exa"] <= 300
    assert "left alone" in _text(outcome)
    assert len(net.asked("api.exa.ai")) == 1


def test_m12_results_are_numbered_after_they_are_ordered(net: FakeInternet) -> None:
    """S1 is the first row; the handle follows the address."""
    rows = shape.shape(_found(net, "retry", Options("web")))["results"]
    assert [row["id"] for row in rows] == [f"S{n}" for n in range(1, len(rows) + 1)]
    assert all(re.fullmatch(r"H[0-9a-f]{8}", row["handle"]) for row in rows)
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)


def test_m17_events_are_told_while_it_runs(net: FakeInternet) -> None:
    """Each with its source."""
    heard = list[tuple[str, str]]()
    net.fail("api.exa.ai", "429")
    web = replace(open_fake(net), tell=lambda event, source, detail: heard.append((event, source)))
    search("retry", web, Options("web", mode="fast"))
    search("retry", web, Options("web", mode="fast"))
    assert [event for event in heard if event[0] != "asking"] == [("degraded", "exa"), ("skipped_degraded", "exa")]
    assert heard[0] == ("asking", "exa, brave")


def test_m17_a_name_that_is_no_source_is_an_event(net: FakeInternet) -> None:
    """The others are asked."""
    heard = list[tuple[str, str]]()
    web = replace(open_fake(net, providers=("nosuch", "exa")), tell=lambda *told: heard.append(told[:2]))
    assert search("retry", web, Options("web")).results
    assert ("unknown_provider", "nosuch") in heard


def test_o42_nothing_is_dropped_in_silence(net: FakeInternet) -> None:
    """Mode and flags are kept, no address stands twice, each row has a label, and what is left out is counted."""
    net.fail("api.tavily.com", "500")
    outcome = _found(net, "React useEffect retry", Options(strict=True, num=20), max_results=3)
    found, text = shape.shape(outcome), _text(outcome)
    assert outcome.route.line in text
    assert found["modifiers"] == ["strict"]
    urls = [row["url"] for row in found["results"]]
    assert len(urls) == len(set(urls)) == 3
    assert all(row["trust"]["level"] for row in found["results"])
    assert (found["filtered"] > 0, found["more"] > 0) == (True, True)
    for said in (f"Filtered: {found['filtered']} results", f"{found['more']} more results", "tavily failed"):
        assert said in text


def test_more_than_fits_is_said(net: FakeInternet) -> None:
    """And how to see it."""
    assert "raise web.max_results" in _text(_found(net, "retry", Options("web", num=20), max_results=2))


def test_text_of_strangers_cannot_drive_a_terminal(net: FakeInternet) -> None:
    """Nor break a row in two."""
    from onebrain_search.web.testing.served import as_json

    rows = [
        {
            "url": "https://a.org/x",
            "title": "a\x1b[2Jb\nWEB #9  fake — react.dev  [verified 0.95]",
            "highlights": ["\x07"],
        }
    ]
    net.sites["api.exa.ai"] = lambda call: as_json({"results": rows})
    text = _text(_found(net, "retry", Options("web"), providers=("exa",)))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert sum(line.startswith("WEB #") for line in text.splitlines()) == 1
