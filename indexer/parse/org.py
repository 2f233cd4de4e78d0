"""Org files: the outline with its lists, tables and blocks, keywords and property drawers as meta data.

An own reader, since a library that reads time stamps and clocks too gives up a whole file at the first odd date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename, splitext
from typing import Any

from indexer.parse.blanking import blank_data
from indexer.parse.content import Content, ParseOptions
from indexer.parse.org_inline import links_in, rendered
from indexer.types import Block, BlockKind, Link, SourceFile

_HEADING = re.compile(r"(\*+)[ \t]+(.*)")
_HEADING_TAGS = re.compile(r":[\w@#%:]+:")
_PRIORITY = re.compile(r"\[#\w{1,2}\][ \t]*")
_KEYWORD = re.compile(r"[ \t]*#\+(\w[\w-]*):(.*)")
_BEGIN = re.compile(r"[ \t]*#\+begin_(\w+)", re.IGNORECASE)
_DRAWER = re.compile(r"[ \t]*:([\w-]+):[ \t]*$")
_PROPERTY = re.compile(r"[ \t]*:([\w-]+)\+?:[ \t](.*)")
_COMMENT = re.compile(r"[ \t]*#(?: |$)")
_LITERAL = re.compile(r"[ \t]*:(?: |$)")
_ITEM = re.compile(r"([ \t]*)(?:[-+]|(?:\d{1,9}|[A-Za-z])[.)]|(?<=[ \t])\*)(?:[ \t]+|$)(.*)")
_ROW = re.compile(r"[ \t]*\|(.*)")
_RULE = re.compile(r"[ \t]*\|(?=[^-]*-)[-+|: ]+$")
_NAME = re.compile(r'"([^"]+)"|(\S+)')
_TODO = frozenset("TODO DONE NEXT WAITING WAIT HOLD CANCELLED CANCELED KILL PROJ STRT IDEA STARTED SOMEDAY".split())
_TODO_KEYS = frozenset(("todo", "seq_todo", "typ_todo"))
_TAG_KEYS = frozenset(("filetags", "roam_tags", "tags"))
_ALIAS_KEYS = frozenset(("roam_alias", "roam_aliases"))
_CODE_BLOCKS = frozenset(("src", "example", "export", "html", "latex"))
_MOST_NAMES = 200  # tags, aliases or ids taken of one file


def read(file: SourceFile, text: str, options: ParseOptions) -> Content:
    """Read an Org file; keyword lines, property drawers and comments are blanked in its text."""
    text, problems = blank_data(text)
    outline = _Outline(text.split("\n"), options.comments)
    stem = splitext(basename(file.path))[0]
    title = " ".join(str(outline.meta.get("title", "")).split()) or stem
    names = [*outline.aliases, *([] if title == stem else [stem]), *outline.block_ids]
    return Content(
        title=title,
        text="\n".join(outline.lines),
        blocks=tuple(outline.blocks),
        aliases=tuple(dict.fromkeys(names))[:_MOST_NAMES],
        tags=tuple(outline.tags)[:_MOST_NAMES],
        meta=outline.meta,
        links=tuple(outline.links),
        block_ids=outline.block_ids,
        problems=problems,
    )


class _Outline:
    """Reads the lines on construction, top to bottom; each step takes the lines of one construct."""

    def __init__(self, lines: list[str], comments: bool) -> None:
        self.lines = lines
        self.blocks: list[Block] = []
        self.links: list[Link] = []
        self.tags: dict[str, None] = {}
        self.aliases: list[str] = []
        self.meta: dict[str, Any] = {}
        self.block_ids: dict[str, int] = {}
        self._todo = set(_TODO)
        self._comments = comments
        self._indents: list[int] = []  # of the open list items
        self._unclosed: dict[str, int] = {}  # by closer, the index up to which there is none
        self._place = 1  # the line that an ID names: the file's or the last heading's
        number = 0
        while number < len(lines):
            number = self._take(number)

    def _take(self, start: int) -> int:
        """Take the construct that begins at an index of `lines`; return the index behind it."""
        line = self.lines[start]
        if not line or line.isspace():
            return start + 1
        first = line.lstrip(" \t")[:1]
        if first == "*" and (match := _HEADING.match(line)):
            self._heading(match, start)
            return start + 1
        if first == "#":
            return self._hash(line, start)
        if first == ":" and (_DRAWER.match(line) or _LITERAL.match(line)):
            return self._drawer(start) if _DRAWER.match(line) else self._literal(start)
        if first == "|":
            return self._table(start)
        return self._text(start)

    def _heading(self, match: re.Match[str], start: int) -> None:
        """Take a heading without its state, priority and tags."""
        text = match[2].rstrip()
        before, _, tags = text.replace("\t", " ").rpartition(" ")
        if _HEADING_TAGS.fullmatch(tags):
            text = before
            self.tags.update(dict.fromkeys(filter(None, tags.split(":"))))
        word, _, rest = text.partition(" ")
        text = _PRIORITY.sub("", rest if word in self._todo else text, count=1)
        self._indents.clear()
        self._place = start + 1
        self._add("heading", start, start, rendered(text).strip(), min(6, len(match[1])))

    def _hash(self, line: str, start: int) -> int:
        """Take a keyword line, a block or a comment."""
        if begin := _BEGIN.match(line):
            return self._block(begin[1].lower(), start)
        keyword = _KEYWORD.match(line)
        if keyword and keyword[1].lower() != "caption":
            self._keyword(keyword[1].lower(), keyword[2].strip())
        elif self._comments or not _COMMENT.match(line):
            return self._text(start)
        self.lines[start] = ""
        return start + 1

    def _keyword(self, key: str, value: str) -> None:
        """Keep what a keyword line says of the file."""
        if key in _TODO_KEYS:
            self._todo.update(word.partition("(")[0] for word in value.split() if word != "|")
        elif key in _TAG_KEYS:
            self.tags.update(dict.fromkeys(filter(None, re.split(r"[:\s]+", value))))
        elif key in _ALIAS_KEYS:
            self.aliases += _names(value)
        elif value and key == "title" and "title" in self.meta:
            self.meta["title"] += f" {value}"
        elif value:
            self.meta.setdefault(key, value)

    def _drawer(self, start: int) -> int:
        """Take the properties of the file or of a heading; other drawers are text."""
        end = self._find(start + 1, ":end:")
        if end < 0 or self.lines[start].strip().lower() != ":properties:":
            return self._text(start)
        for index in range(start, end + 1):
            if found := _PROPERTY.match(self.lines[index]):
                self._property(found[1].lower(), found[2].strip())
            self.lines[index] = ""
        return end + 1

    def _property(self, key: str, value: str) -> None:
        """Keep a property: ids of any place, the rest only of the file."""
        if key in ("id", "custom_id"):
            self.block_ids.setdefault(value, self._place)
        elif key in _ALIAS_KEYS:
            self.aliases += _names(value)
        if not self.blocks:
            self.meta.setdefault(key, value)

    def _block(self, name: str, start: int) -> int:
        """Take a block: code as a fence, a comment blanked, anything else as a quote."""
        end = self._find(start + 1, f"#+end_{name}")
        if end < 0:
            return self._text(start)
        if name == "comment" and not self._comments:
            self.lines[start : end + 1] = [""] * (end + 1 - start)
        elif name in _CODE_BLOCKS:
            self._add("fence", start, end)
        elif end > start + 1:
            self._add("quote", start + 1, end - 1, self._rendered(start + 1, end - 1))
        return end + 1

    def _literal(self, start: int) -> int:
        """Take lines that begin with a colon and a space."""
        end = start
        while end + 1 < len(self.lines) and _LITERAL.match(self.lines[end + 1]):
            end += 1
        self._add("fence", start, end)
        return end + 1

    def _table(self, start: int) -> int:
        """Take a table; its first row is the header."""
        index, level = start, 0
        while index < len(self.lines) and (match := _ROW.match(self.lines[index])):
            if not _RULE.match(self.lines[index]):
                cells = match[1].rstrip().removesuffix("|").split("|")
                self.links += links_in(self.lines[index], index + 1)
                shown = tuple(rendered(cell).strip() for cell in cells)
                self.blocks.append(Block("row", index + 1, index + 1, "", level, shown))
                level = 1
            index += 1
        return index

    def _text(self, start: int) -> int:
        """Take a list item with its further lines, or a paragraph."""
        item = _ITEM.match(self.lines[start])
        indent = _width(self.lines[start])
        while self._indents and self._indents[-1] >= indent:
            self._indents.pop()
        end = start
        while end + 1 < len(self.lines) and self._goes_on(self.lines[end + 1], indent if item else -1):
            end += 1
        if not item:
            self._add("paragraph", start, end, self._rendered(start, end))
            return end + 1
        self._indents.append(indent)
        text = "\n".join((rendered(item[2]), *filter(None, [self._rendered(start + 1, end)])))
        self._add("item", start, end, text, len(self._indents))
        return end + 1

    def _goes_on(self, line: str, indent: int) -> bool:
        """Whether a line belongs to the text above it; that of an item goes on only with a deeper indent."""
        if not line or line.isspace() or _width(line) <= indent:
            return False
        first = line.lstrip(" \t")[:1]
        return not (first in "#|:" or _HEADING.match(line) or _ITEM.match(line))

    def _find(self, start: int, closer: str) -> int:
        """The index of the line that is a closer in any case, -1 when there is none before the next heading."""
        if start < self._unclosed.get(closer, 0):
            return -1
        index = start
        while index < len(self.lines) and not _HEADING.match(self.lines[index]):
            if self.lines[index].strip().lower() == closer:
                return index
            index += 1
        self._unclosed[closer] = index
        return -1

    def _rendered(self, start: int, end: int) -> str:
        """The text of lines, each without its indent."""
        return "\n".join(rendered(line).strip() for line in self.lines[start : end + 1])

    def _add(self, kind: BlockKind, start: int, end: int, text: str = "", level: int = 0) -> None:
        """Add a block of the lines from one index to another, with the links in it."""
        if kind != "fence":
            for index in range(start, end + 1):
                self.links += links_in(self.lines[index], index + 1)
        self.blocks.append(Block(kind, start + 1, end + 1, text, level))


def _width(line: str) -> int:
    """Columns of white space a line begins with, a tab reaching to the next eighth."""
    blank = line[: len(line) - len(line.lstrip(" \t"))]
    return len(blank.expandtabs(8))


def _names(value: str) -> Iterator[str]:
    """Names in quotes or between spaces."""
    for match in _NAME.finditer(value):
        yield match[1] or match[2]
