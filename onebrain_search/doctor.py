"""What is wrong with a vault's index, and the command that mends it: a table of checks over an open Brain."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from indexer.errors import OneBrainError
from indexer.snapshot import Snapshot, exists
from indexer.state import left_behind, process_start
from indexer.types import written
from onebrain_search import presence
from onebrain_search.brain import MARK, Brain
from onebrain_search.links import LinkMap
from onebrain_search.types import Finding

LONGEST_LINK = 120  # characters of a link's target that are told
SHOWN = 10  # findings of one check that are listed
LEAST_FREE = 200_000_000  # bytes; an index of 10,000 notes needs about a third


Check = Callable[[Brain], Iterator[Finding]]


def examine(brain: Brain) -> list[Finding]:
    """Run every check; one that breaks is itself a finding."""
    found: list[Finding] = []
    for check in CHECKS if exists(brain.folder) else WITHOUT_INDEX:
        try:
            found += check(brain)
        except (OneBrainError, OSError) as error:
            fix = getattr(error, "fix", "") or "mend that, then run `doctor` again"
            fault = Finding(check.__name__, getattr(error, "what", str(error)), getattr(error, "where", ""), fix)
            if all((fault.what, fault.where) != (known.what, known.where) for known in found):
                found.append(fault)  # an index that cannot be read fails every check of it
    return found


def vault(brain: Brain) -> Iterator[Finding]:
    """The vault can be listed."""
    folder = brain.config.vault
    if not folder.is_dir():
        fix = "mount or restore it (its index is kept), or delete the index with `clear`"
        yield Finding("vault", "the vault cannot be reached", str(folder), fix)


def index(brain: Brain) -> Iterator[Finding]:
    """There is an index of this version that can be read, and no run was cut short."""
    if not exists(brain.folder):
        yield Finding("index", "there is no index yet", str(brain.folder), "run `index`")
        return
    snapshot = brain.snapshot()
    snapshot.catalog.check()
    waiting = snapshot.counts()["pending"]
    if waiting:
        yield Finding("index", f"{waiting} passages wait for vectors", str(brain.folder), "run `index`")


def unread(brain: Brain) -> Iterator[Finding]:
    """Every file could be read at the last run."""
    for skip in _snapshot(brain).catalog.skips() if exists(brain.folder) else ():
        place = written(skip.root, skip.path) or str(brain.config.vault)
        fix = (
            "mend the file or its rights, then run `index`"
            if skip.failed
            else "leave it, or exclude it in onebrain.yml"
        )
        yield Finding("unread", skip.reason, place, fix, hint=not skip.failed)


def headers(brain: Brain) -> Iterator[Finding]:
    """Headers of notes are valid, dates can be read."""
    rows = _snapshot(brain).catalog.rows("SELECT root, path, problems FROM documents WHERE problems <> '[]'")
    import json

    for root, path, problems in rows if exists(brain.folder) else ():
        for problem in json.loads(problems)[:SHOWN]:
            yield Finding(
                "headers", problem, written(root, path), "mend it in the note; it is searched all the same", True
            )


def duplicate_ids(brain: Brain) -> Iterator[Finding]:
    """No two notes carry the same id."""
    import json

    owners: dict[str, list[str]] = {}
    for root, path, meta in _snapshot(brain).catalog.rows(
        "SELECT root, path, meta FROM documents WHERE meta <> '{}'"
    ):
        for key, value in json.loads(meta).items():
            if key.casefold() in ("id", "uid", "uuid") and isinstance(value, (str, int)) and str(value).strip():
                owners.setdefault(str(value).strip(), []).append(written(root, path))
    for value, places in sorted(owners.items()):
        if len(places) > 1:
            yield Finding(
                "duplicate ids", f"the id {value} is used {len(places)} times", ", ".join(places), "rename one", True
            )


def links(brain: Brain) -> Iterator[Finding]:
    """Links lead somewhere, and to one note only."""
    snapshot = _snapshot(brain)
    graph = LinkMap.load(snapshot.catalog)
    names = {row[0]: written(row[1], row[2]) for row in snapshot.catalog.rows("SELECT id, root, path FROM documents")}
    broken = [(names[source], target, line) for source, target, line in graph.broken if not _is_file(brain, target)]
    for place, target, line in broken[:SHOWN]:
        yield Finding(
            "links",
            f"the link to {_short(target)!r} leads nowhere",
            f"{place}:{line}",
            "mend the link, or write the note",
            True,
        )
    if len(broken) > SHOWN:
        yield Finding("links", f"{len(broken) - SHOWN} more links lead nowhere", "", "mend those first", True)
    ambiguous = list(dict.fromkeys(graph.ambiguous))
    for source, target, meant in ambiguous[:SHOWN]:
        what = f"the link to {_short(target)!r} can mean {len(meant)} notes and is taken for {names[meant[0]]}"
        yield Finding("links", what, names[source], "write the folder of the note that you mean", True)
    if len(ambiguous) > SHOWN:
        more = f"{len(ambiguous) - SHOWN} more links can mean several notes"
        yield Finding("links", more, "", "mend those first", True)


def _short(target: str) -> str:
    """Return a link's target, cut where it is no name that a file can have."""
    return target if len(target) <= LONGEST_LINK else f"{target[:LONGEST_LINK]}…"


def model(brain: Brain) -> Iterator[Finding]:
    """The embedding model is on this machine, and whole."""
    from indexer.embed import ENGLISH, minilm, packaged_as
    from indexer.embed.carrier import verified

    if packaged_as(brain.embedder().model) == ENGLISH:
        verified(minilm.WEIGHTS)
    yield from ()


def space(brain: Brain) -> Iterator[Finding]:
    """There is room for the index."""
    folder = next((each for each in (brain.folder, *brain.folder.parents) if each.exists()), None)
    if folder is not None and shutil.disk_usage(folder).free < LEAST_FREE:
        fix = "free some space, or name another folder in ONEBRAIN_SEARCH_HOME"
        yield Finding("space", "the disk of the index is nearly full", str(folder), fix)


def watch_limit(brain: Brain) -> Iterator[Finding]:
    """Linux may watch as many folders as the vault has."""
    limit = Path("/proc/sys/fs/inotify/max_user_watches")
    if sys.platform == "linux" and limit.exists() and brain.config.vault.is_dir():
        allowed = int(limit.read_text())
        folders = Counter(path.parent for path in brain.config.vault.rglob("*.md"))
        if len(folders) > allowed // 2:
            what = f"the vault has {len(folders)} folders, this system watches {allowed}"
            yield Finding("watch limit", what, str(limit), "run `sysctl fs.inotify.max_user_watches=524288` as root")


def watcher(brain: Brain) -> Iterator[Finding]:
    """A watcher that runs hears of changes and can take them in."""
    from indexer.watch.standing import load

    standing = load(brain.folder)
    where = f"process {standing.pid}"
    if standing.mode == "polling":
        fix = standing.why.partition(": ")[2] or "start it again"
        yield Finding("watcher", f"changes are looked for every few seconds: {standing.why}", where, fix, True)
    elif standing.mode in ("unreachable", "failing"):
        yield Finding(
            "watcher", f"changes cannot be taken in: {standing.why}", where, "mend that; it goes on by itself"
        )
    if standing.vectors:
        yield Finding("watcher", standing.vectors, where, "mend that; it tries again by itself")


def locks(brain: Brain) -> Iterator[Finding]:
    """No process died while it worked on the index, and no file names a daemon that is gone."""
    for right in left_behind(brain.folder):
        what = f"the process that held {right} died; the next one takes it over"
        yield Finding("locks", what, str(brain.folder / right), "run `index`, which finishes what it began", True)
    told = presence.read(brain.folder)
    if told is not None and process_start(told.pid) != told.started:
        what = f"the daemon of process {told.pid} is gone without a word"
        yield Finding("locks", what, str(brain.folder), "nothing, or `serve` to start another one", True)


def orphans(brain: Brain) -> Iterator[Finding]:
    """No index is kept for a vault that is gone."""
    for folder in sorted(brain.folder.parent.glob("*-????????")):
        marker = folder / MARK
        if folder != brain.folder and marker.exists() and not Path(marker.read_text("utf-8").strip()).is_dir():
            fix = f"run `clear --vault {marker.read_text('utf-8').strip()}` if it will not come back"
            yield Finding("orphans", "an index is kept for a vault that is gone", str(folder), fix, True)


def _snapshot(brain: Brain) -> Snapshot:
    """Return the open index."""
    return brain.snapshot()


def _is_file(brain: Brain, target: str) -> bool:
    """Whether a link's target is a file that is not indexed, such as an attachment."""
    name = target.rpartition("/")[2]
    return "." in name and not name.endswith(".md")


WITHOUT_INDEX: tuple[Check, ...] = (vault, index, model, space, watch_limit, watcher, locks, orphans)
CHECKS: tuple[Check, ...] = (
    vault, index, unread, headers, duplicate_ids, links, model, space, watch_limit, watcher, locks, orphans,
)  # fmt: skip
