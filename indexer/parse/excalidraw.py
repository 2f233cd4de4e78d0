"""Drawings of the Excalidraw plugin: Markdown around megabytes of drawing data, of which the texts are read."""

from __future__ import annotations

import re
from dataclasses import replace

from indexer.parse import markdown
from indexer.parse.content import Content, ParseOptions
from indexer.types import SourceFile

_DRAWING = re.compile(r"^(?:%%[ \t]*\n)?#{1,2} Drawing[ \t]*$|^```compressed-json[ \t]*$", re.MULTILINE)
_FRAME = re.compile(
    r"^(?:==.{0,3}Switch to EXCALIDRAW VIEW.*|%%|#{1,2} (?:Excalidraw Data|(?:Text|Embedded|Element) \w+))[ \t]*$",
    re.MULTILINE,
)


def read(file: SourceFile, text: str, options: ParseOptions) -> Content:
    """Read a drawing as a note, without its data, the plugin's notice and headings, and marks that hide its texts."""
    data = _DRAWING.search(text)
    if data:
        text = text[: data.start()] + "\n" * text.count("\n", data.start())
    content = markdown.read(file, _FRAME.sub("", text), options)
    return replace(content, title=content.title.removesuffix(".excalidraw"))
