"""What the web costs: a vault answer that does not need it, and many sources of which half hang.

Prints: what the fallback adds to an answer from the notes, what the router takes, when a fan-out over 12 sources
returns beside its deadline, and how long a process takes to end whose sources hang. Nothing leaves the machine.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from onebrain_search.config import Config
from onebrain_search.fallback import Fallback
from onebrain_search.types import Answer
from onebrain_search.web import intent, purpose
from onebrain_search.web.fanout import Source, gather
from onebrain_search.web.health import Health
from onebrain_search.web.http import Http
from onebrain_search.web.providers import Provider, brave
from onebrain_search.web.results import Access, Found, Wanted
from onebrain_search.web.testing import FakeInternet
from onebrain_search.web.testing.engines import KEY
from onebrain_search.web.testing.engines import brave as fake_brave

ROUNDS = 1000
SOURCES = 12
DEADLINE = 1.0  # seconds
QUESTION = "why does the retry policy of src/app.py time out with HTTPError in Django 5.2?"
ASKING = """
import time
from benchmarks.web import fan_out
fan_out({hanging})
print(time.time())
"""


def milliseconds(call: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Return the median time of a call."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return 1000 * statistics.median(times)


def hosts() -> tuple[FakeInternet, list[Source]]:
    """Return an internet with SOURCES hosts, and the way to them."""
    names = [f"s{number}.example.org" for number in range(SOURCES)]
    net = FakeInternet(dict.fromkeys(names, fake_brave))
    http = Http(routes=net.routes)

    def asks(wanted: Wanted, access: Access) -> Found:
        """Ask as Brave is asked."""
        return brave.ask(wanted, access)

    return net, [Source(Provider(n, "web"), Access(http, f"http://{n}", (KEY,), seconds=60), asks) for n in names]


def fan_out(hanging: int) -> tuple[float, int]:
    """Return the seconds that a fan-out took while some sources hang, and how many answered."""
    net, sources = hosts()
    with net:
        gather(sources[-1:], [Wanted("warm")], Health(), 30)  # the first one loads the HTTP client
        for source in sources[:hanging]:
            net.fail(source.name, "hang")
        began = time.perf_counter()
        found = gather(sources, [Wanted("retry")], Health(), DEADLINE)
        return time.perf_counter() - began, len(found.found)


def ending(hanging: int) -> float:
    """Return the seconds between the last line of a program that has asked and the end of its process."""
    place = Path(__file__).resolve().parents[1]
    program = [sys.executable, "-c", ASKING.format(hanging=hanging)]
    done = subprocess.run(program, cwd=place, capture_output=True, text=True, check=True)
    return time.time() - float(done.stdout)


def main() -> None:
    """Print the table."""
    fallback = Fallback(Config().web, {}, Path, lambda text: [])
    answers = [Answer(QUESTION, "what", "strong", ""), Answer(QUESTION, "what", "none", "")]
    added = [milliseconds(lambda answer=answer: fallback.beside(answer, None)) for answer in answers]  # type: ignore[misc]
    routed = milliseconds(lambda: (intent.route(QUESTION), purpose.purpose_of(QUESTION)))
    print("| what | measured |")
    print("|---|---|")
    print(f"| added to an answer from the notes, to one without an answer | {added[0]:.4f}, {added[1]:.4f} ms |")
    print(f"| route and purpose of a question | {routed:.2f} ms |")
    for hanging in (0, SOURCES // 2, SOURCES):
        took, answered = fan_out(hanging)
        over = f", {1000 * (took - DEADLINE):+.0f} ms beside the deadline" if hanging else ""
        print(f"| {SOURCES} sources, {hanging} hang: {answered} answered | {took:.3f} s of {DEADLINE:g}{over} |")
    ends = [statistics.median(ending(hanging) for _ in range(5)) for hanging in (0, SOURCES)]
    print(f"| end of a process, no source hangs, all hang | {1000 * ends[0]:.0f}, {1000 * ends[1]:.0f} ms |")


if __name__ == "__main__":
    main()
