"""What an agent can name as a collection: the vault by its names, its code folders, and its top folders."""

from __future__ import annotations

from pathlib import Path

from onebrain_search import yaml_settings
from onebrain_search.config import Config


def places(config: Config) -> dict[str, list[str]]:
    """Return the names of the `vault`, of its `code` folders, and of its top `folders`."""
    code = [folder.name for folder in config.code]
    return {"vault": names(config), "code": code, "folders": folders(config.vault)}


def names(config: Config) -> list[str]:
    """Return the names of the vault itself: its folder's, and those that OneBrain's settings give it."""
    found = [config.vault.name]
    if config.file is not None:
        top = yaml_settings.sections(config.file)
        search = top.get("search")
        inner = {value.name: value for value in search.pairs()} if search and search.a("map") else {}
        for value in (inner.get("collection"), top.get("qmd_collection")):
            found += [yaml_settings.text(value)] if value is not None and value.a("str") else []
    return list(dict.fromkeys(found))


def folders(vault: Path) -> list[str]:
    """Return the top folders of a vault, none when it is away."""
    try:
        return sorted(entry.name for entry in vault.iterdir() if entry.is_dir() and not entry.name.startswith("."))
    except OSError:
        return []
