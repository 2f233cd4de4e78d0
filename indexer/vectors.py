"""The vectors of the index: one file of 8-bit rows, and exact cosine search over them.

A row keeps a direction: its numbers are scaled so that the largest is 127, and a row that is read is scaled back to
length one. That is half the bytes of float16; the cosine with the vector that was written is above .9999, and the
order of 10 hits stayed the same but for ties.

Rows are appended and never changed, except that the row of deleted text is zeroed. Which row belongs to which
chunk stands in the catalog, so a row exists once the catalog says so, and a torn write is simply overwritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from indexer.errors import StoreError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float32]

# Above this many rows a scan over sign bits picks candidates that are then scored exactly: at 100,000 rows
# 1.7 ms instead of 5.6 ms, and no float32 copy of the file in memory.
EXACT_ROWS = 50_000
CANDIDATES = 1000
_BLOCK = 65_536  # rows converted at a time
_IN_A_BYTE = 3  # words of 64 bits whose differing bits are counted in one byte: half the time of a wider sum


def unit(rows: Floats) -> tuple[Floats, NDArray[numpy.bool_]]:
    """Return rows (n, dimension) scaled to length one, and which of them have a direction at all."""
    with numpy.errstate(all="ignore"):
        lengths = numpy.linalg.norm(rows.astype(numpy.float64), axis=1, keepdims=True)
        sound = numpy.isfinite(lengths[:, 0]) & (lengths[:, 0] > 0)
        return (rows / lengths).astype(numpy.float32), sound


def append(path: Path, first: int, rows: Floats) -> None:
    """Write unit rows (n, dimension) from row number `first` on, and see them to the disk."""
    import os

    dimension = rows.shape[1]
    with path.open("r+b" if path.exists() else "w+b") as file:
        file.truncate(first * dimension)
        file.seek(first * dimension)
        file.write(_coded(rows).tobytes())
        file.flush()
        os.fsync(file.fileno())


def zero(path: Path, dimension: int, rows: Iterable[int]) -> None:
    """Overwrite rows of deleted text, so that nothing of it stays in the file."""
    numbers = sorted(rows)
    if numbers and path.exists():
        size = path.stat().st_size
        with path.open("r+b") as file:
            for row in numbers:
                if (row + 1) * dimension <= size:
                    file.seek(row * dimension)
                    file.write(bytes(dimension))


def rows_on_disk(path: Path, dimension: int) -> int:
    """Return how many whole rows a file holds."""
    return path.stat().st_size // dimension if dimension and path.exists() else 0


def copy_rows(source: Path, target: Path, dimension: int, rows: Sequence[int]) -> None:
    """Write some rows of one file as the first rows of another."""
    kept = read(source, dimension)[numpy.asarray(rows, dtype=numpy.int64)].tobytes() if rows else b""
    target.write_bytes(kept)


def read(path: Path, dimension: int) -> NDArray[numpy.int8]:
    """Map the file as (rows, dimension) 8-bit numbers; an unfinished last row is left out."""
    count = rows_on_disk(path, dimension)
    if not count:
        return numpy.zeros((0, dimension), dtype=numpy.int8)
    return numpy.asarray(numpy.memmap(path, dtype=numpy.int8, mode="r", shape=(count, dimension)))


def decoded(rows: NDArray[numpy.int8]) -> Floats:
    """Return the unit vectors that 8-bit rows stand for; a blanked row stays zero."""
    floats = rows.astype(numpy.float32)
    lengths = numpy.sqrt(numpy.vecdot(floats, floats))
    floats /= numpy.maximum(lengths, 1.0)[:, None]
    return floats


def _cosines(rows: NDArray[numpy.int8], query: Floats) -> Floats:
    """Return the cosines of a unit query vector with the vectors that 8-bit rows stand for; 0 for a blanked row."""
    floats = rows.astype(numpy.float32)
    lengths = numpy.sqrt(numpy.vecdot(floats, floats))
    cosines: Floats = numpy.vecdot(floats, query) / numpy.maximum(lengths, 1.0)  # a product would start threads
    return cosines


def _coded(rows: Floats) -> NDArray[numpy.int8]:
    """Return rows as 8-bit numbers, the largest of each 127."""
    largest = numpy.maximum(numpy.abs(rows).max(axis=1, keepdims=True), numpy.finfo(numpy.float32).tiny)
    coded: NDArray[numpy.int8] = numpy.rint(rows / largest * 127).astype(numpy.int8)
    return coded


class VectorIndex:
    """Cosine search over the chunks that have a vector; `rows[i]` is the file row of chunk `ids[i]`."""

    def __init__(self, path: Path, dimension: int, pairs: Iterable[tuple[int, int]]) -> None:
        table = numpy.fromiter((n for pair in pairs for n in pair), dtype=numpy.int64).reshape(-1, 2)
        codes = read(path, dimension)
        if len(table) and table[:, 1].max() >= len(codes):
            raise StoreError("the vector file is shorter than the catalog says", where=str(path), fix="run `index`")
        self.ids, self.rows, self.codes = table[:, 0], table[:, 1], codes
        self.places: NDArray[numpy.int64] | None = None
        self.floats: Floats | None = None
        self.bits: NDArray[numpy.uint64] | None = None
        if len(table) <= EXACT_ROWS:
            self.floats = decoded(codes[self.rows])
        else:
            self.bits = _packed(codes, self.rows)

    def __len__(self) -> int:
        """Return how many chunks have a vector."""
        return len(self.ids)

    def search(self, query: Floats, k: int, allowed: NDArray[numpy.int64] | None = None) -> list[tuple[int, float]]:
        """Return the k best (chunk id, cosine) for a unit query vector, among the allowed chunk ids if given."""
        places = numpy.nonzero(numpy.isin(self.ids, allowed))[0] if allowed is not None else None
        count = len(self.ids) if places is None else len(places)
        if not count:
            return []
        if places is None and self.bits is not None:
            places = self._nearest_bits(query, max(CANDIDATES, k))
        scores = self._cosines(query, places)
        best = _top(scores, min(k, len(scores)))
        chosen = best if places is None else places[best]
        return [(int(n), float(s)) for n, s in zip(self.ids[chosen], scores[best], strict=True)]

    def rows_of(self, ids: Sequence[int]) -> tuple[list[int], Floats]:
        """Return those of some chunks that have a vector, and their vectors (n, dimension) in that order."""
        if self.places is None:  # by id, -1 for one without a vector and at the end for any that is greater
            places = numpy.full(int(self.ids.max(initial=-1)) + 2, -1, dtype=numpy.int64)
            places[self.ids] = numpy.arange(len(self.ids))
            self.places = places
        wanted = numpy.fromiter(ids, dtype=numpy.int64)
        found = self.places[numpy.minimum(wanted, len(self.places) - 1)]
        return wanted[found >= 0].tolist(), self._take(found[found >= 0])

    def _take(self, places: NDArray[numpy.int64]) -> Floats:
        """Return the float32 vectors at some places."""
        if self.floats is not None:
            return self.floats[places]
        return decoded(self.codes[self.rows[places]])

    def _cosines(self, query: Floats, places: NDArray[numpy.int64] | None) -> Floats:
        """Return exact cosines at some places, or at all of them."""
        if places is None and self.floats is not None:
            return self.floats @ query
        places = numpy.arange(len(self.ids)) if places is None else places
        if self.floats is not None:
            chosen: Floats = numpy.vecdot(self.floats[places], query)
            return chosen
        rows = self.rows[places]
        parts = [_cosines(self.codes[rows[at : at + _BLOCK]], query) for at in range(0, len(rows), _BLOCK)]
        return numpy.concatenate(parts)

    def _nearest_bits(self, query: Floats, k: int) -> NDArray[numpy.int64]:
        """Return the places whose sign bits differ least from the query's: k, and any as near as the last."""
        assert self.bits is not None
        wanted = _sign_words(query[None, :])[0]
        distance = numpy.zeros(len(self.ids), dtype=numpy.uint16)
        for first in range(0, len(wanted), _IN_A_BYTE):
            part = numpy.bitwise_count(self.bits[first] ^ wanted[first])
            for column, word in zip(self.bits[first + 1 : first + _IN_A_BYTE], wanted[first + 1 :], strict=False):
                part += numpy.bitwise_count(column ^ word)
            distance += part
        upto = numpy.cumsum(numpy.bincount(distance))
        return numpy.flatnonzero(distance <= numpy.searchsorted(upto, min(k, len(distance))))


def _packed(codes: NDArray[numpy.int8], rows: NDArray[numpy.int64]) -> NDArray[numpy.uint64]:
    """Return the sign bits column-major, (dimension / 64, chunks): each column is scanned in one go."""
    parts = [_sign_words(codes[rows[at : at + _BLOCK]]) for at in range(0, len(rows), _BLOCK)]
    return numpy.ascontiguousarray(numpy.concatenate(parts).T)


def _sign_words(rows: NDArray[numpy.floating] | NDArray[numpy.int8]) -> NDArray[numpy.uint64]:
    """Return the signs of rows (n, dimension) as 64-bit words, the last one padded."""
    bits = numpy.packbits(rows > 0, axis=1)
    padded = numpy.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))
    return padded.view(numpy.uint64)


def _top(scores: Floats, k: int) -> NDArray[numpy.int64]:
    """Return the places of the k best scores, best first; equal scores by place, so the order is fixed."""
    best = numpy.argpartition(-scores, k - 1)[:k] if k < len(scores) else numpy.arange(len(scores))
    return best[numpy.lexsort((best, -scores[best]))]
