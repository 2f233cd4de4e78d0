"""Prepare many files at once in processes of our own.

A worker is this Python told to import this package and serve its pipes: unlike `multiprocessing` it never imports
the main program again, so a library needs no main guard. A file that ends its worker, alone and in a fresh one, is
left out: a fault in a library that reads some format costs one file. Where no workers can be started, the files are
prepared in this process.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Timer
from typing import Any

from indexer.prepare import Job, Prepared, prepare
from indexer.types import Skip

Result = Prepared | Skip

WORTH = 3_000_000  # bytes of files that take longer to prepare here (4 MB a second) than workers take to start
MOST = 4  # more are not kept busy: one process takes all the results in
BATCH_FILES, BATCH_BYTES = 128, 1_000_000
PATIENCE = 300.0  # seconds for a batch before its worker is ended; 128 files of the slowest format, .docx, take 150
# Read by a library that is no Python: a fault in it ends the process, so it is never this one.
APART = frozenset({".pdf"})
SERVE = "from indexer.workers import serve; serve()"  # what a worker runs


def prepare_all(jobs: Sequence[Job], options: Any = None) -> Generator[Result, None, None]:
    """Yield what `prepare` makes of each file, in order."""
    apart = any(Path(file.path).suffix.lower() in APART for _, file in jobs)
    workers = _started(options, apart) if apart or sum(file.size for _, file in jobs) >= WORTH else []
    if workers:
        yield from _spread(jobs, options, workers)
    else:
        for batch in _batches(jobs):
            yield from prepare(batch, options)


def serve() -> None:
    """Answer batches of jobs on stdin until it closes. Runs in the worker; what a library prints goes to stderr."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process is told too, and closes the pipe
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    questions = sys.stdin.buffer
    options = pickle.load(questions)
    while True:
        try:
            jobs: list[Job] = pickle.load(questions)
        except EOFError:
            return
        pickle.dump(prepare(jobs, options), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


class _Worker:
    """One process that prepares files."""

    def __init__(self, options: Any) -> None:
        """Start it. Raises OSError when that is not possible."""
        self.options = options
        self.closed = False
        self._changing = Lock()
        self._start()

    def ask(self, jobs: list[Job]) -> list[Result]:
        """Return the results of a batch. Raises whatever reading a pipe can raise when the worker is gone."""
        assert self.process.stdout is not None
        limit = Timer(PATIENCE, self.process.kill)
        limit.start()
        try:
            self._send(jobs)
            results: list[Result] = pickle.load(self.process.stdout)
        finally:
            limit.cancel()
        return results

    def restart(self) -> None:
        """Put a fresh process in the place of one that is gone. Raises OSError when that is not possible."""
        self._end()
        with self._changing:
            if self.closed:
                raise BrokenPipeError("the run is over")
            self._start()
        try:
            self.ask([])
        except Exception as error:
            raise OSError("workers do not answer on this system") from error

    def close(self) -> None:
        """End the process for good."""
        with self._changing:
            self.closed = True
        self._end()

    def _start(self) -> None:
        """Start the process."""
        here = str(Path(__file__).parents[1])
        environ = {**os.environ, "PYTHONPATH": os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", SERVE],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )  # fmt: skip
        self._send(self.options)

    def _end(self) -> None:
        """Kill the process; who waits for its answer is told so by the pipe."""
        self.process.kill()
        self.process.wait()

    def _send(self, value: Any) -> None:
        """Write one value into the worker's pipe."""
        assert self.process.stdin is not None
        self.process.stdin.write(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
        self.process.stdin.flush()


def _started(options: Any, apart: bool) -> list[_Worker]:
    """Return as many workers as there are processors for; none where one gains nothing or none can be started."""
    count = min(_processors(), MOST)
    if (count < 2 and not apart) or not sys.executable or hasattr(sys, "frozen"):
        return []
    workers: list[_Worker] = []
    with suppress(OSError):
        workers.extend(_Worker(options) for _ in range(count))
    return workers


def _spread(jobs: Sequence[Job], options: Any, workers: Sequence[_Worker]) -> Iterator[Result]:
    """Yield the results of all jobs in order, a few batches ahead of who takes them; then end the workers."""
    idle: SimpleQueue[_Worker] = SimpleQueue()
    for worker in workers:
        idle.put(worker)

    def run(batch: list[Job]) -> list[Result]:
        """Prepare a batch in the next free worker."""
        worker = idle.get()
        try:
            return _prepared(worker, batch)
        except OSError:
            return [] if worker.closed else prepare(batch, options)
        finally:
            idle.put(worker)

    threads = ThreadPoolExecutor(len(workers))
    batches = _batches(jobs)
    try:
        ahead: deque[Future[list[Result]]] = deque()
        ahead.extend(threads.submit(run, batch) for batch in islice(batches, 2 * len(workers)))
        while ahead:
            results = ahead.popleft().result()
            ahead.extend(threads.submit(run, batch) for batch in islice(batches, 1))
            yield from results
    finally:
        for worker in workers:
            worker.close()
        threads.shutdown(cancel_futures=True)
        for worker in workers:
            with suppress(OSError):
                worker.process.communicate()


def _prepared(worker: _Worker, batch: list[Job]) -> list[Result]:
    """Return the results of a batch; where the worker dies of it, each file is tried alone in a fresh one.

    Raises OSError when no fresh one can be started.
    """
    try:
        return worker.ask(batch)
    except Exception:  # it died, or wrote what is no answer
        worker.restart()
    results: list[Result] = []
    for job in batch:
        try:
            results += worker.ask([job])
        except Exception:
            worker.restart()
            reason = "cannot be parsed: the program that reads it failed or took too long"
            results.append(Skip(job[1].root, job[1].path, reason))
    return results


def _batches(jobs: Iterable[Job]) -> Iterator[list[Job]]:
    """Yield the jobs in parts that are worth a message."""
    batch: list[Job] = []
    size = 0
    for job in jobs:
        batch.append(job)
        size += job[1].size
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
