"""Print how well chains of decisions are rebuilt, as a Markdown table.

    python benchmarks/why.py GOLD.jsonl=VAULT [GOLD.jsonl=VAULT ...] [--retrieval lexical] [--state DIR]

Each line of GOLD is `{"question", "chain": [{"path", ...}], "also_relevant": [{"path"}]}`: the notes that tell the
answer, and those that are right to show too. VAULT is copied before it is indexed. `f1` is that of the notes of a
chain; `recall@10` and `R-precision` are those of a search for the same question; times are those of one `ask`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from onebrain_search import Brain
from onebrain_search.types import Retrieval

COLUMNS = ("set", "questions", "f1", "recall", "precision", "in order", "dated", "none", "recall@10", "R-precision")


class Row(NamedTuple):
    """What one question scores."""

    recall: float
    precision: float
    ordered: bool
    dated: float
    none: bool
    found: float
    first: float
    seconds: float

    @property
    def f1(self) -> float:
        """Return the harmonic mean of recall and precision."""
        both = self.recall + self.precision
        return 2 * self.recall * self.precision / both if both else 0.0


def scored(brain: Brain, item: dict[str, Any], retrieval: Retrieval) -> Row:
    """Ask one question and hold the answer against its gold."""
    need = {link["path"] for link in item["chain"]}
    fair = need | {link["path"] for link in item.get("also_relevant", [])}
    started = time.perf_counter()
    answer = brain.ask(item["question"], mode="why", retrieval=retrieval)
    seconds = time.perf_counter() - started
    paths = {event.path for event in answer.chain}
    dates = [event.date for event in answer.chain if event.date]
    hits = brain.search(item["question"], limit=50, retrieval=retrieval)
    ranked = list(dict.fromkeys(hit.chunk.path for hit in hits))
    return Row(
        recall=len(need & paths) / len(need),
        precision=len(fair & paths) / len(paths) if paths else 0.0,
        ordered=dates == sorted(dates),
        dated=len(dates) / len(answer.chain) if answer.chain else 0.0,
        none=not paths,
        found=len(need & set(ranked[:10])) / len(need),
        first=sum(path in fair for path in ranked[: len(need)]) / len(need),
        seconds=seconds,
    )


def table_row(gold: Path, vault: Path, retrieval: Retrieval, state: Path) -> str:
    """Return the row of one set; the index is kept under `state`."""
    place = state / vault.name
    shutil.copytree(vault, place / "vault", dirs_exist_ok=True)
    brain = Brain.open(place / "vault", environ={"ONEBRAIN_SEARCH_HOME": str(place / "home")})
    brain.index(vectors=retrieval != "lexical")
    items = [json.loads(line) for line in gold.read_text("utf-8").splitlines() if line.strip()]
    rows = [scored(brain, item, retrieval) for item in items]
    names = ("f1", "recall", "precision", "ordered", "dated", "none", "found", "first")
    means = [f"{statistics.fmean(getattr(row, name) for row in rows):.3f}" for name in names]
    times = sorted(row.seconds * 1000 for row in rows)
    cells = [
        gold.stem,
        str(len(rows)),
        *means,
        f"{times[len(times) // 2]:.0f}",
        f"{times[int(0.95 * len(times))]:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Score the sets given on the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="GOLD=VAULT")
    parser.add_argument("--retrieval", choices=("hybrid", "lexical", "vector"), default="hybrid")
    parser.add_argument("--state", type=Path, help="where indexes are kept; a temporary folder without it")
    options = parser.parse_args()
    columns = (*COLUMNS, "p50 ms", "p95 ms")
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    with tempfile.TemporaryDirectory(prefix="onebrain-why-") as passing:
        for pair in options.sets:
            gold, _, vault = pair.partition("=")
            print(table_row(Path(gold), Path(vault), options.retrieval, options.state or Path(passing)), flush=True)


if __name__ == "__main__":
    main()
