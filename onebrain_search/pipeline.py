"""The question line below the answer: retrieve, fuse, rank. One function, top to bottom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from indexer import tokens
from indexer.errors import EmbedError
from indexer.snapshot import Snapshot
from onebrain_search import dense, fuse, rank, retrieve
from onebrain_search import query as queries
from onebrain_search.neutral import foreign, neutral, outstanding
from onebrain_search.types import Hit, Query, Retrieval

if TYPE_CHECKING:
    from indexer.embed import Embedder
    from indexer.vectors import Floats

CANNOT_READ = (
    "answered by words alone: the model cannot read this question's language; the multilingual one does"
    " (set `embedding.model: multilingual`)"
)

# Passages for a chain that vectors add: so many, from the cosine where MiniLM stops to be unsure to where it is sure,
# and less than the same words would count.
NEAR, NEAR_FROM, NEAR_FULL, NEAR_WEIGHT = 60, 0.3, 0.75, 0.8

RANKED, RANKED_EACH = 60, 3  # candidates that are read and ranked: at least, and for each hit that is asked for


@dataclass(frozen=True, slots=True)
class Found:
    """Ranked hits, best first; `cosine` of the nearest passage as `outstanding` reads it, None without vectors.

    `query` is what was asked in the end; `relaxed`: without some operators of the question, which left nothing.
    """

    query: Query
    hits: list[Hit]
    cosine: float | None = None
    notes: tuple[str, ...] = ()
    relaxed: bool = False
    question: Floats | None = None  # its vector, where there was a dense leg


def find(
    snapshot: Snapshot,
    query: Query,
    retrieval: Retrieval,
    model: Callable[[], Embedder],
    told: Mapping[int, float] = MappingProxyType({}),
) -> Found:
    """Run a query over a snapshot; `model` opens the embedder, and is called only when vectors can help.

    `told` are passages that are found in any case, by how much they tell of the decisions that are asked about.
    Operators that leave nothing are relaxed, and a note says which.
    """
    found = _found(snapshot, query, retrieval, model, told)
    if not found.hits and queries.has_operators(query):
        for relaxed, note in _relaxed(snapshot, query):
            again = _found(snapshot, relaxed, retrieval, model)
            if again.hits:
                return replace(again, notes=(note, *again.notes), relaxed=True)
    return found


def passages(
    snapshot: Snapshot, query: Query, retrieval: Retrieval, model: Callable[[], Embedder], count: int
) -> dict[int, float]:
    """Return the scores (best 1) of the passages for a topic: BM25's, and cosines of near ones that words miss."""
    reader = snapshot.lexical
    held = retrieve.required(snapshot, query)
    terms = [(term, 1.0) for term in query.terms]
    found = reader.search(terms, required=held, k=count) if retrieval != "vector" else []
    top = max((score for _, score in found), default=1.0) or 1.0
    scores = {number: score / top for number, score in found}
    asked, _ = (None, ()) if retrieval == "lexical" else _question(snapshot, query, model)
    if asked is not None:
        allowed, meaning = reader.ids(held) if held else None, dense.of(snapshot.model).meaning
        for number, cosine in snapshot.vectors().search(asked[0], NEAR, allowed):
            near = NEAR_WEIGHT * min(1.0, max(0.0, (meaning(cosine) - NEAR_FROM) / (NEAR_FULL - NEAR_FROM)))
            scores[number] = max(scores.get(number, 0.0), near * asked[1])
    return scores


def _relaxed(snapshot: Snapshot, query: Query) -> Iterator[tuple[Query, str]]:
    """Yield the query without the filters that no passage meets, then with its words alone, and what to say."""
    empty = [each for each in query.filters if not len(snapshot.allowed((each,)))]
    if empty:
        names = ", ".join(f"`{queries.shown(each)}`" for each in empty)
        yield queries.without(query, empty), f"nothing meets {names}: searched without"
    yield queries.words_only(query), "nothing meets every operator: searched for the words alone"


def _found(
    snapshot: Snapshot,
    query: Query,
    retrieval: Retrieval,
    model: Callable[[], Embedder],
    told: Mapping[int, float] = MappingProxyType({}),
) -> Found:
    """Run a query as it is."""
    if queries.is_listing(query):
        return Found(query, retrieve.hits(snapshot, fuse.alone("date", retrieve.listed(snapshot)(query))))
    words = dict(retrieve.lexical(snapshot)(query)) if retrieval != "vector" else {}
    asked, notes = (None, ()) if retrieval == "lexical" else _question(snapshot, query, model)
    if asked is None:
        best, meaning, nearest = fuse.convex(words, {}, 0.0, {}, _ranked(query)), None, None
    else:
        turned = neutral(snapshot, asked[0])
        near = retrieve.vector(snapshot, turned)(query)
        nearest = outstanding(snapshot, turned, near[0][1]) if near else 0.0
        share = 1.0 if retrieval == "vector" else asked[1] * dense.of(snapshot.model).share
        best, meaning = _fused(snapshot, query, (words, near), asked[0], share)
    there = {each.number for each in best}
    others = dict.fromkeys([*told, *(retrieve.named(snapshot, query) if words else ())])
    best += fuse.alone("lexical", [(number, 0.0) for number in others if number not in there])
    hits = retrieve.hits(snapshot, best)
    for stage in rank.stages(snapshot, told, meaning if words else None):
        hits = stage(query, hits)
    return Found(query, hits, nearest, notes, question=asked[0] if asked else None)


def _ranked(query: Query) -> int:
    """Return how many candidates are read and ranked."""
    return max(RANKED, RANKED_EACH * query.limit)


def _fused(
    snapshot: Snapshot,
    query: Query,
    legs: tuple[Mapping[int, float], retrieve.Scores],
    question: Floats,
    share: float,
) -> tuple[list[fuse.Scored], fuse.Meaning | None]:
    """Return the best candidates of both legs, and what may move them where the model reads one language."""
    (words, near), known = legs, dense.of(snapshot.model)
    trust = _trust(snapshot, query, max(words.values(), default=0.0)) if known.mixed else 1.0
    asked, meant = list(words), [number for number, _ in near]
    usual = dict.fromkeys([*asked[: retrieve.CANDIDATES], *meant[: retrieve.CANDIDATES]])
    found, rows = snapshot.vectors().rows_of(list(dict.fromkeys([*usual, *asked, *meant])))
    meaning = fuse.Meaning(neutral(snapshot, question), found, rows, share, len(usual))
    cosines = dict(zip(found, (rows @ question).tolist(), strict=True))
    away = dict(zip(found, foreign(snapshot, question, rows), strict=False))  # none where there is one language
    belief = fuse.Belief(trust, away)
    best = fuse.convex(words, meaning.scores(meaning.asked), share, cosines, _ranked(query), belief)
    return best, None if known.mixed else meaning


def _trust(snapshot: Snapshot, query: Query, best: float) -> float:
    """Return how much scores by words are to count: less, the fewer of the question's words the notes have."""
    reader, rarity = snapshot.lexical, {term: snapshot.rarity(term) for term in query.terms}
    lost = [t for t in rarity if not reader.frequency(t) and not reader.frequency(tokens.stem(t), "stem")]
    away = sum(rarity[term] for term in lost)
    return dense.of(snapshot.model).trust(best, sum(rarity.values()) - away, away)


def _question(
    snapshot: Snapshot, query: Query, model: Callable[[], Embedder]
) -> tuple[tuple[Floats, float] | None, tuple[str, ...]]:
    """Return the question's vector and the share its leg deserves; None where it has nothing to say, and why."""
    if not query.terms or not snapshot.embedder:
        return None, ()
    asked = (query.topic, query.text, query.mode)  # a chain and its sources ask for the same vector
    try:
        last = snapshot.memory.get("asked")  # read once: another thread may put its own there
        if last is None or last[0] != asked:
            last = snapshot.memory["asked"] = (asked, retrieve.question_vector(query, model()))
        question, share = last[1]
    except EmbedError as error:
        return None, (f"answered by words alone: {error}",)
    return ((question, share), ()) if share > 0 else (None, (CANNOT_READ,))
