"""One parser a format: a file's bytes in, a Document with file-true lines out.

Adding a format is one module with `read(file, text, options) -> Content` and its rows in PARSERS.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module
from posixpath import splitext
from typing import Any, cast

from indexer.parse.content import Content, ParseOptions
from indexer.parse.dates import DATE_KEYS, Found, find_date
from indexer.parse.decoding import decode
from indexer.parse.written_dates import dates_in
from indexer.types import Document, Kind, SourceFile, written

__all__ = [
    "CODE_SUFFIXES",
    "DATE_KEYS",
    "NOTE_SUFFIXES",
    "PARSERS",
    "Content",
    "Found",
    "ParseOptions",
    "Parser",
    "dates_in",
    "find_date",
    "parse",
]

Reader = Callable[[SourceFile, Any, ParseOptions], Content]


@dataclass(frozen=True, slots=True)
class Parser:
    """A row of PARSERS: the module of this package that reads the format, and what it reads.

    `raw` formats are given bytes, the others decoded text with `\\n` line ends.
    """

    module: str
    kind: Kind = "note"
    raw: bool = False

    def reader(self) -> Reader:
        """Import the module (once) and return its `read`."""
        return cast(Reader, import_module(f"{__name__}.{self.module}").read)


_MARKDOWN = Parser("markdown")
_TEXT = Parser("text")
_CODE = Parser("code", "code")

_CODE_WORDS = (
    "bash bat c cc cfg clj cljs cmake conf cpp cs css cxx dart el elm erl ex exs fish fs go gql gradle graphql "
    "groovy h hcl hh hpp hrl hs hxx ini java jl js json json5 jsonc jsx kt kts less lisp lua m mjs cjs ml mli mm "
    "nim nix pas php pl pm properties proto ps1 py pyi pyx r rake rb rs sass scala scm scss sh sol sql svelte swift "
    "tcl tf toml ts tsx v vb vim vue yaml yml zig zsh"
)

PARSERS: dict[str, Parser] = {
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".mdown": _MARKDOWN,
    ".mkd": _MARKDOWN,
    ".mdx": _MARKDOWN,
    ".qmd": _MARKDOWN,
    ".rmd": _MARKDOWN,
    ".txt": _TEXT,
    ".text": _TEXT,
    **{f".{word}": _CODE for word in _CODE_WORDS.split()},
}

NOTE_SUFFIXES = frozenset(suffix for suffix, row in PARSERS.items() if row.kind == "note")
CODE_SUFFIXES = frozenset(suffix for suffix, row in PARSERS.items() if row.kind == "code")


def parse(file: SourceFile, data: bytes, options: ParseOptions | None = None) -> Document:
    """Read one file's bytes as its format; an unknown suffix is read as plain text.

    Raises ParseError when the content is not text. All other faults end up in `Document.problems`.
    """
    options = options or ParseOptions()
    row = PARSERS.get(splitext(file.path)[1].lower(), _TEXT)
    problems: tuple[str, ...] = ()
    if row.raw:
        content = row.reader()(file, data, options)
    else:
        text, problems = decode(data, written(file.root, file.path))
        content = row.reader()(file, text, options)
    if content.dated:
        found = find_date(content.meta, file.path, file.mtime_ns, options.date_keys, content.title, content.text)
    else:
        found = find_date({}, "", file.mtime_ns)
    return Document(
        root=file.root,
        path=file.path,
        kind=file.kind,
        title=content.title,
        aliases=content.aliases,
        tags=content.tags,
        date=found.date,
        date_source=found.source,
        meta=content.meta,
        text=content.text,
        links=content.links,
        digest=blake2b(data, digest_size=16).hexdigest(),
        problems=(*problems, *content.problems, *found.problems),
        blocks=content.blocks,
        block_ids=content.block_ids,
    )
