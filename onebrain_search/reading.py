"""An address -> the lines it names: `path`, `path:40`, `path:40:20`, `path#Heading`, `path#^block`, `name:path`.

And hits -> hits as their files stand now, where those changed since they were indexed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.errors import NotFound, OneBrainError
from indexer.scan import inside
from indexer.snapshot import Snapshot
from indexer.types import Chunk, Document, Kind, SourceFile, changed_ns, written
from onebrain_search.types import Hit

if TYPE_CHECKING:
    from indexer.parse import ParseOptions

LINES = 40  # shown from a line on when the address names no count
_ADDRESS = re.compile(r"(?P<path>.+?)(?::(?P<line>\d{1,18})(?::(?P<count>\d{1,18}))?)?$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a file as they stand there now, `start_line..end_line` of `line_count`."""

    root: str
    path: str
    start_line: int
    end_line: int
    line_count: int
    text: str
    file: Path

    @property
    def address(self) -> str:
        """The written form of where this stands."""
        return f"{written(self.root, self.path)}:{self.start_line}"


def read(address: str, roots: Mapping[str, Path], options: ParseOptions | None = None) -> Passage:
    """Return the lines that an address names; `roots` are the folders by name, the vault's is `""`.

    Raises NotFound for a path outside of the roots, a missing file, line, heading or block.
    """
    match = _ADDRESS.match(address.strip())
    if not match:
        raise NotFound("an empty address", fix="write path, path:line, path:line:count or path#Heading")
    root, path, fragment, file = _file(match["path"], roots)
    document = _document(root, path, file, options)
    lines = document.text.split("\n") if document.meta.get("extracted") else _raw_lines(file)
    start, end = 1, len(lines)
    if fragment:
        start, end = _section(document, fragment, len(lines))
    elif match["line"]:
        start = int(match["line"])
        end = start + int(match["count"] or LINES) - 1
    if not 1 <= start <= len(lines):
        where = f"{written(root, path)} has {len(lines)} lines"
        raise NotFound(f"there is no line {start}", where=where, fix="ask for a line in that range")
    end = min(end, len(lines))
    return Passage(root, path, start, end, len(lines), "\n".join(lines[start - 1 : end]), file)


def current(
    snapshot: Snapshot, hits: Iterable[Hit], roots: Mapping[str, Path], options: ParseOptions | None = None
) -> list[Hit]:
    """Return the hits, those whose file changed or went away since it was indexed marked as stale.

    What such a hit shows is the passage as it reads and where it stands now, or what was indexed where it is gone.
    """
    changed: dict[tuple[str, str], bool] = {}
    found = []
    for hit in hits:
        place = (hit.chunk.root, hit.chunk.path)
        if place not in changed:
            changed[place] = place[0] in roots and _changed(snapshot, *place, roots[place[0]] / place[1])
        stale = changed[place]
        found.append(replace(hit, stale=True, chunk=_reread(hit.chunk, roots, options)) if stale else hit)
    return found


def _changed(snapshot: Snapshot, root: str, path: str, file: Path) -> bool:
    """Whether a file is not what the catalog knows: by size and time, by content where it was indexed fresh."""
    ask = "SELECT size, mtime_ns, digest FROM documents WHERE root = ? AND path = ?"
    try:
        info = file.stat()
        for size, time, digest in snapshot.catalog.rows(ask, (root, path)):
            if size < 0:
                return str(digest) != blake2b(file.read_bytes(), digest_size=16).hexdigest()
            return bool((size, time) != (info.st_size, changed_ns(info)))
    except OSError:
        pass
    return True


def _reread(chunk: Chunk, roots: Mapping[str, Path], options: ParseOptions | None) -> Chunk:
    """Return a passage as it stands in its file now, as it was where that cannot be read."""
    try:
        document = _document(chunk.root, chunk.path, inside(roots[chunk.root], chunk.path), options)
    except (OneBrainError, OSError):
        return chunk
    now, before = document.text.split("\n"), chunk.text.split("\n")
    first = _moved_to(before, now, chunk.start_line - 1)
    lines = now[first : first + len(before)]
    if not any(map(str.strip, lines)):
        return chunk
    return replace(chunk, text="\n".join(lines), start_line=first + 1, end_line=first + len(lines))


def _moved_to(before: Sequence[str], now: Sequence[str], start: int) -> int:
    """Return where a passage begins now, from 0: where most of its lines stand together, nearest to where it was."""
    places: dict[str, list[int]] = {}
    for number, line in enumerate(now):
        places.setdefault(line, []).append(number)
    agreed = Counter(at - n for n, line in enumerate(before) if line.strip() for at in places.get(line, ()))
    return max(0, max(agreed, key=lambda at: (agreed[at], -abs(at - start)), default=start))


def _file(written_path: str, roots: Mapping[str, Path]) -> tuple[str, str, str, Path]:
    """Return (root, path, fragment, file) of a written path; a name before a colon is a code folder's."""
    name, colon, rest = written_path.partition(":")
    root, path = (name, rest) if colon and name in roots and name else ("", written_path)
    file = inside(roots[root], path)
    fragment = ""
    if not _is_file(file) and "#" in path:
        path, _, fragment = path.partition("#")
        file = inside(roots[root], path)
    if not _is_file(file) and not Path(path).suffix:
        path, file = f"{path}.md", inside(roots[root], f"{path}.md")
    if not _is_file(file):
        raise NotFound("there is no such file", where=written(root, path), fix="take a path from `search`")
    return root, path, fragment, file


def _is_file(file: Path) -> bool:
    """Whether there is a file; a name that the system cannot have, one too long, is none."""
    try:
        return file.is_file()
    except OSError:
        return False


def _document(root: str, path: str, file: Path, options: ParseOptions | None) -> Document:
    """Return a file as a document, for its headings and block ids."""
    from indexer.parse import parse

    kind: Kind = "code" if root else "note"
    info = file.stat()
    return parse(SourceFile(root, path, kind, info.st_size, changed_ns(info)), file.read_bytes(), options)


def _raw_lines(file: Path) -> list[str]:
    """Return the lines of a file, nothing blanked."""
    from indexer.parse.decoding import decode

    text, _ = decode(file.read_bytes(), str(file))
    return text.removesuffix("\n").split("\n")


def _section(document: Document, fragment: str, count: int) -> tuple[int, int]:
    """Return the lines of a heading's section or of the block with an id."""
    if fragment.startswith("^"):
        line = document.block_ids.get(fragment[1:])
        if line is not None:
            around: Sequence[tuple[int, int]] = [
                (b.start_line, b.end_line) for b in document.blocks if b.start_line <= line <= b.end_line
            ]
            return around[0] if around else (line, line)
    headings = [b for b in document.blocks if b.kind == "heading"]
    for n, block in enumerate(headings):
        if block.text.casefold() == fragment.rpartition("#")[2].strip().casefold():
            after = [b.start_line - 1 for b in headings[n + 1 :] if b.level <= block.level]
            return block.start_line, after[0] if after else count
    where = written(document.root, document.path)
    raise NotFound(f"there is no heading or block {fragment!r}", where=where, fix="leave the part after # out")
