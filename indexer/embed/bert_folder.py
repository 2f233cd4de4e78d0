"""A packed multilingual-e5-small -> a plain folder that sentence-transformers loads, and numpy maps.

Every byte of it is determined by the packed file, so that each large file has one right sum.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.embed import unigram
from indexer.embed.e5_file import E5File

if TYPE_CHECKING:
    from numpy.typing import NDArray

Done = Callable[[int, int], None]  # (tensors written, of all)

WEIGHTS, WORDS, TABLES = "model.safetensors", "tokenizer.json", "pieces.safetensors"
WINDOW = 512
LAYER = {  # names in the packed file and in a BERT
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
    "ao": "attention.output.dense", "aln": "attention.output.LayerNorm", "fi": "intermediate.dense",
    "fo": "output.dense", "oln": "output.LayerNorm",
}  # fmt: skip
KINDS = {"float32": "F32", "float16": "F16", "int32": "I32", "uint64": "U64"}


def write(packed: E5File, folder: Path, done: Done) -> None:
    """Write all files of the folder, which must exist."""
    tensors = dict(_tensors(packed))
    save(folder / WEIGHTS, tensors, done)
    tables = unigram.tables(packed.pieces, packed.scores)
    save(folder / TABLES, {name: partial(tables.__getitem__, name) for name in tables})
    (folder / WORDS).write_text(json.dumps(_tokenizer(packed), ensure_ascii=False), "utf-8")
    for name, content in settings().items():
        target = folder / name
        target.parent.mkdir(exist_ok=True)
        target.write_text(content, "utf-8")


def settings() -> dict[str, str]:
    """The small files of the folder, by name."""
    special = {"bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "sep_token": "</s>"}
    special |= {"pad_token": "<pad>", "unk_token": "<unk>"}
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    found: dict[str, Any] = {
        "config.json": {
            "architectures": ["BertModel"], "model_type": "bert", "hidden_size": 384, "num_hidden_layers": 12,
            "num_attention_heads": 12, "intermediate_size": 1536, "vocab_size": 250037, "type_vocab_size": 2,
            "max_position_embeddings": WINDOW, "hidden_act": "gelu", "layer_norm_eps": 1e-12, "pad_token_id": 1,
            "dtype": "float32",
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": WINDOW,
            "model_input_names": ["input_ids", "attention_mask"], **special,
        },
        "sentence_bert_config.json": {"max_seq_length": WINDOW, "do_lower_case": False},
        "config_sentence_transformers.json": {
            "prompts": {"query": "query: ", "document": "passage: "}, "similarity_fn_name": "cosine",
        },
        "1_Pooling/config.json": {"word_embedding_dimension": 384, "pooling_mode_mean_tokens": True},
        "modules.json": [
            {"idx": n, "name": str(n), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for n, (path, kind) in enumerate(modules)
        ],
    }  # fmt: skip
    return {name: json.dumps(content) for name, content in found.items()}


def save(
    path: Path, tensors: Mapping[str, Callable[[], NDArray[Any]]], done: Done = lambda made, total: None
) -> None:
    """Write a safetensors file, one tensor in memory at a time: sizes are known once each has been made."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    parts = path.with_suffix(".parts")
    at = 0
    with parts.open("wb") as body:
        for count, (name, make) in enumerate(tensors.items()):
            done(count, len(tensors))
            tensor = make()
            kind, end = KINDS[tensor.dtype.name], at + tensor.nbytes
            header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [at, end]}
            body.write(tensor.tobytes())
            at = end
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with path.open("wb") as whole, parts.open("rb") as body:
        whole.write(len(head).to_bytes(8, "little") + head)
        while block := body.read(1 << 22):
            whole.write(block)
    parts.unlink()


def _tensors(packed: E5File) -> Iterator[tuple[str, Callable[[], NDArray[Any]]]]:
    """The tensors of a BERT by name, made when called.

    Words are kept in float16, since few of their rows are read at once; scale times half needs no more than that
    but for the last two bits.
    """
    wide, inner = packed.sizes.hidden, packed.sizes.inner

    def plain(name: str, *shape: int) -> Callable[[], NDArray[Any]]:
        """The tensor called so, in its shape."""
        return lambda: packed.tensor(name).reshape(shape)

    words = plain("emb.word", packed.sizes.vocabulary, wide)
    yield "embeddings.word_embeddings.weight", lambda: words().astype("float16")
    yield "embeddings.position_embeddings.weight", plain("emb.pos", packed.sizes.positions, wide)
    yield "embeddings.token_type_embeddings.weight", plain("emb.type", packed.sizes.types, wide)
    yield "embeddings.LayerNorm.weight", plain("emb.ln.w", wide)
    yield "embeddings.LayerNorm.bias", plain("emb.ln.b", wide)
    for layer in range(packed.sizes.layers):
        for short, name in LAYER.items():
            rows = inner if short == "fi" else wide
            shape = (rows,) if short.endswith("ln") else (rows, inner if short == "fo" else wide)
            yield f"encoder.layer.{layer}.{name}.weight", plain(f"l{layer}.{short}.w", *shape)
            yield f"encoder.layer.{layer}.{name}.bias", plain(f"l{layer}.{short}.b", rows)


def _tokenizer(packed: E5File) -> dict[str, Any]:
    """The vocabulary as the JSON of `tokenizers`, with the same rules as `unigram`."""
    space = unigram.SPACE
    ends = [{"SpecialToken": {"id": name, "type_id": 0}} for name in ("<s>", "</s>")]
    text = [{"Sequence": {"id": "A", "type_id": 0}}]
    special = {name: {"id": name, "ids": [number], "tokens": [name]} for number, name in ((0, "<s>"), (2, "</s>"))}
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": n, "content": packed.pieces[n], **plain} for n in range(4)],
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Replace", "pattern": {"Regex": f"[{unigram.DROPPED}]"}, "content": ""},
            {"type": "Replace", "pattern": {"Regex": f"[{unigram.SPACES}]"}, "content": " "},
            {"type": "NFKC"},
        ]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"},
            {"type": "Metaspace", "replacement": space, "prepend_scheme": "always", "split": True},
        ]},
        "post_processor": {
            "type": "TemplateProcessing", "single": [ends[0], *text, ends[1]],
            "pair": [ends[0], *text, ends[1], {"Sequence": {"id": "B", "type_id": 0}}, ends[1]],
            "special_tokens": special,
        },
        "decoder": {"type": "Metaspace", "replacement": space, "prepend_scheme": "always", "split": True},
        "model": {
            "type": "Unigram", "unk_id": unigram.UNKNOWN, "byte_fallback": False,
            "vocab": [[piece, float(score)] for piece, score in zip(packed.pieces, packed.scores, strict=True)],
        },
    }  # fmt: skip
