"""What stands inside a line of Org: links and emphasis."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.parse.targets import relative_link
from indexer.types import Link

_LINK = re.compile(r"\[\[([^\[\]\n]{1,500})\](?:\[([^\[\]\n]{1,500})\])?\]")
_EMPHASIS = re.compile(r"(?<![^\s(\[{'\"-])([*=~])(\S(?:[^\n]{0,300}?\S)?)\1(?=[\s.,;:!?)\]}'\"-]|$)")
_PATH = re.compile(r"(?:\.{1,2})?/|.*\.org$", re.IGNORECASE)


def rendered(text: str) -> str:
    """Text with links as they are shown and without the marks of bold, code and verbatim."""
    if "[[" in text:
        text = _LINK.sub(lambda match: match[2] or match[1].removeprefix("file:"), text)
    if "*" in text or "=" in text or "~" in text:
        text = _EMPHASIS.sub(r"\2", text)
    return text


def links_in(line: str, number: int) -> Iterator[Link]:
    """Links of a line to other files (`file:x.org::*Heading`, `./x.org`) and to ids (`id:…`)."""
    if "[[" not in line:
        return
    for match in _LINK.finditer(line):
        target, display = match[1].strip(), match[2] or ""
        if target.startswith("id:"):
            name, _, fragment = target[3:].partition("::")
            if name:
                yield Link(name, number, fragment.lstrip("*#"), display)
            continue
        path, _, fragment = target.partition("::")
        is_file = path.startswith("file:")
        path = path.removeprefix("file:")
        link = relative_link(path.replace("#", "%23"), number, display) if is_file or _PATH.match(path) else None
        if link:
            yield Link(link.target, number, fragment.lstrip("*#"), link.display, wiki=False)
