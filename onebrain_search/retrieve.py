"""Query -> scored chunks, one retriever a leg. Filters hold before the best k are chosen, in every leg."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from indexer import tokens
from indexer.errors import EmbedError
from indexer.lexical import STEMMED
from indexer.snapshot import Snapshot
from indexer.types import Chunk
from onebrain_search.types import Hit, Query

if TYPE_CHECKING:
    from indexer.embed import Embedder
    from indexer.vectors import Floats
    from onebrain_search.fuse import Scored

Scores = list[tuple[int, float]]  # chunk ids with their scores, best first
Retriever = Callable[[Query], Scores]

_WORD = re.compile(r"\w+")

SHORTEST, LONG = 5, 9  # letters from which a word is taken for mistyped in one place, and in two
MOST_TERMS = 64  # a pasted page is asked by its rarest words
NAMED = 10  # chunks of documents whose name is the query
CANDIDATES = 200  # chunks a leg hands on; recall@100 of documents needs about two chunks a document
TYPED = 40  # the same while a query is being typed: ranking them takes a fifth of the time

_NEWEST = (
    "SELECT MIN(c.id) FROM json_each(?) meeting JOIN chunks c ON c.id = meeting.value"
    " JOIN documents d ON d.id = c.document GROUP BY d.id ORDER BY d.date DESC, d.root, d.path LIMIT ?"
)


def depth(query: Query) -> int:
    """Return how many chunks a leg fetches for a query."""
    return max(TYPED if query.typing else CANDIDATES, query.limit * 3)


def corrected(snapshot: Snapshot, query: Query, model: Callable[[], Embedder]) -> Query:
    """Return the query with the nearest words of the notes for mistyped ones that stand in none, and a note on it.

    A word that the model knows whole is a word, not a slip: on three collections of foreign questions nine of ten
    near words were wrong without this look at its vocabulary. Nothing is corrected where there is no model.
    """
    near = dict[str, str]()
    try:
        for term in query.terms:
            if _may_be_mistyped(snapshot, term) and model().count_tokens(term) > 1:
                found = snapshot.lexical.similar(term, 1 if len(term) < LONG else 2)
                near.update((term, word) for word in found[:1] if word.isalpha())
    except EmbedError:
        return query
    if not near:
        return query
    said = "no note has {}: searched for {}".format(
        ", ".join(f"`{term}`" for term in near), ", ".join(f"`{word}`" for word in near.values())
    )

    def mended(text: str) -> str:
        """Return a text with the near words in it."""
        return _WORD.sub(lambda match: near.get(tokens.fold(match[0]), match[0]), text)

    terms = tuple(dict.fromkeys(near.get(term, term) for term in query.terms))
    return replace(
        query, text=mended(query.text), topic=mended(query.topic), terms=terms, guessed=tuple(near.values()),
        notes=(*query.notes, said),
    )  # fmt: skip


def _may_be_mistyped(snapshot: Snapshot, term: str) -> bool:
    """Whether a term is a word of Latin letters that no text, title, heading or path has, nor its stem."""
    if len(term) < SHORTEST or not (term.isascii() and term.isalpha()):
        return False
    reader = snapshot.lexical
    forms = [(stem, field) for stem in reader.stems(term) for field in STEMMED]
    return not reader.frequency(term) and not any(reader.frequency(*form) for form in forms)


def lexical(snapshot: Snapshot) -> Retriever:
    """Return the BM25 leg."""

    def retrieve(query: Query) -> Scores:
        """Return the best chunks for any of the query's words, phrases and completions."""
        reader = snapshot.lexical
        asked = query.terms
        if len(asked) > MOST_TERMS:
            asked = tuple(sorted(asked, key=lambda term: -snapshot.rarity(term))[:MOST_TERMS])
        terms = [(term, 1.0) for term in asked]
        for prefix in query.prefixes:
            terms += [(token, 0.7) for word in tokens.words(prefix)[-1:] for token in reader.completions(word)]
        for term in asked:
            if len(term) == 1 and tokens.is_unspaced(term):
                terms += [(token, 0.5) for token in reader.completions(term)]
        phrases = [tokens.words(phrase) for phrase in query.phrases]
        return reader.search(terms, phrases=phrases, required=required(snapshot, query), k=depth(query))

    return retrieve


def named(snapshot: Snapshot, query: Query) -> list[int]:
    """Return the best chunks of documents whose title, alias or file name is the query, however few their words."""
    reader = snapshot.lexical
    wanted = reader.named(query.topic) if query.terms else None
    if wanted is None:
        return []
    terms = [(term, 1.0) for term in query.terms]
    return [number for number, _ in reader.search(terms, required=[wanted, *required(snapshot, query)], k=NAMED)]


def listed(snapshot: Snapshot) -> Retriever:
    """Return what answers a query of conditions alone."""

    def retrieve(query: Query) -> Scores:
        """Return the first passage of each note that meets them, the newest note first, undated ones last."""
        meeting = json.dumps(snapshot.lexical.ids(required(snapshot, query)).tolist())
        rows = snapshot.catalog.rows(_NEWEST, (meeting, query.limit))
        return [(number, 1.0 - n / len(rows)) for n, (number,) in enumerate(rows)]

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

    def retrieve(query: Query) -> Scores:
        """Return the chunks nearest to the question."""
        held = required(snapshot, query)
        allowed = snapshot.lexical.ids(held) if held else None
        return snapshot.vectors().search(question, depth(query), allowed)

    return retrieve


def question_vector(query: Query, embedder: Embedder) -> tuple[Floats, float]:
    """Return the unit vector of what is asked, and the share its leg deserves: how well the model can read it."""
    # The whole question reads better than its topic for `what` (+.003 nDCG@10); a chain is about the topic.
    text = query.topic if query.mode == "why" and query.topic else query.text
    return embedder.embed_queries([text])[0], embedder.readability(text)


class Passages:
    """The passages that a question looks at, each read once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._catalog = snapshot.catalog
        self._read: dict[int, Chunk] = {}

    def hits(self, found: Sequence[Scored]) -> list[Hit]:
        """Return scored chunks as hits; one that vanished in between is left out."""
        unread = [each.number for each in found if each.number not in self._read]
        if unread:
            self._read |= {number: stored.chunk for number, stored in self._catalog.chunks(unread).items()}
        return [Hit(self._read[each.number], each.score, each.parts) for each in found if each.number in self._read]
