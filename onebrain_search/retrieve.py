"""Query -> hits, one retriever a leg. Filters hold before the best k are chosen, in every leg."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from indexer import tokens
from indexer.snapshot import Snapshot
from onebrain_search.types import Hit, Query

if TYPE_CHECKING:
    from indexer.embed import Embedder
    from indexer.vectors import Floats

Retriever = Callable[[Query], list[Hit]]

CANDIDATES = 200  # chunks a leg hands on; recall@100 of documents needs about two chunks a document

_NEWEST = (
    "SELECT MIN(c.id) FROM json_each(?) meeting JOIN chunks c ON c.id = meeting.value"
    " JOIN documents d ON d.id = c.document GROUP BY d.id ORDER BY d.date DESC, d.root, d.path LIMIT ?"
)


def depth(query: Query) -> int:
    """Return how many chunks a leg fetches for a query."""
    return max(CANDIDATES, query.limit * 3)


def lexical(snapshot: Snapshot) -> Retriever:
    """Return the BM25 leg."""

    def retrieve(query: Query) -> list[Hit]:
        """Return the best chunks for any of the query's words, phrases and completions."""
        reader = snapshot.lexical
        terms = [(term, 1.0) for term in query.terms]
        for prefix in query.prefixes:
            terms += [(token, 0.7) for word in tokens.words(prefix)[-1:] for token in reader.completions(word)]
        for term in query.terms:
            if len(term) == 1 and not term.isascii():
                terms += [(token, 0.5) for token in reader.completions(term)]
        phrases = [tokens.words(phrase) for phrase in query.phrases]
        found = reader.search(terms, phrases=phrases, required=required(snapshot, query), k=depth(query))
        return hits(snapshot, found, "lexical")

    return retrieve


def listed(snapshot: Snapshot) -> Retriever:
    """Return what answers a query of conditions alone."""

    def retrieve(query: Query) -> list[Hit]:
        """Return the first passage of each note that meets them, the newest note first, undated ones last."""
        meeting = json.dumps(snapshot.lexical.ids(required(snapshot, query)).tolist())
        rows = snapshot.catalog.sql.execute(_NEWEST, (meeting, query.limit)).fetchall()
        return hits(snapshot, [(number, 1.0 - n / len(rows)) for n, (number,) in enumerate(rows)], "date")

    return retrieve


def required(snapshot: Snapshot, query: Query) -> list[Any]:
    """Return the lexical queries that every hit must meet: filters, exclusions, and phrases in term queries."""
    reader = snapshot.lexical
    held = [reader.condition(condition) for condition in (*query.filters, *query.hidden)]
    banned = [reader.phrase(words) for words in map(tokens.words, query.excluded) if words]
    if banned:
        held.append(reader.without(banned))
    if not query.sentence:
        held += [reader.phrase(words) for words in map(tokens.words, query.phrases) if words]
    return held


def vector(snapshot: Snapshot, question: Floats) -> Retriever:
    """Return the dense leg for the unit vector of a question."""

    def retrieve(query: Query) -> list[Hit]:
        """Return the chunks nearest to the question."""
        held = required(snapshot, query)
        allowed = snapshot.lexical.ids(held) if held else None
        return hits(snapshot, snapshot.vectors().search(question, depth(query), allowed), "vector")

    return retrieve


def question_vector(query: Query, embedder: Embedder) -> tuple[Floats, float]:
    """Return the unit vector of what is asked, and the share its leg deserves: how well the model can read it."""
    # The whole question reads better than its topic for `what` (+.003 nDCG@10); a chain is about the topic.
    text = query.topic if query.mode == "why" and query.topic else query.text
    return embedder.embed_queries([text])[0], embedder.readability(text)


def hits(snapshot: Snapshot, found: Sequence[tuple[int, float]], leg: str) -> list[Hit]:
    """Return the chunks of scored ids as hits; one that vanished in between is left out."""
    stored = snapshot.catalog.chunks([number for number, _ in found])
    return [Hit(stored[n].chunk, score, {leg: score}) for n, score in found if n in stored]
