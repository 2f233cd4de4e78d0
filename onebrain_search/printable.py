"""Text that cannot drive a terminal, whatever stands in the notes."""

from __future__ import annotations

import re

# What steers the terminal or the direction of text; a line break and a tab are harmless.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_STRAY = re.compile("[\ud800-\udfff]")


def whole(text: str) -> str:
    """Return text without halves of characters, as cut JSON and broken arguments hold them: no library takes them."""
    return _STRAY.sub("\ufffd", text)


def printable(text: str) -> str:
    """Return text in which control and direction-override characters have visible stand-ins."""
    return _CONTROL.sub(lambda match: chr(0x2400 + ord(match[0])) if match[0] < " " else "�", text)


def one_line(text: str) -> str:
    """Return printable text in which a line break has a stand-in, too: the name of a file can hold one."""
    return printable(text).replace("\n", "␊")


def printable_json(text: str) -> str:
    """Return JSON text with the same characters as escapes: they stand in its strings only."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
