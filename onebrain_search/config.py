"""What the settings of a vault are."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from indexer.parse import DATE_KEYS
from onebrain_search.places import SECTION, settings_file, vault_of
from onebrain_search.web_settings import WebSettings
from onebrain_search.yaml_settings import (
    Value,
    count,
    flag,
    folder,
    group,
    read_group,
    sections,
    setting,
    settings,
    size,
    text,
    texts,
    url,
    whole,
)

AUTO = "auto"  # the packaged model that can read the notes


def _code(value: Value) -> tuple[CodeFolder, ...]:
    """Read the list of code folders, each a mapping or a path alone; a name may stand once."""
    if not value.a("seq"):
        raise value.wrong("a list of folders, each as {name: app, path: ../app}")
    found: dict[str, CodeFolder] = {}
    for item in value.items():
        if item.a("map"):
            code = read_group(CodeFolder("", Path()), item)
        else:
            path = folder(item)
            code = CodeFolder(re.sub(r"[^\w.-]+", "-", path.name), path)
        if not re.fullmatch(r"\w[\w.-]*", code.name) or code.path == Path():
            raise item.wrong("a name (letters, digits, `.`, `_`, `-`) and a path for each folder")
        if code.name in found:
            raise item.error(f"two code folders are named `{code.name}`", "name one of them otherwise")
        found[code.name] = code
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class CodeFolder:
    """A folder of code beside the vault; `name` is what its paths are written with (`name:path`)."""

    name: str = field(default="", metadata=setting(text, "What its paths are written with."))
    path: Path = field(default=Path(), metadata=setting(folder, "Where it is."))


@dataclass(frozen=True, slots=True)
class Embedding:
    """Where vectors come from."""

    model: str = field(
        default=AUTO,
        metadata=setting(
            text,
            "auto (the one that can read the notes), english, multilingual, a sentence-transformers model, or a URL.",
        ),
    )
    url: str = field(
        default="", metadata=setting(url, "A server with the OpenAI API instead, as http://localhost:11434/v1.")
    )
    api_key_env: str = field(
        default="", metadata=setting(text, "The environment variable with that server's key, if it wants one.")
    )


@dataclass(frozen=True, slots=True)
class Reranker:
    """The second look at the best hits."""

    enabled: bool = field(
        default=False, metadata=setting(flag, "Better order of the first hits, but slow without a GPU.")
    )
    model: str = field(
        default="cross-encoder/ms-marco-MiniLM-L6-v2",
        metadata=setting(text, "A cross-encoder of sentence-transformers, by name or folder."),
    )


@dataclass(frozen=True, slots=True)
class Daemon:
    """The process that keeps an index fresh and answers at once; see `serve`."""

    autostart: bool = field(
        default=False, metadata=setting(flag, "Let a question start it, so that the next ones are answered at once.")
    )
    idle_minutes: int = field(
        default=60, metadata=setting(whole, "It ends after so long without a question; 0: never by itself.")
    )
    port: int = field(default=0, metadata=setting(whole, "Where it listens on this machine; 0: any free port."))


@dataclass(frozen=True, slots=True)
class Folders:
    """The names of a OneBrain vault's folders, from its own `folders:` section."""

    inbox: str = "00-inbox"
    import_inbox: str = "00-inbox/imports"
    attachments: str = "attachments"
    projects: str = "01-projects"
    areas: str = "02-areas"
    knowledge: str = "03-knowledge"
    resources: str = "04-resources"
    agent: str = "05-agent"
    archive: str = "06-archive"
    logs: str = "07-logs"


@dataclass(frozen=True, slots=True)
class Config:
    """The vault and its settings; `vault`, `file` and `folders` are found, the others set in our section."""

    vault: Path = Path()
    file: Path | None = None
    folders: Folders = Folders()
    code: tuple[CodeFolder, ...] = field(
        default=(), metadata=setting(_code, "Code to search with the notes, as [{name: app, path: ../app}].")
    )
    exclude: tuple[str, ...] = field(
        default=(),
        metadata=setting(texts, "Leave out a name at any depth, a path from here (with a /) or a glob pattern."),
    )
    gitignore: bool = field(
        default=True, metadata=setting(flag, "Leave out what .gitignore names; .onebrainignore always counts.")
    )
    hidden: bool = field(
        default=False, metadata=setting(flag, "Take in files and folders whose names start with a dot.")
    )
    download: bool = field(
        default=False,
        metadata=setting(flag, "Open files that a cloud drive holds elsewhere, or a drive that reports no blocks."),
    )
    max_file_mb: float = field(
        default=10.0, metadata=setting(size, "Skip bigger files: they are exports and drawings more than notes.")
    )
    date_keys: tuple[str, ...] = field(
        default=DATE_KEYS, metadata=setting(texts, "Front matter keys that hold a note's date; the first counts.")
    )
    comments: bool = field(
        default=False, metadata=setting(flag, "Search what stands between %% and %%, or <!-- and -->, too.")
    )
    redact: tuple[str, ...] = field(
        default=(),
        metadata=setting(texts, "Secrets that never enter the index: [all], or names of rules (extra `redact`)."),
    )
    limit: int = field(
        default=5,
        metadata=setting(count, "Sources to show; OneBrain's search.default_top_k counts where this is not set."),
    )
    embedding: Embedding = field(default=Embedding(), metadata=setting(group(Embedding), "Where vectors come from."))
    reranker: Reranker = field(
        default=Reranker(), metadata=setting(group(Reranker), "A slower model looks at the best hits again.")
    )
    web: WebSettings = field(
        default=WebSettings(), metadata=setting(group(WebSettings), "The web, asked last and only if you allow it.")
    )
    daemon: Daemon = field(
        default=Daemon(), metadata=setting(group(Daemon), "A process that keeps the index fresh and answers at once.")
    )
    state: Path | None = field(
        default=None, metadata=setting(folder, "Keep the index below this folder, which is outside of the vault.")
    )

    def root_folders(self) -> dict[str, Path]:
        """The folders that are searched by their names in paths; the vault's is empty."""
        return {"": self.vault, **{folder.name: folder.path for folder in self.code}}


def load(vault: Path | None = None, *, environ: Mapping[str, str], start: Path | None = None) -> Config:
    """The settings of a vault: the one given, else `ONEBRAIN_VAULT`, else the one that `start` lies in.

    `start` is the current folder by default. A vault that is given or named is taken as it is, whatever lies
    above it, and need not exist. Raises ConfigError with file, line and what to do.
    """
    place = vault_of(vault, environ, start=start)
    file = settings_file(place)
    config = Config(vault=place, file=file)
    return _with_file(config, file) if file else config


def apart(config: Config, state: Path) -> frozenset[str]:
    """Folders below the vault (`a/b`) that are no part of its notes: code folders and the index itself."""
    real = Path(os.path.realpath(config.vault))
    others = [Path(os.path.realpath(other)) for other in (state, *(code.path for code in config.code))]
    below = (other for other in others if other != real and other.is_relative_to(real))
    return frozenset(other.relative_to(real).as_posix() for other in below)


def starter_text() -> str:
    """The commented `onebrain.yml` that `init` writes: every setting with its default and why."""
    lines = [
        "# Settings of onebrain-search. Each line that starts with # and no space shows a default:",
        "# take the # away and change what you need. The sections of OneBrain itself may stand beside.",
        f"{SECTION}:",
    ]
    return "\n".join([*lines, *_shown(Config(), "  "), ""])


def _shown(defaults: Any, indent: str) -> Iterable[str]:
    """The lines of a group of settings."""
    for name, entry in settings(defaults).items():
        value = getattr(defaults, name)
        yield f"{indent}# {entry.metadata['why']}"
        if is_dataclass(value):
            yield f"{indent}#{name}:"
            yield from _shown(value, indent + "  ")
        else:
            yield f"{indent}#{name}: {json.dumps(value)}"


def _with_file(config: Config, file: Path) -> Config:
    """Add what a settings file says in our section, and in those of OneBrain's own that count for search."""
    top = sections(file)
    folders = {value.name: value for value in _pairs(top.get("folders"))}
    names = {entry.name: text(folders[entry.name]) for entry in fields(Folders) if entry.name in folders}
    search = {value.name: value for value in _pairs(top.get("search"))}
    config = replace(config, folders=Folders(**names))
    if "default_top_k" in search:
        config = replace(config, limit=count(search["default_top_k"]))
    ours = top.get(SECTION)
    if ours and not ours.a("null"):
        config = read_group(config, ours)
    if "exclude" in search:
        config = replace(config, exclude=(*texts(search["exclude"]), *config.exclude))
    return config


def _pairs(value: Value | None) -> list[Value]:
    """The values of one of OneBrain's sections; none when it is not there or no mapping."""
    return value.pairs() if value and value.a("map") else []
