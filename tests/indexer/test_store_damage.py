"""A damaged, foreign or outdated index: told in one line, and made anew by the next run."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from indexer import snapshot as snapshots
from indexer.errors import StoreError
from indexer.snapshot import Snapshot
from indexer.state import CATALOG

NOTES = {f"note-{n}.md": f"# Note {n}\n\nneedle{n} and common words\n" for n in range(6)}

REPO = Path(__file__).parents[2]
HERE = {**os.environ, "PYTHONPATH": str(REPO)}


@pytest.fixture
def filled(indexed: Any) -> Any:
    """Return a vault of six notes with its index."""
    for path, text in NOTES.items():
        indexed.write(path, text)
    indexed.run()
    return indexed


def whole(vault: Any) -> None:
    """Assert that an index answers with both legs and agrees with its notes."""
    assert vault.paths() == sorted(NOTES)
    assert vault.found("needle3") == {"note-3.md"}
    assert vault.near("needle4 and common words", 1) == ["note-4.md"]
    counts = vault.look(Snapshot.counts)
    assert (counts["documents"], counts["pending"], counts["vectors"]) == (6, 0, 6)


def break_header(state: Path) -> None:
    """Make the catalog something else than SQLite."""
    (state / CATALOG).write_bytes(b"this is no database at all, not even nearly" * 100)


def break_pages(state: Path) -> None:
    """Overwrite all pages but the first."""
    data = bytearray((state / CATALOG).read_bytes())
    data[4096:] = b"\x55" * (len(data) - 4096)
    (state / CATALOG).write_bytes(data)


def cut_catalog(state: Path) -> None:
    """Cut the catalog in half."""
    data = (state / CATALOG).read_bytes()
    (state / CATALOG).write_bytes(data[: len(data) // 2])


def empty_catalog(state: Path) -> None:
    """Leave a file of no bytes."""
    (state / CATALOG).write_bytes(b"")


def foreign_catalog(state: Path) -> None:
    """Put another program's database there, with a table of a name that we use."""
    (state / CATALOG).unlink()
    other = sqlite3.connect(state / CATALOG)
    other.execute("CREATE TABLE documents (wine TEXT)")
    other.execute("INSERT INTO documents VALUES ('Riesling')")
    other.commit()
    other.close()


def marked(state: Path) -> None:
    """Leave the note of a reader that met damage."""
    (state / "damaged-catalog").touch()


@pytest.mark.parametrize("hurt", [break_header, break_pages, cut_catalog, foreign_catalog, marked])
def test_a_damaged_or_foreign_catalog_is_made_anew_and_said_so(filled: Any, hurt: Any) -> None:
    """From the notes, in the same run, with one line in the report."""
    hurt(filled.state)
    report = filled.run()
    assert report.added == 6
    assert len(report.notes) == 1 and "made anew from the notes" in report.notes[0]
    whole(filled)
    assert filled.run().notes == ()


def test_an_empty_catalog_file_is_filled(filled: Any) -> None:
    """Nothing is there to be said about."""
    empty_catalog(filled.state)
    assert filled.run().added == 6
    whole(filled)


@pytest.mark.parametrize("hurt", [break_header, break_pages, cut_catalog, foreign_catalog, empty_catalog])
def test_a_reader_of_a_damaged_index_gets_one_line(filled: Any, hurt: Any) -> None:
    """What is wrong and what to do, and no wait."""
    hurt(filled.state)
    with pytest.raises(StoreError, match="run `index`") as told:
        filled.look(lambda s: (s.counts(), s.catalog.rows("SELECT * FROM chunks")))
    assert "\n" not in str(told.value)


def test_damage_that_only_a_reader_meets_is_mended_by_the_next_run(filled: Any) -> None:
    """A run over unchanged notes does not read the broken pages; the reader left word."""
    with sqlite3.connect(filled.state / CATALOG) as catalog:
        page, size = catalog.execute("SELECT rootpage FROM sqlite_master WHERE name = 'links'").fetchone()[0], 4096
    data = bytearray((filled.state / CATALOG).read_bytes())
    data[(page - 1) * size : page * size] = b"\x55" * size
    (filled.state / CATALOG).write_bytes(data)
    with pytest.raises(StoreError, match=r"damaged .*: run `index`"):
        filled.look(lambda s: s.catalog.rows("SELECT * FROM links"))
    assert "was damaged" in filled.run().notes[0]
    whole(filled)


def test_a_passage_that_cannot_be_unpacked_is_damage(filled: Any) -> None:
    """It is told in one line, and mended by the next run."""
    catalog = sqlite3.connect(filled.state / CATALOG)
    catalog.execute("UPDATE chunks SET text = x'0102' WHERE id = 3")
    catalog.commit()
    catalog.close()
    with pytest.raises(StoreError, match=r"damaged .*: run `index`"):
        filled.found("needle2")
    assert "was damaged" in filled.run().notes[0]
    whole(filled)


def test_f70_two_openings_at_once_quarantine_nothing(filled: Any) -> None:
    """Only proven damage makes an index anew."""
    readers = [filled.snapshot() for _ in range(4)]
    filled.write("note-0.md", NOTES["note-0.md"] + "more", at=1_700_000_050)
    assert filled.run().notes == ()
    assert len({reader.generation for reader in readers}) == 1
    for reader in readers:
        reader.close()


def test_f71_a_reader_survives_the_end_of_the_writer(filled: Any) -> None:
    """No checkpoint cuts the log under it."""
    reader = filled.snapshot()
    script = (
        "import sys\nfrom pathlib import Path\nfrom indexer.store import open_store\n"
        "with open_store(Path(sys.argv[1])) as store:\n    store.report([], excluded=7)\n    store.commit()\n"
    )
    subprocess.run([sys.executable, "-c", script, str(filled.state)], env=HERE, check=True)
    assert reader.counts()["documents"] == 6
    assert reader.catalog.number("excluded") == 0
    reader.close()
    assert filled.look(lambda s: s.catalog.number("excluded")) == 7


@pytest.mark.parametrize("name", ["*", "meta.json"])
def test_a_lost_lexical_index_is_made_anew_from_the_catalog(filled: Any, name: str) -> None:
    """Without reading or embedding a note again."""
    folder = next(filled.state.glob("lexical-*"))
    for file in folder.glob(name):
        file.unlink()
    report = filled.run()
    assert (report.unchanged, report.embedded) == (6, 0)
    assert "lexical index" in report.notes[0]
    whole(filled)


@pytest.mark.parametrize("name", ["term", "idx", "pos", "fast", "fieldnorm"])
@pytest.mark.parametrize("keep", [0, 10, -1], ids=["lost", "cut", "overwritten"])
def test_a_lexical_index_that_a_reader_finds_broken_is_made_anew(filled: Any, name: str, keep: int) -> None:
    """A run over unchanged notes does not look into it; the reader leaves word, whatever the engine does."""
    (file,) = next(filled.state.glob("lexical-*")).glob(f"*.{name}")
    data = file.read_bytes()
    file.write_bytes(b"\xff" * (len(data) - 200) + data[-200:] if keep < 0 else data[:keep])
    try:
        filled.found("needle3", "common")
        filled.look(lambda s: s.lexical.ids([s.lexical.phrase(["common", "words"])]))
    except StoreError as error:
        assert "run `index`" in str(error)
        assert "lexical index" in filled.run().notes[0]
        whole(filled)


def test_a_lexical_index_of_another_commit_is_made_anew(filled: Any) -> None:
    """As after a crash between the two commits."""
    with sqlite3.connect(filled.state / CATALOG) as catalog:
        catalog.execute("UPDATE state SET value = value + 1 WHERE name = 'opstamp'")
    with pytest.raises(StoreError, match="did not finish"):
        filled.snapshot()
    assert "lexical index" in filled.run().notes[0]
    whole(filled)


@pytest.mark.parametrize("left", [None, 0, 1, 3 * 64 + 5])
def test_lost_vectors_are_made_again(filled: Any, left: int | None) -> None:
    """As many as the file no longer holds."""
    file = next(filled.state.glob("vectors-*"))
    if left is None:
        file.unlink()
    else:
        os.truncate(file, left)
    filled.model.texts.clear()
    report = filled.run()
    assert report.embedded == len(filled.model.texts) == 6 - (left or 0) // 64
    assert "vectors were lost" in report.notes[0]
    whole(filled)


def test_lost_vectors_wait_in_a_lexical_run(filled: Any) -> None:
    """They are pending, and words answer."""
    next(filled.state.glob("vectors-*")).unlink()
    assert filled.run(vectors=False).pending == 6
    assert filled.found("needle3") == {"note-3.md"}


def test_an_index_of_another_version_is_made_anew_and_keeps_its_vectors(
    filled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was cut alike needs no embedding."""
    monkeypatch.setattr("indexer.store.fingerprint", lambda: "another")
    monkeypatch.setattr("indexer.snapshot.fingerprint", lambda: "another")
    filled.model.texts.clear()
    report = filled.run()
    assert (report.added, report.embedded, filled.model.texts) == (6, 0, [])
    assert "another version" in report.notes[0]
    whole(filled)


def test_a_reader_of_another_version_is_told_so(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, and what to do."""
    monkeypatch.setattr("indexer.snapshot.fingerprint", lambda: "another")
    with pytest.raises(StoreError, match=r"another version .*run `index`"):
        filled.snapshot()


def test_the_fingerprint_names_all_that_an_index_is_made_by() -> None:
    """Schema, lexical layout, chunks, tokens and the version of the stemmer."""
    assert all(word in snapshots.fingerprint() for word in ("schema", "lexical", "chunks", "tokens", "Snowball"))
