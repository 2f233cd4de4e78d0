"""Keys of sources: from the environment, else from the system's keyring where there is one. They are never shown."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

SERVICE = "onebrain-search"  # their name in the keyring, as in `keyring set onebrain-search brave`
PATIENCE = 1.0  # seconds for a keyring, which may wait for its owner


class Keys:
    """The keys of one environment; a keyring that does not open in time is not asked a second time."""

    def __init__(self, environ: Mapping[str, str], *, keyring: bool) -> None:
        self._environ, self._keyring = environ, keyring

    def of(self, name: str, variables: Sequence[str]) -> tuple[str, ...]:
        """Return the keys of a source, in the order to try them; a variable may hold several with commas between."""
        held = (self._environ.get(variable, "") for variable in variables)
        found = [key.strip() for text in held for key in text.split(",") if key.strip()]
        return tuple(filter(_can_be_sent, dict.fromkeys(found or [self._from_keyring(name)])))

    def _from_keyring(self, name: str) -> str:
        """Return a key from the keyring; nothing where there is none, or it is locked and does not open in time."""
        if not self._keyring:
            return ""
        held: list[str] = []

        def look() -> None:
            """Ask the keyring."""
            try:
                import keyring

                held.append(keyring.get_password(SERVICE, name) or "")
            except Exception:  # no package, none on this system, a locked one: each backend has its own errors
                held.append("")

        thread = threading.Thread(target=look, name="keyring", daemon=True)
        thread.start()
        thread.join(PATIENCE)
        self._keyring = bool(held)
        return held[0] if held else ""


def _can_be_sent(key: str) -> bool:
    """Whether a key fits in a header; the error about one that does not would show it."""
    return bool(key) and key.isascii() and key.isprintable()
