"""The index of Python packages: what a package is, its newest release, and its description."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from onebrain_search.web.fetch.asking import Desk, Place, Reading, WrongShape, known, markdown, rows

INDEX: Final = "https://pypi[.]org/pypi".replace("[.]", ".")


def read(place: Place, desk: Desk) -> Reading:
    """Read `/project/NAME` or `/project/NAME/VERSION`."""
    name, version = place.step(1), place.step(2)
    if place.step(0) != "project" or not name:
        raise WrongShape("packages are /project/NAME")
    found = desk.json(f"{INDEX}/{'/'.join(quote(part) for part in (name, version) if part)}/json")
    info = found["info"]
    uploaded = str(next((row.get("upload_time") for row in rows(found.get("urls"))), None) or "")[:10]
    licence = info.get("license_expression") or (info.get("license") or "").split("\n")[0][:80]
    return Reading(
        markdown(info["name"], [info.get("version") or "", uploaded, licence], info.get("summary") or "",
                 info.get("description") or ""),
        known(
            version=info.get("version"), published=uploaded, license=licence, python=info.get("requires_python"),
            requires=info.get("requires_dist"), links=info.get("project_urls"), yanked=info.get("yanked") or None,
        ),
    )  # fmt: skip
