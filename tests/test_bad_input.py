"""Bad input through the command line: nothing aborts, nothing is lost, and every error is one line."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from indexer.store import open_store
from onebrain_search import Brain
from onebrain_search.cli import main
from onebrain_search.mcp.answers import source_line

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX rights")


class Told(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Return the JSON object on stdout."""
        return json.loads(self.out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, home: Path) -> Callable[..., Told]:
    """Return a function that runs a command line in this process."""

    def command(*words: object) -> Told:
        """Run it."""
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["onebrain-search", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Told(int(ended.value.code or 0), out, err)

    return command


def index(run: Callable[..., Told], folder: Path) -> Any:
    """Index a vault without vectors; return the JSON report."""
    return run("index", "--lexical-only", "--json", "--vault", folder).json


def sources(run: Callable[..., Told], folder: Path, *question: str) -> list[str]:
    """Return the addresses of what a question finds by words."""
    told = run("search", "--json", "--retrieval", "lexical", "--vault", folder, *question)
    assert told.code in (0, 1), told.err
    return [f"{hit['path']}:{hit['line']}" for hit in told.json["sources"]]


def test_an_empty_vault_is_indexed_and_has_no_answer(run: Any, vault: Any) -> None:
    """Exit code 0 for the run, 1 for the question."""
    folder = vault({})
    assert run("index", "--vault", folder).code == 0
    assert run("search", "anything", "--vault", folder).code == 1
    assert run("status", "--vault", folder).code == 0


@pytest.mark.parametrize("question", ["", "   ", "\n"])
def test_an_empty_question_is_one_line(run: Any, vault: Any, question: str) -> None:
    """It says what to write."""
    told = run("search", question, "--vault", vault({"a.md": "text"}))
    assert (told.code, told.out, len(told.err.splitlines())) == (2, "", 1)


@pytest.mark.parametrize(
    "question", ["🎉", "...", "-", '"', '""', "*", "tag:", "path:/", "-tag:x", "a" * 50_000, "\x00"]
)
def test_an_odd_question_is_answered(run: Any, vault: Any, question: str) -> None:
    """With something or nothing, and no error."""
    told = run("search", "--json", "--retrieval", "lexical", "--vault", vault({"a.md": "text"}), "--", question)
    assert told.code in (0, 1), told.err


def test_a_giant_file_is_skipped_and_said_so(run: Any, vault: Any) -> None:
    """20 MB in one line; the other note is found."""
    folder = vault({"big.md": "x " * 10_000_000, "a.md": "needle"})
    report = index(run, folder)
    assert (report["added"], [skip["path"] for skip in report["skipped"]]) == (1, ["big.md"])
    assert sources(run, folder, "needle") == ["a.md:1"]


def test_a_line_just_below_the_limit_is_indexed(run: Any, vault: Any) -> None:
    """9 MB in one line, to its last word."""
    folder = vault({"big.md": "filler words of a line " * 400_000 + "lastneedle"})
    assert index(run, folder)["added"] == 1
    assert sources(run, folder, "lastneedle") == ["big.md:1"]


@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 20, b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" * 50, b"\x00" * 5000, b"%PDF-1.7\x00\xff"]
)
def test_a_binary_file_with_the_name_of_a_note_is_skipped(run: Any, vault: Any, data: bytes) -> None:
    """It is listed with the reason, and the run is not partial."""
    folder = vault({"picture.md": data, "a.md": "needle"})
    report = index(run, folder)
    assert (report["added"], len(report["skipped"]), report["failed"]) == (1, 1, [])
    assert report["skipped"][0]["path"] == "picture.md" and report["skipped"][0]["reason"]


BROKEN = {
    "tab": "a:\tb\n\tc: d", "colon": "title: a: b", "quote": 'title: "open', "bracket": "tags: [a, b",
    "anchor": "a: *missing", "tag": "a: !!python/object:os.system x", "twice": "a: 1\na: 2\n- x", "list": "- a\n- b",
    "scalar": "just text", "control": "a: \x01\x02", "recursive": "a: &a [*a]", "deep": "a: " + "[" * 500,
    "merge": "<<: 5", "null key": "? \n: x", "not utf-8": "title: \udcff", "never closed": "title: x\n---not yet",
}  # fmt: skip


@pytest.mark.parametrize("header", BROKEN.values(), ids=BROKEN)
def test_a_broken_header_costs_the_note_nothing(run: Any, vault: Any, header: str) -> None:
    """Its text is found at its line, and the run is not partial."""
    text = f"---\n{header}\n---\n\nneedle here\n"
    folder = vault({"a.md": text.encode("utf-8", "surrogateescape")})
    report = index(run, folder)
    assert (report["added"], report["skipped"], report["failed"]) == (1, [], [])
    line = text.split("\n").index("needle here") + 1
    told = run("search", "--json", "--retrieval", "lexical", "--vault", folder, "needle").json["sources"][0]
    assert told["path"] == "a.md" and told["line"] <= line <= told["end_line"]


def test_a_name_in_decomposed_letters_is_found_and_read(run: Any, vault: Any) -> None:
    """macOS writes names so; people type them composed."""
    name = unicodedata.normalize("NFD", "Überblick é.md")
    folder = vault({f"Ördner/{name}": "needle"})
    assert index(run, folder)["added"] == 1
    assert sources(run, folder, "überblick") == [f"Ördner/{name}:1"]
    assert sources(run, folder, "needle", "path:" + unicodedata.normalize("NFC", "Überblick")) == [f"Ördner/{name}:1"]
    assert run("get", f"Ördner/{name}", "--vault", folder).out.strip().endswith("needle")


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"], ids=["CRLF", "CR", "LF"])
def test_line_ends_of_any_kind_count_as_an_editor_counts_them(run: Any, vault: Any, end: str) -> None:
    """Form feeds and Unicode separators end no line."""
    lines = ["# Title", "", "one \x0c two", "", "three \u2028 four", "", "## Part", "", "needle", ""]
    folder = vault({"a.md": end.join(lines)})
    index(run, folder)
    told = run("search", "--json", "--retrieval", "lexical", "--vault", folder, "needle").json["sources"][0]
    assert told["line"] <= 9 <= told["end_line"]
    assert "needle" in run("get", "a.md:9:1", "--vault", folder).out


def test_one_byte_of_another_encoding_aborts_nothing(run: Any, vault: Any) -> None:
    """The note is indexed."""
    folder = vault(
        {"a.md": b"needle costs 5 \xa2\n", "b.md": "käse".encode("latin-1"), "c.md": "naïve".encode("utf-16")}
    )
    assert index(run, folder)["added"] == 3
    assert sources(run, folder, "needle") == ["a.md:1"]


@posix
def test_a_folder_that_cannot_be_read_makes_the_run_partial(run: Any, vault: Any, monkeypatch: Any) -> None:
    """Exit code 2, the old entries stay, and a search says so."""
    folder = vault({"locked/a.md": "needle", "b.md": "other"})
    index(run, folder)
    real = os.scandir

    def refuse(path: Any = ".") -> Any:
        """Refuse one folder, as rights would to anybody but root."""
        if str(path).rstrip("/").endswith("locked"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    told = run("index", "--lexical-only", "--vault", folder)
    assert told.code == 2 and "locked" in told.err
    told = run("search", "--retrieval", "lexical", "--vault", folder, "needle")
    assert told.code in (0, 1) and "locked/a.md" in told.out and "could not be read" in told.out


def test_a_state_folder_that_cannot_be_made_is_one_line(run: Any, vault: Any, home: Path) -> None:
    """What, where, and what to do."""
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file where the folder should be")
    told = run("index", "--lexical-only", "--vault", vault({"a.md": "text"}))
    assert (told.code, told.out, len(told.err.strip().splitlines())) == (2, "", 1)
    assert "cannot be written" in told.err and "ONEBRAIN_SEARCH_HOME" in told.err


def test_a_search_answers_from_an_index_that_cannot_be_written(run: Any, vault: Any, monkeypatch: Any) -> None:
    """And says that it is the last finished one."""
    folder = vault({"a.md": "needle"})
    index(run, folder)
    monkeypatch.setattr("indexer.store.locked", _refused)
    told = run("search", "--json", "--retrieval", "lexical", "--vault", folder, "needle")
    assert told.json["sources"] and "last finished index" in told.err
    assert run("index", "--lexical-only", "--vault", folder).code == 2


def _refused(folder: Path, wait: float) -> Any:
    """Refuse the right to write, as a read-only disk does."""
    from indexer.errors import StoreError

    raise StoreError("the index cannot be written", where=str(folder), fix="free some space")


def test_a_search_by_words_alone_waits_for_no_model(run: Any, vault: Any) -> None:
    """Vectors are made by the first question that needs them."""
    folder = vault({"a.md": "needle"})
    assert sources(run, folder, "needle") == ["a.md:1"]
    assert Brain.open(folder).snapshot().counts()["pending"] == 1
    assert run("search", "needle", "--vault", folder).code == 0
    assert Brain.open(folder).snapshot().counts()["pending"] == 0


def test_a_search_while_another_process_indexes_answers(run: Any, vault: Any, home: Path) -> None:
    """From the last finished index; a second `index` is told."""
    folder = vault({"a.md": "needle"})
    index(run, folder)
    with open_store(Brain.open(folder).folder):
        told = run("search", "--json", "--retrieval", "lexical", "--vault", folder, "needle")
        assert told.json["sources"] and "another process is indexing" in told.err


@pytest.mark.parametrize("fault", ["corrupt", "foreign", "truncated", "no words", "no vectors"])
def test_a_broken_index_is_made_anew_by_the_next_search(run: Any, vault: Any, fault: str) -> None:
    """And said so."""
    folder = vault({f"{n}.md": f"needle{n} and more words" for n in range(8)})
    run("index", "--vault", folder)
    state = Brain.open(folder).folder
    catalog = state / "catalog.sqlite"
    if fault == "corrupt":
        catalog.write_bytes(b"\x55" * catalog.stat().st_size)
    elif fault == "foreign":
        catalog.unlink()
        other = sqlite3.connect(catalog)
        other.execute("CREATE TABLE chunks (x)")
        other.commit()
        other.close()
    elif fault == "truncated":
        catalog.write_bytes(catalog.read_bytes()[:5000])
    elif fault == "no words":
        next(next(state.glob("lexical-*")).glob("meta.json")).unlink()
    else:
        next(state.glob("vectors-*")).unlink()
    told = run("search", "--json", "--vault", folder, "needle3")
    assert told.json["sources"][0]["path"] == "3.md"
    assert "made anew" in told.err


def test_f59_clear_and_status_work_when_the_vault_is_gone(run: Any, vault: Any) -> None:
    """The index is found by the path of the folder that was."""
    folder = vault({"a.md": "needle"})
    index(run, folder)
    state = Brain.open(folder).folder
    (folder / "a.md").unlink()
    folder.rmdir()
    assert run("status", "--vault", folder).code == 0
    assert run("clear", "--vault", folder).code == 0
    assert not (state / "catalog.sqlite").exists()


@pytest.mark.parametrize("verb", ["search needle", "index", "serve", "get a.md", "status", "doctor"])
def test_a_vault_that_never_was_is_no_vault_without_an_answer(
    run: Any, tmp_path: Path, home: Path, verb: str
) -> None:
    """A mistyped --vault is told in one line each time, and no index is made for it."""
    wrong = tmp_path / "noets"
    for _ in range(2):
        told = run(*verb.split(), "--vault", wrong)
        assert told.code == (1 if verb in ("status", "doctor") else 2)
        assert str(wrong) in told.err + told.out or verb == "get a.md"
        assert len(told.err.strip().splitlines()) <= 1
    assert not list(home.glob("noets-*/catalog.sqlite"))


def test_a_vault_that_is_away_is_answered_from_its_index(run: Any, vault: Any) -> None:
    """An unplugged drive is not an emptied one."""
    folder = vault({"a.md": "needle"})
    index(run, folder)
    folder.rename(folder.with_name("away"))
    told = run("search", "--json", "--retrieval", "lexical", "--vault", folder, "needle")
    assert [hit["path"] for hit in told.json["sources"]] == ["a.md"]
    assert "last finished index" in told.err
    told = run("index", "--lexical-only", "--vault", folder)
    assert told.code == 2 and len(told.err.strip().splitlines()) == 1


def test_an_interrupted_run_keeps_what_it_has(run: Any, vault: Any, monkeypatch: Any) -> None:
    """Ctrl-C is one line and no traceback; the next run goes on."""
    folder = vault({f"{n}.md": f"needle{n}" for n in range(5)})

    def stop(*_: Any) -> None:
        """Press Ctrl-C when the first note is stored."""
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("indexer.store.Store.put", stop)
        told = run("index", "--lexical-only", "--vault", folder)
        assert told.code == 130 and "kept" in told.err
    assert index(run, folder)["added"] == 5


@posix
def test_a_link_that_cannot_be_followed_costs_no_entry(run: Any, vault: Any, monkeypatch: Any) -> None:
    """The system refuses to read it, as one of a drive that is away: the run is partial, what is known stays."""
    folder = vault({".store/a.md": "needle", ".store/deep/b.md": "pine", "c.md": "other"})
    (folder / "link.md").symlink_to(".store/a.md")
    (folder / "folder").symlink_to(".store/deep")
    assert index(run, folder)["added"] == 3
    real = os.readlink

    def refuse(path: Any, **options: Any) -> Any:
        """Refuse the links, as rights would to anybody but root."""
        if str(path).endswith(("link.md", "folder")):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, **options)

    monkeypatch.setattr(os, "readlink", refuse)
    report = index(run, folder)
    assert (report["partial"], report["removed"]) == (True, 0)
    assert sorted(skip["path"] for skip in report["failed"]) == ["folder", "link.md"]
    assert sources(run, folder, "needle") == ["link.md:1"] and sources(run, folder, "pine") == ["folder/b.md:1"]


def test_f60_a_home_folder_is_indexed_after_one_yes(run: Any, vault: Any, monkeypatch: Any) -> None:
    """Nothing is made before, each question is answered afterwards; a code folder is held to the same."""
    folder = vault({"a.md": "needle"})
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    told = run("search", "needle", "--vault", folder)
    assert (told.code, "index --yes" in told.err, len(told.err.strip().splitlines())) == (2, True, 1)
    assert run("index", "--lexical-only", "--yes", "--vault", folder).code == 0
    assert sources(run, folder, "needle") == ["a.md:1"]
    notes = folder / "notes"
    notes.mkdir()
    (notes / "onebrain.yml").write_text("onebrain_search:\n  code: [{name: all, path: ..}]\n")
    told = run("search", "needle", "--vault", notes)
    assert (told.code, str(folder) in told.err) == (2, True)


def test_what_is_not_there_is_neither_deleted_nor_let_in(run: Any, vault: Any) -> None:
    """`clear` without an index and `forget --undo` of what was not forgotten say so."""
    folder = vault({"a.md": "needle"})
    assert "there was no index" in run("clear", "--vault", folder).err
    index(run, folder)
    assert "deleted the index" in run("clear", "--vault", folder).err
    assert "a.md was not forgotten" in run("forget", "a.md", "--undo", "--vault", folder).err
    run("forget", "a.md", "--vault", folder)
    assert "was not forgotten" not in run("forget", "a.md", "--undo", "--vault", folder).err


def test_a_finding_without_a_place_has_no_empty_brackets(run: Any, vault: Any) -> None:
    """As that there are more of its kind."""
    folder = vault({"a.md": "".join(f"[[gone {n}]]\n" for n in range(30))})
    index(run, folder)
    told = run("doctor", "--vault", folder)
    assert "more links lead nowhere" in told.out
    assert "()" not in told.out


def test_related_notes_are_as_fresh_as_an_answer(run: Any, vault: Any) -> None:
    """The index is made and brought up to date first; a note that was deleted is none, and is offered no more."""
    folder = vault({"a.md": "See [[b]].", "b.md": "fid", "c.md": "fid"})
    related = ("related", "--json", "--vault", folder)
    assert {row["path"] for row in run(*related, "a").json["related"]} == {"b.md", "c.md"}
    (folder / "b.md").unlink()
    (folder / "d.md").write_text("[[a]]")
    assert {row["path"] for row in run(*related, "a").json["related"]} == {"c.md", "d.md"}
    told = run(*related, "b.md")
    assert (told.code, told.err.count("\n"), "b.md" in told.err) == (2, 1, True)


@posix
def test_a_line_break_in_a_name_breaks_no_line(run: Callable[..., Told], vault: Any) -> None:
    """One source is one line wherever files are listed, and the name in the JSON is the real one."""
    said = "## Decisions\n\n- 2026-01-02: Decided to keep the needle because it is sharp.\n"
    folder = vault({"a\nb.md": said, "c.md": "A needle lies near [[a\nb]].", "bad\n.ipynb": "{"})
    index = ["index", "--lexical-only"]
    by_words = ["search", "--retrieval", "lexical"]
    commands = [index, [*by_words, "needle"], [*by_words, "why keep the needle"], ["related", "c.md"], ["status"]]
    for words in [*commands, ["doctor"], ["forget", "a\nb.md"]]:
        told = run(*words, "--vault", folder)
        shown = told.out + told.err
        assert ("␊" in shown, "a\nb.md" in shown or "bad\n" in shown) == (True, False), shown
    assert run("forget", "--undo", "a\nb.md", "--vault", folder).code == 0
    found = run(*by_words, "sharp", "--json", "--vault", folder).json["sources"]
    assert [source["path"] for source in found] == ["a\nb.md"]
    assert "a␊b.md:3 ›" in source_line(found[0])
