"""Chunks: file-true lines, nothing lost, heading paths, sizes, and keys of vectors."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.chunk import CODE_BUDGET, NOTE_BUDGET, STRETCH, chunk, content_key, cost, embedding_text
from indexer.parse import parse
from indexer.tokens import analyse, words
from indexer.types import Chunk, Document, SourceFile

LINES = st.sampled_from(
    [
        "", "", "  ", "# One", "## Two", "### Three", "Title\n===", "Sub\n---", "- item", "  - deeper", "1. first",
        "| a | b |", "|---|---|", "| c | d |", "```", "~~~py", "def f():", "> quote", "> # heading in a quote", "***",
        "text", "text " * 40, "Sentence one. " * 60, "更精确的结果。" * 40, "数据库" * 150, "ความรู้ทั้งหมด" * 40,
        "x" * 900, "a,b;c" * 200, "word_" * 300,
        "カ\u3099" * 400, "^block", "[[link]] #tag", "\t", "\x0c", "\u2028", "---",
        "한" * 300, "e\u0301" * 500, "🎉" * 300, "1.5," * 400,
    ]
)  # fmt: skip
NOTES = st.lists(LINES, max_size=40).map("\n".join)


def read(text: str | bytes, path: str = "note.md", kind: str = "note") -> Document:
    """Parse a text as a file of the vault."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return parse(SourceFile("", path, kind, len(data), 0), data)  # type: ignore[arg-type]


def cut(text: str | bytes, path: str = "note.md", kind: str = "note") -> list[Chunk]:
    """Parse and chunk a text."""
    return chunk(read(text, path, kind))


def is_cut(document: Document, number: int) -> bool:
    """Whether a line (1-based) is over the budget, so that chunks hold parts of it."""
    budget = CODE_BUDGET if document.kind == "code" else NOTE_BUDGET
    return cost(document.text.split("\n")[number - 1]) + 0.25 > budget * STRETCH


@given(NOTES, st.sampled_from(["note.md", "note.txt", "code.py"]))
def test_line_i_of_a_chunk_is_a_line_of_the_file(text: str, path: str) -> None:
    """Lines are whole and in their place, but for those over the budget."""
    document = read(text, path, "code" if path.endswith(".py") else "note")
    lines = document.text.split("\n")
    for piece in chunk(document):
        own = piece.text.split("\n")
        assert piece.end_line == piece.start_line + len(own) - 1
        for number, line in enumerate(own, piece.start_line):
            if is_cut(document, number):
                assert line in lines[number - 1]
                assert number in (piece.start_line, piece.end_line)
            else:
                assert line == lines[number - 1] or not piece.text


@given(NOTES, st.sampled_from(["note.md", "note.txt", "code.py"]))
def test_every_line_with_text_is_in_some_chunk(text: str, path: str) -> None:
    """Nothing of a note is left out, and no token of a cut line is."""
    document = read(text, path, "code" if path.endswith(".py") else "note")
    pieces = chunk(document)
    for number, line in enumerate(document.text.split("\n"), 1):
        around = [piece for piece in pieces if piece.start_line <= number <= piece.end_line]
        assert around or not line.strip()
        shown = [piece.text.split("\n")[number - piece.start_line] for piece in around]
        assert set(words(line)) <= {token for part in shown for token in analyse(part)[0].split()}


@given(NOTES)
def test_no_chunk_is_empty_or_far_over_the_budget(text: str) -> None:
    """A chunk holds text, and a model with 256 pieces reads nearly all of it."""
    pieces = cut(text)
    for piece in pieces:
        assert piece.text.strip() or len(pieces) == 1
        assert cost(piece.text) <= NOTE_BUDGET * 1.5
        assert not piece.text or (piece.text.split("\n")[0].strip() and piece.text.split("\n")[-1].strip())


@given(NOTES)
def test_chunks_stand_in_the_order_of_their_lines(text: str) -> None:
    """No chunk begins before the one in front of it."""
    begins = [piece.start_line for piece in cut(text)]
    assert begins == sorted(begins)


def test_f38_a_second_top_heading_has_its_own_path() -> None:
    """The path holds the headings above and none of another branch; a setext heading is one."""
    pieces = cut("# A\n\none\n\n## B\n\ntwo\n\n# C\n\nthree\n\nD\n---\n\nfour\n", "A.md")
    assert [piece.heading for piece in pieces] == [(), ("B",), ("C",), ("C", "D")]


def test_f38_headings_alone_make_no_chunk_of_their_own() -> None:
    """They stand with the text below them, or with the text before the end."""
    pieces = cut("# A\n\n## B\n\n### C\n\ntext\n\n## Empty\n", "other.md")
    assert [(piece.start_line, piece.end_line, piece.heading) for piece in pieces] == [(1, 9, ("B", "C"))]


def test_a_heading_stands_with_a_paragraph_that_fills_the_chunk() -> None:
    """A long one-line paragraph does not leave its heading alone."""
    pieces = cut("## Where\n\n" + "A sentence of some words. " * 27 + "\n\n## Next\n\n" + "Another one here. " * 120)
    assert [piece.start_line for piece in pieces if piece.text.startswith("## ")] == [1, 5]
    assert all("\n" in piece.text for piece in pieces if piece.text.startswith("## "))


def test_notes_of_headings_only_are_one_chunk() -> None:
    """A list of headings is found."""
    (piece,) = cut("# A\n\n## B\n\n## C\n")
    assert (piece.start_line, piece.end_line) == (1, 5)


@pytest.mark.parametrize("text", ["", "\n\n", "---\ntags: [stub]\naliases: [K8s]\n---\n"])
def test_a_note_without_text_is_found_by_its_title(text: str) -> None:
    """A stub has one chunk of an empty line."""
    (piece,) = cut(text, "Kubernetes.md")
    assert (piece.title, piece.text, piece.start_line, piece.end_line) == ("Kubernetes", "", 1, 1)


def test_f22_a_cut_splits_no_character() -> None:
    """Emoji of four bytes at the cut stay whole."""
    pieces = cut("🎉" * 2000)
    assert "\ufffd" not in "".join(piece.text for piece in pieces)
    assert all(piece.text.strip("🎉") == "" for piece in pieces)


def test_f25_list_items_are_kept_and_few_passages_are_alike() -> None:
    """A note of many bullets is cut between them, and overlaps stay small."""
    text = "# List\n\n" + "\n".join(f"- item {n} about topic{n} and its reasons" for n in range(400))
    pieces = cut(text)
    held = {line for piece in pieces for line in piece.text.split("\n")}
    assert all(f"- item {n} about topic{n} and its reasons" in held for n in range(400))
    assert sum(len(piece.text) for piece in pieces) < 1.5 * len(text)
    assert len({piece.text for piece in pieces}) == len(pieces)


@pytest.mark.parametrize(
    "form",
    ["![x](data:image/png;base64,{})", "[x](data:image/png;base64,{})", '<img src="data:image/png;base64,{}">'],
)
def test_f37_an_image_in_the_text_is_no_passage(form: str) -> None:
    """What was an image is left out; the words around it stay."""
    pieces = cut("before\n\n" + form.format("iVBORw0KGgo" * 100_000) + "\n\nafter\n")
    assert len(pieces) == 1
    assert "before" in pieces[0].text and "after" in pieces[0].text


def test_f40_text_far_down_is_in_a_chunk() -> None:
    """A word behind 200 kB of text is not cut off."""
    pieces = cut("filler text here\n\n" * 12_000 + "needleword\n")
    assert any("needleword" in piece.text for piece in pieces)


@pytest.mark.parametrize(
    "line", ["word " * 400_000, "x" * 2_000_000, "数据库" * 200_000, "a,b;c" * 400_000, "e\u0301" * 300_000]
)
def test_f62_a_giant_line_is_cut_in_one_pass(line: str) -> None:
    """Twice the text takes about twice the time (a quadratic cut would take minutes here)."""
    document = replace(read("x"), text=line, blocks=())
    started = perf_counter()
    pieces = chunk(document)
    assert len(pieces) > 500
    assert perf_counter() - started < 30


def test_many_headings_are_cut_in_one_pass() -> None:
    """The time does not grow with headings times blocks."""
    pieces = cut("".join(f"## Release {n}\n\n- fixed a thing {n}\n- and another\n\n" for n in range(20_000)))
    assert len(pieces) == 20_000


def test_a_code_file_is_cut_at_its_definitions_and_knows_them() -> None:
    """The symbol is the definition that a chunk starts in or holds first."""
    body = "".join(f"def function_{n}(a):\n" + "    a += 1  # a line of code\n" * 30 + "\n\n" for n in range(4))
    pieces = cut(body, "code.py", "code")
    assert [piece.symbol for piece in pieces] == ["function_0", "function_1", "function_2", "function_3"]
    assert [piece.text.split("(")[0] for piece in pieces] == [f"def function_{n}" for n in range(4)]


def test_a_small_last_block_is_repeated_at_the_start_of_the_next_chunk() -> None:
    """Neighbouring passages share their border."""
    pieces = cut("\n\n".join(f"Paragraph {n}. " + "Some words in it. " * 6 for n in range(20)))
    assert len(pieces) > 2
    for before, after in pairwise(pieces):
        assert before.end_line == after.start_line


def test_the_path_of_headings_leaves_out_a_title_said_twice() -> None:
    """A first heading equal to the title adds nothing."""
    (piece,) = cut("---\ntitle: Plan\n---\n# Plan\n\ntext\n")
    assert (piece.title, piece.heading) == ("Plan", ())


def test_what_the_model_reads_has_title_headings_and_date_in_front() -> None:
    """A date counts unless it is only the time of change."""
    piece = Chunk(0, "", "a.md", "Plan", ("Scope", "Time"), "text", 3, 3, "note", "", "2026-03-02", "file name")
    assert embedding_text(piece) == "Plan › Scope › Time (2026-03-02)\ntext"
    assert "2026" not in embedding_text(replace(piece, date_source="mtime"))


def test_what_the_model_reads_can_have_title_and_headings_once() -> None:
    """First lines of a passage that say them again are left out; a line further down is not."""
    first, second = cut("# Plan\n\n## Scope\n\ntext\n\nScope\n\n## C#\n\nmore\n")
    assert embedding_text(first) == "Plan › Scope\n# Plan\n\n## Scope\n\ntext\n\nScope"
    assert embedding_text(first, once=True) == "Plan › Scope\ntext\n\nScope"
    assert embedding_text(second, once=True) == "Plan › C#\nmore"


@pytest.mark.parametrize(
    ("text", "path"),
    [("Plan\n====\n\nScope\n-----\n\n- text\n", "note.md"), ("* Plan\n** Scope\n- text\n", "Plan.org")],
)
def test_headings_are_known_however_they_are_written(text: str, path: str) -> None:
    """Underlined ones, and those of Org, are read once as well; a list below stays as it is."""
    (piece,) = cut(text, path)
    assert embedding_text(piece, once=True).split("\n")[1:] == ["- text"]


def test_a_note_that_is_a_title_alone_can_be_read_as_such() -> None:
    """The title stands there once."""
    (piece,) = cut("# Plan\n")
    assert embedding_text(piece, once=True) == "Plan"


def test_a_key_depends_on_what_is_read_and_on_nothing_else() -> None:
    """Neither line numbers nor paths nor the time of change make a passage new."""
    piece = Chunk(0, "", "a.md", "Plan", (), "text", 3, 3, "note", "", "2026-03-02", "mtime")
    same = replace(piece, id=7, path="b/a.md", start_line=9, end_line=9, date="2026-04-01")
    assert content_key(piece) == content_key(same)
    assert len({content_key(p) for p in (piece, replace(piece, text="other"), replace(piece, title="B"))}) == 3


def test_only_passages_that_changed_have_new_keys() -> None:
    """An edit at the end of a note leaves the keys of its other sections."""
    text = "".join(f"## Part {n}\n\n" + f"Words of part {n}. " * 30 + "\n\n" for n in range(8))
    before = {content_key(piece) for piece in cut(text)}
    after = {content_key(piece) for piece in cut(text.replace("## Part 7\n", "## Part 7\n\nnew line\n"))}
    assert len(after - before) == 1
