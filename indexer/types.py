"""Value types of the indexing line: files in, documents, chunks, events and a report out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from indexer.labels import day, label

Kind = Literal["note", "code"]
BlockKind = Literal["heading", "paragraph", "item", "row", "fence", "quote", "html", "definition", "code"]


@dataclass(frozen=True, slots=True)
class Root:
    """One folder that is indexed: the vault (name `""`) or a code folder (its configured name)."""

    name: str
    folder: Path
    kind: Kind


@dataclass(frozen=True, slots=True)
class Area:
    """A folder of a root (`""` or `a/b/`) to be looked at again: its own entries, or `deep` all that is below it."""

    root: str
    folder: str
    deep: bool = False

    def holds(self, root: str, path: str) -> bool:
        """Whether a file is looked at, or a folder (`a/b/`) is listed."""
        if root != self.root or not path.startswith(self.folder):
            return False
        return self.deep or path == self.folder or "/" not in path[len(self.folder) :]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file found by the scan; `path` is relative to its root and POSIX, size in bytes."""

    root: str
    path: str
    kind: Kind
    size: int
    mtime_ns: int


def changed_ns(info: os.stat_result) -> int:
    """When a file was last changed in ns, held to what SQLite keeps, 1678 to 2262: clocks can be wrong."""
    return max(-(2**63), min(info.st_mtime_ns, 2**63 - 1))


@dataclass(frozen=True, slots=True)
class Skip:
    """A file or folder that was left unread or only partly read, and why."""

    root: str
    path: str
    reason: str
    failed: bool = False  # True: could not be read, so what is known of it stays (promise 3)


@dataclass(frozen=True, slots=True)
class Link:
    """A reference from a document: a wikilink, an embed or a relative Markdown link."""

    target: str  # as written, without fragment and display text: `Note`, `folder/Note`, `../x.md`
    line: int  # 1-based
    fragment: str = ""  # heading, or `^block`
    display: str = ""
    embed: bool = False
    wiki: bool = True


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of structure with file-true lines (1-based, inclusive).

    `heading`: `level` 1..6, `text` the rendered heading. `item`: `level` the list depth from 1,
    `text` the item's own rendered text without its children. `row`: `cells` of one table row,
    `level` 0 for the header row. `definition`: `text` the symbol's name, `level` its nesting.
    Others: `text` is rendered text for paragraphs and quotes, else empty.
    Blocks do not nest: a list yields one `item` a bullet, each with its own lines only.
    """

    kind: BlockKind
    start_line: int
    end_line: int
    text: str = ""
    level: int = 0
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One parsed file.

    `text` has exactly the lines of the file (split at `\\n` after CRLF and CR are made `\\n`; a form feed or
    U+2028 never ends a line), so line i of `text` is line i of the file. What must not be
    searched (front matter, comments, block ids, data URIs) is blanked in place.
    """

    root: str
    path: str
    kind: Kind
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    date: str | None  # ISO `YYYY-MM-DD`
    date_source: str  # `front matter:KEY`, `file name`, `path`, `title`, `text`, `mtime`, or `""`
    meta: Mapping[str, Any]
    text: str
    links: tuple[Link, ...]
    digest: str  # blake2b-128 of the raw bytes, hex
    problems: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    block_ids: Mapping[str, int] = field(default_factory=dict)  # `^id` without the caret -> line


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document: lines `start_line..end_line` of the file, one line of text each."""

    id: int
    root: str
    path: str
    title: str
    heading: tuple[str, ...]
    text: str
    start_line: int
    end_line: int
    kind: Kind
    symbol: str = ""
    date: str | None = None
    date_source: str = ""

    @property
    def address(self) -> str:
        """The written form `path:line`, with the root's name in front for code folders."""
        return f"{written(self.root, self.path)}:{self.start_line}"


@dataclass(frozen=True, slots=True)
class Condition:
    """One filter on documents. `date` is a range of ISO days, `value..upper` inclusive, either may be empty.

    Other fields: at (one file or folder by its written form), root, kind, ext, lang, type, tag (with all nested
    ones), path (a folder or file name, or a path from the root), title and heading (all words of the value), or `=`
    with a value `key=value` on a front matter key.
    """

    field: str
    value: str
    upper: str = ""
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """A dated thing that happened to a topic: a decision, an outcome, a question, or chatter."""

    id: int
    root: str
    path: str
    line: int
    date: str | None
    date_source: str
    what: str
    reason: str = ""
    kind: str = "decision"  # decision | outcome | question | chatter
    status: str = ""  # "" | accepted | proposed | superseded | rejected | deprecated | withdrawn | deferred
    thread: str = ""
    links: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()

    @property
    def day(self) -> str:
        """When it happened, for people: with a tilde where nobody wrote it down, `undated` where nothing is known."""
        return day(self.date, self.date_source)

    @property
    def label(self) -> str:
        """What happened, behind the name of its record or line where it has one (`RFC-9110: HTTP Semantics`)."""
        return label(self.thread, self.what)


@dataclass(frozen=True, slots=True)
class Report:
    """What an index run did, in files (embedded and pending in chunks).

    added + changed + unchanged is what the index holds of the scanned files; `skipped` and
    `failed` list what it could not take in, `excluded` counts what rules left out.
    """

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    excluded: int = 0
    skipped: tuple[Skip, ...] = ()
    failed: tuple[Skip, ...] = ()
    embedded: int = 0
    pending: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()  # written forms of what was added, changed, moved (to) and removed
    generation: int = 0  # of the index when the run ended

    @property
    def partial(self) -> bool:
        """Whether something could not be read, so that old entries were kept."""
        return bool(self.failed)


def written(root: str, path: str) -> str:
    """The written form of a path: `path` in the vault, `name:path` in a code folder."""
    return f"{root}:{path}" if root else path
