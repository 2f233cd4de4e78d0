"""Work beside other work."""

from __future__ import annotations

import threading

import pytest

from onebrain_search.aside import Aside


def test_a_job_runs_while_its_owner_goes_on() -> None:
    """It has not ended before what it waits for, and gives its result when asked."""
    go = threading.Event()

    def job() -> int:
        """Wait for a word."""
        go.wait(10)
        return 7

    aside = Aside(job)
    assert not aside.done
    go.set()
    assert aside.result() == 7
    assert aside.done


def test_an_error_is_raised_where_the_result_is_wanted() -> None:
    """As it was raised."""
    with pytest.raises(ZeroDivisionError):
        Aside(lambda: 1 // 0).result()
