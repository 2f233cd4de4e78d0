"""An error -> what is answered by HTTP: a status, and the one JSON shape of errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from indexer import errors

if TYPE_CHECKING:
    from starlette.responses import Response

# The first row that an error belongs to counts; what is not listed is the server's own fault.
STATUS: tuple[tuple[type[errors.OneBrainError], int], ...] = (
    (errors.RequestError, 422),
    (errors.QueryError, 422),
    (errors.NotFound, 404),
    (errors.Busy, 503),
    (errors.ScanError, 503),
    (errors.StoreError, 503),
    (errors.EmbedError, 503),
)


class Refusal(errors.DaemonError):
    """A request that is not carried out, with its HTTP status; `overtaken` by a newer one of the same client."""

    def __init__(self, status: int, what: str, *, where: str = "", fix: str = "", overtaken: bool = False) -> None:
        super().__init__(what, where=where, fix=fix)
        self.status, self.overtaken = status, overtaken


def answer(error: errors.OneBrainError, headers: dict[str, str] | None = None) -> Response:
    """Return the answer that tells an error."""
    from starlette.responses import Response

    status = error.status if isinstance(error, Refusal) else next((s for k, s in STATUS if isinstance(error, k)), 500)
    kind = "DaemonError" if isinstance(error, Refusal) else type(error).__name__
    told: dict[str, object] = {"error": {"kind": kind, "what": error.what, "where": error.where, "fix": error.fix}}
    if isinstance(error, Refusal) and error.overtaken:
        told["overtaken"] = True
    return Response(json.dumps(told, ensure_ascii=False), status, headers, "application/json")
