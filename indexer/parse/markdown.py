"""Markdown notes as Obsidian, Logseq, Dendron, Foam and plain folders write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from posixpath import basename, splitext
from typing import Any

from indexer.parse.blanking import blank_comments, blank_data
from indexer.parse.content import Content, ParseOptions
from indexer.parse.front_matter import read_front_matter
from indexer.parse.inline import code_spans
from indexer.parse.markdown_blocks import MarkdownBlocks
from indexer.types import Block, SourceFile

_TAG_KEYS = ("tags", "tag", "keywords")
_ALIAS_KEYS = ("aliases", "alias")
_MOST_NAMES = 200  # tags or aliases taken from one key


def read(file: SourceFile, text: str, options: ParseOptions) -> Content:
    """Read a note; `text` has `\\n` line ends. Faults of the front matter are problems of the content."""
    front = read_front_matter(text)
    body = "\n" * text.count("\n", 0, front.end) + text[front.end :]
    body, giants = blank_data(body, least=0)
    if not options.comments:
        body = blank_comments(body, code_spans)
    marked = MarkdownBlocks(body)
    meta = {**marked.fields, **front.meta} if marked.fields else front.meta
    stem = splitext(basename(file.path))[0]
    title = _title(meta, marked.blocks) or stem
    lowered = {key.casefold(): value for key, value in meta.items()}
    aliases = _names(lowered, _ALIAS_KEYS, ",")
    return Content(
        title=title,
        text=_without(body, marked.source, marked.cuts),
        blocks=tuple(marked.blocks),
        aliases=_unique(aliases if stem == title else [*aliases, stem]),
        tags=_unique([*_tags(lowered), *marked.tags]),
        meta=meta,
        links=(*front.links, *marked.links),
        block_ids=marked.block_ids,
        problems=(*front.problems, *giants),
    )


def _without(text: str, source: bytes, cuts: list[tuple[int, int]]) -> str:
    """The text without the byte ranges `cuts` (in order, none across a line end)."""
    if not cuts:
        return text
    kept, last = [], 0
    for start, end in cuts:
        kept.append(source[last:start])
        last = end
    return b"".join((*kept, source[last:])).decode()


def _title(meta: Mapping[str, Any], blocks: list[Block]) -> str:
    """Front matter's `title`, else the first H1, else a level 2 heading at the very top, else ""."""
    title = meta.get("title")
    if isinstance(title, (str, int, float)) and not isinstance(title, bool) and str(title).strip():
        return " ".join(str(title).split())
    for block in blocks:
        if block.kind == "heading" and block.level == 1 and block.text:
            return block.text
    top = blocks[0] if blocks else None
    return top.text if top and top.kind == "heading" and top.level == 2 else ""


def _tags(meta: Mapping[str, Any]) -> Iterator[str]:
    """Tags of the front matter, without `#`; strings are split at commas, else at spaces."""
    for key in _TAG_KEYS:
        value = meta.get(key)
        if isinstance(value, str) and "," not in value and key != "keywords":
            value = value.split()
        for name in _flat(value, ","):
            tag = name.strip().lstrip("#").strip("/ ")
            if tag:
                yield tag


def _names(meta: Mapping[str, Any], keys: Iterable[str], separator: str) -> list[str]:
    """Names under any of the keys: a list, or a string with separators."""
    return [name for key in keys for name in _flat(meta.get(key), separator) if name]


def _flat(value: Any, separator: str) -> list[str]:
    """Strings of a value that is one string, a number, or lists of them."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(separator)][:_MOST_NAMES]
    if isinstance(value, list):
        return [name for entry in value[:_MOST_NAMES] for name in _entry(entry)][:_MOST_NAMES]
    return [str(value)] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def _entry(entry: Any) -> list[str]:
    """The names in one entry of a list; commas inside an entry belong to it."""
    return [entry.strip()] if isinstance(entry, str) else _flat(entry, ",")


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    """Names in order, each once whatever its case."""
    seen: dict[str, str] = {}
    for name in names:
        seen.setdefault(name.casefold(), name)
    return tuple(seen.values())
