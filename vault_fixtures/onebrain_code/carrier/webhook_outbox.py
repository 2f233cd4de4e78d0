"""Webhook delivery from an outbox table: write with the business row, send later, mark as sent."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

POLL_SECONDS = 5
BATCH = 50


def enqueue_webhook(db: sqlite3.Connection, customer: str, payload: str) -> int:
    """Store one event in the caller's transaction and return its row id."""
    cursor = db.execute("INSERT INTO outbox (customer, payload) VALUES (?, ?)", (customer, payload))
    return int(cursor.lastrowid or 0)


def drain_outbox(db: sqlite3.Connection, send: Callable[[str, str], bool]) -> int:
    """Send up to one batch of unsent events in order; stops at the first refusal. Returns the number sent."""
    rows = db.execute(
        "SELECT id, customer, payload FROM outbox WHERE sent_at IS NULL ORDER BY id LIMIT ?", (BATCH,)
    ).fetchall()
    sent = 0
    for row_id, customer, payload in rows:
        if not send(customer, payload):
            break
        db.execute("UPDATE outbox SET sent_at = CURRENT_TIMESTAMP WHERE id = ?", (row_id,))
        sent += 1
    return sent
