"""Which folder is the vault, and where its index lives; without reading settings, so that a client is quick."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from indexer.errors import ConfigError

FILE: Final = "onebrain.yml"
LEGACY_FILE: Final = "vault.yml"
FILES: Final = frozenset([FILE, LEGACY_FILE])
SECTION: Final = "onebrain_search"

_LEGACY_KEYS: Final = re.compile(rf"^(folders|search|qmd_collection|update_channel|{SECTION})\s*:", re.M)
_STATE: Final = re.compile(r"""^[^#\n]*\bstate["']?\s*:""", re.M)


def vault_of(vault: Path | None, environ: Mapping[str, str], *, start: Path | None = None) -> Path:
    """The vault that is given, else `ONEBRAIN_VAULT`, else the one that `start` (the current folder) lies in.

    One that is given or named is taken as it is, whatever lies above it, and need not exist.
    """
    named = environ.get("ONEBRAIN_VAULT")
    if vault is None and named:
        vault = Path(named)
    return discover(start or Path.cwd()) if vault is None else absolute(vault)


def discover(start: Path) -> Path:
    """The vault that a folder belongs to: the nearest one upwards with a settings file, else the folder itself.

    The walk ends at an Obsidian vault or Logseq graph, so that a vault inside a vault is one of its own.
    """
    start = absolute(start)
    for place in (start, *start.parents):
        if settings_file(place) or _there(place / ".obsidian", Path.is_dir) or _there(place / "logseq/config.edn"):
            return place
    return start


def settings_file(vault: Path) -> Path | None:
    """A folder's `onebrain.yml`, or its `vault.yml` if that is OneBrain's and not another tool's."""
    if _there(vault / FILE):
        return vault / FILE
    legacy = vault / LEGACY_FILE
    try:
        ours = _there(legacy) and _LEGACY_KEYS.search(legacy.read_text("utf-8-sig", "replace"))
    except OSError:
        return None  # another tool's secrets, most likely
    return legacy if ours else None


def state_home(environ: Mapping[str, str]) -> Path:
    """The folder of all indexes: `ONEBRAIN_SEARCH_HOME`, or the platform's folder for a program's data."""
    named = environ.get("ONEBRAIN_SEARCH_HOME")
    if named:
        return absolute(Path(named))
    from platformdirs import user_data_dir

    return Path(user_data_dir("onebrain-search", appauthor=False))


def state_folder(vault: Path, environ: Mapping[str, str], *, state: Path | None = None) -> Path:
    """The folder of one vault's index, below `ONEBRAIN_SEARCH_HOME`, the setting `state`, or the data folder.

    Its name is the vault's and 8 hex digits of sha256 of the real path, so links to a vault share its index.
    Raises ConfigError when the user's choice lies inside the vault; the platform's own folder may (the vault is
    then a whole home folder), and `apart` keeps it out of the scan.
    """
    chosen = absolute(state) if state and not environ.get("ONEBRAIN_SEARCH_HOME") else None
    home = chosen or state_home(environ)
    real = Path(os.path.realpath(vault))
    if (chosen or environ.get("ONEBRAIN_SEARCH_HOME")) and Path(os.path.realpath(home)).is_relative_to(real):
        raise ConfigError(
            "the index would lie inside the vault",
            where=str(home),
            fix="set ONEBRAIN_SEARCH_HOME (or `state`) to a folder outside of it",
        )
    name = re.sub(r"[^\w.-]+", "-", real.name)[:40].strip("-.") or "vault"
    return home / f"{name}-{hashlib.sha256(os.fsencode(os.path.normcase(real))).hexdigest()[:8]}"


def may_set_state(vault: Path) -> bool:
    """Whether a vault's settings may name another folder for its index; if not, there is no need to read them."""
    file = settings_file(vault)
    try:
        return file is not None and bool(_STATE.search(file.read_text("utf-8-sig", "replace")))
    except OSError:
        return True


def absolute(path: Path) -> Path:
    """A path from the top, without `~` and `..`; links stay as they are."""
    return Path(os.path.normpath(path.expanduser().absolute()))


def _there(path: Path, kind: Callable[[Path], bool] = Path.is_file) -> bool:
    """Whether a file, or another kind of thing, is there and may be looked at."""
    try:
        return kind(path)
    except OSError:
        return False
