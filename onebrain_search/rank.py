"""Fused hits -> ranked hits: a list of stages, each a function with one signature.

A stage adds to scores (fused ones lie in 0..1) and notes what it added under its own name in `Hit.parts`, or it
leaves hits out of the list that repeat others. Scores never decide whether something is an answer at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import log
from statistics import fmean
from types import MappingProxyType

from indexer import tokens
from indexer.facts import Facts, facts
from indexer.snapshot import Snapshot
from indexer.terms import LONGEST_NAME
from onebrain_search import question
from onebrain_search.copies import Worded
from onebrain_search.fuse import FEEDBACK_FROM, Meaning
from onebrain_search.types import Hit, Query
from onebrain_search.wording import Wording

Stage = Callable[[Query, list[Hit]], list[Hit]]

LOOKED_AT = 24  # hits that stages which read the text look at: from 24 to 40 nDCG@10 is the same
MOST_TOGETHER = 40  # hits whose notes are looked at; so many are ranked at least
LEAST_APART, MOST_APART = 8, 60  # hits no two of which are copies: as many as are asked for, within these bounds
PER_DOCUMENT = 2  # hits of one document in a list of sources

# What each stage can add at most. Set on the dev collections by benchmarks/quality.py; mean nDCG@10 of cranfield,
# cacm, scifact and anthropic-docs is .6416 (.4228, .5678, .7279, .8479). With the share of vectors and the weights
# of coverage, title and proximity set on three of them, the fourth has .4221, .5619, .7293, .8434.
WEIGHTS: Mapping[str, float] = {
    "exact": 2.0,  # a whole query that is a title, alias or file name: rank 1, as words and vectors give 1.8
    "heading": 0.2,  # a whole query that is the heading of the passage
    "coverage": 0.4,  # share of the query's rare words in the passage: .6326 without, .6380 with .2 or .6
    "titled": 0.3,  # a title that is asked for: .6365 without, .6390 with .6
    "feedback": 1.0,  # a change of the scores by meaning as it is: .6335 without
    # With the multilingual model by meaning: over 5 pairs of languages nDCG@10 rises by .0025 (.0006 to .004; 1,190
    # questions each), within six languages by .0003. With the English one it stays the same.
    "together": 0.2,
    "proximity": 0.1,  # neighbouring query words that are neighbours in the passage; for sessions: MRR .840 from .839
    "popularity": 0.02,  # of a note by links to it; a tie-break
    "recency": 0.1,  # only when the question asks for the newest; .3 costs locomo-dev .004 of hit@5
    "superseded": -0.15,  # a note that another one replaced; more where it would stay above that one
    "source": 0.03,  # OneBrain's order of sources, a tie-break
    # A passage that tells an event of the chain a question for reasons is about; on ethereum-acd and w3ctag
    # (benchmarks/why.py) recall@10 is .69 and .67 with 0, .84 and .79 with .4, .88 and .80 with .8.
    "decided": 0.8,
}
# OneBrain reads its sources in this order; archives and checkpoints come last.
SOURCES: tuple[tuple[str, float], ...] = (
    ("MEMORY.md", 1.0), ("/memory/", 0.9), ("-session-", 0.7), ("-checkpoint-", 0.1), ("-pause-", 0.2),
    ("MEMORY-INDEX.md", 0.0), ("/log/", 0.0),
)  # fmt: skip
ELSEWHERE = 0.6
_REPLACED = frozenset({"superseded", "deprecated", "obsolete", "replaced"})


@dataclass(slots=True)
class Reading:
    """What the stages of one query share, each thing worked out once."""

    snapshot: Snapshot
    wording: Wording
    facts: dict[tuple[str, str], Facts] = field(default_factory=dict)
    rarities: dict[str, float] = field(default_factory=dict)

    def ahead(self, hits: Sequence[Hit], enough: Callable[[], bool]) -> None:
        """Look into likely hits, until it is `enough`."""
        for hit in hits:
            if enough():
                return
            self.wording.look_into(hit)

    def facts_of(self, hits: Sequence[Hit]) -> dict[tuple[str, str], Facts]:
        """Return facts on the documents of hits."""
        places = {(hit.chunk.root, hit.chunk.path) for hit in hits} - self.facts.keys()
        if places:
            self.facts |= facts(self.snapshot.catalog, sorted(places))
        return self.facts

    def rarity(self, term: str) -> float:
        """Return BM25's inverse document frequency of a term or its stem, whichever is more common."""
        if term not in self.rarities:
            self.rarities[term] = self.snapshot.rarity(term)
        return self.rarities[term]


def stages(
    reading: Reading,
    told: Mapping[int, float] = MappingProxyType({}),
    meaning: Meaning | None = None,
    *,
    mixed: bool = False,
) -> list[Stage]:
    """Return the stages in the order in which they run.

    `told` is how much passages tell of a chain, by id; `meaning`, the candidates' vectors where they can move hits;
    `mixed`: they were found by a model of many languages.
    """
    return [
        *([together] if mixed else []),
        exact(reading),
        coverage(reading),
        proximity(reading),
        titled(reading),
        *([feedback(meaning)] if meaning else []),
        popularity(reading),
        recency,
        superseded(reading),
        decided(told),
        source,
        ordered,
        per_section,
        per_document,
        without_copies,
    ]


def together(query: Query, hits: list[Hit]) -> list[Hit]:
    """Bring passages nearer to the mean of what both legs found of their note: where two fit, the note does."""
    scores: dict[tuple[str, str], list[float]] = {}
    found = [hit for hit in hits[:MOST_TOGETHER] if hit.score > 0]
    for hit in found:
        scores.setdefault((hit.chunk.root, hit.chunk.path), []).append(hit.score)
    means = [fmean(scores[hit.chunk.root, hit.chunk.path]) for hit in found]
    return [_added(h, "together", mean - h.score) for h, mean in zip(found, means, strict=True)] + hits[len(found) :]


def exact(reading: Reading) -> Stage:
    """Lift passages whose title, alias or file name is the whole query, and less those whose heading is."""

    def stage(query: Query, hits: list[Hit]) -> list[Hit]:
        """Add the weight of an equal name."""
        wanted = tokens.words(query.topic)
        if not wanted or len(wanted) > LONGEST_NAME:
            return hits
        called = reading.snapshot.lexical.named(query.topic) is not None  # whether any document is
        facts = reading.facts_of(hits) if called else {}

        @cache
        def same(name: str) -> bool:
            """Whether a name is the query; those of a document come again with each of its passages."""
            return (not name.isascii() or wanted[0] in name.lower()) and tokens.words(name) == wanted

        def value(hit: Hit) -> tuple[str, float]:
            """Return which name is equal."""
            if called:
                known = facts.get((hit.chunk.root, hit.chunk.path))
                file = hit.chunk.path.rpartition("/")[2]
                names = [hit.chunk.title, file.rpartition(".")[0], file, *(known.aliases if known else ())]
                if any(map(same, names)):
                    return "exact", 1.0
            headings = [*hit.chunk.heading[-1:], hit.chunk.symbol]
            return "heading", float(any(map(same, headings)))

        return [_added(hit, *value(hit)) for hit in hits]

    return stage


def coverage(reading: Reading) -> Stage:
    """Lift passages that hold most of the query, counted by rarity: five common words beat one rare word."""

    def stage(query: Query, hits: list[Hit]) -> list[Hit]:
        """Add the share of the query's weight that a passage holds."""
        total = sum(map(reading.rarity, query.terms))
        if not total or len(query.terms) < 2:
            return hits

        def value(hit: Hit) -> float:
            """Return the share of the weight."""
            there = reading.wording.terms_of(hit)
            return sum(reading.rarity(term) for term in query.terms if term in there) / total

        return [_added(hit, "coverage", value(hit)) for hit in hits[:LOOKED_AT]] + hits[LOOKED_AT:]

    return stage


def proximity(reading: Reading) -> Stage:
    """Lift passages where words that are neighbours in the query are neighbours too."""

    def stage(query: Query, hits: list[Hit]) -> list[Hit]:
        """Add the share of neighbouring pairs that stand together."""
        wording = reading.wording
        if not wording.pairs:
            return hits
        near = [_added(h, "proximity", len(wording.pairs_of(h)) / len(wording.pairs)) for h in hits[:LOOKED_AT]]
        return near + hits[LOOKED_AT:]

    return stage


def titled(reading: Reading) -> Stage:
    """Lift passages of notes whose title is made of the question's words, and says much of what is asked."""

    def stage(query: Query, hits: list[Hit]) -> list[Hit]:
        """Add the share of the title that is asked for, times the share of the query's weight that stands in it."""
        asked = {tokens.stem(word) for word in tokens.words(query.text)}
        total = sum(map(reading.rarity, query.terms))
        if not total:
            return hits

        @cache
        def value(title: str) -> float:
            """Return the product for a title."""
            there = {tokens.stem(word) for word in tokens.words(title)}
            common = there & asked
            if not common:
                return 0.0
            weight = sum(reading.rarity(term) for term in query.terms if tokens.stem(term) in common)
            return weight / total * len(common) / len(there)

        return [_added(hit, "titled", value(hit.chunk.title)) for hit in hits[:LOOKED_AT]] + hits[LOOKED_AT:]

    return stage


def feedback(meaning: Meaning) -> Stage:
    """Ask again with a question that is nearer to the best hits, as the stages on words have them."""

    def stage(query: Query, hits: list[Hit]) -> list[Hit]:
        """Add what the vectors say more, or less, of a passage then."""
        best = sorted(hits, key=lambda hit: -hit.score)[:FEEDBACK_FROM]
        change = meaning.moved([hit.chunk.id for hit in best], [hit.chunk.id for hit in hits])
        return [_added(hit, "feedback", gain) for hit, gain in zip(hits, change, strict=True)]

    return stage


def popularity(reading: Reading) -> Stage:
    """Lift notes that many links lead to, a little."""

    def stage(query: Query, hits: list[Hit]) -> list[Hit]:
        """Add the logarithm of the number of links, full at a hundred."""
        facts = reading.facts_of(hits[:LOOKED_AT])
        counts = [facts[place].links if (place := (h.chunk.root, h.chunk.path)) in facts else 0 for h in hits]
        return [_added(h, "popularity", min(1.0, log(1 + n) / log(101))) for h, n in zip(hits, counts, strict=True)]

    return stage


def recency(query: Query, hits: list[Hit]) -> list[Hit]:
    """Lift newer passages, only when the question asks for the newest."""
    if not question.asks_recent(query.text):
        return hits
    dates = sorted({hit.chunk.date for hit in hits if hit.chunk.date})
    place = {date: (n + 1) / len(dates) for n, date in enumerate(dates)}
    return [_added(hit, "recency", place.get(hit.chunk.date or "", 0.0)) for hit in hits]


def superseded(reading: Reading) -> Stage:
    """Lower notes that another one replaced, by what they or the other one say; below that one where it is found."""

    def stage(query: Query, hits: list[Hit]) -> list[Hit]:
        """Add the weight where a note is replaced, and more where that leaves it above its replacement."""
        facts = reading.facts_of(hits[:LOOKED_AT])
        known = [facts.get((hit.chunk.root, hit.chunk.path)) for hit in hits]
        scores: dict[str, float] = {}
        by = {old: fact.name for fact in known if fact for old in fact.supersedes}
        for hit, fact in zip(hits, known, strict=True):
            if fact:
                scores[fact.name] = max(hit.score, scores.get(fact.name, 0.0))
                by.update((fact.name, new) for new in fact.superseded_by)

        def value(hit: Hit, fact: Facts | None) -> float:
            """Return 1 for a replaced note, more where it must fall further."""
            if fact is None or not (fact.name in by or fact.superseded_by or fact.status in _REPLACED):
                return 0.0
            above = hit.score - scores.get(by.get(fact.name, ""), hit.score)
            return max(1.0, (above + 0.001) / -WEIGHTS["superseded"])

        return [_added(hit, "superseded", value(hit, fact)) for hit, fact in zip(hits, known, strict=True)]

    return stage


def decided(told: Mapping[int, float]) -> Stage:
    """Lift passages that tell the decisions a question is about."""

    def stage(query: Query, hits: list[Hit]) -> list[Hit]:
        """Add the weight by how much a passage tells of them."""
        return [_added(hit, "decided", told.get(hit.chunk.id, 0.0)) for hit in hits]

    return stage


def source(query: Query, hits: list[Hit]) -> list[Hit]:
    """Prefer sources in OneBrain's order, a little; elsewhere all notes are alike."""

    def value(path: str) -> float:
        """Return the standing of a path."""
        below = f"/{path}"
        return next((value for mark, value in SOURCES if mark in below), ELSEWHERE)

    return [_added(hit, "source", value(hit.chunk.path)) for hit in hits]


def ordered(query: Query, hits: list[Hit]) -> list[Hit]:
    """Sort by score; of equal scores the newer note comes first, then the order is by place."""
    by_place = sorted(hits, key=lambda hit: (hit.chunk.root, hit.chunk.path, hit.chunk.start_line))
    by_date = sorted(by_place, key=lambda hit: hit.chunk.date or "", reverse=True)
    return sorted(by_date, key=lambda hit: -round(hit.score, 9))


def without_copies(query: Query, hits: list[Hit]) -> list[Hit]:
    """Leave out passages whose text another, better one repeats.

    Who looks up a phrase wants every place of it: there they come last.
    """
    kept: list[Hit] = []
    copies: list[Hit] = []
    seen: list[Worded] = []
    enough = min(MOST_APART, max(LEAST_APART, query.limit))
    for hit in hits:
        if len(kept) == enough:
            break
        passage = Worded(hit.chunk.text)
        (copies if any(map(passage.repeats, seen)) else kept).append(hit)
        seen.append(passage)
    return kept + hits[len(seen) :] + (copies if query.phrases and not query.sentence else [])


def per_section(query: Query, hits: list[Hit]) -> list[Hit]:
    """Keep one hit a section; passages that touch it become part of its range."""
    kept: dict[object, Hit] = {}
    for hit in hits:
        piece = hit.chunk
        if piece.kind == "code" or not piece.heading:
            kept[piece.id] = hit
        else:
            section = (piece.root, piece.path, piece.heading)
            kept[section] = _merged(kept[section], hit) if section in kept else hit
    return list(kept.values())


def per_document(query: Query, hits: list[Hit]) -> list[Hit]:
    """Keep the best two hits of each document."""
    seen: Counter[tuple[str, str]] = Counter()
    kept = []
    for hit in hits:
        place = (hit.chunk.root, hit.chunk.path)
        seen[place] += 1
        if seen[place] <= PER_DOCUMENT:
            kept.append(hit)
    return kept


def _merged(hit: Hit, other: Hit) -> Hit:
    """Return a hit whose range takes in another passage that touches it, else the hit as it is."""
    one, two = sorted((hit.chunk, other.chunk), key=lambda piece: (piece.start_line, piece.end_line))
    if two.start_line > one.end_line + 2 or one.start_line == one.end_line == two.start_line:
        return hit
    lines = one.text.split("\n")
    beyond = max(0, two.end_line - max(one.end_line, two.start_line - 1))
    blank = [""] * (two.start_line - one.end_line - 1)
    tail = two.text.split("\n")[-beyond:] if beyond else []
    text = "\n".join([*lines, *blank, *tail])
    end = max(one.end_line, two.end_line)
    return replace(hit, chunk=replace(hit.chunk, text=text, start_line=one.start_line, end_line=end))


def _added(hit: Hit, stage: str, value: float) -> Hit:
    """Return a hit with what a stage adds to it."""
    if not value:
        return hit
    gain = WEIGHTS[stage] * value
    return Hit(hit.chunk, hit.score + gain, {**hit.parts, stage: gain}, hit.highlights, hit.stale)
