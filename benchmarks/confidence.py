"""Print how well confidence tells what a vault knows, as a Markdown table.

    python benchmarks/confidence.py [FOLDER ...] [--max N] [--state DIR]

Each folder (as in quality.py) is asked its own questions, those of all other folders or the foreign ones of its list,
and its own again with their right notes taken out of the index. AUROC is that of the label, `none` below `weak` below
`strong`: how often an own question has the higher one, ties half.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from collection import DEFAULT, Collection, load

from indexer.types import Condition
from onebrain_search import Brain
from onebrain_search.types import Query

ORDER = {"none": 0, "weak": 1, "strong": 2}


class Without(Brain):
    """A Brain that hides some notes from every question."""

    gone: Iterable[str] = ()

    def _query(self, *args: Any) -> Query:
        """Return the question with these notes hidden, before the best are chosen."""
        query = super()._query(*args)
        return replace(query, hidden=tuple(Condition("at", path, negated=True) for path in self.gone))


def labels(brain: Without, questions: Iterable[tuple[str, Iterable[str]]]) -> list[int]:
    """Return the label of each question, with some notes hidden for it."""
    found = []
    for text, gone in questions:
        brain.gone = gone
        found.append(ORDER[brain.ask(text, mode="what").confidence])
    return found


def auroc(above: Sequence[int], below: Sequence[int]) -> float:
    """Return how often a value of the first list is above one of the second."""
    wins = sum((a > b) + 0.5 * (a == b) for a in above for b in below)
    return wins / (len(above) * len(below))


def row(collection: Collection, others: Sequence[Collection], state: Path, most: int | None) -> str:
    """Return the line of a collection."""
    brain = Without.open(collection.vault, environ={"ONEBRAIN_SEARCH_HOME": str(state / "home")})
    assert isinstance(brain, Without)
    brain.index()
    asked = list(collection.questions.items())[:most]
    foreign = collection.foreign or [text for other in others for text in list(other.questions.values())[:most]]
    own = labels(brain, ((text, ()) for _, text in asked))
    strangers = labels(brain, ((text, ()) for text in foreign))
    removed = labels(brain, ((text, collection.right[number]) for number, text in asked))
    figures = [
        auroc(own, strangers), own.count(0) / len(own), own.count(2) / len(own), strangers.count(0) / len(strangers),
        strangers.count(2) / len(strangers), auroc(own, removed), removed.count(2) / len(removed),
    ]  # fmt: skip
    return f"| {collection.name} | {len(own)} | {len(strangers)} | " + " | ".join(f"{x:.3f}" for x in figures) + " |"


def main() -> None:
    """Measure each folder against the others."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=DEFAULT)
    parser.add_argument("--max", type=int, help="ask the first questions of each folder only")
    parser.add_argument("--state", type=Path, help="keep vaults and indexes in this folder")
    args = parser.parse_args()
    heads = "AUROC | own none | own strong | foreign none | foreign strong | AUROC removed | removed strong"
    print(f"| vault | own | foreign | {heads} |")
    print("|---|--:|--:|" + "--:|" * 7)
    with tempfile.TemporaryDirectory() as temporary:
        state = args.state or Path(temporary)
        collections = [load(folder, state) for folder in args.folders]
        for collection in collections:
            print(row(collection, [c for c in collections if c is not collection], state, args.max), flush=True)


if __name__ == "__main__":
    main()
