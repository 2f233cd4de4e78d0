"""Question -> what it is asked for: one of seven purposes, with weights, freshness and further wordings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from indexer.errors import QueryError
from onebrain_search.web import words
from onebrain_search.web.tables import load

DEFAULT = "exploratory"
NONE = "none"
FRESHNESS = {"pd": 1, "pw": 7, "pm": 30, "py": 365}  # days
WORDINGS = 4  # of a question, itself included

_VERSUS = re.compile(
    rf"^(?P<x>.+?)\s+(?:{words.VERSUS}|versus|compared (?:to|with))\s+(?P<y>.+)$"
    r"|^(?P<p>.+?)(?:和|与|跟)(?P<q>.+?)的?(?:区别|对比)",
    re.IGNORECASE,
)
_EXPLICIT = re.compile(rf"(?<!\w)(?:{words.VERSUS}|versus)(?!\w)", re.IGNORECASE)
_TIME = re.compile(
    r"(?<!\w)(?:latest|now|today|currently|this (?:week|month|year)|\d{4})(?!\w)|最新|最近|目前|现在", re.IGNORECASE
)
_FRAME = re.compile(
    r"^(?:what(?:'s| is| are)|how (?:to|do i)|define|meaning of|difference between|everything about|deep dive into)"
    r"\s+|[?？!！。]+$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Purpose:
    """Weights of (keyword, freshness, authority), the search mode, and how fresh results should be."""

    name: str
    weights: tuple[float, float, float]
    mode: str
    freshness: tuple[str, ...]  # narrowest first

    @property
    def widest(self) -> str:
        """The freshness that is asked for: the wider one, so that little is lost."""
        return self.freshness[-1] if self.freshness else ""


@cache
def purposes() -> dict[str, Purpose]:
    """Return the seven purposes by name, in the order that decides between them."""
    return {
        name: Purpose(name, tuple(row["weights"]), row["mode"], tuple(row["freshness"]))
        for name, row in load("purposes").items()
    }


def purpose_of(question: str, named: str = "") -> Purpose:
    """Return the purpose of a question, or the named one. Raises QueryError for a name that is none.

    An explicit "X vs Y" is more than a word for time: "Bun vs Deno latest" compares.
    """
    if named:
        if named not in purposes():
            raise QueryError(f"there is no intent `{named}`", fix=f"use one of {', '.join(purposes())}")
        return purposes()[named]
    table = load("purposes")
    there = [name for name in purposes() if words.found(question, table[name]["words"])]
    if "comparison" in there and _EXPLICIT.search(question) and there[0] in ("news", "status"):
        return purposes()["comparison"]
    return purposes()[there[0] if there else DEFAULT]


def sides(question: str) -> tuple[str, str] | None:
    """Return the two things that a question compares, without words for time; None where it compares none."""
    match = _VERSUS.match(question.strip())
    if not match:
        return None
    x, y = (match["x"] or match["p"] or "", match["y"] or match["q"] or "")
    return _bare(x), _bare(y)


def wordings(question: str, purpose: Purpose, year: int) -> list[str]:
    """Return the question and further wordings of it, at most WORDINGS: with a synonym, and as its purpose asks.

    A Chinese question about something with a Latin name is also asked by those names, in English.
    """
    question = " ".join(question.split())
    pair, topic = sides(question), _FRAME.sub("", question).strip() or question
    found = [question]
    named = _latin(question)
    if named and named != question:
        found.append(f"{named} {purpose.name}" if purpose.name == "tutorial" else named)
    if purpose.name == "comparison" and pair:
        found += [f"{side} advantages" for side in pair]
    elif purpose.name == "status":
        bare = _bare(topic)
        found += [f"{bare} latest {year}", f"{bare} update release"]
    elif purpose.name != "comparison":
        found += [_joined(topic, more, year) for more in load("purposes")[purpose.name]["expansion"]]
    other = synonym(question)
    if other != question:
        found.insert(1, other)
    return list(dict.fromkeys(found))[:WORDINGS]


def synonym(question: str) -> str:
    """Return the question with the first short name that has a long one replaced; whole tokens only.

    Names match in any case (`K8S`), but `Go` only as it is written, for it is a word too.
    """
    table = load("synonyms")
    anyhow = {name.lower(): others[0] for name, others in table.items() if name.lower() != "go"}
    tokens = question.split(" ")
    for at, token in enumerate(tokens):
        bare = token.strip(".,;:?!()")
        other = table["Go"][0] if bare == "Go" else anyhow.get(bare.lower())
        if other and other not in question:
            return " ".join([*tokens[:at], token.replace(bare, other), *tokens[at + 1 :]])
    return question


def _joined(topic: str, more: str, year: int) -> str:
    """Return a topic with words of an expansion that it does not have yet."""
    extra = more.replace("{year}", str(year))
    kept = [word for word in extra.split() if not words.pattern(word).search(topic)]
    return f"{topic} {' '.join(kept)}".strip()


def _bare(text: str) -> str:
    """Return a text without words for time and question marks."""
    return re.sub(r"\s+(?:in|of|on|for|as of)$", "", " ".join(_FRAME.sub("", _TIME.sub(" ", text)).split()))


def _latin(question: str) -> str:
    """Return the Latin names in a question written in Chinese, Japanese or Korean; nothing for other questions."""
    if not re.search(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]", question):
        return ""
    return " ".join(re.findall(r"[A-Za-z][\w.+#-]*(?:\s+\d+(?:\.\d+)*)?", question))
