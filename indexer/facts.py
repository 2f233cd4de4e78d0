"""What ranking asks of documents: their other names, how many links lead to them, and what replaced what."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from indexer.catalog import Catalog
from indexer.tables import link_name

_BATCH = 250  # documents a statement: each binds two variables, and SQLite's limit is 999 on old builds


@dataclass(frozen=True, slots=True)
class Facts:
    """What ranking asks of a document: its other names, how many links lead to it, and what replaced what.

    `status` is that of its header, or of its only event; all names but the aliases are link names.
    """

    aliases: tuple[str, ...]
    links: int
    status: str
    name: str
    supersedes: tuple[str, ...]
    superseded_by: tuple[str, ...]


def facts(catalog: Catalog, places: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Facts]:
    """Return facts on documents by (root, path); links are counted by the names they are written with."""
    found: dict[tuple[str, str], Facts] = {}
    for at in range(0, len(places), _BATCH):
        part = places[at : at + _BATCH]
        marks = ",".join(["(?,?)"] * len(part))
        # The join in this order looks each place up; `(root, path) IN (VALUES …)` reads all documents.
        links = "(SELECT COUNT(*) FROM links WHERE name = d.name AND document <> d.id)"
        event = "(SELECT CASE COUNT(*) WHEN 1 THEN MAX(status) END FROM events WHERE document = d.id)"
        rows = catalog.rows(
            f"WITH wanted (root, path) AS (VALUES {marks})"
            f" SELECT d.root, d.path, aliases, meta, name, {links}, {event}"
            " FROM wanted CROSS JOIN documents d ON d.root = wanted.root AND d.path = wanted.path",
            [value for place in part for value in place],
        )
        for root, path, aliases, meta, name, count, status in rows:
            fields = _fields(meta) if len(meta) > 2 else {}
            found[root, path] = Facts(
                tuple(json.loads(aliases)) if len(aliases) > 2 else (), count,
                str(fields.get("status") or status or "").casefold(), name,
                _linked(fields.get("supersedes")), _linked(fields.get("superseded_by")),
            )  # fmt: skip
    return found


def _fields(meta: str) -> dict[str, Any]:
    """Return the fields of a header by their names in one spelling."""
    return {key.casefold().replace("-", "_"): value for key, value in json.loads(meta).items()}


def _linked(value: Any) -> tuple[str, ...]:
    """Return the link names that a front matter value holds: one or a list, as wikilinks, paths or bare names."""
    values = value if isinstance(value, list) else [value] if value else []
    return tuple(link_name(str(each).strip("[] ").partition("|")[0].partition("#")[0]) for each in values)
