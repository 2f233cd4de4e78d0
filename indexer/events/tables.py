"""Decision tables: one event a row, whatever the columns are called and in whatever order they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from indexer.events import wording
from indexer.events.outline import Outline, Section, When, leading_date, renewed
from indexer.types import Block, Event

_SHORT = 16  # characters of a decision cell that is a number or a word beside a description


def table_events(outline: Outline) -> list[Event]:
    """The rows of all tables that tell decisions: by their columns, or by the heading they stand under."""
    found: list[Event] = []
    for section in outline.sections:
        rows = [block for block in section.blocks if block.kind == "row"]
        for columns, body in _tables(rows):
            if kind := _kind(outline, section, columns):
                found += [event for row in body if (event := _event(outline, section, row, columns, kind))]
    return found


def _tables(rows: Sequence[Block]) -> Iterator[tuple[dict[str, int], list[Block]]]:
    """Each table as its columns by role and its rows; a table begins at a header row."""
    number = 0
    numbers: list[int] = []
    for row in rows:
        number += row.level == 0
        numbers.append(number)
    for _, group in groupby(zip(numbers, rows, strict=True), key=lambda pair: pair[0]):
        table = [row for _, row in group]
        if table[0].level == 0:
            roles = [wording.column(cell) for cell in table[0].cells]
            yield {role: place for place, role in reversed(list(enumerate(roles))) if role}, table[1:]


def _kind(outline: Outline, section: Section, columns: dict[str, int]) -> str:
    """What the rows of a table are, or `""` when it tells no decisions."""
    role = wording.role(section.title)
    if "decision" in columns and (len(columns) > 1 or role == "decisions"):
        return "decision"
    if role == "decisions" and ("date" in columns or "topic" in columns or "detail" in columns):
        return "decision"
    if not outline.is_dated:
        return ""
    if "topic" in columns and "status" in columns:
        return "outcome"
    return "outcome" if role == "actions" or ("action" in columns and "detail" in columns) else ""


def _event(outline: Outline, section: Section, row: Block, columns: dict[str, int], kind: str) -> Event | None:
    """The event of one row; None for an empty row."""
    cells = {role: row.cells[place] for role, place in columns.items() if place < len(row.cells)}
    text = _text(
        cells, row.cells, {columns[role] for role in ("date", "number", "reason", "status") if role in columns}
    )
    if not text:
        return None
    dated = leading_date(cells.get("date", ""))
    when, unread = (dated[0], dated[1]) if dated else (section.when or outline.when, cells.get("date", ""))
    if dated and dated[0].date is None and unread:
        text = f"{unread} — {text}"
    event = outline.event(row, text, when if isinstance(when, When) else None, kind, cells.get("reason", ""))
    status = wording.state(cells.get("status", ""))
    return renewed(event, status=status)


def _text(cells: dict[str, str], row: Sequence[str], unsaid: set[int]) -> str:
    """What a row says: its decision, with the topic before it and the description after it; else its longest cell."""
    said = cells.get("decision") or ""
    detail = cells.get("detail") or ""
    if detail and len(said) <= _SHORT:
        said = detail if said.replace(".", "").isdigit() else f"{said}: {detail}".lstrip(": ")
    topic, state = cells.get("topic") or "", cells.get("status") or ""
    if topic and said:
        return f"{topic}: {said}"
    if not said and (topic or cells.get("action")):
        said = topic or cells["action"]
        return f"{said}: {state}" if state else said
    if said or not row:
        return said
    return max((cell for place, cell in enumerate(row) if place not in unsaid), key=len, default="")
