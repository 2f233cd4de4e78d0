"""The vector file and the search over it."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import vectors
from indexer.errors import StoreError
from indexer.vectors import VectorIndex, append, copy_rows, decoded, read, rows_on_disk, unit, zero

WIDTH = 32


def random_rows(count: int, seed: int = 0) -> numpy.ndarray:
    """Return unit rows."""
    rows = numpy.random.default_rng(seed).standard_normal((count, WIDTH)).astype(numpy.float32)
    return unit(rows)[0]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the place of a vector file."""
    return tmp_path / "vectors-1.i8"


def test_rows_come_back_as_they_were_written(file: Path) -> None:
    """In 8 bits, after two appends."""
    rows = random_rows(10)
    append(file, 0, rows[:6])
    append(file, 6, rows[6:])
    assert numpy.allclose(decoded(read(file, WIDTH)), rows, atol=4e-3)


@pytest.mark.parametrize("torn", [1, 63, 64, 65, 300])
def test_a_torn_write_is_written_over(file: Path, torn: int) -> None:
    """What a killed run left behind its last row does not shift the next ones."""
    rows = random_rows(4)
    append(file, 0, rows[:2])
    with file.open("ab") as stream:
        stream.write(b"x" * torn)
    append(file, 2, rows[2:])
    assert numpy.allclose(decoded(read(file, WIDTH)), rows, atol=4e-3)


def test_an_unfinished_last_row_is_left_out(file: Path) -> None:
    """A file that was cut short holds its whole rows."""
    append(file, 0, random_rows(3))
    with file.open("r+b") as stream:
        stream.truncate(2 * WIDTH + 5)
    assert len(read(file, WIDTH)) == rows_on_disk(file, WIDTH) == 2


def test_a_missing_or_empty_file_has_no_rows(file: Path) -> None:
    """Nothing to map is no error."""
    assert (len(read(file, WIDTH)), rows_on_disk(file, WIDTH), rows_on_disk(file, 0)) == (0, 0, 0)
    file.touch()
    assert len(read(file, WIDTH)) == 0


def test_zeroed_rows_are_gone_from_the_file(file: Path) -> None:
    """Neighbours stay, and rows that the file does not have are left."""
    rows = random_rows(4)
    append(file, 0, rows)
    zero(file, WIDTH, [3, 1, 99])
    held = read(file, WIDTH)
    assert not held[1].any() and not held[3].any()
    assert numpy.allclose(decoded(held)[[0, 2]], rows[[0, 2]], atol=4e-3)


def test_rows_are_copied_in_the_order_asked_for(file: Path, tmp_path: Path) -> None:
    """A rewrite keeps the rows that are used."""
    rows = random_rows(5)
    append(file, 0, rows)
    copy_rows(file, tmp_path / "b.i8", WIDTH, [4, 0, 2])
    assert numpy.allclose(decoded(read(tmp_path / "b.i8", WIDTH)), rows[[4, 0, 2]], atol=4e-3)
    copy_rows(file, tmp_path / "b.i8", WIDTH, [])
    assert len(read(tmp_path / "b.i8", WIDTH)) == 0


def test_f67_vectors_of_any_length_are_scaled_to_one() -> None:
    """Cosine is a plain product afterwards; rows without a direction are told."""
    rows = numpy.array(
        [[3, 4], [0, 0], [numpy.nan, 1], [numpy.inf, 1], [1e-30, 0], [1e30, 1e30]], dtype=numpy.float32
    )
    scaled, sound = unit(rows)
    assert sound.tolist() == [True, False, False, False, True, True]
    assert numpy.allclose(numpy.linalg.norm(scaled[sound], axis=1), 1)


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "by sign bits"])
@pytest.mark.parametrize("width", [32, 64, 65, 384])
def test_the_nearest_chunks_are_found_in_order(
    file: Path, monkeypatch: pytest.MonkeyPatch, exact: bool, width: int
) -> None:
    """Both ways to search agree with a sum over all rows, and chunks may share a row."""
    if not exact:
        monkeypatch.setattr(vectors, "EXACT_ROWS", 10)
        monkeypatch.setattr(vectors, "CANDIDATES", 400)
    rows, _ = unit(numpy.random.default_rng(1).standard_normal((500, width)).astype(numpy.float32))
    append(file, 0, rows)
    pairs = [(1000 + n, n) for n in range(500)] + [(5000, 7)]
    index = VectorIndex(file, width, pairs)
    question = unit(rows[7:8] + 0.2 * rows[8:9])[0][0]
    held = decoded(read(file, width))
    wanted = sorted(((float(held[row] @ question), -at, n) for at, (n, row) in enumerate(pairs)), reverse=True)
    found = index.search(question, 10)
    assert {n for n, _ in found[:2]} == {1007, 5000}
    assert [n for n, _ in found[2:]] == [n for _, _, n in wanted[2:10]]
    assert numpy.allclose([cosine for _, cosine in found], [cosine for cosine, _, _ in wanted[:10]], atol=1e-6)
    assert len(index) == 501


@given(st.sets(st.integers(0, 80)), st.integers(1, 100))
def test_a_mask_holds_before_the_best_are_chosen(allowed: set[int], k: int) -> None:
    """As many as asked for, all of them allowed, whatever is nearer outside; ids without a vector are no harm."""
    index = VectorIndex(FILE, WIDTH, [(n, n) for n in range(50)])
    found = index.search(ROWS[0], k, numpy.array(sorted(allowed), dtype=numpy.int64))
    assert len(found) == min(k, len(allowed & set(range(50))))
    assert {n for n, _ in found} <= allowed


@pytest.fixture(autouse=True, scope="module")
def shared_file(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Write the file of the property test once."""
    global FILE, ROWS
    FILE, ROWS = tmp_path_factory.mktemp("shared") / "vectors.i8", random_rows(50)
    append(FILE, 0, ROWS)


def test_the_best_come_also_when_the_allowed_are_few_and_far(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter is not cut by the choice of candidates."""
    monkeypatch.setattr(vectors, "EXACT_ROWS", 10)
    monkeypatch.setattr(vectors, "CANDIDATES", 5)
    rows = random_rows(200)
    append(file, 0, rows)
    index = VectorIndex(file, WIDTH, [(n, n) for n in range(200)])
    far = numpy.argsort(rows @ rows[0])[:3]
    assert {n for n, _ in index.search(rows[0], 10, far.astype(numpy.int64))} == set(far.tolist())


def test_vectors_of_chunks_that_have_one(file: Path) -> None:
    """In the order in which they are asked for; others are left out."""
    rows = random_rows(3)
    append(file, 0, rows)
    index = VectorIndex(file, WIDTH, [(20, 0), (10, 2)])
    found, there = index.rows_of([30, 10, 15, 20, 5])
    assert found == [10, 20]
    assert numpy.allclose(there, rows[[2, 0]], atol=0.01)
    assert index.rows_of([])[0] == []


def test_an_index_without_vectors_finds_nothing(tmp_path: Path) -> None:
    """Before the first vector is made, the dense leg is empty and no error."""
    index = VectorIndex(tmp_path / "none", 0, [])
    assert index.search(random_rows(1)[0], 5) == []
    assert index.rows_of([1])[0] == []


def test_a_file_shorter_than_the_catalog_says_is_an_error(file: Path) -> None:
    """No row of another chunk is taken instead."""
    append(file, 0, random_rows(2))
    with pytest.raises(StoreError, match="shorter"):
        VectorIndex(file, WIDTH, [(1, 0), (2, 5)])
