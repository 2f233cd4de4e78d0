"""`doctor` and `forget`: faults are named with what mends them, and what is forgotten stays out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from indexer.errors import QueryError, StoreError
from onebrain_search import Brain, forgotten
from onebrain_search.doctor import examine
from onebrain_search.types import Finding

Vault = Callable[[Mapping[str, str]], Path]


def opened(vault: Path) -> Brain:
    """Return a vault with a lexical index."""
    brain = Brain.open(vault)
    brain.index(vectors=False)
    return brain


def named(findings: list[Finding], check: str) -> list[Finding]:
    """Return the findings of one check."""
    return [finding for finding in findings if finding.check == check]


def test_a_vault_without_an_index_is_told_to_run_index(vault: Vault, home: Path) -> None:
    """That is the one fault, and the command stands with it."""
    found = examine(Brain.open(vault({"a.md": "text"})))
    assert [(finding.check, finding.fix, finding.hint) for finding in found] == [("index", "run `index`", False)]


def test_passages_that_wait_for_vectors_are_a_fault(vault: Vault, home: Path) -> None:
    """A lexical run leaves them behind."""
    found = examine(opened(vault({"a.md": "some words"})))
    assert "wait for vectors" in named(found, "index")[0].what


@pytest.mark.parametrize(("content", "what"), [(b"no database", "damaged"), (None, "version")])
def test_an_index_that_is_not_ours_is_one_fault(vault: Vault, home: Path, content: bytes | None, what: str) -> None:
    """Damaged, foreign or of another version: `index` makes it anew."""
    import sqlite3

    brain = opened(vault({"a.md": "some words"}))
    brain.snapshot().close()
    catalog = brain.folder / "catalog.sqlite"
    if content is None:
        with sqlite3.connect(catalog) as connection:
            connection.execute("UPDATE state SET value = 'of tomorrow' WHERE name = 'fingerprint'")
        connection.close()
    else:
        catalog.write_bytes(content)
    found = [finding for finding in examine(Brain.open(brain.config.vault)) if not finding.hint]
    assert [finding.check for finding in found] == ["index"]
    assert what in found[0].what
    assert "`index`" in found[0].fix


def test_a_broken_page_that_no_question_reads_is_a_fault(vault: Vault, home: Path) -> None:
    """Whichever page it is; the next run makes the index anew."""
    brain = opened(vault({f"{n}.md": f"heron {n} " + "and words " * 300 for n in range(12)}))
    file = brain.folder / "catalog.sqlite"
    brain.readers.forget()
    whole = file.read_bytes()
    pages = range(len(whole) // 4096)
    assert len(pages) > 8
    for page in pages:
        file.write_bytes(whole[: page * 4096] + b"\xa5" * 4096 + whole[(page + 1) * 4096 :])
        assert "damaged" in named(examine(Brain.open(brain.config.vault)), "index")[0].what, page
    Brain.open(brain.config.vault).index(vectors=False)
    assert not [finding for finding in named(examine(brain), "index") if "damaged" in finding.what]


def test_a_model_that_is_not_there_is_a_fault(vault: Vault, home: Path) -> None:
    """Words are searched all the same."""
    folder = vault({"a.md": "x", "onebrain.yml": "onebrain_search:\n  embedding:\n    model: nobody/nothing\n"})
    (finding,) = named(examine(opened(folder)), "model")
    assert "nobody/nothing" in f"{finding.what} {finding.where}"
    assert finding.fix


def test_a_lock_that_a_dead_process_left_is_named(vault: Vault, home: Path) -> None:
    """It is no obstacle: the next run takes it over, and then nothing is left of it."""
    import subprocess
    import sys

    brain = opened(vault({"a.md": "x"}))
    hold = "import sys, os, pathlib; from indexer.state import locked\n"
    hold += "with locked(pathlib.Path(sys.argv[1]), 5.0):\n    os._exit(9)"
    subprocess.run([sys.executable, "-c", hold, str(brain.folder)], check=False)
    (finding,) = named(examine(brain), "locks")
    assert "write.lock" in finding.where
    assert finding.hint
    (brain.config.vault / "b.md").write_text("y")
    assert brain.index(vectors=False).added == 1
    assert not named(examine(brain), "locks")


def test_a_disk_that_is_nearly_full_is_a_fault(vault: Vault, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the index fills it."""
    monkeypatch.setattr("onebrain_search.doctor.LEAST_FREE", 1 << 60)
    (finding,) = named(examine(opened(vault({"a.md": "x"}))), "space")
    assert "ONEBRAIN_SEARCH_HOME" in finding.fix


def test_status_says_how_far_the_index_is_behind(vault: Vault, home: Path) -> None:
    """By content: a file that was only touched is as it was read, one that cannot be indexed is no news."""
    folder = vault({"a.md": "one", "b.md": "two", "c.md": "three", "d.md": "four"})
    (folder / "binary.md").write_bytes(bytes(range(256)))
    brain = opened(folder)
    assert brain.status()["stale"] == {"new": 0, "changed": 0, "removed": 0}
    (folder / "a.md").write_text("one and more")
    (folder / "b.md").touch()
    (folder / "c.md").unlink()
    (folder / "new.md").write_text("five")
    assert brain.status()["stale"] == {"new": 1, "changed": 1, "removed": 1}
    folder.rename(folder.with_name("moved"))
    assert brain.status()["stale"] is None


def test_a_broken_header_is_a_hint_with_its_note(vault: Vault, home: Path) -> None:
    """The note is searched all the same."""
    found = examine(opened(vault({"a.md": "---\ntags: [a\nx: : y\n---\nbody"})))
    assert named(found, "headers")[0].where == "a.md" and named(found, "headers")[0].hint


def test_ids_used_twice_are_named_with_both_notes(vault: Vault, home: Path) -> None:
    """Keys are compared without case."""
    notes = {"a.md": "---\nid: 7\n---\nx", "b.md": "---\nID: 7\n---\ny", "c.md": "---\nid: 8\n---\nz"}
    (finding,) = named(examine(opened(vault(notes))), "duplicate ids")
    assert finding.where == "a.md, b.md"


def test_a_link_that_leads_nowhere_is_named_with_its_line(vault: Vault, home: Path) -> None:
    """Links to notes and attachments that exist are not."""
    found = named(
        examine(opened(vault({"a.md": "one\n[[b]] and [[nowhere]] and ![[photo.png]]", "b.md": "x"}))), "links"
    )
    assert [finding.where for finding in found] == ["a.md:2"]


def test_f43_a_link_that_can_mean_two_notes_is_a_hint(vault: Vault, home: Path) -> None:
    """With the note that it is taken for; one to a note beside it is clear, and each is told once."""
    text = "[[Note]] and [[Note]]\n"
    files = {"a.md": text, "deep/er/b.md": "[[Note]]\n", "deep/er/Note.md": "one\n", "up/Note.md": "two\n"}
    (finding,) = named(examine(opened(vault(files))), "links")
    assert (finding.where, finding.hint) == ("a.md", True)
    assert "can mean 2 notes and is taken for up/Note.md" in finding.what


def test_a_vault_that_is_gone_is_a_fault_and_its_index_is_kept(vault: Vault, home: Path) -> None:
    """`clear` is what deletes it."""
    folder = vault({"a.md": "some words"})
    brain = opened(folder)
    folder.rename(folder.with_name("moved"))
    assert "clear" in named(examine(brain), "vault")[0].fix
    assert brain.status()["documents"] == 1


def test_an_index_of_a_vault_that_is_gone_is_found_from_another(vault: Vault, home: Path) -> None:
    """It is told with the command that deletes it."""
    first = vault({"a.md": "some words"})
    opened(first)
    first.rename(first.with_name("moved"))
    second = first.with_name("second")
    second.mkdir()
    (second / "b.md").write_text("more words")
    (finding,) = named(examine(opened(second)), "orphans")
    assert str(first) in finding.fix


def test_what_is_forgotten_is_gone_and_stays_out(vault: Vault, home: Path) -> None:
    """Over later runs, until it is undone."""
    notes = {"private/diary.md": "a secret needle", "private2/x.md": "needle of pine", "open.md": "one more needle"}
    folder = vault(notes)
    brain = opened(folder)
    assert brain.forget("private/") == ("private",)
    assert brain.snapshot().counts()["documents"] == 2
    brain.index(vectors=False)
    assert sorted(hit.chunk.path for hit in brain.search("needle", retrieval="lexical")) == [
        "open.md",
        "private2/x.md",
    ]
    assert brain.forget("private", undo=True) == ()
    brain.index(vectors=False)
    assert len(brain.search("needle", retrieval="lexical")) == 3


def test_f85_what_is_forgotten_is_hidden_before_it_is_deleted(vault: Vault, home: Path) -> None:
    """Another process is writing the index: the rows stay, and no question shows them."""
    from indexer.store import open_store

    brain = opened(vault({"private/diary.md": "a secret needle", "open.md": "needle"}))
    with open_store(brain.folder):
        brain.forget("private")
    assert brain.snapshot().counts()["documents"] == 2
    for retrieval in ("lexical", "hybrid"):
        assert [hit.chunk.path for hit in brain.search("needle", retrieval=retrieval)] == ["open.md"]  # type: ignore[arg-type]
    assert [hit.chunk.path for hit in brain.ask("path:private needle").sources] == ["open.md"]


def test_f85_a_list_that_cannot_be_read_answers_nothing(vault: Vault, home: Path) -> None:
    """A read error never looks like an empty list, and is not overwritten."""
    brain = opened(vault({"a.md": "needle"}))
    (brain.folder / forgotten.FILE).write_text("{broken")
    with pytest.raises(StoreError):
        brain.search("needle")
    with pytest.raises(StoreError):
        brain.forget("a.md")
    assert (brain.folder / forgotten.FILE).read_text() == "{broken"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Taga\u0308/u\u0308ber.md", "Tag\u00e4/\u00fcber.md"),
        ("Tag\u00e4/x.md", "Taga\u0308"),
        ("10:30 call.md", "10:30 call.md"),
        ("a/b/c.md", "a\\b"),
    ],
)
def test_a_path_is_forgotten_however_its_letters_are_written(
    vault: Vault, home: Path, name: str, written: str
) -> None:
    """Accents apart or not, a colon in a name, and the separator of Windows; the index is rid of it, too."""
    brain = opened(vault({name: "a secret needle", "open.md": "needle"}))
    brain.forget(written)
    assert brain.snapshot().counts()["documents"] == 1
    assert [hit.chunk.path for hit in brain.search("needle", retrieval="lexical")] == ["open.md"]
    assert forgotten.missing(brain.forgotten(), brain.config.root_folders()) == ()
    assert brain.forget(written, undo=True) == ()


def test_what_is_to_be_forgotten_and_is_not_there_is_told(vault: Vault, home: Path) -> None:
    """A mistyped path must not look like a note that is hidden."""
    brain = opened(vault({"private/diary.md": "a secret needle"}))
    brain.forget("privat/diary.md")
    brain.forget("\udcff")
    assert forgotten.missing(brain.forgotten(), brain.config.root_folders()) == ("privat/diary.md", "\ufffd")


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "", "a/../../b", "..\\x"])
def test_only_paths_inside_the_vault_can_be_forgotten(tmp_path: Path, path: str) -> None:
    """Others are an error with an example."""
    with pytest.raises(QueryError):
        forgotten.normal(path, {"": tmp_path})


def test_a_question_is_answered_where_no_index_can_be_kept(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By reading all notes, and the answer says so."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ONEBRAIN_SEARCH_HOME", str(tmp_path / "file" / "home"))
    brain = Brain.open(vault({"a.md": "the needle is here"}))
    brain.refresh()
    answer = brain.ask("needle")
    assert answer.sources[0].chunk.path == "a.md"
    assert any("no index can be kept" in note for note in answer.notes)


def test_a_changed_setting_reads_every_note_again(vault: Vault, home: Path) -> None:
    """Comments come into the index when the settings want them."""
    folder = vault({"a.md": "words %%hidden%%"})
    assert not opened(folder).search("hidden", retrieval="lexical")
    (folder / "onebrain.yml").write_text("onebrain_search:\n  comments: true\n")
    brain = Brain.open(folder)
    assert brain.index(vectors=False).changed == 1
    assert brain.search("hidden", retrieval="lexical")


def test_a_giant_link_is_told_by_its_beginning(vault: Vault, home: Path) -> None:
    """That is enough to find it."""
    found = examine(opened(vault({"a.md": f"[[{'x' * 50_000}]]\n"})))
    assert 100 < len(named(found, "links")[0].what) < 200
