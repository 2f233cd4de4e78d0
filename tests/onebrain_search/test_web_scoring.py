"""What results are worth: merging, words, freshness, authority, trust; all with a clock that stands still."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from onebrain_search.web import merge, scoring, show, trust
from onebrain_search.web.purpose import purposes
from onebrain_search.web.results import Result, Trust
from onebrain_search.web.tables import load

NOW = datetime(2026, 9, 15, 12, tzinfo=UTC)
DEFAULT = trust.rows_of("default")
NEWER = trust.rows_of("newer")
AUTHORITIES = [(name, value) for value, names in load("authority")["tiers"] for name in names]


def _result(url: str = "https://a.example.org/x", title: str = "", snippet: str = "", **more: object) -> Result:
    """Return a result of the web route."""
    return Result("web", title, url, snippet, ("exa",), **more)  # type: ignore[arg-type]


def test_l4_a_score_is_the_weighted_sum_to_four_places() -> None:
    """Two of three words, 40 days old, on a listed domain: .4*.6667 + .1*.5 + .5*1."""
    found = _result("https://github.com/a", "Retry", "with backoff", date="2026-08-06")
    assert scoring.score(found, "retry backoff policy", purposes()["factual"], NOW) == 0.8167


@pytest.mark.parametrize(
    ("question", "share"),
    [("is C ok", 0.5), ("Retry jitter", 1.0), ("retry unknown", 0.5), ("tri jit", 0.5), ("nothing fits", 0.0)],
)
def test_l5_words_count_when_they_are_longer_than_two(question: str, share: float) -> None:
    """They may stand inside other words; a question without any is neutral."""
    assert scoring.matched(question, "Retry with JITTER") == share


@pytest.mark.parametrize(
    ("days", "value"),
    [(0.5, 1.0), (1, 1.0), (2, 0.9), (7, 0.9), (30, 0.7), (31, 0.5), (90, 0.5), (365, 0.3), (366, 0.1)],
)
def test_l6_a_date_counts_by_its_age(days: float, value: float) -> None:
    """Up to a day, a week, a month, a quarter, a year, and older."""
    assert scoring.freshness((NOW - timedelta(days=days)).isoformat(), "", NOW) == value


@pytest.mark.parametrize(
    ("snippet", "value"),
    [("in 2026", 0.9), ("2025 edition", 0.6), ("2024", 0.4), ("2023", 0.4), ("2019", 0.2), ("2019 and 2026", 0.9),
     ("no year", 0.5), ("in 2031", 0.5), ("room 120260", 0.5)],
)  # fmt: skip
def test_l6_without_a_date_the_newest_year_of_the_snippet_counts(snippet: str, value: float) -> None:
    """A year to come and digits inside a number are none."""
    assert scoring.freshness("", snippet, NOW) == value


@pytest.mark.parametrize(
    "date",
    ["2026-09-14T12:00:00", "2026-09-14T12:00:00Z", "2026-09-14T12:00:00.000Z", "2026-09-14", "September 14, 2026",
     "Sep 14, 2026", "Mon, 14 Sep 2026 12:00:00 GMT", "1 day ago", "23 hours ago", "a day ago"],
)  # fmt: skip
def test_l6_every_form_of_a_date_is_read(date: str) -> None:
    """ISO, in words, as in mails, and as an age."""
    age = scoring.age_in_days(date, NOW)
    assert age is not None
    assert 0 < age < 2


@pytest.mark.parametrize(
    "date",
    ["soon", "0000-13-99", "99999999999", "\ud800", f"{'9' * 400} days ago", f"01 Jan {'9' * 20} 00:00:00 GMT"],
    ids=lambda date: date[:12],
)
def test_l6_a_date_that_cannot_be_read_is_neutral(date: str) -> None:
    """It is neither fresh nor old."""
    assert scoring.freshness(date, "in 2026", NOW) == 0.5


@pytest.mark.parametrize(("domain", "value"), [row for row in AUTHORITIES if row != ("cloud.google.com", 1.0)])
def test_l7_a_listed_domain_has_its_authority(domain: str, value: float) -> None:
    """All 75 of them."""
    assert scoring.authority(domain) == value


@pytest.mark.parametrize(
    ("domain", "value"),
    [("docs.github.com", 1.0), ("en.wikipedia.org", 1.0), ("www.react.dev", 1.0), ("docs.acme.com", 0.9),
     ("acme.github.io", 0.7), ("blog.acme.com", 0.6), ("mit.edu", 0.8), ("nasa.gov", 0.8), ("acme.com", 0.4),
     ("notgithub.com", 0.4), ("github.com.evil.net", 0.4)],
)  # fmt: skip
def test_l7_other_domains_count_by_parent_and_form(domain: str, value: float) -> None:
    """Below a listed one, then by pattern, else .4; a name that only looks alike gets nothing."""
    assert scoring.authority(domain) == value


def test_l8_a_domain_in_two_tiers_has_the_last_ones_value() -> None:
    """cloud.google.com is worth .8."""
    assert scoring.authority("cloud.google.com") == 0.8


@pytest.mark.parametrize(
    ("domain", "value"), [("acme.com", 0.6), ("www.acme.com", 0.6), ("notacme.com", 0.4), ("github.com", 1.0)]
)
def test_l9_a_preferred_domain_gets_a_fifth_more(domain: str, value: float) -> None:
    """With those below it, up to 1."""
    assert scoring.authority(domain, ("ACME.com", "github.com")) == pytest.approx(value)


def test_l10_without_an_intent_there_is_no_score() -> None:
    """The results keep their order."""
    results = [_result("https://b.org"), _result("https://a.org")]
    assert scoring.scored(results, "q", None, NOW) == results
    assert merge.ordered(results) == results


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://A.org/x/", "https://a.org/x"),
        ("https://a.org:443/x#part", "https://a.org/x"),
        ("http://a.org:80", "http://a.org/"),
        ("https://a.org/x?utm_source=n&b=1&UTM_Medium=z", "https://a.org/x?b=1"),
        ("https://bücher.example/", "https://xn--bcher-kva.example"),
    ],
)
def test_m11_l13_addresses_of_one_page_are_one(one: str, other: str) -> None:
    """Case of the host, its script, default port, fragment, slash at the end and campaign marks do not count."""
    assert merge.canonical(one) == merge.canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("https://a.org/x", "https://a.org/X"), ("http://a.org", "https://a.org"), ("https://a.org:8443", "https://a.org"),
     ("https://a.org/?b=1", "https://a.org/?b=2")],
)  # fmt: skip
def test_m11_other_pages_stay_apart(one: str, other: str) -> None:
    """Path, scheme, other ports and parameters count."""
    assert merge.canonical(one) != merge.canonical(other)


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "//x", "", "http://[::1", "http://a:b"])
def test_what_is_no_web_address_is_no_result(url: str) -> None:
    """It is left out of the list."""
    assert merge.canonical(url) == ""
    assert merge.merged([[_result(url)]]) == []


@given(st.text(max_size=60))
@example("․")
def test_any_text_has_a_canonical_form_that_is_its_own(text: str) -> None:
    """Nothing is raised, and doing it twice changes nothing."""
    once = merge.canonical(f"https://{text}")
    assert merge.canonical(once) == once


def test_l13_o10_one_page_is_one_row_with_all_its_sources() -> None:
    """The first source's text wins, and gaps are filled from the next one."""
    first = Result("docs", "One", "https://a.org/x/", "", ("exa",))
    second = Result("web", "Other", "https://A.org/x#y", "said", ("tavily",), "2026-01-01")
    (row,) = merge.merged([[first], [second]])
    assert (row.title, row.snippet, row.sources, row.date, row.route) == (
        "One", "said", ("exa", "tavily"), "2026-01-01", "docs",
    )  # fmt: skip


def test_m11_pages_that_more_sources_name_come_first() -> None:
    """Then those that were seen first."""
    a, b, c = (_result(f"https://{name}.org") for name in "abc")
    other = Result("web", "", "https://c.org", "", ("brave",))
    assert [row.domain for row in merge.merged([[a, b, c], [other]])] == ["c.org", "a.org", "b.org"]


def test_o11_relevance_comes_first_and_trust_breaks_ties_only() -> None:
    """A verified page below a better one stays below; between equals it goes first."""
    low = _result("https://low.org", score=0.5, trust=Trust("external", 0.3))
    high = _result("https://high.org", score=0.5, trust=Trust("verified", 0.95))
    best = _result("https://best.org", score=0.6)
    assert [row.domain for row in merge.ordered([low, high, best])] == ["best.org", "high.org", "low.org"]


@pytest.mark.parametrize(
    ("domain", "label"),
    [
        ("react.dev", "[verified,lang-docs 0.95]"),
        ("redis.io", "[verified,vendor-docs 0.90]"),
        ("dev.to", "[external,blog 0.35]"),
        ("stackoverflow.com", "[community,qa 0.65]"),
        ("medium.com", "[external,blog 0.35]"),
        ("nextjs.org", "[verified,lang-docs 0.95]"),
        ("vercel.com", "[verified,vendor 0.90]"),
        ("freecodecamp.org", "[external,tutorial 0.45]"),
        ("datatracker.ietf.org", "[verified,standards 0.95]"),
        ("auth0.com", "[verified,vendor-docs 0.90]"),
        ("htmx.org", "[verified,lang-docs 0.90]"),
        ("reddit.com", "[community,forum 0.50]"),
        ("docs.github.com", "[verified 0.90]"),
        ("developers.google.com", "[verified 0.85]"),
        ("nasa.gov", "[verified 0.90]"),
        ("superuser.stackexchange.com", "[community,qa 0.65]"),
        ("en.wikipedia.org", "[community 0.65]"),
        ("www.npmjs[.]com", "[community 0.60]"),
        ("acme.example.net", "[—]"),
        ("notreact.dev", "[—]"),
    ],
)
def test_o9_a_domain_has_its_label(domain: str, label: str) -> None:
    """By its own row, a parent's or a pattern; unknown is a dash."""
    worth = trust.trust_of(domain.replace("[.]", "."), DEFAULT)
    assert show.label({"level": worth.level, "score": worth.score, "tags": worth.tags}) == label


@pytest.mark.parametrize(
    ("domain", "level", "score"),
    [("github.com", "verified", 0.95), ("www.github.com", "verified", 0.95), ("gist.github.com", "unknown", None),
     ("army.mil", "verified", 0.9), ("x.gov.uk", "verified", 0.85), ("developer.acme.com", "verified", 0.85)],
)  # fmt: skip
def test_the_newer_table_knows_no_parents(domain: str, level: str, score: float | None) -> None:
    """Very host, or host without `www.`, then patterns."""
    worth = trust.trust_of(domain, NEWER, parents=False)
    assert (worth.level, worth.score) == (level, score)


def test_a_row_of_the_users_own_counts_first() -> None:
    """Also for the domains below it."""
    own = [("acme.com", Trust("verified", 0.88, ("mine",))), *DEFAULT]
    assert trust.trust_of("www.acme.com", own).score == 0.88
    assert trust.trust_of("wiki.acme.com", own).tags == ("mine",)


def test_a_page_of_the_resolved_library_is_verified() -> None:
    """So are other pages of its host, unless everybody's code lies there."""
    page = Result("docs", "", "https://github.com/acme/lib", library=True)
    site = Result("docs", "", "https://lib.acme.net/guide", library=True)
    rest = [_result("https://github.com/evil/lib"), _result("https://lib.acme.net/blog")]
    found = trust.judged([page, site, *rest], DEFAULT, own=["github.com", "lib.acme.net"])
    assert [each.trust.score for each in found] == [0.95, 0.95, 0.6, 0.95]


class Asked:
    """A list of popular domains that counts who is asked for."""

    def __init__(self, places: Mapping[str, int | None]) -> None:
        self.places, self.calls = places, list[str]()

    def __call__(self, domains: Sequence[str]) -> Mapping[str, int | None]:
        """Return the places that it has an answer to."""
        self.calls += domains
        return {domain: self.places[domain] for domain in domains if domain in self.places}


def test_o22_a_domain_is_looked_up_once(tmp_path: Path) -> None:
    """Memory, then patterns, then the list, and back to memory; a second process asks nobody."""
    results = trust.judged([_result("https://react.dev"), _result("https://acme.example.net/a")], DEFAULT)
    ranks = Asked({"acme.example.net": 12301})
    for _ in range(2):
        found = trust.validated(results, ranks, trust.Memory(tmp_path / "m.json", lambda: 1e9))
        assert [each.trust.rank for each in found] == [None, 12301]
    assert ranks.calls == ["acme.example.net"]


def test_o22_what_is_remembered_grows_old(tmp_path: Path) -> None:
    """After a month the list is asked again; a domain without an answer at once."""
    ranks, results = Asked({}), [_result("https://acme.example.net")]
    memory = trust.Memory(tmp_path / "m.json", lambda: 1e9)
    memory.add({"acme.example.net": None})
    trust.validated(results, ranks, trust.Memory(tmp_path / "m.json", lambda: 1e9 + 29 * 86400))
    assert ranks.calls == []
    trust.validated(results, ranks, trust.Memory(tmp_path / "m.json", lambda: 1e9 + 31 * 86400))
    assert ranks.calls == ["acme.example.net"]


@pytest.mark.parametrize("damaged", ["", "[", "[1]", '{"a": 3}', "\x00"])
def test_a_damaged_memory_is_an_empty_one(tmp_path: Path, damaged: str) -> None:
    """It is written anew."""
    file = tmp_path / "m.json"
    file.write_text(damaged, "utf-8")
    memory = trust.Memory(file, lambda: 1e9)
    assert "a.org" not in memory
    memory.add({"a.org": 3})
    assert trust.Memory(file, lambda: 1e9)["a.org"] == 3


@pytest.mark.parametrize(
    ("place", "bands", "label"),
    [(5, False, "[—]"), (None, False, "[—]"), (5, True, "[community 0.60]"), (50_000, True, "[external 0.40]"),
     (900_000, True, "[external 0.20]"), (None, True, "[—]")],
)  # fmt: skip
def test_a_popular_domain_is_never_verified_by_that(place: int | None, bands: bool, label: str) -> None:
    """The default table takes no level from it, the newer one only lower levels."""
    (found,) = trust.validated([_result("https://a.net")], Asked({"a.net": place}), trust.Memory(), bands=bands)
    worth = found.trust
    assert show.label({"level": worth.level, "score": worth.score, "tags": worth.tags}) == label


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://intranet/"])
def test_a_host_that_is_no_public_name_is_never_looked_up(url: str) -> None:
    """Nobody outside hears of it."""
    ranks = Asked({})
    trust.validated([_result(url)], ranks, trust.Memory())
    assert ranks.calls == []


def test_o23_the_path_never_changes_the_trust() -> None:
    """Only the domain counts."""
    pages = ["https://dev.to/", "https://dev.to/docs.react.dev", "https://dev.to/react.dev?x=docs."]
    assert {each.trust for each in trust.judged(map(_result, pages), DEFAULT)} == {Trust("external", 0.35, ("blog",))}


def test_o12_strict_keeps_what_is_verified() -> None:
    """Unknown domains go, too, and all are counted."""
    results = trust.judged(
        [_result(f"https://{domain}") for domain in ("react.dev", "developers.acme.com", "dev.to", "acme.net")],
        DEFAULT,
    )
    kept, filtered = trust.kept(results, True)
    assert [each.domain for each in kept] == ["react.dev", "developers.acme.com"]
    assert filtered == 2
    assert trust.kept(results, False) == (results, 0)


def test_hosts_of_package_indexes_get_their_dot_back() -> None:
    """The tables hold them with a bracket, the program does not."""
    names = {name for name, _ in DEFAULT} | {name for name, _ in AUTHORITIES}
    assert not [name for name in names if "[" in name]
    assert {name for name in names if name.startswith("py") and name.endswith("org")}
