"""Where a written link leads: the document, without its fragment."""

from __future__ import annotations

import re
from urllib.parse import unquote

from indexer.types import Link

_SCHEME = re.compile(r"[a-zA-Z][\w+.-]*:|//|#")


def relative_link(target: str, line: int, display: str = "") -> Link | None:
    """The link to a file of the vault that a URL reference means; None for other sites and the same page."""
    if not target or _SCHEME.match(target):
        return None
    path, _, fragment = target.partition("#")
    name = unquote(path.partition("?")[0]).strip()
    return Link(name, line, unquote(fragment), "" if display == name else display, wiki=False) if name else None
