"""What is asked, as typed -> Query: words, phrases, exclusions and filters.

A query of terms and operators is taken at its word. In a sentence (a question word, a question mark, or more than
four plain words) a quoted phrase only boosts and a dash is punctuation. Whatever is no operator is plain text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from indexer import tokens
from indexer.errors import QueryError
from indexer.types import Condition
from onebrain_search import question
from onebrain_search.types import Mode, Query

FIELDS = ("path", "tag", "ext", "type", "kind", "lang", "title", "heading", "date", "before", "after", "root")
MAX_CHARACTERS = 10_000  # longer questions are cut, and the answer says so
PLAIN_WORDS = 4  # a query with more plain words than this is a sentence

_PIECES = re.compile(
    r"(?<!\S)(?P<minus>-?)"
    r'(?:(?P<field>\w[\w-]*)(?P<sign>[:=]))?(?:"(?P<quoted>[^"\n]*)"|(?P<word>[^\s"]+))'
)
_QUESTION = re.compile(
    r"\s*(?:what|whats|who|whom|whose|when|where|which|why|how|is|are|was|were|do|does|did|can|could|should)\b", re.I
)
_DAYS = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?)?$")
_SPAN = re.compile(r"(?P<count>\d{1,4}) ?(?P<unit>[dwmy])$")


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
    cut = text[:MAX_CHARACTERS]
    notes = [f"the question was cut at {MAX_CHARACTERS} characters"] if len(text) > len(cut) else []
    pieces = list(_pieces(_straight_quotes(cut)))
    sentence = _is_sentence(cut, pieces)
    query = Query(text=text, topic="", mode=mode or question.detect(cut), limit=limit, sentence=sentence)
    plain: list[str] = []
    for piece in pieces:
        query, rest = _taken(query, piece, sentence, today or date.today())
        plain += rest
        hint = _near_field(piece)
        if hint:
            notes.append(hint)
    words = " ".join(plain)
    topic = question.topic(words) if sentence and words else words
    return replace(query, topic=topic, terms=_terms(topic), notes=(*query.notes, *notes))


def without_filters(query: Query) -> Query:
    """Return the query with its filters and exclusions relaxed: what is asked when they leave nothing."""
    return replace(query, filters=(), excluded=(), phrases=())


def day_range(value: str, today: date) -> tuple[str, str]:
    """Return the first and last ISO day that a date value names.

    A day, a month, a year, `A..B`, `today`, `yesterday`, `7d` `2w` `3m` `1y` (that long ago up to and with today),
    `last week` (7 days ago up to and with today), `last month`, `last year`, `this week`, `this month`, `this year`.
    Raises QueryError for anything else.
    """
    low, dots, high = value.strip().partition("..")
    if dots:
        return day_range(low, today)[0] if low else "", day_range(high, today)[1] if high else ""
    named = _named_range(low.casefold().replace("_", " ").replace("-", " "), today) or _calendar_range(low)
    if named is None:
        examples = "2026-03-02, 2026-03, 2026, 2026-01..2026-03, today, yesterday, 7d, last week, last month"
        raise QueryError(f"the date {value!r} cannot be read", fix=f"write it as one of {examples}")
    return named[0].isoformat(), named[1].isoformat()


def _pieces(text: str) -> Iterator[_Piece]:
    """Yield the words and operators of a query."""
    at = 0
    while at < len(text):
        match = _PIECES.search(text, at)
        if not match:
            rest = text[at:].replace('"', " ").split()
            yield from (_Piece(word, word) for word in rest)
            return
        for word in text[at : match.start()].replace('"', " ").split():
            yield _Piece(word, word)
        quoted = match["quoted"] is not None
        value = match["quoted"] if quoted else match["word"]
        yield _Piece(match[0], value, match["field"] or "", match["sign"] or "", bool(match["minus"]), quoted)
        at = max(match.end(), at + 1)


def _straight_quotes(text: str) -> str:
    """Return the text with typographic double quotes made straight."""
    return re.sub("[“”„«»「」『』]", '"', text)


def _is_sentence(text: str, pieces: list[_Piece]) -> bool:
    """Whether a query is prose: a question, or more plain words than anyone types as terms."""
    plain = [p for p in pieces if not p.field and not p.quoted and not p.minus]
    return "?" in text or "？" in text or len(plain) > PLAIN_WORDS or bool(_QUESTION.match(text))


def _taken(query: Query, piece: _Piece, sentence: bool, today: date) -> tuple[Query, list[str]]:
    """Return the query with one piece taken in, and what of the piece is plain text."""
    if piece.field.casefold() in FIELDS and piece.sign == ":" and piece.value:
        condition = _condition(piece.field.casefold(), piece.value, piece.minus, today)
        return replace(query, filters=(*query.filters, condition)), []
    if piece.field and piece.sign == "=" and piece.value and not sentence:
        condition = Condition("=", f"{piece.field}={piece.value}", negated=piece.minus)
        return replace(query, filters=(*query.filters, condition)), []
    if piece.quoted and not piece.field:
        if piece.minus and not sentence:
            return replace(query, excluded=(*query.excluded, piece.value)), []
        return replace(query, phrases=(*query.phrases, piece.value)), [piece.value]
    if piece.minus and not sentence and not piece.field:
        return replace(query, excluded=(*query.excluded, piece.value)), []
    if not sentence and piece.value.endswith("*") and len(piece.value) > 2 and not piece.field:
        return replace(query, prefixes=(*query.prefixes, piece.value.rstrip("*"))), []
    return query, [piece.text]


def _condition(field: str, value: str, negated: bool, today: date) -> Condition:
    """Return the filter that an operator asks for."""
    if field == "date":
        return Condition("date", *day_range(value, today), negated=negated)
    if field == "after":
        return Condition("date", day_range(value, today)[0], negated=negated)
    if field == "before":
        last = date.fromisoformat(day_range(value, today)[0]) - timedelta(days=1)
        return Condition("date", "", last.isoformat(), negated=negated)
    return Condition(field, value.lstrip("#.") if field in ("tag", "ext") else value, negated=negated)


def _near_field(piece: _Piece) -> str:
    """Return a hint when an unknown `word:` is one edit away from a known field."""
    name = piece.field.casefold()
    if piece.sign != ":" or name in FIELDS or len(name) < 3 or not piece.value or piece.value.startswith((":", "/")):
        return ""
    from rapidfuzz.distance import OSA

    near = [field for field in FIELDS if OSA.distance(name, field, score_cutoff=1) <= 1]
    return f"`{piece.field}:` is no filter and was taken as text; did you mean `{near[0]}:`?" if near else ""


def _named_range(value: str, today: date) -> tuple[date, date] | None:
    """Return the days of a relative date, today included."""
    from dateutil.relativedelta import relativedelta

    span = _SPAN.match(value)
    if span:
        unit = {"d": "days", "w": "weeks", "m": "months", "y": "years"}[span["unit"]]
        return today - relativedelta(**{unit: int(span["count"])}), today  # type: ignore[arg-type]
    ranges: dict[str, Callable[[], tuple[date, date]]] = {
        "today": lambda: (today, today),
        "yesterday": lambda: (today - timedelta(days=1),) * 2,
        "last week": lambda: (today - timedelta(days=7), today),
        "last month": lambda: (today - relativedelta(months=1), today),
        "last year": lambda: (today - relativedelta(years=1), today),
        "this week": lambda: (today - timedelta(days=today.weekday()), today),
        "this month": lambda: (today.replace(day=1), today),
        "this year": lambda: (today.replace(month=1, day=1), today),
    }
    return ranges[value]() if value in ranges else None


def _calendar_range(value: str) -> tuple[date, date] | None:
    """Return the days of a written day, month or year."""
    match = _DAYS.match(value.replace("/", "-").replace(".", "-"))
    if not match:
        return None
    year, month, day = int(match["year"]), match["month"], match["day"]
    try:
        if day:
            return (date(year, int(month), int(day)),) * 2
        first = date(year, int(month or 1), 1)
        after = date(year + (not month or int(month) == 12), int(month) % 12 + 1 if month else 1, 1)
        return first, after - timedelta(days=1)
    except ValueError:
        return None


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
