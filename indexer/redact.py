"""Secrets in a text, as detect-secrets knows them, covered with blocks of the same length."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from indexer.errors import ConfigError

# Rule -> class of the module of that name in detect_secrets.plugins, and what a line must hold to be looked at: the
# fixed parts of its patterns. Each begins with a letter or sign that stands fast, which Python finds at 1-2 GB/s; a
# detector takes 10-1,000 times as long. Left out are the rules that guess by entropy (every hash would be a secret).
_DETECTORS = {
    "aws": (
        "AWSKeyDetector",
        (
            "AKIA",
            "ASIA[0-9A-Z]",
            "ABIA[0-9A-Z]",
            "ACCA[0-9A-Z]",
            "A3T[0-9A-Z]",
            r"aws.{1,45}['\"]",
            r"AWS.{1,45}['\"]",
        ),
    ),
    "azure_storage_key": ("AzureStorageKeyDetector", ("AccountKey=",)),
    "basic_auth": ("BasicAuthDetector", (r"://[^/\s{}]{1,200}:[^/\s{}]{1,200}@",)),
    "github_token": ("GitHubTokenDetector", ("gh[pousr]_",)),
    "gitlab_token": ("GitLabTokenDetector", ("gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-", "GR1348941")),
    "jwt": ("JwtTokenDetector", ("eyJ",)),
    "keyword": (
        "KeywordDetector",
        tuple(
            word + r"[\w\"'\]\[]{0,20}\s?(?:[:=!(]|=>)"
            for word in "pass Pass PASS pwd Pwd PWD secret Secret SECRET key Key KEY contrase".split()
        ),
    ),
    "mailchimp": ("MailchimpDetector", (r"-us\d",)),
    "npm": ("NpmDetector", ("_authToken=",)),
    "openai": ("OpenAIDetector", ("T3BlbkFJ",)),
    "private_key": ("PrivateKeyDetector", ("PRIVATE KEY", "PuTTY-User-Key")),
    "pypi_token": ("PypiTokenDetector", ("pypi-Ag",)),
    "sendgrid": ("SendGridDetector", (r"SG\.[\w-]{20}",)),
    "slack": ("SlackDetector", ("xox[abposr]-", "XOX[ABPOSR]-", r"hooks\.slack")),
    "square_oauth": ("SquareOAuthDetector", ("sq0csp",)),
    "stripe": ("StripeDetector", ("k_live_",)),
    "telegram_token": ("TelegramBotTokenDetector", (r":AA[\w-]{33}",)),
    "twilio": ("TwilioKeyDetector", ("AC[a-z0-9]{32}", "SK[a-z0-9]{32}")),
}
RULES = tuple(_DETECTORS)

_LONGEST = 2_000  # characters looked at in one piece: some patterns take the square of it
_AROUND = 300  # characters looked at before a hint, so the last ones of a piece are looked at again
_TOKEN_END = re.compile(r"(?:[\w=+/-]|\.(?=\w))*")  # what follows a found part without a gap belongs to the secret
_KEY_HEADER = re.compile(r"(?:BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-2:)\s{0,9}")
_KEY_END = re.compile(r"-----END|\n[ \t]*\n|[\"'`]")
_LONGEST_KEY = 20_000
_SHORTEST_WORD = 6  # characters of a value behind `password =` that is more than an example
_COVER = re.compile(r"[^\n]")


def redact(text: str, rules: tuple[str, ...] = RULES) -> tuple[str, int]:
    """The text with each character of its secrets made `█`, and how many secrets there were; lines stay.

    Raises ConfigError for an unknown rule, or when there is a hint of a secret and detect-secrets is not installed.
    """
    kept: list[str] = []
    last = count = 0
    for start, end in sorted(span for rule in rules for span in _spans(text, rule)):
        if end > last:
            count += start >= last
            start = max(start, last)
            kept += (text[last:start], _COVER.sub("█", text[start:end]))
            last = end
    return ("".join((*kept, text[last:])), count) if count else (text, 0)


def _spans(text: str, rule: str) -> Iterator[tuple[int, int]]:
    """Offsets of the secrets that a rule finds."""
    for hint in _hints(rule):
        for start, end in _pieces(text, hint):
            piece = text[start:end]
            for secret in set(_detector(rule).analyze_string(piece)):
                if rule == "private_key":  # it only sees the first line
                    yield from _keys(text, start, end)
                elif secret and (rule != "keyword" or _is_likely(secret, piece)):
                    yield from _places(text, secret, start, end)


def _pieces(text: str, hint: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Offsets of the lines that hold a hint, of long ones the part round it."""
    done = 0
    for match in hint.finditer(text):
        if match.end() <= done:
            continue
        start = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        end = len(text) if end < 0 else end
        if end - start > _LONGEST:
            start = max(start, match.start() - _AROUND)
            end = min(end, match.end() + _LONGEST)
        done = end if end == len(text) or text[end] == "\n" else end - _AROUND
        yield start, end


def _is_likely(secret: str, line: str) -> bool:
    """Whether a value is a secret and no example, template or reference."""
    from detect_secrets.filters import heuristic

    if len(secret) < _SHORTEST_WORD or any(char.isspace() for char in secret):
        return False
    return not (
        heuristic.is_sequential_string(secret)
        or heuristic.is_templated_secret(secret)
        or heuristic.is_prefixed_with_dollar_sign(secret)
        or heuristic.is_not_alphanumeric_string(secret)
        or heuristic.is_indirect_reference(line)
    )


def _places(text: str, secret: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where a secret stands in a piece, up to the end of the token it is part of."""
    position = text.find(secret, start, end)
    while position >= 0:
        token = _TOKEN_END.match(text, position + len(secret), end)
        after = token.end() if token else position + len(secret)
        yield position, after
        position = text.find(secret, after, end)


def _keys(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """What stands between the first line of a private key, which is in a piece, and its last."""
    for match in _KEY_HEADER.finditer(text, start, end):
        closing = _KEY_END.search(text, match.end(), match.end() + _LONGEST_KEY)
        last = closing.start() if closing else min(match.end() + _LONGEST_KEY, len(text))
        if last > match.end():
            yield match.end(), last


@cache
def _hints(rule: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of a rule's hints."""
    if rule not in _DETECTORS:
        raise ConfigError(f"there is no redaction rule {rule!r}", fix=f"take some of {', '.join(RULES)}")
    return tuple(map(re.compile, _DETECTORS[rule][1]))


@cache
def _detector(rule: str) -> Any:
    """The detector of a rule."""
    try:
        module = import_module(f"detect_secrets.plugins.{rule}")
    except ImportError as error:
        raise ConfigError("hiding secrets needs detect-secrets", fix="pip install onebrain-search[redact]") from error
    return getattr(module, _DETECTORS[rule][0])()
