"""Opaque access tokens: random strings that mean nothing until they are looked up."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

LIFETIME = timedelta(minutes=15)


class TokenStore:
    """Keeps a hash of each token with its customer, family and expiry; never the token itself."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[str, str, datetime]] = {}

    def issue(self, customer: str, family: str, now: datetime) -> str:
        """Make a new token for a customer; the family groups all tokens of one login."""
        token = secrets.token_urlsafe(32)
        self._rows[_digest(token)] = (customer, family, now + LIFETIME)
        return token

    def introspect_token(self, token: str, now: datetime) -> str | None:
        """The customer behind a token, or None when it is unknown, revoked or expired."""
        row = self._rows.get(_digest(token))
        return row[0] if row and row[2] > now else None

    def revoke_token_family(self, family: str) -> int:
        """Cut off every token of one login at once; returns how many were dropped."""
        doomed = [key for key, row in self._rows.items() if row[1] == family]
        for key in doomed:
            del self._rows[key]
        return len(doomed)


def _digest(token: str) -> str:
    """Hash a token, so that a copy of the table lets nobody in."""
    return hashlib.sha256(token.encode()).hexdigest()
