"""docs/http.md tells the truth: its examples are sent to a real daemon, and its answers are compared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from onebrain_search import Brain
from onebrain_search.client import Client
from onebrain_search.presence import Presence
from onebrain_search.server.app import MOST_BYTES
from onebrain_search.service import FIELDS
from tests.onebrain_search.served import ask, copied, serving

PAGE = Path(__file__).parents[2] / "docs/http.md"
TEXT = PAGE.read_text(encoding="utf-8")


class Example(NamedTuple):
    """A request of the page, and what it says is answered."""

    method: str
    path: str
    body: str
    status: int
    answer: Any


def _examples() -> Iterator[Example]:
    """Yield the examples of the page."""
    for block in re.findall(r"^```http\n(.*?)^```$", TEXT, re.M | re.S):
        asked, answered = block.split("\n\n")
        first, _, body = asked.partition("\n")
        status, _, shown = answered.partition("\n")
        yield Example(*first.split(" ", 1), body, int(status), json.loads(shown))


@pytest.fixture(scope="module")
def daemon(onebrain_brain: Brain, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Serve the OneBrain vault."""
    home = tmp_path_factory.mktemp("served")
    copied(onebrain_brain, home)
    with serving(onebrain_brain.config.vault, home) as client:
        yield client


def differences(shown: Any, found: Any, where: str = "") -> list[str]:
    """Return where an answer is not what the page shows of it."""
    if isinstance(shown, dict):
        return [
            d for name in shown for d in differences(shown[name], found.get(name, "(missing)"), f"{where}.{name}")
        ]
    if isinstance(shown, list):
        return [d for n, each in enumerate(shown) for d in differences(each, found[n], f"{where}[{n}]")]
    return [] if shown == found else [f"{where}: {shown!r}, but it is {found!r}"]


@pytest.mark.parametrize("example", [*_examples()], ids=lambda example: f"{example.method} {example.path}")
def test_an_example_is_answered_as_shown(daemon: Client, example: Example) -> None:
    """By status, and in every field that the page shows."""
    status, _, found = ask(daemon, example.method, example.path, example.body or None)
    assert status == example.status, found
    assert differences(example.answer, found) == []


def test_the_status_of_a_daemon_is_documented(daemon: Client) -> None:
    """Field by field, in docs/json.md."""
    table = (PAGE.parent / "json.md").read_text(encoding="utf-8").split("\n## Daemon\n")[1].split("\n## ")[0]
    assert set(daemon.status()["daemon"]) == set(re.findall(r"^\| `(\w+)` \|", table, re.M))


def test_every_path_and_field_is_named() -> None:
    """And those of the state file."""
    for name, (_, known) in FIELDS.items():
        assert f"/v1/{name}" in TEXT
        assert not [field for field in known if f"`{field}`" not in TEXT and f"{field}=" not in TEXT]
    assert not [entry.name for entry in fields(Presence) if f"`{entry.name}`" not in TEXT]
    assert f"more than {MOST_BYTES // 1024} KiB" in TEXT
