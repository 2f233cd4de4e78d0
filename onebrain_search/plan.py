"""Settings -> what to index and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.parse import PARSERS, ParseOptions
from indexer.plan import Plan, Progress, Vectors
from indexer.scan import ScanRules
from indexer.types import Kind, Root
from onebrain_search.config import Config, apart
from onebrain_search.forgotten import of_root

if TYPE_CHECKING:
    from indexer.embed import Embedder, Remote

# Data and settings files say little among notes; code folders are searched whole.
DATA_SUFFIXES = frozenset(".json .json5 .jsonc .ini .cfg .conf .properties .yaml .yml .toml .xml .csv".split())


def roots(config: Config) -> list[Root]:
    """Return the vault and the code folders."""
    return [Root("", config.vault, "note"), *(Root(folder.name, folder.path, "code") for folder in config.code)]


def parse_options(config: Config) -> ParseOptions:
    """Return what the parsers are told by the settings."""
    rules = config.redact
    if "all" in rules:
        from indexer.redact import RULES as rules  # noqa: N811

    return ParseOptions(date_keys=config.date_keys, comments=config.comments, redact=rules)


def remote(config: Config) -> Remote | None:
    """Return the embeddings server of the settings, None without one."""
    from indexer.embed import Remote

    settings = config.embedding
    return Remote(settings.url, settings.api_key_env) if settings.url else None


def vectors(config: Config, model: Callable[[], Embedder], *, apart: bool = False) -> Callable[[], Vectors]:
    """Return how vectors are made, asked for when there is something to embed; `model` opens the query embedder.

    `apart`: many are made in a process of its own, so that this one stays small.
    """

    def open_vectors() -> Vectors:
        """Return the model's fingerprint and width, and the embedder for a number of texts."""
        from indexer.embed import are_few, document_embedder_for
        from indexer.embed.apart import Apart

        asked, server, name = model(), remote(config), config.embedding.model
        bulk = Apart(asked)

        def embedder(count: int) -> Embedder:
            """Return the one that has so many done first."""
            far = apart and server is None and not are_few(count, name)
            return bulk if far else document_embedder_for(count, name, remote=server)

        return Vectors(asked.fingerprint, asked.dimension, embedder, release=bulk.close)

    return open_vectors


def plan(
    config: Config,
    state: Path,
    *,
    forgotten: tuple[str, ...] = (),
    vectors: Callable[[], Vectors] | None = None,
    accept_emptied: bool = False,
    progress: Progress,
) -> Plan:
    """Return the plan of an index run; `forgotten` are written forms of what stays out."""
    kinds: dict[str, Kind] = {suffix: row.kind for suffix, row in PARSERS.items()}
    rules = ScanRules(
        suffixes={suffix: kind for suffix, kind in kinds.items() if suffix not in DATA_SUFFIXES},
        exclude=config.exclude,
        apart=apart(config, state),
        max_bytes=int(config.max_file_mb * 1_000_000),
        gitignore=config.gitignore,
        hidden=config.hidden,
        download=config.download,
    )
    # A path in `exclude` is one of the vault; names and patterns without a slash count in code folders too.
    names = tuple(entry for entry in config.exclude if "/" not in entry.rstrip("/"))
    code = replace(rules, suffixes=kinds, exclude=names, apart=frozenset())
    return Plan(
        roots=tuple(roots(config)),
        rules={
            root.name: replace(code if root.name else rules, forgotten=of_root(forgotten, root.name))
            for root in roots(config)
        },
        parse_options=parse_options(config),
        vectors=vectors,
        accept_emptied=accept_emptied,
        progress=progress,
    )
