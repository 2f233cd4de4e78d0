"""A person's own questions and right notes -> how well this vault answers: nDCG@10, recall, MRR and time, by leg."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import isfinite, log2
from pathlib import Path
from typing import Any, get_args

from indexer import tokens
from indexer.errors import QueryError
from indexer.types import written
from onebrain_search.brain import Brain
from onebrain_search.types import Retrieval

DEPTH = 100  # notes of a ranking that count
CUT = 10  # of nDCG
SUGGESTED = 50  # questions of a starter file
_SAME = 3  # notes with one heading from which it is a template's

Judgements = Mapping[str, Mapping[str, float]]  # question id -> written path -> grade above 0


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, under an id."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """The notes found for a question, best first, each with its score, and how long that took."""

    question: Question
    notes: tuple[tuple[str, float], ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Score:
    """Means over all judged questions; `p50_ms` and `p95_ms` are of the time a search takes in this process."""

    retrieval: Retrieval
    questions: int
    ndcg: float
    recall: float
    mrr: float
    hit1: float
    p50_ms: float
    p95_ms: float


def read_questions(file: Path) -> tuple[list[Question], dict[str, dict[str, float]]]:
    """Return the questions of a JSON Lines file, and the right notes where it names them.

    A line has `question` or `text`, an `id` or `_id` (else its number), and may have `paths`, a list of right notes.
    Raises QueryError with file and line.
    """
    questions, right = dict[str, Question](), dict[str, dict[str, float]]()
    for number, line in _lines(file):
        try:
            question, paths = _question(json.loads(line), number)
        except (ValueError, RecursionError) as error:
            fix = 'write one object a line, as {"id": "1", "question": "what is our retry policy", "paths": ["a.md"]}'
            raise QueryError("this line is no question", where=f"{file}:{number}", fix=fix) from error
        if question.id in questions:
            fix = "give each question an id of its own, or none an id"
            raise QueryError(f"the id {question.id!r} stands here again", where=f"{file}:{number}", fix=fix)
        questions[question.id] = question
        if paths:
            right[question.id] = dict.fromkeys(paths, 1.0)
    return list(questions.values()), right


def _question(row: Any, number: int) -> tuple[Question, list[str]]:
    """Return the question of a line and its right notes. Raises ValueError for what is no question."""
    if not isinstance(row, dict):
        raise ValueError("no object")
    text, paths = row.get("question") or row.get("text"), row.get("paths") or []
    named = next((row[key] for key in ("id", "_id") if row.get(key) is not None), number)
    if not isinstance(text, str) or not text.strip() or not isinstance(named, (str, int, float)):
        raise ValueError("no question")
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise ValueError("no list of paths")
    return Question(str(named), text), paths


def read_judgements(file: Path) -> dict[str, dict[str, float]]:
    """Return the right notes of a file of `id<TAB>path<TAB>grade` lines, or TREC's `id 0 path grade`.

    A first line whose grade is no number is a header. Raises QueryError with file and line.
    """
    right: dict[str, dict[str, float]] = {}
    for number, line in _lines(file):
        parts = line.split("\t") if "\t" in line else line.split()
        parts = [*parts[:1], *parts[2:]] if len(parts) == 4 else parts
        try:
            question, path, grade = parts[0], parts[1], float(parts[2]) if len(parts) > 2 else 1.0
            if not isfinite(grade):
                raise ValueError("a grade without end")
        except (IndexError, ValueError) as error:
            if number == 1:
                continue
            fix = "write question id, path and grade with tabs between them"
            raise QueryError("this line is no judgement", where=f"{file}:{number}", fix=fix) from error
        if grade > 0:
            right.setdefault(question, {})[path] = grade
    return right


def rank(brain: Brain, questions: Iterable[Question], retrieval: Retrieval) -> list[Ranking]:
    """Return what one leg, or both, find for each question."""
    rankings = []
    for question in questions:
        started = time.perf_counter()
        hits = brain.search(question.text, limit=2 * DEPTH, retrieval=retrieval)
        seconds = time.perf_counter() - started
        notes: dict[str, float] = {}
        for hit in hits:
            notes.setdefault(written(hit.chunk.root, hit.chunk.path), hit.score)
        rankings.append(Ranking(question, tuple(notes.items())[:DEPTH], seconds))
    return rankings


def score(rankings: Sequence[Ranking], right: Judgements, retrieval: Retrieval) -> Score:
    """Return the means over the questions that have right notes. Raises QueryError when there are none."""
    judged = [ranking for ranking in rankings if ranking.question.id in right]
    if not judged:
        fix = "give --qrels with the same ids, or `paths` in each line of --queries"
        raise QueryError("no question has a right note", fix=fix)
    rows = [_measured([path for path, _ in each.notes], right[each.question.id]) for each in judged]
    ndcg, recall, mrr, hit1 = (sum(column) / len(rows) for column in zip(*rows, strict=True))
    times = sorted(1000 * ranking.seconds for ranking in judged)
    half, most = times[len(times) // 2], times[min(len(times) - 1, int(0.95 * len(times)))]
    return Score(retrieval, len(rows), ndcg, recall, mrr, hit1, half, most)


def compare(brain: Brain, questions: Sequence[Question], right: Judgements) -> tuple[list[Score], list[Ranking]]:
    """Return the scores of both legs together and of each alone, and the rankings of both together."""
    brain.search(questions[0].text if questions else "")  # the model is loaded before time is taken
    runs = {retrieval: rank(brain, questions, retrieval) for retrieval in get_args(Retrieval)}
    return [score(rankings, right, retrieval) for retrieval, rankings in runs.items()], runs["hybrid"]


def run_lines(rankings: Iterable[Ranking], name: str = "onebrain-search") -> Iterator[str]:
    """Yield rankings as lines of a TREC run; a space in an id or a path is written as %20."""
    for ranking in rankings:
        for place, (path, value) in enumerate(ranking.notes, 1):
            asked, found = (re.sub(r"\s", "%20", column) for column in (ranking.question.id, path))
            yield f"{asked} Q0 {found} {place} {value:.6f} {name}"


def unknown(brain: Brain, right: Judgements) -> list[str]:
    """Return the right notes that are not in the index."""
    known = {written(root, path) for root, path in brain.snapshot().catalog.known()}
    return sorted({path for notes in right.values() for path in notes} - known)


def suggest(brain: Brain, count: int = SUGGESTED) -> list[dict[str, Any]]:
    """Return questions for a start, made of headings that say something, with the note that each stands in.

    Where there are none, as in a vault of short notes, titles are taken. They are easy, as the words stand in the
    note: a person replaces them by what he would really ask.
    """
    catalog = brain.snapshot().catalog
    found = _telling(
        catalog.rows(
            "SELECT DISTINCT d.root, d.path, d.title, c.heading FROM chunks c JOIN documents d ON d.id = c.document"
            " WHERE d.kind = 'note' AND c.heading <> ''"
        )
    ) or _telling(catalog.rows("SELECT root, path, title, title FROM documents WHERE kind = 'note'"))
    found.sort(key=lambda row: blake2b("\n".join(row).encode("utf-8", "replace"), digest_size=8).digest())
    return [{"id": str(n), "question": text, "paths": [path]} for n, (text, path) in enumerate(found[:count], 1)]


def _telling(rows: Iterable[tuple[str, str, str, str]]) -> list[tuple[str, str]]:
    """Return the questions, with their notes, that headings make; one that many notes have is a template's."""
    places: dict[str, set[tuple[str, str]]] = {}
    for root, path, title, trail in rows:
        heading = trail.split("\x1f")[-1]
        text = heading if heading == title or len(tokens.words(heading)) > 2 else f"{title}: {heading}"
        places.setdefault(heading, set()).add((text, written(root, path)))
    return [(text, path) for same in places.values() if len(same) < _SAME for text, path in same if _tells(text)]


def table(scores: Sequence[Score]) -> str:
    """Return scores as lines of text, a leg each."""
    lines = [f"questions: {scores[0].questions}"] if scores else ["no questions"]
    lines.append(f"{'':10}{'nDCG@10':>9}{f'recall@{DEPTH}':>12}{'MRR':>8}{'first':>8}{'p50 ms':>9}{'p95 ms':>9}")
    lines += [
        f"{each.retrieval:10}{each.ndcg:9.3f}{each.recall:12.3f}{each.mrr:8.3f}{each.hit1:8.3f}"
        f"{each.p50_ms:9.1f}{each.p95_ms:9.1f}"
        for each in scores
    ]
    return "\n".join(lines)


def _tells(text: str) -> bool:
    """Whether a heading is a question's worth of words, and no date or placeholder."""
    words = tokens.words(text)
    return len(words) > 1 and any(not word.isdigit() for word in words) and "{{" not in text and "<%" not in text


def _measured(ranked: Sequence[str], gains: Mapping[str, float]) -> tuple[float, float, float, float]:
    """Return nDCG@10, recall, reciprocal rank and whether the first note is right."""
    places = [place for place, path in enumerate(ranked) if path in gains]
    got = sum(gains.get(path, 0.0) / log2(place + 2) for place, path in enumerate(ranked[:CUT]))
    best = sum(gain / log2(place + 2) for place, gain in enumerate(sorted(gains.values(), reverse=True)[:CUT]))
    first = places[0] if places else -1
    return got / best, len(places) / len(gains), 1 / (first + 1) if places else 0.0, float(first == 0)


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that are not empty, with their numbers. Raises QueryError when it cannot be read."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise QueryError("the file cannot be read", where=f"{file}: {error.strerror}", fix="name another") from error
    except UnicodeDecodeError as error:
        raise QueryError("the file is no UTF-8 text", where=str(file), fix="save it as UTF-8") from error
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
