"""Secrets in what a reader extracted: they are covered wherever its text went."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from indexer.parse.content import Content
from indexer.redact import redact


def covered(content: Content, rules: tuple[str, ...]) -> tuple[Content, int]:
    """The content without the secrets that the rules find in its text or meta data, and how many there were."""
    if not rules:
        return content, 0
    text, in_text = redact(content.text, rules)
    meta, in_meta = _covered_value(dict(content.meta), rules)
    if not in_text + in_meta:
        return content, 0
    blocks = tuple(
        replace(
            block,
            text=redact(block.text, rules)[0],
            cells=tuple(redact(cell, rules)[0] for cell in block.cells),
        )
        for block in content.blocks
    )
    title = redact(content.title, rules)[0]
    return replace(content, text=text, meta=meta, blocks=blocks, title=title), in_text + in_meta


def _covered_value(value: Any, rules: tuple[str, ...]) -> tuple[Any, int]:
    """A value of plain data with the secrets in its strings covered, and how many there were."""
    if isinstance(value, str):
        return redact(value, rules)
    if isinstance(value, list):
        pairs = [_covered_value(entry, rules) for entry in value]
        return [entry for entry, _ in pairs], sum(count for _, count in pairs)
    if isinstance(value, dict):
        found = {key: _covered_value(entry, rules) for key, entry in value.items()}
        return {key: entry for key, (entry, _) in found.items()}, sum(count for _, count in found.values())
    return value, 0
