"""The tantivy side of the index: BM25 over chunks, phrases, and every filter.

One tantivy document is one chunk. Text goes in as the tokens of `indexer.tokens` joined by spaces, so that the
index and the question are cut by the same code. Filters are terms of one raw field, so they cost a posting list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from indexer import tokens
from indexer.errors import StoreError
from indexer.types import Chunk, Condition, Document

if TYPE_CHECKING:
    from numpy.typing import NDArray

LAYOUT = "1"  # part of the index fingerprint
HEAP = 128_000_000  # bytes of postings held before they are written out

# Share of each field in a term's score; measured by benchmarks/quality.py on the dev collections.
WEIGHTS: Mapping[str, float] = {"body": 0.35, "stem": 0.65, "title": 0.4, "heading": 0.25, "path": 0.25}
_TEXT_FIELDS = (("body", "position"), ("stem", "freq"), ("title", "freq"), ("heading", "freq"), ("path", "freq"))
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_EARLIEST, _LATEST = 0, 99_999_999


def make_schema() -> Any:
    """Return the tantivy schema."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", indexed=True, fast=True)
    builder.add_unsigned_field("document", indexed=True)
    builder.add_unsigned_field("day", indexed=True, fast=True)
    for name, option in _TEXT_FIELDS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option=option)
    builder.add_text_field("filters", tokenizer_name="raw", index_option="basic")
    return builder.build()


def open_index(folder: Path, *, create: bool = False) -> Any:
    """Open the index of a folder, or make an empty one there.

    Raises StoreError when it is not a readable index of this layout.
    """
    import tantivy

    try:
        if create:
            folder.mkdir(parents=True, exist_ok=True)
            index = tantivy.Index(make_schema(), path=str(folder), reuse=False)
        else:
            index = tantivy.Index.open(str(folder))
    except (ValueError, OSError) as error:
        raise StoreError("the lexical index cannot be opened", where=str(error), fix="run `index`") from error
    return index


class Writer:
    """Adds and removes chunks; nothing is visible before `commit`."""

    def __init__(self, index: Any, *, threads: int = 0) -> None:
        self.index = index
        self.writer = index.writer(HEAP, threads)

    def add(self, document: Document, number: int, chunks: Iterable[Chunk]) -> None:
        """Add the chunks of a document whose catalog id is `number`."""
        from tantivy import Document as Row

        shared = _terms(document)
        title = _stemmed(" ".join([document.title, *document.aliases]))
        path = _stemmed(document.path.replace("/", " "))
        day = day_number(document.date)
        for piece in chunks:
            row = Row()
            body, stem = tokens.analyse(piece.text)
            row.add_unsigned("id", piece.id)
            row.add_unsigned("document", number)
            row.add_unsigned("day", day)
            row.add_text("body", body)
            row.add_text("stem", stem)
            row.add_text("title", title)
            row.add_text("heading", _stemmed(" ".join([*piece.heading, piece.symbol])))
            row.add_text("path", path)
            for term in shared:
                row.add_text("filters", term)
            self.writer.add_document(row)

    def remove(self, documents: Iterable[int]) -> None:
        """Remove every chunk of some documents."""
        for number in documents:
            self.writer.delete_documents_by_term("document", number)

    def commit(self, generation: int) -> None:
        """Write everything, marked with the generation of the catalog it belongs to."""
        from tantivy import Document as Row

        mark = Row()
        mark.add_unsigned("id", 0)
        mark.add_unsigned("day", 0)
        mark.add_text("filters", f"generation:{generation}")
        for old in range(max(0, generation - 3), generation):
            self.writer.delete_documents_by_term("filters", f"generation:{old}")
        self.writer.add_document(mark)
        self.writer.commit()

    def close(self, *, merge: bool = False) -> None:
        """Give the writer's lock back; with `merge` wait for segment merges first."""
        if merge:
            self.writer.wait_merging_threads()
        self.writer = None


class Reader:
    """A fixed view of the index. All queries are built from terms, never parsed, so no text can break them."""

    def __init__(self, index: Any) -> None:
        index.config_reader("manual")
        index.reload()
        self.schema = index.schema
        self.searcher = index.searcher()

    def at_generation(self, generation: int) -> bool:
        """Whether this view belongs to a generation of the catalog."""
        query = self._term("filters", f"generation:{generation}")
        return bool(self.searcher.search(query, 1).hits)

    def frequency(self, token: str, field: str = "body") -> int:
        """Return in how many chunks a token (or in field `stem` a stem) stands, deleted ones still counted."""
        return int(self.searcher.doc_freq(field, token))

    def chunk_count(self) -> int:
        """Return the number of live chunks."""
        return max(0, int(self.searcher.num_docs) - 1)

    def completions(self, prefix: str, limit: int = 32) -> list[str]:
        """Return the most frequent tokens that start with a prefix."""
        found = self.searcher.terms_with_prefix("body", prefix, limit=2000)
        return [term for term, _ in sorted(found, key=lambda pair: -pair[1])[:limit]]

    def similar(self, token: str, distance: int) -> list[str]:
        """Return tokens within an edit distance (transposition counts one) that share the first letter."""
        from rapidfuzz.distance import OSA

        found = self.searcher.terms_with_prefix("body", token[0], limit=200_000)
        near = [(OSA.distance(token, term, score_cutoff=distance), -count, term) for term, count in found]
        return [term for gap, _, term in sorted(near) if gap <= distance][:3]

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
        clauses = [(tantivy.Occur.Should, query) for query in should]
        if required:
            inner = tantivy.Query.boolean_query(clauses) if clauses else tantivy.Query.all_query()
            held = [(tantivy.Occur.Must, tantivy.Query.const_score_query(query, 0.0)) for query in required]
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, inner), *held])
        else:
            query = tantivy.Query.boolean_query(clauses)
        return self._hits(query, k)

    def ids(self, required: Sequence[Any]) -> NDArray[Any]:
        """Return the ids of every chunk that meets all conditions, as an int64 array in no order."""
        import numpy
        import tantivy

        query = tantivy.Query.boolean_query([(tantivy.Occur.Must, each) for each in required])
        count = int(self.searcher.num_docs)
        hits = self.searcher.search(tantivy.Query.const_score_query(query, 1.0), max(1, count), count=False).hits
        values = self.searcher.fast_field_values("id", [address for _, address in hits])
        found = numpy.asarray(values, dtype=numpy.int64)
        return found[found > 0]

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
            return self._term("body", words[0])
        return tantivy.Query.phrase_query(self.schema, "body", list(words))

    def anywhere(self, token: str) -> Any:
        """Return the query of chunks that hold a token in their text, title or heading."""
        import tantivy

        stem = tokens.stem(token)
        fields = [("body", token), ("title", stem), ("heading", stem)]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, self._term(f, t)) for f, t in fields])

    def _condition(self, wanted: Condition) -> Any:
        """Return the query of a filter as if it were not negated."""
        import tantivy

        if wanted.field == "date":
            low = day_number(wanted.value) if wanted.value else 1
            high = day_number(wanted.upper) if wanted.upper else _LATEST
            return tantivy.Query.range_query(self.schema, "day", tantivy.FieldType.Unsigned, low, high)
        if wanted.field in ("title", "heading"):
            words = [self._term(wanted.field, tokens.stem(t)) for t in tokens.words(wanted.value)]
            return tantivy.Query.boolean_query([(tantivy.Occur.Must, query) for query in words])
        value = _plain(wanted.value).strip("/")
        return self._term("filters", value if wanted.field == "=" else f"{wanted.field}:{value}")

    def _scored(self, token: str, weight: float) -> Any:
        """Return the query of one word over all text fields, its exact form counted beside its stem."""
        import tantivy

        stem = tokens.stem(token)
        parts = [
            (tantivy.Occur.Should, tantivy.Query.boost_query(self._term(field, form), WEIGHTS[field] * weight))
            for field, form in (("body", token), ("stem", stem), ("title", stem), ("heading", stem), ("path", stem))
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
        return [(int(number), float(score)) for number, (score, _) in zip(numbers, hits, strict=True) if number]


def day_number(iso: str | None) -> int:
    """Return a day as yyyymmdd, 0 where there is no date."""
    match = _ISO.match(iso or "")
    return int("".join(match.groups())) if match else _EARLIEST


def _terms(document: Document) -> list[str]:
    """Return the filter terms of a document."""
    path = PurePosixPath(_plain(document.path))
    found = [f"root:{_plain(document.root)}", f"kind:{document.kind}", f"ext:{path.suffix.lstrip('.')}"]
    found += [f"path:{part}" for part in path.parts] + [f"path:{path.stem}", f"path:{path}"]
    found += [f"path:{folder}" for folder in path.parents if str(folder) != "."]
    for tag in document.tags:
        parts = _plain(tag).split("/")
        found += [f"tag:{'/'.join(parts[: n + 1])}" for n in range(len(parts))]
    for key, value in document.meta.items():
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(each, (str, int, float, bool)):
                text = _plain(str(each))[:200]
                found.append(f"{_plain(str(key))}={text}")
                if str(key).casefold() in ("type", "lang", "language"):
                    found.append(f"{'type' if str(key).casefold() == 'type' else 'lang'}:{text}")
    return list(dict.fromkeys(found))


def _plain(text: str) -> str:
    """Return text as filters compare it: composed and without case."""
    return normalize("NFC", text).casefold()


def _stemmed(text: str) -> str:
    """Return a short text as the stems of its tokens, for fields where the exact form does not matter."""
    return " ".join(map(tokens.stem, tokens.analyse(text)[0].split()))
