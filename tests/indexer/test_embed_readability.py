"""What the model can read, asked of its own tokenizer."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from indexer.embed import minilm
from indexer.embed.carrier import located
from indexer.embed.readability import is_identifier, is_mixed, readability


@pytest.fixture(scope="module")
def english() -> Tokenizer:
    """The tokenizer of the packaged model."""
    tokenizer = Tokenizer.from_file(str(located(minilm.WEIGHTS, "model/tokenizer.json")))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def read(tokenizer: Tokenizer, text: str, mixed: bool = False) -> float:
    """The readability of `text` by `tokenizer`."""

    def encode(words: str) -> tuple[list[int], list[tuple[int, int]]]:
        found = tokenizer.encode(words, add_special_tokens=False)
        return found.ids, found.offsets

    return readability(text, encode, tokenizer.token_to_id("[UNK]"), mixed)


@pytest.mark.parametrize(
    "text",
    [
        "what is our retry policy for failed payments",
        "How many points did the Panthers defense surrender?",
        "JWT RS256 kid",
        "getUserName",
        "k8s",
        "kubernetes",
        "HTTP 429",
        "src/indexer/embed.py",
        "nDCG@10",
        "TypeError: unhashable type",
        "meeting with Anna Kowalska",
        "naïve Bayes at the café",
        "🚀 launch plan",
        "3.1.",
        "",
    ],
)
def test_english_and_identifiers_keep_their_full_weight(english: Tokenizer, text: str) -> None:
    """Short names, abbreviations and code are not taken for a foreign language."""
    assert read(english, text) == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "ทำไมเราเลิกใช้ qmd",
        "为什么放弃这个方案",
        "数据库",
        "データベース",
        "데이터베이스 선택",
        "किताब",
        "почему мы отказались",
        "لماذا تركنا هذا الحل",
        "🎉",
    ],
)
def test_scripts_the_model_never_learned_have_no_weight(english: Tokenizer, text: str) -> None:
    """Unknown pieces or one piece a letter: nothing to read."""
    assert read(english, text) == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "¿Cuántos puntos entregó la defensa de los Panthers?",
        "Warum haben wir die alte Datenbank verworfen?",
        "toplantı notları neden değişti",
    ],
)
def test_related_languages_keep_a_part(english: Tokenizer, text: str) -> None:
    """Spanish, German and Turkish share letters and words with English."""
    assert 0.0 < read(english, text) < 1.0


def test_a_vocabulary_for_many_languages_keeps_full_weight(english: Tokenizer) -> None:
    """There only unknown pieces count."""
    assert read(english, "¿Cuántos puntos entregó la defensa?", mixed=True) == 1.0
    assert read(english, "数据库设计", mixed=True) < 1.0


def test_the_packaged_vocabulary_is_one_for_english(english: Tokenizer) -> None:
    """Which the ONNX embedder takes as given."""
    assert not is_mixed(english.get_vocab())


def test_a_vocabulary_of_many_scripts_is_mixed() -> None:
    """A quarter of foreign pieces is enough; byte marks of BPE are no foreign letters."""
    assert is_mixed(["the", "▁of", "ที่", "的"])
    assert not is_mixed(["Ġthe", "Ġof", "▁and", "ing", "é"])


def test_identifiers_are_told_from_words() -> None:
    """Digits, inner capitals and signs make an identifier; punctuation round a word does not."""
    assert all(map(is_identifier, ["k8s", "JWT", "getName", "a_b", "x.py", "--flag2"]))
    assert not any(map(is_identifier, ["retry", "Retry,", "(policy)", "don't", "policy?", "café", "数据"]))


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_readability_is_a_share_for_any_text(text: str) -> None:
    """Between 0 and 1, and never an error."""
    tokenizer = Tokenizer.from_file(str(Path(located(minilm.WEIGHTS, "model/tokenizer.json"))))
    assert 0.0 <= read(tokenizer, text) <= 1.0
