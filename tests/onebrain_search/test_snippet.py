"""Marked words, the line that answers, excerpts, and text that cannot drive a terminal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import tokens
from indexer.types import Chunk
from onebrain_search import snippet
from onebrain_search.printable import printable, printable_json
from onebrain_search.query import parse
from onebrain_search.types import Hit


def hit(text: str, start: int = 1) -> Hit:
    """Return a hit on a passage that begins at a line."""
    return Hit(Chunk(1, "", "a.md", "A", (), text, start, start + text.count("\n"), "note"), 1.0)


def marked(query: str, text: str) -> list[str]:
    """Return the marked pieces of a text."""
    return [text[start:end] for start, end in snippet.marked(parse(query), [hit(text)])[0].highlights]


@pytest.mark.parametrize(
    ("query", "text", "pieces"),
    [
        ("target", "🎉🎉 target", ["target"]),
        ("target", "a\r\ntarget 🎉 Target's", ["target", "Target"]),
        ("cafe", "das Café", ["Café"]),
        ("ﬁle", "a file, files", ["file", "files"]),
        ("retry", "Retries and retrying, but not a try", ["Retries", "retrying"]),
        ("family", "revokeTokenFamily(x)", ["revokeTokenFamily"]),
        ("retr*", "retrograde retries", ["retrograde", "retries"]),
        ("精确", "更精确的结果", ["精确"]),
        ("检索结果", "检索的结果", ["检索", "结果"]),
        ("猫", "黑猫在这里，白猫", ["猫", "猫"]),
        ("付款失败重试", "付款失败后会重试", ["付款失败", "重试"]),
        ("図書室の鍵", "図書室の鍵は受付", ["図書室の鍵"]),
        ("カギ", "予備のｶｷﾞは", ["ｶｷﾞ"]),
        ("냉동기 압력", "냉동기에서 압력 저하", ["냉동기", "압력"]),
        ("ชำระเงิน", "เราลองชำระเงินตอนกลางคืน น้ำตาล", ["ชำระเงิน"]),
        ("งู", "เห็นงูตัวใหญ่", ["งู"]),
        ("dying", "it dies", ["dies"]),
        ('"two words"', "words, two", ["words", "two"]),
    ],
)
def test_f21_what_is_marked_is_the_word(query: str, text: str, pieces: list[str]) -> None:
    """Offsets count code points, whatever stands before."""
    assert marked(query, text) == pieces


def test_f21_offsets_serve_other_counts_as_well() -> None:
    """UTF-16, as JavaScript counts, follows from code points."""
    text = "🎉🎉 target"
    ((start, end),) = snippet.spans(text, frozenset({"target"}))
    units = text.encode("utf-16-le")
    first, last = (len(text[:place].encode("utf-16-le")) for place in (start, end))
    assert units[first:last].decode("utf-16-le") == "target"


WORDS = st.sampled_from(
    "retry Retries parse_retry_after ropes café Straße don’t x-ray → ① 精确 дом v2.8.3 C++".split()
)


@given(
    st.lists(st.one_of(WORDS, st.text(max_size=5), st.sampled_from(["\n", "\t", "  ", "."]))),
    st.lists(WORDS, max_size=3),
)
def test_the_fast_way_marks_what_the_slow_way_does(pieces: list[str], wanted: list[str]) -> None:
    """Every token with a wanted stem is inside a marked span, and each span is bounded by tokens."""
    text, stems = " ".join(pieces), frozenset(tokens.stem(token) for word in wanted for token in tokens.words(word))
    slow = [(start, end) for start, end, token in tokens.spans(text) if tokens.stem(token) in stems]
    fast = snippet.spans(text, stems)
    assert all(any(first <= start and end <= last for first, last in fast) for start, end in slow)
    assert {place for span in fast for place in span} <= {place for span in slow for place in span}


def test_the_best_line_answers() -> None:
    """It holds the most words; a heading, a fence and a table's rule only where there is nothing else."""
    text = "# Retry policy\n\n|---|---|\n```\nWe retry five times.\n```\nOther."
    line = snippet.best_line(hit(text, start=10), frozenset({"retri", "polici"}))
    assert (line.number, line.text) == (14, "We retry five times.")
    assert snippet.best_line(hit("# Retry policy"), frozenset({"retri"})).text == "# Retry policy"
    assert snippet.best_line(hit("one\n\ntwo"), frozenset()).text == "one"


@given(st.text(max_size=300), st.integers(10, 120))
def test_f22_an_excerpt_is_short_and_whole(text: str, width: int) -> None:
    """Never over the width, and nothing but spaces is changed in it."""
    found = snippet.excerpt(text, frozenset({"a"}), width)
    assert len(found) <= width
    assert found.strip("…").strip() in " ".join(text.split())
    assert "\ufffd" not in found or "\ufffd" in text


def test_an_excerpt_is_cut_around_the_words() -> None:
    """At spaces, with ellipses where something is left out."""
    text = f"{'filler words here ' * 10}the windlass turns{' and more filler' * 10}"
    found = snippet.excerpt(text, frozenset({"windlass"}))
    assert "windlass" in found
    assert found.startswith("…") and found.endswith("…")
    assert not found.strip("…").startswith(" ")


@given(st.text())
def test_printable_text_has_no_control_characters(text: str) -> None:
    """No escape, no C1 control, no override of direction; line breaks and tabs stay, other text is untouched."""
    found = printable(text)
    banned = {
        *map(chr, range(32)),
        *map(chr, range(127, 160)),
        *map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]),
    }
    assert not (banned - {"\n", "\t"}) & set(found)
    assert len(found) == len(text)
    assert text.isprintable() is False or found == text


def test_an_escape_is_made_visible() -> None:
    """So that one sees what stands there."""
    assert printable("a\x1b[31mb\x9bc\u202ed") == "a␛[31mb�c�d"


@given(st.text())
def test_printable_json_is_the_same_json(text: str) -> None:
    """Escaped, and read back unchanged."""
    shown = printable_json(json.dumps({"text": text}, ensure_ascii=False))
    assert json.loads(shown) == {"text": text}
    assert "\x9b" not in shown and "\u202e" not in shown and "\x7f" not in shown
