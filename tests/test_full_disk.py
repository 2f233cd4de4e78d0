"""What is asked when nothing can be written any more: a disk that is full, as a limit of no bytes for every file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from onebrain_search import Brain

linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limit")
ON_A_FULL_DISK = """\
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
from onebrain_search.cli import main
main()
"""


def asked(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line where no file may grow."""
    command = [sys.executable, "-c", ON_A_FULL_DISK, *words, "--vault", str(folder)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


@linux
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("search needle", "The needle is in a drawer"),
        ("search why needle", "The needle is in a drawer"),
        ("search --retrieval lexical needle", "The needle is in a drawer"),
        ("get a.md", "The needle is in a drawer"),
        ("related a.md", "b.md"),
        ("status", "documents  2"),
    ],
)
def test_a_question_on_a_full_disk_is_answered(vault: Any, home: Path, words: str, wanted: str) -> None:
    """From the index as it is: to read, nothing must be written."""
    folder = vault({"a.md": "The needle is in a drawer, see [[b]].\n", "b.md": "A drawer has a needle.\n"})
    Brain.open(folder).index()
    ran = asked(folder, *words.split())
    assert (ran.returncode, wanted in ran.stdout) == (0, True), ran.stdout + ran.stderr


@linux
def test_a_note_that_cannot_be_taken_in_is_told(vault: Any, home: Path) -> None:
    """The answer says that it is of the last finished index; with room again the note is found."""
    folder = vault({"a.md": "The needle is in a drawer.\n"})
    Brain.open(folder).index()
    vault({"new.md": "The needle was moved.\n"})
    ran = asked(folder, "search", "needle", "--retrieval", "lexical")
    assert ran.returncode == 0, ran.stderr
    assert "answered from the last finished index" in ran.stdout
    brain = Brain.open(folder)
    brain.refresh(vectors=False)
    assert {hit.chunk.path for hit in brain.search("needle", retrieval="lexical")} == {"a.md", "new.md"}
