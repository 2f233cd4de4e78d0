"""Where a question goes, and what it is asked for: the rules' own cases, and 120 questions written from the rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from indexer.errors import QueryError
from onebrain_search.web import intent, purpose
from onebrain_search.web.tables import load

QUESTIONS = [
    json.loads(line)
    for line in (Path(__file__).parent / "questions_web.jsonl").read_text(encoding="utf-8").splitlines()
]
BOTH = ("docs", "web")


def test_o1_flags_beat_everything() -> None:
    """Words for docs do not count beside `--code`, nor does a caller's intent."""
    assert intent.route("React official docs", flag="code").line == "Mode: code (flag)"
    assert intent.route("React official docs", flag="code", explicit="web").line == "Mode: code (flag)"


def test_o2_a_modifier_picks_no_route() -> None:
    """The words of the question still do."""
    assert intent.route("React useState example", modifiers=("strict",)).line == "Mode: web (auto, strict)"


@pytest.mark.parametrize(
    ("mode", "word"),
    [(mode, word) for mode, languages in load("routes").items() for words in languages.values() for word in words],
)
def test_o3_each_keyword_leads_to_its_route(mode: str, word: str) -> None:
    """In English, Korean and Japanese, alone beside a name."""
    assert intent.route(f"Zork {word}").modes == (mode,)


@pytest.mark.parametrize("question", ["exampled Zork", "Zork prefunctional", "Zork-reporting", "herein Zork"])
def test_o3_a_latin_keyword_is_a_whole_word(question: str) -> None:
    """Parts of other words lead nowhere."""
    assert intent.route(question).modes == BOTH


@pytest.mark.parametrize(
    ("question", "mode"),
    [
        ("Django 5.2 async views", "docs"),
        ("Zork v2.1 migrations", "docs"),
        ("TypeError: Cannot read properties of undefined (reading 'map') React", "web"),
        ("Traceback in a worker", "web"),
        ("https://gitlab.com/acme/app cache", "code"),
        ("retry queue github.com", "code"),
        ("where is openStore defined", "local"),
        ("src/open_store.py", "local"),
        ("../lib/open.ts", "local"),
    ],
)
def test_o4_a_signal_counts_where_no_keyword_does(question: str, mode: str) -> None:
    """Version, error, platform, definition and path each point to a route."""
    assert intent.route(question).modes == (mode,)


@pytest.mark.parametrize(
    ("question", "modes"),
    [("download VS Code", BOTH), ("VS Code vs Zed", ("web",)), ("and/or logic", BOTH), ("이 함수 구현", ("code",)),
     ("class method tutorial", ("web",)), ("docs of this project", ("local",))],
)  # fmt: skip
def test_words_that_only_look_like_a_sign_are_none(question: str, modes: tuple[str, ...]) -> None:
    """A name with "VS" compares nothing, and bare nouns of code give way to any other keyword."""
    assert intent.route(question).modes == modes


def test_after_the_vault_a_bare_noun_of_code_does_not_mean_it_again() -> None:
    """Words for the code at hand still do."""
    assert intent.route("lambda function cold start", nouns=False).modes == BOTH
    assert intent.route("the cache function of this project", nouns=False).modes == ("local",)


def test_o4_keywords_come_before_signals() -> None:
    """A version in a question for a tutorial leaves it one."""
    assert intent.route("Django 5.2 tutorial").modes == ("web",)


def test_o5_no_sign_at_all_means_docs_and_web() -> None:
    """Both are asked."""
    assert intent.route("Next.js middleware").line == "Mode: docs + web (auto)"


@pytest.mark.parametrize(
    ("question", "modes"),
    [
        ("React useState", BOTH),
        ("React useState official docs", ("docs",)),
        ("React useState use case", ("web",)),
        ("React useState implementation", ("code",)),
        ("find handleAuth function", ("local",)),
        ("Next.js vs Remix", ("web",)),
        ("OAuth PKCE github", ("code",)),
        ("React useState 공식 문서", ("docs",)),
        ("React useState 사용 사례", ("web",)),
        ("handleAuth 함수 찾아줘", ("local",)),
    ],
)
def test_o6_ambiguous_questions_go_where_the_table_says(question: str, modes: tuple[str, ...]) -> None:
    """The ten cases of the rules."""
    assert intent.route(question).modes == modes


@pytest.mark.parametrize(
    ("question", "arguments", "line"),
    [
        ("React useEffect official docs", {}, "Mode: docs (auto)"),
        ("Redis pub/sub use cases", {}, "Mode: web (auto)"),
        ("OAuth PKCE implementation TypeScript", {"flag": "code"}, "Mode: code (flag)"),
        ("JWT refresh token rotation", {"modifiers": ("strict",)}, "Mode: docs + web (auto, strict)"),
        ("CI caching strategy", {"flag": "code", "modifiers": ("gitlab",)}, "Mode: code (flag, gitlab)"),
        ("TypeError in React", {"explicit": "web"}, "Mode: web (explicit)"),
        ("React Server Components streaming", {}, "Mode: docs + web (auto)"),
        ("Next.js middleware", {"flag": "docs"}, "Mode: docs (flag)"),
    ],
)
def test_o7_the_mode_line_has_its_form(question: str, arguments: dict[str, str], line: str) -> None:
    """Modes, who chose them, and modifiers."""
    assert intent.route(question, **arguments).line == line  # type: ignore[arg-type]


def test_o7_a_fallback_is_told() -> None:
    """Docs that were not found are answered by the web."""
    assert intent.route("htmx form validation", flag="docs").fallen_back().line == "Mode: docs -> web (fallback)"


@pytest.mark.parametrize("mode", intent.ROUTES)
def test_o21_a_caller_may_name_the_route(mode: str) -> None:
    """It is marked as explicit."""
    assert intent.route("x", explicit=mode).line == f"Mode: {mode} (explicit)"


def test_o21_an_unknown_route_is_an_error() -> None:
    """The error lists those that there are."""
    with pytest.raises(QueryError, match="docs, web, code, local"):
        intent.route("x", explicit="images")


@pytest.mark.parametrize(
    ("name", "word"), [(name, word) for name, row in load("purposes").items() for word in row["words"]]
)
def test_l1_each_word_leads_to_its_purpose(name: str, word: str) -> None:
    """In English and Chinese; a word inside another purpose's longer one follows the order between them."""
    wider = {"最近发生了什么": "news", "latest announcements": "news"}
    assert purpose.purpose_of(f"Zork {word} Bork").name == wider.get(word, name)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Deno 最新版本下载", "resource"),
        ("Bun vs Deno 最新对比", "comparison"),
        ("Anthropic MCP", "exploratory"),
        ("latest news on WASI", "news"),
    ],
)
def test_l1_between_purposes_the_more_specific_wins(question: str, name: str) -> None:
    """Resource, news, status, comparison, tutorial, factual, exploratory; but "X vs Y" before a word for time."""
    assert purpose.purpose_of(question).name == name


def test_l1_a_purpose_may_be_named() -> None:
    """An unknown one is an error that lists the seven."""
    assert purpose.purpose_of("what is it", "news").name == "news"
    with pytest.raises(QueryError, match="factual"):
        purpose.purpose_of("x", "images")


@pytest.mark.parametrize(
    ("question", "name", "wordings"),
    [
        ("Bun vs Deno", "comparison", ["Bun vs Deno", "Bun advantages", "Deno advantages"]),
        ("RISC-V", "exploratory", ["RISC-V", "RISC-V overview", "RISC-V ecosystem", "RISC-V use cases"]),
        ("AI", "news", ["AI", "AI news this week 2026", "AI announcement latest"]),
        ("Deno", "status", ["Deno", "Deno latest 2026", "Deno update release"]),
        ("Rust", "tutorial", ["Rust", "Rust tutorial", "Rust guide step by step", "Rust example"]),
        ("Anthropic", "resource", ["Anthropic", "Anthropic official documentation", "Anthropic github"]),
        ("what is QUIC?", "factual", ["what is QUIC?", "QUIC explained overview", "QUIC definition"]),
        ("Bun vs Deno 最新", "comparison", ["Bun vs Deno 最新", "Bun vs Deno", "Bun advantages", "Deno advantages"]),
    ],
)  # fmt: skip
def test_l2_a_question_is_worded_as_its_purpose_asks(question: str, name: str, wordings: list[str]) -> None:
    """At most four, the question itself first, with the year of the clock."""
    assert purpose.wordings(question, purpose.purposes()[name], 2026) == wordings


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("k8s ingress", "Kubernetes ingress"),
        ("K8S ingress", "Kubernetes ingress"),
        ("sort in Go", "sort in Golang"),
        ("go home", "go home"),
        ("Postgres backup", "PostgreSQL backup"),
        ("tf.data", "tf.data"),
        ("reactive", "reactive"),
    ],
)
def test_l2_a_short_name_has_a_long_one(question: str, other: str) -> None:
    """Whole tokens only; `Go` is a name, `go` a verb."""
    assert purpose.synonym(question) == other


def test_l3_a_chinese_question_is_also_asked_by_its_latin_names() -> None:
    """The names are what English pages have, too; without any there is no English wording."""
    tutorial = purpose.purposes()["tutorial"]
    assert purpose.wordings("Rust 所有权教程", tutorial, 2026)[1] == "Rust tutorial"
    assert all("教程" in each for each in purpose.wordings("所有权教程", tutorial, 2026))


def test_the_router_sends_95_of_100_questions_where_the_rules_do() -> None:
    """Written from the rules before the classifier was."""
    wrong = [row for row in QUESTIONS if set(intent.route(row["question"]).modes) != set(row["modes"])]
    assert len(QUESTIONS) >= 120
    assert len(wrong) <= 0.05 * len(QUESTIONS), wrong


def test_the_purpose_of_95_of_100_questions_is_the_rules() -> None:
    """The same questions, by what they are asked for."""
    wrong = [row for row in QUESTIONS if purpose.purpose_of(row["question"]).name != row["intent"]]
    assert len(wrong) <= 0.05 * len(QUESTIONS), wrong
