"""The tree that docutils makes of reStructuredText, as blocks with the lines of the file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from indexer.parse.rst_inline import links_in, rendered
from indexer.parse.targets import relative_link
from indexer.types import Block, BlockKind, Link

_FENCES = frozenset(("literal_block", "doctest_block", "math_block"))
_ADMONITIONS = frozenset(
    "attention caution danger error hint important note tip warning admonition block_quote sidebar topic".split()
)
_CODE = (".. code", ".. sourcecode", ".. literalinclude", ".. highlight")  # with options that only Sphinx knows
_LISTS = frozenset(("bullet_list", "enumerated_list", "definition_list"))
_NO_TEXT = frozenset(
    ("image", "pending", "transition", "label", "colspec", "substitution_definition", "raw", "decoration", "meta")
)
_AHEAD = 400  # lines searched for a node that does not know its line
_LONGEST_VALUE = 2_000  # characters of a field
_MOST_FIELDS = 200


class _Place(NamedTuple):
    """Where in the document a node stands: section level, list depth, inside a quote."""

    level: int = 0
    depth: int = 0
    quoted: bool = False


class RstBlocks:
    """Reads a docutils document on construction.

    `lines` are those of the file, comments blanked; `meta` is the field list at the top, `field_lines` where each
    field stands, `first_heading` the first section title.
    """

    def __init__(self, tree: Any, lines: list[str], comments: bool) -> None:
        self.lines = lines
        self.blocks: list[Block] = []
        self.links: list[Link] = []
        self.meta: dict[str, str] = {}
        self.field_lines: dict[str, int] = {}
        self._comments = comments
        self._reached = 1  # blocks come in the order of their lines
        stack: list[tuple[Any, _Place]] = [(tree, _Place())]
        while stack:
            node, place = stack.pop()
            inside = self._visit(node, place)
            if inside is not None:
                stack += ((child, inside) for child in reversed(node.children))

    @property
    def first_heading(self) -> str:
        """The text of the first section title, "" when there is none."""
        return next((block.text for block in self.blocks if block.kind == "heading"), "")

    def _visit(self, node: Any, place: _Place) -> _Place | None:
        """Make the blocks of a node; return the place of its children when they are to be visited."""
        tag: str = node.tagname
        if tag == "section":
            return place._replace(level=place.level + 1)
        if tag in _LISTS:
            return place._replace(depth=place.depth + 1)
        if tag in _ADMONITIONS:
            return place._replace(quoted=True)
        if tag in _NO_TEXT:
            return None
        reader = _READERS.get(tag)
        if reader is not None:
            reader(self, node, place)
            return None
        if tag in _FENCES:
            self._fence(node)
            return None
        if node.children and node.children[0].tagname == "#text":
            self._paragraph(node, place)
            return None
        return place

    def _title(self, node: Any, place: _Place) -> None:
        """A section title with its underline, and overline if it has one; titles of boxes are paragraphs."""
        if node.parent.tagname != "section":
            self._paragraph(node, place)
            return
        raw = node.astext()
        near = [number for number in (node.line - 1, node.line, node.line - 2) if self._holds(number, raw)]
        number = near[0] if near else self._find(raw)
        if not number:
            return
        above = self.lines[number - 2].strip() if number > 1 else ""
        below = self.lines[number].strip() if number < len(self.lines) else ""
        start = number - 1 if above and above == below else number
        self._add("heading", start, number + 1, raw, min(6, place.level))

    def _paragraph(self, node: Any, place: _Place) -> None:
        """Running text: a paragraph, a quote, or what a list item begins with."""
        raw = node.astext()
        number = node.line or self._find(raw)
        if not number:
            return
        parent = node.parent
        if parent.tagname == "list_item" and parent.children[0] is node:
            self._add("item", number, number + raw.count("\n"), raw, place.depth)
        else:
            self._add("quote" if place.quoted else "paragraph", number, number + raw.count("\n"), raw)

    def _term(self, node: Any, place: _Place) -> None:
        """The term of a definition list, an item with its definition as paragraphs."""
        number = node.line or self._find(node.astext())
        if number:
            self._add("item", number, number, node.astext(), place.depth)

    def _line_block(self, node: Any, place: _Place) -> None:
        """Lines that keep their breaks."""
        found = [line for line in node.findall() if line.tagname == "line" and line.line]
        if found:
            raw = "\n".join(line.astext() for line in found)
            self._add("quote" if place.quoted else "paragraph", found[0].line, found[-1].line, raw)

    def _fence(self, node: Any) -> None:
        """Code or another text that is kept as it stands."""
        raw = node.astext()
        number = node.line if node.line and self._holds(node.line, raw) else self._find(raw)
        if number:
            self._add("fence", number, number + raw.count("\n"))

    def _row(self, node: Any, place: _Place) -> None:
        """A table row with its cells; level 0 in the table's head."""
        cells = tuple(" ".join(rendered(entry.astext()).split()) for entry in node.children)
        texts = [text for text in node.findall() if text.tagname == "paragraph"]
        known = [
            (text.line, text.line + text.astext().count("\n"))
            for text in texts
            if self._holds(text.line or 0, text.astext(), whole=False)
        ]
        if not known and texts:  # of a CSV table
            number = self._find(texts[0].astext(), whole=False)
            known = [(number, number)] if number else []
        if known:
            start, end = min(first for first, _ in known), max(last for _, last in known)
            level = 0 if node.parent.tagname == "thead" else 1
            for text in texts:
                self.links += links_in(text.astext(), text.line or start)
            self._add("row", start, end, level=level, cells=cells)

    def _comment(self, node: Any, place: _Place) -> None:
        """Blank a comment's lines, which begin with two dots or stand below them."""
        raw = node.astext()
        first = raw.partition("\n")[0].strip()
        start = self._find(f".. {first}") if first else 0
        behind = self._find(raw) if first and not start else 0
        if behind > 1 and self.lines[behind - 2].strip() == "..":
            start = behind - 1
        if start:
            end = min(len(self.lines), (behind or start) + raw.count("\n"))
            if self._comments:
                self._add("paragraph", start, end, raw)
            else:
                self.lines[start - 1 : end] = [""] * (end - start + 1)

    def _fields(self, node: Any, place: _Place) -> None:
        """A field list as one paragraph; at the top of the document it is the meta data too."""
        known = [
            (part.line, part.line + part.astext().count("\n") * (part.tagname == "paragraph"))
            for part in node.findall()
            if part.tagname in ("paragraph", "field") and part.line
        ]
        at_top = len(self.blocks) < 2 and all(block.kind == "heading" for block in self.blocks)
        for field in node.children[: _MOST_FIELDS if at_top else 0]:
            name, body = field.children[0].astext(), field.children[-1]
            self.meta.setdefault(name, " ".join(body.rawsource.split())[:_LONGEST_VALUE])
            line = next((text.line for text in body.findall() if text.tagname == "paragraph" and text.line), 1)
            self.field_lines.setdefault(name, line)
        if known:
            start, end = min(first for first, _ in known), max(last for _, last in known)
            self._add("paragraph", start, end, "\n".join(self.lines[start - 1 : end]))

    def _target(self, node: Any, place: _Place) -> None:
        """A named link: `.. _name: other.rst`."""
        link = relative_link(node.get("refuri", ""), min(len(self.lines), max(1, node.line or self._reached)))
        if link:
            self.links.append(link)

    def _message(self, node: Any, place: _Place) -> None:
        """What docutils does not know, as a directive of Sphinx: text as it stands; a `toctree` lists documents."""
        for child in node.children:
            if child.tagname != "literal_block":
                continue
            raw = child.astext().rstrip()
            number = self._find(raw)
            if not number:
                continue
            kind: BlockKind = "fence" if raw.startswith(_CODE) else "paragraph"
            self._add(kind, number, number + raw.count("\n"), "" if kind == "fence" else raw)
            if raw.startswith(".. toctree::"):
                self._contents(raw.split("\n")[1:], number + 1)

    def _contents(self, entries: Iterable[str], number: int) -> None:
        """Links of a table of contents: a path a line, or `Title <path>`."""
        for line, entry in enumerate(entries, number):
            name, _, target = entry.strip().removesuffix(">").rpartition("<")
            if target and not target.startswith(":"):
                link = relative_link(target.strip().lstrip("/"), line, name.strip())
                if link:
                    self.links.append(Link(link.target, line, link.fragment, link.display))

    def _holds(self, number: int, raw: str, whole: bool = True) -> bool:
        """Whether a line of the file is, or when not `whole` has in it, the first of a text."""
        if not 1 <= number <= len(self.lines):
            return False
        line, first = self.lines[number - 1].strip(), raw.partition("\n")[0].strip()
        return line == first if whole else first in line

    def _find(self, raw: str, whole: bool = True) -> int:
        """The next line that holds the first line of a text, 0 when it is not near."""
        last = min(len(self.lines), self._reached + _AHEAD)
        return next((n for n in range(self._reached, last + 1) if self._holds(n, raw, whole)), 0)

    def _add(
        self, kind: BlockKind, start: int, end: int, raw: str = "", level: int = 0, cells: tuple[str, ...] = ()
    ) -> None:
        """Add a block, within the file and not before the last one; its links are those of `raw`."""
        start = max(self._reached, min(start, len(self.lines)))
        end = max(start, min(end, len(self.lines)))
        self._reached = start
        if raw:
            self.links += links_in(raw, start)
        text = rendered(raw)
        if kind == "heading":
            text = " ".join(text.split())
        self.blocks.append(Block(kind, start, end, text, level, cells))


_READERS = {
    "title": RstBlocks._title,
    "paragraph": RstBlocks._paragraph,
    "term": RstBlocks._term,
    "line_block": RstBlocks._line_block,
    "row": RstBlocks._row,
    "comment": RstBlocks._comment,
    "field_list": RstBlocks._fields,
    "target": RstBlocks._target,
    "system_message": RstBlocks._message,
}
