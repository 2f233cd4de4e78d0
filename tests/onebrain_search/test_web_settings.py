"""The settings of the web: what is taken, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.errors import ConfigError
from onebrain_search import config
from onebrain_search.web_settings import TrustedDomain, WebSettings


def _load(tmp_path: Path, web: str) -> WebSettings:
    """Return the settings of a vault whose file has this below `web:`."""
    lines = "".join(f"    {line}\n" for line in web.splitlines())
    (tmp_path / "onebrain.yml").write_text(f"onebrain_search:\n  web:\n{lines}", "utf-8")
    return config.load(tmp_path, environ={}).web


def test_the_web_is_off_by_default(tmp_path: Path) -> None:
    """Without a file, and with one that does not name it."""
    assert not config.load(tmp_path, environ={}).web.enabled
    assert not _load(tmp_path, "max_results: 3").enabled


def test_every_source_can_be_set(tmp_path: Path) -> None:
    """Addresses, variables with keys, time-outs, and rows of trust."""
    web = _load(
        tmp_path,
        "enabled: true\n"
        "providers: [searxng, keyless]\n"
        "urls: {searxng: http://localhost:8080}\n"
        "key_env: {brave: MY_KEY}\n"
        "timeouts: {exa: 9.5}\n"
        "trust:\n  - {domain: acme.com, level: verified, score: 0.9, tag: mine}",
    )
    assert web.enabled
    assert web.providers == ("searxng", "keyless")
    assert (web.urls, web.key_env, web.timeouts) == (
        {"searxng": "http://localhost:8080"}, {"brave": "MY_KEY"}, {"exa": 9.5},
    )  # fmt: skip
    assert web.trust == (TrustedDomain("acme.com", "verified", 0.9, "mine"),)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("deadline: 99", "from 1 to 35"),
        ("source_timeout: 0.2", "from 1 to 30"),
        ("timeout: 500", "from 1 to 120"),
        ("degrade_minutes: 0.5", "from 1 to 120"),
        ("max_results: 21", "from 1 to 20"),
        ("trust_profile: best", "default, newer"),
        ("urls: {searxng: ftp://a.org}", "http:// or https://"),
        ("urls: searxng", "a mapping"),
        ("enabled: maybe", "true or false"),
        ("trust: [{domain: a.org, level: holy, score: 0.9}]", "a level"),
        ("trust: [{domain: a.org, level: verified, score: 9}]", "a score up to 1"),
        ("trust: a.org", "a list of rows"),
        ("enable: true", "did you mean `enabled`"),
    ],
)
def test_a_wrong_setting_is_refused_with_its_line(tmp_path: Path, line: str, wanted: str) -> None:
    """And with what it takes."""
    with pytest.raises(ConfigError) as caught:
        _load(tmp_path, line)
    assert wanted in str(caught.value)
    assert "onebrain.yml:3" in str(caught.value)
