"""Keys of sources: from the environment, else from the system's keyring where there is one. They are never shown."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

SERVICE = "onebrain-search"  # their name in the keyring, as in `keyring set onebrain-search brave`
PATIENCE = 1.0  # seconds for a keyring, which may wait for its owner


def keys_of(name: str, variables: Sequence[str], environ: Mapping[str, str], keyring: bool) -> tuple[str, ...]:
    """Return the keys of a source, in the order to try them; a variable may hold several with commas between."""
    held = (environ.get(variable, "") for variable in variables)
    found = [key.strip() for text in held for key in text.split(",") if key.strip()]
    if not found and keyring:
        found = [key for key in [_from_keyring(name)] if key]
    return tuple(dict.fromkeys(found))


def _from_keyring(name: str) -> str:
    """Return a key from the keyring; nothing where there is none, or it is locked and does not open in time."""
    held: list[str] = []

    def look() -> None:
        """Ask the keyring."""
        try:
            import keyring

            held.append(keyring.get_password(SERVICE, name) or "")
        except Exception:  # no package, no keyring on this system, a locked one: each backend has its own errors
            held.append("")

    thread = threading.Thread(target=look, name="keyring", daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return held[0] if held else ""
