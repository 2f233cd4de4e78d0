"""Whatever is asked of whatever notes: nothing raises, no leg is silently empty, and every word finds its note."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from indexer import tokens
from indexer.errors import QueryError
from onebrain_search import Brain, render, text
from onebrain_search.printable import printable
from onebrain_search.query import FIELDS, parse

NOTES = {
    "a.md": "---\ntags: [work/api]\nstatus: In Progress\n---\n# Alpha\n\nretry with std::vector and C:\\x\n",
    "b.md": "# Beta\n\nการค้นหา 精确的结果 баклан кофе شراب القهوة עברית\n",
    "c.md": "# Gamma \x1b[31m red \x9b \u202e evil\n\nNULL \x00 byte, a bell \x07, 🎉 emoji\n",
    "d.py": "def parse_retry_after(header):\n    return int(header)\n",
}
OPERATORS = st.sampled_from(
    [*(f"{field}:" for field in FIELDS), '"', "-", "*", "=", "status=", "?", "(", "[", "\\", "^", "~", "/"]
)
WORDS = st.sampled_from(
    ["retry", "std::vector", "精确", "кофе", "the", "of", "a", "work/api", "2026-01", "Alpha", "*.md", "[a-z]+$"]
)
QUERIES = st.lists(
    st.one_of(OPERATORS, WORDS, st.text(max_size=8), st.sampled_from([" ", "  ", "\n", "\ud800", "\x00"])),
    max_size=12,
)


@pytest.fixture(scope="module")
def brain(tmp_path_factory: pytest.TempPathFactory) -> Brain:
    """Return a small vault of hostile notes, with vectors."""
    folder = tmp_path_factory.mktemp("hostile")
    for path, content in NOTES.items():
        (folder / path).write_text(content, encoding="utf-8")
    brain = Brain.open(folder, environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path_factory.mktemp("state"))})
    brain.index()
    return brain


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(QUERIES.map("".join))
@example("")
@example('"""')
@example("the of a")
@example("tag: path: -")
@example("\x1b]0;owned\x07")
@example("a" * 10_000)
@example("retry " * 2_000)
@example("שלום \u202e evil")
@example("(a|b)*+?{2,}[^]")
@example("**/*.{md,py}")
def test_no_question_raises(brain: Brain, question: str) -> None:
    """It is answered or refused for a date; what is shown cannot drive a terminal."""
    try:
        answer = brain.ask(question, mode="what")
    except QueryError:
        return
    shape = render.answer_json(answer, {}) | {"explain": brain.explain(question)}
    shown = text.answer_text(shape) + text.explain_text(shape)
    assert printable(shown) == shown


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=30))
def test_a_word_is_found_whatever_stands_beside_it(brain: Brain, noise: str) -> None:
    """No other text silences the words, unless it excludes or narrows."""
    query = parse(f"parse_retry_after {noise}")
    if query.filters or query.excluded or (query.phrases and not query.sentence):
        return
    hits = brain.search(f"parse_retry_after {noise}", limit=10, retrieval="lexical")
    assert "d.py" in [hit.chunk.path for hit in hits]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder for one vault after the other."""
    folder = tmp_path_factory.mktemp("fresh")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r\x0c\x1c\x1d\x1e\x85\u2028\u2029"),
        max_size=80,
    )
)
@example("精确的结果")
@example("ค้นหา")
@example("Straße café naïve ŒUVRE")
@example("parse_retry_after C++ v2.8.3")
def test_every_word_of_a_note_finds_it(fresh: Path, text: str) -> None:
    """As the tokenizer cuts them, by the lexical leg."""
    vault = fresh / "vault"
    vault.mkdir(exist_ok=True)
    (vault / "note.md").write_text(f"Text: {text}\n", encoding="utf-8")
    (vault / "other.md").write_text("Nothing of it\n", encoding="utf-8")
    brain = Brain.open(vault, environ={"ONEBRAIN_SEARCH_HOME": str(fresh / "state")})
    brain.index(vectors=False)
    catalog = brain.snapshot().catalog
    body = " ".join(stored.chunk.text for stored in catalog.chunks_of(catalog.known()["", "note.md"].id))
    for word in list(dict.fromkeys(tokens.words(body)))[:20]:
        found = brain.search(f'"{word}"' if word in ("-",) else word, retrieval="lexical", limit=5)
        assert "note.md" in [hit.chunk.path for hit in found], word
    brain.clear()
