"""One parser a format: a file's bytes in, a Document with file-true lines out.

Adding a format is one module with `read(file, text, options) -> Content` and its rows in PARSERS.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module
from posixpath import basename, splitext
from typing import Any, cast

from indexer.errors import ParseError
from indexer.parse.content import DATE_KEYS, Content, ParseOptions
from indexer.types import Document, Kind, SourceFile, written

__all__ = [
    "CODE_SUFFIXES",
    "DATE_KEYS",
    "NOTE_SUFFIXES",
    "PARSERS",
    "Content",
    "ParseOptions",
    "Parser",
    "parse",
]

Reader = Callable[[SourceFile, Any, ParseOptions], Content]


@dataclass(frozen=True, slots=True)
class Parser:
    """A row of PARSERS: the module of this package that reads the format, and what it reads.

    `raw` formats are given bytes, the others decoded text with `\\n` line ends. Of most raw formats the text is an
    extraction: `meta["extracted"]` is True, and lines are counted in the extracted text.
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
_HTML = Parser("html", raw=True)

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
    ".excalidraw.md": Parser("excalidraw"),
    ".rst": Parser("rst"),
    ".org": Parser("org"),
    ".canvas": Parser("canvas", raw=True),
    ".ipynb": Parser("notebook", raw=True),
    ".html": _HTML,
    ".htm": _HTML,
    ".xhtml": _HTML,
    ".pdf": Parser("pdf", raw=True),
    ".docx": Parser("docx", raw=True),
    ".base": Parser("view", raw=True),
    **{f".{word}": _CODE for word in _CODE_WORDS.split()},
}

NOTE_SUFFIXES = frozenset(suffix for suffix, row in PARSERS.items() if row.kind == "note")
CODE_SUFFIXES = frozenset(suffix for suffix, row in PARSERS.items() if row.kind == "code")


def parse(file: SourceFile, data: bytes, options: ParseOptions | None = None) -> Document:
    """Read one file's bytes as its format; an unknown suffix is read as plain text.

    Raises ParseError when the content is not of the format, or the library that reads it is not installed. All other
    faults end up in `Document.problems`.
    """
    from indexer.parse.covering import covered  # most questions find every file as it was: nothing is read
    from indexer.parse.dates import find_date
    from indexer.parse.decoding import decode
    from indexer.redact import redact

    options = options or ParseOptions()
    row = _row(file.path)
    problems: tuple[str, ...] = ()
    if row.raw:
        content = _extracted(row, file, data, options)
        content, secrets = covered(content, options.redact)
    else:
        text, problems = decode(data, written(file.root, file.path))
        text, secrets = redact(text, options.redact)
        content = row.reader()(file, text, options)
    if secrets:
        problems = (*problems, f"{secrets} secret{'s' * (secrets > 1)} covered")
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


def _row(path: str) -> Parser:
    """The row of a path's suffix; a double one such as `.excalidraw.md` counts before its last part."""
    stem, suffix = splitext(basename(path).lower())
    return PARSERS.get(splitext(stem)[1] + suffix) or PARSERS.get(suffix, _TEXT)


def _extracted(row: Parser, file: SourceFile, data: bytes, options: ParseOptions) -> Content:
    """Read a format that a library takes apart; whatever it raises on a broken file is a ParseError."""
    where = written(file.root, file.path)
    try:
        return row.reader()(file, data, options)
    except ParseError:
        raise
    except ImportError as error:
        raise ParseError(f"needs `pip install onebrain-search[formats]` ({error})", where=where) from error
    except RecursionError:
        raise ParseError("it is nested too deeply", where=where, fix="exclude it") from None
    except Exception as error:  # libraries raise anything on bytes they did not expect
        raise ParseError(f"cannot be read: {type(error).__name__}: {error}"[:200], where=where) from error
