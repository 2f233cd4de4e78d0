"""Bad sites, bad addresses and bad networks: each ends in a status and one line."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.errors import ParseError
from onebrain_search.cli import cli
from onebrain_search.web.fetch import documents
from onebrain_search.web.fetch.types import EXIT_CODES
from onebrain_search.web.testing import FakeInternet, Served
from onebrain_search.web.testing.faults import FAULTS
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


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - {"hang", "slow", "429"}))
def test_no_fault_of_a_site_breaks_a_fetch(net: FakeInternet, fault: str) -> None:
    """Thirty megabytes, endless streams, cut or wrong bodies, loops: a status and one line."""
    for host in ("one.example", "m.one.example", "api.github.com"):
        net.sites[host] = FAULTS[fault]
    for url in ("https://one.example/", "https://github.com/acme/ferry"):
        result = fetched(net, url)
        assert result.last.status in EXIT_CODES
        assert "\n" not in result.last.error
        assert result.last.ok or result.last.error


@pytest.mark.parametrize("fault", ["hang", "slow"])
def test_a_site_that_never_ends_is_left_behind(net: FakeInternet, fault: str) -> None:
    """Neither silence nor a drip outlasts the limit."""
    net.sites["one.example"] = net.sites["m.one.example"] = FAULTS[fault]
    result = fetched(net, "https://one.example/", seconds=1.0)
    assert tried(result) == [("probe", "timeout")]


def test_a_redirect_to_a_private_place_ends_the_fetch(net: FakeInternet) -> None:
    """It is bad input, and no other strategy gets the address."""
    net.sites["one.example"] = net.sites["m.one.example"] = FAULTS["private redirect"]
    result = fetched(net, "https://one.example/", include_archive=True)
    assert tried(result) == [("probe", "invalid-input")]
    assert not net.asked("archive.org")


def test_a_redirect_loop_is_a_signal(net: FakeInternet) -> None:
    """And the fetch ends."""
    net.sites["one.example"] = net.sites["m.one.example"] = FAULTS["redirect loop"]
    assert fetched(net, "https://one.example/").last.has("redirect-loop")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://a.example/x", "https://u:secret@a.example/", "", "a b"])
def test_what_must_not_be_asked_is_bad_input(net: FakeInternet, url: str) -> None:
    """Nothing is sent, no strategy is tried, and a password is not repeated."""
    result = fetched(net, url, include_archive=True, allowed=frozenset({"jina", "browser"}))
    assert (result.last.status, result.attempts, net.calls) == ("invalid-input", (), [])
    assert "secret" not in result.last.error


def test_a_proxy_of_the_environment_is_used(net: FakeInternet, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests go to it, with the address as it is."""
    from onebrain_search.web.addresses import PublicOnly
    from onebrain_search.web.fetch.pipeline import fetch
    from onebrain_search.web.http import Http

    monkeypatch.setenv("http_proxy", net.origin)
    monkeypatch.delenv("no_proxy", raising=False)
    net.sites["one.example"] = lambda call: page(f"<p>{WORDS}</p>")
    guard = PublicOnly(resolve=lambda host, port: ["93.184.216.34"])
    assert fetch("http://one.example/", http=Http(guard=guard)).last.ok


def test_offline_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """No list of attempts, no advice that could not help."""
    assert cli.main(["fetch", "https://nothing.invalid/a"], standalone_mode=False) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1


def test_a_page_cannot_drive_the_terminal(net: FakeInternet, capsys: pytest.CaptureFixture[str]) -> None:
    """Escapes are shown, not sent, in text and in JSON."""
    net.sites["one.example"] = lambda call: Served(b"red \x1b[31m text", kind="text/plain")
    for options in ([], ["--json"]):
        assert _cli(net, "https://one.example/", *options) == 0
        assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--timeout", "soon"], ["--nothing"], ["--timeout"]])
def test_a_wrong_use_is_an_error_of_its_own_code(net: FakeInternet, arguments: list[str]) -> None:
    """2 means blocked, so a wrong option ends with 1."""
    assert _cli(net, "https://one.example/", *arguments) == 1


def test_settings_that_cannot_be_read_end_with_one(
    net: FakeInternet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """So does a name in the settings that is no way to fetch."""
    (tmp_path / "onebrain.yml").write_text("onebrain_search: {web: {fetch_allow: [browsers]}}", encoding="utf-8")
    assert _cli(net, "https://one.example/", "--vault", str(tmp_path)) == 1
    assert "`browsers` is none" in capsys.readouterr().err


def test_settings_allow_a_way(net: FakeInternet, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the file names is tried."""
    (tmp_path / "onebrain.yml").write_text("onebrain_search: {web: {fetch_allow: [jina]}}", encoding="utf-8")
    assert _cli(net, "https://shell.example.org/", "--vault", str(tmp_path)) == 0
    assert "The text that the script writes." in capsys.readouterr().out


SAMPLES = Path(__file__).parents[1] / "indexer" / "samples"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(("name", "kind"), [("retry-policy.pdf", "application/pdf"), ("retry-policy.docx", WORD)])
def test_documents_are_read_by_their_text(net: FakeInternet, name: str, kind: str) -> None:
    """Of PDF and Word files, as notes of that format are."""
    net.sites["one.example"] = lambda call: Served((SAMPLES / name).read_bytes(), kind=kind)
    last = fetched(net, "https://one.example/").last
    assert (last.status, last.content_type) == ("ok", kind), last.error
    assert "needle" in last.content


@pytest.mark.parametrize("name", ["encrypted.pdf", "retry-policy.png"])
def test_a_document_that_cannot_be_read_is_an_error(net: FakeInternet, name: str) -> None:
    """Locked, or no document at all."""
    body = (SAMPLES / name).read_bytes() if name.endswith(".pdf") else b"%PDF-1.7 and nothing more"
    net.sites["one.example"] = lambda call: Served(body, kind="application/pdf")
    last = fetched(net, "https://one.example/").last
    assert (last.status, last.error.count("\n")) == ("error", 0)
    assert "one.example" in last.error


def test_a_document_that_ends_its_reader_ends_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader is a process of its own; its death is a reason like any other."""
    monkeypatch.setattr(documents, "READ", "import os; os.abort()")
    with pytest.raises(ParseError, match="ends the program"):
        documents.text_of(b"%PDF", ".pdf", "a.pdf")


def test_a_small_body_that_unpacks_to_a_huge_one_is_cut(net: FakeInternet) -> None:
    """The limit is that of the unpacked text."""
    packed = gzip.compress(b"<p>boat</p>" * 4_000_000, 1)
    served = Served(packed, kind="text/html", headers={"content-encoding": "gzip"})
    net.sites["one.example"] = net.sites["m.one.example"] = lambda call: served
    last = fetched(net, "https://one.example/").last
    assert len(packed) < 1_000_000
    assert (last.status, "more than 5 MB" in last.error) == ("error", True)
