"""The file by which a running daemon is found: where it listens, how to speak to it, and which process it is."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path

PROTOCOL = 1  # of the HTTP API; a client and a daemon of different numbers do not speak
FILE = "daemon.json"


@dataclass(frozen=True, slots=True)
class Presence:
    """A daemon as it announced itself; nothing of it is believed before the daemon has proved to know the token."""

    port: int
    token: str
    pid: int
    started: float  # of the process, in seconds since 1970: tells it from a later one with the same number
    vault: str
    version: str
    protocol: int = PROTOCOL

    @property
    def vault_id(self) -> str:
        """Tells vaults apart without naming one."""
        return sha256(os.fsencode(self.vault)).hexdigest()[:16]

    def proof(self, challenge: str) -> str:
        """Return what only one who knows the token can answer to a challenge."""
        import hmac

        return hmac.new(self.token.encode(), challenge.encode(), sha256).hexdigest()


def read(folder: Path) -> Presence | None:
    """Return the daemon that announced itself in a state folder, None without a file that is whole."""
    try:
        found = json.loads((folder / FILE).read_text("utf-8"))
        presence = Presence(**{entry.name: found[entry.name] for entry in fields(Presence)})
    except (OSError, ValueError, TypeError, KeyError):
        return None
    sound = isinstance(presence.port, int) and isinstance(presence.token, str) and isinstance(presence.vault, str)
    return presence if sound else None


def announce(folder: Path, presence: Presence) -> None:
    """Write the file, for its owner's eyes only, in one step."""
    fresh = folder / f"{FILE}.new"
    fresh.unlink(missing_ok=True)
    fresh.touch(mode=0o600, exist_ok=False)
    fresh.write_text(json.dumps(asdict(presence)), "utf-8")
    fresh.replace(folder / FILE)


def withdraw(folder: Path, presence: Presence) -> None:
    """Delete the file, unless another daemon has written it since."""
    if read(folder) == presence:
        (folder / FILE).unlink(missing_ok=True)


def own_version() -> str:
    """Return the version of this program, `source` where it runs without having been installed."""
    from importlib import metadata

    try:
        return metadata.version("onebrain-search")
    except metadata.PackageNotFoundError:
        return "source"
