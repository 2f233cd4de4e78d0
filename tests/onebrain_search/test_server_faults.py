"""Faults of the daemon's own: told as JSON like every other error, and without what was asked."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2

from onebrain_search.presence import Presence
from onebrain_search.server import app


class Broken:
    """A daemon whose every answer is a fault of the program."""

    presence = Presence(1, "token", 1, 1.0, "/vault", "0")

    async def asked(self, name: str, fields: Any) -> Any:
        """Fail."""
        raise ZeroDivisionError(f"while {fields}")


def test_a_fault_of_the_program_is_500_and_keeps_the_question_to_itself() -> None:
    """What kind of fault it was, and where to look."""

    async def work() -> httpx2.Response:
        """Ask once."""
        made: Any = app.make(Broken(), lambda: None)  # type: ignore[arg-type]
        transport = httpx2.ASGITransport(app=made, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.post(
                "/v1/search", json={"query": "my secret"}, headers={"Authorization": "Bearer token"}
            )

    answer = asyncio.run(work())
    assert (answer.status_code, answer.json()["error"]["kind"]) == (500, "DaemonError")
    assert "ZeroDivisionError" in answer.json()["error"]["what"]
    assert "secret" not in answer.text
