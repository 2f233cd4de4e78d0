"""The block structure of Markdown: pulldown-cmark's events in, blocks, links, tags and block ids out.

Offsets of events are bytes of the UTF-8 source; lines are counted over `\\n` alone. Only the reader's tables of
handlers know the event names, so the loop stays short: it runs some 100,000 times a megabyte.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache
from typing import Any
from urllib.parse import unquote

from indexer.types import Block, BlockKind, Link

Handler = Any  # Callable[[payload, start, end], None]; payloads are the event's own value

# A tag may stand at the start, after white space, or after an opening bracket, quote or CJK punctuation.
_TAG = re.compile(
    r"(?<![^\s(（\[「『“‘\"'，。、；：,;>])"
    r"#([^\s!-,.:-@\[-^`{-~\u00a1-\u00bf\u2000-\u200b\u200e-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]+)"
)
_BEFORE_TAG = b" \t\n(['\",;>"
_HEX_COLOUR = re.compile(r"(?=\D*\d)[0-9a-fA-F]{6}(?:[0-9a-fA-F]{2})?$")
_BLOCK_ID = re.compile(r"(?:^|\s)\^([A-Za-z0-9-]+)$")
_CALLOUT = re.compile(r"\[![^\]\n]{1,60}\][+-]?[ \t]*")
_FIELD = re.compile(r"^[ \t]*([^\W\d][\w -]{0,40})::[ \t]+(\S.*)$", re.MULTILINE)
_INLINE_FIELD = re.compile(r"[\[(]([^\W\d][\w -]{0,40})::[ \t]+([^\])\n]{1,300})[\])]")
_SCHEME = re.compile(r"[a-zA-Z][\w+.-]*:|//|#")


def code_spans(text: str) -> list[tuple[int, int]]:
    """Offsets (in characters) of fences, indented code and code in backticks, in order."""
    source = text.encode()
    spans: list[tuple[int, int]] = []
    for event, span in _markdown().events_with_range(text, merge_text=True):
        if type(event) is dict and ("Code" in event or "CodeBlock" in (event.get("Start") or ())):
            spans.append((span["start"], span["end"]))
    if len(source) == len(text):
        return spans
    in_characters, last, count = [], 0, 0
    for start, end in spans:
        count += len(source[last:start].decode())
        width = len(source[start:end].decode())
        in_characters.append((count, count + width))
        count, last = count + width, end
    return in_characters


@cache
def _markdown() -> Any:
    """The Markdown reader with the extensions notes use; metadata blocks are none of its business."""
    from pyromark import Markdown, Options

    return Markdown(
        options=Options.ENABLE_GFM
        | Options.ENABLE_WIKILINKS
        | Options.ENABLE_TABLES
        | Options.ENABLE_TASKLISTS
        | Options.ENABLE_FOOTNOTES
        | Options.ENABLE_STRIKETHROUGH
        | Options.ENABLE_MATH
    )


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
        for event, span in _markdown().events_with_range(text, merge_text=True):
            value: Any
            if type(event) is str:
                key, value = event, None
                handler = inline.get(key)
            else:
                ((key, value),) = event.items()
                table = tables.get(key)
                if table is None:
                    handler = inline.get(key)
                elif type(value) is str:
                    handler = table.get(value)
                else:
                    ((key, value),) = value.items()
                    handler = table.get(key)
            if handler is not None:
                handler(value, span["start"], span["end"])
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
            "List": self._open_list,
            "Item": self._open_item,
            "BlockQuote": self._open_quote,
            "CodeBlock": self._open_verbatim,
            "HtmlBlock": self._open_verbatim,
            "FootnoteDefinition": self._open_run,
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

    # inline

    def _text(self, value: str, start: int, end: int) -> None:
        """Take text; look for tags in it unless it is a link's."""
        if self._verbatim:
            return
        self._pieces.append(value)
        if self._start < 0:
            self._start = start
        self._end = end
        if "#" in value and not self._references:
            self._find_tags(start, end)

    def _literal(self, value: str, start: int, end: int) -> None:
        """Take code or a formula as text."""
        self._pieces.append(value)
        if self._start < 0:
            self._start = start
        self._end = end

    def _line_break(self, _: None, start: int, end: int) -> None:
        """Keep a line break."""
        self._pieces.append("\n")

    def _inline_html(self, value: str, start: int, end: int) -> None:
        """Drop a tag; `<br>` is a space."""
        self._literal(" " if value[:3].lower() == "<br" else "", start, end)

    def _task(self, done: bool, start: int, end: int) -> None:
        """A check box is plain text."""
        self._literal("[x] " if done else "[ ] ", start, end)

    def _rule(self, _: None, start: int, end: int) -> None:
        """Remember where a rule stands, for `---` blocks that are no headings."""
        self._flush()
        self._rule_line = self._line(start)

    def _find_tags(self, start: int, end: int) -> None:
        """Note the tags of a piece of text; read from the source, where an escaped `#` still shows."""
        raw = self.source[start:end].decode()
        if start and self.source[start - 1] not in _BEFORE_TAG:
            raw = "x" + raw
        for match in _TAG.finditer(raw):
            self._add_tag(match[1])

    def _add_tag(self, tag: str) -> None:
        """Note a tag unless it is a number or a hex colour."""
        tag = tag.strip("/")
        if any(char.isalpha() or char > "\u2fff" for char in tag) and not _HEX_COLOUR.match(tag):
            self.tags.setdefault(tag)

    # containers

    def _open_run(self, _: Any, start: int, end: int) -> None:
        """Begin a paragraph or heading."""
        self._flush()
        self._start = start

    def _close_run(self, _: Any, start: int, end: int) -> None:
        """End a paragraph."""
        self._flush()

    def _close_heading(self, level: str, start: int, end: int) -> None:
        """End a heading; text between two `---` lines, or of several lines over one, is a paragraph."""
        if self.source[start] != 35 and self._is_rule_block(start, end):  # 35 is "#"
            self._flush()
            return
        text = " ".join("".join(self._pieces).split())
        number = self._line(start)
        if "^" in text:
            text = self._take_block_id(text, number)
        self._clear()
        self._add("heading", number, self._last_line(start, end), text, int(level[1]))

    def _is_rule_block(self, start: int, end: int) -> bool:
        """Whether a heading underlined with `---` was meant as text and a rule."""
        if self.source[start:end].rstrip()[-1:] != b"-":
            return False
        return "\n" in self._pieces or self._rule_line == self._line(start) - 1 > 0

    def _open_list(self, _: Any, start: int, end: int) -> None:
        """Go one list deeper."""
        self._flush()
        self._depth += 1

    def _close_list(self, _: Any, start: int, end: int) -> None:
        """Come back from a list."""
        self._depth -= 1

    def _open_item(self, _: Any, start: int, end: int) -> None:
        """Begin a bullet."""
        self._items.append(start)

    def _close_item(self, _: Any, start: int, end: int) -> None:
        """End a bullet, with its own text if that is still to come."""
        self._flush()
        self._items.pop()

    def _open_quote(self, _: Any, start: int, end: int) -> None:
        """Begin a quote or callout."""
        self._flush()
        self._quotes += 1

    def _close_quote(self, _: Any, start: int, end: int) -> None:
        """End a quote."""
        self._flush()
        self._quotes -= 1

    def _open_verbatim(self, _: Any, start: int, end: int) -> None:
        """Begin a fence or an HTML block, whose text is none of ours."""
        self._flush()
        self._verbatim = True

    def _close_fence(self, _: Any, start: int, end: int) -> None:
        """End a fence."""
        self._verbatim = False
        self._add("fence", self._line(start), self._last_line(start, end))

    def _close_html(self, _: Any, start: int, end: int) -> None:
        """End an HTML block."""
        self._verbatim = False
        self._add("html", self._line(start), self._last_line(start, end))

    def _open_row(self, _: Any, start: int, end: int) -> None:
        """Begin a table row."""
        self._flush()
        self._cells = []

    def _open_cell(self, _: Any, start: int, end: int) -> None:
        """Begin a cell."""
        self._clear()

    def _close_cell(self, _: Any, start: int, end: int) -> None:
        """End a cell."""
        self._cells.append("".join(self._pieces).strip())
        self._end = end
        self._pieces.clear()

    def _close_head(self, _: Any, start: int, end: int) -> None:
        """End the header row."""
        self._close_row(None, start, end, 0)

    def _close_row(self, _: Any, start: int, end: int, level: int = 1) -> None:
        """End a row; a row that is a block id alone names the table."""
        number = self._line(start)
        first = self._cells[0] if self._cells else ""
        if first.startswith("^") and not any(self._cells[1:]):
            self._end = start + len(self.source[start:end].rstrip())
            if not self._take_block_id(first, number):
                return
        self._clear()
        self.blocks.append(Block("row", number, number, "", level, tuple(self._cells)))

    # links

    def _open_reference(self, value: dict[str, Any], start: int, end: int) -> None:
        """Begin a link or image."""
        if self._start < 0:
            self._start = start
        self._references.append((len(self._pieces), value))
        if self.source[start - 1 : start] == b"#" and type(value["link_type"]) is dict:
            self._add_tag(value["dest_url"])  # Logseq's `#[[two words]]`

    def _close_link(self, _: None, start: int, end: int) -> None:
        """End a link."""
        self._close_reference(start, end, embed=False)

    def _close_image(self, _: None, start: int, end: int) -> None:
        """End an image or embed."""
        self._close_reference(start, end, embed=True)

    def _close_reference(self, start: int, end: int, embed: bool) -> None:
        """Note a wikilink, an embed or a relative link with its line; URLs and pictures are none."""
        index, value = self._references.pop()
        self._end = end
        wiki = type(value["link_type"]) is dict  # {"WikiLink": ...}; the other types are plain strings
        target: str = value["dest_url"]
        if not target or _SCHEME.match(target) or (not wiki and (embed or value["link_type"] == "Email")):
            return
        target = target.rstrip("\\") if wiki else unquote(target)
        name, mark, fragment = target.partition("#")
        if not mark and wiki:
            name, mark, fragment = target.partition("^")
            fragment = mark + fragment
        display = "".join(self._pieces[index:])
        if wiki and display in (value["dest_url"], target):
            display = ""
        if name.strip():
            self.links.append(Link(name.strip(), self._line(start), fragment, display, embed, wiki))

    # blocks

    def _flush(self) -> None:
        """Make a block of the text since the last one: an item's own text, a paragraph or a quote."""
        pieces = self._pieces
        if not pieces:
            self._start = -1
            return
        kind: BlockKind = "quote" if self._quotes else "paragraph"
        start, level = self._start, 0
        if self._items and self._items[-1] >= 0:
            kind, level, start = "item", self._depth, self._items[-1]
            self._items[-1] = -1
        text = "".join(pieces).strip()
        number, last = self._line(start), self._line(max(start, self._end - 1))
        if "^" in text:
            text = self._take_block_id(text, number)
        if ":: " in text:
            self._find_fields(text)
        if kind == "quote" and text.startswith("[!"):
            text = _CALLOUT.sub("", text, count=1)
        self._clear()
        if text:
            self._add(kind, number, last, text, level)

    def _clear(self) -> None:
        """Forget the text gathered."""
        self._pieces.clear()
        self._start = -1

    def _add(self, kind: BlockKind, start: int, end: int, text: str = "", level: int = 0) -> None:
        """Append a block."""
        self.blocks.append(Block(kind, start, end, text, level))

    def _take_block_id(self, text: str, number: int) -> str:
        """Return `text` without the block id at its end; the id names its block, or the one before if it is alone."""
        match = _BLOCK_ID.search(text)
        if not match:
            return text
        marker = b"^" + match[1].encode()
        if not self.source.endswith(marker, 0, self._end):
            return text
        rest = text[: match.start()].rstrip()
        if not rest and self.blocks:
            number = self.blocks[-1].start_line
        self.block_ids.setdefault(match[1], number)
        self.cuts.append((self._end - len(marker), self._end))
        return rest

    def _find_fields(self, text: str) -> None:
        """Note `key:: value` lines and bracketed inline fields; the first value of a key wins."""
        for pattern in (_FIELD, _INLINE_FIELD):
            for match in pattern.finditer(text):
                self.fields.setdefault(match[1].strip(), match[2].strip())

    def _line(self, offset: int) -> int:
        """The 1-based line of a byte."""
        return bisect_left(self._newlines, offset) + 1

    def _last_line(self, start: int, end: int) -> int:
        """The line of the last byte of a range that is not white space."""
        source = self.source
        while end > start + 1 and source[end - 1] in b" \t\n":
            end -= 1
        return self._line(end - 1)
