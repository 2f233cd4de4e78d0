"""Work beside other work."""

from __future__ import annotations

import threading

import pytest

from onebrain_search.aside import Aside


def test_a_job_runs_while_its_owner_goes_on() -> None:
    """It waits for what comes after it was begun, and gives its result when asked."""
    go = threading.Event()

    aside = Aside(lambda: go.wait(10))
    go.set()
    assert aside.result()


def test_an_error_is_raised_where_the_result_is_wanted() -> None:
    """As it was raised."""
    with pytest.raises(ZeroDivisionError):
        Aside(lambda: 1 // 0).result()


def test_where_no_thread_can_be_had_the_job_is_done_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that is full of them refuses one more, and the answer only takes longer."""

    def refuse(thread: threading.Thread) -> None:
        """Raise what `start` raises then."""
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    aside = Aside(lambda: 7)
    assert aside.result() == 7
