"""Front matter: plain values, and no way to break a note by its header."""

from __future__ import annotations

import json
from typing import Any

import pytest

from indexer.parse import parse
from indexer.types import Document, SourceFile


def _parse(text: str) -> Document:
    """Parse a note of the vault."""
    return parse(SourceFile("", "note.md", "note", len(text), 1_700_000_000_000_000_000), text.encode())


BROKEN: dict[str, tuple[str, dict[str, Any]]] = {
    "unquoted colon": ("title: a: b\nkeep: yes it is", {"title": "a: b", "keep": "yes it is"}),
    "tab": ("\ta: 1\nkeep: 2", {"keep": 2}),
    "unclosed quote": ("a: 'open\nkeep: 2", {"a": "'open", "keep": 2}),
    "unclosed list": ("tags: [a, b\nkeep: 2", {"keep": 2}),
    "bad characters": ("a: @x\nb: `y`\nkeep: 2", {"a": "@x", "b": "`y`", "keep": 2}),
    "templater": ("title: <% tp.file.title %>\ndate: {{date}}\nkeep: 2", {"date": "{{date}}", "keep": 2}),
    "percent": ("a: %x\nkeep: 2", {"a": "%x", "keep": 2}),
    "control character": ("a: \x07\nkeep: 2", {"keep": 2}),
    "bad indent": ("a: 1\n   b: 2\nkeep: 2", {"keep": 2}),
    "unknown alias": ("a: *nowhere\nkeep: 2", {"a": "*nowhere", "keep": 2}),
    "two documents": ("a: !!int x\nkeep: 2", {"keep": 2}),
    "text after quotes": ('a: "x" y\nkeep: 2', {"a": '"x" y', "keep": 2}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_yaml_costs_only_a_problem(name: str) -> None:
    """The body is there, readable keys are kept, the fault is named with one line."""
    header, kept = BROKEN[name]
    document = _parse(f"---\n{header}\n---\n# Head\n\nbody\n")
    assert document.text.endswith("# Head\n\nbody\n") and document.title
    assert kept.items() <= document.meta.items()
    assert len(document.problems) >= 1 and "\n" not in document.problems[0]
    assert document.text.split("\n")[header.count("\n") + 3] == "# Head"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("---\nkey: value\nno end\n", "not closed"),
        ("---\n- a\n- b\n---\nbody\n", "list"),
        ("---\njust words\n---\nbody\n", "piece of text"),
        ("---\nSome prose: here,\n\nand a paragraph [x\n---\nbody\n", "no front matter"),
    ],
)
def test_what_is_no_mapping_stays_text(text: str, word: str) -> None:
    """A block that holds no keys is body, so no word of it is lost."""
    document = _parse(text)
    assert document.text == text and not document.meta
    assert word in document.problems[0]


def test_f41_second_block_is_body() -> None:
    """Only the first `---` block is metadata."""
    document = _parse("---\na: 1\n---\n---\nb: 2\n---\nbody\n")
    assert document.meta == {"a": 1}
    assert document.text == "\n\n\n---\nb: 2\n---\nbody\n"
    assert [block.kind for block in document.blocks] == ["paragraph", "paragraph"]


def test_f44_template_file_parses() -> None:
    """Templater and handlebars code in header and body is text."""
    document = _parse('---\ntitle: {{title}}\n---\n<%* await tp.x() -%>\n# {{title}}\n<% tp.date.now("YYYY") %>\n')
    assert document.meta == {"title": "{{title}}"} and document.title == "{{title}}"


def test_values_stay_as_written() -> None:
    """Only true, false, null and numbers that print as written change their type."""
    header = "a: 007\nb: 1.10\nc: No\nd: 01:30\ne: 2024-05-06\nf: 4.5\ng: true\nh: 12\ni:\nj: 1_000\nk: 0x1F\nl: ~"
    assert _parse(f"---\n{header}\n---\n").meta == {
        "a": "007", "b": "1.10", "c": "No", "d": "01:30", "e": "2024-05-06", "f": 4.5, "g": True, "h": 12,
        "i": None, "j": "1_000", "k": "0x1F", "l": None,
    }  # fmt: skip


def test_repeated_key_is_a_problem() -> None:
    """The last value counts, and it is said."""
    document = _parse("---\na: 1\na: 2\n---\n")
    assert document.meta == {"a": 2} and "repeats 'a'" in document.problems[0]


def test_billion_laughs_is_cut() -> None:
    """Aliases that multiply end at a budget."""
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    document = _parse("---\n" + "\n".join(rows) + "\n---\nbody\n")
    assert len(json.dumps(document.meta)) < 200_000
    assert "too much" in document.problems[0]


def test_value_that_holds_itself_is_cut() -> None:
    """A recursive alias ends at a depth."""
    document = _parse("---\na: &a [*a]\n---\nbody\n")
    json.dumps(document.meta)
    assert "too much" in document.problems[0]


def test_tags_construct_nothing() -> None:
    """A YAML tag that names code is ignored."""
    document = _parse("---\na: !!python/object/apply:os.getcwd []\nb: !!python/name:os.getcwd\n---\nbody\n")
    assert document.meta == {"a": [], "b": ""}


@pytest.mark.parametrize("text", ["---\na: 1\n---", "---\n---", "---\n---\n", "---\na: 1\n...\nbody", "---"])
def test_file_that_ends_with_its_header(text: str) -> None:
    """A header without a body keeps the file's lines."""
    assert _parse(text).text.count("\n") == text.count("\n")


def test_header_must_be_at_the_very_top() -> None:
    """A block further down is text."""
    text = "\n---\na: 1\n---\n"
    assert _parse(text).text == text and not _parse(text).meta
