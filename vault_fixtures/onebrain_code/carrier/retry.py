"""Retry rules for calls to carriers: their Retry-After header first, our own backoff second."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MAX_ATTEMPTS = 4
BASE_SECONDS = 0.5
CEILING_SECONDS = 30.0
RETRYABLE = frozenset({408, 425, 429, 500, 502, 503, 504})


def parse_retry_after(value: str, now: datetime | None = None) -> float | None:
    """Seconds to wait as told by a Retry-After header, which holds seconds or an HTTP date."""
    text = value.strip()
    if text.isdigit():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def backoff_delay(attempt: int, rng: random.Random) -> float:
    """Exponential delay with full jitter, in seconds; attempt counts from 1."""
    return rng.uniform(0.0, min(CEILING_SECONDS, BASE_SECONDS * 2**attempt))


def next_delay(attempt: int, status: int, header: str | None, rng: random.Random) -> float | None:
    """The pause before the next attempt, or None when the call must fail now."""
    if status not in RETRYABLE or attempt >= MAX_ATTEMPTS:
        return None
    told = parse_retry_after(header) if header else None
    return told if told is not None else backoff_delay(attempt, rng)
