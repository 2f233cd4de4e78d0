"""The interfaces that `fetch` reads, over real sockets: one table for all platforms, and what is special to some."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from onebrain_search.cli import cli
from onebrain_search.web.fetch import api
from onebrain_search.web.fetch.keywords import search
from onebrain_search.web.fetch.page import Page
from onebrain_search.web.fetch.pipeline import errand
from onebrain_search.web.fetch.platforms import PLATFORMS, platform_of, searchable
from onebrain_search.web.fetch.types import Choices, Outcome
from onebrain_search.web.testing import FakeInternet, Served
from onebrain_search.web.testing.faults import FAULTS
from tests.onebrain_search.fetching import fetched, internet, opening, tried

# platform, address, what must stand in the text
PAGES = [
    ("github", "https://github.com/acme/ferry", "Start it with `ferry count`."),
    ("github", "https://www.github.com/acme/ferry.git", "42 stars"),
    ("github", "https://github.com/acme/bare", "0 stars"),
    ("github", "https://github.com/acme/ferry/issues/7", "A byte is too small."),
    ("github", "https://github.com/acme/ferry/pull/8", "merged"),
    ("github", "https://github.com/acme/ferry/blob/main/src/count.rs", "fn main() { count(); }"),
    ("github", "https://github.com/acme/ferry/commit/0123456789abcdef", "+let n: u32 = 0;"),
    ("github", "https://github.com/acme/ferry/releases", "Counts to four billion."),
    ("github", "https://github.com/acme/ferry/releases/latest", "v2.1"),
    ("github", "https://github.com/acme/ferry/releases/tag/v2.0", "Counts to four billion."),
    ("github", "https://gist.github.com/ada/abc123", "import time"),
    ("wikipedia", "https://en.wikipedia.org/wiki/Cable_ferry", "## History"),
    ("wikipedia", "https://en.m.wikipedia.org/wiki/Cable ferry", "Early cable ferries"),
    ("wikipedia", "https://de.wikipedia.org/wiki/Gierseilf%C3%A4hre", "Kraft der Strömung"),
    ("arxiv", "https://arxiv.org/abs/2601.00001", "We count boats."),
    ("arxiv", "https://arxiv.org/pdf/2601.00001.pdf", "A. Author, B. Author"),
    ("hackernews", "https://news.ycombinator.com/item?id=1", "I took one."),
    ("hackernews", "https://news.ycombinator.com/item?id=2", "It was slow."),
    ("hackernews", "https://news.ycombinator.com/user?id=a", "I like boats."),
    ("stackexchange", "https://stackoverflow.com/questions/1/how-do-i", "accepted · Bob"),
    ("stackexchange", "https://stackoverflow.com/q/1", 'How do I count "boats"?'),
    ("stackexchange", "https://stackoverflow.com/a/11", "Use len."),
    ("reddit", "https://old.reddit.com/r/boats/comments/abc/a_ferry/", "> On the river."),
    ("reddit", "https://www.reddit.com/r/boats/", "[A ferry](https://www.reddit.com/r/boats/comments/abc/a_ferry/)"),
    ("bluesky", "https://bsky.app/profile/ada.example.org", "5 followers"),
    ("bluesky", "https://bsky.app/profile/ada.example.org/post/3k", "Where?"),
    ("mastodon", "https://fosstodon.org/@ada", "Boats and docs"),
    ("mastodon", "https://fosstodon.org/@ada/99", "A ferry!"),
    ("mastodon", "https://mastodon.social/tags/boats", "A ferry!"),
    ("crossref", "https://doi.org/10.1000/182", "Ada Author, The Boat Group · Boats · 2026-01-02"),
    ("openlibrary", "https://openlibrary.org/works/OL1W/The_Ferry", "A book about a ferry."),
    ("openlibrary", "https://openlibrary.org/authors/OL1A/Ada", "Writes about boats."),
    ("lobsters", "https://lobste.rs/s/abcdef/ferries_in_rust", "Nice."),
    ("lobsters", "https://lobste.rs/", "Ferries in Rust"),
    ("devto", "https://dev.to/ada/counting-boats-1a2b", "Use **integers**."),
    ("v2ex", "https://www.v2ex.com/t/5#reply3", "有渡轮吗？"),
    ("npm", "https://www.npmjs[.]com/package/@acme/ferry", "2.1.0 · 2026-01-19 · MIT"),
    ("npm", "https://npmjs[.]com/package/plain", "Nothing more"),
    ("pypi", "https://pypi[.]org/project/ferry/", "# Ferry"),
    ("twitter", "https://x.com/ada/status/20", "A ferry!"),
    ("twitter", "https://twitter.com/ada", "https://x.com/ada/status/20"),
    ("naver-blog", "https://blog.naver.com/ada/100", "나룻배를 보았다"),
    ("naver-blog", "https://blog.naver.com/PostView.naver?blogId=ada&logNo=100", "나룻배"),
    ("naver-finance", "https://finance.naver.com/item/main.naver?code=005930", "| 20260102 | 100 |"),
]
# address, what its platform wants instead
OTHER_SHAPES = [
    ("https://www.npmjs[.]com/settings", "/package/"),
    ("https://npmjs[.]com/package/@acme", "/package/@SCOPE/NAME"),
    ("https://pypi[.]org/search?q=x", "/project/NAME"),
    ("https://arxiv.org/list/cs/new", "/abs/ID"),
    ("https://arxiv.org/abs/not-an-id", "/abs/ID"),
    ("https://news.ycombinator.com/newest", "/item?id=NUMBER"),
    ("https://stackoverflow.com/tags", "/questions/ID"),
    ("https://bsky.app/search", "/profile/NAME"),
    ("https://mastodon.social/explore", "/@NAME"),
    ("https://doi.org/", "/DOI"),
    ("https://en.wikipedia.org/w/index.php?title=X", "/wiki/TITLE"),
    ("https://openlibrary.org/search", "/works/ID"),
    ("https://dev.to/t/python", "/USER/ARTICLE"),
    ("https://v2ex.com/go/python", "/t/NUMBER"),
    ("https://x.com/home", "/NAME/status/ID"),
    ("https://blog.naver.com/ada", "/BLOG/NUMBER"),
    ("https://finance.naver.com/sise/", "code=CODE"),
]
MISSING = [
    "https://arxiv.org/abs/2601.99999",
    "https://news.ycombinator.com/item?id=404",
    "https://stackoverflow.com/questions/404",
    "https://v2ex.com/t/6",
    "https://github.com/acme/nothing",
    "https://en.wikipedia.org/wiki/Nothing",
    "https://pypi[.]org/project/nothing",
]


@pytest.fixture
def net() -> Iterator[FakeInternet]:
    """Return a running internet with the pages that are shipped."""
    with internet() as running:
        yield running


def _dotted(url: str) -> str:
    """Return an address with its dots put back."""
    return url.replace("[.]", ".")


@pytest.mark.parametrize(("platform", "url", "text"), PAGES, ids=[url for _, url, _ in PAGES])
def test_o33_a_platform_reads_its_pages(net: FakeInternet, platform: str, url: str, text: str) -> None:
    """By its interface alone: one attempt, Markdown with the words, and no request to the page itself."""
    result = fetched(net, _dotted(url))
    assert tried(result) == [("api", "ok")], result.last.error
    assert (result.last.platform, result.last.http_status) == (platform, 200)
    assert text in result.last.content
    assert result.last.content_type == "text/markdown"


def test_o33_a_page_by_its_interface_has_a_title(net: FakeInternet) -> None:
    """For those who list pages."""
    assert fetched(net, "https://arxiv.org/abs/2601.00001").last.metadata["title"] == "A paper on boats"


def test_o33_every_platform_of_the_table_is_tested() -> None:
    """A new row needs a page here, or a keyword search."""
    read = {platform for platform, _, _ in PAGES}
    assert read == {platform.id for platform in PLATFORMS if platform.hosts}
    assert len(PLATFORMS) == 21
    assert {platform.id for platform in PLATFORMS} - read == {"clien", "okky", "duckduckgo"}


@pytest.mark.parametrize(("url", "wanted"), OTHER_SHAPES, ids=[url for url, _ in OTHER_SHAPES])
def test_o34_another_shape_is_bad_input(net: FakeInternet, url: str, wanted: str) -> None:
    """Said before anything is sent, with the shape that is wanted."""
    last = fetched(net, _dotted(url)).last
    assert (last.status, last.strategy) == ("invalid-input", "api")
    assert wanted in last.error
    assert not net.calls


@pytest.mark.parametrize("url", MISSING)
def test_o33_what_the_platform_does_not_have_is_not_found(net: FakeInternet, url: str) -> None:
    """Also where the interface answers that with status 200."""
    result = fetched(net, _dotted(url))
    assert tried(result) == [("api", "not-found")]


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme",
        "https://github.com/topics/boats",
        "https://github.com/acme/ferry/wiki",
        "https://github.com/%2e%2e/user",
        "https://github.com/acme/a%3Fb",
        "https://github.com/acme/ferry/discussions/3",
        "https://raw.githubusercontent.com/acme/ferry/main/src/count.rs",
        "https://www.wikipedia.org/",
        "https://api.github.com/repos/acme/ferry",
    ],
)
def test_o31_pages_that_no_interface_has_are_read_as_pages(net: FakeInternet, url: str) -> None:
    """GitHub's other pages, and hosts that only look like a platform's."""
    assert [name for name, _ in tried(fetched(net, url))] == ["probe"]


@pytest.mark.parametrize(
    "host", ["notgithub.com", "github.com.evil.example", "mastodon", "xwikipedia.org", "stackexchange.com"]
)
def test_a_host_that_only_looks_like_it_is_no_platform(host: str) -> None:
    """Hosts are matched whole, by their parts."""
    assert platform_of(host) is None


@pytest.mark.parametrize("fault", ["wrong shape", "html", "malformed", "invalid utf-8"])
@pytest.mark.parametrize("platform", sorted({platform for platform, _, _ in PAGES}))
def test_an_interface_that_answers_nonsense_is_an_error(net: FakeInternet, platform: str, fault: str) -> None:
    """One line that names it, never a traceback; the next strategy is tried."""
    url = next(_dotted(url) for name, url, _ in PAGES if name == platform)
    for host in list(net.sites):
        net.sites[host] = FAULTS[fault]
    result = fetched(net, url, only=("api",))
    (attempt,) = result.attempts
    assert attempt.status in ("error", "ok", "not-found")
    assert "\n" not in attempt.error
    assert attempt.error or attempt.content


def test_a_limit_is_told_in_the_platforms_own_numbers(net: FakeInternet) -> None:
    """Stack Exchange counts seconds in words, GitHub names the minute."""

    def told(url: str) -> Outcome:
        """Return what one attempt leads to, without the wait for a second one."""
        outcome = api.attempt(errand(url, Choices(seconds=20.0), opening(net)))
        assert outcome is not None
        return outcome

    limited = told("https://stackoverflow.com/q/429")
    assert (limited.status, limited.http_status) == ("blocked", 400)
    assert "120 seconds" in limited.error
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1789000000"}
    body = b'{"message": "API rate limit exceeded for user ID 1."}'
    net.sites["api.github.com"] = lambda call: Served(body, 403, headers=headers)
    limited = told("https://github.com/acme/ferry")
    assert (limited.status, limited.has("rate-limit")) == ("blocked", True)
    assert "2026-09-10 00:26 UTC" in limited.error


def test_a_token_goes_to_its_interface_alone(net: FakeInternet) -> None:
    """Not to a host that it redirects to, and into no message."""
    environ = {"GITHUB_TOKEN": "ghp_secret"}
    net.sites["api.github.com"] = lambda call: Served(status=302, headers={"location": "https://other.example/x"})
    result = fetched(net, "https://github.com/acme/ferry", environ=environ)
    assert [call.headers.get("authorization") for call in net.asked("api.github.com")] == ["Bearer ghp_secret"]
    assert not any("authorization" in call.headers for call in net.calls if call.host != "api.github.com")
    assert "ghp_secret" not in str(result) + repr(Choices(environ=environ))


def test_o40_a_page_tells_about_itself(net: FakeInternet) -> None:
    """Title, description, Open Graph, JSON-LD without its bad block, and feeds, from the same page."""
    metadata = fetched(net, "https://article.example.org/ferry").last.metadata
    assert metadata["title"] == metadata["og"]["title"] == "The last ferry"
    assert metadata["description"] == "A ferry stops."
    assert metadata["jsonLd"] == [{"@type": "Article", "headline": "The last ferry"}]
    assert metadata["feeds"] == ["https://article.example.org/feed.xml"]


@pytest.mark.parametrize(
    ("url", "feed", "code"),
    [
        ("https://article.example.org/ferry", "https://article.example.org/feed.xml", 0),
        ("https://feeds.example.org/", "https://feeds.example.org/atom.xml", 0),
        ("https://plain.example.org/notes.txt", "", 3),
        ("http://10.0.0.1/", "", 4),
    ],
)
def test_o40_feeds_are_those_that_are_named_or_those_that_are_there(
    net: FakeInternet, url: str, feed: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """The link of the page, else the usual places in their order."""
    assert cli.main(["fetch", url, "--feeds"], obj=opening(net), standalone_mode=False) == code
    assert capsys.readouterr().out.strip() == feed
    if code in (0, 3):
        cli.main(["fetch", url, "--feeds", "--json"], obj=opening(net), standalone_mode=False)
        assert json.loads(capsys.readouterr().out) == {"url": url, "feeds": [feed] if feed else []}


def test_o41_keywords_go_to_all_platforms_and_failures_are_named(net: FakeInternet) -> None:
    """Each result has its platform; one that fails is told by name, and the others count."""
    net.fail("www.reddit.com", "500")
    net.fail("api.bsky.app", "html")
    net.fail("okky.kr", "malformed")
    findings = search("boats", Choices(seconds=30.0), http=opening(net))
    names = [platform.id for platform in searchable()]
    assert names == [
        *(
            "reddit",
            "hackernews",
            "stackexchange",
            "bluesky",
            "arxiv",
            "crossref",
            "devto",
            "clien",
            "okky",
            "duckduckgo",
        ),
    ]
    assert list(findings.found) == [
        "hackernews",
        "stackexchange",
        "arxiv",
        "crossref",
        "devto",
        "clien",
        "okky",
        "duckduckgo",
    ]
    assert all(row.title and row.url.startswith("http") for rows in findings.found.values() for row in rows)
    assert findings.found["okky"] == []
    assert set(findings.failed) == {"reddit", "bluesky"}
    assert "HTTP 500" in findings.failed["reddit"]


def test_o41_who_is_late_is_named_and_left_behind(net: FakeInternet) -> None:
    """All together have one limit, and the others' results count."""
    for host in ("okky.kr", "www.clien.net"):
        net.fail(host, "hang")
    findings = search("boats", Choices(seconds=5.0), http=opening(net))
    assert set(findings.failed) == {"clien", "okky"}
    assert all(why.startswith("no answer within 5 s") for why in findings.failed.values())


@pytest.mark.parametrize("name", [platform.id for platform in searchable()])
def test_o41_every_keyword_search_finds_something(net: FakeInternet, name: str) -> None:
    """A result with a title and an address."""
    words = "retry" if name == "duckduckgo" else "boats"
    (first, *_) = search(words, Choices(seconds=20.0), http=opening(net)).found[name]
    assert first.title
    assert first.url.startswith("http")


def test_o41_the_command_prints_results_and_failures(net: FakeInternet, capsys: pytest.CaptureFixture[str]) -> None:
    """Results on stdout, a line for each failure on stderr."""
    net.fail("www.reddit.com", "500")
    arguments = ["fetch", "boats", "--keywords", "--timeout", "20"]
    assert cli.main(arguments, obj=opening(net), standalone_mode=False) == 0
    captured = capsys.readouterr()
    assert "arxiv  A paper on boats — http://arxiv.org/abs/2601.00001v1" in captured.out
    assert [line for line in captured.err.splitlines() if line.startswith("reddit:")]


@pytest.mark.parametrize(
    "source",
    [
        "",
        "<",
        "<html>",
        "<a href='http://[::1'>x</a>",
        "<script type=application/ld+json>[1,{}]</script>",
        "\0<p>a",
        "<p>" * 9000,
    ],
)
def test_no_page_breaks_the_reader(source: str) -> None:
    """Whatever is wrong with it."""
    page = Page(source, "https://a.example/")
    assert isinstance(page.metadata(), dict)
    assert isinstance(page.text, str)
    assert isinstance(page.links(".*"), list)
