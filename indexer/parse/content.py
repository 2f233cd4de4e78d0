"""What every format reader takes and gives; `parse` makes the Document out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from indexer.types import Block, Link

DATE_KEYS = (  # of the front matter, that hold a note's date
    *("date", "created", "created at", "created on", "date created", "creation date", "file creation date"),
    *("published", "published at", "publish date", "publication date", "day", "session date", "meeting date"),
)


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """Settings of the parsers.

    `date_keys`: front matter keys that hold a note's date. `comments`: whether comments are searched. `redact`: rules
    (see indexer.redact.RULES) of secrets that are covered before anything else reads the text.
    """

    date_keys: tuple[str, ...] = DATE_KEYS
    comments: bool = False
    redact: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Content:
    """What a format reader found in one file; `text` keeps the file's lines (see Document)."""

    title: str
    text: str
    blocks: tuple[Block, ...] = ()
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    block_ids: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    dated: bool = True  # False: names and titles of this format are no dates, only mtime counts
