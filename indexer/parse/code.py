"""Source code and settings files: definitions found by one cautious pattern a language family."""

from __future__ import annotations

import re
from posixpath import basename, splitext

from indexer.parse.blanking import blank_data
from indexer.parse.content import Content, ParseOptions
from indexer.parse.text import runs_of_text
from indexer.types import Block, SourceFile

_LONGEST = 400  # characters of a line that may define something; longer ones are generated or data
_MODIFIERS = (
    r"(?:(?:public|private|protected|internal|static|final|abstract|sealed|virtual|override|async|export|default|"
    r"declare|partial|readonly|open|data|inline|extern|unsafe|const|pub(?:\([\w:, ]{1,40}\))?|case|implicit|native|"
    r"synchronized|suspend|mutating|fileprivate)\s+){0,6}"
)
_TYPES = r"(?:class|interface|enum|struct|trait|object|protocol|extension|namespace|module|record|union)"
_RESERVED = frozenset(
    word
    for line in (
        "if for while switch return else catch do try sizeof throw await",
        "yield case when elif until in not and or",
    )
    for word in line.split()
)
_NOT_FIRST = _RESERVED | {"new"}

# family -> pattern; the name is the last group that matched. One line each, matched at the line's start.
_PATTERNS = {
    "python": r"\s*(?:async\s+)?(?:def|class|cdef class|cpdef \w+)\s+(\w+)",
    "script": rf"\s*{_MODIFIERS}(?:(?:function\s*\*?|class|interface|enum|namespace|type)\s+([\w$]+)"
    r"|(?:const|let|var)\s+([\w$]+)\s*(?::[^=]{1,120})?=\s*(?:async\s*)?(?:function\b|\([^)]{0,200}\)[^=]{0,80}=>|\w+\s*=>))",
    "go": r"(?:func\s+(?:\([^)]{0,120}\)\s*)?(\w+)|type\s+(\w+))",
    "rust": rf"\s*{_MODIFIERS}(?:(?:fn|struct|enum|trait|mod|union|type|macro_rules!)\s+(\w+)"
    r"|impl(?:<[^{]{0,120}>)?\s+([\w:<>, ]{1,120}?)\s*(?:where\b|\{|$))",
    "braces": rf"\s*{_MODIFIERS}(?:{_TYPES}\s+(\w+)|(?:fun|func|def|typealias|init)\s+(?:<[^>]{{0,80}}>\s*)?([\w.]+)"
    r"|[\w<>\[\],.?*&:~]{1,80}(?:\s+[\w<>\[\],.?*&:~]{1,80}){0,3}\s+[*&]{0,2}([\w:~]+)\s*\([^;]{0,250}$"
    r"|#define\s+(\w+)\()",
    "ruby": r"\s*(?:def|class|module)\s+([\w.:?!=]+)",
    "elixir": r"\s*(?:defmodule|defp?|defmacro|defprotocol)\s+([\w.?!]+)",
    "shell": r"\s*(?:function\s+([\w:-]+)|([\w:-]+)\s*\(\)\s*\{?)",
    "sql": r"\s*create\s+(?:or\s+replace\s+)?(?:\w+\s+){0,2}?(?:table|view|function|procedure|index|trigger|type)\s+"
    r"(?:if\s+not\s+exists\s+)?([\w.\"`\[\]]+)",
    "lua": r"\s*(?:local\s+)?function\s+([\w.:]+)",
    "r": r"\s*([\w.]+)\s*(?:<-|=)\s*function\b",
    "julia": r"\s*(?:function|macro|module|(?:mutable\s+)?struct|abstract\s+type)\s+([\w.!]+)",
    "php": rf"\s*{_MODIFIERS}(?:{_TYPES}|function)\s+&?(\w+)",
    "proc": r"\s*(?:sub|package|proc|function!?)\s+([\w:.-]+)",
    "section": r"\[{1,2}([^\]]{1,120})\]",
    "keys": r"([\w.-]{1,80}):(?:\s|$)",
    "lisp": r"\s*\((?:def\w*|define|cl-defun)\s+\(?([^\s()]+)",
}
_FAMILIES = {
    "python": "py pyi pyx",
    "script": "js jsx ts tsx mjs cjs vue svelte",
    "go": "go",
    "rust": "rs",
    "braces": "java c h cc cpp cxx hh hpp hxx cs kt kts scala swift dart groovy gradle m mm sol v zig proto",
    "ruby": "rb rake",
    "elixir": "ex exs",
    "shell": "sh bash zsh fish",
    "sql": "sql",
    "lua": "lua",
    "r": "r",
    "julia": "jl",
    "php": "php",
    "proc": "pl pm tcl vim ps1",
    "section": "toml ini cfg conf",
    "keys": "yaml yml",
    "lisp": "lisp el clj cljs scm",
}
_FAMILY_OF = {f".{word}": family for family, words in _FAMILIES.items() for word in words.split()}


def read(file: SourceFile, text: str, options: ParseOptions) -> Content:
    """Read a source file: its title is its name; `definition` blocks overlap the `code` blocks, sorted by line."""
    text, problems = blank_data(text)
    lines = text.split("\n")
    blocks = [Block("code", start, end) for start, end in runs_of_text(lines)]
    family = _FAMILY_OF.get(splitext(file.path)[1].lower())
    if family:
        blocks += _definitions(lines, re.compile(_PATTERNS[family], re.IGNORECASE if family == "sql" else 0))
        blocks.sort(key=lambda block: (block.start_line, block.kind != "definition", block.end_line))
    return Content(title=basename(file.path), text=text, blocks=tuple(blocks), problems=problems, dated=False)


def _definitions(lines: list[str], pattern: re.Pattern[str]) -> list[Block]:
    """Definitions with their nesting; each reaches to the next one that is indented no deeper."""
    found: list[tuple[int, int, str]] = []
    for number, line in enumerate(lines, 1):
        match = pattern.match(line) if line and len(line) <= _LONGEST else None
        if match:
            name = next(filter(None, match.groups()), "")
            if name and name not in _RESERVED and line.split(None, 1)[0] not in _NOT_FIRST:
                found.append((number, _indent(line), name))
    return _closed(found, lines)


def _closed(found: list[tuple[int, int, str]], lines: list[str]) -> list[Block]:
    """Give each (line, indent, name) its last line and level."""
    blocks: list[Block] = []
    open_ones: list[tuple[int, int, str, int]] = []
    for number, indent, name in [*found, (len(lines) + 1, -1, "")]:
        while open_ones and open_ones[-1][1] >= indent:
            start, _, symbol, level = open_ones.pop()
            blocks.append(Block("definition", start, _last_text(lines, start, number - 1), symbol, level))
        open_ones.append((number, indent, name, len(open_ones)))
    return sorted(blocks, key=lambda block: block.start_line)


def _indent(line: str) -> int:
    """Width of the white space a line begins with, a tab counting as 4."""
    blank = line[: len(line) - len(line.lstrip())]
    return len(blank) + 3 * blank.count("\t")


def _last_text(lines: list[str], start: int, end: int) -> int:
    """The last line from `start` to `end` that is not blank."""
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end
