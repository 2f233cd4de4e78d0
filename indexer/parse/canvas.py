"""JSON Canvas boards: the text of their cards, the notes they show, in reading order below their groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from indexer.errors import ParseError
from indexer.parse.content import Content, ParseOptions
from indexer.parse.extraction import Extraction
from indexer.parse.json_file import load_object
from indexer.types import Link, SourceFile, written

_ROW = 50  # pixels: cards whose tops differ by less stand beside each other


class _Card(NamedTuple):
    """A node of the board with its place in pixels."""

    node: dict[str, Any]
    left: float
    top: float
    width: float
    height: float

    @property
    def reading_order(self) -> tuple[float, float]:
        """From top to bottom, then from left to right."""
        return self.top // _ROW, self.left

    def holds(self, other: _Card) -> bool:
        """Whether the middle of another card lies on this one."""
        across, down = other.left + other.width / 2, other.top + other.height / 2
        return self.left <= across <= self.left + self.width and self.top <= down <= self.top + self.height


def read(file: SourceFile, data: bytes, options: ParseOptions) -> Content:
    """Read a board: text cards as Markdown, file cards as embeds, group labels as headings, labels of arrows last."""
    board = load_object(file, data)
    if not isinstance(board.get("nodes", []), list):
        raise ParseError("not a JSON Canvas: its nodes are no list", where=written(file.root, file.path))
    cards = list(_cards(board.get("nodes", [])))
    groups = sorted((c for c in cards if c.node.get("type") == "group"), key=lambda c: c.reading_order)
    made = Extraction()
    inside = _by_group(cards, groups)
    for number, group in enumerate([None, *groups]):
        label = _text(group.node, "label") if group else ""
        if label:
            made.heading(label, 1)
        for card in inside.get(number, ()):
            _add(card.node, made, file, options)
    edges = board.get("edges")
    for edge in edges if isinstance(edges, list) else ():
        if isinstance(edge, dict):
            made.item(_text(edge, "label"), 1)
    return made.content(file, title=file.path.rpartition("/")[2].rpartition(".")[0])


def _cards(nodes: Iterable[Any]) -> Iterator[_Card]:
    """The nodes that are objects; a place that is no number counts as 0."""
    for node in nodes:
        if isinstance(node, dict):
            yield _Card(node, *(_number(node.get(key)) for key in ("x", "y", "width", "height")))


def _number(value: Any) -> float:
    """A finite number, else 0."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e12 else 0.0


def _by_group(cards: list[_Card], groups: list[_Card]) -> dict[int, list[_Card]]:
    """Cards in reading order by the number, from 1, of the smallest group they lie on; 0 for none."""
    found: dict[int, list[_Card]] = {}
    by_size = sorted(enumerate(groups, 1), key=lambda pair: pair[1].width * pair[1].height)
    for card in sorted(cards, key=lambda c: c.reading_order):
        if card.node.get("type") != "group":
            number = next((number for number, group in by_size if group.holds(card)), 0)
            found.setdefault(number, []).append(card)
    return found


def _add(node: dict[str, Any], made: Extraction, file: SourceFile, options: ParseOptions) -> None:
    """Add what a card says."""
    kind = node.get("type")
    if kind == "text":
        made.markdown(file, _text(node, "text"), options)
    elif kind == "file":
        target = _text(node, "file")
        links = [Link(target, 1, _text(node, "subpath").lstrip("#"), embed=True)] if target else []
        made.paragraph(target, links=links)
    elif kind == "link":
        made.paragraph(_text(node, "url"))


def _text(node: dict[str, Any], key: str) -> str:
    """A value that is text, else ""."""
    value = node.get(key)
    return value if isinstance(value, str) else ""
