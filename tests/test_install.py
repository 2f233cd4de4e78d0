"""The set-up files agree with each other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPO = Path(__file__).parents[1]
PROJECT = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pins() -> dict[str, str]:
    """Return name -> version of constraints.txt."""
    lines = (REPO / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def test_constraints_pin_exact_public_releases() -> None:
    """Every pin is `name==version`, without a local build's mark, and installers are left alone."""
    for name, version in pins().items():
        assert re.fullmatch(r"\d+(\.\d+)*(\.?(post|rc|a|b)\d+)?", version), (name, version)
    assert not {"pip", "setuptools", "wheel", "onebrain-search"} & set(pins())


def test_each_requirement_has_a_pin_that_fits() -> None:
    """What pyproject.toml asks for, with the extras, is what constraints.txt installs."""
    pinned = {canonicalize_name(name): version for name, version in pins().items()}
    extras = PROJECT["optional-dependencies"]
    for line in [*PROJECT["dependencies"], *(line for extra in extras.values() for line in extra)]:
        need = Requirement(line)
        if need.name == PROJECT["name"]:
            assert need.extras <= set(extras)
            continue
        assert need.specifier.contains(pinned[canonicalize_name(need.name)]), line


def test_the_changelog_tells_of_this_version() -> None:
    """Its newest entry is the version that is built."""
    newest = re.search(r"^## (\S+)", (REPO / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert newest is not None
    assert newest[1] == PROJECT["version"]
