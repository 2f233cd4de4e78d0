"""The web is asked last and only by consent: what leaves the machine, when, and what an answer says of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from onebrain_search import Brain, text
from onebrain_search.fallback import outward
from onebrain_search.service import Service
from onebrain_search.web.http import Http
from onebrain_search.web.testing import FakeInternet
from onebrain_search.web.testing.__main__ import environment, settings
from onebrain_search.web_settings import WebSettings
from tests.onebrain_search.fake_web import KEYS

KNOWN = "How long are idempotency keys kept?"
UNKNOWN = "what is the capital of mongolia?"
HINT = "`--web` asks it for this question"


@pytest.fixture
def net() -> Iterator[FakeInternet]:
    """Return a running internet."""
    with FakeInternet() as internet:
        yield internet


def _brain(indexed: Brain, net: FakeInternet, **chosen: Any) -> Brain:
    """Return a Brain of an indexed vault with settings of the web."""
    web = WebSettings(**{"keyring": False, "providers": ("exa",), "ranks": "", **chosen})
    environ = {"ONEBRAIN_SEARCH_HOME": str(indexed.folder.parent), "PATH": "", **KEYS}
    brain = Brain(replace(indexed.config, web=web), environ)
    brain.web.http = Http(routes=net.routes)
    return brain


def _exa(net: FakeInternet) -> list[str]:
    """Return what Exa was asked."""
    return [call.json["query"] for call in net.asked("api.exa.ai")]


def test_nothing_is_asked_by_default_and_the_answer_says_how_to_allow_it(
    onebrain_brain: Brain, net: FakeInternet
) -> None:
    """An answer that the notes give says nothing about the web."""
    brain = _brain(onebrain_brain, net)
    missed, known = brain.ask(UNKNOWN), brain.ask(KNOWN)
    assert any(HINT in note and "enabled: true" in note for note in missed.notes)
    assert not any(HINT in note for note in known.notes)
    assert (missed.web, known.web, net.calls) == (None, None, [])


def test_with_consent_the_web_is_asked_where_the_notes_have_no_answer(
    onebrain_brain: Brain, net: FakeInternet
) -> None:
    """And only there."""
    brain = _brain(onebrain_brain, net, enabled=True)
    assert brain.ask(KNOWN).web is None
    assert net.calls == []
    answer = brain.ask(UNKNOWN)
    assert answer.web is not None
    assert answer.web["results"]
    assert _exa(net) == [UNKNOWN]


def test_a_question_may_ask_for_the_web_or_forbid_it(onebrain_brain: Brain, net: FakeInternet) -> None:
    """Both count more than the settings."""
    assert _brain(onebrain_brain, net).ask(KNOWN, web=True).web is not None
    net.calls.clear()
    refused = _brain(onebrain_brain, net, enabled=True).ask(UNKNOWN, web=False)
    assert refused.web is None
    assert net.calls == []
    assert not any(HINT in note for note in refused.notes)


def test_a_question_for_reasons_that_the_notes_tell_does_not_go_out(onebrain_brain: Brain, net: FakeInternet) -> None:
    """The chain is the answer."""
    answer = _brain(onebrain_brain, net, enabled=True).ask("why did we drop qmd?")
    assert answer.chain
    assert net.calls == []


def test_results_of_the_web_stand_apart_from_the_sources(onebrain_brain: Brain, net: FakeInternet) -> None:
    """The answer cites the notes alone; the web has its own heading, below, with the trust of each domain."""
    service = Service(_brain(onebrain_brain, net))
    answer = service.ask({"question": KNOWN, "web": True})
    alone = service.ask({"question": KNOWN, "web": False})
    assert (answer["answer"], answer["sources"]) == (alone["answer"], alone["sources"])
    printed = text.answer_text(answer)
    above, below = printed.split("🌐 From the web, not from your notes")
    assert "https://" not in above
    assert "📚 Sources" in above
    assert "Mode: docs + web (auto)" in below
    assert "docs.example.org  [verified 0.90]" in below


@pytest.mark.parametrize(
    ("question", "sent"),
    [
        ("what is the capital of mongolia?", "what is the capital of mongolia?"),
        ("mongolia tag:private/health path:01-projects", "mongolia"),
        ('"deep lake" -secret status=active', "deep lake"),
        ("what is the capital of mongolia in path:07-logs?", "capital of mongolia in"),
    ],
)
def test_filters_of_a_question_stay_here(question: str, sent: str) -> None:
    """They name folders, tags and fields of the vault."""
    assert outward(question) == sent


def test_a_question_of_filters_alone_does_not_go_out(onebrain_brain: Brain, net: FakeInternet) -> None:
    """A note says so."""
    answer = _brain(onebrain_brain, net).ask("tag:work", web=True)
    assert answer.web is None
    assert any("nothing but filters" in note for note in answer.notes)
    assert net.calls == []


def test_without_a_network_the_answer_stands_and_one_line_says_so(onebrain_brain: Brain, net: FakeInternet) -> None:
    """All names lead to a closed port."""
    brain = _brain(onebrain_brain, net)
    brain.web.http = Http(routes={"*": "http://127.0.0.1:9"})
    answer = Service(brain).ask({"question": KNOWN, "web": True})
    assert answer["confidence"] == "strong"
    printed = text.answer_text(answer).splitlines()
    assert printed[-1] == "🌐 From the web, not from your notes: the web cannot be reached: check the network"


def test_two_questions_share_what_is_known_of_sources(onebrain_brain: Brain, net: FakeInternet) -> None:
    """One Brain remembers in its process that a window is full."""
    brain = _brain(onebrain_brain, net, providers=("tavily",), rate_max=1)
    first, second = (brain.ask(f"{UNKNOWN} tutorial", web=True).web for _ in range(2))
    assert first is not None
    assert second is not None
    assert (first["ok"], second["failure"]["code"]) == (True, "search_rate_limited")


def test_m13_a_process_knows_what_its_handles_stand_for(onebrain_brain: Brain, net: FakeInternet) -> None:
    """The JSON has them, and the Brain gives the address back."""
    brain = _brain(onebrain_brain, net)
    answer = brain.ask(KNOWN, web=True)
    assert answer.web is not None
    for row in answer.web["results"]:
        assert brain.web.handles.url(row["id"]) == brain.web.handles.url(row["handle"]) == row["url"]


def _run(net: FakeInternet, place: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a folder whose settings lead to the fake internet."""
    vault = place / "notes"
    if not vault.exists():
        vault.mkdir()
        (vault / "onebrain.yml").write_text(settings(net), "utf-8")
        (vault / "a.md").write_text("# Backoff\n\nWe wait two seconds before a retry.\n", "utf-8")
    program = [sys.executable, "-c", "from onebrain_search.cli import main; main()", *arguments]
    environ = {**environment(str(place / "state")), "PYTHONPATH": os.pathsep.join(sys.path), **more}
    return subprocess.run(program, cwd=vault, env=environ, capture_output=True, encoding="utf-8", timeout=120)


def test_the_verb_prints_results_and_ends_with_its_code(net: FakeInternet, tmp_path: Path) -> None:
    """0 found, 1 nothing found, 2 nobody to ask; JSON is one object, with its order by flags."""
    found = _run(net, tmp_path, "web", "React useEffect official docs", "--json")
    assert (found.returncode, found.stderr) == (0, "web: asking context7: 20.5 s at most\n")
    assert json.loads(found.stdout)["mode_line"] == "Mode: docs (auto)"
    routed = _run(net, tmp_path, "web", "React official docs", "--intent", "web")
    assert "Mode: web (explicit)" in routed.stdout
    assert _run(net, tmp_path, "web", "--code", "xyzzy").returncode == 1
    lost = _run(net, tmp_path, "web", "--code", "retry", GITHUB_TOKEN="")
    assert lost.returncode == 2
    before = len(net.calls)
    wrong = _run(net, tmp_path, "web", "retry", "--num", "99")
    assert (wrong.returncode, wrong.stderr.count("\n"), len(net.calls)) == (2, 1, before)
    assert "1 to 20" in wrong.stderr


def test_the_program_ends_while_a_source_still_hangs(net: FakeInternet, tmp_path: Path) -> None:
    """What it says of that source stands in the output and on stderr; the server is never let go before the end."""
    net.fail("api.exa.ai", "hang")
    done = _run(net, tmp_path, "web", "--web", "retry")
    assert done.returncode == 0
    assert "Some sources timed out (exa); showing partial results" in done.stdout
    assert "web: degraded exa" in done.stderr
    assert not net.closing.is_set()


def test_clear_deletes_what_the_web_left(net: FakeInternet, tmp_path: Path) -> None:
    """The health of sources, and the domains that were looked up."""
    _run(net, tmp_path, "web", "--web", "trick", "--num", "20")
    kept = list((tmp_path / "state").rglob("web-*.json"))
    assert {file.name for file in kept} == {"web-sources.json", "web-domains.json"}
    assert _run(net, tmp_path, "clear").returncode == 0
    assert not any(file.exists() for file in kept)


def test_no_key_is_printed_whatever_goes_wrong(net: FakeInternet, tmp_path: Path) -> None:
    """Not on stdout, not on stderr, not in what is kept."""
    for host in ("api.exa.ai", "api.tavily.com", "api.search.brave.com"):
        net.fail(host, "401")
    done = _run(net, tmp_path, "web", "--web", "retry", EXA_API_KEY="secret-exa", TAVILY_API_KEY="secret-tavily")
    kept = [file.read_text("utf-8", "replace") for file in (tmp_path / "state").rglob("web-*")]
    assert "secret" not in "".join([done.stdout, done.stderr, *kept])


def test_a_proxy_of_the_environment_carries_the_web(net: FakeInternet, tmp_path: Path) -> None:
    """A source whose name nobody can resolve is reached by it."""
    vault = tmp_path / "notes"
    vault.mkdir()
    web = {"keyring": False, "providers": ["searxng"], "urls": {"searxng": "http://searx.example.org"}, "ranks": ""}
    (vault / "onebrain.yml").write_text(json.dumps({"onebrain_search": {"web": web}}), "utf-8")
    done = _run(net, tmp_path, "web", "--web", "retry", http_proxy=net.origin, no_proxy="", NO_PROXY="")
    assert done.returncode == 0, done.stdout
    assert net.asked("searx.example.org")


def test_the_web_beside_an_answer_of_the_program(net: FakeInternet, tmp_path: Path) -> None:
    """The settings allow it here, so a question without an answer goes out, and one with `--no-web` does not."""
    kept = _run(net, tmp_path, "--no-web", "--retrieval", "lexical", "zebra crossing")
    assert (kept.returncode, net.calls) == (1, [])
    asked = _run(net, tmp_path, "--retrieval", "lexical", "--json", "zebra crossing")
    assert asked.returncode == 0
    assert json.loads(asked.stdout)["web"]["results"]
    assert net.asked("api.search.brave.com")
