"""How a dated decision is named to people, from the words that are kept of it."""

from __future__ import annotations


def day(date: str | None, source: str) -> str:
    """Return when it happened: with a tilde where nobody wrote it down, `undated` where nothing is known."""
    guessed = "~" if source in ("mtime", "order") else ""
    return f"{guessed}{date}" if date else "undated"


def label(thread: str, what: str) -> str:
    """Return what happened, behind the name of its record or line where it has one (`RFC-9110: HTTP Semantics`)."""
    head, _, number = thread.rpartition("-")
    is_name = head.isupper() and any(map(str.isdigit, number)) and thread not in what
    return f"{thread}: {what}" if is_name else what
