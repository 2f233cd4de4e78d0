"""The index of JavaScript packages: what a package is, its newest release, and its readme."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from onebrain_search.web.fetch.asking import Desk, Place, Reading, WrongShape, known, markdown

REGISTRY: Final = "https://registry.npmjs[.]org".replace("[.]", ".")


def read(place: Place, desk: Desk) -> Reading:
    """Read `/package/NAME` or `/package/@SCOPE/NAME`."""
    scoped = place.step(1).startswith("@")
    name = "/".join(place.steps[1 : 3 if scoped else 2])
    if place.step(0) != "package" or not name or (scoped and "/" not in name):
        raise WrongShape("packages are /package/NAME or /package/@SCOPE/NAME")
    found = desk.json(f"{REGISTRY}/{quote(name, safe='@')}")
    newest = (found.get("dist-tags") or {}).get("latest", "")
    release = (found.get("versions") or {}).get(newest) or {}
    licence = _named(found.get("license") or release.get("license"), "type")
    published = str((found.get("time") or {}).get(newest, ""))[:10]
    return Reading(
        markdown(
            found["name"], [newest, published, licence], found.get("description") or "", found.get("readme") or ""
        ),
        known(
            version=newest, published=published, license=licence, homepage=found.get("homepage"),
            repository=_named(found.get("repository"), "url"), dependencies=list(release.get("dependencies") or {}),
            deprecated=release.get("deprecated"),
        ),
    )  # fmt: skip


def _named(value: Any, name: str) -> str:
    """A text, which may stand in an object under a name."""
    return str(value.get(name, "") if isinstance(value, dict) else value or "")
