"""Print what indexing a large vault of mixed files takes: seconds and memory by its size, and the dear formats apart.

    python benchmarks/large.py [--sizes 30 60 120] [--files 60]

Vaults of that many MB are made of words of the fixture vaults: notes, code, web pages, notebooks. Memory is the sum
over the process and its workers, looked at ten times a second; so is processor time, which other work on the machine
does not lengthen. `.rst`, `.pdf` and `.docx` cost more a file than all others: they are timed alone, beside as many
Markdown notes. Nothing is asserted: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import accumulate
from pathlib import Path

import psutil

REPO = Path(__file__).parents[1]
SAMPLES = REPO / "tests" / "indexer" / "samples"
CLI = [sys.executable, "-c", "from onebrain_search.cli import main; main()"]
Words = Callable[[int], str]


def vocabulary(seed: int) -> Words:
    """Return a source of text: words of the fixture vaults, common ones as common as words are."""
    text = " ".join(p.read_text("utf-8") for p in sorted((REPO / "vault_fixtures").rglob("*.md")))
    known = sorted(set(re.findall(r"\w{2,}", text)))
    dice = random.Random(seed)
    dice.shuffle(known)
    known += [f"{dice.choice(known)}{n}" for n in range(40_000)]  # names and numbers that stand once or twice
    weights = list(accumulate(1 / (rank + 5) for rank in range(len(known))))

    def words(count: int) -> str:
        """Return that many words in sentences."""
        found = dice.choices(known, cum_weights=weights, k=count)
        return " ".join(word + "." * (at % 14 == 13) for at, word in enumerate(found))

    return words


def note(words: Words) -> str:
    """Return a Markdown note with a header, sections, a list and a link."""
    head = f"---\ntags: [{words(1)}]\ndate: 2026-03-0{len(words(1)) % 9 + 1}\n---\n# {words(4)}\n\n"
    section = "## {}\n\n{}\n\n- {}\n- [[{}]] {}\n\n"
    return head + "".join(section.format(*map(words, (3, 120, 12, 2, 9))) for _ in range(6))


def code(words: Words) -> str:
    """Return a module of functions."""
    names = [re.sub(r"\W+", "_", words(2)).strip("_") for _ in range(30)]
    return "\n\n".join(
        f'def f_{name}(value):\n    """{words(12)}"""\n    return value  # {words(5)}' for name in names
    )


def page(words: Words) -> str:
    """Return a web page."""
    body = "".join(f"<h2>{words(3)}</h2><p>{words(150)}</p>" for _ in range(5))
    return f"<html><head><title>{words(4)}</title></head><body><main>{body}</main></body></html>"


def notebook(words: Words) -> str:
    """Return a Jupyter notebook."""
    cells = [{"cell_type": "markdown", "metadata": {}, "source": [words(120)]} for _ in range(6)]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


KINDS = ((".md", note, 14), (".py", code, 2), (".html", page, 2), (".ipynb", notebook, 1), (".txt", note, 1))


def fill(vault: Path, megabytes: float, words: Words) -> None:
    """Write a vault of that size."""
    turns = [(suffix, make) for suffix, make, share in KINDS for _ in range(share)]
    written, number = 0, 0
    while written < megabytes * 1e6:
        suffix, make = turns[number % len(turns)]
        folder = vault / f"{number % 97:02}"
        folder.mkdir(parents=True, exist_ok=True)
        written += (folder / f"n{number}{suffix}").write_bytes(make(words).encode())
        number += 1


def indexed(vault: Path) -> tuple[float, float, int]:
    """Return seconds and processor seconds of a first lexical index run, and the greatest memory in bytes."""
    with tempfile.TemporaryDirectory() as home:
        environ = {**os.environ, "ONEBRAIN_SEARCH_HOME": home}
        started, most, used = time.perf_counter(), 0, {}
        command = [*CLI, "index", "--lexical-only", "--vault", str(vault)]
        with subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None:
                with suppress(psutil.Error):
                    family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
                    most = max(most, sum(each.memory_info().rss for each in family))
                    used |= {each.pid: sum(each.cpu_times()[:2]) for each in family}
                time.sleep(0.1)
        if process.returncode:
            raise SystemExit(f"index ended with {process.returncode}")
        return time.perf_counter() - started, sum(used.values()), most


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=float, nargs="*", default=[30, 60, 120], help="megabytes of the vaults")
    parser.add_argument("--files", type=int, default=60, help="copies of each dear format")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        print("| vault | seconds | processor seconds a 100 MB | most memory |\n|---|---|---|---|")
        for size in options.sizes:
            vault = Path(scratch) / "vault"
            fill(vault, size, vocabulary(7))
            seconds, used, most = indexed(vault)
            print(f"| {size:g} MB | {seconds:.1f} | {100 * used / size:.1f} | {most / 1e6:.0f} MB |", flush=True)
            shutil.rmtree(vault)
        print(f"\n| {options.files} copies of | processor milliseconds a file |\n|---|---|")
        for suffix in (".md", ".rst", ".pdf", ".docx"):
            vault = Path(scratch) / suffix
            vault.mkdir()
            for number in range(options.files):
                shutil.copy(SAMPLES / f"retry-policy{suffix}", vault / f"{number}{suffix}")
            _, used, _ = indexed(vault)
            print(f"| {suffix} | {1000 * used / options.files:.1f} |", flush=True)


if __name__ == "__main__":
    main()
