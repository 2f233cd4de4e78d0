"""Tables of facts as JSON: words of routes and purposes, domains and what they are worth.

Hosts of package indexes stand there with a bracketed dot (`name[.]org`), so that no tool takes the files for a list
of links; the dot is put back here.
"""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def load(name: str) -> Any:
    """Return a table by its name, read once."""
    import json
    from importlib.resources import files

    text = (files(__name__) / f"{name}.json").read_text("utf-8")
    return json.loads(text.replace("[.]", "."))
