"""What a tool takes: a flat table of parameters, as JSON Schema for clients and as a check of what they send."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from indexer.errors import RequestError

SUB_QUERIES = ("lex", "vec", "hyde")
SHOWN = 60  # characters of a refused value

_SCHEMAS: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "strings": {"type": "array", "items": {"type": "string"}},
    "searches": {
        "type": "array",
        "minItems": 1,
        "maxItems": 10,
        "items": {
            "type": "object",
            "properties": {"type": {"type": "string", "enum": list(SUB_QUERIES)}, "query": {"type": "string"}},
            "required": ["type", "query"],
            "additionalProperties": False,
        },
    },
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool; `default` is its value when left out, None when it must be given.

    `type` is a row of the schemas above: no unions, which some clients refuse. `least` and `most` bound numbers.
    """

    name: str
    type: str
    says: str
    default: Any = None
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its values."""
        found = {**_SCHEMAS[self.type], "description": self.says}
        bounds = {"enum": list(self.choices), "minimum": self.least, "maximum": self.most, "default": self.default}
        return found | {name: value for name, value in bounds.items() if value not in (None, [])}


def schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": {each.name: each.schema for each in parameters},
        "required": [each.name for each in parameters if each.default is None],
        "additionalProperties": False,
    }


def taken(tool: str, parameters: Sequence[Parameter], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every parameter. Raises RequestError that names the one that is unknown or wrong.

    `null` is as if it were left out, and a list or number written as a string is read: some clients send those.
    """
    known = {each.name: each for each in parameters}
    for name in arguments:
        if name not in known:
            fix = f"known here: {', '.join(known)}" if known else "leave it out"
            raise RequestError(f"unknown parameter `{name[:SHOWN]}`", where=tool, fix=fix)
    found = {each.name: each.default for each in parameters}
    for name, value in arguments.items():
        if value is not None:
            found[name] = _read(tool, known[name], value)
    missing = [name for name, value in found.items() if value is None]
    if missing:
        raise RequestError(f"the parameter `{missing[0]}` is missing", where=tool, fix="add it")
    return found


def _read(tool: str, wanted: Parameter, value: Any) -> Any:
    """Return a value in the type that its parameter wants."""
    if isinstance(value, str) and wanted.type != "string":
        try:
            value = json.loads(value)
        except ValueError:
            raise _refused(tool, wanted, value) from None
    if wanted.type == "number" and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if wanted.type == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    if not _fits(wanted, value):
        raise _refused(tool, wanted, value)
    return value


def _fits(wanted: Parameter, value: Any) -> bool:
    """Whether a value is one that a parameter takes."""
    if wanted.type == "strings":
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if wanted.type == "searches":
        return isinstance(value, list) and 1 <= len(value) <= 10 and all(map(_is_search, value))
    if wanted.type == "string":
        allowed = not wanted.choices or value in wanted.choices
        return isinstance(value, str) and allowed and (wanted.default is not None or bool(value.strip()))
    if wanted.type == "boolean" or isinstance(value, bool):
        return wanted.type == "boolean" and isinstance(value, bool)
    if not isinstance(value, int if wanted.type == "integer" else float):
        return False
    return (wanted.least is None or value >= wanted.least) and (wanted.most is None or value <= wanted.most)


def _is_search(value: Any) -> bool:
    """Whether a value is one typed sub-query."""
    named = isinstance(value, dict) and set(value) == {"type", "query"} and value["type"] in SUB_QUERIES
    return named and isinstance(value["query"], str) and bool(value["query"].strip())


def _refused(tool: str, wanted: Parameter, value: Any) -> RequestError:
    """Return the error for a value that a parameter does not take."""
    words = {"strings": "a list of strings", "searches": "1 to 10 objects {type: lex|vec|hyde, query: text}"}
    takes = words.get(wanted.type, f"{'an' if wanted.type == 'integer' else 'a'} {wanted.type}")
    if wanted.choices:
        takes = f"one of: {', '.join(wanted.choices)}"
    elif wanted.type == "string" and wanted.default is None:
        takes = "a text that is not empty"
    elif wanted.least is not None:
        takes += f" from {wanted.least}" + (f" to {wanted.most}" if wanted.most is not None else "")
    return RequestError(f"`{wanted.name}` takes {takes}, not {repr(value)[:SHOWN]}", where=tool, fix="change it")
