"""editors/protocol.json in Neovim: the texts, and the calls against a real daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.editors.neovim import Neovim

PROTOCOL = json.loads((Path(__file__).parents[2] / "editors" / "protocol.json").read_text(encoding="utf-8"))


def _at(found: Any, path: str) -> Any:
    """Return what stands at a dotted path of a JSON value."""
    for key in path.split("."):
        found = found[int(key)] if isinstance(found, list) else found.get(key)
    return found


KINDS = {"list": (list, dict), "number": (int, float), "string": str, "boolean": bool}


@pytest.mark.parametrize("case", PROTOCOL["calls"], ids=lambda case: case["name"])
def test_a_call_of_the_protocol(editor: Neovim, case: dict[str, Any]) -> None:
    """The daemon's answer reaches Lua whole, and so does its refusal, in one line."""
    fields = dict(case["fields"])
    if times := fields.pop("times", 0):
        fields["query"] *= times
    trouble, found = editor.call(case["call"], fields)
    if "trouble" in case:
        assert case["trouble"] in trouble["line"] and "\n" not in trouble["line"]
        return
    assert trouble is None
    for path, value in case.get("has", {}).items():
        assert (_at(found, path) or []) == (value or []), path  # Lua has one empty table for {} and []
    for path, kind in case.get("kinds", {}).items():
        assert isinstance(_at(found, path), KINDS[kind]), path


@pytest.mark.parametrize(
    ("name", "function", "field"),
    [
        ("label", "label", "source"),
        ("link", "link", "source"),
        ("trouble", "trouble", "error"),
        ("decision", "decision", "link"),
        ("lacks", "lacks", "index"),
    ],
)
def test_texts_are_written_as_the_protocol_says(editor: Neovim, name: str, function: str, field: str) -> None:
    """The same labels, links and lines as in any other editor."""
    for case in PROTOCOL[name]:
        found = editor.apply(f"require('onebrain.text').{function}", case[field])
        assert found == (case["is"] if isinstance(case["is"], list) else [case["is"]] * (case["is"] is not None))


def test_marked_words_are_found_in_any_script(editor: Neovim) -> None:
    """Code points of the daemon become bytes of a line."""
    for case in PROTOCOL["marked"]:
        spans = editor.apply("require('onebrain.text').spans", case["text"], case["highlights"])[0]
        lines = [line.encode() for line in case["text"].split("\n")]
        assert [lines[row][start:end].decode() for row, start, end in spans or []] == case["is"]
