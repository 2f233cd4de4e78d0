"""The indexing line: what a run adds, keeps, moves and removes, and that its report adds up."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.build import EMPTIED, build
from indexer.errors import EmbedError, ScanError
from indexer.snapshot import Snapshot
from indexer.types import Root

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX rights")
LATER = 1_700_000_500
PARTS = "".join(f"## Part {n}\n\n" + f"needle{n} and words of part {n}. " * 20 + "\n\n" for n in range(6))


def scanned(report: Any) -> int:
    """Return how many files a report accounts for."""
    left = [s for s in (*report.skipped, *report.failed) if s.path]
    return report.added + report.changed + report.moved + report.unchanged + len(left)


def counts(report: Any) -> tuple[int, int, int, int, int]:
    """Return added, changed, moved, removed and unchanged."""
    return report.added, report.changed, report.moved, report.removed, report.unchanged


# --- one change at a time --------------------------------------------------------------------------------------


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


def test_f55_more_notes_than_variables_of_a_statement_go_at_once(indexed: Any) -> None:
    """1,200 deletions in one run."""
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


def test_f75_f77_any_bytes_and_any_name(indexed: Any) -> None:
    """One odd byte or a name in another script is no obstacle."""
    indexed.write("ö/日本.md", "price 5 \xa2 each".encode("latin-1"))
    assert indexed.run().added == 1
    assert indexed.found("price") == {"ö/日本.md"}
    assert indexed.found("日本") == {"ö/日本.md"}


# --- times -----------------------------------------------------------------------------------------------------


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


# --- what cannot be read ---------------------------------------------------------------------------------------


def unprivileged_run(vault: Any, path: Path) -> Any:
    """Run while a file or folder cannot be read, also when the tests are run as root."""
    for folder in [vault.state.parent, *vault.state.parent.parents]:
        if folder.stat().st_uid == os.geteuid() and str(folder).startswith("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o055)
    for place in [vault.state, *vault.state.rglob("*")]:
        place.chmod(0o777)
    path.chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        return vault.run(vectors=False)
    finally:
        if root:
            os.seteuid(0)
        path.chmod(0o755)


@posix
@pytest.mark.parametrize("place", ["locked/a.md", "locked"], ids=["a file", "a folder"])
def test_what_cannot_be_read_keeps_its_entry(indexed: Any, place: str) -> None:
    """The run is partial and says where; with rights again the entry is as new."""
    indexed.write("locked/a.md", "alpha")
    indexed.write("b.md", "beta")
    indexed.run()
    indexed.write("locked/a.md", "gamma", at=LATER)
    report = unprivileged_run(indexed, indexed.folder / place)
    assert report.partial
    assert [skip.path.rstrip("/") for skip in report.failed] == [place]
    assert report.removed == 0
    assert indexed.found("alpha") == {"locked/a.md"}
    assert [skip.path.rstrip("/") for skip in indexed.look(lambda s: s.catalog.skips())] == [place]
    assert counts(indexed.run()) == (0, 1, 0, 0, 1)
    assert indexed.look(lambda s: s.catalog.skips()) == []


def test_f63_a_note_that_is_not_downloaded_keeps_its_entry(indexed: Any) -> None:
    """A placeholder is not opened, the run is partial."""
    indexed.write("a.md", "alpha " * 200)
    indexed.run()
    (indexed.folder / "a.md").unlink()
    with (indexed.folder / "a.md").open("wb") as file:
        file.truncate(4096)
    if (indexed.folder / "a.md").stat().st_blocks:
        pytest.skip("this file system has no sparse files")
    report = indexed.run()
    assert [(skip.path, skip.reason) for skip in report.failed] == [("a.md", "not downloaded")]
    assert indexed.found("alpha") == {"a.md"}


def test_f12_what_is_excluded_is_counted_and_leaves_the_index(indexed: Any) -> None:
    """A rule takes a note out, and the report says how many it left out."""
    indexed.write("Archive/a.md", "alpha")
    indexed.write("b.md", "beta")
    indexed.run()
    rules = replace(indexed.plan().rules[""], exclude=("Archive/",))
    report = indexed.run(rules={"": rules})
    assert (report.excluded, report.removed, indexed.paths()) == (1, 1, ["b.md"])
    assert indexed.look(lambda s: s.catalog.number("excluded")) == 1


def test_the_number_of_excluded_files_is_kept_though_nothing_else_changed(indexed: Any) -> None:
    """`status` reads it from the index."""
    rules = replace(indexed.plan().rules[""], exclude=("Archive/",))
    indexed.write("b.md", "beta")
    indexed.run(rules={"": rules})
    indexed.write("Archive/a.md", "alpha")
    indexed.run(rules={"": rules})
    assert indexed.look(lambda s: s.catalog.number("excluded")) == 1


def test_f62_a_file_over_the_limit_is_skipped_and_said_so(indexed: Any) -> None:
    """What it was before does not stay."""
    indexed.write("big.md", "small")
    indexed.run()
    indexed.write("big.md", "x" * 20_000_000)
    report = indexed.run()
    assert [(skip.path, skip.failed) for skip in report.skipped] == [("big.md", False)]
    assert "20.0 MB is over the limit" in report.skipped[0].reason
    assert (report.removed, report.partial, indexed.paths()) == (1, False, [])


def test_a_file_that_became_binary_is_skipped_and_its_entry_goes(indexed: Any) -> None:
    """What it said before is not what it is now."""
    indexed.write("a.md", "alpha")
    indexed.run()
    indexed.write("a.md", bytes(range(256)) * 10, at=LATER)
    report = indexed.run()
    assert (report.removed, len(report.skipped), indexed.paths()) == (1, 1, [])
    again = indexed.run()
    assert (again.removed, len(again.skipped)) == (0, 1)


def test_a_file_that_vanishes_while_the_run_goes_on_is_gone(indexed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was listed, and is not there when it is read."""
    from indexer import prepare

    indexed.write("a.md", "alpha")
    indexed.write("b.md", "beta")
    indexed.run()
    indexed.write("a.md", "gamma", at=LATER)
    real = prepare.read_source

    def vanish(root: Any, file: Any) -> bytes:
        """Delete the file, then read it."""
        (indexed.folder / file.path).unlink()
        return real(root, file)

    monkeypatch.setattr(prepare, "read_source", vanish)
    report = indexed.run()
    assert (report.removed, report.partial, indexed.paths()) == (1, False, ["b.md"])
    assert "vanished" in report.skipped[0].reason


def test_f52_a_note_made_while_a_run_goes_on_is_not_lost(indexed: Any) -> None:
    """It is in the next run at the latest."""
    indexed.write("a.md", "alpha")

    def make(stage: str, done: int, total: int) -> None:
        """Make a note in the middle of the run."""
        if stage == "lexical":
            indexed.write("b.md", "beta")

    indexed.run(progress=make)
    indexed.run()
    assert indexed.paths() == ["a.md", "b.md"]


# --- roots -----------------------------------------------------------------------------------------------------


def test_an_emptied_root_counts_as_unreachable(indexed: Any) -> None:
    """Its entries stay and the run is partial, until somebody says that it was meant."""
    for n in range(EMPTIED):
        indexed.write(f"{n}.md", f"word{n}")
    indexed.run()
    for file in indexed.folder.iterdir():
        file.unlink()
    report = indexed.run()
    assert (report.partial, report.removed, len(indexed.paths())) == (True, 0, EMPTIED)
    assert "index --yes" in report.failed[0].reason
    assert counts(indexed.run(accept_emptied=True)) == (0, 0, 0, EMPTIED, 0)
    assert indexed.paths() == []


def test_a_small_root_may_be_emptied(indexed: Any) -> None:
    """Below 20 notes an empty folder is taken at its word."""
    indexed.write("a.md", "alpha")
    indexed.run()
    (indexed.folder / "a.md").unlink()
    assert counts(indexed.run()) == (0, 0, 0, 1, 0)


def test_a_missing_vault_is_an_error_and_a_missing_code_folder_is_not(indexed: Any) -> None:
    """The folder's entries stay, the run is partial."""
    code = indexed.folder.parent / "code"
    code.mkdir()
    (code / "main.py").write_text("def needle():\n    pass\n")
    indexed.write("a.md", "alpha")
    roots = (indexed.root, Root("tools", code, "code"))
    rules = dict.fromkeys(("", "tools"), indexed.plan().rules[""])
    assert indexed.run(roots=roots, rules=rules).added == 2
    code.rename(code.with_name("away"))
    report = indexed.run(roots=roots, rules=rules)
    assert (report.partial, report.removed, report.unchanged) == (True, 0, 1)
    assert indexed.found("needle") == {"main.py"}
    code.with_name("away").rename(code)
    indexed.folder.rename(indexed.folder.with_name("away"))
    with pytest.raises(ScanError):
        indexed.run(roots=roots, rules=rules)
    assert len(indexed.paths()) == 2


def test_a_root_that_is_no_longer_configured_leaves_the_index(indexed: Any) -> None:
    """Its notes are gone with the next run."""
    code = indexed.folder.parent / "code"
    code.mkdir()
    (code / "main.py").write_text("needle = 1\n")
    roots = (indexed.root, Root("tools", code, "code"))
    indexed.run(roots=roots, rules=dict.fromkeys(("", "tools"), indexed.plan().rules[""]))
    assert counts(indexed.run()) == (0, 0, 0, 1, 0)


def test_a_path_is_unique_within_its_root(indexed: Any) -> None:
    """The same path in two roots is two documents."""
    code = indexed.folder.parent / "code"
    code.mkdir()
    (code / "a.md").write_text("beta")
    indexed.write("a.md", "alpha")
    roots = (indexed.root, Root("tools", code, "code"))
    rules = dict.fromkeys(("", "tools"), indexed.plan().rules[""])
    assert indexed.run(roots=roots, rules=rules).added == 2
    assert indexed.run(roots=roots, rules=rules).unchanged == 2


def test_f54_a_vault_below_a_hidden_folder_is_a_vault(tmp_path: Path, indexed: Any) -> None:
    """Only what is hidden inside of it stays out."""
    indexed.folder = tmp_path / ".notes" / "vault"
    indexed.folder.mkdir(parents=True)
    indexed.root = Root("", indexed.folder, "note")
    indexed.write("a.md", "alpha")
    indexed.write(".hidden/b.md", "beta")
    indexed.run()
    assert indexed.paths() == ["a.md"]


def test_an_empty_vault_has_an_empty_index(indexed: Any) -> None:
    """And no note to say."""
    report = indexed.run()
    assert counts(report) == (0, 0, 0, 0, 0)
    assert (report.notes, report.partial, indexed.paths()) == ((), False, [])


# --- vectors ---------------------------------------------------------------------------------------------------


def test_a_run_without_vectors_leaves_them_pending(indexed: Any) -> None:
    """Words are found at once; the next run makes what is missing."""
    indexed.write("a.md", PARTS)
    report = indexed.run(vectors=False)
    assert (report.embedded, report.pending) == (0, 6)
    assert indexed.found("needle2") == {"a.md"}
    report = indexed.run()
    assert (report.unchanged, report.embedded, report.pending) == (1, 6, 0)


def test_another_model_makes_all_vectors_anew_and_says_so(indexed: Any) -> None:
    """Also a model of the same name and another width; the old file goes."""
    indexed.write("a.md", PARTS)
    indexed.run()
    wider = type(indexed.model)(dimension=96)
    report = indexed.run(model=wider)
    assert (report.embedded, len(wider.texts)) == (6, 6)
    assert report.notes == ("the embedding model changed: all vectors are made anew",)
    assert len(list(indexed.state.glob("vectors-*"))) == 1
    wider.dimension, wider.texts = 32, []
    assert indexed.run(model=wider).embedded == 6


def test_f65_a_model_that_cannot_be_opened_costs_no_vector(indexed: Any) -> None:
    """Neither when it is asked for its name nor when it should embed."""
    indexed.write("a.md", PARTS)
    indexed.run()
    indexed.write("b.md", "beta", at=LATER)

    def away(*_: Any) -> Any:
        """Fail as a server does that is not there."""
        raise EmbedError("the server is away")

    with pytest.raises(EmbedError):
        build(indexed.state, replace(indexed.plan(), vectors=away))
    other = type(indexed.model)(dimension=32)
    other.embed_documents = away
    with pytest.raises(EmbedError):
        indexed.run(model=other)
    assert indexed.found("beta") == {"b.md"}
    assert indexed.near("needle2 and words of part 2", 1) == ["a.md"]
    indexed.model.texts.clear()
    assert indexed.run().embedded == len(indexed.model.texts) == 1


def test_f64_a_batch_that_fails_stops_no_other(indexed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What failed stays pending, is said, and is tried again by the next run."""
    monkeypatch.setattr("indexer.build.ROUND", 8)
    monkeypatch.setattr("indexer.build.PART", 2)
    for n in range(30):
        indexed.write(f"{n}.md", f"word{n} poison" if n == 7 else f"word{n}")
    bad = indexed.failing(lambda text: EmbedError("no such luck") if "poison" in text else None)
    report = indexed.run(model=bad)
    assert (report.embedded, report.pending) == (28, 2)
    assert report.notes == ("2 passages wait for vectors: no such luck",)
    report = indexed.run()
    assert (report.embedded, report.pending, report.notes) == (2, 0, ())


def test_a_model_that_always_fails_is_an_error_and_what_was_made_stays(
    indexed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounds before it are committed; words are found."""
    monkeypatch.setattr("indexer.build.ROUND", 10)
    for n in range(30):
        indexed.write(f"{n:02}.md", f"word{n}", at=LATER - n)
    bad = indexed.failing(lambda text: EmbedError("gone") if len(bad.texts) >= 10 else None)
    with pytest.raises(EmbedError, match="gone"):
        indexed.run(model=bad)
    assert indexed.look(Snapshot.counts)["pending"] == 20
    assert indexed.found("word29") == {"29.md"}
    assert indexed.run().embedded == 20


def test_newest_notes_get_their_vectors_first(indexed: Any) -> None:
    """A file that changed just now before all others."""
    for n in range(5):
        indexed.write(f"{n}.md", f"word{n}", at=LATER + n)
    indexed.write("now.md", "latest", at=time.time())
    indexed.run()
    assert [text.split("\n")[1] for text in indexed.model.texts] == [
        "latest",
        "word4",
        "word3",
        "word2",
        "word1",
        "word0",
    ]


def test_f66_rows_of_another_width_are_an_error(indexed: Any) -> None:
    """They are not written; the passages stay pending."""
    indexed.write("a.md", "alpha")
    model = type(indexed.model)(dimension=32)
    model.dimension = 64
    model.embed_documents = lambda texts, on_batch=None: type(indexed.model)(32).embed_documents(texts)
    with pytest.raises(EmbedError, match=r"shape \(1, 32\), not \(1, 64\)"):
        indexed.run(model=model)
    assert indexed.look(Snapshot.counts)["pending"] == 1


def test_f67_vectors_of_any_length_are_kept_at_length_one(indexed: Any) -> None:
    """Cosine is what is compared."""
    indexed.write("a.md", "alpha words")
    real = indexed.model.embed_documents
    indexed.model.embed_documents = lambda texts, on_batch=None: real(texts) * 37
    indexed.run()
    question = type(indexed.model)().embed_queries(["a alpha words"])[0]
    (pair,) = indexed.look(lambda s: s.vectors().search(question, 1))
    assert pair[1] == pytest.approx(1.0, abs=1e-3)


def test_a_vector_without_a_direction_is_kept_as_unreadable(indexed: Any) -> None:
    """Zeros and what is not a number are counted, and not tried again and again."""
    import numpy

    indexed.write("a.md", "alpha")
    indexed.write("b.md", "beta")
    indexed.model.embed_documents = lambda texts, on_batch=None: numpy.array(
        [[numpy.nan] * 64 if "alpha" in text else [1.0] * 64 for text in texts], dtype=numpy.float32
    )
    report = indexed.run()
    assert (report.embedded, report.pending) == (1, 0)
    assert indexed.look(Snapshot.counts)["unreadable"] == 1


def test_a_passage_that_the_model_cannot_read_is_left_out_of_the_dense_leg(indexed: Any) -> None:
    """It is not pending, not embedded, and found by words."""
    indexed.write("a.md", "alpha")
    indexed.write("z.md", "更精确的结果")
    indexed.model.readability = lambda text: float(text.isascii())
    report = indexed.run()
    assert (report.embedded, report.pending) == (1, 0)
    assert indexed.look(Snapshot.counts)["unreadable"] == 1
    assert indexed.found("精确") == {"z.md"}
    assert indexed.near("alpha", 5) == ["a.md"]


def test_progress_is_told_for_each_stage(indexed: Any) -> None:
    """From nothing to all."""
    told: list[tuple[str, int, int]] = []
    for n in range(3):
        indexed.write(f"{n}.md", f"word{n}")
    indexed.run(progress=lambda *step: told.append(step))
    assert ("scan", 0, 0) in told
    assert [step for step in told if step[0] == "lexical"] == [("lexical", n, 3) for n in range(4)]
    assert ("vectors", 0, 3) in told and told[-1] == ("vectors", 3, 3)


# --- many files ------------------------------------------------------------------------------------------------


def test_workers_make_the_same_index_as_one_process(indexed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the same order, with the same skips."""
    for n in range(300):
        indexed.write(f"{n:03}.md", f"# Note {n}\n\nword{n} [[{n + 1:03}]] #tag{n % 7}\n")
    indexed.write("binary.md", bytes(range(256)) * 10)
    monkeypatch.setattr("indexer.workers._processors", lambda: 3)
    monkeypatch.setattr("indexer.workers.WORTH", 1)
    monkeypatch.setattr("indexer.workers.BATCH_FILES", 16)
    spread = indexed.run(vectors=False)
    content, ids = indexed.content(), indexed.look(lambda s: s.catalog.rows("SELECT id, document, text FROM chunks"))
    indexed.state = indexed.state.with_name("alone")
    monkeypatch.setattr("indexer.workers.WORTH", 10**12)
    alone = indexed.run(vectors=False)
    assert replace(spread, seconds=0) == replace(alone, seconds=0)
    assert indexed.content() == content
    assert indexed.look(lambda s: s.catalog.rows("SELECT id, document, text FROM chunks")) == ids


@pytest.mark.parametrize("fault", ["dies", "cannot start", "talks"])
def test_a_worker_that_fails_costs_nothing_but_time(
    indexed: Any, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """The files are prepared in this process."""
    from indexer import workers

    for n in range(100):
        indexed.write(f"{n}.md", f"word{n}")
    monkeypatch.setattr("indexer.workers._processors", lambda: 2)
    monkeypatch.setattr("indexer.workers.WORTH", 1)
    monkeypatch.setattr("indexer.workers.BATCH_FILES", 10)
    if fault == "dies":
        real = workers._Worker.ask

        def ask(worker: Any, jobs: Any) -> Any:
            """Kill the worker before it is asked."""
            worker.process.kill()
            worker.process.wait()
            return real(worker, jobs)

        monkeypatch.setattr(workers._Worker, "ask", ask)
    elif fault == "cannot start":
        monkeypatch.setattr("sys.executable", "/nowhere/python")
    else:
        monkeypatch.setattr("indexer.workers.SERVE", "print('hello')")
    assert indexed.run(vectors=False).added == 100


def test_workers_end_with_the_run(indexed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when it is broken off."""
    from indexer import workers

    started: list[Any] = []
    real = workers._Worker.__init__

    def note(worker: Any, options: Any) -> None:
        """Remember the worker."""
        started.append(worker)
        real(worker, options)

    def stop(stage: str, done: int, total: int) -> None:
        """Break the run off."""
        if done == 20:
            raise KeyboardInterrupt

    for n in range(100):
        indexed.write(f"{n}.md", f"word{n}")
    monkeypatch.setattr(workers._Worker, "__init__", note)
    monkeypatch.setattr("indexer.workers._processors", lambda: 2)
    monkeypatch.setattr("indexer.workers.WORTH", 1)
    monkeypatch.setattr("indexer.workers.BATCH_FILES", 10)
    with pytest.raises(KeyboardInterrupt):
        indexed.run(progress=stop)
    assert [worker.process.poll() is not None for worker in started] == [True, True]
    assert indexed.run().added == 100


# --- any history -----------------------------------------------------------------------------------------------

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
