"""Memory files: one statement each, with explicit supersession in the front matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from indexer.events.outline import Outline, renewed
from indexer.types import Event

_STATUS = {"deprecated": "deprecated", "archived": "deprecated", "superseded": "superseded"}


def memory_events(outline: Outline) -> list[Event]:
    """The file's statement, dated by its creation; nothing for files that are no memory."""
    document = outline.document
    meta = document.meta
    is_memory = "agent-memory" in document.tags and ("type" in meta or "conf" in meta or "supersedes" in meta)
    if not is_memory:
        return []
    statement = next((b for b in document.blocks if b.kind in ("paragraph", "item", "quote") and b.text), None)
    statement = statement or next((b for b in document.blocks if b.text), None)
    if statement is None:
        return []
    event = outline.event(statement, statement.text)
    replaced_by = _names(meta, "superseded_by")
    status = "superseded" if replaced_by else _STATUS.get(str(meta.get("status", "")).lower(), "")
    return [renewed(event, status=status, supersedes=_names(meta, "supersedes"), superseded_by=replaced_by)]


def _names(meta: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """The note names under a key, which holds one or a list, without the marks of a link."""
    value = meta.get(key)
    values = value if isinstance(value, list) else [value] if value else []
    return tuple(str(each).strip().removeprefix("[[").removesuffix("]]") for each in values)
