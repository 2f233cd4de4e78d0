"""The tantivy side of the index: BM25 over chunks, phrases, and every filter.

One tantivy document is one chunk. Text goes in as the tokens of `indexer.tokens` joined by spaces, so that the
index and the question are cut by the same code. Filters are words of one field, so each costs a posting list.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar, cast

from indexer import tokens
from indexer.errors import Damaged, StoreError
from indexer.terms import Entry, day_number, filter_term, name_term
from indexer.types import Condition

if TYPE_CHECKING:
    from numpy.typing import NDArray

LAYOUT = "6"  # part of the index fingerprint
HEAP = 128_000_000  # bytes of postings held before they are written out
MANY_SEGMENTS = 8  # tantivy begins to merge at this many
DAMAGED = "damaged-lexical"  # this file beside an index folder tells the next writer what a reader found
_META = "meta.json"  # tantivy's own list of segments

# Share of each field in a term's score; measured by benchmarks/quality.py on the dev collections.
WEIGHTS: Mapping[str, float] = {"body": 0.35, "stem": 0.65, "title": 0.4, "heading": 0.25, "path": 0.25}
# Weight of each ideograph of the terms beside them: they rank what the terms find. Lexical nDCG@10 of xquad-zh is
# .9672 without, .9720 with .1, .9723 with .2, .9732 with .4.
IDEOGRAPH = 0.2
_TEXT_FIELDS = (("body", "position"), ("stem", "freq"), ("title", "freq"), ("heading", "freq"), ("path", "freq"))
STEMMED = ("stem", "title", "heading", "path")
_LATEST = 99_999_999


_Method = TypeVar("_Method", bound=Callable[..., Any])


def make_schema() -> Any:
    """Return the tantivy schema."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", indexed=True, fast=True)
    builder.add_text_field("document", tokenizer_name="raw", index_option="basic")  # tantivy-py deletes by text only
    builder.add_unsigned_field("day", indexed=True, fast=True)
    for name, option in _TEXT_FIELDS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option=option)
    builder.add_text_field("filters", tokenizer_name="whitespace", index_option="basic")
    return builder.build()


def opstamp(folder: Path) -> int | None:
    """Return the number of the last commit in an index folder, None where there is no index.

    Merges leave it as it is. So a catalog that remembers the number knows, without loading the engine, whether this
    is the lexical index it was committed with.
    """
    try:
        return int(json.loads((folder / _META).read_bytes())["opstamp"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def segments(folder: Path) -> int:
    """Return of how many segments an index consists."""
    return len(json.loads((folder / _META).read_bytes())["segments"])


def mark_damaged(folder: Path) -> None:
    """Leave word beside an index folder that it must be made anew."""
    with suppress(OSError):
        (folder.parent / DAMAGED).touch()


def _guarded(method: _Method) -> _Method:
    """Return a method of a reader that tells broken files as one error and leaves word of them.

    tantivy raises ValueError, or panics with an exception that has no name to import.
    """

    @wraps(method)
    def run(self: Reader, *args: Any, **options: Any) -> Any:
        """Run the method."""
        try:
            return method(self, *args, **options)
        except BaseException as error:
            if not isinstance(error, ValueError) and type(error).__name__ != "PanicException":
                raise
            mark_damaged(self.folder)
            raise Damaged(
                "the lexical index is damaged", where=f"{self.folder}: {error}", fix="run `index`"
            ) from error

    return cast(_Method, run)


class Writer:
    """Adds and removes chunks; nothing is visible before `commit`. Raises StoreError when it cannot write."""

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        self.folder = folder
        self.writer = self._do(lambda: self._open(create))

    def _open(self, create: bool) -> Any:
        """Return the engine's writer; one thread, since preparing the text takes longer than indexing it."""
        import tantivy

        if not create:
            return tantivy.Index.open(str(self.folder)).writer(HEAP, 1)
        self.folder.mkdir(parents=True, exist_ok=True)
        return tantivy.Index(make_schema(), path=str(self.folder), reuse=False).writer(HEAP, 1)

    def add(self, number: int, first: int, entry: Entry) -> None:
        """Add the document with the catalog id `number`, whose chunks have ids from `first` on."""
        from tantivy import Document as Row

        for chunk_id, (body, stem, heading) in enumerate(entry.chunks, first):
            row = Row()
            row.add_unsigned("id", chunk_id)
            row.add_text("document", str(number))
            row.add_unsigned("day", entry.day)
            row.add_text("body", body)
            row.add_text("stem", stem)
            row.add_text("title", entry.title)
            row.add_text("heading", heading)
            row.add_text("path", entry.path)
            row.add_text("filters", entry.filters)
            self.writer.add_document(row)

    def remove(self, documents: Iterable[int]) -> None:
        """Remove every chunk of some documents."""
        for number in documents:
            self.writer.delete_documents_by_term("document", str(number))

    def commit(self) -> int:
        """Write everything; return the number of the commit."""
        return int(self._do(self.writer.commit))

    def merge(self) -> None:
        """Wait until many small segments are one: merges begin after a commit, and short runs would not see the end.

        Nothing can be written afterwards.
        """
        if segments(self.folder) >= MANY_SEGMENTS:
            self._do(self.writer.wait_merging_threads)

    def _do(self, work: Callable[[], Any]) -> Any:
        """Run a step that writes."""
        try:
            return work()
        except (ValueError, OSError) as error:
            fix = "free some space or name another folder in ONEBRAIN_SEARCH_HOME, then run `index`"
            raise StoreError("the index cannot be written", where=f"{self.folder}: {error}", fix=fix) from error


class Reader:
    """A fixed view of the index. All queries are built from terms, never parsed, so no text can break them."""

    def __init__(self, folder: Path) -> None:
        """Open the newest commit. Raises StoreError when it cannot be read."""
        self.folder = folder
        self._links: TemporaryDirectory[str] | None = None
        try:
            self._open(folder)
        except ValueError as error:
            if "Lockfile" not in str(error):
                raise _unreadable(folder, error) from error
            try:
                self._links = _linked(folder)
                self._open(Path(self._links.name))
            except (ValueError, OSError) as again:
                self.close()
                raise _unreadable(folder, again) from again

    def _open(self, folder: Path) -> None:
        """Load the newest commit of a folder."""
        import tantivy

        index = tantivy.Index.open(str(folder))
        index.config_reader("manual")
        index.reload()
        self.schema: Any = index.schema
        self.searcher: Any = index.searcher()

    def close(self) -> None:
        """Let go of what was made for a read-only folder."""
        if self._links is not None:
            self._links.cleanup()

    @_guarded
    def frequency(self, token: str, field: str = "body") -> int:
        """Return in how many chunks a token (or in field `stem` a stem) stands, deleted ones still counted."""
        return int(self.searcher.doc_freq(field, token))

    def stems(self, token: str) -> list[str]:
        """Return the forms under which the stem of a token can stand: as it is, and cut where notes have it so."""
        stem = tokens.stem(token)
        cut = tokens.cut(stem)
        known = cut != stem and any(self.frequency(cut, field) for field in STEMMED)
        return [stem, cut] if known else [stem]

    def holding(self, token: str) -> int:
        """Return in how many chunks the text has a token or its stem, deleted ones still counted."""
        return max(self.frequency(token), sum(self.frequency(stem, "stem") for stem in self.stems(token)))

    def chunk_count(self) -> int:
        """Return the number of live chunks."""
        return int(self.searcher.num_docs)

    @_guarded
    def completions(self, prefix: str, limit: int = 32) -> list[str]:
        """Return the most frequent tokens that start with a prefix."""
        found = self.searcher.terms_with_prefix("body", prefix, limit=2000)
        return [term for term, _ in sorted(found, key=lambda pair: -pair[1])[:limit]]

    @_guarded
    def similar(self, token: str, distance: int) -> list[str]:
        """Return tokens within an edit distance (transposition counts one) that share the first letter."""
        from rapidfuzz.distance import OSA

        found = self.searcher.terms_with_prefix("body", token[0], limit=200_000)
        near = [(OSA.distance(token, term, score_cutoff=distance), -count, term) for term, count in found]
        return [term for gap, _, term in sorted(near) if gap <= distance][:3]

    @_guarded
    def search(
        self,
        terms: Sequence[tuple[str, float]],
        *,
        phrases: Sequence[Sequence[str]] = (),
        required: Sequence[Any] = (),
        k: int = 100,
    ) -> list[tuple[int, float]]:
        """Return the best (chunk id, BM25 score) for any of the weighted terms and phrases.

        `required` are queries from `condition`, `phrase` and `without`: all must hold.
        """
        import tantivy

        should = [self._scored(term, weight) for term, weight in terms]
        should += [tantivy.Query.boost_query(self.phrase(words), 1.5) for words in phrases if words]
        query = tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in should])
        signs = dict.fromkeys(sign for term, _ in terms if len(term) > 1 for sign in tokens.ideographs(term))
        if required or signs:
            must = [query] if should else [tantivy.Query.all_query()]
            must += [tantivy.Query.const_score_query(query, 0.0) for query in required]
            beside = [tantivy.Query.boost_query(self._term("stem", sign), IDEOGRAPH) for sign in signs]
            clauses = [(tantivy.Occur.Must, query) for query in must]
            query = tantivy.Query.boolean_query(clauses + [(tantivy.Occur.Should, query) for query in beside])
        return self._hits(query, k)

    @_guarded
    def ids(self, required: Sequence[Any]) -> NDArray[Any]:
        """Return the ids of every chunk that meets all conditions, as an int64 array in no order."""
        import numpy
        import tantivy

        query = tantivy.Query.boolean_query([(tantivy.Occur.Must, each) for each in required])
        count = int(self.searcher.num_docs)
        hits = self.searcher.search(tantivy.Query.const_score_query(query, 1.0), max(1, count), count=False).hits
        values = self.searcher.fast_field_values("id", [address for _, address in hits])
        return numpy.asarray(values, dtype=numpy.int64)

    def condition(self, wanted: Condition) -> Any:
        """Return the query of one filter."""
        import tantivy

        query = self._condition(wanted)
        if not wanted.negated:
            return query
        return self.without([query], tantivy)

    def without(self, queries: Sequence[Any], tantivy: Any = None) -> Any:
        """Return the query of all chunks that match none of some queries."""
        if tantivy is None:
            import tantivy
        clauses = [(tantivy.Occur.MustNot, query) for query in queries]
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, tantivy.Query.all_query()), *clauses])

    def phrase(self, words: Sequence[str]) -> Any:
        """Return the query of words standing side by side in the text."""
        import tantivy

        if len(words) == 1:
            return self._word("body", words[0])
        return tantivy.Query.phrase_query(self.schema, "body", list(words))

    def anywhere(self, token: str) -> Any:
        """Return the query of chunks that hold a token in their text, title or heading."""
        import tantivy

        stems = self.stems(token)
        fields = [("body", token), *((field, stem) for field in ("title", "heading") for stem in stems)]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, self._word(f, t)) for f, t in fields])

    def named(self, name: str) -> Any:
        """Return the query of documents with this title, alias or file name, None where there are none."""
        import tantivy

        terms = {name_term(name), name_term(name.casefold())} - {""}  # file names are kept without case
        found = [(tantivy.Occur.Should, self._term("filters", t)) for t in terms if self.frequency(t, "filters")]
        return tantivy.Query.boolean_query(found) if found else None

    def _condition(self, wanted: Condition) -> Any:
        """Return the query of a filter as if it were not negated; a title of no words is that of no chunk."""
        import tantivy

        if wanted.field == "date":
            low = day_number(wanted.value) or 1
            high = day_number(wanted.upper) or _LATEST
            return tantivy.Query.range_query(self.schema, "day", tantivy.FieldType.Unsigned, low, high)
        if wanted.field in ("title", "heading"):
            words = [[self._word(wanted.field, s) for s in self.stems(t)] for t in tokens.words(wanted.value)]
            either = [
                tantivy.Query.boolean_query([(tantivy.Occur.Should, form) for form in forms]) for forms in words
            ]
            return tantivy.Query.boolean_query([(tantivy.Occur.Must, query) for query in either])
        return self._term("filters", filter_term(wanted))

    def _word(self, field: str, token: str) -> Any:
        """Return the query of one word; a single character of a script without spaces is found inside of runs."""
        import tantivy

        if len(token) == 1 and tokens.is_unspaced(token):
            return tantivy.Query.regex_query(self.schema, field, f"{token}.?")
        return self._term(field, token)

    def _scored(self, token: str, weight: float) -> Any:
        """Return the query of one word over all text fields, its exact form counted beside its stem."""
        import tantivy

        forms = [("body", token), *((field, stem) for stem in self.stems(token) for field in STEMMED)]
        parts = [
            (tantivy.Occur.Should, tantivy.Query.boost_query(self._term(field, form), WEIGHTS[field] * weight))
            for field, form in forms
        ]
        return tantivy.Query.boolean_query(parts)

    def _term(self, field: str, value: str) -> Any:
        """Return the query of one term."""
        import tantivy

        return tantivy.Query.term_query(self.schema, field, value)

    def _hits(self, query: Any, k: int) -> list[tuple[int, float]]:
        """Run a query; return (chunk id, score), best first."""
        hits = self.searcher.search(query, max(1, k), count=False).hits
        numbers = self.searcher.fast_field_values("id", [address for _, address in hits])
        return [(int(number), float(score)) for number, (score, _) in zip(numbers, hits, strict=True)]


def _unreadable(folder: Path, error: Exception) -> StoreError:
    """Return the error for an index that cannot be read."""
    return StoreError("the lexical index cannot be read", where=f"{folder}: {error}", fix="run `index`")


def _linked(folder: Path) -> TemporaryDirectory[str]:
    """Return a folder of links to the files of an index that is read-only: tantivy wants to lock beside them."""
    place = TemporaryDirectory(prefix="onebrain-search-", ignore_cleanup_errors=True)
    for file in folder.glob("[!.]*"):
        try:
            Path(place.name, file.name).symlink_to(file)
        except OSError:  # Windows gives that right to few
            shutil.copyfile(file, Path(place.name, file.name))
    return place
