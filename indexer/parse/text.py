"""Plain text: paragraphs between blank lines."""

from __future__ import annotations

from posixpath import basename, splitext

from indexer.parse.blanking import blank_data
from indexer.parse.content import Content, ParseOptions
from indexer.types import Block, SourceFile


def read(file: SourceFile, text: str, options: ParseOptions) -> Content:
    """Read a text file; its title is its name, its blocks are paragraphs."""
    text, problems = blank_data(text)
    lines = text.split("\n")
    return Content(
        title=splitext(basename(file.path))[0],
        text=text,
        blocks=tuple(
            Block("paragraph", start, end, "\n".join(lines[start - 1 : end])) for start, end in runs_of_text(lines)
        ),
        problems=problems,
    )


def runs_of_text(lines: list[str]) -> list[tuple[int, int]]:
    """First and last line numbers (1-based, inclusive) of each run of lines that are not blank."""
    runs: list[tuple[int, int]] = []
    start = 0
    for number, line in enumerate(lines, 1):
        if line and not line.isspace():
            start = start or number
        elif start:
            runs.append((start, number - 1))
            start = 0
    if start:
        runs.append((start, len(lines)))
    return runs
