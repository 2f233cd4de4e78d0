"""Print how good the ranking is on collections with known answers, as the README's table.

    python benchmarks/quality.py [FOLDER ...] [--max N] [--state DIR] [--times]

`words`, `meaning` and `both` are nDCG@10 of the lexical leg, of the vectors and of the two together; recall@100, MRR
and the share of questions whose first note is right are those of both.

FOLDER has BEIR's corpus.jsonl, queries.jsonl and qrels.tsv, or is a vault with a questions.jsonl like those of
vault_fixtures/, which are taken where no folder is named. `--state` keeps the indexes for the next time.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from collection import DEFAULT, load

from onebrain_search import Brain
from onebrain_search.evaluate import Question, Score, compare

LEGS = ("lexical", "vector", "hybrid")
COLUMNS = ("collection", "notes", "questions", "words", "meaning", "both", "recall@100", "MRR", "first right")


def measured(folder: Path, state: Path, most: int | None) -> tuple[str, int, list[Score]]:
    """Return a collection's name, how many notes it has, and the scores of its legs."""
    collection = load(folder, state)
    brain = Brain.open(collection.vault, environ={"ONEBRAIN_SEARCH_HOME": str(state / "home")})
    brain.index()
    questions = [Question(number, text) for number, text in collection.questions.items()][:most]
    scores, _ = compare(brain, questions, collection.right)
    return collection.name, brain.status()["documents"], scores


def row(name: str, notes: int, scores: list[Score], *, times: bool) -> str:
    """Return a line of the table."""
    by_leg = {score.retrieval: score for score in scores}
    both = by_leg["hybrid"]
    figures = [by_leg[leg].ndcg for leg in LEGS] + [both.recall, both.mrr, both.hit1]
    cells = [name, str(notes), str(both.questions), *(f"{figure:.3f}" for figure in figures)]
    return line([*cells, f"{both.p50_ms:.1f}", f"{both.p95_ms:.1f}"] if times else cells)


def line(cells: Sequence[str]) -> str:
    """Return cells as a line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure each folder and print its line, and at the end the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=DEFAULT)
    parser.add_argument("--max", type=int, help="ask the first questions only")
    parser.add_argument("--state", type=Path, help="keep vaults and indexes in this folder")
    parser.add_argument("--times", action="store_true", help="print the milliseconds of a hybrid search too")
    args = parser.parse_args()
    columns = [*COLUMNS, "p50 ms", "p95 ms"] if args.times else COLUMNS
    print(line(columns) + "\n|---|" + "--:|" * (len(columns) - 1))
    by_leg: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for folder in args.folders:
            name, notes, scores = measured(folder, args.state or Path(temporary), args.max)
            print(row(name, notes, scores, times=args.times), flush=True)
            for each in scores:
                by_leg.setdefault(each.retrieval, []).append(each.ndcg)
    means = [f"{mean(by_leg[leg]):.3f}" for leg in LEGS]
    print(line(["mean", "", "", *means, *[""] * (len(columns) - 6)]))


if __name__ == "__main__":
    main()
