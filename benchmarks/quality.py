"""Print how good the ranking is, as a Markdown table: both legs and each alone, on collections with known answers.

    python benchmarks/quality.py [FOLDER ...] [--max N] [--state DIR]

FOLDER has BEIR's corpus.jsonl, queries.jsonl and qrels.tsv, or is a vault with a questions.jsonl like those of
vault_fixtures/, which are taken where no folder is named. `--state` keeps the indexes for the next time.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import mean

from collection import DEFAULT, load

from onebrain_search import Brain
from onebrain_search.evaluate import Question, Score, compare


def measured(folder: Path, state: Path, most: int | None) -> tuple[str, int, list[Score]]:
    """Return a collection's name, how many notes it has, and the scores of its legs."""
    collection = load(folder, state)
    brain = Brain.open(collection.vault, environ={"ONEBRAIN_SEARCH_HOME": str(state / "home")})
    brain.index()
    questions = [Question(number, text) for number, text in collection.questions.items()][:most]
    scores, _ = compare(brain, questions, collection.right)
    return collection.name, brain.status()["documents"], scores


def main() -> None:
    """Measure each folder, and print a line for each leg, and the mean of each over the folders."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=DEFAULT)
    parser.add_argument("--max", type=int, help="ask the first questions only")
    parser.add_argument("--state", type=Path, help="keep vaults and indexes in this folder")
    args = parser.parse_args()
    print("| collection | notes | questions | leg | nDCG@10 | recall@100 | MRR | first | p50 ms | p95 ms |")
    print("|---|--:|--:|---|--:|--:|--:|--:|--:|--:|")
    by_leg: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for folder in args.folders:
            name, notes, scores = measured(folder, args.state or Path(temporary), args.max)
            for each in scores:
                figures = f"{each.ndcg:.3f} | {each.recall:.3f} | {each.mrr:.3f} | {each.hit1:.3f}"
                times = f"{each.p50_ms:.1f} | {each.p95_ms:.1f}"
                print(f"| {name} | {notes} | {each.questions} | {each.retrieval} | {figures} | {times} |", flush=True)
                by_leg.setdefault(each.retrieval, []).append(each.ndcg)
    for leg, values in by_leg.items():
        print(f"| **mean** | | | {leg} | **{mean(values):.3f}** | | | | | |")


if __name__ == "__main__":
    main()
