"""Settings -> what to index and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from indexer import scan
from indexer.parse import PARSERS, ParseOptions
from indexer.plan import Plan, Progress, Vectors
from indexer.snapshot import exists
from indexer.types import Kind, Root
from onebrain_search.config import Config, apart
from onebrain_search.forgotten import of_root

# Data and settings files say little among notes; code folders are searched whole.
DATA_SUFFIXES = frozenset(".json .json5 .jsonc .ini .cfg .conf .properties .yaml .yml .toml .xml .csv".split())


def roots(config: Config) -> list[Root]:
    """Return the vault and the code folders."""
    return [Root("", config.vault, "note"), *(Root(folder.name, folder.path, "code") for folder in config.code)]


def folders(config: Config) -> dict[str, Path]:
    """Return the folders of the roots by their names."""
    return {root.name: root.folder for root in roots(config)}


def parse_options(config: Config) -> ParseOptions:
    """Return what the parsers are told by the settings."""
    rules = config.redact
    if "all" in rules:
        from indexer.redact import RULES as rules  # noqa: N811

    return ParseOptions(date_keys=config.date_keys, comments=config.comments, redact=rules)


def refuse_unbounded(config: Config, *, yes: bool = False) -> None:
    """Raise ScanError where the vault or a code folder is a home folder or a drive, unless the user said yes."""
    for root in roots(config):
        scan.refuse_unbounded(root.folder, yes=yes)


def check_new(config: Config, state: Path) -> None:
    """Raise ScanError for a vault without an index that is a home folder, a drive, or not there.

    One with an index was allowed before, and was there: it is waited for when it is away.
    """
    if not exists(state):
        refuse_unbounded(config)
        scan.check_listable(roots(config)[0])


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
    rules = scan.ScanRules(
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
            root.name: replace(
                code if root.name else rules, forgotten=of_root(forgotten, root.name, config.root_folders())
            )
            for root in roots(config)
        },
        parse_options=parse_options(config),
        vectors=vectors,
        accept_emptied=accept_emptied,
        progress=progress,
    )
