"""Print how many tokens an agent reads until it has the right passage: one call of ours, or ripgrep and whole files.

    python benchmarks/tokens.py [--questions 50] [--beside FOLDER] [--each]

The questions are those of vault_fixtures/*/questions.jsonl whose right lines or decisions are known, evenly picked,
each asked of its own vault. `--beside` puts another folder of notes into each vault, so that it is one of years.

Ours: the tool `ask` with its defaults. Counted is the text that the model gets, whole, and as far as the end of the
first line that shows the right place or answer. Where a reply lacks it, its next pages are read, too. "as data" is
the structured content of the first page, which some clients show instead of the text.

The rival: an agent that runs `rg -i -l -e WORD ...` with every word of the question but stop words, and reads matched
files whole: "every matched file", because it cannot know that no other file says more. Two more are told when to
stop: they stop with the right file, as if they knew. "best first" reads files with more different words first, then
those with more matching lines; "as listed" reads them by name. Where no file matches, or none of them is right, the
vault is read by name until the right one comes. The list of files costs their names alone.

What an agent writes (the call, the command) is counted on neither side, and printed apart.

Tokens are counted by `onebrain_search.mcp.reply.estimate`. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from onebrain_search import Brain
from onebrain_search.mcp.parameters import taken
from onebrain_search.mcp.reply import estimate
from onebrain_search.mcp.tools import TOOLS
from onebrain_search.query import stop_words
from onebrain_search.service import Service

FIXTURES = Path(__file__).parent.parent / "vault_fixtures"
VAULTS = ("adr", "obsidian", "onebrain")
PAGES = 5  # of one reply that are read until a question counts as missed


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the places `path -> lines` that are right, and texts that only the right place holds."""

    vault: str
    text: str
    places: Mapping[str, tuple[range, ...]]
    answers: tuple[str, ...]

    def shown_in(self, line: str) -> bool:
        """Whether a line of a reply shows a right place or holds the answer."""
        if self.answers and any(answer in line for answer in self.answers):
            return True
        for path, first, last in re.findall(r"([^·›\n]+?\.\w+):(\d+)(?:-(\d+))?", line):
            span = range(int(first), int(last or first) + 1)
            right = [lines for name, ranges in self.places.items() if path.strip().endswith(name) for lines in ranges]
            if any(lines.start < span.stop and span.start < lines.stop for lines in right):
                return True
        return False


def questions(wanted: int) -> list[Question]:
    """Return the questions whose right place is known, evenly picked."""
    found = []
    for vault in VAULTS:
        for row in map(json.loads, (FIXTURES / vault / "questions.jsonl").read_text("utf-8").splitlines()):
            places: dict[str, list[range]] = {}
            for link in row.get("chain", ()):
                places.setdefault(link["path"], []).append(range(link["line"], link["line"] + 1))
            if "lines" in row:
                for path in row["paths"][:1]:
                    places.setdefault(path, []).append(range(row["lines"][0], row["lines"][1] + 1))
            if places and not any(":" in path for path in places):  # ripgrep is given the vault, without code folders
                spans = {path: tuple(ranges) for path, ranges in places.items()}
                found.append(Question(vault, row["question"], spans, tuple(row.get("answer_contains", ()))))
    step = max(1.0, len(found) / wanted)
    return [found[int(n * step)] for n in range(min(wanted, len(found)))]


@dataclass(frozen=True, slots=True)
class Ours:
    """What one question cost us: text and data of the first page, text to the right place, if found, and the call."""

    whole: int
    data: int
    until: int
    found: bool
    written: int


def ours(service: Service, question: Question) -> Ours:
    """Ask with the tool's defaults, page by page until the right place is shown."""
    tool, cursor, read, written, whole, data = TOOLS["ask"], "", 0, 0, 0, 0
    for _ in range(PAGES):
        sent = {"question": question.text} | ({"cursor": cursor} if cursor else {})
        written += estimate(json.dumps({"name": "ask", "arguments": sent}, ensure_ascii=False))
        reply = tool.run(lambda m, r: getattr(service, m)(r), taken("ask", tool.parameters, sent))
        whole = whole or estimate(reply.text)
        data = data or estimate(json.dumps(reply.data, ensure_ascii=False))
        lines = reply.text.split("\n")
        shown = next((n for n, line in enumerate(lines, 1) if question.shown_in(line)), 0)
        read += estimate("\n".join(lines[:shown] or lines))
        cursor = str(reply.data["cursor"])
        if shown or not cursor:
            break
    return Ours(whole, data, read, bool(shown), written)


@dataclass(frozen=True, slots=True)
class Rival:
    """What one question cost with ripgrep and whole files, in three orders."""

    best_first: int
    as_listed: int
    everything: int
    matched: int
    written: int


def rival(vault: Path, sizes: Mapping[str, int], question: Question) -> Rival:
    """Search the words of a question and read whole files until the right one is read."""
    words = [w for w in re.findall(r"\w[\w'-]*", question.text.casefold()) if w not in stop_words()]
    counts = {word: _matches(vault, [word]) for word in words}
    files = sorted({path for each in counts.values() for path in each} & sizes.keys())
    listing = estimate("\n".join(files))
    order = sorted(
        files,
        key=lambda path: (
            -sum(path in each for each in counts.values()),
            -sum(c.get(path, 0) for c in counts.values()),
        ),
    )
    rest = [path for path in sorted(sizes) if path not in set(files)]
    return Rival(
        listing + _read([*order, *rest], sizes, question),
        listing + _read([*files, *rest], sizes, question),
        listing + sum(sizes[path] for path in files or rest),
        len(files),
        estimate("rg -i -l -e " + " -e ".join(words)),
    )


def _read(files: list[str], sizes: Mapping[str, int], question: Question) -> int:
    """Return the tokens of files that are read in an order, as far as a right one."""
    spent = 0
    for path in files:
        spent += sizes[path]
        if path in question.places:
            break
    return spent


def _matches(vault: Path, words: list[str]) -> dict[str, int]:
    """Return path -> number of lines that match, by ripgrep."""
    patterns = [part for word in words for part in ("-e", word)]
    command = ["rg", "-i", "-c", "-F", "--no-messages", *patterns, "."]
    lines = subprocess.run(command, cwd=vault, capture_output=True, text=True, check=False).stdout.splitlines()
    return {path.removeprefix("./"): int(count) for path, _, count in (line.rpartition(":") for line in lines)}


def prepared(folder: Path, beside: Path | None) -> Iterator[tuple[str, Path, Service, dict[str, int]]]:
    """Yield each vault copied, with other notes beside its own, indexed, and the tokens of its files."""
    for name in VAULTS:
        vault = folder / name
        shutil.copytree(FIXTURES / name, vault, ignore=shutil.ignore_patterns("questions.jsonl"))
        if name == "onebrain":
            shutil.copytree(FIXTURES / "onebrain_code", folder / "onebrain_code")
        if beside is not None:
            shutil.copytree(beside, vault / "beside", ignore=shutil.ignore_patterns(".*"))
        brain = Brain.open(vault, environ={"ONEBRAIN_SEARCH_HOME": str(folder / "home")})
        brain.index()
        notes = [path for path in vault.rglob("*") if path.suffix in (".md", ".canvas", ".txt", ".org", ".rst")]
        sizes = {path.relative_to(vault).as_posix(): estimate(path.read_text("utf-8", "replace")) for path in notes}
        yield name, vault, Service(brain), sizes


def mean(rows: Iterable[Ours | Rival], name: str) -> float:
    """Return the mean of a field."""
    return statistics.mean(getattr(row, name) for row in rows)


def main() -> None:
    """Measure and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--beside", type=Path, help="a folder of other notes to put into each vault")
    parser.add_argument("--each", action="store_true", help="print a line for each question first")
    args = parser.parse_args()
    asked = questions(args.questions)
    mine: list[Ours] = []
    theirs: list[Rival] = []
    notes = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, vault, service, sizes in prepared(Path(scratch), args.beside):
            notes += len(sizes)
            for question in (each for each in asked if each.vault == name):
                mine.append(ours(service, question))
                theirs.append(rival(vault, sizes, question))
                if args.each:
                    print(question.text, mine[-1], theirs[-1])
    found = sum(each.found for each in mine)
    print(f"{len(mine)} questions over {notes} notes; {found} right passages shown by `ask`")
    print(f"ripgrep matched {mean(theirs, 'matched'):.0f} files a question")
    print(
        f"written: {mean(mine, 'written'):.0f} tokens for the call, {mean(theirs, 'written'):.0f} for the command\n"
    )
    whole, until = mean(mine, "whole"), mean(mine, "until")
    print("| an agent reads | tokens a question | ours, to the passage | ours, the whole text |\n|---|---|---|---|")
    for name, title in (
        ("everything", "every matched file"),
        ("as_listed", "files, as listed, to the right one"),
        ("best_first", "files, best first, to the right one"),
    ):
        cost = mean(theirs, name)
        print(f"| {title} | {cost:,.0f} | {until / cost:.1%} | {whole / cost:.1%} |")
    print(f"| ours | {until:.0f} to the passage, {whole:.0f} in all, {mean(mine, 'data'):.0f} as data | | |")


if __name__ == "__main__":
    main()
