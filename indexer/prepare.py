"""SourceFiles -> Prepared: read, parse, chunk and analyse files, down to the rows that the store takes.

Nothing here knows the index, so it can run in any process (see `indexer.workers`). Files go through in batches, one
stage after the other: so the code and the tables of a stage stay in the processor's cache, which saves a quarter.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from indexer.errors import ParseError, ScanError
from indexer.scan import read_source
from indexer.tables import UNSETTLED, Rows, rows_of
from indexer.terms import Entry, entry_of
from indexer.types import Chunk, Document, Event, Root, Skip, SourceFile

RACY_NS = 2_000_000_000  # a file changed this close to its reading may change again within the same tick

Job = tuple[Root, SourceFile]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file as it goes into the index; `file.size` is UNSETTLED when it must be read again the next time."""

    file: SourceFile
    digest: str
    rows: Rows
    entry: Entry


@dataclass(slots=True)
class _Draft:
    """A file on its way through the stages."""

    source: SourceFile
    file: SourceFile
    data: bytes
    document: Document = field(init=False)
    chunks: list[Chunk] = field(init=False)
    events: list[Event] = field(init=False)
    rows: Rows = field(init=False)
    entry: Entry = field(init=False)


def prepare(jobs: Sequence[Job], options: Any = None) -> list[Prepared | Skip]:
    """Return files ready for the store, in order, or why one is left out; what cannot be read is a failed skip."""
    from indexer.events import find_events  # what reads is loaded when there is something to read
    from indexer.parse import parse

    def read(draft: _Draft) -> None:
        """Parse the bytes."""
        draft.document = parse(draft.source, draft.data, options)

    def tell(draft: _Draft) -> None:
        """Find what happened."""
        draft.events = find_events(draft.document)

    tops = {root.folder: os.path.realpath(root.folder) for root, _ in jobs}
    drafts: Iterable[_Draft | Skip] = [_read(root, file, tops[root.folder]) for root, file in jobs]
    for stage in (read, _cut, tell, _list, _analyse):
        drafts = [_through(stage, draft) for draft in drafts]
    return [d if isinstance(d, Skip) else Prepared(d.file, d.document.digest, d.rows, d.entry) for d in drafts]


def _read(root: Root, file: SourceFile, top: str) -> _Draft | Skip:
    """Read the bytes of a file below the real path of its root."""
    now = time.time_ns()
    try:
        data = read_source(root, file, top)
    except FileNotFoundError:
        return Skip(file.root, file.path, "vanished while the run was going on")
    except (OSError, ScanError) as error:
        said = getattr(error, "strerror", None) or str(error)
        return Skip(file.root, file.path, f"cannot be read: {said}", failed=True)
    racy = abs(now - file.mtime_ns) < RACY_NS
    return _Draft(file, replace(file, size=UNSETTLED) if racy else file, data)


def _through(stage: Callable[[_Draft], None], draft: _Draft | Skip) -> _Draft | Skip:
    """Put a file through a stage; one that fails there is left out, with the reason."""
    if isinstance(draft, Skip):
        return draft
    try:
        stage(draft)
    except ParseError as error:
        return Skip(draft.file.root, draft.file.path, error.what)
    except (RecursionError, ValueError, MemoryError) as error:
        said = f"cannot be parsed: {type(error).__name__}: {error}"[:300]
        return Skip(draft.file.root, draft.file.path, said)
    return draft


def _cut(draft: _Draft) -> None:
    """Cut the document into chunks."""
    from indexer.chunk import chunk

    draft.chunks = chunk(draft.document)


def _list(draft: _Draft) -> None:
    """Write everything down as rows."""
    from indexer.chunk import content_key

    keys = list(map(content_key, draft.chunks))
    draft.rows = rows_of(draft.document, draft.chunks, keys, draft.events)


def _analyse(draft: _Draft) -> None:
    """Turn the text into tokens and the facts into filters."""
    draft.entry = entry_of(draft.document, draft.chunks)
