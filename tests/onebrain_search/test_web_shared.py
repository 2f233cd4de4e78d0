"""The web asked by many threads and processes at once: one limit for all, and nothing that one noted is lost."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from onebrain_search import Brain
from onebrain_search.web.health import Health
from onebrain_search.web.http import Http
from onebrain_search.web.results import SourceError
from onebrain_search.web.testing import FakeInternet
from onebrain_search.web.trust import Memory
from onebrain_search.web_settings import WebSettings
from tests.onebrain_search.fake_web import KEYS

BLOCKED = SourceError("search_http_429", "no")
REPO = Path(__file__).parents[2]
PROCESS = """
import sys
from pathlib import Path
from onebrain_search.web.health import Health
from onebrain_search.web.results import SourceError
from onebrain_search.web.trust import Memory
file, name = Path(sys.argv[1]), sys.argv[2]
health, memory = Health(file=file / "sources.json"), Memory(file / "domains.json")
for n in range(15):
    health.bad(f"{name}{n}", SourceError("search_http_429", "no"))
    health.share()
    memory.add({f"{name}{n}.org": n})
"""


def test_pauses_of_two_processes_are_both_kept(tmp_path: Path) -> None:
    """Each learns what the other noted, and one that answers again is asked again by both."""
    one, two = (Health(file=tmp_path / "sources.json", clock=lambda: 1000.0) for _ in range(2))
    one.bad("exa", BLOCKED)
    two.bad("brave", BLOCKED)
    for each in (one, two, one):
        each.share()
    assert [each.degraded(name) for each in (one, two) for name in ("exa", "brave")] == [300.0] * 4
    two.good("exa")
    two.share()
    one.share()
    assert (one.degraded("exa"), one.degraded("brave")) == (0.0, 300.0)


def test_calls_of_two_processes_count_together(tmp_path: Path) -> None:
    """A window of five is full when one made three calls and the other two; each is counted once."""
    one, two = (Health(most=5, file=tmp_path / "sources.json", clock=lambda: 1000.0) for _ in range(2))
    for each, times in ((one, 3), (two, 2)):
        for _ in range(times):
            each.admit("exa")
    for each in (one, two, one, two, one):
        each.share()
    kept = json.loads((tmp_path / "sources.json").read_text("utf-8"))
    assert kept["exa"]["calls"] == 5
    with pytest.raises(SourceError, match="the limit"):
        one.admit("exa")


def test_nothing_is_lost_when_processes_write_at_once(tmp_path: Path) -> None:
    """Sources and domains of all of them stand in the files in the end."""
    names = ["a", "b", "c"]
    running = [subprocess.Popen([sys.executable, "-c", PROCESS, str(tmp_path), name], cwd=REPO) for name in names]
    assert [process.wait(120) for process in running] == [0, 0, 0]
    sources = json.loads((tmp_path / "sources.json").read_text("utf-8"))
    domains = json.loads((tmp_path / "domains.json").read_text("utf-8"))
    assert set(sources) == {f"{name}{n}" for name in names for n in range(15)}
    assert set(domains) == {f"{name}{n}.org" for name in names for n in range(15)}


def test_threads_may_share_the_health_and_the_memory(tmp_path: Path) -> None:
    """As those of a daemon do: no change is lost, and none fails because of another one."""
    health, memory = Health(most=10_000, file=tmp_path / "sources.json"), Memory(tmp_path / "domains.json")

    def work(name: str) -> None:
        """Note, share and remember."""
        for n in range(15):
            health.admit("all")
            health.bad(f"{name}{n}", BLOCKED)
            health.share()
            memory.add({f"{name}{n}.org": n})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, "abcd"))
    kept = json.loads((tmp_path / "sources.json").read_text("utf-8"))
    assert kept["all"]["calls"] == 60
    assert all(health.degraded(f"{name}{n}") > 0 for name in "abcd" for n in range(15))
    assert all(f"{name}{n}.org" in memory for name in "abcd" for n in range(15))


def test_a_file_that_cannot_be_locked_is_no_error(tmp_path: Path) -> None:
    """What was noted is kept by the process alone."""
    (tmp_path / "state").write_text("in the way", "utf-8")
    health = Health(file=tmp_path / "state" / "sources.json")
    health.bad("exa", BLOCKED)
    health.share()
    assert health.degraded("exa") > 0


def test_threads_that_ask_one_brain_share_one_limit(onebrain_brain: Brain, tmp_path: Path) -> None:
    """Five questions at the same moment, a source that may be asked twice a minute: it is asked twice."""
    with FakeInternet() as net:
        web = WebSettings(keyring=False, providers=("exa",), ranks="", rate_max=2)
        environ = {"ONEBRAIN_SEARCH_HOME": str(tmp_path), "PATH": "", **KEYS}
        brain = Brain(replace(onebrain_brain.config, web=web), environ)
        brain.web.http = Http(routes=net.routes)
        together = threading.Barrier(5)

        def ask(number: int) -> object:
            """Ask when all are there."""
            together.wait()
            return brain.web.search(f"what is the capital of mongolia {number}?")

        with ThreadPoolExecutor(5) as pool:
            found = list(pool.map(ask, range(5)))
        assert len(found) == 5
        assert len(net.asked("api.exa.ai")) == 2
    brain.web.forget()
