"""Which folder is the vault, what its settings are, and where its index lives."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from indexer.errors import ConfigError

if TYPE_CHECKING:
    from yaml import Node

FILE: Final = "onebrain.yml"
LEGACY_FILE: Final = "vault.yml"
SECTION: Final = "onebrain_search"
_LEGACY_KEYS: Final = re.compile(rf"^(folders|search|qmd_collection|update_channel|{SECTION})\s*:", re.M)

_Section = TypeVar("_Section")
_Reader = Callable[["Node", Path], Any]


def _wrong(node: Node, file: Path, wanted: str) -> ConfigError:
    """The error for a value that is not what the setting takes."""
    return ConfigError(f"this setting takes {wanted}", where=_at(node, file), fix="change this line")


def _at(node: Node, file: Path) -> str:
    """Where a node stands, as `file:line`."""
    return f"{file}:{node.start_mark.line + 1}"


def _is(node: Node, *kinds: str) -> bool:
    """Whether YAML reads the node as one of these types (`str`, `int`, `map`, ...)."""
    return node.tag in {f"tag:yaml.org,2002:{kind}" for kind in kinds}


def _text(node: Node, file: Path) -> str:
    """Read a string; a bare number or date is taken as it is written."""
    if not _is(node, "str", "int", "float", "timestamp"):
        raise _wrong(node, file, "a text")
    return str(node.value)


def _flag(node: Node, file: Path) -> bool:
    """Read true or false."""
    if not _is(node, "bool"):
        raise _wrong(node, file, "true or false")
    return str(node.value).lower() in ("true", "yes", "on")


def _count(node: Node, file: Path) -> int:
    """Read a whole number from 1."""
    if not _is(node, "int") or not re.fullmatch(r"\d+", node.value) or int(node.value) < 1:
        raise _wrong(node, file, "a whole number from 1")
    return int(node.value)


def _size(node: Node, file: Path) -> float:
    """Read a number above 0."""
    if not _is(node, "int", "float") or not re.fullmatch(r"\d*\.?\d+", node.value) or not float(node.value):
        raise _wrong(node, file, "a number above 0")
    return float(node.value)


def _texts(node: Node, file: Path) -> tuple[str, ...]:
    """Read a list of strings; one string alone is a list of one."""
    if _is(node, "seq"):
        return tuple(_text(item, file) for item in node.value)
    if not _is(node, "str"):
        raise _wrong(node, file, "a list of texts")
    return (_text(node, file),)


def _url(node: Node, file: Path) -> str:
    """Read an http address, or an empty text."""
    url = _text(node, file)
    if url and not url.startswith(("http://", "https://")):
        raise _wrong(node, file, "an address that starts with http:// or https://")
    return url


def _path(node: Node, file: Path) -> Path:
    """Read a folder; `~` is the home folder, and a relative one starts at the settings file."""
    text = _text(node, file)
    if not text:
        raise _wrong(node, file, "a folder")
    return file.parent / Path(text).expanduser()


def _code(node: Node, file: Path) -> tuple[CodeFolder, ...]:
    """Read the list of code folders; each name once."""
    if not _is(node, "seq"):
        raise _wrong(node, file, "a list of folders, each as {name: app, path: ../app}")
    found: dict[str, CodeFolder] = {}
    for item in node.value:
        if _is(item, "map"):
            folder = _read(CodeFolder("", Path()), item, file)
        else:
            path = _path(item, file)
            folder = CodeFolder(re.sub(r"[^\w.-]+", "-", Path(os.path.normpath(path)).name), path)
        if not re.fullmatch(r"\w[\w.-]*", folder.name) or folder.path == Path():
            raise _wrong(item, file, "a name (letters, digits, `.`, `_`, `-`) and a path for each folder")
        if folder.name in found:
            raise _wrong(item, file, f"another name: `{folder.name}` is given twice")
        found[folder.name] = folder
    return tuple(found.values())


def _section(kind: Callable[[], Any]) -> _Reader:
    """A reader for a group of settings."""
    return lambda node, file: _read(kind(), node, file)


def _set(read: _Reader, why: str) -> dict[str, Any]:
    """What makes a field a setting: how its value is read, and a sentence on why one would change it."""
    return {"read": read, "why": why}


@dataclass(frozen=True, slots=True)
class CodeFolder:
    """A folder of code beside the vault; `name` is what its paths are written with (`name:path`)."""

    name: str = field(default="", metadata=_set(_text, "What its paths are written with."))
    path: Path = field(default=Path(), metadata=_set(_path, "Where it is."))


@dataclass(frozen=True, slots=True)
class Embedding:
    """Where vectors come from."""

    model: str = field(
        default="all-MiniLM-L6-v2",
        metadata=_set(_text, "A sentence-transformers name or folder; take a multilingual one for other languages."),
    )
    url: str = field(
        default="", metadata=_set(_url, "An OpenAI-compatible server to ask instead, as http://localhost:11434/v1.")
    )
    api_key_env: str = field(
        default="", metadata=_set(_text, "The environment variable that holds that server's key, if it wants one.")
    )


@dataclass(frozen=True, slots=True)
class Reranker:
    """The second look at the best hits."""

    enabled: bool = field(
        default=False, metadata=_set(_flag, "Better order at the price of about 70 ms a candidate on a CPU.")
    )
    model: str = field(
        default="cross-encoder/ms-marco-MiniLM-L6-v2",
        metadata=_set(_text, "A cross-encoder's name or folder, as sentence-transformers has it."),
    )


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
    """The vault and its settings. Fields without a reader are found, not set."""

    vault: Path = Path()
    file: Path | None = None
    folders: Folders = Folders()
    code: tuple[CodeFolder, ...] = field(
        default=(),
        metadata=_set(
            _code, "Folders of code to search with the notes, each as {name: app, path: ../app} from this file."
        ),
    )
    exclude: tuple[str, ...] = field(
        default=(),
        metadata=_set(
            _texts,
            "What to leave out: a name at any depth, a path from here with a `/`, or a pattern as in .gitignore.",
        ),
    )
    gitignore: bool = field(
        default=True, metadata=_set(_flag, "Leave out what .gitignore names; .onebrainignore always counts.")
    )
    hidden: bool = field(
        default=False, metadata=_set(_flag, "Take in files and folders whose name starts with a dot.")
    )
    download: bool = field(
        default=False,
        metadata=_set(
            _flag, "Open files that a cloud drive has not downloaded; also for drives that report no disk blocks."
        ),
    )
    max_file_mb: float = field(
        default=10.0, metadata=_set(_size, "Skip bigger files, which are exports and drawings more than notes.")
    )
    date_keys: tuple[str, ...] = field(
        default=("date", "created"),
        metadata=_set(_texts, "The front matter keys that hold a note's date, the first one found counts."),
    )
    comments: bool = field(
        default=False, metadata=_set(_flag, "Search what stands between %% and %% or <!-- and -->, too.")
    )
    limit: int = field(
        default=5,
        metadata=_set(
            _count, "How many sources to show when the command does not say; search.default_top_k counts too."
        ),
    )
    embedding: Embedding = field(default=Embedding(), metadata=_set(_section(Embedding), "Where vectors come from."))
    reranker: Reranker = field(
        default=Reranker(), metadata=_set(_section(Reranker), "A second look at the best hits by a slower model.")
    )
    state: Path | None = field(
        default=None,
        metadata=_set(
            _path, "Where to keep indexes instead of the system's data folder; it must lie outside the vault."
        ),
    )


def discover(start: Path) -> Path:
    """The vault that a folder belongs to: the nearest one upwards with a settings file, else the folder itself.

    The walk ends at an Obsidian vault or Logseq graph, so that a vault inside a vault is one of its own.
    """
    start = _absolute(start)
    for folder in (start, *start.parents):
        if settings_file(folder) or (folder / ".obsidian").is_dir() or (folder / "logseq/config.edn").is_file():
            return folder
    return start


def _absolute(folder: Path) -> Path:
    """The folder from the top, without `..`, links kept as they are."""
    return Path(os.path.normpath(folder.expanduser().absolute()))


def settings_file(folder: Path) -> Path | None:
    """A folder's `onebrain.yml`, or its `vault.yml` if that is OneBrain's and not another tool's."""
    if (folder / FILE).is_file():
        return folder / FILE
    legacy = folder / LEGACY_FILE
    try:
        return legacy if _LEGACY_KEYS.search(legacy.read_text("utf-8-sig", "replace")) else None
    except OSError:
        return None


def load(vault: Path | None, *, environ: Mapping[str, str], start: Path | None = None) -> Config:
    """The settings of a vault: the one given, else `ONEBRAIN_VAULT`, else the one `start` or this folder is in.

    A given vault is taken as it is, whatever lies above it, and need not exist. Raises ConfigError with
    file, line and what to do.
    """
    named = environ.get("ONEBRAIN_VAULT")
    if vault is None and named:
        vault = Path(named)
    folder = discover(start or Path.cwd()) if vault is None else _absolute(vault)
    file = settings_file(folder)
    config = Config(vault=folder, file=file)
    return _parse(config, file) if file else config


def state_home(environ: Mapping[str, str]) -> Path:
    """The folder of all indexes: `ONEBRAIN_SEARCH_HOME`, or the platform's folder for a program's data."""
    named = environ.get("ONEBRAIN_SEARCH_HOME")
    if named:
        return _absolute(Path(named))
    from platformdirs import user_data_dir

    return Path(user_data_dir("onebrain-search", appauthor=False))


def state_folder(vault: Path, environ: Mapping[str, str], *, state: Path | None = None) -> Path:
    """The folder of one vault's index: `ONEBRAIN_SEARCH_HOME`, the setting `state`, or the platform's data folder.

    Its name is the vault's and 8 hex digits of sha256 of the real path: links to a vault share its index.
    Raises ConfigError when it would lie inside the vault by the user's choice.
    """
    chosen = bool(environ.get("ONEBRAIN_SEARCH_HOME")) or state is not None
    home = state if state and not environ.get("ONEBRAIN_SEARCH_HOME") else state_home(environ)
    real = Path(os.path.realpath(vault))
    if chosen and Path(os.path.realpath(home)).is_relative_to(real):
        raise ConfigError(
            "the index would lie inside the vault",
            where=str(home),
            fix="set ONEBRAIN_SEARCH_HOME (or `state`) to a folder outside of it",
        )
    name = re.sub(r"[^\w.-]+", "-", real.name)[:40].strip("-.") or "vault"
    return home / f"{name}-{hashlib.sha256(os.fsencode(os.path.normcase(real))).hexdigest()[:8]}"


def starter_text() -> str:
    """The commented `onebrain.yml` that `init` writes: every setting with its default and why."""
    lines = [
        "# Settings of onebrain-search. Each line that starts with # and no space shows a default:",
        "# take the # away and change what you need. The sections of OneBrain itself may stand beside.",
        f"{SECTION}:",
    ]
    return "\n".join([*lines, *_shown(Config(), "  "), ""])


def _shown(section: Any, indent: str) -> Iterable[str]:
    """The lines of a group of settings."""
    for setting in _settings(section).values():
        value = getattr(section, setting.name)
        yield f"{indent}# {setting.metadata['why']}"
        if is_dataclass(value):
            yield f"{indent}#{setting.name}:"
            yield from _shown(value, indent + "  ")
        else:
            yield f"{indent}#{setting.name}: {json.dumps(value)}"


def _settings(section: Any) -> dict[str, Field[Any]]:
    """The fields of a group that a user can set, by name."""
    return {setting.name: setting for setting in fields(section) if "read" in setting.metadata}


def _parse(config: Config, file: Path) -> Config:
    """Add what a settings file says."""
    top = _pairs(_compose(file), file, strict=False)
    search = _pairs(top.get("search"), file, strict=False)
    names = {setting.name for setting in fields(Folders)}
    given = {
        key: _text(node, file)
        for key, node in _pairs(top.get("folders"), file, strict=False).items()
        if key in names and not _is(node, "null")
    }
    config = replace(config, folders=Folders(**given))
    if "default_top_k" in search and not _is(search["default_top_k"], "null"):
        config = replace(config, limit=_count(search["default_top_k"], file))
    config = _read(config, top.get(SECTION), file)
    if "exclude" in search and not _is(search["exclude"], "null"):
        config = replace(config, exclude=(*_texts(search["exclude"], file), *config.exclude))
    return config


def _compose(file: Path) -> Node | None:
    """The YAML of a file as nodes, which know their lines."""
    import yaml

    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        return yaml.compose(file.read_text("utf-8-sig"), Loader=loader)
    except OSError as error:
        raise ConfigError(
            f"the settings cannot be read: {error.strerror}", where=str(file), fix="check its rights"
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError("the settings are not UTF-8", where=str(file), fix="save them as UTF-8") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or "a character that YAML does not allow"
        where = f"{file}:{mark.line + 1}" if mark else str(file)
        raise ConfigError(f"the settings are not valid YAML: {what}", where=where, fix="correct this line") from error


def _pairs(node: Node | None, file: Path, *, strict: bool) -> dict[str, Node]:
    """The keys and nodes of a mapping; none for an empty one. Where not strict, another type counts as empty."""
    if node is None or _is(node, "null"):
        return {}
    if not _is(node, "map"):
        if strict:
            raise _wrong(node, file, "settings below it, each as `name: value`")
        return {}
    pairs: dict[str, Node] = {}
    for key, value in node.value:
        name = str(key.value)
        if strict and name in pairs:
            raise ConfigError(f"`{name}` is given twice", where=_at(key, file), fix="keep one of them")
        pairs[name] = value
    return pairs


def _read(section: _Section, node: Node | None, file: Path) -> _Section:
    """A group of settings with the values of a node in place of the defaults."""
    known = _settings(section)
    values = {}
    for name, value in _pairs(node, file, strict=True).items():
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.5)
            fix = f"did you mean `{near[0]}`?" if near else f"known here are {', '.join(known)}"
            raise ConfigError(f"unknown setting `{name}`", where=_at(value, file), fix=fix)
        if not _is(value, "null"):
            values[name] = known[name].metadata["read"](value, file)
    return replace(section, **values)  # type: ignore[type-var]
