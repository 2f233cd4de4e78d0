"""Text made out of a file that is no text: Markdown-like lines, and the blocks that stand on them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from posixpath import basename, splitext
from typing import Any

from indexer.parse.content import Content, ParseOptions
from indexer.parse.markdown import read as read_markdown
from indexer.types import Block, BlockKind, Link, SourceFile

_MOST = 10_000_000  # characters kept of one file: what the scan takes of a text file (ScanRules.max_bytes)
_CONTROLS = re.compile("[\0-\x08\x0b\x0e-\x1f\x7f\ufffe\uffff]")
_TOGETHER = ("item", "row")  # blocks of these kinds follow each other without a blank line


class Extraction:
    """The lines and blocks of one file while they are gathered; line numbers are those of the extracted text.

    Everything past ten million characters is left out and reported. `links` of `add` get the block's first line.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.blocks: list[Block] = []
        self.links: list[Link] = []
        self.tags: dict[str, None] = {}
        self.block_ids: dict[str, int] = {}
        self.meta: dict[str, Any] = {}
        self.problems: list[str] = []
        self._room = _MOST

    @property
    def full(self) -> bool:
        """Whether there is no room for more text."""
        return self._room <= 0

    def heading(self, text: str, level: int, links: Iterable[Link] = ()) -> None:
        """Add a heading of level 1..6."""
        text = one_line(text)
        self.add("heading", f"{'#' * level} {text}", text, level, links=links)

    def item(self, text: str, level: int, links: Iterable[Link] = ()) -> None:
        """Add a list item; `level` is the list's depth from 1."""
        indent = "  " * (level - 1)
        self.add("item", f"{indent}- " + text.replace("\n", f"\n{indent}  "), text, level, links=links)

    def row(self, cells: Sequence[str], level: int, links: Iterable[Link] = ()) -> None:
        """Add a table row; level 0 is the header."""
        cells = tuple(one_line(cell) for cell in cells)
        self.add("row", "| " + " | ".join(cells) + " |", "", level, cells, links)

    def paragraph(self, text: str, kind: BlockKind = "paragraph", links: Iterable[Link] = ()) -> None:
        """Add a paragraph or quote."""
        self.add(kind, text, text, links=links)

    def fence(self, text: str, language: str = "") -> None:
        """Add code or output between lines of backticks longer than any in it."""
        text = text.strip("\n")
        if text.strip():
            ticks = "`" * max(3, *(len(run) + 1 for run in re.findall("`{3,}", text)), 3)
            self.add("fence", f"{ticks}{language}\n{text}\n{ticks}")

    def add(
        self,
        kind: BlockKind,
        shown: str,
        text: str = "",
        level: int = 0,
        cells: tuple[str, ...] = (),
        links: Iterable[Link] = (),
    ) -> None:
        """Add a block whose lines are `shown`; nothing is added for text of white space alone."""
        shown = self._fitting(cleaned(shown))
        if not shown.strip():
            return
        start = self._next_line(kind)
        self.lines += shown.split("\n")
        text, cells = cleaned(text), tuple(map(cleaned, cells))
        self.blocks.append(Block(kind, start, len(self.lines), text, level, cells))
        self.links += (replace(link, line=start) for link in links)

    def markdown(self, file: SourceFile, source: str, options: ParseOptions) -> None:
        """Add a piece of Markdown as a note would be read, with its front matter, links, tags and block ids."""
        part = read_markdown(file, self._fitting(cleaned(source)), options)
        self.meta.update(part.meta)
        self.problems += part.problems
        self.tags.update(dict.fromkeys(part.tags))
        if not part.text.strip():
            return
        before = self._next_line("paragraph") - 1
        self.lines += part.text.rstrip().split("\n")
        self.blocks += (
            replace(block, start_line=block.start_line + before, end_line=block.end_line + before)
            for block in part.blocks
        )
        self.links += (replace(link, line=link.line + before) for link in part.links)
        for name, line in part.block_ids.items():
            self.block_ids.setdefault(name, line + before)

    def content(self, file: SourceFile, title: str = "", meta: Mapping[str, Any] | None = None) -> Content:
        """What was gathered; the title is `title`, else front matter's, the first heading of level 1, the name."""
        stem = splitext(basename(file.path))[0]
        titles = (cleaned(title), str(self.meta.get("title") or ""), self._first_heading(), stem)
        title = next(filter(None, map(one_line, titles)), stem)
        if self.full:
            self.problems.append(f"only the first {_MOST:,} characters of its text are kept")
        return Content(
            title=title,
            text="\n".join(self.lines),
            blocks=tuple(self.blocks),
            aliases=() if title == stem else (stem,),
            tags=tuple(self.tags),
            meta={**self.meta, **(meta or {}), "extracted": True},
            links=tuple(self.links),
            block_ids=self.block_ids,
            problems=tuple(dict.fromkeys(self.problems)),
        )

    def _first_heading(self) -> str:
        """The text of the first heading of level 1."""
        return next((b.text for b in self.blocks if b.kind == "heading" and b.level == 1 and b.text), "")

    def _next_line(self, kind: BlockKind) -> int:
        """The line a block begins on, behind a blank line where one belongs."""
        if self.blocks and not (kind in _TOGETHER and self.blocks[-1].kind == kind):
            self.lines.append("")
        return len(self.lines) + 1

    def _fitting(self, text: str) -> str:
        """As much of a text as there is room for."""
        kept = text[: max(0, self._room)]
        self._room -= len(text) + 1
        return kept


def cleaned(text: str) -> str:
    """Text without control characters and lone surrogates, its line ends `\\n`."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", text)


def one_line(text: str) -> str:
    """Text with each run of white space made one space."""
    return " ".join(text.split())
