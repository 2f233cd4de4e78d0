"""The lexical index: any token of a note finds it, phrases, filters, and commits."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer import lexical, tokens
from indexer.chunk import chunk
from indexer.errors import StoreError
from indexer.lexical import Reader, Writer
from indexer.parse import parse
from indexer.terms import entry_of
from indexer.types import Condition, Document, SourceFile

WORDS = st.sampled_from(
    "retry C# c++ v2.8.3 3.1 getUserName snake_case café naïve Straße don't deep-sea バカ パーカー 更精确的结果 "
    "数据库 数 데이터베이스 ความรู้ น้ำ ရန်ကုန် ភាសាខ្មែរ किताब й и Ελλάδα عربي שָׁלוֹם target👍 1️⃣ ½ k8s ﷺ a.b.c "
    "10.0.0.1 привет_мир 葛\U000e0100飾 - # * > ` | ~ 。 “quoted”".split(" ")
)
NOTES = st.lists(st.one_of(WORDS, st.text(max_size=8)), max_size=30).map(" ".join)

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX rights")


def read(path: str, text: str, kind: str = "note") -> Document:
    """Parse a text as a file of the vault."""
    data = text.replace("\0", " ").encode("utf-8", "replace")
    return parse(SourceFile("", path, kind, len(data), 1), data)  # type: ignore[arg-type]


def fill(folder: Path, documents: Sequence[Document]) -> dict[int, int]:
    """Index documents in a folder; return the place of the document that each chunk id belongs to."""
    writer = Writer(folder, create=True)
    owners: dict[int, int] = {}
    for number, document in enumerate(documents):
        chunks = chunk(document)
        first = len(owners) + 1
        writer.add(number + 1, first, entry_of(document, chunks))
        owners |= dict.fromkeys(range(first, first + len(chunks)), number)
    writer.commit()
    return owners


@contextmanager
def index_of(documents: Sequence[Document]) -> Iterator[tuple[Reader, dict[int, int]]]:
    """Index documents in a folder that is gone afterwards."""
    folder = Path(tempfile.mkdtemp())
    try:
        owners = fill(folder, documents)
        reader = Reader(folder)
        yield reader, owners
        reader.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def finds(reader: Reader, owners: dict[int, int], token: str) -> set[int]:
    """Return the places of the documents that one word finds, as a question would ask for it."""
    found = {n for n, _ in reader.search([(token, 1.0)], k=10_000)}
    if len(token) == 1 and tokens.is_unspaced(token):
        found |= set(reader.ids([reader.phrase([token])]).tolist())
    return {owners[number] for number in found}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(NOTES, min_size=10, max_size=40))
def test_any_token_of_a_note_finds_the_note(notes: list[str]) -> None:
    """Whatever the tokenizer yields from text, title, headings or path of a note finds it."""
    documents = [read(f"Folder {n}/note-{n}.md", f"## Heading{n} of it\n\n{text}\n") for n, text in enumerate(notes)]
    with index_of(documents) as (reader, owners):
        for place, document in enumerate(documents):
            everything = " \n".join([document.title, document.text, document.path])
            for token in {*tokens.words(everything), *tokens.analyse(everything)[0].split()}:
                assert place in finds(reader, owners, token), token


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(NOTES, min_size=5, max_size=20), st.integers(0, 30), st.integers(1, 4))
def test_words_side_by_side_are_a_phrase(notes: list[str], start: int, length: int) -> None:
    """A piece of a note's text in quotes finds the note."""
    documents = [read(f"{n}.txt", " ".join(text.split())) for n, text in enumerate(notes)]
    with index_of(documents) as (reader, owners):
        for place, document in enumerate(documents):
            wanted = tokens.words(" ".join(document.text.split()[start : start + length]))
            if wanted:
                assert place in {owners[n] for n in reader.ids([reader.phrase(wanted)]).tolist()}, wanted


@pytest.mark.parametrize(
    ("text", "question"),
    [("我们得到更精确的结果。", "精确"), ("यह एक किताब है", "किताब"), ("这个数据库很快", "数据库"),
     ("ใช้ฐานข้อมูลนี้", "ฐานข้อมูล"), ("Ä café au lait", "CAFE"), ("see getUserName()", "user"), ("done👍", "done")],
)  # fmt: skip
def test_f2_f15_f16_a_word_in_any_script_is_found(text: str, question: str) -> None:
    """Inside a sentence without spaces, with marks, accents, or glued to something."""
    with index_of([read("a.md", text), read("b.md", "nothing of it")]) as (reader, owners):
        found = [owners[n] for n, _ in reader.search([(word, 1.0) for word in tokens.words(question)])]
        assert found == [0]


def test_f3_words_with_a_hyphen_rank_before_the_same_words_apart() -> None:
    """As a phrase `deep-sea` is two neighbours."""
    with index_of([read("a.md", "the sea is deep, the sea"), read("b.md", "a deep-sea fish")]) as (reader, owners):
        wanted = tokens.words("deep-sea")
        found = reader.search([(word, 1.0) for word in wanted], phrases=[wanted])
        assert [owners[n] for n, _ in found] == [1, 0]


def test_f9_keys_of_the_header_are_no_text() -> None:
    """`tags` and `title` do not match every note."""
    note = "---\ntitle: A\ntags: [b]\ncreated: 2024-01-01\n---\ntext\n"
    with index_of([read("n.md", note)]) as (reader, owners):
        assert not any(finds(reader, owners, key) for key in ("tags", "title", "created"))


def test_f10_f26_a_title_an_alias_a_heading_and_a_file_name_are_found() -> None:
    """Also when the word stands nowhere in the text."""
    note = "---\naliases: [K8s]\ntitle: Orchestration\n---\n## Scheduler\n\ntext\n"
    with index_of([read("infra/Kubernetes.md", note)]) as (reader, owners):
        assert all(
            finds(reader, owners, word) for word in ("k8s", "orchestration", "scheduler", "kubernetes", "infra")
        )


def test_f17_f19_the_exact_form_ranks_before_another_form_of_the_word() -> None:
    """A stem joins the two, the token parts them; a word that only begins so is not found."""
    notes = ["he organized it", "they organize it", "organizational java matters", "javascript"]
    with index_of([read(f"{n}.md", text) for n, text in enumerate(notes)]) as (reader, owners):
        assert [owners[n] for n, _ in reader.search([("organize", 1.0)])][:2] == [1, 0]
        assert finds(reader, owners, "java") == {2}


def test_f25_as_many_hits_as_asked_for() -> None:
    """200 are 200."""
    with index_of([read(f"{n}.md", "common word") for n in range(250)]) as (reader, _):
        assert len(reader.search([("common", 1.0)], k=200)) == 200
        assert len(reader.ids([reader.phrase(["common"])])) == 250


# --- filters ---------------------------------------------------------------------------------------------------

NAMES = ["Alpha", "Überblick", "U\u0308berblick", "日本", "a.b", "note-1", "ＡＢ"]
TAGS = ["work", "Work/Plan", "work/plan/q1", "ÜBER", "u\u0308ber", "to/do", "tod", "日本/東京"]
VALUES = [
    "Decision",
    "decision",
    "/import",
    "a/",
    "2024-05-06",
    7,
    1.5,
    True,
    ["x", "Y", 3],
    "é",
    "e\u0301",
    "l" * 300,
]

DOCUMENTS = st.builds(
    lambda folder, name, suffix, kind, title, heading, tags, date, meta: (
        folder + name + suffix, kind, title, heading, tags, date, meta
    ),
    st.sampled_from(["", "Projects/", "projects/Deep/", "日本/", "06-archive/2024/"]), st.sampled_from(NAMES),
    st.sampled_from([".md", ".MD", ".txt", ".py"]), st.sampled_from(["note", "code"]),
    st.sampled_from(["Retry policy", "retrying policies", "日本の計画", "Plan", "", "Café"]),
    st.sampled_from([(), ("Decisions",), ("Open questions", "Plan B"), ("更精确的结果",)]),
    st.lists(st.sampled_from(TAGS), max_size=3), st.sampled_from([None, "2024-01-31", "2024-02-01", "2023-12-31"]),
    st.dictionaries(st.sampled_from(["type", "Type", "status", "lang", "source", "日付"]), st.sampled_from(VALUES)),
)  # fmt: skip
VALUES_ASKED = {
    "tag": [*TAGS, "WORK", "to"],
    "path": [*NAMES, "projects", "Projects/", "projects/deep", "2024", "Alpha.md"],
    "at": ["Projects", "projects/Deep/Alpha.md", "Alpha.md", "日本/日本.md", "deep"],
    "ext": ["md", "MD", ".md", "txt", "py"],
    "kind": ["note", "code"],
    "type": ["decision", "DECISION", "é", "e\u0301", "7", "true", "y"],
    "lang": ["decision", "x"],
    "title": ["retry", "policy retry", "計画", "計", "cafe", "plan", "??"],
    "heading": ["decision", "plan b", "questions open", "精", "结果"],
    "date": ["", "2024-01-31"],
    "=": ["status=decision", "source=/import", "source=a/", "Type=7", "status=" + "l" * 300, "日付=x"],
}
FIELDS = st.sampled_from([(field, value) for field, values in VALUES_ASKED.items() for value in values])
CONDITIONS = st.builds(
    lambda asked, upper, negated: Condition(*asked, upper=upper if asked[0] == "date" else "", negated=negated),
    FIELDS, st.sampled_from(["", "2024-01-31", "2024-12-31"]), st.booleans(),
)  # fmt: skip


def same(text: object) -> str:
    """Return text as filters compare it."""
    return normalize("NFC", str(text)).casefold()


def values_of(meta: dict[str, object], names: set[str]) -> set[str]:
    """Return the front matter values under some keys."""
    found = [
        v
        for key, value in meta.items()
        if same(key) in names
        for v in (value if isinstance(value, list) else [value])
    ]
    return {same(value)[:200] for value in found}


def holds(words: str, text: str) -> bool:
    """Whether a text holds all of some words in some form."""
    wanted = [tokens.stem(word) for word in tokens.words(words)]
    there = {tokens.stem(token) for token in tokens.analyse(text)[0].split()}
    single = {char for token in there for char in token if tokens.is_unspaced(token)}
    return bool(wanted) and all(word in there or (len(word) == 1 and word in single) for word in wanted)


def meets(document: Document, heading: tuple[str, ...], wanted: Condition) -> bool:
    """Tell by hand whether a document meets a condition, negation aside."""
    path, value = same(document.path), same(wanted.value)
    name = path.rsplit("/", 1)[-1]
    folders = ["/".join(path.split("/")[: n + 1]) for n in range(path.count("/"))]
    key, _, rest = wanted.value.partition("=")
    return {
        "tag": lambda: any(same(tag) == value or same(tag).startswith(value + "/") for tag in document.tags),
        "path": lambda: value.strip("/") in {*folders, *path.split("/"), path, name.rsplit(".", 1)[0]},
        "at": lambda: value in {*folders, path},
        "ext": lambda: name.rsplit(".", 1)[-1] == value.lstrip("."),
        "kind": lambda: document.kind == wanted.value,
        "type": lambda: value in values_of(dict(document.meta), {"type"}),
        "lang": lambda: value in values_of(dict(document.meta), {"lang", "language"}),
        "title": lambda: holds(wanted.value, document.title),
        "heading": lambda: holds(wanted.value, " ".join(heading)),
        "date": lambda: document.date is not None and (wanted.value or "0") <= document.date <= (wanted.upper or "9"),
        "=": lambda: same(rest)[:200] in values_of(dict(document.meta), {same(key)}),
    }[wanted.field]()  # fmt: skip


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(DOCUMENTS, min_size=5, max_size=25),
    st.lists(st.lists(CONDITIONS, min_size=1, max_size=3), min_size=20, max_size=60),
)
def test_a_filter_leaves_what_a_look_at_each_document_leaves(rows: list[tuple], asked: list[list[Condition]]) -> None:
    """Every field, in any case and composition, negated or not, alone or together."""
    documents = [
        Document("", path, kind, title, (), tuple(tags), date, "x", meta, "some text", (), "0")
        for path, kind, title, _, tags, date, meta in rows
    ]
    folder = Path(tempfile.mkdtemp())
    try:
        writer = Writer(folder, create=True)
        for number, (document, row) in enumerate(zip(documents, rows, strict=True), 1):
            writer.add(number, number, entry_of(document, [replace(chunk(document)[0], heading=row[3])]))
        writer.commit()
        reader = Reader(folder)
        for conditions in asked:
            found = set(reader.ids([reader.condition(c) for c in conditions]).tolist())
            wanted = {
                number
                for number, (document, row) in enumerate(zip(documents, rows, strict=True), 1)
                if all(meets(document, row[3], c) != c.negated for c in conditions)
            }
            assert found == wanted, conditions
            hits = reader.search([("text", 1.0)], required=[reader.condition(c) for c in conditions], k=1000)
            assert {number for number, _ in hits} == wanted, "the same filter in a search"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# --- commits ---------------------------------------------------------------------------------------------------


def entry(text: str) -> tuple[Document, list]:
    """Return a one-chunk document."""
    document = read("a.md", text)
    return document, chunk(document)


def test_nothing_is_visible_before_the_commit_and_all_of_it_after(tmp_path: Path) -> None:
    """A reader keeps the commit that it opened."""
    writer = Writer(tmp_path, create=True)
    writer.commit()
    writer.add(1, 1, entry_of(*entry("first")))
    before = Reader(tmp_path)
    stamp = writer.commit()
    after = Reader(tmp_path)
    writer.remove([1])
    writer.commit()
    assert (before.chunk_count(), after.chunk_count(), Reader(tmp_path).chunk_count()) == (0, 1, 0)
    assert lexical.opstamp(tmp_path) != stamp


def test_the_number_of_a_commit_can_be_read_without_the_engine(tmp_path: Path) -> None:
    """It changes with each commit that changes something, and merges leave it as it is."""
    writer = Writer(tmp_path, create=True)
    numbers = []
    for n in range(12):
        writer.add(n + 1, n + 1, entry_of(*entry(f"text {n}")))
        numbers.append(writer.commit())
        assert lexical.opstamp(tmp_path) == numbers[-1]
    assert len(set(numbers)) == 12
    writer.merge()
    assert lexical.opstamp(tmp_path) == numbers[-1]
    assert lexical.segments(tmp_path) < 8
    assert Reader(tmp_path).chunk_count() == 12


@pytest.mark.parametrize("content", [None, b"", b"{}", b"[1", b'{"opstamp": null}'])
def test_a_folder_that_is_no_index_has_no_number(tmp_path: Path, content: bytes | None) -> None:
    """Missing, empty and broken lists of segments are told alike."""
    if content is not None:
        (tmp_path / "meta.json").write_bytes(content)
    assert lexical.opstamp(tmp_path) is None


def test_a_broken_index_is_an_error_in_one_line(tmp_path: Path) -> None:
    """Whatever tantivy says, it is a StoreError."""
    fill(tmp_path, [read("a.md", "text")])
    for file in tmp_path.glob("*.term"):
        file.write_bytes(file.read_bytes()[:10])
    with pytest.raises(StoreError, match="cannot be read") as told:
        Reader(tmp_path)
    assert "\n" not in str(told.value)


def test_a_second_writer_is_an_error_in_one_line(tmp_path: Path) -> None:
    """The engine's own lock holds too."""
    writer = Writer(tmp_path, create=True)
    with pytest.raises(StoreError, match="cannot be written"):
        Writer(tmp_path)
    assert writer.commit() >= 0


@posix
def test_an_index_in_a_folder_without_write_permission_is_read() -> None:
    """Readers need no right to write, though tantivy would lock beside the files."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    try:
        fill(folder / "lexical", [read("a.md", "needle")])
        for file in (folder / "lexical").iterdir():
            file.chmod(0o444)
        (folder / "lexical").chmod(0o555)
        privileged = os.geteuid() == 0
        if privileged:
            os.seteuid(65534)
        try:
            reader = Reader(folder / "lexical")
            assert len(reader.search([("needle", 1.0)])) == 1
            reader.close()
        finally:
            if privileged:
                os.seteuid(0)
    finally:
        (folder / "lexical").chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)
