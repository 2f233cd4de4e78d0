"""Print how fast the daemon answers, how many at once, and what it takes: whole processes, HTTP, memory, idle time.

    python benchmarks/serve.py [--chunks 100000] [--clients 50] [--seconds 30] [--idle 60] [--runs 15] [--keep DIR]

The large vault is the one of scale.py: sentences of a fixture vault in random order, and random unit vectors in place
of embeddings, since only their number matters for speed. The questions run the real model. Nothing is asserted:
figures depend on the machine, ratios less. `--keep` names a folder where vault and index stay, to be used again.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from scale import FIXTURE, RandomVectors, questions, sentences, write_vault

from indexer.backlog import fill
from indexer.plan import Vectors
from onebrain_search import Brain
from onebrain_search import client as clients
from onebrain_search.client import Client

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
CLI = [sys.executable, "-c", "from onebrain_search.cli import main; main()"]
ASKED = 400  # questions at the engine


def indexed(vault: Path, home: Path) -> Brain:
    """Return the vault indexed, with random vectors for all that has none."""
    brain = Brain.open(vault, environ={"ONEBRAIN_SEARCH_HOME": str(home)})
    brain.index(vectors=False)
    asked = brain.embedder()
    random_ones = RandomVectors(asked.fingerprint, asked.dimension)
    fill(brain.folder, Vectors(asked.fingerprint, asked.dimension, lambda count: random_ones), size=20_000)
    return brain


def spread(seconds: Sequence[float]) -> str:
    """Return median and 95th percentile in milliseconds."""
    ordered = sorted(seconds)
    return (
        f"p50 {1000 * statistics.median(ordered):.1f} ms, p95 {1000 * ordered[int(0.95 * (len(ordered) - 1))]:.1f} ms"
    )


def timed(work: Callable[[str], object], asked: Sequence[str]) -> list[float]:
    """Return how long each question took, after ten that do not count."""
    found = []
    for number, question in enumerate(asked):
        started = time.perf_counter()
        work(question)
        if number >= 10:
            found.append(time.perf_counter() - started)
    return found


def together(client: Client, count: int, seconds: float, asked: Sequence[str]) -> tuple[list[float], int]:
    """Return the times and the number of errors of so many clients that each ask once a second."""
    times: list[float] = []
    errors: list[str] = []

    def one(number: int) -> None:
        """Be one of them."""
        own = clients.Client(client.daemon)
        started = time.monotonic() + number / count
        for turn in range(int(seconds)):
            time.sleep(max(0.0, started + turn - time.monotonic()))
            began = time.perf_counter()
            try:
                own.search({"query": asked[(number * 31 + turn) % len(asked)], "limit": 5})
                times.append(time.perf_counter() - began)
            except Exception as error:
                errors.append(str(error))
        own.close()

    threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times, len(errors)


def whole_processes(runs: int, home: Path) -> list[tuple[str, str]]:
    """Return rows on whole processes, interleaved: bare Python, a question through the daemon, and one without."""
    environ = {**os.environ, "ONEBRAIN_SEARCH_HOME": str(home)}
    ask = [*CLI, "How long are idempotency keys kept?", "--vault", str(FIXTURE), "--daemon"]
    commands = {
        "bare Python start": [sys.executable, "-c", "pass"],
        "a hybrid question through the daemon": [*ask, "require"],
        "the same without it": [*ask, "never"],
    }
    subprocess.run([*CLI, "index", "--vault", str(FIXTURE)], env=environ, check=True, capture_output=True)
    subprocess.run([*CLI, "serve", "--vault", str(FIXTURE)], env=environ, check=True, capture_output=True)
    times: dict[str, list[float]] = {name: [] for name in commands}
    computed: dict[str, list[float]] = {name: [] for name in commands}
    try:
        for number in range(runs + 2):
            for name, command in commands.items():
                started, began = time.perf_counter(), children()
                subprocess.run(command, env=environ, check=True, capture_output=True)
                if number >= 2:
                    times[name].append(time.perf_counter() - started)
                    computed[name].append(children() - began)
    finally:
        subprocess.run([*CLI, "stop", "--vault", str(FIXTURE)], env=environ, check=False, capture_output=True)
    medians = {name: statistics.median(found) for name, found in times.items()}
    bare = medians["bare Python start"]
    return [
        (
            name,
            f"median {m:.3f} s, {m / bare:.1f} times bare Python, fastest {min(times[name]):.3f} s; of the processor"
            f" {statistics.mean(computed[name]):.3f} s",
        )
        for name, m in medians.items()
    ]


def children() -> float:
    """Return the seconds of the processor that ended child processes took."""
    spent = os.times()
    return spent.children_user + spent.children_system


def usage(pid: int) -> tuple[float, float]:
    """Return megabytes in memory and seconds of CPU of a process so far; needs Linux."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    ticks = os.sysconf("SC_CLK_TCK")
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024, (int(fields[11]) + int(fields[12])) / ticks


def large(arguments: argparse.Namespace, folder: Path) -> list[tuple[str, str]]:
    """Return rows on a vault of many passages: at the engine, as the person types, many clients, memory, idleness."""
    told = sentences(FIXTURE)
    vault, home = folder / "vault", folder / "home"
    if not vault.exists():
        write_vault(vault, told, arguments.chunks)
    brain = indexed(vault, home)
    held = brain.snapshot().counts()
    rows = [("passages, with vectors", f"{held['chunks']}, {held['vectors']}")]
    asked = questions(told, ASKED)
    rows.append(("hybrid search at the engine", spread(timed(brain.search, asked))))
    half = [question[: len(question) * 2 // 3] for question in asked]
    rows.append(("as the person types, at the engine", spread(timed(lambda q: brain.found(q, typing=True), half))))
    os.environ["ONEBRAIN_SEARCH_HOME"] = str(home)
    presence, _ = clients.start(vault, brain.folder, ["--idle=0"])
    client = Client(presence)
    try:
        timed(lambda q: client.search({"query": q}), asked[:20])  # the first look at the files is done
        times = timed(lambda q: client.search({"query": q, "stage": "lexical"}), half)
        rows.append(("as the person types, by HTTP", spread(times)))
        rows.append(("hybrid search by HTTP", spread(timed(lambda q: client.search({"query": q}), asked))))
        times, errors = together(client, arguments.clients, arguments.seconds, asked)
        name = f"{arguments.clients} clients at one question a second, {arguments.seconds} s"
        rows.append((name, f"{spread(times)}, {errors} errors of {len(times) + errors}"))
        if sys.platform == "linux":
            memory, before = usage(presence.pid)
            time.sleep(arguments.idle)
            rows.append(("memory of the daemon (RSS)", f"{memory:.0f} MB"))
            rows.append((f"CPU of the idle daemon in {arguments.idle} s", f"{usage(presence.pid)[1] - before:.2f} s"))
    finally:
        client.close()
        clients.stop(brain.folder)
    return rows


def main() -> None:
    """Measure and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=5_000)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--idle", type=int, default=10)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        rows = whole_processes(arguments.runs, folder / "small")
        rows += large(arguments, folder)
    print("| what | measured |\n|---|---|")
    for name, value in rows:
        print(f"| {name} | {value} |")


if __name__ == "__main__":
    main()
