"""The question line below the answer: retrieve, fuse, rank. One function, top to bottom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from threading import Event
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from indexer.errors import EmbedError
from indexer.snapshot import Snapshot
from onebrain_search import dense, fuse, rank, retrieve
from onebrain_search import query as queries
from onebrain_search.aside import Aside
from onebrain_search.neutral import foreign, neutral, outstanding
from onebrain_search.types import Hit, Query, Retrieval
from onebrain_search.wording import Wording

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

ONLY_GRAMMAR = (
    "only words that stand everywhere were asked for, and no note is called so; in quotes they are a phrase"
)

# Candidates that are read and ranked: at least, for each hit that is asked for (on the dev collections 5 and 10 hits
# have the same nDCG with more), and for each where these were of so few documents that hits are missing.
RANKED, RANKED_EACH, RANKED_AT_MOST = 24, 4, 16


@dataclass(frozen=True, slots=True)
class Found:
    """Ranked hits, best first; `cosine` of the nearest passage as `outstanding` reads it, None without vectors.

    `query` is what was asked in the end; `relaxed`: without some operators of the question, which left nothing.
    `idle`: it was asked with words of grammar alone, and nothing is called so.
    """

    query: Query
    hits: list[Hit]
    cosine: float | None = None
    notes: tuple[str, ...] = ()
    relaxed: bool = False
    idle: bool = False
    question: Floats | None = None  # its vector, where there was a dense leg


class _Near(NamedTuple):
    """What the dense leg says: its hits by their cosines with the question's vector, as `neutral` has `turned` it.

    `share` is what it deserves beside the words, `nearest` how near the best one is as `outstanding` reads it.
    """

    question: Floats
    turned: Floats
    share: float
    found: retrieve.Scores
    nearest: float


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
    named = found.hits and not found.hits[0].parts.keys().isdisjoint(("exact", "heading"))
    if found.hits and not named and queries.is_idle(query):
        return replace(found, notes=(*found.notes, ONLY_GRAMMAR), idle=True)
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
        return Found(query, retrieve.Passages(snapshot).hits(fuse.alone("date", retrieve.listed(snapshot)(query))))
    passages, shared = retrieve.Passages(snapshot), rank.Reading(snapshot, _wording(snapshot, query))
    words: dict[int, float] = {}
    named: Sequence[int] = ()
    near: _Near | None = None
    notes: tuple[str, ...] = ()
    if retrieval == "lexical":
        words, named = _by_words(snapshot, query)
    elif retrieval == "vector":
        near, notes = _dense(snapshot, query, model)
    else:
        read = Event()
        looking = Aside(partial(_looked_ahead, snapshot, query, passages, shared, read.is_set))
        try:
            near, notes = _dense(snapshot, query, model)
        finally:
            read.set()
        words, named = looking.result()
    others = dict.fromkeys([*told, *named])

    def ranked(count: int) -> tuple[list[Hit], bool]:
        """Return the hits among so many candidates, and whether there are more of these."""
        meaning = None
        if near is None:
            best = fuse.convex(words, {}, 0.0, {}, count)
        else:
            best, meaning = _fused(snapshot, query, words, near, 1.0 if retrieval == "vector" else near.share, count)
        more, there = len(best) == count, {each.number for each in best}
        best += fuse.alone("lexical", [(number, 0.0) for number in others if number not in there])
        hits = passages.hits(best)
        for stage in rank.stages(shared, told, meaning if words else None, mixed=mixed):
            hits = stage(query, hits)
        return hits, more

    mixed = near is not None and dense.of(snapshot.model).mixed
    hits, more = ranked(max(rank.MOST_TOGETHER if mixed else RANKED, RANKED_EACH * query.limit))
    if more and len(hits) < query.limit:  # the best are of few documents
        hits, _ = ranked(RANKED_AT_MOST * query.limit)
    return Found(query, hits, near.nearest if near else None, notes, question=near.question if near else None)


def _wording(snapshot: Snapshot, query: Query) -> Wording:
    """Return what finds the words of a query in passages."""
    cut = [term for term in query.terms if len(snapshot.lexical.stems(term)) > 1]
    return Wording(query.terms, query.topic, cut)


def _by_words(snapshot: Snapshot, query: Query) -> tuple[dict[int, float], Sequence[int]]:
    """Return the scores of passages by BM25, best first, and passages of documents whose name is the query."""
    words = dict(retrieve.lexical(snapshot)(query))
    return words, retrieve.named(snapshot, query) if words else ()


def _looked_ahead(
    snapshot: Snapshot,
    query: Query,
    passages: retrieve.Passages,
    shared: rank.Reading,
    enough: Callable[[], bool],
) -> tuple[dict[int, float], Sequence[int]]:
    """Do what `_by_words` does, then look into the best of them, which are likely to be among those of both legs."""
    words, named = _by_words(snapshot, query)
    likely = fuse.alone("lexical", islice(words.items(), rank.LOOKED_AT))
    shared.ahead(passages.hits(likely), enough)
    return words, named


def _dense(snapshot: Snapshot, query: Query, model: Callable[[], Embedder]) -> tuple[_Near | None, tuple[str, ...]]:
    """Return what the dense leg finds; None where it has nothing to say, and why."""
    asked, notes = _question(snapshot, query, model)
    if asked is None:
        return None, notes
    question, readable = asked
    turned = neutral(snapshot, question)
    found = retrieve.vector(snapshot, turned)(query)
    nearest = outstanding(snapshot, turned, found[0][1]) if found else 0.0
    return _Near(question, turned, readable * dense.of(snapshot.model).share, found, nearest), notes


def _fused(
    snapshot: Snapshot, query: Query, words: Mapping[int, float], near: _Near, share: float, count: int
) -> tuple[list[fuse.Scored], fuse.Meaning | None]:
    """Return the `count` best candidates of both legs, and what may move them where the model reads one language."""
    known = dense.of(snapshot.model)
    trust = _trust(snapshot, query, max(words.values(), default=0.0))
    asked, meant = list(words), [number for number, _ in near.found]
    usual = dict.fromkeys([*asked[: retrieve.CANDIDATES], *meant[: retrieve.CANDIDATES]])
    found, rows = snapshot.vectors().rows_of(list(dict.fromkeys([*usual, *asked, *meant])))
    meaning = fuse.Meaning(near.turned, found, rows, share, known.span, len(usual))
    cosines = dict(zip(found, meaning.cosines(near.question).tolist(), strict=True))
    away = dict(zip(found, foreign(snapshot, near.question, rows), strict=False))  # none where there is one language
    scores = dict(zip(found, meaning.near.tolist(), strict=True))
    best = fuse.convex(words, scores, share, cosines, count, fuse.Belief(trust, away))
    return best, None if known.mixed else meaning


def _trust(snapshot: Snapshot, query: Query, best: float) -> float:
    """Return how much scores by words are to count: less, the fewer of the question's words the notes have."""
    reader, rarity = snapshot.lexical, {term: snapshot.rarity(term) for term in query.terms}
    lost = [term for term in rarity if not reader.holding(term)]
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
