"""Question -> the routes that it takes: docs, web, code, local; by flag, keyword, signal, or both docs and web."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from indexer.errors import QueryError
from onebrain_search.web import words
from onebrain_search.web.tables import load

ROUTES = ("docs", "web", "code", "local")
FALLBACK = ("docs", "web")
NOUNS = frozenset(
    "function class method variable 함수 클래스 메서드 関数 クラス メソッド".split()
)  # of any code: weak
ALGORITHMS = (
    *("quicksort", "mergesort", "dijkstra", "levenshtein", "bloom filter", "trie", "raft", "paxos", "simhash"),
    *("minhash", "hyperloglog", "lru cache", "red-black tree", "b-tree", "skip list", "consistent hashing"),
    *("knapsack", "k-means", "pagerank", "floyd-warshall", "bellman-ford", "a* search"),
)
LIBRARIES = (
    *("react", "vue", "angular", "svelte", "next.js", "nuxt", "django", "flask", "fastapi", "rails", "laravel"),
    *("spring", "spring boot", "node", "node.js", "deno", "bun", "python", "ruby", "rust", "java", "kotlin", "swift"),
    *("php", "typescript", "tailwind", "pydantic", "sqlalchemy", "numpy", "pandas", "pytorch", "tensorflow", "redis"),
    *("postgres", "postgresql", "mysql", "sqlite", "kubernetes", "docker", "terraform", "electron", "vite", "astro"),
    *("symfony", "htmx", "express", "prisma", "elixir", "phoenix", "dotnet", ".net", "go"),
)


@dataclass(frozen=True, slots=True)
class Route:
    """The routes of a question, who chose them (`auto`, `flag`, `explicit`, `fallback`), and modifiers to show."""

    modes: tuple[str, ...]
    how: str
    modifiers: tuple[str, ...] = ()
    arrow: bool = False  # the second mode took the place of the first

    @property
    def line(self) -> str:
        """The line that tells it: `Mode: docs + web (auto, strict)`."""
        joined = (" -> " if self.arrow else " + ").join(self.modes)
        return f"Mode: {joined} ({', '.join((self.how, *self.modifiers))})"

    def fallen_back(self) -> Route:
        """Return the route of a question for docs that the web answered."""
        return replace(self, modes=("docs", "web"), how="fallback", arrow=True)


def route(
    question: str, *, flag: str = "", explicit: str = "", modifiers: tuple[str, ...] = (), nouns: bool = True
) -> Route:
    """Return where a question goes: a flag beats an explicit intent of a caller, and that beats what it says.

    Without `nouns` bare nouns of code do not mean the code at hand. Raises QueryError for a name that is no route.
    """
    for name, how in ((flag, "flag"), (explicit, "explicit")):
        if name and name not in ROUTES:
            raise QueryError(f"there is no route `{name}`", fix=f"use one of {', '.join(ROUTES)}")
        if name:
            return Route((name,), how, modifiers)
    named = by_keyword(question, nouns) or by_signal(question)
    return Route((named,) if named else FALLBACK, "auto", modifiers)


def by_keyword(question: str, nouns: bool = True) -> str:
    """Return the route whose keywords the question has most of; nothing where it has none.

    Equal counts go to docs, code, web, local in this order. Words for the code at hand ("this project") win over
    all, and bare nouns of code ("function") only count where nothing else does.
    """
    table = load("routes")
    there = {mode: set(words.found(question, _all(mode))) for mode in table}
    if there["local"] - NOUNS - {"here"}:
        return "local"
    counts = {mode: len(there[mode]) for mode in ("docs", "code", "web")}
    best = max(counts, key=lambda mode: counts[mode])
    if counts[best]:
        return best
    return "local" if nouns and there["local"] else ""


def by_signal(question: str) -> str:
    """Return the route that the shape of a question points to; nothing where it has none."""
    return next((mode for mode, pattern in _signals() if pattern.search(question)), "")


@cache
def _all(mode: str) -> tuple[str, ...]:
    """Return the keywords of a route in all languages."""
    return tuple(word for language in load("routes")[mode].values() for word in language)


@cache
def _signals() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the signals in the order in which they count."""
    algorithms = "|".join(map(re.escape, ALGORITHMS))
    libraries = "|".join(map(re.escape, LIBRARIES))
    return (
        ("code", re.compile(r"https?://(?:www\.)?git(?:hub|lab)\.com\b", re.IGNORECASE)),
        ("local", re.compile(r"\bwhere\s+(?:is|are)\b.*\b(?:defined|declared)\b", re.IGNORECASE)),
        ("local", re.compile(r"(?<![\w/:.])(?:\.{1,2}/)+[\w.-]+|(?<![\w/:.])(?:[\w-]+/)+[\w-]+\.[a-z]\w{0,4}\b")),
        ("web", re.compile(r"\b[A-Za-z.]*[A-Z]\w*(?:Error|Exception)\b|\bTraceback\b|\bE[A-Z]{4,}\b")),
        ("web", re.compile(r"\b(?:error|fatal|panic|exception)\s*:|\bstack ?trace\b|\berrno \d|^\s*at \w+", re.I)),
        ("code", re.compile(r"\bgit(?:hub|lab)(?:\.com)?\b|\bhow\s+(?:is|are)\b.*\bimplemented\b", re.IGNORECASE)),
        ("code", re.compile(rf"\balgorithms?\b|(?<!\w)(?:{algorithms})(?!\w)", re.IGNORECASE)),
        ("web", re.compile(r"\bbest way to\b|\bversus\b|\bopinions?\b|\btrend(?:s|ing)?\b|\bnews\b", re.IGNORECASE)),
        ("docs", re.compile(rf"(?<!\w)(?:{libraries})\s+v?\d+(?:\.\d+)*\b", re.IGNORECASE)),
        ("docs", re.compile(r"\b[A-Za-z][\w.+-]*\s+(?:v\d+(?:\.\d+)*|\d+\.\d+(?:\.\d+)?)(?![\w%])")),
    )
