"""Many sources under one deadline, and the health of each: real threads, an injected clock for what takes minutes."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.errors import NotFound
from onebrain_search.web.fanout import Gathered, Source, gather
from onebrain_search.web.handles import Handles, handle
from onebrain_search.web.health import Health
from onebrain_search.web.http import Http
from onebrain_search.web.providers import Provider
from onebrain_search.web.results import Access, Found, Result, SourceError, Wanted

ONE = Found((Result("web", "One", "https://one.example.org"),))
Events = list[tuple[str, str]]


def _source(name: str, asks: Callable[[Wanted, Access], Found], *, gap: float = 0.0, again: bool = True) -> Source:
    """Return a source that calls a function."""
    return Source(Provider(name, "web", gap=gap, again=again), Access(Http(), ""), asks)


def _good(wanted: Wanted, access: Access) -> Found:
    """Answer at once."""
    return ONE


def _raising(code: str, wait: float | None = None) -> Callable[[Wanted, Access], Found]:
    """Return a source that fails."""

    def asks(wanted: Wanted, access: Access) -> Found:
        """Fail."""
        raise SourceError(code, f"says {code}", wait=wait)

    return asks


class Hanging:
    """A source that answers when it is let go."""

    def __init__(self) -> None:
        self.free = threading.Event()

    def __call__(self, wanted: Wanted, access: Access) -> Found:
        """Wait."""
        self.free.wait()
        return ONE


def _heard(events: Events) -> Callable[[str, str, str], None]:
    """Return a listener that keeps events."""
    return lambda event, source, detail: events.append((event, source))


def test_what_came_in_time_is_kept_and_the_rest_is_named() -> None:
    """One hangs, one fails, one has a fault of ours, one is fine."""
    hanging = Hanging()
    sources = [
        _source("late", hanging),
        _source("bad", _raising("search_http_500")),
        _source("broken", lambda wanted, access: 1 / 0),  # type: ignore[arg-type, return-value]
        _source("good", _good),
    ]
    found = gather(sources, [Wanted("q")], Health(), 1.0)
    hanging.free.set()
    assert found.found == {"good": (ONE,)}
    assert found.timed_out == ("late",)
    assert {name: error.code for name, error in found.errored.items()} == {
        "bad": "search_http_500", "broken": "search_error",
    }  # fmt: skip


def test_all_sources_of_a_question_start_together() -> None:
    """Twelve wait for each other, so none of them can have waited for its turn."""
    meeting = threading.Barrier(12, timeout=20)

    def asks(wanted: Wanted, access: Access) -> Found:
        """Wait for the others."""
        meeting.wait()
        return ONE

    found = gather([_source(f"s{n}", asks) for n in range(12)], [Wanted("q")], Health(), 30)
    assert len(found.found) == 12


@pytest.mark.parametrize(("sources", "questions", "most"), [(3, 5, 8), (1, 6, 3), (2, 9, 6)])
def test_l12_many_questions_never_mean_more_than_eight_calls(sources: int, questions: int, most: int) -> None:
    """Of one source never more than three at once."""
    lock, now, seen = threading.Lock(), [0], [0]

    def asks(wanted: Wanted, access: Access) -> Found:
        """Count who is here."""
        with lock:
            now[0] += 1
            seen[0] = max(seen[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return ONE

    wanted = [Wanted(f"q{n}") for n in range(questions)]
    found = gather([_source(f"s{n}", asks) for n in range(sources)], wanted, Health(), 30)
    assert seen[0] <= most
    assert all(len(answers) == questions for answers in found.found.values())


def test_a_source_that_answers_half_of_the_questions_is_in_both_lists() -> None:
    """What it gave is kept, and nothing is passed over in silence."""

    def asks(wanted: Wanted, access: Access) -> Found:
        """Fail for one of them."""
        if wanted.question == "b":
            raise SourceError("search_http_500", "no")
        return ONE

    found = gather([_source("half", asks)], [Wanted("a"), Wanted("b")], Health(), 30)
    assert found.found == {"half": (ONE,)}
    assert set(found.errored) == {"half"}


def test_m8_the_31st_call_of_a_minute_is_not_made() -> None:
    """The window is fixed: when it is over, there is room again."""
    now = [1000.0]
    health = Health(clock=lambda: now[0])
    for _ in range(30):
        health.admit("exa")
    with pytest.raises(SourceError, match="30 calls in 60 s") as caught:
        health.admit("exa")
    assert caught.value.code == "search_rate_limited"
    health.admit("brave")
    now[0] += 60
    health.admit("exa")


@pytest.mark.parametrize(
    ("code", "left"),
    [("search_http_429", 300), ("search_http_202", 300), ("search_timeout", 300), ("search_http_500", 0),
     ("search_error", 0), ("search_http_401", 0)],
)  # fmt: skip
def test_m9_a_block_or_a_hang_is_left_alone_for_five_minutes(code: str, left: float) -> None:
    """Other failures are not."""
    health = Health(clock=lambda: 1000.0)
    health.bad("exa", SourceError(code, "no"))
    assert health.degraded("exa") == left


def test_m9_a_pause_ends_by_time_or_by_success() -> None:
    """While it lasts the source is skipped, and named."""
    now, events = [1000.0], list[tuple[str, str]]()
    health = Health(clock=lambda: now[0])
    source = _source("exa", _good)
    health.bad("exa", SourceError("search_http_429", "no"))
    found = gather([source], [Wanted("q")], health, 30, _heard(events))
    assert (found.found, found.degraded, events) == ({}, {"exa": 300.0}, [("skipped_degraded", "exa")])
    now[0] += 301
    assert gather([source], [Wanted("q")], health, 30, _heard(events)).found == {"exa": (ONE,)}
    assert events[1:] == [("recovered", "exa")]


def test_m9_a_source_may_ask_for_a_longer_pause() -> None:
    """Never for a shorter one."""
    health = Health(clock=lambda: 1000.0)
    health.bad("exa", SourceError("search_http_429", "no", wait=900))
    health.bad("brave", SourceError("search_http_429", "no", wait=2))
    assert (health.degraded("exa"), health.degraded("brave")) == (900, 300)


def test_m9_pauses_outlive_the_process(tmp_path: Path) -> None:
    """They lie in a file; a damaged one is an empty one."""
    file = tmp_path / "state" / "sources.json"
    first = Health(file=file, clock=lambda: 1000.0)
    first.bad("exa", SourceError("search_http_429", "no"))
    first.share()
    assert Health(file=file, clock=lambda: 1100.0).degraded("exa") == 200
    file.write_text('{"exa": [1]}', "utf-8")
    assert Health(file=file, clock=lambda: 1100.0).degraded("exa") == 0


def test_calls_of_one_source_keep_their_gap() -> None:
    """The first goes at once, each other one after the one before."""
    health = Health(clock=lambda: 1000.0)
    assert [health.admit("brave", 1.5) for _ in range(3)] == [0, 1.5, 3.0]


def test_a_turn_that_comes_too_late_is_no_fault_of_the_source() -> None:
    """It is told as our own limit, and nothing is held against it."""
    health = Health()
    found = gather([_source("slow", _good, gap=50)], [Wanted("a"), Wanted("b")], health, 5)
    assert found.errored["slow"].code == "search_rate_limited"
    assert health.degraded("slow") == 0


@pytest.mark.parametrize(
    ("wait", "again", "calls"), [(0.01, True, 2), (60, True, 1), (None, True, 1), (0.01, False, 1)]
)
def test_a_short_pause_that_a_source_asks_for_is_kept_once(wait: float | None, again: bool, calls: int) -> None:
    """It is never tried a third time, nor at all where the pause is long or the source must not be."""
    made = list[str]()

    def asks(wanted: Wanted, access: Access) -> Found:
        """Count and fail."""
        made.append(wanted.question)
        raise SourceError("search_http_429", "slow down", wait=wait)

    found = gather([_source("exa", asks, again=again)], [Wanted("q")], Health(), 30)
    assert len(made) == calls
    assert found.errored["exa"].code == "search_http_429"


ERRORS = {
    "search_http_429": "429", "search_http_202": "202", "search_timeout": "late", "search_rate_limited": "mine",
    "search_http_500": "500", "search_error": "else",
}  # fmt: skip


@pytest.mark.parametrize("first", range(len(ERRORS)))
def test_m10_where_all_failed_the_first_kind_is_reported(first: int) -> None:
    """429, 202, time-out, rate limit, other status, other error; whatever their order was."""
    rest = list(ERRORS)[first:]
    errors = {ERRORS[code]: SourceError(code, "no") for code in reversed(rest) if code != "search_timeout"}
    found = Gathered(errored=errors, timed_out=("late",) if "search_timeout" in rest else ())
    failure = found.failure()
    assert failure is not None
    assert failure.code == rest[0]


def test_m10_one_answer_is_no_failure() -> None:
    """Even an empty one."""
    assert Gathered({"exa": (Found(),)}, errored={"x": SourceError("search_error", "no")}).failure() is None


def test_m17_events_tell_what_becomes_of_a_source() -> None:
    """Degraded, left out, recovered, limited."""
    events, now = list[tuple[str, str]](), [1000.0]
    health = Health(most=2, clock=lambda: now[0])
    tell = _heard(events)
    gather([_source("exa", _raising("search_http_202"))], [Wanted("q")], health, 30, tell)
    gather([_source("exa", _good)], [Wanted("q")], health, 30, tell)
    now[0] += 300
    gather([_source("exa", _good)], [Wanted("q")], health, 30, tell)
    gather([_source("exa", _good)], [Wanted("a"), Wanted("b")], health, 30, tell)
    assert [name for name, _ in events] == ["degraded", "skipped_degraded", "recovered", "rate_limited"]


def test_m12_handles_name_a_page_however_it_is_written() -> None:
    """H and eight hex digits."""
    assert handle("https://A.org/x/") == handle("https://a.org/x#y")
    assert handle("https://a.org/x")[0] == "H"
    assert len(handle("https://a.org/x")) == 9


def test_m13_handles_live_for_an_hour_and_places_for_one_search() -> None:
    """A new search clears S1.. only; misses say which kind they are; an address passes."""
    now = [0.0]
    handles = Handles(lambda: now[0])
    handles.issue(["https://a.org", "https://b.org"])
    assert handles.url("S2") == "https://b.org"
    handles.issue(["https://c.org"])
    assert handles.url(handle("https://a.org").upper()) == "https://a.org"
    with pytest.raises(NotFound, match=r"unknown_handle.*S1"):
        handles.url("S2")
    now[0] = 3600
    with pytest.raises(NotFound, match="stale_handle"):
        handles.url(handle("https://a.org"))
    assert handles.url("https://x.org") == "https://x.org"


def test_m13_the_least_used_handles_go_first() -> None:
    """There is room for 64."""
    handles = Handles(lambda: 0.0)
    handles.issue(["https://first.org"])
    handles.issue([f"https://a.org/{n}" for n in range(63)])
    assert handles.url(handle("https://first.org")) == "https://first.org"
    handles.issue(["https://new.org"])
    assert handles.url(handle("https://first.org")) == "https://first.org"
    with pytest.raises(NotFound):
        handles.url(handle("https://a.org/0"))


def test_a_source_that_hangs_does_not_keep_the_process() -> None:
    """It would hang for an hour; the process ends long before that."""
    program = """
import time
from onebrain_search.web.fanout import Source, gather
from onebrain_search.web.health import Health
from onebrain_search.web.http import Http
from onebrain_search.web.providers import Provider
from onebrain_search.web.results import Access, Wanted
asks = lambda wanted, access: time.sleep(3600)
sources = [Source(Provider(f"s{n}", "web"), Access(Http(), ""), asks) for n in range(4)]
print(gather(sources, [Wanted("q")], Health(), 0.2).timed_out)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert "s3" in done.stdout
    assert done.stderr == ""
