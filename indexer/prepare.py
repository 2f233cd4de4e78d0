"""SourceFile -> Prepared: read, parse, chunk and analyse one file, down to the rows that the store takes.

Nothing here knows the index, so it can run in any process (see `indexer.workers`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from indexer.chunk import chunk, content_key
from indexer.errors import ParseError, ScanError
from indexer.scan import read_source
from indexer.tables import Rows, rows_of
from indexer.terms import Entry, entry_of
from indexer.types import Root, Skip, SourceFile

RACY_NS = 2_000_000_000  # a file changed this close to its reading may change again within the same tick
UNSETTLED = -1  # size kept for such a file, so that the next run reads it again


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file as it goes into the index; `file.size` is UNSETTLED when it must be read again the next time."""

    file: SourceFile
    digest: str
    rows: Rows
    entry: Entry


def prepare(root: Root, file: SourceFile, options: Any = None) -> Prepared | Skip:
    """Return a file ready for the store, or why it is left out; what could not be read is a failed skip."""
    from indexer.events import find_events  # these two are loaded when there is something to read
    from indexer.parse import parse

    now = time.time_ns()
    try:
        data = read_source(root, file)
    except FileNotFoundError:
        return Skip(file.root, file.path, "vanished while the run was going on")
    except (OSError, ScanError) as error:
        said = getattr(error, "strerror", None) or str(error)
        return Skip(file.root, file.path, f"cannot be read: {said}", failed=True)
    try:
        document = parse(file, data, options)
        chunks = chunk(document)
        rows = rows_of(document, chunks, [content_key(piece) for piece in chunks], find_events(document))
        entry = entry_of(document, chunks)
    except ParseError as error:
        return Skip(file.root, file.path, error.what)
    except (RecursionError, ValueError, MemoryError) as error:
        return Skip(file.root, file.path, f"cannot be parsed: {type(error).__name__}: {error}"[:300])
    racy = abs(now - file.mtime_ns) < RACY_NS
    return Prepared(replace(file, size=UNSETTLED) if racy else file, document.digest, rows, entry)
