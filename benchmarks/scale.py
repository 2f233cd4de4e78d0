"""Print how cost grows with the vault: indexing, a question, memory and disk, from small to a million passages.

    python benchmarks/scale.py [--passages 1000 10000] [--text VAULT] [--state DIR] [--plot FILE.svg]

The notes are made of sentences of VAULT in random order, four passages a note, so that words are as common as they
are there and no two passages are alike. Their vectors are random unit vectors; questions are embedded by the model
and asked once each. Each size is asked by a process of its own, so that memory is that of a program which answers
questions and nothing else. Milliseconds are the processor's, of all cores together, which other programs change
little; two columns are by the clock, which is ahead where two cores work. `--state` keeps vaults and indexes for the
next time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from onebrain_search import Brain

FIXTURE = Path(__file__).parent.parent / "vault_fixtures" / "onebrain"
WORDS, SECTIONS, NOTES = 110, 4, 500  # words a passage, passages a note, notes a folder
SECONDS = 1e-3  # of a millisecond
WARM = 10  # questions that are not counted
COLUMNS = {
    "passages": "passages",
    "text_mb": "text MB",
    "index_s": "words indexed s",
    "again_s": "nothing changed s",
    "disk_share": "index / text",
    "first_ms": "first question ms",
    "lexical_ms": "lexical p50 / p95 ms",
    "vector_ms": "vector",
    "hybrid_ms": "hybrid",
    "ask_ms": "`ask` what",
    "hybrid_clock_ms": "hybrid by the clock",
    "ask_clock_ms": "`ask` by the clock",
    "rss_mb": "memory MB",
}
PLOTTED = {"hybrid": "hybrid search", "lexical": "lexical search", "ask": "ask (what)"}


class RandomVectors:
    """An embedder whose vectors have nothing to do with the text."""

    model, window = "random", 256

    def __init__(self, fingerprint: str, dimension: int) -> None:
        import numpy

        self.fingerprint, self.dimension = fingerprint, dimension
        self.generator = numpy.random.default_rng(1)

    def embed_documents(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> Any:
        """Return a random unit vector for each text."""
        import numpy

        rows = self.generator.standard_normal((len(texts), self.dimension), dtype=numpy.float32)
        return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)

    embed_queries = embed_documents

    def count_tokens(self, text: str) -> int:
        """Return an estimate."""
        return len(text) // 4

    def readability(self, text: str) -> float:
        """Return that everything can be read."""
        return 1.0


def sentences(vault: Path) -> list[str]:
    """Return the sentences of a vault's notes, headings and front matter left out."""
    found: dict[str, None] = {}
    for path in sorted(vault.rglob("*.md")):
        text = re.sub(r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL)
        for line in text.splitlines():
            if not line.startswith(("#", "|", "```")):
                parts = re.split(r"(?<=[.!?])\s+", line.strip("-*> \t"))
                found |= dict.fromkeys(part for part in parts if 5 <= len(part.split()) <= 60)
    return list(found)


def write_vault(folder: Path, told: Sequence[str], passages: int) -> None:
    """Write notes of random sentences, all in all about so many passages."""
    chosen = random.Random(passages)
    for number in range(passages // SECTIONS):
        path = folder / f"{number // NOTES:04d}" / f"note-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        title = " ".join(chosen.choice(told).split()[:6]).strip(".,;:")
        parts = [f"# {title}"]
        for section in range(SECTIONS):
            words: list[str] = []
            while len(words) < WORDS:
                words += chosen.choice(told).split()
            parts.append(f"## Part {section + 1}\n\n{' '.join(words[: WORDS + 20])}")
        path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def questions(told: Sequence[str], count: int) -> list[str]:
    """Return questions of three to eight neighbouring words, every other one as a sentence."""
    chosen, asked = random.Random(7), []
    for number in range(count):
        words = re.findall(r"[\w-]+", chosen.choice(told))
        length = chosen.randint(3, 8)
        first = chosen.randrange(max(1, len(words) - length))
        topic = " ".join(words[first : first + length])
        asked.append(f"what is known about {topic}?" if number % 2 else topic)
    return asked


def build(folder: Path, told: Sequence[str], passages: int) -> dict[str, float]:
    """Make vault and index in a folder unless they are there; return what that took."""
    done = folder / "built.json"
    if done.exists():
        figures: dict[str, float] = json.loads(done.read_text(encoding="utf-8"))
        return figures
    from indexer.backlog import fill
    from indexer.embed import open_query_embedder
    from indexer.plan import Vectors

    vault = folder / "vault"
    write_vault(vault, told, passages)
    brain = Brain.open(vault, environ={"ONEBRAIN_SEARCH_HOME": str(folder / "home")})
    first = brain.index(vectors=False).seconds
    again = brain.index(vectors=False).seconds
    asks = open_query_embedder()
    random_ones = RandomVectors(asks.fingerprint, asks.dimension)
    fill(brain.folder, Vectors(asks.fingerprint, asks.dimension, lambda count: random_ones, model="english"))
    text = sum(file.stat().st_size for file in vault.rglob("*.md"))
    status = brain.status()
    figures = {
        "passages": status["chunks"],
        "text_mb": text / 1e6,
        "index_s": first,
        "again_s": again,
        "disk_share": status["bytes"] / text,
    }
    done.write_text(json.dumps(figures), encoding="utf-8")
    return figures


def timed(job: Callable[[str], object], asked: Iterable[str]) -> tuple[dict[str, float], dict[str, float]]:
    """Return the median and the 95th percentile of the milliseconds of a question: processor, and clock."""
    spent, waited = [], []
    for question in asked:
        started, begun = time.process_time(), time.perf_counter()
        job(question)
        spent.append((time.process_time() - started) / SECONDS)
        waited.append((time.perf_counter() - begun) / SECONDS)
    return percentiles(spent), percentiles(waited)


def percentiles(times: list[float]) -> dict[str, float]:
    """Return the median and the 95th percentile."""
    times.sort()
    return {"p50": times[len(times) // 2], "p95": times[int(len(times) * 0.95)]}


def ask(folder: Path, asked: Sequence[str]) -> dict[str, Any]:
    """Return what questions cost in this process, which must not have done anything else."""
    brain = Brain.open(folder / "vault", environ={"ONEBRAIN_SEARCH_HOME": str(folder / "home")})
    started = time.process_time()
    brain.search(asked[0])
    figures: dict[str, Any] = {"first_ms": (time.process_time() - started) / SECONDS}
    for question in asked[1:WARM]:
        brain.ask(question, mode="what")
    for thread in threading.enumerate():  # what is made ready for more than one question
        if thread.name == "onnx":
            thread.join()
    jobs: dict[str, Callable[[str], object]] = {
        name: partial(brain.search, retrieval=name)  # type: ignore[arg-type]
        for name in ("lexical", "vector", "hybrid")
    }
    jobs["ask"] = partial(brain.ask, mode="what")
    count = (len(asked) - WARM) // len(jobs)
    for number, (name, job) in enumerate(jobs.items()):
        figures[f"{name}_ms"], figures[f"{name}_clock_ms"] = timed(job, asked[WARM + number * count :][:count])
    figures["rss_mb"] = memory()
    figures["torch"] = "torch" in sys.modules
    return figures


def memory() -> float:
    """Return the most memory that this process has held, in MB; not a number where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return float("nan")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1e6 if sys.platform == "darwin" else 1e3)  # bytes there, kilobytes elsewhere


def shown(value: Any) -> str:
    """Return a figure as a cell of the table."""
    if isinstance(value, dict):
        return f"{value['p50']:.1f} / {value['p95']:.1f}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def plot(rows: Sequence[dict[str, Any]]) -> str:
    """Return an SVG of the p50 and p95 of a question over the number of passages, both on logarithmic scales."""
    from math import log10

    width, height, left, bottom = 640, 360, 60, 50
    sizes = [log10(row["passages"]) for row in rows]
    times = [log10(row[f"{name}_ms"][q]) for row in rows for name in PLOTTED for q in ("p50", "p95")]
    low, high = int(min(times) // 1), int(-(-max(times) // 1))
    first, span = min(sizes), max(sizes) - min(sizes) or 1.0

    def at(size: float, value: float) -> str:
        """Return a point."""
        x = left + (log10(size) - first) / span * (width - left - 130)
        y = height - bottom - (log10(value) - low) / (high - low or 1) * (height - bottom - 20)
        return f"{x:.1f},{y:.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="14">milliseconds a question</text>',
    ]
    for power in range(low, high + 1):
        x, y = at(rows[0]["passages"], 10.0**power).split(",")
        parts.append(f'<line x1="{x}" y1="{y}" x2="{width - 130}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6}" y="{float(y) + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    for row in rows:
        x, _ = at(row["passages"], 10.0**low).split(",")
        parts.append(f'<text x="{x}" y="{height - bottom + 20}" text-anchor="middle">{row["passages"]:,}</text>')
    parts.append(f'<text x="{left}" y="{height - 10}">passages; solid line: p50, dashed: p95</text>')
    for (name, label), color in zip(PLOTTED.items(), ("#1b6ca8", "#3a9d5d", "#c2571a"), strict=True):
        for quantile, dash in (("p50", ""), ("p95", ' stroke-dasharray="5 4"')):
            points = " ".join(at(row["passages"], row[f"{name}_ms"][quantile]) for row in rows)
            parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"{dash}/>')
        x, y = at(rows[-1]["passages"], rows[-1][f"{name}_ms"]["p50"]).split(",")
        parts.append(f'<text x="{float(x) + 8:.1f}" y="{float(y) + 4:.1f}" fill="{color}">{label}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Build and ask each size, and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--text", type=Path, default=FIXTURE, help="the vault that sentences are taken from")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--state", type=Path, help="keep vaults and indexes in this folder")
    parser.add_argument("--plot", type=Path, help="write the growth as an SVG")
    parser.add_argument("--ask", type=Path, help=argparse.SUPPRESS)  # a built folder: ask it, in a process of its own
    args = parser.parse_args()
    told = sentences(args.text)
    if args.ask:
        print(json.dumps(ask(args.ask, questions(told, WARM + 4 * args.questions))))
        return
    rows: list[dict[str, Any]] = []
    print(f"| {' | '.join(COLUMNS.values())} |\n|{'--:|' * len(COLUMNS)}")
    with tempfile.TemporaryDirectory() as temporary:
        for passages in args.passages:
            folder = (args.state or Path(temporary)) / str(passages)
            folder.mkdir(parents=True, exist_ok=True)
            built = build(folder, told, passages)
            same = ["--text", str(args.text), "--questions", str(args.questions)]
            command = [sys.executable, __file__, "--ask", str(folder), *same]
            one_core = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
            told_by = subprocess.run(command, env=one_core, stdout=subprocess.PIPE, check=True).stdout
            rows.append(built | json.loads(told_by))
            print(f"| {' | '.join(shown(rows[-1][name]) for name in COLUMNS)} |", flush=True)
            assert not rows[-1]["torch"], "a question with the packaged model must not load torch"
    if args.plot:
        args.plot.write_text(plot(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
