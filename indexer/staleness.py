"""How far an index is behind its files, without changing it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from indexer.catalog import Known
from indexer.errors import ScanError
from indexer.scan import ScanResult, ScanRules, read_source, scan
from indexer.types import Root, SourceFile


@dataclass(frozen=True, slots=True)
class Staleness:
    """How many files are not in the index as they stand now."""

    new: int
    changed: int
    removed: int


def staleness(
    known: Mapping[tuple[str, str], Known], left_out: Iterable[tuple[str, str]], roots: Iterable[Root],
    rules: Mapping[str, ScanRules],
) -> Staleness | None:  # fmt: skip
    """Compare what the catalog knows with the files, by content in the end. None: the vault is out of reach.

    `left_out` are files that the last run skipped: they are no news.
    """
    listed: dict[tuple[str, str], tuple[Root, SourceFile]] = {}
    unsure: set[tuple[str, str]] = set()
    for root in roots:
        try:
            result = scan(root, rules[root.name])
        except ScanError:
            result = ScanResult((), unreadable=("",))
        if not root.name and "" in result.unreadable:
            return None
        listed |= {(file.root, file.path): (root, file) for file in result.files}
        unsure |= {(skip.root, skip.path) for skip in result.skipped if skip.failed}
        unsure |= {place for place in known if place[0] == root.name and place[1].startswith(result.unreadable)}
    changed = sum(place in known and _changed(*found, known[place]) for place, found in listed.items())
    return Staleness(
        new=len(listed.keys() - known.keys() - set(left_out)),
        changed=changed,
        removed=len(known.keys() - listed.keys() - unsure),
    )


def _changed(root: Root, file: SourceFile, before: Known) -> bool:
    """Whether a file's content is another one than was read."""
    if (before.size, before.mtime_ns) == (file.size, file.mtime_ns):
        return False
    try:
        return blake2b(read_source(root, file), digest_size=16).hexdigest() != before.digest
    except (OSError, ScanError):
        return True
