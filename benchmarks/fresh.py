"""Print how soon a change can be found: one saved note by words and by vectors, and a branch of many files.

    python benchmarks/fresh.py [--notes 10000] [--saves 40] [--branch 5000]

Everything runs on vaults that are made for it: of English words, which the English model reads, and of words that are
in no language, which the multilingual one reads where it is installed. A save counts as found when a question of this
process gets it, and the branch when words and a look at every file agree; "a run" beside it is an `index` of the same
changes. Nothing is asserted: figures depend on the machine, ratios less so.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from scale import FIXTURE, sentences

from onebrain_search import Brain

ENGLISH = sorted({word for line in sentences(FIXTURE) if line.isascii() for word in line.split() if word.isalpha()})
OTHER = [
    f"{a}{b}" for a in "bcdfghklmnprst" for b in ("alder", "inden", "ower", "ust", "elic", "arbon", "iver", "ona")
]
PATIENCE = 600.0  # seconds


def text(number: int, mark: str, words: Sequence[str]) -> str:
    """Return a note of about 120 words with a word of its own."""
    chosen = random.Random(number)
    body = " ".join(chosen.choices(words, k=110))
    return f"# Note {number}\n\n{mark} {body}\n"


def write(vault: Path, number: int, mark: str, words: Sequence[str] = ENGLISH) -> None:
    """Write a note, a hundred in a folder."""
    file = vault / f"d{number // 100}" / f"n{number}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text(number, mark, words), encoding="utf-8")


def waited(condition: Callable[[], bool]) -> float:
    """Return after how many seconds something was true."""
    started = time.perf_counter()
    while not condition():
        if time.perf_counter() - started > PATIENCE:
            raise TimeoutError
        time.sleep(0.01)
    return time.perf_counter() - started


def by_words(brain: Brain, mark: str) -> bool:
    """Whether a word is found."""
    return bool(brain.search(mark, retrieval="lexical", limit=1))


def by_vectors(brain: Brain, mark: str) -> bool:
    """Whether the passage with a word is among those that questions are compared with."""
    with brain.readers.question():
        snapshot = brain.snapshot()
        found = snapshot.lexical.search([(mark, 1.0)], k=1)
        return bool(found and found[0][0] in snapshot.vectors().ids)


def shown(name: str, seconds: list[float]) -> None:
    """Print the middle and the slow end of some times."""
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    print(f"{name:<44} p50 {statistics.median(ordered):6.3f} s   p95 {p95:6.3f} s   ({len(ordered)} saves)")


def saves(folder: Path, notes: int, count: int, words: Sequence[str], *, vectors: bool) -> None:
    """Save one note after the other in a watched vault."""
    vault = folder / f"vault-{vectors}-{words[0]}"
    for number in range(notes):
        write(vault, number, "start", words)
    brain = Brain.open(vault, environ={"ONEBRAIN_SEARCH_HOME": str(folder / "state")})
    brain.index(vectors=vectors)
    found = by_vectors if vectors else by_words
    seconds = []
    watch = brain.watch()
    watch.pause_vectors(not vectors)
    with watch:
        waited(lambda: watch.standing.mode == "watching" and watch.settle(1.0))
        found(brain, "start")
        for n in range(-2, count):
            mark = f"mark{n + 2}z{notes}"
            write(vault, random.Random(n).randrange(notes), mark, words)
            took = waited(lambda mark=mark: found(brain, mark))  # type: ignore[misc]
            seconds += [took] if n >= 0 else []  # the first ones load the model
            time.sleep(0.3)
    model = brain.snapshot().model if vectors else ""
    shown(f"save -> {f'vector, {model}' if vectors else 'lexical'}, {notes} notes", seconds)
    if vectors:
        alone(brain, words)


def alone(brain: Brain, words: Sequence[str]) -> None:
    """Print what the model of a vault needs for the passage of one note, by itself."""
    from indexer.embed import document_embedder_for

    model = document_embedder_for(1, brain.snapshot().model, models=brain.folder.parent / "models")
    walls, computed = list[float](), list[float]()
    for n in range(8):
        started, began = time.perf_counter(), time.process_time()
        model.embed_documents([text(n, "alone", words)])
        walls.append(time.perf_counter() - started)
        computed.append(time.process_time() - began)
    shown_as = f"p50 {statistics.median(walls):6.3f} s, {statistics.median(computed):.3f} s of the processor"
    print(f"{'  of that, the model alone on one passage':<44} {shown_as}")


def branch(folder: Path, notes: int, count: int) -> None:
    """Change many files at once, in a watched vault and for a run."""
    vault = folder / f"vault-False-{ENGLISH[0]}"
    environ = {"ONEBRAIN_SEARCH_HOME": str(folder / "state")}
    brain = Brain.open(vault, environ=environ)
    brain.index(vectors=False)
    watch = brain.watch()
    watch.pause_vectors()
    with watch:
        waited(lambda: watch.standing.mode == "watching" and watch.settle(1.0))
        for number in range(count):
            write(vault, number, f"branch{number}")
        took = waited(
            lambda: all(by_words(brain, f"branch{n}") for n in (0, count // 2, count - 1)) and watch.settle(1)
        )
        lost = sum(not by_words(brain, f"branch{n}") for n in range(0, count, 7))
        overflows = watch.standing.overflows
    report = brain.index(vectors=False)
    lost += report.added + report.changed + report.removed
    for number in range(count):
        write(vault, number, f"back{number}")
    started = time.perf_counter()
    brain.index(vectors=False)
    alone = time.perf_counter() - started
    name = f"{count} of {notes} files at once -> lexical"
    print(f"{name:<44} {took:6.2f} s after the last write; a run {alone:.2f} s; lost {lost}; overflows {overflows}")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--saves", type=int, default=40)
    parser.add_argument("--branch", type=int, default=5000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        saves(folder, arguments.notes, arguments.saves, ENGLISH, vectors=False)
        branch(folder, arguments.notes, min(arguments.branch, arguments.notes))
        for words in (ENGLISH, OTHER):
            saves(folder, min(60, arguments.notes), arguments.saves, words, vectors=True)


if __name__ == "__main__":
    main()
