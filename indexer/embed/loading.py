"""How models of sentence-transformers are loaded: local files first, quietly, on the best device here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from indexer.embed import DEFAULT_MODEL
from indexer.errors import EmbedError, ModelMissing, reason


def load(build: Callable[[bool], Any], name: str, *, offline: bool) -> Any:
    """What `build(local_files_only)` makes: from this machine, else (not offline) from the hub."""
    local = Path(name).exists()
    problem: Exception | None = None
    for local_only in (True,) if offline or local else (True, False):
        try:
            with quiet():
                return build(local_only)
        except Exception as error:  # OSError, ValueError and the hub's own types alike
            problem = error
    if local:
        raise EmbedError(
            f"the model folder cannot be loaded ({reason(problem)})",
            where=name,
            fix="give the folder of a sentence-transformers model",
        ) from problem
    raise ModelMissing(
        f"the model {name} is not on this machine ({reason(problem)})",
        fix=f"run `hf download {name}` once while online, or set embedding.model to {DEFAULT_MODEL}",
    ) from problem


def hardware() -> tuple[str, Any]:
    """The fastest device here, and the precision that is faster on it and still right.

    Half precision keeps the cosine with float32 at 0.9999. bfloat16 doubles the speed of a CPU that
    multiplies it (avx512-bf16 x1.8, AMX x3.6) and slows one that has to emulate it.
    """
    import torch

    if torch.cuda.is_available():
        return "cuda", torch.float16
    if torch.backends.mps.is_available():
        return "mps", torch.float16
    asked = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")  # private names: absence means no
    native = any(getattr(torch.cpu, name, lambda: False)() for name in asked)
    return "cpu", torch.bfloat16 if native else torch.float32


def is_untiled(device: str, precision: Any) -> bool:
    """Whether this is a CPU that multiplies half precision, and has no AMX for it."""
    import torch

    tiled = getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)()  # a private name: absence means no
    return device == "cpu" and precision == torch.bfloat16 and not tiled


@contextmanager
def quiet() -> Iterator[None]:
    """Keep progress bars and advice of the model libraries off the terminal while the block runs."""
    hub: Any = import_module("huggingface_hub.utils")
    logging: Any = import_module("transformers.utils.logging")
    bars, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    hub_bars = not hub.are_progress_bars_disabled()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    hub.disable_progress_bars()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
        if hub_bars:
            hub.enable_progress_bars()
