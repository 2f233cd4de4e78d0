"""What stands inside a line of Markdown: tags, links, fields, block ids; and the Markdown reader itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote

from indexer.types import Link

# A tag begins a line or stands after white space, an opening bracket or quote, or CJK punctuation; it ends at white
# space or punctuation other than - _ /, so that marks of Thai or Devanagari and emoji stay in it. A dot between small
# letters belongs to it: Dendron nests tags with dots, and there is `#node.js`.
_TAG = re.compile(
    r"(?<![^\s(（\[「『“‘\"'，。、；：,;>])"
    r"#((?:[^\s!-,.:-@\[-^`{-~\u00a1-\u00bf\u2000-\u200b\u200e-\u206f\u3000-\u303f"
    r"\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]|(?<=[a-z0-9_-])\.(?=[a-z]))+)"
)
_BEFORE_TAG = frozenset(b" \t\n([\"',;>")
_HEX_COLOUR = re.compile(r"(?=\D*\d)[0-9a-fA-F]{6}(?:[0-9a-fA-F]{2})?$")
BLOCK_ID = re.compile(r"(?:^|[ \t])\^([A-Za-z0-9-]+)$")
CALLOUT = re.compile(r"\[![^\]\n]{1,60}\][+-]?[ \t]*")
_FIELD = re.compile(r"^[ \t]*([^\W\d][\w -]{0,40})(?<! )::[ \t]+(\S.*)$", re.MULTILINE)
_INLINE_FIELD = re.compile(r"[\[(]([^\W\d][\w -]{0,40})(?<! )::[ \t]+([^\])\n]{1,300})[\])]")
_SCHEME = re.compile(r"[a-zA-Z][\w+.-]*:|//|#")


@cache
def markdown() -> Any:
    """The Markdown reader with the extensions notes use; front matter is read before it and no extension of it."""
    from pyromark import Markdown, Options

    return Markdown(
        options=Options.ENABLE_GFM
        | Options.ENABLE_WIKILINKS
        | Options.ENABLE_TABLES
        | Options.ENABLE_TASKLISTS
        | Options.ENABLE_FOOTNOTES
        | Options.ENABLE_STRIKETHROUGH
        | Options.ENABLE_MATH
    )


def code_spans(text: str) -> list[tuple[int, int]]:
    """Offsets (in characters) of fences, indented code and code in backticks, in order."""
    spans: list[tuple[int, int]] = []
    for event, span in markdown().events_with_range(text, merge_text=True):
        if type(event) is dict and ("Code" in event or "CodeBlock" in (event.get("Start") or ())):
            spans.append((span["start"], span["end"]))
    return spans if text.isascii() else _in_characters(text.encode(), spans)


def _in_characters(source: bytes, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Byte ranges (in order) as ranges of characters."""
    found, last, count = [], 0, 0
    for start, end in spans:
        count += len(source[last:start].decode())
        width = len(source[start:end].decode())
        found.append((count, count + width))
        count, last = count + width, end
    return found


def tags_in(source: bytes, start: int, end: int) -> Iterator[str]:
    """Tags in a byte range of the source, where an escaped `#` still shows its backslash."""
    raw = source[start:end].decode()
    if start and source[start - 1] not in _BEFORE_TAG:
        raw = "x" + raw
    for match in _TAG.finditer(raw):
        if tag := as_tag(match[1]):
            yield tag


def as_tag(name: str) -> str:
    """The name as a tag, "" for what is only numbers or a hex colour."""
    name = name.strip("/")
    if not any(char.isalpha() or char > "\u2fff" for char in name) or _HEX_COLOUR.match(name):
        return ""
    return name


def fields_in(text: str) -> Iterator[tuple[str, str]]:
    """`key:: value` lines (Logseq, Dataview), then bracketed inline fields."""
    for pattern in (_FIELD, _INLINE_FIELD):
        for match in pattern.finditer(text):
            yield match[1].strip(), match[2].strip()


def as_link(payload: dict[str, Any], display: str, line: int, embed: bool) -> Link | None:
    """A wikilink, an embed or a relative link; None for URLs, pictures and links inside the note.

    `payload` is what the Markdown reader says of a link: link_type (wikilinks: a mapping), dest_url.
    """
    wiki = type(payload["link_type"]) is dict
    target: str = payload["dest_url"]
    if not target or _SCHEME.match(target) or (not wiki and (embed or payload["link_type"] == "Email")):
        return None
    if wiki and display == target:
        display = ""
    target = target.rstrip("\\") if wiki else unquote(target)
    name, mark, fragment = target.partition("#")
    if not mark and wiki:
        name, mark, fragment = target.partition("^")
        fragment = mark + fragment
    name = name.strip()
    return Link(name, line, fragment, display, embed, wiki) if name else None
