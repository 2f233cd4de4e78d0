"""The engine behind the tools: the daemon when it runs, else this process, and a clear line for what fails."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from indexer.errors import ConfigError, NotFound, OneBrainError, ScanError, StoreError
from indexer.state import locked
from onebrain_search import Brain, presence
from onebrain_search.mcp import engine as engines
from onebrain_search.mcp.engine import Engine
from onebrain_search.mcp.server import run
from tests.onebrain_search.served import copied, serving, wait_until

MakeVault = Callable[..., Path]
QUESTION = {"question": "What do llamas eat?"}


@contextmanager
def engine(vault: Path | None, home: Path) -> Iterator[Engine]:
    """Give an engine for a vault with its indexes in a folder, and end it."""
    made = Engine(vault, {"ONEBRAIN_SEARCH_HOME": str(home)})
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def indexed(onebrain_brain: Brain, tmp_path: Path) -> tuple[Path, Path]:
    """Return the OneBrain vault and a home with a copy of its index."""
    copied(onebrain_brain, tmp_path / "home")
    return onebrain_brain.config.vault, tmp_path / "home"


def _found(asked: Engine, word: str) -> Any:
    """Return the results for a word, None while there is no index yet."""
    try:
        return run(asked, "search", {"query": word}).data["results"]
    except StoreError:
        return None


def test_an_index_that_is_built_is_told_with_how_far_it_is(
    vault: MakeVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls are answered at once with one line, and with the notes when there is an index."""
    monkeypatch.setattr(engines, "PATIENCE", 0.0)
    folder = vault({f"{n}.md": f"# Note {n}\n\nLlamas eat hay number {n}.\n" for n in range(400)})
    said: list[str] = []
    with engine(folder, tmp_path / "home") as asked:

        def answer() -> Any:
            """Return the answer, None while there is none."""
            try:
                return run(asked, "ask", QUESTION)
            except StoreError as error:
                said.append(str(error))
                return None

        assert "hay" in wait_until(answer).text
    assert said, "the first call came before any index was there"
    assert all(
        re.match(r"(starting|indexing(, \d+%)?( \(.*\))?) \(.*\): ask again in a moment$", line) for line in said
    )


def test_progress_is_a_share(tmp_path: Path) -> None:
    """`indexing, 41%`, with what is being done, as long as it is done."""
    with engine(tmp_path, tmp_path / "home") as asked:
        asked._advance("lexical", 41, 100)
        assert asked._indexing == "indexing, 41% (reading notes: 41 of 100)"
        asked._advance("vectors", 7, 7)
        assert asked._indexing == ""


def test_the_web_is_asked_only_when_the_agent_says_so(
    indexed: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the settings allow it: the person was not asked yet."""
    folder, home = indexed
    with engine(folder, home) as asked:
        sent: list[Any] = []
        real = asked.call

        def listening(method: str, request: Any) -> dict[str, Any]:
            """Keep what is asked."""
            sent.append(request)
            return real(method, {**request, "web": False})

        monkeypatch.setattr(asked, "call", listening)
        run(asked, "ask", {"question": "what is the capital of mongolia?"})
        run(asked, "ask", {"question": "what is the capital of mongolia?", "web": True})
        assert [request["web"] for request in sent] == [False, True]


def test_a_note_that_was_just_changed_is_found(vault: MakeVault, tmp_path: Path) -> None:
    """An answer is not older than the files."""
    folder = vault({"a.md": "# A\n\nLlamas eat hay.\n"})
    with engine(folder, tmp_path / "home") as asked:
        wait_until(lambda: not asked.call("status", {})["indexing"])
        (folder / "b.md").write_text("# B\n\nThe zeppelin lands on Tuesday.\n")
        wait_until(lambda: "zeppelin" in run(asked, "search", {"query": "zeppelin"}).text)


def test_a_vault_that_was_never_there_is_one_line(tmp_path: Path) -> None:
    """Every tool says which folder is missing; the server itself goes on."""
    with engine(tmp_path / "gone", tmp_path / "home") as asked:
        for name, given in (("ask", QUESTION), ("search", {"query": "x"}), ("related", {"path": "a.md"})):
            with pytest.raises(OneBrainError, match="gone") as error:
                run(asked, name, given)
            assert "\n" not in str(error.value)
        assert not run(asked, "status", {}).data.get("documents")


def test_a_vault_that_went_away_is_answered_from_its_index(vault: MakeVault, tmp_path: Path) -> None:
    """And the answer says that the files are out of reach."""
    folder = vault({"a.md": "# A\n\nLlamas eat hay every morning.\n"})
    with engine(folder, tmp_path / "home") as asked:
        wait_until(lambda: not asked.call("status", {})["indexing"])
        folder.rename(tmp_path / "elsewhere")
        noted = wait_until(lambda: run(asked, "search", {"query": "llamas"}).data["notes"])
        assert any("last finished index" in note for note in noted)


def test_an_index_that_was_deleted_is_made_anew(vault: MakeVault, tmp_path: Path) -> None:
    """By who is asked, also where a code folder of the settings is away."""
    settings = "onebrain_search:\n  code: [{name: tools, path: ../tools}]\n"
    folder = vault({"a.md": "Llamas eat hay.\n", "onebrain.yml": settings})
    with engine(folder, tmp_path / "home") as asked:
        wait_until(lambda: _found(asked, "llamas"))
        Brain.open(folder, environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path / "home")}).clear()
        wait_until(lambda: _found(asked, "llamas"))


def test_settings_that_cannot_be_used_are_told_by_every_call(vault: MakeVault, tmp_path: Path) -> None:
    """With the file and the line, and again until they are mended."""
    folder = vault({"onebrain.yml": "onebrain_search:\n  limt: 3\n", "a.md": "# A\n\nhay\n"})
    with engine(folder, tmp_path / "home") as asked:
        for _ in range(2):
            with pytest.raises(ConfigError, match=r"onebrain\.yml:2"):
                run(asked, "ask", QUESTION)
        (folder / "onebrain.yml").write_text("onebrain_search:\n  limit: 3\n")
        wait_until(lambda: _found(asked, "hay"))


def test_a_home_folder_is_not_indexed_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that is started in it gets the reason."""
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    with engine(tmp_path, tmp_path / "home" / "state") as asked, pytest.raises(OneBrainError):
        wait_until(lambda: run(asked, "ask", QUESTION))


def test_a_running_daemon_answers_and_nobody_else_writes(indexed: tuple[Path, Path]) -> None:
    """The writer's lock is held here all the time, which a second indexer would run into."""
    folder, home = indexed
    with serving(folder, home) as client, engine(folder, home) as asked:
        wait_until(lambda: client.status()["indexed_at"])
        with locked(Path(client.status()["state"]), 30.0):
            reply = run(asked, "ask", {"question": "How long are idempotency keys kept?"})
            status = run(asked, "status", {}).data
        assert "24 hours" in reply.text
        assert (status["engine"], status["indexing"]) == ("daemon", "")


def test_a_daemon_that_ends_is_replaced_by_this_process(indexed: tuple[Path, Path]) -> None:
    """In the middle of a session, without an error."""
    folder, home = indexed
    with engine(folder, home) as asked:
        with serving(folder, home):
            assert run(asked, "status", {}).data["engine"] == "daemon"
        reply = run(asked, "search", {"query": "idempotency keys"})
        assert reply.data["results"]
        assert run(asked, "status", {}).data["engine"] == "in this process"


def test_a_daemon_with_another_token_is_not_trusted(indexed: tuple[Path, Path]) -> None:
    """A wrong token in the state file means no daemon: the answer comes from here, and the token goes nowhere."""
    folder, home = indexed
    with serving(folder, home) as client, engine(folder, home) as asked:
        state = Path(client.status()["state"])
        file = state / presence.FILE
        told = json.loads(file.read_text())
        file.write_text(json.dumps(told | {"token": "wrong"}))
        try:
            status = run(asked, "status", {})
            assert status.data["engine"].startswith("in this process: the daemon does not know the token")
            assert "end it with `stop`" in status.text
            assert run(asked, "search", {"query": "idempotency keys"}).data["results"]
        finally:
            file.write_text(json.dumps(told))


def test_a_note_deleted_since_it_was_found_is_one_line(vault: MakeVault, tmp_path: Path) -> None:
    """Which says to search again."""
    folder = vault({"a.md": "# A\n\nLlamas eat hay.\n"})
    with engine(folder, tmp_path / "home") as asked:
        found = wait_until(lambda: _found(asked, "llamas"))
        (folder / "a.md").unlink()
        with pytest.raises(NotFound, match="search again"):
            run(asked, "fetch", {"id": found[0]["id"]})


@pytest.mark.parametrize(
    ("tool", "name"), [("get", "file"), ("fetch", "id"), ("related", "path"), ("multi_get", "pattern")]
)
@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "a/../../secret.md", "..\\secret.md"])
def test_f78_a_path_outside_of_the_vault_is_refused(
    vault: MakeVault, tmp_path: Path, tool: str, name: str, path: str
) -> None:
    """By every tool that takes one, and not a word of the file is told."""
    (tmp_path / "secret.md").write_text("the secret")
    folder = vault({"a.md": "# A\n\nhay\n"})
    with engine(folder, tmp_path / "home") as asked:
        wait_until(lambda: not asked.call("status", {})["indexing"])
        try:
            told = run(asked, tool, {name: path}).text
        except OneBrainError as error:
            told = str(error)
        assert "the secret" not in told
        assert "root:" not in told


def test_a_question_of_ten_thousand_characters_is_answered(onebrain_brain: Brain, indexed: tuple[Path, Path]) -> None:
    """By every tool that takes one, inside the budget."""
    folder, home = indexed
    long = "How long are idempotency keys kept? " * 300
    assert len(long) > 10_000
    with engine(folder, home) as asked:
        calls: list[tuple[str, dict[str, Any]]] = [
            ("ask", {"question": long}), ("search", {"query": long}),
            ("query", {"searches": [{"type": "hyde", "query": long}], "intent": long}),
        ]  # fmt: skip
        for name, given in calls:
            reply = run(asked, name, given)
            assert reply.tokens <= 2400, name
            assert "Idempotency" in reply.text, name


def test_the_vault_of_the_environment_is_served_without_an_option(vault: MakeVault, tmp_path: Path) -> None:
    """As by the command line."""
    folder = vault({"a.md": "# A\n\nLlamas eat hay.\n"})
    made = Engine(None, {"ONEBRAIN_SEARCH_HOME": str(tmp_path / "home"), "ONEBRAIN_VAULT": str(folder)})
    try:
        assert made.call("status", {})["vault"] == str(folder)
    finally:
        made.close()


def test_an_index_that_cannot_be_kept_is_one_line(vault: MakeVault, tmp_path: Path) -> None:
    """A file stands where the state folder should be."""
    folder = vault({"a.md": "# A\n\nhay\n"})
    (tmp_path / "home").write_text("in the way")
    with engine(folder, tmp_path / "home") as asked, pytest.raises((StoreError, ScanError)):
        wait_until(lambda: run(asked, "ask", QUESTION))
    shutil.rmtree(folder)
