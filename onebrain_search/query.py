"""What is asked, as typed -> Query: words, phrases, exclusions and filters.

A query of terms and operators is taken at its word. In a sentence (a question word, a question mark, or more than
four plain words) a quoted phrase only boosts and a dash is punctuation. Whatever is no operator is plain text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from typing import Any

from indexer import tokens
from indexer.types import Condition
from onebrain_search import question
from onebrain_search.days import day_before, day_range
from onebrain_search.printable import whole
from onebrain_search.question import grammar
from onebrain_search.types import Mode, Query

FIELDS = ("path", "tag", "ext", "type", "kind", "lang", "title", "heading", "date", "before", "after", "root")
MAX_CHARACTERS = 10_000  # longer questions are cut, and the answer says so
PLAIN_WORDS = 4  # a query with more plain words than this is a sentence

_PIECES = re.compile(
    r"(?<!\S)(?P<minus>-?)"
    r'(?:(?:"(?P<key>[^"\n]+)"(?==)|(?P<field>\w[\w.-]*))(?P<sign>[:=]))?'
    r'(?:"(?P<quoted>[^"\n]*)"|(?P<word>[^\s"]+))'
)
_QUESTION = re.compile(
    r"\s*(?:what|whats|who|whom|whose|when|where|which|why|how|is|are|was|were|do|does|did|can|could|should)\b", re.I
)
# Question words of languages that write them anywhere, and seldom a question mark.
_ASKS = re.compile(
    r"เมื่อ(?:ไหร่|ไร|ใด)|อะไร|ที่ไหน|กี่|ใคร|อย่างไร|ยังไง|เท่า(?:ไหร่|ไร|ใด)|ทำไม|(?:ไหม|หรือ(?:ไม่|เปล่า|ยัง))$"
    r"|什[么麼]|怎[么麼样樣]|[谁誰]|哪[里裡儿个個些]|[几幾](?:次|个|個|天|年|月|点|點|岁|歲)|多少|[吗嗎呢]$|为何|為何"
    r"|いつ|どこ|どれ|どの|どう|なぜ|いくら|いくつ|何[がをはでに時年月日人回個]|(?:です|ます|でした|ました|のでしょう)か$"
    r"|언제|어디|누구|누가|무엇|무슨|어떻게|어느|얼마|몇\s?\w|(?:나요|까요?|니까|는지|은지)$"
)
_QUOTES = re.compile("[“”„‟«»「」『』＂]")


@dataclass(frozen=True, slots=True)
class _Piece:
    """One word or operator of a query, with where it stood."""

    text: str
    value: str
    field: str = ""
    sign: str = ""
    minus: bool = False
    quoted: bool = False


def parse(text: str, *, limit: int = 5, mode: Mode | None = None, today: date | None = None) -> Query:
    """Parse a question. Raises QueryError for a date filter that cannot be read; no other input fails."""
    text = whole(text)
    cut = text[:MAX_CHARACTERS]
    notes = [f"the question was cut at {MAX_CHARACTERS} characters"] if len(text) > len(cut) else []
    pieces = list(_pieces(_QUOTES.sub('"', cut)))
    sentence = _is_sentence(cut, pieces)
    query = Query(text=text, topic="", mode=mode or question.detect(cut), limit=limit, sentence=sentence)
    plain: list[str] = []
    for piece in pieces:
        query, rest = _taken(query, piece, today or date.today())
        plain += rest
        notes += filter(None, [_hint(piece, sentence)])
    words = " ".join(plain)
    asks = sentence or query.mode == "why"  # scripts without spaces do not show how many words there are
    topic = question.topic(words) if asks and words else words
    return replace(query, topic=topic, terms=_terms(topic), notes=(*query.notes, *dict.fromkeys(notes)))


def half_typed(query: Query) -> Query:
    """Return the query with its last word taken for the beginning of one, too, unless a space was typed after it."""
    last = tokens.words(query.text.rpartition(" ")[2])[-1:]
    begun = [word for word in last if len(word) > 1 and word in query.terms and not query.text[-1:].isspace()]
    return replace(query, prefixes=(*query.prefixes, *begun), typing=True)


def explained(query: Query) -> dict[str, Any]:
    """Return how a question was read: mode, topic, words and conditions."""
    return {
        "mode": query.mode, "kind": "sentence" if query.sentence else "terms", "topic": query.topic,
        "terms": list(query.terms), "phrases": list(query.phrases), "without": list(query.excluded),
        "prefixes": list(query.prefixes), "filters": list(map(shown, query.filters)),
    }  # fmt: skip


def has_operators(query: Query) -> bool:
    """Whether a query has conditions that could leave nothing."""
    hard_phrases = bool(query.phrases) and not query.sentence
    return bool(query.filters or query.excluded or query.prefixes or hard_phrases)


def is_listing(query: Query) -> bool:
    """Whether a query has conditions only: what meets them is listed, there is nothing to rank by."""
    return bool(query.filters or query.excluded) and not (query.terms or query.phrases or query.prefixes)


def is_idle(query: Query) -> bool:
    """Whether a query has no operator, and no word that says what it is about."""
    operators = query.filters or query.excluded or query.prefixes or query.phrases
    return not operators and grammar.alone(query.text, stop_words())


def without(query: Query, filters: Collection[Condition]) -> Query:
    """Return the query without some of its filters; one that then has nothing left asks for their words."""
    kept = tuple(each for each in query.filters if each not in filters)
    found = replace(query, filters=kept)
    if found.terms or found.phrases or found.prefixes or kept:
        return found
    return _asking(found, [each.value for each in filters if not each.negated and each.field != "date"])


def words_only(query: Query) -> Query:
    """Return the query with every operator relaxed: what is asked when they leave nothing together."""
    words = [*query.phrases, *query.prefixes]
    found = replace(without(query, query.filters), excluded=(), phrases=(), prefixes=())
    return _asking(found, [found.topic, *(word for word in words if word not in found.topic)])


def shown(condition: Condition) -> str:
    """Return a filter as it could be typed."""
    minus = "-" if condition.negated else ""
    if condition.field == "=":
        key, _, value = condition.value.partition("=")
        return f"{minus}{_quoted(key)}={_quoted(value)}"
    value = condition.value
    if condition.field == "date" and condition.upper != value:
        value = f"{value}..{condition.upper}"
    return f"{minus}{condition.field}:{_quoted(value)}"


def _asking(query: Query, words: Collection[str]) -> Query:
    """Return the query asking for some words."""
    topic = " ".join(filter(None, words))
    return replace(query, topic=topic, terms=_terms(topic))


def _quoted(value: str) -> str:
    """Return a value with quotes where it needs them."""
    return f'"{value}"' if " " in value else value


def _pieces(text: str) -> Iterator[_Piece]:
    """Yield the words and operators of a query; a quote without its partner is a space."""
    at = 0
    while match := _PIECES.search(text, at):
        for word in text[at : match.start()].replace('"', " ").split():
            yield _Piece(word, word)
        quoted = match["quoted"] is not None
        value = match["quoted"] if quoted else match["word"]
        field = match["key"] or match["field"] or ""
        yield _Piece(match[0], value, field, match["sign"] or "", bool(match["minus"]), quoted)
        at = max(match.end(), at + 1)
    for word in text[at:].replace('"', " ").split():
        yield _Piece(word, word)


def _is_sentence(text: str, pieces: list[_Piece]) -> bool:
    """Whether a query is prose: a question, or more plain words than anyone types as terms."""
    plain = [p for p in pieces if not p.field and not p.quoted and not p.minus]
    asked = any("?" in p.text or "？" in p.text for p in pieces if not p.quoted)
    return asked or len(plain) > PLAIN_WORDS or bool(_QUESTION.match(text) or _asks_in_the_middle(text))


def _asks_in_the_middle(text: str) -> bool:
    """Whether a text asks in a language that needs no question mark for it."""
    return not text.isascii() and bool(_ASKS.search(text.strip()))


def _taken(query: Query, piece: _Piece, today: date) -> tuple[Query, list[str]]:
    """Return the query with one piece taken in, and what of the piece is plain text."""
    condition = _condition(piece, query.sentence, today)
    if condition:
        return replace(query, filters=(*query.filters, condition)), []
    if piece.field:
        return query, [piece.text]
    if piece.minus and not query.sentence and not piece.value.startswith("-") and tokens.words(piece.value):
        return replace(query, excluded=(*query.excluded, piece.value)), []
    if piece.quoted and tokens.words(piece.value):
        return replace(query, phrases=(*query.phrases, piece.value)), [piece.value]
    if not query.sentence and _is_prefix(piece):
        return replace(query, prefixes=(*query.prefixes, piece.value.rstrip("*"))), []
    return query, [piece.text]


def _is_prefix(piece: _Piece) -> bool:
    """Whether a piece is the beginning of a word, two letters or more, and a star."""
    start = piece.value.removesuffix("*")
    return not piece.quoted and start != piece.value and len(start) > 1 and start.replace("_", "").isalnum()


def _condition(piece: _Piece, sentence: bool, today: date) -> Condition | None:
    """Return the filter that an operator asks for, None for plain text."""
    name, value = piece.field.casefold(), piece.value.strip()
    if piece.sign == "=":
        usable = bool(value) and not sentence and not value.startswith("=")
        return Condition("=", f"{piece.field}={value}", negated=piece.minus) if usable else None
    if piece.sign != ":" or name not in FIELDS:
        return None
    if name in ("date", "after", "before"):
        return Condition("date", *_days(name, value, today), negated=piece.minus)
    if name in ("tag", "ext"):
        value = value.lstrip("#.").rstrip("/")
    if name == "path":
        value = re.sub(r"(?:/\*{1,2})+$", "", value.replace("\\", "/")).removeprefix("./")
    return Condition(name, value, negated=piece.minus) if value.strip("/*") else None


def _days(name: str, value: str, today: date) -> tuple[str, str]:
    """Return the first and last day of a date filter, empty where it is open."""
    if name == "date":
        return day_range(value, today)
    return (day_range(value, today)[0], "") if name == "after" else ("", day_before(value, today))


def _hint(piece: _Piece, sentence: bool) -> str:
    """Return what the reader should know of a piece that is no operator and looks like one."""
    name = piece.field.casefold()
    if not sentence and piece.text.removesuffix(":").casefold() in FIELDS and piece.text.endswith(":"):
        return f"`{piece.text}` is a filter only with its value right behind it"
    if not piece.field and piece.value.startswith("*") and tokens.words(piece.value) and not sentence:
        return f"a star stands for the end of a word only: `{piece.value}` was searched as it is"
    if piece.sign != ":" or name in FIELDS or len(name) < 3 or not piece.value or piece.value[0] in ":/\\":
        return ""
    from rapidfuzz.distance import OSA

    near = [field for field in FIELDS if OSA.distance(name, field, score_cutoff=1) <= 1]
    return f"`{piece.field}:` is no filter and was taken as text; did you mean `{near[0]}:`?" if near else ""


def _terms(topic: str) -> tuple[str, ...]:
    """Return the tokens that are searched: without stop words, unless there is nothing else."""
    found = list(dict.fromkeys(tokens.words(topic)))
    return tuple([token for token in found if token not in stop_words()] or found)


@cache
def stop_words() -> frozenset[str]:
    """English words too common to rank by; other languages rely on the low weight BM25 gives common words."""
    return frozenset(
        "a about after all also am an and any are as at be because been before being between both but by "
        "can could did do does doing don down during each few for from further had has have having he "
        "her here hers him his how i if in into is it its itself just me more most my no nor not now of "
        "off on once only or other our out over own re s same she should so some such t than that the "
        "their them then there these they this those through to too under until up us very was we were "
        "what when where which while who whom why will with would you your ".split()
    )
