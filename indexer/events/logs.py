"""Logs of a OneBrain vault: sessions, checkpoints, pauses and audit runs."""

from __future__ import annotations

import re
from dataclasses import replace

from indexer.events import wording
from indexer.events.outline import Outline, renewed
from indexer.types import Event

_LOG_TAGS = {"session-log", "checkpoint", "pause", "audit-log"}
_LOG_NAME = re.compile(r"(?:^|/)\d{4}-\d\d-\d\d-(?:[\w-]+-)?(?:session|checkpoint|pause)-\d+\.md$")
_KINDS = {
    "decisions": "decision",
    "outcomes": "outcome",
    "questions": "question",
    "talk": "chatter",
    "actions": "chatter",
}
_CHANGED = re.compile(r"(created|updated|deprecated)\s+(\S+\.md)", re.IGNORECASE)


def log_events(outline: Outline) -> list[Event]:
    """One event a bullet; undated ones have the log's date, and the slug of a pause is the thread of all."""
    document = outline.document
    if not _LOG_TAGS.intersection(document.tags) and not _LOG_NAME.search(document.path):
        return []
    thread = str(document.meta.get("task_slug") or document.meta.get("pause_slug") or "")
    found: list[Event] = []
    for section in outline.sections:
        kind = _KINDS.get(wording.role(section.title), "")
        for block in section.blocks:
            if block.kind not in ("item", "paragraph") or not block.text:
                continue
            if changed := _CHANGED.match(block.text):
                event = outline.event(block, block.text, kind="outcome")
                found.append(replace(event, status="", links=(*event.links, changed[2].removeprefix("memory/"))))
            elif kind:
                event = outline.event(block, block.text, section.when, kind)
                found.append(renewed(event, thread=event.thread or thread))
    return found
