"""Naver's finance pages: the daily prices of a share over the last weeks."""

from __future__ import annotations

import ast
from datetime import date, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from onebrain_search.web.fetch.asking import Desk, Place, Reading, WrongShape, known, markdown

API: Final = "https://api.finance.naver.com/siseJson.naver"
WEEKS: Final = 6


def read(place: Place, desk: Desk) -> Reading:
    """Read `/item/….naver?code=CODE`."""
    code = place.query.get("code", "")
    if place.step(0) != "item" or not code.isalnum():
        raise WrongShape("shares are /item/main.naver?code=CODE")
    today = date.today()
    asked = {
        "symbol": code,
        "requestType": "1",
        "startTime": f"{today - timedelta(weeks=WEEKS):%Y%m%d}",
        "endTime": f"{today:%Y%m%d}",
        "timeframe": "day",
    }
    header, *prices = _table(desk.get(f"{API}?{urlencode(asked)}").text)
    if not prices:
        raise desk.missing(f"Naver has no prices of {code}")
    lines = [_row(header), _row(["---"] * len(header)), *map(_row, prices)]
    return Reading(markdown(code, [], "\n".join(lines)), known(code=code, days=len(prices)))


def _table(text: str) -> list[list[Any]]:
    """The rows of the answer, a list as Python and JavaScript write it. Raises ValueError for anything else."""
    try:
        found = ast.literal_eval(text.strip())
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError("no table") from error
    return [row for row in found if isinstance(row, list)]


def _row(cells: list[Any]) -> str:
    """A row of a table in Markdown."""
    return "| " + " | ".join(str(cell).strip() for cell in cells) + " |"
