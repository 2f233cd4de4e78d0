"""Secrets are covered, lines stay, ordinary notes are left alone. The secrets are put together at run time."""

from __future__ import annotations

import base64
import json
import random
import string
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.errors import ConfigError
from indexer.parse import ParseOptions, parse
from indexer.redact import RULES, redact
from indexer.types import SourceFile

_WORDS = string.ascii_letters + string.digits
_LOWER = string.ascii_lowercase + string.digits
_UPPER = string.ascii_uppercase + string.digits


def _made_up(length: int, letters: str = _WORDS) -> str:
    """Characters that look like a secret and open nothing."""
    return "".join(random.Random(length).choices(letters, k=length))


def _join(*parts: str) -> str:
    """A secret of its parts, which never stand beside each other in a file of ours."""
    return "".join(parts)


def _encoded(value: dict[str, object]) -> str:
    """A part of a JSON web token."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


SECRETS = {
    "aws": _join("AK", "IA", _made_up(16, _UPPER)),
    "azure_storage_key": _join("Account", "Key=", _made_up(86), "=="),
    "github_token": _join("gh", "p_", _made_up(36)),
    "gitlab_token": _join("gl", "pat-", _made_up(20)),
    "jwt": ".".join((_encoded({"alg": "HS256", "typ": "JWT"}), _encoded({"sub": "nobody", "iat": 1}), _made_up(43))),
    "mailchimp": _join(_made_up(32, _LOWER), "-u", "s12"),
    "openai": _join("s", "k-", _made_up(20), "T3Blbk", "FJ", _made_up(20)),
    "pypi_token": _join("py", "pi-AgEIcHlwaS5", "vcmc", _made_up(80)),
    "sendgrid": _join("S", "G.", _made_up(22), ".", _made_up(43)),
    "slack": _join("xo", "xb-", _made_up(12, string.digits), "-", _made_up(24, _LOWER)),
    "square_oauth": _join("sq", "0csp-", _made_up(43)),
    "stripe": _join("s", "k_li", "ve_", _made_up(24)),
    "telegram_token": _join(_made_up(9, "123456789"), ":", "AA", _made_up(33)),
    "twilio": _join("S", "K", _made_up(32, _LOWER)),
}
WORD = _made_up(14)
IN_CONTEXT = {
    "basic_auth": (f"postgres://app:{WORD}@db.example.org/main", WORD),
    "keyword": (f'db_pass{""}word = "{WORD}"', WORD),
    "npm": (f"//registry.example.org/:_auth{''}Token=npm_{WORD}", f"npm_{WORD}"),
}
KEY = _join(
    "-----BEGIN RSA PRIV", "ATE KEY-----\n", "\n".join([_made_up(64)] * 4), "\n-----END RSA PRIV", "ATE KEY-----"
)


@pytest.mark.parametrize("rule", SECRETS)
def test_a_secret_is_covered_and_its_line_stays(rule: str) -> None:
    """Every rule finds its secret in prose, whole, and nothing else."""
    secret = SECRETS[rule]
    covered, count = redact(f"# Access\n\nThe token is {secret} until May.\nmore\n")
    assert count == 1
    assert covered == f"# Access\n\nThe token is {'█' * len(secret)} until May.\nmore\n"
    assert redact(f"The token is {secret}.", (rule,))[1] == 1


@pytest.mark.parametrize("rule", IN_CONTEXT)
def test_a_secret_that_its_context_tells_is_covered(rule: str) -> None:
    """The words around it stay."""
    line, secret = IN_CONTEXT[rule]
    covered, _ = redact(f"note\n{line}\n")
    assert secret not in covered
    assert covered.startswith(f"note\n{line[:10]}") and len(covered) == len(f"note\n{line}\n")


def test_the_lines_of_a_private_key_are_covered() -> None:
    """From its first line to its last, which stay; also when it is a string of one line."""
    covered, count = redact(f"before\n{KEY}\nafter\n")
    assert count == 1
    lines = covered.split("\n")
    assert lines[2:6] == ["█" * 64] * 4
    assert (lines[0], lines[-2]) == ("before", "after") and "PRIVATE KEY" in lines[1] and "PRIVATE KEY" in lines[6]
    assert _made_up(64)[:20] not in redact(json.dumps({"key": KEY}))[0]


def test_the_rules_have_a_secret_each() -> None:
    """A new rule brings its example."""
    assert {*SECRETS, *IN_CONTEXT, "private_key"} == set(RULES)


@pytest.mark.parametrize(
    "text",
    [
        "The password is reset by mail; a secret ballot; the key: to listen.",
        'password = "${DB_PASSWORD}" and secret: "{{ vault.token }}" and key = ""',
        "commit 3f2a9c4e5b6d7f8091a2b3c4d5e6f708192a3b4c, id 550e8400-e29b-41d4-a716-446655440000",
        "https://example.org/a:b/c?x=1@2 and mail me@example.org at 12:30",
        "KEY: value\nAsia, aws, SKU 123456, account keys, eyJ, xoxo, pass: yes",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    """Words of the trade, placeholders, hashes and addresses are no secrets."""
    assert redact(text) == (text, 0)


def test_a_secret_in_a_very_long_line_is_covered() -> None:
    """Long lines are looked at round each hint, wherever it stands."""
    for before in (0, 1_990, 150_000):
        text = "x " * before + SECRETS["github_token"] + " y" * 150_000 + SECRETS["aws"]
        covered, count = redact(text)
        assert count == 2 and len(covered) == len(text)
        assert SECRETS["github_token"] not in covered and SECRETS["aws"] not in covered


def test_no_rules_cover_nothing_and_an_unknown_one_is_an_error() -> None:
    """The list of rules is what counts."""
    text = SECRETS["aws"]
    assert redact(text, ()) == (text, 0)
    assert redact(text, ("slack",)) == (text, 0)
    with pytest.raises(ConfigError, match="no redaction rule 'pasword'"):
        redact(text, ("pasword",))


def test_the_library_is_loaded_when_there_is_something_to_look_at() -> None:
    """Most notes cost no import."""
    code = "import sys; from indexer.redact import redact; redact('a note'); print('detect_secrets' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "False"


_PIECES = st.sampled_from(
    [
        *SECRETS.values(),
        KEY,
        *" \n=:\"'@/.-█é",
        "password",
        "://",
        "eyJ",
        "-----BEGIN PRIVATE KEY-----",
        "AccountKey=",
        "a",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_PIECES, max_size=15).map("".join) | st.text(max_size=200))
def test_any_text_keeps_its_shape(text: str) -> None:
    """Only characters change, and only to the cover."""
    covered, count = redact(text)
    assert len(covered) == len(text)
    assert all(new in (old, "█") for new, old in zip(covered, text, strict=True))
    assert (covered == text) <= (count == 0 or "█" in text)


@pytest.mark.parametrize(
    "piece", ["password=", "://a:a@", "eyJ", "A3T0", 'key = "', "gh" + "p_", ":AA" + "x" * 33, "-us1", "PRIVATE KEY"]
)
def test_hostile_text_ends(piece: str) -> None:
    """Hints without end cost linear time."""
    began = time.process_time()
    redact(piece * (400_000 // len(piece)))
    redact(f"{piece}\n" * (200_000 // len(piece)))
    assert time.process_time() - began < 30


# in the parsers


@pytest.mark.parametrize("suffix", [".md", ".txt", ".py", ".rst", ".org", ".html"])
def test_a_covered_secret_is_nowhere_in_a_document(suffix: str) -> None:
    """Neither in its text nor in its blocks, title or meta data; the document says that something is covered."""
    secret = SECRETS["github_token"]
    text = f"# {secret}\n\n- item {secret}\n\nabout {secret}\n"
    if suffix == ".md":
        text = f"---\ntoken: {secret}\nlist: [{secret}]\n---\n{text}"
    if suffix == ".html":
        head = f"<title>{secret}</title><meta name=author content={secret}>"
        text = f"{head}<p>about {secret}<table><tr><td>a<td>{secret}</table>"
    file = SourceFile("", f"note{suffix}", "note", 0, 1_700_000_000_000_000_000)
    covered = parse(file, text.encode(), ParseOptions(redact=RULES))
    plain = parse(file, text.encode())
    assert secret in repr(plain) and secret not in repr(covered)
    assert [(b.kind, b.start_line, b.end_line) for b in covered.blocks] == [
        (b.kind, b.start_line, b.end_line) for b in plain.blocks
    ]
    assert "covered" in covered.problems[-1] and "█" in covered.text
