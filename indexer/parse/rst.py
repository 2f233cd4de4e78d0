"""reStructuredText: docutils finds the structure, which is read from its tree; text inside a line is read here.

docutils takes 25 ms for a PEP of 20 kB with its inline parser and 9 without, hence the division. No directive may
read a file or a URL.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from posixpath import basename, splitext
from typing import Any

from indexer.parse import text as plain
from indexer.parse.blanking import blank_data
from indexer.parse.content import Content, ParseOptions
from indexer.parse.rst_blocks import RstBlocks
from indexer.parse.rst_inline import pep_link, rendered
from indexer.types import Link, SourceFile

_ODD_SPACES = str.maketrans("\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029", " " * 9)  # docutils ends lines there
_PEP_FIELDS = ("Replaces", "Superseded-By", "Requires")
_NUMBERS = re.compile(r"\d{1,4}")
_MOST = 400_000  # characters whose structure is read, three times the longest PEP: docutils takes 2-8 s for so many
_MOST_PROBLEMS = 3
_ERROR = 3  # docutils' level of a fault that loses text or structure


def read(file: SourceFile, text: str, options: ParseOptions) -> Content:
    """Read a file; the field list at its top, or a PEP's header, is its meta data and stays in its text."""
    text, giants = blank_data(text)
    stem = splitext(basename(file.path))[0]
    try:
        if len(text) > _MOST:
            raise ValueError(f"it has over {_MOST:,} characters")
        tree, problems = _tree(text)
        found = RstBlocks(tree, text.split("\n"), options.comments)
    except Exception as error:  # docutils met what it did not expect: the text is still worth finding
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:120]
        content = plain.read(file, text, options)
        return replace(content, problems=(*giants, f"structure not read, {reason}: taken as plain text"))
    title = " ".join(rendered(found.meta.get("Title", "")).split()) or found.first_heading or stem
    pep = found.meta.get("PEP", "")
    return Content(
        title=title,
        text="\n".join(found.lines),
        blocks=tuple(found.blocks),
        aliases=(*([f"PEP {pep}"] if pep.isdigit() else []), *([] if title == stem else [stem])),
        meta=found.meta,
        links=(*(_header_links(found) if pep else []), *found.links),
        problems=(*giants, *problems),
    )


def _header_links(found: RstBlocks) -> list[Link]:
    """Links of a PEP's header to the PEPs it replaces, needs or gave way to."""
    return [
        pep_link(number, found.field_lines[name], name)
        for name in _PEP_FIELDS
        for number in _NUMBERS.findall(found.meta.get(name, ""))
    ]


def _tree(text: str) -> tuple[Any, list[str]]:
    """The document tree of docutils, and the faults it reports; what only Sphinx or a role knows is none."""
    from docutils.parsers.rst import Parser
    from docutils.utils import new_document

    problems: list[str] = []

    def note(message: Any) -> None:
        """Keep a message about a real fault."""
        said = message.children[0].astext() if message.children else ""
        if message["level"] >= _ERROR and "directive" not in said and len(problems) < _MOST_PROBLEMS:
            problems.append(f"line {message.get('line', '?')}: {said[:100]}")

    tree = new_document("", _settings())
    tree.reporter.attach_observer(note)
    Parser(rfc2822=True, inliner=_as_written()).parse(text.translate(_ODD_SPACES), tree)
    return tree, problems


@cache
def _settings() -> Any:
    """Settings of docutils that keep it silent and away from files: no inclusion, no raw input, no highlighting."""
    from docutils.frontend import get_default_settings
    from docutils.parsers.rst import Parser

    settings = get_default_settings(Parser)
    settings.file_insertion_enabled = settings.raw_enabled = False
    settings.warning_stream = False
    settings.report_level, settings.halt_level = 5, 6
    settings.syntax_highlight = "none"
    settings.line_length_limit = _MOST
    return settings


@cache
def _as_written() -> Any:
    """An inline parser that leaves text as it is."""
    from docutils.nodes import Text

    class AsWritten:
        """What docutils' block parser asks of an inline parser."""

        def init_customizations(self, settings: Any) -> None:
            """Take no settings."""

        def parse(self, text: str, line: int, memo: Any, parent: Any) -> tuple[list[Any], list[Any]]:
            """Give the text back whole, without messages."""
            return [Text(text)], []

        def adjust_uri(self, uri: str) -> str:
            """Leave the address of a link target alone."""
            return uri

    return AsWritten()
