"""Small vaults of decisions for the tests of chains, and the asking of them."""

from __future__ import annotations

from pathlib import Path

from onebrain_search import Brain
from onebrain_search.types import Answer

NOISE = {
    "garden.md": "# Garden\n\n## Decisions\n\n- 2024-03-01 — Tomatoes grow in the south bed, because it is warm\n",
    "paint.md": "# Paint\n\nThe shop door is green. Two coats, sanded in between.\n",
    "logs/2024-02-03-session-01.md": (
        "---\ntags: [session-log]\ndate: 2024-02-03\n---\n# Session\n\n## Key Decisions\n\n"
        "- Invoices are numbered by year because the office asks for it\n"
    ),
}


def session(date: str, *decisions: str, number: int = 1, kind: str = "session", talk: str = "") -> dict[str, str]:
    """Return a log of a day with its decisions, as `{path: text}`."""
    tag = "session-log" if kind == "session" else kind
    worked = f"## What We Worked On\n\n- {talk}\n\n" if talk else ""
    decided = "".join(f"- {decision}\n" for decision in decisions)
    text = f"---\ntags: [{tag}]\ndate: {date}\n---\n# Log\n\n{worked}## Key Decisions\n\n{decided}"
    return {f"logs/{date}-{kind}-{number:02d}.md": text}


def record(title: str, status: str, date: str = "", more: str = "") -> str:
    """Return a decision record."""
    dated = f"Date: {date}\n\n" if date else ""
    body = f"## Status\n\n{status}\n\n## Context\n\nIt came up.\n\n## Decision\n\nSo be it.\n\n{more}"
    return f"# {title}\n\n{dated}{body}"


def asked(folder: Path, question: str, **settings: str) -> Answer:
    """Index a vault by words and ask it."""
    brain = Brain.open(folder)
    brain.index(vectors=False)
    return brain.ask(question, retrieval="lexical", **settings)  # type: ignore[arg-type]


def told(answer: Answer) -> list[tuple[str | None, str, str]]:
    """Return date, beginning and status of each link of a chain."""
    return [(event.date, event.what[:16], event.status) for event in answer.chain]


def in_force(answer: Answer) -> str:
    """Return what is in force, empty for nothing."""
    return answer.in_force.what if answer.in_force else ""
