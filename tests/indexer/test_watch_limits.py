"""The watcher where the system tells less than everything: lost notices, no watches left."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from indexer.types import Area
from indexer.watch.gathering import BURST, MANY_AREAS, MOST, QUIET, Gathering
from indexer.watch.loop import Watch
from indexer.watch.standing import load

REPO = Path(__file__).parents[2]
QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")
SHOWN = "echo {limit} > /proc/sys/user/max_inotify_watches && exec {python} {script} {vault} {state} {then}"
PATIENCE = 60.0


def until(condition: Callable[[], Any]) -> Any:
    """Return what a condition becomes; fail when it stays false."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    pytest.fail("it did not become true")


def namespaces() -> bool:
    """Whether this system lets us make a user namespace with a watch limit of its own."""
    if sys.platform != "linux" or not shutil.which("unshare"):
        return False
    command = ["unshare", "-Ur", "sh", "-c", "echo 100 > /proc/sys/user/max_inotify_watches"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


limited = pytest.mark.skipif(not namespaces(), reason="this system gives no user namespace with limits of its own")


@pytest.mark.skipif(not QUEUE.exists(), reason="only inotify has a queue that runs over")
def test_f48_lost_notices_lead_to_a_look_at_everything(indexed: Any) -> None:
    """More events than the queue holds, while nobody reads it; what is written last is found all the same."""
    notes = [indexed.write(f"{name}/x.md", name) for name in ("a", "b")]
    go_on = threading.Event()
    watch = Watch(indexed.state, lambda: indexed.plan(vectors=False), on_change=lambda generation, paths: None)
    with watch:
        until(lambda: watch.standing.mode == "watching" and watch.settle(0.1) and indexed.found("b"))
        descriptor = watch.listener.descriptor  # type: ignore[union-attr]
        handle = descriptor.handle_event

        def blocked(event: Any) -> None:
            """Read on when told to."""
            go_on.wait(PATIENCE)
            handle(event)

        descriptor.handle_event = blocked
        for n in range(int(QUEUE.read_text()) + 5000):
            os.utime(notes[n % 2])
        indexed.write("late/deep/y.md", "unseen", at=None)
        go_on.set()
        until(lambda: indexed.found("unseen"))
        assert watch.standing.overflows == 1
        indexed.write("late/deep/z.md", "afterwards", at=None)
        until(lambda: indexed.found("afterwards"))


@limited
@pytest.mark.parametrize(("limit", "then"), [(4, "nothing"), (12, "folders")])
def test_f49_without_watches_left_it_looks_every_few_seconds(indexed: Any, limit: int, then: str) -> None:
    """At the start, or when new folders need more; what to do is told with the sysctl."""
    for n in range(8):
        indexed.write(f"d{n}/x.md", f"word{n}")
    script = Path(__file__).with_name("few_watches.py")
    line = SHOWN.format(
        limit=limit, python=sys.executable, script=script, vault=indexed.folder, state=indexed.state, then=then
    )
    environ = {**os.environ, "PYTHONPATH": str(REPO)}
    run = subprocess.run(
        ["unshare", "-Ur", "sh", "-c", line], env=environ, capture_output=True, text=True, check=True
    )
    standing = json.loads(run.stdout)
    assert standing["mode"] == "polling"
    assert "fs.inotify.max_user_watches=524288" in standing["why"]
    assert standing["restarts"] == 0
    assert indexed.found("late") == {"d7/late.md"}
    assert load(indexed.state).mode == "stopped"


def test_changes_wait_for_a_quiet_moment_but_not_for_long() -> None:
    """Each new one starts the moment again, up to a limit from the first."""
    now = [100.0]
    gathering = Gathering(lambda: now[0])
    assert gathering.due() is None
    gathering.add(Area("", "a/"))
    assert gathering.due() == pytest.approx(QUIET)
    for _ in range(100):
        now[0] += QUIET / 2
        gathering.add(Area("", "a/"))
    assert gathering.due() == 0.0
    assert now[0] - 100.0 > MOST
    assert gathering.take() == (Area("", "a/"),)
    assert gathering.due() is None


@pytest.mark.parametrize(
    "areas", [[None], [Area("", f"{n}/") for n in range(MANY_AREAS + 1)], [Area("", "")] * (BURST + 1)]
)
def test_many_changes_are_a_look_at_everything(areas: list[Area | None]) -> None:
    """So is one of which nobody knows where."""
    gathering = Gathering()
    gathering.add(*areas)
    assert gathering.take() is None
    gathering.add(Area("", "x/"))
    assert gathering.take() == (Area("", "x/"),)
