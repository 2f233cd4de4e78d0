"""Models of the user's own choice: built here in small, loaded by path, with their prompts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from indexer.embed import Embedder, open_cross_encoder, open_document_embedder, open_query_embedder
from indexer.embed.loading import hardware
from indexer.errors import EmbedError, ModelMissing

WORDS = "why did we drop the old search engine because it was slow query passage : tomato sun water".split()


def tiny_folder(folder: Path, *, labels: int = 0, width: int = 32) -> Path:
    """A random BERT of two layers with a WordPiece vocabulary; a classifier if it has labels."""
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertForSequenceClassification, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(7)
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    pieces = dict.fromkeys([*special.values(), *WORDS, *letters, *(f"##{x}" for x in letters)])
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = BertWordPieceTokenizer(vocabulary)._tokenizer
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=48, **special).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=width,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=48,
        num_labels=labels or 2,
    )
    model = BertForSequenceClassification(config) if labels else BertModel(config)
    model.save_pretrained(folder)
    return folder


def sentence_model(
    folder: Path, prompts: dict[str, str] | None = None, width: int = 32, pooling: str = "mean_tokens"
) -> Path:
    """A sentence-transformers folder: the tiny BERT, its pooling, no normalising, a window of 32."""
    tiny_folder(folder, width=width)
    (folder / "1_Pooling").mkdir()
    modes = {"pooling_mode_mean_tokens": False, f"pooling_mode_{pooling}": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": width, **modes}))
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 32}))
    settings = {"prompts": prompts} if prompts else {}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One folder of each sort."""
    at = tmp_path_factory.mktemp("models")
    return {
        "plain": sentence_model(at / "tiny-plain"),
        "prompted": sentence_model(at / "tiny-prompted", {"query": "query: ", "document": "passage: "}),
        "e5": sentence_model(at / "tiny-e5-small"),
        "wide": sentence_model(at / "tiny-wide", width=48),
        "first": sentence_model(at / "first" / "tiny-plain", pooling="cls_token"),
        "ranker": tiny_folder(at / "tiny-ranker", labels=1),
        "classes": tiny_folder(at / "tiny-classes", labels=2),
    }


@pytest.fixture(scope="module")
def plain(folders: dict[str, Path]) -> Embedder:
    """The model without prompts."""
    return open_document_embedder(str(folders["plain"]))


def test_a_local_folder_is_a_model(plain: Embedder) -> None:
    """Its dimension and window are its own, its vectors are unit length though it does not normalise (F67)."""
    found = plain.embed_documents(["why did we drop the old engine", "tomato"])
    assert (plain.dimension, plain.window, found.shape) == (32, 32, (2, 32))
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


def test_the_order_of_texts_is_kept(plain: Embedder) -> None:
    """Whatever their lengths."""
    texts = ["tomato", "why did we drop the old search engine", "sun", "water was slow"]
    together = plain.embed_documents(texts)
    apart = np.vstack([plain.embed_documents([text]) for text in texts])
    assert (together * apart).sum(axis=1).min() > 0.999


def test_f40_windows_of_a_long_text_are_averaged(plain: Embedder) -> None:
    """A text of two windows of the same words is the same as one of them."""
    half = "why did we drop the old search engine because it was slow " * 2
    found = plain.embed_documents([half, half * 2])
    assert float(found[0] @ found[1]) > 0.99


def test_prompts_are_the_ones_the_model_asks_for(folders: dict[str, Path]) -> None:
    """A question and a passage of the same words differ as the configuration says."""
    plain = open_query_embedder(str(folders["plain"]))
    prompted = open_query_embedder(str(folders["prompted"]))
    assert (prompted.embed_queries(["sun"]) @ plain.embed_queries(["query: sun"]).T).item() > 0.999
    assert (prompted.embed_documents(["sun"]) @ plain.embed_documents(["passage: sun"]).T).item() > 0.999
    assert (prompted.embed_queries(["sun"]) @ prompted.embed_documents(["sun"]).T).item() < 0.999


def test_a_model_named_e5_gets_its_prefixes(folders: dict[str, Path]) -> None:
    """Its configuration is silent, its paper is not."""
    plain, e5 = (open_query_embedder(str(folders[name])) for name in ("plain", "e5"))
    assert (e5.embed_queries(["sun"]) @ plain.embed_queries(["query: sun"]).T).item() > 0.999


def test_the_fingerprint_tells_models_apart(folders: dict[str, Path]) -> None:
    """By weights, width, prompts and pooling; loading twice gives the same."""
    names = ("plain", "prompted", "wide", "first")
    first, second = ([open_query_embedder(str(folders[n])).fingerprint for n in names] for _ in range(2))
    assert first == second
    assert len(set(first)) == 4


def test_a_changed_weight_changes_the_fingerprint(tmp_path: Path) -> None:
    """A folder that was retrained under its old name is another model."""
    from safetensors.torch import load_file, save_file

    folder = sentence_model(tmp_path / "tiny")
    before = open_document_embedder(str(folder)).fingerprint
    weights = {name: tensor + 0.01 for name, tensor in load_file(folder / "model.safetensors").items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    assert open_document_embedder(str(folder)).fingerprint != before


def test_f68_a_missing_model_is_told_in_one_line_without_network() -> None:
    """The name, the way to get it, and no call while offline."""
    code = (
        "import sys\n"
        "def forbid(event, args):\n"
        "    if event in ('socket.connect', 'socket.getaddrinfo'): raise SystemExit(event)\n"
        "sys.addaudithook(forbid)\n"
        "from indexer.embed import open_document_embedder\n"
        "from indexer.errors import ModelMissing\n"
        "try: open_document_embedder('nobody/no-such-model', offline=True)\n"
        "except ModelMissing as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
    assert "hf download nobody/no-such-model" in done.stdout


def test_a_folder_that_holds_no_model_is_an_error(tmp_path: Path) -> None:
    """It says which folder."""
    (tmp_path / "notes.md").write_text("# Not a model")
    with pytest.raises(EmbedError, match="cannot be loaded") as caught:
        open_document_embedder(str(tmp_path))
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_device_and_precision_fit_this_machine() -> None:
    """Half precision only where the hardware multiplies it."""
    import torch

    device, dtype = hardware()
    if device == "cpu":
        fast = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
        assert dtype == (torch.bfloat16 if fast else torch.float32)
    else:
        assert dtype == torch.float16


def test_a_cross_encoder_scores_each_passage(folders: dict[str, Path]) -> None:
    """One float32 a passage, in order, whatever the batch."""
    ranker = open_cross_encoder(str(folders["ranker"]))
    passages = ["because it was slow", "tomato sun water", "the old engine"]
    scores = ranker.score("why did we drop it", passages)
    assert (scores.shape, scores.dtype) == ((3,), np.float32)
    alone = np.array([ranker.score("why did we drop it", [passage])[0] for passage in passages])
    assert np.allclose(scores, alone, atol=0.02)


def test_a_cross_encoder_with_classes_gives_one_score_too(folders: dict[str, Path]) -> None:
    """The last class."""
    assert open_cross_encoder(str(folders["classes"])).score("why", ["sun", "water"]).shape == (2,)


def test_no_passages_have_no_scores(folders: dict[str, Path]) -> None:
    """And the model isn't run."""
    assert open_cross_encoder(str(folders["ranker"])).score("why", []).shape == (0,)


def test_a_missing_cross_encoder_is_told_in_one_line() -> None:
    """With the way to get it."""
    with pytest.raises(ModelMissing, match="hf download nobody/no-such-ranker"):
        open_cross_encoder("nobody/no-such-ranker", offline=True)
