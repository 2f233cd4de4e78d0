"""Question in, answer out: search over your notes and code, on your machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onebrain_search.brain import Brain

__all__ = ["Brain"]


def __getattr__(name: str) -> Any:
    """Load `Brain` when it is first asked for, so that importing the package costs nothing."""
    if name == "Brain":
        from onebrain_search.brain import Brain

        return Brain
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
