"""The block structure of Markdown: pulldown-cmark's events in, blocks, links, tags and block ids out.

Offsets of events are bytes of the UTF-8 source; lines are counted over `\\n` alone. The loop runs some 40,000 times a
megabyte, so each event costs two look-ups and a call, and handlers take only what they need from its span.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from indexer.parse.inline import BLOCK_ID, CALLOUT, as_link, as_tag, fields_in, markdown, tags_in
from indexer.types import Block, BlockKind, Link

Span = dict[str, int]  # start and end, in bytes
Handler = Callable[[Any, Span], None]  # takes the event's own value and its span
_HASH = 35  # the byte of "#"


class MarkdownBlocks:
    """Reads one Markdown text on construction.

    `blocks`, `links`, `tags` (as written, in order), `fields` (`key:: value`), `block_ids` and `cuts`: byte ranges of
    block id markers, in order. Text of a block keeps its line breaks, so its n-th line is the file's n-th from there.
    """

    def __init__(self, text: str) -> None:
        self.source = text.encode()
        self.blocks: list[Block] = []
        self.links: list[Link] = []
        self.tags: dict[str, None] = {}
        self.fields: dict[str, str] = {}
        self.block_ids: dict[str, int] = {}
        self.cuts: list[tuple[int, int]] = []
        self._newlines = [match.start() for match in re.finditer(b"\n", self.source)]
        self._pieces: list[str] = []  # rendered text since the last block
        self._start = -1  # byte range of those pieces
        self._end = 0
        self._verbatim = False
        self._depth = 0  # of lists
        self._quotes = 0
        self._items: list[int] = []  # start of each open item, -1 once its own text is out
        self._references: list[tuple[int, dict[str, Any]]] = []  # open links: where their text begins
        self._cells: list[str] = []
        self._rule_line = 0
        self._read(text)

    def _read(self, text: str) -> None:
        """Give every event to its handler."""
        inline = self._inline_handlers()
        tables = {"Start": self._opening_handlers(), "End": self._closing_handlers()}
        for event, span in markdown().events_with_range(text, merge_text=True):
            if type(event) is str:
                value = None
                handler = inline.get(event)
            else:
                (key,) = event
                value = event[key]
                table = tables.get(key)
                if table is None:
                    handler = inline.get(key)
                elif type(value) is str:
                    handler = table.get(value)
                else:
                    (key,) = value
                    value = value[key]
                    handler = table.get(key)
            if handler is not None:
                handler(value, span)
        self._flush()

    def _inline_handlers(self) -> dict[str, Handler]:
        """Handlers of events that are no container."""
        return {
            "Text": self._text,
            "Code": self._literal,
            "InlineMath": self._literal,
            "DisplayMath": self._literal,
            "SoftBreak": self._line_break,
            "HardBreak": self._line_break,
            "InlineHtml": self._inline_html,
            "TaskListMarker": self._task,
            "Rule": self._rule,
        }

    def _opening_handlers(self) -> dict[str, Handler]:
        """Handlers of container starts."""
        return {
            "Paragraph": self._open_run,
            "Heading": self._open_run,
            "FootnoteDefinition": self._open_run,
            "List": self._open_list,
            "Item": self._open_item,
            "BlockQuote": self._open_quote,
            "CodeBlock": self._open_verbatim,
            "HtmlBlock": self._open_verbatim,
            "TableHead": self._open_row,
            "TableRow": self._open_row,
            "TableCell": self._open_cell,
            "Link": self._open_reference,
            "Image": self._open_reference,
        }

    def _closing_handlers(self) -> dict[str, Handler]:
        """Handlers of container ends."""
        return {
            "Paragraph": self._close_run,
            "Heading": self._close_heading,
            "List": self._close_list,
            "Item": self._close_item,
            "BlockQuote": self._close_quote,
            "CodeBlock": self._close_fence,
            "HtmlBlock": self._close_html,
            "TableHead": self._close_head,
            "TableRow": self._close_row,
            "TableCell": self._close_cell,
            "Link": self._close_link,
            "Image": self._close_image,
        }

    # text

    def _text(self, value: str, span: Span) -> None:
        """Take text; look for tags in it unless it is a link's."""
        if self._verbatim:
            return
        self._pieces.append(value)
        self._end = span["end"]
        if self._start < 0:
            self._start = span["start"]
        if "#" in value and not self._references:
            for tag in tags_in(self.source, span["start"], span["end"]):
                self.tags.setdefault(tag)

    def _literal(self, value: str, span: Span) -> None:
        """Take code, a formula or a footnote's mark as text."""
        self._pieces.append(value)
        self._end = span["end"]
        if self._start < 0:
            self._start = span["start"]

    def _line_break(self, _: None, span: Span) -> None:
        """Keep a line break; a block id may stand before it."""
        pieces = self._pieces
        if pieces and "^" in pieces[-1]:
            pieces[-1] = self._take_block_id(pieces[-1], self._line(span["start"]))
        pieces.append("\n")

    def _inline_html(self, value: str, span: Span) -> None:
        """Drop an HTML tag; `<br>` is a space."""
        self._literal(" " if value[:3].lower() == "<br" else "", span)

    def _task(self, done: bool, span: Span) -> None:
        """A check box is plain text."""
        self._literal("[x] " if done else "[ ] ", span)

    def _rule(self, _: None, span: Span) -> None:
        """Remember where a rule stands, for `---` blocks that are no headings."""
        self._flush()
        self._rule_line = self._line(span["start"])

    # links

    def _open_reference(self, payload: dict[str, Any], span: Span) -> None:
        """Begin a link or image."""
        start = span["start"]
        if self._start < 0:
            self._start = start
        self._references.append((len(self._pieces), payload))
        if start and self.source[start - 1] == _HASH and type(payload["link_type"]) is dict:
            tag = as_tag(payload["dest_url"])  # Logseq's `#[[two words]]`
            if tag:
                self.tags.setdefault(tag)

    def _close_link(self, _: None, span: Span) -> None:
        """End a link."""
        self._close_reference(span, embed=False)

    def _close_image(self, _: None, span: Span) -> None:
        """End an image or embed."""
        self._close_reference(span, embed=True)

    def _close_reference(self, span: Span, embed: bool) -> None:
        """Note where a link leads."""
        index, payload = self._references.pop()
        self._end = span["end"]
        link = as_link(payload, "".join(self._pieces[index:]), self._line(span["start"]), embed)
        if link:
            self.links.append(link)

    # containers

    def _open_run(self, _: Any, span: Span) -> None:
        """Begin a paragraph or heading."""
        self._flush()
        self._start = span["start"]

    def _close_run(self, _: Any, span: Span) -> None:
        """End a paragraph."""
        self._flush()

    def _close_heading(self, level: str, span: Span) -> None:
        """End a heading; text between two `---` lines, or of several lines over one, is a paragraph."""
        start, end = span["start"], span["end"]
        if self.source[start] != _HASH and self._is_rule_block(start, end):
            self._flush()
            return
        text = " ".join("".join(self._pieces).split())
        number = self._line(start)
        if "^" in text:
            text = self._take_block_id(text, number)
        self._clear()
        self.blocks.append(Block("heading", number, self._last_line(start, end), text, int(level[1])))

    def _is_rule_block(self, start: int, end: int) -> bool:
        """Whether a heading underlined with `---` was meant as text and a rule."""
        if self.source[start:end].rstrip()[-1:] != b"-":
            return False
        return "\n" in self._pieces or self._rule_line == self._line(start) - 1 > 0

    def _open_list(self, _: Any, span: Span) -> None:
        """Go one list deeper."""
        self._flush()
        self._depth += 1

    def _close_list(self, _: Any, span: Span) -> None:
        """Come back from a list."""
        self._depth -= 1

    def _open_item(self, _: Any, span: Span) -> None:
        """Begin a bullet."""
        self._items.append(span["start"])

    def _close_item(self, _: Any, span: Span) -> None:
        """End a bullet, with its own text if that is still to come."""
        self._flush()
        self._items.pop()

    def _open_quote(self, _: Any, span: Span) -> None:
        """Begin a quote or callout."""
        self._flush()
        self._quotes += 1

    def _close_quote(self, _: Any, span: Span) -> None:
        """End a quote."""
        self._flush()
        self._quotes -= 1

    def _open_verbatim(self, _: Any, span: Span) -> None:
        """Begin a fence or an HTML block, whose text is none of ours."""
        self._flush()
        self._verbatim = True

    def _close_fence(self, _: Any, span: Span) -> None:
        """End a fence or indented code."""
        self._close_verbatim("fence", span)

    def _close_html(self, _: Any, span: Span) -> None:
        """End an HTML block."""
        self._close_verbatim("html", span)

    def _close_verbatim(self, kind: BlockKind, span: Span) -> None:
        """Note the lines of a block that is kept as it stands."""
        self._verbatim = False
        start = span["start"]
        self.blocks.append(Block(kind, self._line(start), self._last_line(start, span["end"])))

    # tables

    def _open_row(self, _: Any, span: Span) -> None:
        """Begin a table row."""
        self._flush()
        self._cells = []

    def _open_cell(self, _: Any, span: Span) -> None:
        """Begin a cell."""
        self._clear()

    def _close_cell(self, _: Any, span: Span) -> None:
        """End a cell."""
        self._cells.append("".join(self._pieces).strip())
        self._clear()

    def _close_head(self, _: Any, span: Span) -> None:
        """End the header row."""
        self._close_row(None, span, 0)

    def _close_row(self, _: Any, span: Span, level: int = 1) -> None:
        """End a row; a row that is a block id alone names the table."""
        start = span["start"]
        number = self._line(start)
        first = self._cells[0] if self._cells else ""
        if first.startswith("^") and not any(self._cells[1:]):
            self._end = start + len(self.source[start : span["end"]].rstrip())
            if not self._take_block_id(first, number):
                return
        self.blocks.append(Block("row", number, number, "", level, tuple(self._cells)))

    # blocks

    def _flush(self) -> None:
        """Make a block of the text since the last one: an item's own text, a paragraph or a quote."""
        if not self._pieces:
            self._start = -1
            return
        kind: BlockKind = "quote" if self._quotes else "paragraph"
        start, level = self._start, 0
        if self._items and self._items[-1] >= 0:
            kind, level, start = "item", self._depth, self._items[-1]
            self._items[-1] = -1
        text = "".join(self._pieces).strip()
        number = self._line(start)
        last = number if self._end <= start else self._line(self._end - 1)
        if "^" in text:
            text = self._take_block_id(text, number)
        if ":: " in text:
            for key, value in fields_in(text):
                self.fields.setdefault(key, value)
        if kind == "quote" and text.startswith("[!"):
            text = CALLOUT.sub("", text, count=1)
        self._clear()
        if text:
            self.blocks.append(Block(kind, number, last, text, level))

    def _clear(self) -> None:
        """Forget the text gathered."""
        self._pieces.clear()
        self._start = -1

    def _take_block_id(self, text: str, number: int) -> str:
        """Return `text` without the block id at its end; the id names its block, or the one before if it is alone."""
        match = BLOCK_ID.search(text)
        marker = b"^" + match[1].encode() if match else b""
        if not match or not self.source.endswith(marker, 0, self._end):
            return text
        rest = text[: match.start()].rstrip()
        if not rest and self.blocks:
            number = self.blocks[-1].start_line
        self.block_ids.setdefault(match[1], number)
        self.cuts.append((self._end - len(marker), self._end))
        return rest

    def _line(self, offset: int) -> int:
        """The 1-based line of a byte."""
        return bisect_left(self._newlines, offset) + 1

    def _last_line(self, start: int, end: int) -> int:
        """The line of the last byte of a range that is not white space."""
        source = self.source
        while end > start + 1 and source[end - 1] in b" \t\n":
            end -= 1
        return self._line(end - 1)
