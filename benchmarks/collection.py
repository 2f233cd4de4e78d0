"""A collection with known right answers as a vault: BEIR's three files, or notes with a `questions.jsonl` beside."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[1] / "vault_fixtures"
DEFAULT = [FIXTURES / name for name in ("onebrain", "obsidian", "adr")]


@dataclass(frozen=True)
class Collection:
    """A vault on disk with questions by id, the right notes of each by path, and questions it cannot answer."""

    name: str
    vault: Path
    questions: dict[str, str]
    right: dict[str, dict[str, float]]
    foreign: list[str] = field(default_factory=list)


def rows(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON Lines file."""
    with file.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def load(folder: Path, state: Path) -> Collection:
    """Return a folder as a collection; its vault is written to, or copied into, `state`."""
    vault = state / folder.name
    if (folder / "corpus.jsonl").exists():
        return _beir(folder, vault)
    shutil.copytree(folder, vault, dirs_exist_ok=True)
    for beside in folder.parent.glob(f"{folder.name}_*"):  # code folders of the settings
        shutil.copytree(beside, state / beside.name, dirs_exist_ok=True)
    asked = [row for row in rows(folder / "questions.jsonl") if row["mode"] == "what"]
    own = {str(number): row for number, row in enumerate(asked) if not row.get("none")}
    right = {number: dict.fromkeys(row["paths"], 1.0) for number, row in own.items()}
    foreign = [row["question"] for row in asked if row.get("none")]
    return Collection(folder.name, vault, {number: row["question"] for number, row in own.items()}, right, foreign)


def _beir(folder: Path, vault: Path) -> Collection:
    """Write a corpus as notes, 500 a folder, and read its questions and judgements."""
    paths = {}
    for number, document in enumerate(rows(folder / "corpus.jsonl")):
        path = paths[str(document["_id"])] = f"{number // 500:03d}/{number:06d}.md"
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        title = (document.get("title") or "").strip()
        (vault / path).write_text((f"# {title}\n\n" if title else "") + document["text"] + "\n", encoding="utf-8")
    right: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        question, document, grade = line.split("\t")
        if float(grade) > 0:
            right.setdefault(question, {})[paths[document]] = float(grade)
    questions = {str(row["_id"]): row["text"] for row in rows(folder / "queries.jsonl")}
    return Collection(folder.name, vault, {n: text for n, text in questions.items() if n in right}, right)
