"""Formats that are JSON: the one object they consist of."""

from __future__ import annotations

import json
from typing import Any

from indexer.errors import ParseError
from indexer.parse.decoding import decode
from indexer.types import SourceFile, written


def load_object(file: SourceFile, data: bytes) -> dict[str, Any]:
    """Return the object that a file holds, {} for an empty file. Raises ParseError for anything else."""
    where = written(file.root, file.path)
    text, _ = decode(data, where)
    if not text.strip():
        return {}
    try:
        value = json.loads(text)
    except RecursionError:
        raise ParseError("its JSON is nested too deeply", where=where) from None
    except ValueError as error:
        raise ParseError(f"not valid JSON: {error}"[:200], where=where) from None
    if not isinstance(value, dict):
        raise ParseError("its JSON is no object", where=where)
    return value
