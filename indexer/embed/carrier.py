"""Models that come as data packages: found without importing them, checked by sha256."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from indexer.errors import EmbedError, ModelMissing


@dataclass(frozen=True, slots=True)
class Carrier:
    """A data package, the file in it that matters, the sum that file has, and what is installed to have it."""

    package: str
    distribution: str
    file: str
    sha256: str
    install: str = ""  # what pip is asked for, if not the distribution


def located(carrier: Carrier, file: str | None = None) -> Path:
    """The path of a carrier's file (or of `file` beside it). ModelMissing where it is not installed."""
    spec = find_spec(carrier.package)
    folders = (spec.submodule_search_locations or []) if spec else []
    for folder in folders:
        path = Path(folder, file or carrier.file)
        if path.is_file():
            return path
    raise ModelMissing(
        "the package of the embedding model is missing or not complete",
        where=f"{carrier.package}/{file or carrier.file}",
        fix=f'pip install "{carrier.install}"' if carrier.install else remedy(carrier),
    )


def verified(carrier: Carrier) -> Path:
    """The path of a carrier's file whose sha256 is right (0.1 s for 90 MB). EmbedError where it is not."""
    path = located(carrier)
    found = sha256(path)
    if found != carrier.sha256:
        raise EmbedError(
            f"the model file is not the published one (sha256 {found[:12]}, expected {carrier.sha256[:12]})",
            where=str(path),
            fix=remedy(carrier),
        )
    return path


def sha256(path: Path) -> str:
    """The sha256 of a file, as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remedy(carrier: Carrier) -> str:
    """The command that mends a damaged package."""
    return f"pip install --force-reinstall {carrier.distribution}"
