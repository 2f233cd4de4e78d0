"""Read groups of settings from a YAML file: every value by its reader, every fault with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from indexer.errors import ConfigError
from onebrain_search.places import absolute

if TYPE_CHECKING:
    from yaml import Node

_Group = TypeVar("_Group")


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a settings file: its YAML node, which knows its line, and the name it stands under."""

    node: Node
    file: Path
    name: str
    line: int  # 1-based, where the name stands

    def a(self, *types: str) -> bool:
        """Whether YAML takes it as one of these types (`str`, `int`, `map`, ...)."""
        return self.node.tag in {f"tag:yaml.org,2002:{name}" for name in types}

    def wrong(self, wanted: str) -> ConfigError:
        """The error for a value that is not what the setting takes."""
        return self.error(f"`{self.name}` takes {wanted}", "change this line")

    def error(self, what: str, fix: str) -> ConfigError:
        """An error at this line."""
        return ConfigError(what, where=f"{self.file}:{self.line}", fix=fix)

    def items(self) -> list[Value]:
        """The values of a list."""
        return [Value(item, self.file, self.name, item.start_mark.line + 1) for item in self.node.value]

    def pairs(self) -> list[Value]:
        """The values of a mapping, those left empty left out; a name may stand once. Raises ConfigError."""
        found: dict[str, Value] = {}
        for key, node in self.node.value:
            value = Value(node, self.file, str(key.value), key.start_mark.line + 1)
            if value.name in found:
                raise value.error(f"`{value.name}` is given twice", "keep one of them")
            found[value.name] = value
        return [value for value in found.values() if not value.a("null")]


Reader = Callable[[Value], Any]


def setting(read: Reader, why: str) -> dict[str, Any]:
    """What makes a dataclass field a setting: how its value is read, and why one would change it."""
    return {"read": read, "why": why}


def settings(group: Any) -> dict[str, Field[Any]]:
    """The fields of a dataclass that a user can set, by name."""
    return {entry.name: entry for entry in fields(group) if "read" in entry.metadata}


def group(kind: Callable[[], Any]) -> Reader:
    """A reader for a group of settings with these defaults."""
    return lambda value: read_group(kind(), value)


def read_group(default: _Group, value: Value) -> _Group:
    """The defaults with what the mapping `value` says put in their place. Raises ConfigError."""
    if not value.a("map"):
        raise value.wrong("settings below it, each as `name: value`")
    known = settings(default)
    given = {}
    for entry in value.pairs():
        if entry.name not in known:
            from difflib import get_close_matches

            near = get_close_matches(entry.name, known, n=1, cutoff=0.5)
            fix = f"did you mean `{near[0]}`?" if near else f"known here: {', '.join(known)}"
            raise entry.error(f"unknown setting `{entry.name}`", fix)
        given[entry.name] = known[entry.name].metadata["read"](entry)
    return replace(default, **given)  # type: ignore[type-var]


def sections(file: Path) -> Mapping[str, Value]:
    """The values at the top of a settings file by name, the last of a name; none when it holds no mapping.

    Raises ConfigError when it cannot be read or is not YAML.
    """
    import yaml

    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        top = yaml.compose(file.read_text("utf-8-sig"), Loader=loader)
    except OSError as error:
        what = f"the settings cannot be read: {error.strerror}"
        raise ConfigError(what, where=str(file), fix="check its rights") from error
    except UnicodeDecodeError as error:
        raise ConfigError("the settings are not UTF-8", where=str(file), fix="save them as UTF-8") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or "a character that YAML does not allow"
        where = f"{file}:{mark.line + 1}" if mark else str(file)
        raise ConfigError(f"the settings are not valid YAML: {what}", where=where, fix="correct this line") from error
    if top is None or top.tag != "tag:yaml.org,2002:map":
        return {}
    return {str(key.value): Value(node, file, str(key.value), key.start_mark.line + 1) for key, node in top.value}


def text(value: Value) -> str:
    """Read a string; a bare number or date is taken as it is written."""
    if not value.a("str", "int", "float", "timestamp"):
        raise value.wrong("a text")
    return str(value.node.value)


def flag(value: Value) -> bool:
    """Read true or false."""
    if not value.a("bool"):
        raise value.wrong("true or false")
    return str(value.node.value).lower() in ("true", "yes", "on")


def count(value: Value) -> int:
    """Read a whole number from 1."""
    if not value.a("int") or not re.fullmatch(r"0*[1-9][0-9]{0,8}", value.node.value):
        raise value.wrong("a whole number from 1")
    return int(value.node.value)


def whole(value: Value) -> int:
    """Read a whole number from 0."""
    if not value.a("int") or not re.fullmatch(r"[0-9]{1,9}", value.node.value):
        raise value.wrong("a whole number from 0")
    return int(value.node.value)


def size(value: Value) -> float:
    """Read a number above 0."""
    plain = value.a("int", "float") and re.fullmatch(r"[0-9]*\.?[0-9]+", value.node.value)
    if not plain or not float(value.node.value):
        raise value.wrong("a number above 0")
    return float(value.node.value)


def texts(value: Value) -> tuple[str, ...]:
    """Read a list of strings; one string alone is a list of one."""
    if value.a("seq"):
        return tuple(text(item) for item in value.items())
    if not value.a("str"):
        raise value.wrong("a list of texts")
    return (text(value),)


def mapping_of(read: Reader) -> Reader:
    """A reader for a mapping of names to values, each read by `read`."""

    def each(value: Value) -> Mapping[str, Any]:
        """Read the mapping."""
        if not value.a("map"):
            raise value.wrong("a mapping, as {name: value}")
        return {entry.name: read(entry) for entry in value.pairs()}

    return each


def url(value: Value) -> str:
    """Read an http address, or an empty text."""
    address = text(value)
    if address and not address.startswith(("http://", "https://")):
        raise value.wrong("an address that starts with http:// or https://")
    return address


def folder(value: Value) -> Path:
    """Read a folder; `~` is the home folder, and a relative one starts at the settings file."""
    written = text(value)
    if not written:
        raise value.wrong("a folder")
    return absolute(value.file.parent / Path(written).expanduser())
