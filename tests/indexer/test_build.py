"""The indexing line: what a run adds, keeps, moves and removes, and that its report adds up."""

from __future__ import annotations

import os
import sqlite3
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.build import build
from indexer.snapshot import Snapshot

LATER = 1_700_000_500
PARTS = "".join(f"## Part {n}\n\n" + f"needle{n} and words of part {n}. " * 20 + "\n\n" for n in range(6))


def scanned(report: Any) -> int:
    """Return how many files a report accounts for."""
    left = [s for s in (*report.skipped, *report.failed) if s.path]
    return report.added + report.changed + report.moved + report.unchanged + len(left)


def counts(report: Any) -> tuple[int, int, int, int, int]:
    """Return added, changed, moved, removed and unchanged."""
    return report.added, report.changed, report.moved, report.removed, report.unchanged


def test_notes_are_added_and_found_by_words_and_by_meaning(indexed: Any) -> None:
    """The first run takes all in."""
    indexed.write("a.md", "# A\n\nalpha words\n")
    indexed.write("deep/b.txt", "beta words\n")
    indexed.write("c.png", b"\x89PNG")
    report = indexed.run()
    assert counts(report) == (2, 0, 0, 0, 0)
    assert (report.embedded, report.pending, report.partial) == (2, 0, False)
    assert indexed.found("alpha") == {"a.md"}
    assert indexed.near("beta words", 1) == ["deep/b.txt"]


def test_f61_an_unchanged_vault_costs_no_embedding(indexed: Any) -> None:
    """A restart finds everything in place."""
    indexed.write("a.md", PARTS)
    indexed.run()
    indexed.model.texts.clear()
    report = indexed.run()
    assert counts(report) == (0, 0, 0, 0, 1)
    assert (report.embedded, indexed.model.texts) == (0, [])


def test_only_the_passages_of_an_edited_note_that_changed_are_embedded(indexed: Any) -> None:
    """The others keep their vectors."""
    indexed.write("a.md", PARTS)
    indexed.run()
    indexed.model.texts.clear()
    indexed.write("a.md", PARTS.replace("## Part 3\n", "## Part 3\n\nfreshly written\n"), at=LATER)
    report = indexed.run()
    assert counts(report) == (0, 1, 0, 0, 0)
    assert (report.embedded, len(indexed.model.texts)) == (1, 1)
    assert "freshly written" in indexed.model.texts[0]
    assert indexed.found("freshly") == {"a.md"}


def test_a_reverted_note_costs_no_embedding(indexed: Any) -> None:
    """Vectors are kept by content."""
    indexed.write("a.md", PARTS)
    indexed.run()
    indexed.write("a.md", PARTS.replace("words", "terms"), at=LATER)
    indexed.run()
    indexed.model.texts.clear()
    indexed.write("a.md", PARTS, at=LATER + 1)
    assert counts(indexed.run()) == (0, 1, 0, 0, 0)
    assert indexed.model.texts == []
    assert indexed.near("needle2 and words of part 2", 1) == ["a.md"]


@pytest.mark.parametrize(
    "text", [PARTS, "---\ntitle: Fixed\n---\n" + PARTS], ids=["named by its file", "with a title"]
)
def test_a_moved_and_renamed_note_costs_no_embedding(indexed: Any, text: str) -> None:
    """Nor does it leave anything at its old place."""
    indexed.write("a.md", text)
    indexed.run()
    indexed.model.texts.clear()
    (indexed.folder / "deep").mkdir()
    (indexed.folder / "a.md").rename(indexed.folder / "deep" / "renamed.md")
    report = indexed.run()
    assert counts(report) == (0, 0, 1, 0, 0)
    assert (report.embedded, indexed.model.texts, indexed.paths()) == (0, [], ["deep/renamed.md"])
    assert indexed.found("needle3") == {"deep/renamed.md"}
    assert indexed.near("needle3 and words of part 3", 1) == ["deep/renamed.md"]
    assert indexed.found("renamed") == {"deep/renamed.md"}
    assert counts(indexed.run()) == (0, 0, 0, 0, 1)


def test_a_copy_is_added_and_the_original_stays(indexed: Any) -> None:
    """Two notes of the same content are two notes; the same title shares its vectors."""
    indexed.write("a.md", "---\ntitle: T\n---\n" + PARTS)
    indexed.run()
    indexed.model.texts.clear()
    indexed.write("b.md", "---\ntitle: T\n---\n" + PARTS)
    assert counts(indexed.run()) == (1, 0, 0, 0, 1)
    assert indexed.model.texts == []
    (indexed.folder / "a.md").unlink()
    indexed.run()
    assert indexed.near("needle3 and words of part 3", 1) == ["b.md"]


def test_notes_that_change_places_keep_their_own_content(indexed: Any) -> None:
    """A swap is two changed notes."""
    indexed.write("a.md", "---\ntitle: A\n---\nalpha")
    indexed.write("b.md", "---\ntitle: B\n---\nbeta")
    indexed.run()
    indexed.model.texts.clear()
    indexed.write("a.md", "---\ntitle: B\n---\nbeta", at=LATER)
    indexed.write("b.md", "---\ntitle: A\n---\nalpha", at=LATER)
    assert counts(indexed.run()) == (0, 2, 0, 0, 0)
    assert indexed.model.texts == []
    assert (indexed.found("alpha"), indexed.found("beta")) == ({"b.md"}, {"a.md"})


def test_a_name_that_changes_its_case_is_one_note(indexed: Any) -> None:
    """On every file system."""
    indexed.write("note.md", "text")
    indexed.run()
    (indexed.folder / "note.md").rename(indexed.folder / "Note.md")
    assert counts(indexed.run()) == (0, 0, 1, 0, 0)
    assert indexed.paths() == ["Note.md"]


def test_f53_f57_a_deleted_note_leaves_nothing(indexed: Any) -> None:
    """No hit, no row in any table, no vector but zeros, also of what it said before it was edited."""
    import numpy

    indexed.write("gone.md", "# Old\n\nfirst secret [[link]] #tag\n")
    indexed.run()
    indexed.write("gone.md", "# Old\n\nsecond secret [[link]] #tag\n", at=LATER)
    indexed.run()
    (indexed.folder / "gone.md").unlink()
    assert counts(indexed.run()) == (0, 0, 0, 1, 0)
    assert set(indexed.tables().values()) == {0}
    assert indexed.found("secret") == set()
    assert indexed.look(lambda s: s.lexical.chunk_count()) == 0
    (file,) = indexed.state.glob("vectors-*")
    assert not numpy.fromfile(file, dtype=numpy.int8).any()


def test_a_deleted_note_leaves_nothing_in_the_files(indexed: Any) -> None:
    """After the next rewrite not even the words in the lexical index; the catalog overwrites what it deletes."""
    indexed.write("gone.md", "# Old\n\nxyzzysecret\n")
    indexed.write("stays.md", "other")
    indexed.run()
    (indexed.folder / "gone.md").unlink()
    indexed.run()
    assert b"xyzzysecret" not in (indexed.state / "catalog.sqlite").read_bytes()


def test_a_deleted_note_takes_no_vector_from_another(indexed: Any) -> None:
    """A passage that both hold keeps its vector."""
    for name in ("a", "b"):
        indexed.write(f"{name}.md", "---\ntitle: Same\n---\nshared passage\n")
    indexed.run()
    (indexed.folder / "a.md").unlink()
    indexed.run()
    assert indexed.near("shared passage", 1) == ["b.md"]
    assert indexed.look(Snapshot.counts)["vectors"] == 1


def test_f56_one_change_leaves_all_other_notes(indexed: Any) -> None:
    """The rest of the index is not touched."""
    indexed.write("a.md", "alpha")
    indexed.write("b.md", "beta")
    indexed.run()
    indexed.write("a.md", "gamma", at=LATER)
    indexed.run()
    assert (indexed.found("beta"), indexed.found("alpha"), indexed.found("gamma")) == ({"b.md"}, set(), {"a.md"})


def test_f55_more_notes_than_variables_of_a_statement_go_at_once(
    indexed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1,200 deletions in one run, where SQLite takes 999 values a statement, as old ones do."""
    real = sqlite3.connect

    def connect(*words: Any, **options: Any) -> sqlite3.Connection:
        """Open a file with the old limit."""
        connection = real(*words, **options)
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect)
    for n in range(1200):
        indexed.write(f"{n}.md", f"word{n}")
    indexed.write("last.md", "stays")
    assert indexed.run(vectors=False).added == 1201
    for n in range(1200):
        (indexed.folder / f"{n}.md").unlink()
    assert counts(indexed.run(vectors=False)) == (0, 0, 0, 1200, 1)
    assert indexed.look(lambda s: s.lexical.chunk_count()) == 1


def test_a_link_and_an_identical_passage_in_one_note_are_each_kept(indexed: Any) -> None:
    """One vector serves both passages."""
    indexed.write("a.md", "## Same\n\nrepeated\n\n## Same\n\nrepeated\n")
    report = indexed.run()
    assert (report.embedded, report.pending) == (1, 0)
    assert indexed.look(Snapshot.counts)["vectors"] == 2


def test_f25_the_index_of_a_note_of_bullets_is_no_multiple_of_it(indexed: Any) -> None:
    """Words, passages and vectors of 200 kB stay far below ten times that."""
    text = "# List\n\n" + "\n".join(f"- item {n} about topic{n % 50} and why it was done" for n in range(4500))
    indexed.write("a.md", text)
    indexed.run()
    size = sum(file.stat().st_size for file in indexed.state.rglob("*") if file.is_file())
    assert size < 6 * len(text)
    assert indexed.found("topic49") == {"a.md"}


@pytest.mark.parametrize(
    "text", ["> " * 5000 + "needle", "- " * 3000 + "needle", "[" * 20_000 + "needle", "*" * 50_000 + " needle"]
)
def test_f62_deep_nesting_comes_to_an_end(indexed: Any, text: str) -> None:
    """The note is indexed or skipped with a reason, and the others are indexed."""
    indexed.write("deep.md", text)
    indexed.write("a.md", "alpha")
    report = indexed.run()
    assert report.added + len(report.skipped) == 2
    assert indexed.found("alpha") == {"a.md"}


def test_f75_f77_any_bytes_and_any_name(indexed: Any) -> None:
    """One odd byte or a name in another script is no obstacle."""
    indexed.write("ö/日本.md", "price 5 \xa2 each".encode("latin-1"))
    assert indexed.run().added == 1
    assert indexed.found("price") == {"ö/日本.md"}
    assert indexed.found("日本") == {"ö/日本.md"}


def test_an_edit_of_the_same_size_within_the_same_second_is_seen(indexed: Any) -> None:
    """A file that changed just now is read again by the next run."""
    now = time.time()
    indexed.write("a.md", "alpha", at=now)
    indexed.run()
    indexed.write("a.md", "gamma", at=now)
    assert counts(indexed.run()) == (0, 1, 0, 0, 0)
    assert indexed.found("gamma") == {"a.md"}


def test_a_file_that_was_only_touched_is_unchanged(indexed: Any) -> None:
    """Its content counts; the next run does not read it again."""
    indexed.write("a.md", "alpha")
    indexed.run()
    os.utime(indexed.folder / "a.md", (LATER, LATER))
    assert counts(indexed.run()) == (0, 0, 0, 0, 1)
    assert indexed.look(lambda s: s.catalog.known()[("", "a.md")].mtime_ns) == LATER * 10**9


def test_a_time_in_the_future_is_a_time_like_any_other(indexed: Any) -> None:
    """A clock that runs ahead does not make each run read the note again."""
    indexed.write("a.md", "alpha", at=time.time() + 86_400)
    indexed.run()
    generation = indexed.look(lambda s: s.generation)
    indexed.run()
    assert indexed.look(lambda s: s.generation) == generation


NAMES = st.sampled_from(["a.md", "b.md", "c.txt", "deep/d.md", "deep/e.md", "ö/日本.md"])
TEXTS = st.sampled_from(
    ["", "alpha", "# T\n\nbeta", PARTS, "---\ntitle: X\n---\ngamma", "---\ntags: [x]\n---\n", "データ"]
)
STEPS = st.one_of(
    st.tuples(st.just("write"), NAMES, TEXTS),
    st.tuples(st.just("delete"), NAMES, st.none()),
    st.tuples(st.just("move"), NAMES, NAMES),
    st.tuples(st.just("run"), st.booleans(), st.none()),
)


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(STEPS, min_size=4, max_size=14))
def test_any_history_ends_in_the_index_of_a_clean_build(
    tmp_path_factory: pytest.TempPathFactory, indexed: Any, steps: list[tuple]
) -> None:
    """Whatever was written, deleted, moved and indexed in between; and the reports add up on the way."""
    vault = type(indexed)(tmp_path_factory.mktemp("history"))
    clock = 1_700_000_000
    for what, first, second in [*steps, ("run", True, None)]:
        clock += 10
        path = vault.folder / str(first)
        if what == "write":
            vault.write(first, second, at=clock)
        elif what == "delete":
            path.unlink(missing_ok=True)
        elif what == "move" and path.exists():
            (vault.folder / second).parent.mkdir(exist_ok=True)
            path.replace(vault.folder / second)
        elif what == "run":
            report = vault.run(vectors=first)
            files = [file for file in vault.folder.rglob("*") if file.is_file()]
            assert scanned(report) == len(files)
    content, tables = vault.content(), vault.tables()
    assert vault.look(lambda s: s.lexical.chunk_count()) == tables["chunks"]
    assert vault.look(Snapshot.counts)["pending"] == 0
    vault.state = vault.state.with_name("clean")
    vault.run()
    assert vault.content() == content
    assert {**vault.tables(), "vectors": 0} == {**tables, "vectors": 0}


def test_a_report_says_how_long_it_took(indexed: Any) -> None:
    """In seconds of the clock."""
    assert 0 < build(indexed.state, indexed.plan()).seconds < 60


@pytest.mark.parametrize("seconds", [-(2**40), -(2**31), 0, 2**32, 2**40])
def test_a_file_of_an_impossible_time_is_indexed(indexed: Any, seconds: int) -> None:
    """Before 1901, after 2106, and after what 64 bits hold; an edit is seen as any other one."""
    for text in ("a heron", "a crane!"):
        indexed.write("a.md", text)
        try:
            os.utime(indexed.folder / "a.md", (seconds, seconds))
        except (OSError, OverflowError):
            pytest.skip("this disk keeps no such time")
        indexed.run()
        assert indexed.found(text.split()[1].strip("!")) == {"a.md"}
        assert indexed.run().unchanged == 1
