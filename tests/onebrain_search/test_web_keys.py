"""Keys of sources: environment first, then a keyring, which may be missing, locked or silent."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from onebrain_search.web import keys as module
from onebrain_search.web.keys import SERVICE, Keys

keyring = pytest.importorskip("keyring", reason="the extra `web` is not installed")


class InMemory(keyring.backend.KeyringBackend):  # type: ignore[misc, name-defined]
    """A keyring that holds one key, or never opens."""

    priority = 1
    asked = 0

    def __init__(self, hang: bool = False) -> None:
        self.hang = hang

    def get_password(self, service: str, username: str) -> str | None:
        """Return the key of Brave."""
        InMemory.asked += 1
        if self.hang:
            threading.Event().wait()
        return "from-the-ring" if (service, username) == (SERVICE, "brave") else None

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep nothing."""

    def delete_password(self, service: str, username: str) -> None:
        """Forget nothing."""


@pytest.fixture(autouse=True)
def ring() -> Iterator[None]:
    """Put the person's own keyring back."""
    own = keyring.get_keyring()
    InMemory.asked = 0
    yield
    keyring.set_keyring(own)


def test_the_environment_comes_first_and_may_hold_several() -> None:
    """Each key once, in order; the keyring is not asked then."""
    keyring.set_keyring(InMemory())
    keys = Keys({"A": "one, two,", "B": "two"}, keyring=True)
    assert keys.of("brave", ("A", "B")) == ("one", "two")
    assert InMemory.asked == 0


@pytest.mark.parametrize("key", ["two\nlines", "sch\u00f6n", "bell\x07", "  "])
def test_a_key_that_fits_in_no_header_is_none(key: str) -> None:
    """It would be refused later by an error that shows it."""
    assert Keys({"A": key}, keyring=False).of("brave", ("A",)) == ()


def test_a_key_of_the_keyring_is_found() -> None:
    """By the service and the name of the source; not when the settings say no."""
    keyring.set_keyring(InMemory())
    assert Keys({}, keyring=True).of("brave", ("A",)) == ("from-the-ring",)
    assert Keys({}, keyring=True).of("exa", ("A",)) == ()
    assert Keys({}, keyring=False).of("brave", ("A",)) == ()


def test_a_system_without_a_keyring_has_no_keys() -> None:
    """As on a server: the library raises, we go on."""
    from keyring.backends import fail

    keyring.set_keyring(fail.Keyring())
    assert Keys({}, keyring=True).of("brave", ("A",)) == ()


def test_a_keyring_that_does_not_open_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three sources without a key cost one wait, not three."""
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    keyring.set_keyring(InMemory(hang=True))
    keys = Keys({}, keyring=True)
    assert [keys.of(name, ("A",)) for name in ("brave", "exa", "tavily")] == [(), (), ()]
    assert InMemory.asked == 1
