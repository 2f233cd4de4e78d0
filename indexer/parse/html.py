"""Web pages: the main text with its headings, lists, tables and links, from the tree that lxml makes of them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any

from indexer.parse.content import Content, ParseOptions
from indexer.parse.decoding import decode
from indexer.parse.extraction import Extraction, one_line
from indexer.parse.targets import relative_link
from indexer.types import Link, SourceFile, written

_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_HEAD = 4096  # bytes in which a page names its encoding
_LEFT_OUT = frozenset(
    "head script style noscript template svg math canvas iframe object embed nav footer button select textarea "
    "dialog audio video datalist".split()
)
_ENDS_LINE = frozenset(
    "address article aside blockquote body center details div dd dl dt fieldset figcaption figure form h1 h2 h3 h4 "
    "h5 h6 header hgroup hr html legend li main menu ol p pre section summary table tbody td tfoot th thead tr "
    "ul".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BREAK = "\v"  # stands for `<br>` in the text that is gathered
_LISTS = frozenset(("ul", "ol", "menu"))
_MAIN = '//main | //*[@role="main"]'
_DATES = (
    '//meta[@property="article:published_time"]/@content',
    '//meta[@itemprop="datePublished"]/@content',
    *(f'//meta[@name="{name}"]/@content' for name in ("date", "dc.date", "DC.date", "dcterms.created", "pubdate")),
    '//time[@itemprop="datePublished" or @pubdate]/@datetime',
)
_PUBLISHED = re.compile(r'"datePublished"\s*:\s*"([^"]{4,40})"')


def read(file: SourceFile, data: bytes, options: ParseOptions) -> Content:
    """Read a page; its title is `<title>`, or the first `<h1>` when that is part of it (the rest names the site)."""
    source, problems = decoded(data, written(file.root, file.path))
    made = Extraction()
    made.problems += problems
    page = _parsed(source, made)
    if page is None:
        return made.content(file)
    title = one_line(" ".join(page.xpath("//head/title//text()")[:1]))
    _gather(_main(page), made)
    if not made.lines:
        _gather(page, made)  # `<main>` is filled by a script
    first = next((block.text for block in made.blocks if block.kind == "heading" and block.level == 1), "")
    return made.content(file, first if first and first in title else title, _meta(page, source))


def extract(source: str, made: Extraction) -> None:
    """Add the blocks of a piece of HTML."""
    page = _parsed(source, made)
    if page is not None:
        _gather(page, made)


def _parsed(source: str, made: Extraction) -> Any:
    """The root of a page, None for an empty one. libxml2 stops at 2,048 elements that are open at once."""
    from lxml import etree

    parser = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, no_network=True, remove_comments=True, remove_pis=True, collect_ids=False
    )
    if not source.strip():
        return None
    page = etree.HTML(source.replace("\0", "").encode("utf-8", "replace"), parser)
    if any("depth" in entry.message for entry in parser.error_log):
        made.problems.append("its elements are nested too deeply: the text behind that is left out")
    return page


def decoded(data: bytes, where: str) -> tuple[str, tuple[str, ...]]:
    """The text of a page: by mark, as UTF-8, in the encoding that it names, else the likeliest; and what was odd."""
    named = _CHARSET.search(data[:_HEAD])
    if named and b"\0" not in data:
        try:
            return data.decode("utf-8-sig"), ()
        except UnicodeDecodeError:
            name = _codec(named[1].decode("ascii", "replace"))
        if name:
            return data.decode(name, "replace"), ()
    return decode(data, where)


def _codec(label: str) -> str:
    """The text codec that a label means to a browser, "" for none: ISO 8859-1 and ASCII are read as cp1252."""
    try:
        found = codecs.lookup(label)
    except (LookupError, ValueError):
        return ""
    if not getattr(found, "_is_text_encoding", True) or found.name.startswith(("utf", "idna", "punycode")):
        return ""
    return "cp1252" if found.name in ("iso8859-1", "ascii") else found.name


def _main(page: Any) -> Any:
    """The element that holds what the page is about: `<main>`, the only `<article>`, or all of it."""
    for found in (page.xpath(_MAIN)[:1], page.xpath("//article")):
        if len(found) == 1:
            return found[0]
    return page


def _meta(page: Any, source: str) -> dict[str, str]:
    """Date, author, description and language that a page says of itself."""
    found = {"date": next(_dates(page, source), "")}
    for name in ("author", "description"):
        found[name] = one_line(" ".join(page.xpath(f'//meta[@name="{name}"]/@content')[:1]))[:500]
    found["lang"] = (page.get("lang") or "")[:20]
    return {name: value for name, value in found.items() if value}


def _dates(page: Any, source: str) -> Iterator[str]:
    """When a page says it was published, the likeliest first."""
    for path in _DATES:
        yield from (str(value)[:40] for value in page.xpath(path)[:1] if value)
    published = _PUBLISHED.search(source)
    if published:
        yield published[1]


def _gather(top: Any, made: Extraction) -> None:
    """Add the blocks of an element."""
    from lxml import etree

    walk = _Walk(made)
    left_out = _LEFT_OUT if top.tag in ("main", "article") else _LEFT_OUT | {"aside"}
    steps = etree.iterwalk(top, events=("start", "end"))
    skipped: Any = None
    for event, element in steps:
        if made.full:
            break
        if event == "start":
            if element.tag in left_out or _hidden(element):
                skipped = element
                steps.skip_subtree()
                continue
            walk.enter(element)
            if element.tag == "pre":
                steps.skip_subtree()
        elif element is skipped:
            walk.take(element.tail)
        else:
            walk.leave(element)
            if element is not top:
                walk.take(element.tail)
    walk.flush()


def _hidden(element: Any) -> bool:
    """Whether an element is not shown, or is the head of the site and not of an article."""
    if element.tag == "header":
        parent = element.getparent()
        if parent is not None and parent.tag == "body" and element.find(".//h1") is None:
            return True
    if not element.attrib:
        return False
    style = (element.get("style") or "").replace(" ", "")
    return "hidden" in element.attrib or element.get("aria-hidden") == "true" or "display:none" in style


class _Walk:
    """Makes blocks of the nodes that are entered and left."""

    def __init__(self, made: Extraction) -> None:
        self.made = made
        self.pieces: list[str] = []  # text since the last block
        self.links: list[Link] = []
        self.anchors: list[int] = []  # where the text of each open link begins
        self.heading = 0
        self.depth = 0  # of lists
        self.quotes = 0
        self.item = False  # the next text is that of a list item
        self.cells: list[str] | None = None  # of the open table row
        self.rows: list[int] = []  # rows so far of each open table

    def take(self, text: str | None) -> None:
        """Take text."""
        if text:
            self.pieces.append(text)

    def enter(self, node: Any) -> None:
        """Begin an element, with the text before its first child."""
        tag = node.tag
        if tag in _ENDS_LINE:
            self.flush()
        if tag in _HEADINGS:
            self._spill()
            self.heading = _HEADINGS[tag]
        elif tag in _LISTS:
            self.depth += 1
        elif tag in ("li", "dt"):
            self.item = True
        else:
            self._enter_other(node, tag)
        if tag != "pre":
            self.take(node.text)

    def _enter_other(self, node: Any, tag: str) -> None:
        """Begin an element that is no heading, list or item."""
        if tag == "br":
            self.pieces.append(_BREAK)
        elif tag == "a":
            self.anchors.append(len(self.pieces))
        elif tag == "img":
            self.take(f" {node.get('alt', '')} ")
        elif tag == "pre":
            self._take_code(node)
        elif tag == "blockquote":
            self.quotes += 1
        elif tag == "table":
            self._spill()
            self.rows.append(0)
        elif tag == "tr" and self.rows:
            self.cells = []
        elif tag in ("td", "th"):
            self._take_cell()

    def leave(self, node: Any) -> None:
        """End an element."""
        tag = node.tag
        if tag in _HEADINGS:
            self._take_heading()
        elif tag == "tr":
            self._take_row(node)
        elif tag in _ENDS_LINE:
            self.flush()
        if tag in _LISTS:
            self.flush()
            self.depth = max(0, self.depth - 1)
        elif tag == "a":
            self._take_link(node)
        elif tag == "blockquote":
            self.quotes -= 1
        elif tag in ("li", "dt"):
            self.item = False
        elif tag == "table" and self.rows:
            self.rows.pop()

    def flush(self) -> None:
        """Make a block of the text since the last one; inside a heading or table row it goes on."""
        if self.heading or self.cells is not None:
            self.pieces.append(" ")
            return
        text = "\n".join(filter(None, map(one_line, self._taken().split(_BREAK))))
        links, self.links = self.links, []
        if not text:
            return
        if self.item:
            self.made.item(text, max(1, self.depth), links)
            self.item = False
        else:
            self.made.paragraph(text, "quote" if self.quotes else "paragraph", links)

    def _taken(self) -> str:
        """The text gathered, which is forgotten."""
        text = "".join(self.pieces)
        self.pieces.clear()
        return text

    def _take_heading(self) -> None:
        """Make a heading of the text gathered."""
        level, self.heading = self.heading, 0
        links, self.links = self.links, []
        text = one_line(self._taken())
        if text:
            self.made.heading(text, level, links)

    def _take_code(self, node: Any) -> None:
        """Take preformatted text as it stands."""
        text = "".join(node.itertext())
        if self.cells is not None or self.heading:
            self.take(text)
        else:
            self.made.fence(text)

    def _spill(self) -> None:
        """Give up the open row: a table that holds headings or tables lays out the page."""
        if self.cells is None:
            return
        self._take_cell()
        cells, self.cells = self.cells, None
        for cell in cells:
            self.made.paragraph(cell)
        self.flush()

    def _take_cell(self) -> None:
        """End the cell before this one; its text is what was gathered since."""
        if self.cells is None:
            self.flush()
            return
        text = one_line(self._taken())
        if self.cells:
            self.cells[-1] = text
        self.cells.append("")

    def _take_row(self, node: Any) -> None:
        """Make a row; the first of a table, and any in its head, is the header. A single cell is a paragraph."""
        if self.cells is None:
            self.flush()
            return
        self._take_cell()
        cells, self.cells = self.cells[:-1], None
        links, self.links = self.links, []
        if len(cells) == 1:
            self.made.paragraph(cells[0], links=links)
        elif any(cells):
            header = not self.rows[-1] or node.getparent().tag == "thead"
            self.rows[-1] += 1
            self.made.row(cells, 0 if header else 1, links)

    def _take_link(self, node: Any) -> None:
        """Note where a relative link leads."""
        start = self.anchors.pop() if self.anchors else 0
        link = relative_link(node.get("href", "").strip(), 1, one_line("".join(self.pieces[start:])))
        if link:
            self.links.append(link)
