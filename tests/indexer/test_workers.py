"""Worker processes: the same index as one process makes, whatever becomes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest


def test_workers_make_the_same_index_as_one_process(indexed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the same order, with the same skips."""
    for n in range(300):
        indexed.write(f"{n:03}.md", f"# Note {n}\n\nword{n} [[{n + 1:03}]] #tag{n % 7}\n")
    indexed.write("binary.md", bytes(range(256)) * 10)
    monkeypatch.setattr("indexer.workers._processors", lambda: 3)
    monkeypatch.setattr("indexer.workers.WORTH", 1)
    monkeypatch.setattr("indexer.workers.BATCH_FILES", 16)
    spread = indexed.run(vectors=False)
    content, ids = indexed.content(), indexed.look(lambda s: s.catalog.rows("SELECT id, document, text FROM chunks"))
    indexed.state = indexed.state.with_name("alone")
    monkeypatch.setattr("indexer.workers.WORTH", 10**12)
    alone = indexed.run(vectors=False)
    assert replace(spread, seconds=0) == replace(alone, seconds=0)
    assert indexed.content() == content
    assert indexed.look(lambda s: s.catalog.rows("SELECT id, document, text FROM chunks")) == ids


@pytest.mark.parametrize("fault", ["dies", "cannot start", "talks"])
def test_a_worker_that_fails_costs_nothing_but_time(
    indexed: Any, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """The files are prepared in this process."""
    from indexer import workers

    for n in range(100):
        indexed.write(f"{n}.md", f"word{n}")
    monkeypatch.setattr("indexer.workers._processors", lambda: 2)
    monkeypatch.setattr("indexer.workers.WORTH", 1)
    monkeypatch.setattr("indexer.workers.BATCH_FILES", 10)
    if fault == "dies":
        real = workers._Worker.ask

        def ask(worker: Any, jobs: Any) -> Any:
            """Kill the worker before it is asked."""
            worker.process.kill()
            worker.process.wait()
            return real(worker, jobs)

        monkeypatch.setattr(workers._Worker, "ask", ask)
    elif fault == "cannot start":
        monkeypatch.setattr("sys.executable", "/nowhere/python")
    else:
        monkeypatch.setattr("indexer.workers.SERVE", "print('hello')")
    assert indexed.run(vectors=False).added == 100


@pytest.mark.parametrize("fault", ["os._exit(1)", "os.abort()", "time.sleep(99)", "raise SystemExit"])
def test_a_file_that_ends_its_worker_is_skipped(indexed: Any, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    """And no other: those of its batch are prepared in a fresh one."""
    for n in range(30):
        indexed.write(f"{n:02}.md", f"word{n}")
    indexed.write("15-deadly.md", "what a library chokes on")
    serve = f"""
import os, sys, time
from indexer import workers
real = workers.prepare
def prepare(jobs, options):
    if any("deadly" in file.path for _, file in jobs):
        {fault}
    return real(jobs, options)
workers.prepare = prepare
workers.serve()
"""
    monkeypatch.setattr("indexer.workers.SERVE", serve)
    monkeypatch.setattr("indexer.workers.PATIENCE", 5.0 if "sleep" in fault else 60.0)
    monkeypatch.setattr("indexer.workers._processors", lambda: 2)
    monkeypatch.setattr("indexer.workers.WORTH", 1)
    monkeypatch.setattr("indexer.workers.BATCH_FILES", 10)
    report = indexed.run(vectors=False)
    assert report.added == 30
    assert [skip.path for skip in report.skipped] == ["15-deadly.md"]
    assert "took too long" in report.skipped[0].reason


def test_a_pdf_is_never_read_in_this_process(indexed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that crashes its reader would take an editor's server with it."""
    from pathlib import Path

    indexed.write("a.pdf", (Path(__file__).parent / "samples" / "retry-policy.pdf").read_bytes())
    monkeypatch.setattr("indexer.workers.prepare", lambda jobs, options: pytest.fail("read here"))
    assert indexed.run(vectors=False).added == 1


def test_workers_end_with_the_run(indexed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when it is broken off."""
    from indexer import workers

    started: list[Any] = []
    real = workers._Worker.__init__

    def note(worker: Any, options: Any) -> None:
        """Remember the worker."""
        started.append(worker)
        real(worker, options)

    def stop(stage: str, done: int, total: int) -> None:
        """Break the run off."""
        if done == 20:
            raise KeyboardInterrupt

    for n in range(100):
        indexed.write(f"{n}.md", f"word{n}")
    monkeypatch.setattr(workers._Worker, "__init__", note)
    monkeypatch.setattr("indexer.workers._processors", lambda: 2)
    monkeypatch.setattr("indexer.workers.WORTH", 1)
    monkeypatch.setattr("indexer.workers.BATCH_FILES", 10)
    with pytest.raises(KeyboardInterrupt):
        indexed.run(progress=stop)
    assert [worker.process.poll() is not None for worker in started] == [True, True]
    assert indexed.run().added == 100
