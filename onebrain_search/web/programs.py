"""Run a program of a code host (`gh`, `glab`) and return what it prints, or the one error that says why not."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Sequence
from typing import Any

from onebrain_search.web.results import SourceError

_NO_LOGIN = re.compile(
    r"auth login|not logged in|authentication (?:required|token)|unauthorized|HTTP 401", re.IGNORECASE
)
_RATE = re.compile(r"rate limit|HTTP 429", re.IGNORECASE)
_NO_COLOUR = {"NO_COLOR": "1", "GH_PROMPT_DISABLED": "1", "GLAB_CHECK_UPDATE": "false", "CLICOLOR": "0"}

UNAUTHENTICATED = "search_unconfigured"
RATE_LIMITED = "search_http_429"


def printed(program: str, arguments: Sequence[str], seconds: float) -> Any:
    """Return the JSON that a program prints. SourceError: no login, a rate limit, a time-out, anything else."""
    try:
        done = subprocess.run(
            [program, *arguments],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            env={**os.environ, **_NO_COLOUR},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SourceError("search_timeout", f"gave no answer within {seconds:g} s", where=program) from error
    except OSError as error:
        raise SourceError("search_error", f"cannot be run: {error.strerror}", where=program) from error
    told = done.stderr.decode("utf-8", "replace")
    if done.returncode:
        raise _failed(program, told)
    try:
        return json.loads(done.stdout or b"[]")
    except (ValueError, RecursionError) as error:
        raise SourceError("search_error", "printed no JSON", where=program) from error


def _failed(program: str, told: str) -> SourceError:
    """Return the error of a program that failed."""
    if _RATE.search(told):
        return SourceError(RATE_LIMITED, "rate limit", where=program)
    if _NO_LOGIN.search(told):
        return SourceError(UNAUTHENTICATED, "is not logged in", where=program)
    return SourceError("search_error", " ".join(told.split())[:160] or "failed without a word", where=program)
