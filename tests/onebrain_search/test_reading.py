"""Addresses: paths, lines, headings and blocks, and what lies outside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.errors import NotFound
from onebrain_search import Brain

NOTE = """---
aliases: [Oven]
---
# Kiln

It stands 40 cm from the wall. ^wall-distance

## Programme

> [!note]- Hold times
> Fifteen minutes at the top.

- one
- two ^second

```dataview
LIST
```

$$E = mc^2$$

![[Clay#Plaster]] %%ask the insurer%%

# History

bought in 2025
"""


@pytest.fixture
def brain(vault: Callable[..., Path], tmp_path: Path) -> Brain:
    """Return a vault with one of everything."""
    files = {
        "Studio/Kiln.md": NOTE,
        "Clay.md": "# Clay\n\n## Plaster\n\nplaster\n",
        "a#b.md": "odd\n",
        "crlf.md": "1\r\n2\r\n3",
    }
    brain = Brain.open(vault(files), environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")})
    brain.index(vectors=False)
    return brain


@pytest.mark.parametrize(
    ("address", "lines", "first"),
    [
        ("Studio/Kiln.md", (1, 26), "---"),
        ("Studio/Kiln", (1, 26), "---"),
        ("Studio/Kiln.md:6", (6, 26), "It stands 40 cm from the wall. ^wall-distance"),
        ("Studio/Kiln.md:6:1", (6, 6), "It stands 40 cm from the wall. ^wall-distance"),
        ("Studio/Kiln.md#Programme", (8, 23), "## Programme"),
        ("Studio/Kiln.md#kiln", (4, 23), "# Kiln"),
        ("Studio/Kiln.md#Kiln#Programme", (8, 23), "## Programme"),
        ("Studio/Kiln.md#^wall-distance", (6, 6), "It stands 40 cm from the wall. ^wall-distance"),
        ("Studio/Kiln.md#^second", (14, 14), "- two ^second"),
        ("a#b.md", (1, 1), "odd"),
        ("crlf.md:2:1", (2, 2), "2"),
    ],
)
def test_an_address_names_lines(brain: Brain, address: str, lines: tuple[int, int], first: str) -> None:
    """As they stand in the file; blocks have addresses."""
    passage = brain.get(address)
    assert ((passage.start_line, passage.end_line), passage.text.split("\n")[0]) == (lines, first)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "nowhere.md",
        "Studio/Kiln.md:99",
        "Studio/Kiln.md:0",
        "Studio/Kiln.md#Nothing",
        "Studio/Kiln.md#^none",
        "../outside.md",
        "/etc/passwd",
        "Studio/../../outside.md",
        "..%2foutside.md",
        "Studio",
        "tools:x.py",
        "\x00",
    ],
)
def test_f78_what_is_not_there_or_outside_is_an_error(brain: Brain, address: str) -> None:
    """A file beside the vault is out of reach."""
    (brain.config.vault.parent / "outside.md").write_text("secret", encoding="utf-8")
    with pytest.raises(NotFound):
        brain.get(address)


def test_f46_marks_are_no_words_and_their_text_is(brain: Brain) -> None:
    """Block ids, comments and embeds are not searched; callout titles are; an embed is a link."""
    count = brain.snapshot().lexical.frequency
    assert [count(word) for word in ("distance", "insurer", "second")] == [0, 0, 0]
    assert brain.search("hold times")[0].chunk.path == "Studio/Kiln.md"
    assert [hit.chunk.path for hit in brain.related("Clay.md") if "backlink" in hit.parts] == ["Studio/Kiln.md"]


def test_f46_comments_are_searched_where_the_settings_say_so(vault: Callable[..., Path], tmp_path: Path) -> None:
    """`comments: true`."""
    files = {"a.md": NOTE, "onebrain.yml": "onebrain_search:\n  comments: true\n"}
    brain = Brain.open(vault(files), environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")})
    brain.index(vectors=False)
    assert brain.search("insurer")


@pytest.mark.parametrize(("edit", "line", "text"), [
    (lambda note: f"new\nlines\nabove\n\n{note}", 9, "Hoist the anchor\nwith the windlass."),
    (lambda note: note.replace("Hoist", "Weigh").replace("# Deck", "# Deck\n\nA word.\n"), 8, "Weigh the anchor\n"),
    (lambda note: note.replace("Hoist the anchor\nwith the windlass.", "All is new."), 5, "All is new."),
])  # fmt: skip
def test_f58_a_passage_of_a_changed_file_is_found_where_it_stands_now(
    tmp_path: Path, home: Path, edit: Callable[[str], str], line: int, text: str
) -> None:
    """Moved by lines above it, changed in part, or replaced: what is shown is in the file, at that line."""
    note = "# Deck\n\n## Anchor\n\nHoist the anchor\nwith the windlass.\n\n## Sails\n\nReef them early.\n"
    (tmp_path / "vault").mkdir()
    file = tmp_path / "vault/a.md"
    file.write_text(note, encoding="utf-8")
    brain = Brain.open(tmp_path / "vault")
    brain.index(vectors=False)
    file.write_text(edit(note), encoding="utf-8")
    (hit,) = brain.search("windlass", retrieval="lexical")
    assert hit.stale
    assert text in hit.chunk.text
    shown = file.read_text(encoding="utf-8").split("\n")[hit.chunk.start_line - 1 : hit.chunk.end_line]
    assert [part.strip() for part in hit.chunk.text.split("\n")] == [part.strip() for part in shown]
    assert line in range(hit.chunk.start_line, hit.chunk.end_line + 1)
