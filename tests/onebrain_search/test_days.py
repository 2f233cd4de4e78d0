"""Dates in filters: what they name, and that nothing else is taken for one."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import QueryError
from onebrain_search.days import day_before, day_range

TODAY = date(2026, 3, 11)  # a Wednesday


@pytest.mark.parametrize(
    ("value", "first", "last"),
    [
        ("2026-03-02", "2026-03-02", "2026-03-02"),
        ("2026/3/2", "2026-03-02", "2026-03-02"),
        ("2026.03.02", "2026-03-02", "2026-03-02"),
        ("2026-02", "2026-02-01", "2026-02-28"),
        ("2025-12", "2025-12-01", "2025-12-31"),
        ("2024", "2024-01-01", "2024-12-31"),
        ("9999", "9999-01-01", "9999-12-31"),
        ("2026-01..2026-03", "2026-01-01", "2026-03-31"),
        ("2026-01..", "2026-01-01", ""),
        ("..2025", "", "2025-12-31"),
        ("today", "2026-03-11", "2026-03-11"),
        ("Yesterday", "2026-03-10", "2026-03-10"),
        ("7d", "2026-03-04", "2026-03-11"),
        ("2w", "2026-02-25", "2026-03-11"),
        ("last 3 months", "2025-12-11", "2026-03-11"),
        ("past-10-days", "2026-03-01", "2026-03-11"),
        ("1 year", "2025-03-11", "2026-03-11"),
        ("last month", "2026-02-11", "2026-03-11"),
        ("last-year", "2025-03-11", "2026-03-11"),
        ("this_week", "2026-03-09", "2026-03-11"),
        ("this month", "2026-03-01", "2026-03-11"),
        ("this year", "2026-01-01", "2026-03-11"),
        ("last week..yesterday", "2026-03-04", "2026-03-10"),
        ("9999y", "0001-01-01", "2026-03-11"),
    ],
)
def test_a_date_names_days(value: str, first: str, last: str) -> None:
    """Both ends are included; an open end is empty."""
    assert day_range(value, TODAY) == (first, last)


def test_f28_last_week_is_seven_days_ago_up_to_today() -> None:
    """The window holds both ends, so nothing of the day a week ago is lost."""
    assert day_range("last week", TODAY) == ("2026-03-04", "2026-03-11")


@pytest.mark.parametrize(
    "value",
    [
        "",
        "..",
        "soon",
        "2026-13",
        "2026-02-30",
        "02-03-2026",
        "20260302",
        "2026-03-02T10:00",
        "0000",
        "7",
        "d",
        "-1d",
        "2026-03..2026-01",
        "a..b",
        "2026-01..soon",
        "last",
        "٣d",
        "\x00",
    ],
)
def test_anything_else_is_an_error(value: str) -> None:
    """A date that cannot be read is never ignored; the message says what can be written."""
    with pytest.raises(QueryError, match="the date"):
        day_range(value, TODAY)


def test_the_day_before_a_month_is_the_last_of_the_one_before() -> None:
    """`before:` ends before the first day that its value names."""
    assert day_before("2026-03", TODAY) == "2026-02-28"


@pytest.mark.parametrize("value", ["0001-01-01", "..2026", "9999y"])
def test_there_is_no_day_before_the_first(value: str) -> None:
    """A span without a beginning has no day before it."""
    with pytest.raises(QueryError, match="no day before"):
        day_before(value, TODAY)


@given(st.text())
def test_no_text_breaks_the_reading_of_dates(value: str) -> None:
    """Any text is read or refused, whatever day it is."""
    try:
        first, last = day_range(value, TODAY)
    except QueryError:
        return
    assert not (first and last) or first <= last
