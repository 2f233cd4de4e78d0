"""Print what a search of vectors costs, from ten thousand random rows to a million, beside an exact scan in float32.

    python benchmarks/vectors.py [--rows 10000 100000]

`open` reads the file and makes what is kept in memory. Questions are rows with noise that is twice as long: the last
column is the share of them for which the nearest row of the exact scan comes first. Milliseconds are the processor's.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import mean, median

import numpy

from indexer.vectors import VectorIndex, append, decoded, read, unit

WIDTH, BLOCK, QUESTIONS, NOISE = 384, 50_000, 50, 0.1


def write(path: Path, count: int) -> None:
    """Write random unit vectors."""
    made = numpy.random.default_rng(count)
    for first in range(0, count, BLOCK):
        rows = made.standard_normal((min(BLOCK, count - first), WIDTH), dtype=numpy.float32)
        append(path, first, unit(rows)[0])


def measured(path: Path, count: int) -> list[str]:
    """Return the cells of a line of the table."""
    started = time.process_time()
    index = VectorIndex(path, WIDTH, [(n, n) for n in range(count)])
    opened = time.process_time() - started
    codes, made = read(path, WIDTH), numpy.random.default_rng(7)
    near = decoded(codes[numpy.sort(made.choice(count, QUESTIONS, replace=False))])
    asked = unit(near + NOISE * made.standard_normal(near.shape, dtype=numpy.float32))[0]
    taken, exact, same = [], [], []
    for question in asked:
        started = time.process_time()
        index.search(question, 200)
        taken.append(time.process_time() - started)
    whole = decoded(codes)
    for question in asked:
        started = time.process_time()
        nearest = int(numpy.argmax(whole @ question))
        exact.append(time.process_time() - started)
        same.append(index.search(question, 1)[0][0] == nearest)
    times = [f"{1000 * value:.1f}" for value in (opened, median(taken), sorted(taken)[-3], median(exact))]
    return [f"{count:,}", *times, f"{mean(same):.2f}"]


def main() -> None:
    """Measure each size, and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    args = parser.parse_args()
    print(
        "| rows | open ms | search p50 ms | p95 ms | exact scan p50 ms | nearest found |\n|--:|--:|--:|--:|--:|--:|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for count in args.rows:
            path = Path(folder) / f"{count}.i8"
            write(path, count)
            print(f"| {' | '.join(measured(path, count))} |", flush=True)


if __name__ == "__main__":
    main()
