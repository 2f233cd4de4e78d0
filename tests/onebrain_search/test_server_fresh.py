"""What a daemon knows of a vault that changes under it, and what it tells those who listen."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from onebrain_search import client as clients
from onebrain_search.client import Client
from tests.conftest import MakeVault
from tests.onebrain_search.served import ask, run, serving, wait_until

NOTES = {f"note-{n:02}.md": f"# Note {n}\n\nText number {n} of the vault.\n" for n in range(25)}


@pytest.fixture
def notes(vault: MakeVault, home: Path) -> Path:
    """Return a vault of some notes."""
    return vault(NOTES)


@pytest.fixture
def daemon(notes: Path, home: Path) -> Iterator[Client]:
    """Serve it."""
    with serving(notes, home) as client:
        yield client


def paths(client: Client, query: str, **fields: Any) -> list[str]:
    """Return the paths that are found."""
    return [source["path"] for source in client.search({"query": query, **fields})["sources"]]


def test_a_question_right_after_a_change_is_answered_from_it(daemon: Client, notes: Path) -> None:
    """A new note, an edit, a rename and a deletion, none of them waited for; by words, since meaning always finds."""
    assert paths(daemon, "text number vault")
    (notes / "new.md").write_text("# New\n\nThe windlass was oiled.\n", encoding="utf-8")
    wait_until(lambda: paths(daemon, "windlass", stage="lexical") == ["new.md"])
    (notes / "new.md").write_text("# New\n\nThe capstan was painted.\n", encoding="utf-8")
    wait_until(
        lambda: (
            paths(daemon, "capstan", stage="lexical") == ["new.md"] and not paths(daemon, "windlass", stage="lexical")
        )
    )
    (notes / "new.md").rename(notes / "old.md")
    wait_until(lambda: paths(daemon, "capstan", stage="lexical") == ["old.md"])
    (notes / "old.md").unlink()
    wait_until(lambda: not paths(daemon, "capstan", stage="lexical"))


def test_vectors_come_by_themselves(daemon: Client) -> None:
    """In the background, until none is waiting; then the vector leg finds."""
    wait_until(lambda: daemon.search({"query": "text"})["index"]["pending"] == 0)
    assert paths(daemon, "what is written in the vault", retrieval="vector")


def test_what_is_let_in_again_is_found_at_once(daemon: Client, notes: Path, home: Path) -> None:
    """By words when the command ends, and soon by meaning: no look at everything has to come first."""
    assert run(home, "forget", "note-07.md", "--vault", str(notes)).returncode == 0
    wait_until(lambda: paths(daemon, "note 7", retrieval="lexical", limit=50).count("note-07.md") == 0)
    wait_until(lambda: daemon.search({"query": "text"})["index"]["pending"] == 0)
    ran = run(home, "forget", "note-07.md", "--undo", "--vault", str(notes))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "note-07.md" in paths(daemon, "note 7", retrieval="lexical", limit=50)
    wait_until(lambda: daemon.search({"query": "text"})["index"]["pending"] == 0)


def test_listeners_hear_of_changes(daemon: Client, notes: Path) -> None:
    """First how the daemon is, then which files can be found anew, with the generation."""
    daemon.search({"query": "text"})
    listening = clients.Client(daemon.daemon)
    events = listening.events()
    assert next(events)[0] == "status"
    (notes / "new.md").write_text("# New\n\nThe windlass was oiled.\n", encoding="utf-8")
    for name, data in events:
        if name == "changed" and "new.md" in data["paths"]:
            assert data["generation"] <= daemon.search({"query": "windlass"})["index"]["generation"]
            break
    listening.close()


def test_reindex_reports_and_tells_of_its_progress(daemon: Client) -> None:
    """To who asked and to who listens; with vectors when it returns."""
    listening = clients.Client(daemon.daemon)
    events = listening.events()
    next(events)
    report = daemon.reindex({})
    assert (report["partial"], report["pending"]) == (False, 0)
    told = next((name, data) for name, data in events if name == "changed" or data.get("stage") == "scan")
    assert told[1].get("generation", 1) >= 1
    listening.close()


def test_a_changed_setting_counts_at_once(daemon: Client, notes: Path) -> None:
    """No restart: what is excluded now is gone from answers, and the number of sources follows."""
    assert len(paths(daemon, "text number vault")) == 5
    settings = "onebrain_search:\n  limit: 3\n  exclude: [note-01.md]\n"
    (notes / "onebrain.yml").write_text(settings, encoding="utf-8")
    wait_until(lambda: len(paths(daemon, "text number vault")) == 3)
    wait_until(lambda: "note-01.md" not in paths(daemon, "text number vault", limit=50))


def test_broken_settings_are_said_and_the_old_ones_count(daemon: Client, notes: Path) -> None:
    """Until they are mended."""
    assert paths(daemon, "text number vault")
    (notes / "onebrain.yml").write_text("onebrain_search:\n  limt: 3\n", encoding="utf-8")
    found = wait_until(
        lambda: [n for n in daemon.search({"query": "text number vault"})["notes"] if "unknown setting" in n]
    )
    assert "did you mean `limit`" in found[0]
    (notes / "onebrain.yml").write_text("onebrain_search:\n  limit: 2\n", encoding="utf-8")
    wait_until(lambda: len(paths(daemon, "text number vault")) == 2)


def test_a_vault_that_goes_away_keeps_its_entries_and_comes_back(daemon: Client, notes: Path) -> None:
    """As when a drive is unmounted: answers stay and say so, and all is well by itself when it is there again."""
    assert paths(daemon, "text number vault")
    away = notes.with_name("away")
    notes.rename(away)
    said = wait_until(lambda: daemon.search({"query": "text number vault"})["notes"])
    assert "last finished index" in said[0]
    assert len(paths(daemon, "text number vault", limit=50)) == len(NOTES)
    assert ask(daemon, "GET", "/v1/get?address=note-01.md")[0] == 404
    assert daemon.status()["exists"] is True
    (away / "back.md").write_text("# Back\n\nThe windlass is back.\n", encoding="utf-8")
    away.rename(notes)
    wait_until(lambda: paths(daemon, "windlass")[:1] == ["back.md"])
    wait_until(lambda: not daemon.search({"query": "text number vault"})["notes"])


def test_an_index_that_was_deleted_is_made_anew(daemon: Client, notes: Path, home: Path) -> None:
    """By `clear`, under a running daemon."""
    assert paths(daemon, "text number vault")
    assert run(home, "clear", "--vault", str(notes)).returncode == 0
    assert paths(daemon, "text number vault")


def test_a_source_that_changed_this_moment_is_not_passed_off_as_current(daemon: Client, notes: Path) -> None:
    """At the stage that does not wait: the hit is of the file as it is now, or says that it is not."""
    assert paths(daemon, "number 7")
    for turn in range(5):
        (notes / "note-07.md").write_text(f"# Note 7\n\nText number 7, edition {turn}.\n", encoding="utf-8")
        for source in daemon.search({"query": "text number 7", "stage": "lexical"})["sources"]:
            if source["path"] == "note-07.md":
                assert f"edition {turn}" in source["text"]


def test_an_older_request_of_a_client_is_dropped_over_http(daemon: Client) -> None:
    """409, `overtaken`; the newest is answered."""
    daemon.search({"query": "text"})
    answers: list[tuple[int, Any]] = []

    def send(number: int) -> None:
        """Ask on a connection of its own."""
        body = {"query": f"text number {number}", "client": "editor", "stage": "lexical"}
        status, _, found = ask(daemon, "POST", "/v1/search", body)
        answers.append((status, found))

    for _ in range(20):
        threads = [threading.Thread(target=send, args=(number,)) for number in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if any(status == 409 for status, _ in answers):
            break
    assert {status for status, _ in answers} == {200, 409}
    assert all(found["overtaken"] for status, found in answers if status == 409)


def test_a_client_that_goes_away_harms_nobody(daemon: Client) -> None:
    """In the middle of its request, its answer, or its listening."""
    daemon.search({"query": "text"})
    for path, body in (("/v1/search", json.dumps({"query": "text"})), ("/v1/events", None), ("/v1/search", "{")):
        for _ in range(10):
            connection = http.client.HTTPConnection("127.0.0.1", daemon.daemon.port)
            headers = {"Authorization": f"Bearer {daemon.daemon.token}"}
            headers |= {"Content-Length": "100000"} if body == "{" else {}
            connection.request("POST" if body else "GET", path, body, headers)
            connection.close()
    assert paths(daemon, "text number vault")
    wait_until(lambda: daemon.status()["daemon"]["listeners"] == 0)


def test_a_slow_client_keeps_nobody_waiting(daemon: Client) -> None:
    """Connections that send nothing, or half a request, do not hold up others."""
    held = [http.client.HTTPConnection("127.0.0.1", daemon.daemon.port) for _ in range(20)]
    for number, connection in enumerate(held):
        connection.connect()
        if number % 2:
            connection.sock.sendall(b"POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\n")
    assert paths(daemon, "text number vault")
    for connection in held:
        connection.close()


def test_a_home_folder_is_not_served(home: Path, monkeypatch: pytest.MonkeyPatch, vault: MakeVault) -> None:
    """As `index` refuses it."""
    notes = vault({"a.md": "# A\n"})
    monkeypatch.setenv("HOME", str(notes))
    monkeypatch.setenv("USERPROFILE", str(notes))
    refused = run(home, "serve", "--vault", str(notes))
    assert refused.returncode == 2
    assert "home folder" in refused.stderr


def test_a_state_folder_that_cannot_be_written_is_said(notes: Path, home: Path) -> None:
    """In one line, in the background as in the foreground."""
    home.write_text("a file", encoding="utf-8")
    for mode in ([], ["--foreground"]):
        refused = run(home, "serve", "--vault", str(notes), *mode)
        assert refused.returncode == 2
        assert "cannot be written" in refused.stderr
        assert "Traceback" not in refused.stderr
