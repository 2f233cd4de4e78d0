"""Formats whose text is extracted: web pages, boards, notebooks, PDF, Word; and drawings inside Markdown."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from indexer.parse import parse
from indexer.types import Document, SourceFile

SAMPLES = Path(__file__).parent / "samples"


def _parse(name: str, data: bytes | str) -> Document:
    """Parse a file of the vault."""
    data = data.encode() if isinstance(data, str) else data
    return parse(SourceFile("", f"clips/{name}", "note", len(data), 1_700_000_000_000_000_000), data)


def _page(body: str, head: str = "") -> Document:
    """Parse a web page."""
    return _parse("page.html", f"<!doctype html><html><head>{head}</head><body>{body}</body></html>")


def _brief(document: Document) -> list[tuple[str, str]]:
    """Kind and text of the blocks."""
    return [(block.kind, block.text) for block in document.blocks]


def _notebook(*cells: dict[str, Any], **metadata: Any) -> Document:
    """Parse a notebook."""
    return _parse("book.ipynb", json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4}))


# web pages


def test_only_the_main_text_of_a_page_is_read() -> None:
    """Menus, site head and foot, scripts and what is hidden are left out."""
    page = _page(
        "<header>The site</header><nav>menu</nav><main><p>one</p><p hidden>no</p><script>x()</script>"
        '<p style="display: none">no</p><aside>a remark</aside></main><aside>advert</aside><footer>imprint</footer>'
    )
    assert _brief(page) == [("paragraph", "one"), ("paragraph", "a remark")]


def test_a_page_without_a_main_part_is_read_whole() -> None:
    """An empty `<main>`, which a script would fill, hides no text."""
    assert _brief(_page("<p>one</p><main></main><div>two</div>")) == [("paragraph", "one"), ("paragraph", "two")]


def test_a_title_loses_the_name_of_the_site() -> None:
    """The first heading is the title when the page's title is that with more."""
    assert _page("<h1>How it works</h1>", "<title>How it works | The Handbook</title>").title == "How it works"
    assert _page("<h1>Welcome</h1>", "<title>The Handbook</title>").title == "The Handbook"
    assert _page("<p>x</p>").title == "page"


@pytest.mark.parametrize(
    "head",
    [
        '<meta property="article:published_time" content="2024-05-06T10:00:00Z">',
        '<meta name="date" content="2024-05-06">',
        '<script type="application/ld+json">{"@type": "Article", "datePublished": "2024-05-06"}</script>',
    ],
)
def test_a_page_says_when_it_was_published(head: str) -> None:
    """Meta data in every common form gives the date."""
    assert _page("<p>x</p>", head).date == "2024-05-06"


def test_items_keep_their_depth_and_rows_their_cells() -> None:
    """Lists nest, a paragraph in an item is the item, and markup inside a cell is text."""
    page = _page(
        "<ul><li>one<ol><li><p>two</p></li></ol></li></ul>"
        "<table><thead><tr><th>A<th>B</thead><tr><td><b>1</b> x<td><p>2</p><p>y</p></table>"
    )
    assert [(b.kind, b.level, b.text, b.cells) for b in page.blocks] == [
        ("item", 1, "one", ()), ("item", 2, "two", ()), ("row", 0, "", ("A", "B")), ("row", 1, "", ("1 x", "2 y")),
    ]  # fmt: skip


def test_a_table_that_lays_out_a_page_is_no_table() -> None:
    """Cells with headings or tables in them are parts of the page."""
    page = _page("<table><tr><td>menu<td><h2>Head</h2>text<table><tr><td>a<td>b</table></table>")
    assert [block.kind for block in page.blocks] == ["paragraph", "heading", "paragraph", "row"]


def test_links_of_a_page_are_those_to_files() -> None:
    """Escapes are resolved, queries dropped; sites, mail and places in the page are none."""
    page = _page(
        '<p><a href="a%20b.html?x=1#part">one</a> <a href="https://x.org">two</a> <a href="#top">three</a></p>'
    )
    assert [(link.target, link.fragment, link.display) for link in page.links] == [("a b.html", "part", "one")]


@pytest.mark.parametrize(
    ("charset", "codec"),
    [("iso-8859-1", "cp1252"), ("windows-1251", "cp1251"), ("shift_jis", "shift_jis"), ("utf-8", "utf-8")],
)
def test_a_page_is_read_in_the_encoding_it_names(charset: str, codec: str) -> None:
    """As browsers do; UTF-8 under a wrong name is still UTF-8."""
    word = {"cp1251": "слово", "shift_jis": "言葉です"}.get(codec, "café “so”")
    text = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}"><p>{word}</p>'
    assert word in _parse("page.html", text.encode(codec)).text
    assert word in _parse("page.html", text.encode()).text


# boards


def test_cards_come_in_reading_order_below_their_groups() -> None:
    """From top to bottom, then from left to right; a card belongs to the smallest group it lies on."""
    group = {"type": "group", "width": 1000, "height": 1000}
    nodes = [
        {"type": "text", "text": "right", "x": 300, "y": 10},
        {"type": "text", "text": "left", "x": 0, "y": 0},
        {"type": "text", "text": "below", "x": 0, "y": 200},
        {**group, "label": "Outer", "x": 2000, "y": 0},
        {**group, "label": "Inner", "x": 2100, "y": 100, "width": 100, "height": 100},
        {"type": "text", "text": "in outer", "x": 2500, "y": 500},
        {"type": "text", "text": "in inner", "x": 2110, "y": 110, "width": 10, "height": 10},
        {"type": "link", "url": "https://x.org", "x": 0, "y": 900},
    ]
    board = _parse("board.canvas", json.dumps({"nodes": nodes}))
    assert [text for _, text in _brief(board)] == [
        "left", "right", "below", "https://x.org", "Outer", "in outer", "Inner", "in inner",
    ]  # fmt: skip


def test_cards_are_markdown_and_show_files() -> None:
    """Tags, links and headings of a card count; a file card is an embed with its part."""
    nodes = [
        {"type": "text", "text": "# Card\n\n#idea about [[Note]] ^id1", "y": 0},
        {"type": "file", "file": "folder/Other.md", "subpath": "#Part", "y": 100},
    ]
    board = _parse("board.canvas", json.dumps({"nodes": nodes, "edges": [{"label": "leads to"}]}))
    assert board.tags == ("idea",)
    assert board.block_ids == {"id1": 3}
    assert [(link.target, link.fragment, link.embed) for link in board.links] == [
        ("Note", "", False), ("folder/Other.md", "Part", True),
    ]  # fmt: skip
    assert board.title == "board"
    assert _brief(board)[-1] == ("item", "leads to")


# notebooks


def test_a_notebook_has_its_own_headings_or_one_a_cell() -> None:
    """Where the Markdown has headings they are the outline, else each cell is one."""
    headed = _notebook({"cell_type": "markdown", "source": "## Data"}, {"cell_type": "code", "source": "x"})
    bare = _notebook({"cell_type": "code", "source": ["a\n", "b"]}, {"cell_type": "code", "source": "c"})
    assert _brief(headed) == [("heading", "Data"), ("fence", "")]
    assert _brief(bare) == [("heading", "Cell 1"), ("fence", ""), ("heading", "Cell 2"), ("fence", "")]
    assert bare.title == "book"


def test_what_a_cell_printed_is_kept_up_to_a_length() -> None:
    """Text, values and errors are found, without colours; pictures and long logs are not."""
    outputs = [
        {"output_type": "stream", "text": "\x1b[31mred\x1b[0m\n"},
        {"output_type": "execute_result", "data": {"text/plain": ["42"], "image/png": "iVBOR"}},
        {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["long"]},
    ]
    text = _notebook({"cell_type": "code", "source": "x", "outputs": outputs}, language_info={"name": "julia"}).text
    assert "```julia\nx\n```" in text and "red\n42\nValueError: no" in text
    assert "iVBOR" not in text and "long" not in text and "\x1b" not in text
    logs = [{"text": "line\n" * 10_000}]
    assert len(_notebook({"cell_type": "code", "source": "x", "outputs": logs}).text) < 3000


def test_a_fence_that_a_cell_leaves_open_ends_with_it() -> None:
    """Each cell is read by itself, and code that holds backticks gets a longer fence."""
    book = _notebook({"cell_type": "markdown", "source": "```\nopen"}, {"cell_type": "markdown", "source": "# After"})
    assert ("heading", "After") in _brief(book)
    assert "````\nx = '''```'''\n````" in _notebook({"cell_type": "code", "source": "x = '''```'''"}).text


def test_front_matter_and_the_old_format_of_notebooks_are_read() -> None:
    """A first raw cell may hold front matter; nbformat 3 keeps cells in sheets and code under another name."""
    raw = {"cell_type": "raw", "source": "---\ntitle: Report\ndate: 2024-05-06\n---"}
    assert (_notebook(raw).title, _notebook(raw).date) == ("Report", "2024-05-06")
    old = {
        "worksheets": [
            {"cells": [{"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code", "input": "y"}]}
        ]
    }
    assert _brief(_parse("old.ipynb", json.dumps(old))) == [("heading", "Old"), ("fence", "")]


# PDF


def test_a_pdf_keeps_its_pages_and_what_it_says_of_itself() -> None:
    """Each page is a heading; the day it was made is its date."""
    document = _parse("a.pdf", (SAMPLES / "retry-policy.pdf").read_bytes())
    assert [text for kind, text in _brief(document) if kind == "heading"] == ["Page 1", "Page 2"]
    assert (document.date, document.date_source) == ("2024-05-06", "front matter:created")
    assert document.meta["pages"] == 2


@pytest.mark.parametrize("title", ["untitled", "Microsoft Word - notes.docx", "report.tex", "..."])
def test_a_title_that_a_program_made_up_is_none(title: str) -> None:
    """The file's name is the title then."""
    data = (SAMPLES / "retry-policy.pdf").read_bytes().replace(b"/Title (Retry policy)", f"/Title ({title})".encode())
    document = _parse("The Report.pdf", data)
    assert document.title == "The Report"


def test_pdfs_are_read_from_several_threads() -> None:
    """PDFium takes one at a time; readers wait for each other."""
    data = (SAMPLES / "retry-policy.pdf").read_bytes()
    with ThreadPoolExecutor(8) as pool:
        texts = set(pool.map(lambda number: _parse("a.pdf", data).text, range(40)))
    assert len(texts) == 1


# Word


def test_a_word_document_keeps_what_was_inserted_and_loses_what_was_deleted(tmp_path: Path) -> None:
    """Tracked changes are read as accepted; the author and the day are meta data."""
    import zipfile

    path = tmp_path / "a.docx"
    change = "<w:ins><w:r><w:t>added</w:t></w:r></w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
    with zipfile.ZipFile(SAMPLES / "retry-policy.docx") as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            text = source.read(name).decode()
            target.writestr(name, text.replace("</w:tbl>", f"</w:tbl><w:p>{change}</w:p>"))
    document = _parse("a.docx", path.read_bytes())
    assert document.text.endswith("\n\nadded")
    assert (document.meta["author"], document.date) == ("Nobody", "2024-05-06")


# drawings


@pytest.mark.parametrize(
    "text",
    [
        "# Text Elements\nneedle ^a1\n\n# Embedded files\nb1: [[pic.png]]\n\n%%\n# Drawing\n```json\n{}\n```\n%%",
        "%%\n# Excalidraw Data\n\n## Text Elements\nneedle ^a1\n\n%%\n## Drawing\n```compressed-json\nN4\n```\n%%",
        "# Excalidraw Data\n\n## Text Elements\nneedle ^a1\n\n## Drawing\n```compressed-json\nN4\n```\n%%",
    ],
    ids=["old", "hidden", "new"],
)
def test_the_texts_of_a_drawing_are_read_in_every_layout(text: str) -> None:
    """The plugin's frame is no text and no heading; the drawing's name is the title."""
    document = _parse(
        "Plan.excalidraw.md", f"---\nexcalidraw-plugin: parsed\n---\n==⚠  Switch to EXCALIDRAW VIEW ⚠==\n\n{text}\n"
    )
    assert document.title == "Plan"
    assert not [block for block in document.blocks if block.kind in ("heading", "fence")]
    assert "needle" in document.text and "a1" in document.block_ids
    assert not re.search(r"json|N4|EXCALIDRAW|Text Elements", document.text)


def test_f62_a_drawing_of_megabytes_costs_nothing() -> None:
    """The drawing data is left out before anything reads it."""
    document = _parse(
        "Big.excalidraw.md", "# Text Elements\nneedle\n%%\n# Drawing\n```json\n" + "x" * 9_000_000 + "\n```\n%%"
    )
    assert document.text.strip() == "needle"
    assert not document.problems
