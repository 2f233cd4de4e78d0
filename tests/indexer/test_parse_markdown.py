"""Markdown notes: blocks with their lines, links, tags, blanking, titles."""

from __future__ import annotations

import pytest

from indexer.parse import ParseOptions, parse
from indexer.types import Block, Document, SourceFile


def _parse(text: str, path: str = "folder/Note.md", comments: bool = False) -> Document:
    """Parse a note of the vault."""
    file = SourceFile("", path, "note", len(text), 1_700_000_000_000_000_000)
    return parse(file, text.encode(), ParseOptions(comments=comments))


def _brief(document: Document) -> list[tuple[str, int, int, str]]:
    """Kind, lines and text of the blocks."""
    return [(block.kind, block.start_line, block.end_line, block.text) for block in document.blocks]


# headings


def test_f38_setext_headings_and_two_h1() -> None:
    """Underlined headings count with their underline; each H1 is a heading of its own."""
    document = _parse("A\n===\n\ntext\n\n# B\n\nC\n---\n")
    assert [b for b in document.blocks if b.kind == "heading"] == [
        Block("heading", 1, 2, "A", 1),
        Block("heading", 6, 6, "B", 1),
        Block("heading", 8, 9, "C", 2),
    ]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("### [T](https://x.org/a#b)", "T"),
        ("# C# and F#", "C# and F#"),
        ("## A *b* `c` ##", "A b c"),
        ("# [[Note|shown]]", "shown"),
        ("#", ""),
    ],
)
def test_f39_heading_text_is_rendered(line: str, text: str) -> None:
    """Links, marks and closing hashes are no part of a heading's text."""
    assert _parse(line).blocks[0].text == text


def test_hash_line_in_a_fence_is_no_heading() -> None:
    """A comment in code starts no section."""
    assert _brief(_parse("```sh\n# not a heading\n```\n")) == [("fence", 1, 3, "")]


def test_text_between_rules_is_no_heading() -> None:
    """Several lines over `---` are text and a rule."""
    assert _brief(_parse("one\ntwo\n---\nthree\n")) == [("paragraph", 1, 2, "one\ntwo"), ("paragraph", 4, 4, "three")]


# paragraphs, lists, tables, quotes


def test_list_items_have_their_own_lines_and_depth() -> None:
    """Each bullet is a block without its children's lines."""
    text = "- one\n  more\n  - two\n\n    second paragraph\n- three\n"
    assert [(b.kind, b.start_line, b.end_line, b.text, b.level) for b in _parse(text).blocks] == [
        ("item", 1, 2, "one\nmore", 1),
        ("item", 3, 3, "two", 2),
        ("paragraph", 5, 5, "second paragraph", 0),
        ("item", 6, 6, "three", 1),
    ]


def test_f42_check_boxes_and_times_are_plain_text() -> None:
    """`[ ]` and `[12:30]` have no meaning of their own."""
    document = _parse("- [ ] task\n- [x] done\n- [12:30] call\n")
    assert [b.text for b in document.blocks] == ["[ ] task", "[x] done", "[12:30] call"]
    assert not document.tags and not document.meta and not document.links


def test_table_rows_have_cells() -> None:
    """Rows carry cells, escaped pipes and wikilinks with a display text included; the header has level 0."""
    text = "| Date | What |\n|---|---|\n| 2024-05-06 | a \\| b |\n| x | [[Note\\|shown]] |\n"
    document = _parse(text)
    assert document.blocks == (
        Block("row", 1, 1, "", 0, ("Date", "What")),
        Block("row", 3, 3, "", 1, ("2024-05-06", "a | b")),
        Block("row", 4, 4, "", 1, ("x", "shown")),
    )
    assert [(link.target, link.display, link.line) for link in document.links] == [("Note", "shown", 4)]


def test_f46_callout_title_is_text() -> None:
    """The mark of a callout goes, its title and body stay."""
    assert _brief(_parse("> [!note]- Title\n> body\n")) == [("quote", 1, 2, "Title\nbody")]


def test_text_of_a_block_follows_its_lines() -> None:
    """The n-th line of a paragraph's text is the file's n-th line from its start."""
    assert _brief(_parse("\nfirst **bold**\nsecond `code`\n"))[0] == ("paragraph", 2, 3, "first bold\nsecond code")


def test_html_block_is_kept_as_html() -> None:
    """HTML is a block of its own, its text stays in the document."""
    document = _parse("<div>\nwords\n</div>\n\nafter\n")
    assert _brief(document) == [("html", 1, 3, ""), ("paragraph", 5, 5, "after")]
    assert "words" in document.text


# tags


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#tag and #other/nested.", ("tag", "other/nested")),
        ("(#paren) #Tag #tag", ("paren", "Tag")),
        ("# Heading #tag", ("tag",)),
        ("- #标签 #ป้าย/ย่อย #किताब #été #🎉", ("标签", "ป้าย/ย่อย", "किताब", "été", "🎉")),
        ("标签，#中文，完", ("中文",)),
        ("#[[two words]]", ("two words",)),
        ("#area.deep.tag, #node.js. #one.Two #v1.2 #end.", ("area.deep.tag", "node.js", "one", "v1", "end")),
    ],
)
def test_inline_tags(text: str, tags: tuple[str, ...]) -> None:
    """Tags of any script, nested too, each once."""
    assert _parse(text).tags == tags


def test_f33_hex_colour_in_code_is_no_tag() -> None:
    """`#fff000` in backticks, in a fence or as a colour in text is no tag."""
    assert _parse("`#fff000` and #fff000\n\n```css\na { color: #abcdef }\n#tag\n```\n\n    #indented\n").tags == ()


def test_f34_escaped_tag_is_no_tag() -> None:
    """A backslash makes `#` a character."""
    assert _parse("\\#tag and &#35;x").tags == ()


def test_f35_url_fragment_is_no_tag() -> None:
    """What follows a URL's `#` is no tag, in a link, bare or in angle brackets."""
    text = "x.html#hot-reload https://x.org/#a [t](y.html#b) <https://x.org/#c> [#d](x.md) [[Note#Heading]] [[#Own]]"
    assert _parse(text).tags == ()


def test_f36_numbers_are_no_tags() -> None:
    """`#42` and `C#` are none, `#2024-review` and `#ace` are."""
    assert _parse("#42 C# #2024-review #ace #1/2").tags == ("2024-review", "ace")


# links


def test_wikilinks_embeds_and_relative_links() -> None:
    """Targets come without fragment and display text, percent-decoded, with their line; URLs are none."""
    text = (
        "[[Note#H|shown]] [[Note^id]]\n![[Other#^blk]]\n[l](../a%20b.md#sec) [u](https://x.org) ![](pic.png)\n"
        "[m](mailto:a@b.c) [own](#here) [[folder/Deep]]\n\n[r]: ref.md\n\n[r]\n"
    )
    found = [(x.target, x.fragment, x.display, x.line, x.embed, x.wiki) for x in _parse(text).links]
    assert found == [
        ("Note", "H", "shown", 1, False, True),
        ("Note", "^id", "", 1, False, True),
        ("Other", "^blk", "", 2, True, True),
        ("../a b.md", "sec", "l", 3, False, False),
        ("folder/Deep", "", "", 4, False, True),
        ("ref.md", "", "r", 8, False, False),
    ]


def test_links_in_front_matter() -> None:
    """Wikilinks in values count, quoted or not, with the file's line."""
    links = _parse('---\ntitle: T\nup: "[[A#x|y]]"\nrelated:\n  - [[B]]\n---\n[[C]]\n').links
    assert [(link.target, link.line) for link in links] == [("A", 3), ("B", 5), ("C", 7)]


# blanking


def test_f46_comments_are_blanked_unless_wanted() -> None:
    """`%%…%%` and `<!-- -->` go, over several lines too; by option they stay."""
    text = "a %%x\ny%% b\n<!-- hidden\nmore --> shown\n"
    document = _parse(text)
    assert document.text == "a \n b\n\n shown\n"
    assert [block.kind for block in document.blocks] == ["paragraph", "paragraph"]
    assert _parse(text, comments=True).text == text


@pytest.mark.parametrize(
    "text",
    [
        "```mermaid\n%% a comment of mermaid %%\n```\n",
        "`%%x%%` and `<!-- y -->`\n",
        "100%% sure\n",
        "<!-- never closed\ntext\n",
        "中文 `%%a%%` ก\n",
    ],
)
def test_comment_marks_in_code_or_unclosed_stay(text: str) -> None:
    """Code is word for word; a comment that never ends hides nothing."""
    assert _parse(text).text == text


def test_comment_that_holds_a_fence_goes_whole() -> None:
    """A comment ends at its own mark, not at a fence inside it."""
    assert _parse("%%\n```\ncode\n```\n%%\nafter\n").text == "\n\n\n\n\nafter\n"


def test_f46_block_ids_are_addresses_not_words() -> None:
    """`^id` at a block's end leaves the text and names the block's line; alone it names the block before."""
    document = _parse("para\nend ^one\n\n- item ^two\n- next\n\n| a |\n|---|\n| b |\n\n^tab\n\n# H ^head\n")
    assert document.block_ids == {"one": 1, "two": 4, "tab": 9, "head": 13}
    assert "^" not in document.text
    assert [b.text for b in document.blocks if b.text] == ["para\nend", "item", "next", "H"]


def test_carets_elsewhere_stay() -> None:
    """`x^2`, a caret in code or amid a line is no block id."""
    text = "x^2\n\n`a ^b`\n\n^start of line\n\n$x ^y$\n"
    document = _parse(text)
    assert document.text == text and not document.block_ids


@pytest.mark.parametrize("size", [550_000, 2_500_000])
@pytest.mark.parametrize(
    "before,after",
    [("![pic](", ")"), ("[x](", ")"), ('<img src="', '">'), ("![a][r]\n\n[r]: ", "\n")],
)
def test_f37_data_uris_are_removed(before: str, after: str, size: int) -> None:
    """A base64 file as image, link, HTML attribute or reference goes; the text on its line stays."""
    uri = "data:image/png;base64," + "iVBORw0KGgo" * (size // 11)
    document = _parse(f"left {before}{uri}{after} right\n")
    assert "iVBOR" not in document.text and "base64" not in str(document.links)
    assert "left" in document.text and "right" in document.text
    assert not document.problems


def test_data_uri_over_several_lines_keeps_them() -> None:
    """Wrapped base64 in an attribute goes line by line."""
    lines = "\n".join(["QUJD" * 19] * 20)
    document = _parse(f'<img src="data:image/png;base64,{lines}">\nafter\n')
    assert document.text.count("\n") == 21 and "QUJD" not in document.text
    assert document.text.split("\n")[20] == "after"


def test_prose_about_data_stays() -> None:
    """`data:` as a word is a word."""
    text = "The data: text/plain, see data:, and metadata:x/y,z\n"
    assert _parse(text).text == text


# titles, aliases, fields


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: From header\n---\n# H1\n", "From header"),
        ("---\ntitle: 2024\n---\n", "2024"),
        ("intro\n\n# First\n\n# Second\n", "First"),
        ("## Second level\n\ntext\n", "Second level"),
        ("text\n\n## Later\n", "Note"),
        ("### Third\n", "Note"),
        ("---\ntitle:\n---\ntext\n", "Note"),
        ("```\n# code\n```\n", "Note"),
        ("", "Note"),
    ],
)
def test_title_order(text: str, title: str) -> None:
    """Front matter, first H1, a top heading of level 2, file name."""
    assert _parse(text).title == title


def test_file_name_is_an_alias_when_the_title_differs() -> None:
    """A note answers to its file name too."""
    assert _parse("---\naliases: [K8s, 'a, b']\nalias: Other\n---\n# Kubernetes\n").aliases == (
        "K8s",
        "a, b",
        "Other",
        "Note",
    )
    assert _parse("# Note\n").aliases == ()
    assert _parse("---\naliases: one, two\n---\n# Note\n").aliases == ("one", "two")


@pytest.mark.parametrize(
    "header",
    ["tags: [a, b/c]", "tags: a, b/c", "tags: a b/c", "tags: '#a #b/c'", "tag:\n  - a\n  - '#b/c'", "Tags: a,b/c"],
)
def test_f31_tags_of_the_front_matter(header: str) -> None:
    """Lists, commas and spaces, with or without `#`, whatever the key's case."""
    assert _parse(f"---\n{header}\n---\n").tags == ("a", "b/c")


def test_f9_front_matter_keys_are_no_text() -> None:
    """The header is blank in the text and counts its lines."""
    document = _parse("---\ntags: [x]\nstatus: open\n---\nbody\n")
    assert document.text == "\n\n\n\nbody\n" and document.meta["status"] == "open"


def test_fields_of_logseq_and_dataview() -> None:
    """`key:: value` lines and bracketed fields are metadata and stay text; the first value wins."""
    text = (
        "type:: decision\ntags:: x, y\n\n- due:: 2024-05-06\n- type:: other\n- a [owner:: Ann] b\n\n"
        "foo :: Int\n\n```\nno:: code\n```\n"
    )
    document = _parse(text)
    assert document.meta == {"type": "decision", "tags": "x, y", "due": "2024-05-06", "owner": "Ann"}
    assert document.text == text and document.tags == ("x", "y")


def test_logseq_block_references_stay() -> None:
    """`((uuid))` is text like any other."""
    text = "- see ((64f0-11))\n"
    assert _parse(text).text == text
