"""The settings of the web: whether it may be asked, whom, and for how long. They load nothing of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from onebrain_search.yaml_settings import (
    Reader,
    Value,
    count,
    flag,
    mapping_of,
    read_group,
    setting,
    size,
    text,
    texts,
    url,
)

LEVELS = ("verified", "community", "external")
PROFILES = ("default", "newer")
FETCH_OPT_IN = ("impersonate", "browser", "jina")  # ways of `fetch` that run only when they are allowed by name


def _profile(value: Value) -> str:
    """Read the name of a trust table."""
    if text(value) not in PROFILES:
        raise value.wrong(f"one of {', '.join(PROFILES)}")
    return text(value)


def _ways(value: Value) -> tuple[str, ...]:
    """Read names of FETCH_OPT_IN."""
    if unknown := [name for name in texts(value) if name not in FETCH_OPT_IN]:
        raise value.wrong(f"names of {', '.join(FETCH_OPT_IN)}, and `{unknown[0]}` is none")
    return texts(value)


def _within(least: float, most: float) -> Reader:
    """Return a reader for a number between two."""

    def read(value: Value) -> float:
        """Read it."""
        number = size(value)
        if not least <= number <= most:
            raise value.wrong(f"a number from {least:g} to {most:g}")
        return number

    return read


def _results(value: Value) -> int:
    """Read how many results are shown."""
    number = count(value)
    if number > 20:
        raise value.wrong("a whole number from 1 to 20")
    return number


def _domains(value: Value) -> tuple[TrustedDomain, ...]:
    """Read the user's own rows of the trust table."""
    if not value.a("seq"):
        raise value.wrong("a list of rows, each as {domain: example.org, level: verified, score: 0.9}")
    rows = tuple(read_group(TrustedDomain(), item) for item in value.items())
    for item, row in zip(value.items(), rows, strict=True):
        if not row.domain or row.level not in LEVELS or row.score > 1:
            raise item.wrong(f"a domain, a level ({', '.join(LEVELS)}) and a score up to 1 in each row")
    return rows


@dataclass(frozen=True, slots=True)
class TrustedDomain:
    """A row of the trust table: a domain with those below it, or a pattern as `docs.*` or `*.edu`."""

    domain: str = field(default="", metadata=setting(text, "A domain, with those below it, or a pattern."))
    level: str = field(default="", metadata=setting(text, "verified, community or external."))
    score: float = field(default=0.5, metadata=setting(size, "How far it is trusted, up to 1."))
    tag: str = field(default="", metadata=setting(text, "A word to show beside it."))


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The web as the last place to look."""

    enabled: bool = field(
        default=False,
        metadata=setting(flag, "Ask the web when the notes have no answer; what is asked then leaves this machine."),
    )
    providers: tuple[str, ...] = field(
        default=(), metadata=setting(texts, "Web sources to ask in this order, not those that fit; `keyless` is one.")
    )
    urls: Mapping[str, str] = field(
        default_factory=dict,
        metadata=setting(mapping_of(url), "Where sources are, as {searxng: http://localhost:8080}."),
    )
    key_env: Mapping[str, str] = field(
        default_factory=dict,
        metadata=setting(mapping_of(text), "Environment variables with keys, as {brave: MY_BRAVE_KEY}."),
    )
    keyring: bool = field(
        default=True, metadata=setting(flag, "Look for keys in the system's keyring, too (extra `web`).")
    )
    timeout: float = field(
        default=20.0,
        metadata=setting(_within(1, 120), "Seconds for a source that is asked alone."),
    )
    source_timeout: float = field(
        default=3.0,
        metadata=setting(_within(1, 30), "Seconds for each source of several."),
    )
    deadline: float | None = field(
        default=None,
        metadata=setting(
            _within(1, 35), "Seconds for all together; else half a second more than the slowest may take."
        ),
    )
    timeouts: Mapping[str, float] = field(
        default_factory=dict,
        metadata=setting(mapping_of(size), "Seconds for a source of its own, as {context7: 10}."),
    )
    max_results: int = field(default=8, metadata=setting(_results, "Results to show, up to 20."))
    rate_max: int = field(
        default=30, metadata=setting(count, "Calls of one source in a window of time; more are not made.")
    )
    rate_window: int = field(default=60, metadata=setting(count, "Seconds of that window."))
    degrade_minutes: float = field(
        default=5.0,
        metadata=setting(_within(1, 120), "Minutes that a source which blocked or hung is left alone."),
    )
    trust_profile: str = field(
        default="default", metadata=setting(_profile, "The table of trusted domains: default or newer.")
    )
    trust: tuple[TrustedDomain, ...] = field(
        default=(), metadata=setting(_domains, "Rows of your own, as [{domain: a.org, level: verified, score: 0.9}].")
    )
    fetch_allow: tuple[str, ...] = field(
        default=(),
        metadata=setting(_ways, "Ways of `fetch` that are off: impersonate, browser, or jina, a reader service."),
    )
    ranks: str = field(
        default="https://siterank.redirect2.me",
        metadata=setting(url, "Who is asked whether an unknown domain is popular; empty asks nobody."),
    )
