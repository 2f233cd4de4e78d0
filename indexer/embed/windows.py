"""Long texts in windows, and windows in batches: so nothing is cut off and little is padded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from indexer.embed import Progress, Vectors

Offsets = Sequence[tuple[int, int]]  # where each token starts and ends in its text
Spans = Callable[[list[str]], Sequence[Offsets]]  # the offsets of each text, special tokens left out
Run = Callable[[list[str]], "Vectors"]  # one pass of the model over one batch

AT_ONCE = 256  # texts whose offsets are held at a time: they take 100 bytes a token
BYTES_A_TOKEN = 3  # a token rarely holds fewer UTF-8 bytes: English 4.7, Chinese and Thai 3 to 4


def embed_in_windows(
    texts: Sequence[str], spans: Spans, room: int, run: Run, budget: int, on_batch: Progress | None
) -> Vectors:
    """Unit vectors (n, d) of `texts` by `run`, in batches of like length and about `budget` padded tokens.

    A text of more than `room` tokens is cut into windows whose unit vectors are averaged. (0, 0) for no text.
    """
    import numpy as np

    pieces, owners, lengths = windows(texts, spans, max(1, room))
    left = np.bincount(np.array(owners, int), minlength=len(texts))
    sums: Any = np.zeros((0, 0), np.float32)
    for batch in batches(lengths, budget):
        found = unit(run([pieces[i] for i in batch]))
        if not sums.size:
            sums = np.zeros((len(texts), found.shape[1]), np.float32)
        rows = np.array([owners[i] for i in batch])
        np.add.at(sums, rows, found)
        np.subtract.at(left, rows, 1)
        if on_batch is not None:
            on_batch(int((left[np.unique(rows)] == 0).sum()))
    return unit(sums)


def windows(texts: Sequence[str], spans: Spans, room: int) -> tuple[list[str], list[int], list[int]]:
    """All pieces that fit into `room` tokens, the number of the text each is from, and its tokens.

    A piece is tokenized again before it counts as fitting: a word cut in two can have more tokens than whole.
    """
    pieces: list[str] = []
    owners: list[int] = []
    lengths: list[int] = []
    pending = list(enumerate(map(encodable, texts)))
    while pending:
        now, pending = pending[:AT_ONCE], pending[AT_ONCE:]
        for (owner, text), offsets in zip(now, spans([text for _, text in now]), strict=True):
            if len(offsets) <= room or len(text) < 2:
                pieces.append(text)
                owners.append(owner)
                lengths.append(len(offsets))
            else:
                pending += [(owner, part) for part in cut(text, offsets, room)]
    return pieces, owners, lengths


def cut(text: str, offsets: Offsets, room: int) -> list[str]:
    """`text` in two or more parts of about even size, between words where a space is near."""
    count = -(-len(offsets) // room)
    bounds = [0]
    for part in range(1, count):
        token = len(offsets) * part // count
        at = max(offsets[token][0], bounds[-1] + 1)
        space = text.rfind(" ", at - 1 - (at - bounds[-1]) // 4, at)
        bounds.append(space + 1 if space >= bounds[-1] else at)
    bounds.append(len(text))
    parts = [text[start:end] for start, end in pairwise(bounds) if start < end]
    return parts if len(parts) > 1 else [text[: len(text) // 2], text[len(text) // 2 :]]


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Numbers of all texts, longest first, in batches whose padded size stays within `budget` tokens."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    start = 0
    while start < len(order):
        size = max(1, budget // max(lengths[order[start]], 1))
        yield order[start : start + size]
        start += size


def unit(vectors: Any) -> Vectors:
    """The rows at length 1 as float32; a zero row stays zero."""
    import numpy as np

    rows = np.asarray(vectors, np.float32)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Vectors = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    return scaled


def encodable(text: str) -> str:
    """`text` with lone surrogates (file names, broken arguments) as `?`: tokenizers and JSON refuse them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def estimated_offsets(text: str) -> list[tuple[int, int]]:
    """Stand-ins where no tokenizer can be asked: runs of characters of BYTES_A_TOKEN bytes or a little more."""
    found: list[tuple[int, int]] = []
    start = size = 0
    for end, character in enumerate(text, 1):
        size += 1 if character < "\x80" else len(character.encode("utf-8", "replace"))
        if size >= BYTES_A_TOKEN:
            found.append((start, end))
            start, size = end, 0
    if size:
        found.append((start, len(text)))
    return found
