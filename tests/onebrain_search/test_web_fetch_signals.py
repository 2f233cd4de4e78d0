"""What an answer tells beside its text: signals, and the order of statuses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from onebrain_search.web.fetch.signals import classify, detect
from onebrain_search.web.testing import FakeInternet, Served
from tests.onebrain_search.fetching import WORDS, fetched, internet, page

ARTICLE = "https://article.example.org/ferry"


@pytest.fixture
def net() -> Iterator[FakeInternet]:
    """Return a running internet with the pages that are shipped."""
    with internet() as running:
        yield running


def _status(net: FakeInternet, served: Served) -> tuple[str, set[str]]:
    """Return status and kinds of signals for a site that always serves this."""
    net.sites["one.example"] = net.sites["m.one.example"] = lambda call: served
    last = fetched(net, "https://one.example/", only=("probe",)).last
    return last.status, {signal.kind for signal in last.signals}


@pytest.mark.parametrize(
    ("served", "status", "kind"),
    [
        (page(f"<p>{WORDS}</p>", cf_ray="1", server="cloudflare", set_cookie="__cf_bm=1"), "ok", "waf-header"),
        (page(f"<p>{WORDS}</p>", set_cookie="a=1, _abck=1"), "ok", "waf-cookie"),
        (page("<p>Please enable JavaScript</p>"), "blocked", "challenge-body"),
        (page("<p>Our systems have detected unusual traffic from you.</p>"), "blocked", "challenge-body"),
        (page(f"<p>Solve this captcha. {WORDS}</p>"), "blocked", "challenge-body"),
        (page("<title>Attention Required! | Cloudflare</title><p>Sorry.</p>"), "blocked", "waf-body"),
        (page("<p>Sign in to continue</p>"), "auth-required", "paywall"),
        (page("<p>로그인 후 이용해 주세요</p>"), "auth-required", "paywall"),
        (page('<div id="app"></div>'), "error", "spa-empty"),
        (page("<p>No.</p>", 403), "error", "http-status"),
        (page("<p>No.</p>", 406), "error", "http-status"),
        (page("<p>No.</p>", 430), "error", "http-status"),
        (page("<p>Wait.</p>", 429, retry_after="0"), "blocked", "rate-limit"),
        (page("<p>Wait.</p>", 503, retry_after="0"), "blocked", "rate-limit"),
    ],
)
def test_o35_signals_tell_why(net: FakeInternet, served: Served, status: str, kind: str) -> None:
    """A firewall's header or cookie alone blocks nothing."""
    found, kinds = _status(net, served)
    assert found == status
    assert kind in kinds


@pytest.mark.parametrize(
    "text",
    [
        "Captchas: a captcha tells people from programs. Unusual traffic is a reason to show one. " * 30,
        f"<nav>Please log in</nav><p>{WORDS}</p><footer>Subscribe to read more</footer>",
        f"<p>{WORDS}</p><p>Please log in to comment.</p>",
        f"<p>{WORDS}</p><noscript>Please enable JavaScript</noscript>",
    ],
)
def test_o35_words_beside_the_text_block_nothing(net: FakeInternet, text: str) -> None:
    """An article about captchas is no captcha, and a menu with a login is no paywall."""
    assert _status(net, page(text))[0] == "ok"


def test_o35_plain_text_is_not_searched_for_phrases(net: FakeInternet) -> None:
    """A note that mentions captchas is a note."""
    assert fetched(net, "https://plain.example.org/notes.txt").last.content.startswith("Notes about captchas")


@pytest.mark.parametrize(
    ("code", "body", "status"),
    [
        (404, "Subscribe to read", "auth-required"),
        (404, "checking your browser", "blocked"),
        (404, "gone", "not-found"),
        (410, "gone", "not-found"),
        (401, "no", "auth-required"),
        (407, "no", "auth-required"),
        (429, "no", "blocked"),
        (503, "no", "blocked"),
        (500, "no", "error"),
        (418, "no", "error"),
        (200, "", "error"),
        (200, "yes", "ok"),
    ],
)
def test_o36_the_order_of_statuses(code: int, body: str, status: str) -> None:
    """Paywall, challenge, gone, closed, limited, failed, empty, ok."""
    assert classify(code, detect(code, {}, body, body), body) == status
