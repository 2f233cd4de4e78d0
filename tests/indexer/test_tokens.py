"""The tokenizer: what a word is in every script, and that its three views of a text agree."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.scripts import BIGRAM_CLASS, DIGIT_FOLDS, GLUE, HANGUL_CLASS, INVISIBLE, MARKS, UNSPACED_CLASS
from indexer.tokens import MAX_TOKEN, analyse, cut, fold, ideographs, is_cut, is_unspaced, spans, starts, stem, words

PIECES = st.sampled_from(
    "retry C# c++ v2.8.3 3.1. getUserName HTTPServer snake_case __init__ café CAFÉ naïve Straße İstanbul don't "
    "deep-sea バカ ハカ ﾊﾞｶ パーカー カ\u3099 更精确的结果 数据库 葛\U000e0100飾区 데이터베이스 한국 ความรู้ น้ำ แก้ปัญหา "
    "ရန်ကုန် ភាសាខ្មែរ किताब й и Ελλάδα ώρα عربي قُرْآن שָׁלוֹם 🎉🎉 target👍 ok🎉 1️⃣ \u200b \u200d \u00ad \u0301 ² ½ ㈠ ㉑ "
    "㍿ x_y k8s ① ﷺ ^_^ a.b.c 10.0.0.1 привет_мир नमस्ते_दुनिया a_é ＡＢＣ １２３ ﬁle ǅ ß \u0e33 ーー 々 ㄱ ᄒ ᅡ ᆫ"
    " 김\u200d치 ﷺ9.5 1⁄4 ª_ª ŉ".split(" ")
)
GAPS = st.sampled_from(["", " ", "\n", "\t", "-", ".", ",", "。", "_", "’", "\u00a0", "\u3000", "\x0c", "\u2028"])
TEXTS = st.one_of(st.text(), st.lists(st.tuples(PIECES, GAPS)).map(lambda parts: "".join(a + b for a, b in parts)))


@given(TEXTS)
def test_words_are_among_the_tokens_of_the_index(text: str) -> None:
    """What a question is cut into is what the index was given for the same text."""
    assert set(words(text)) <= set(analyse(text)[0].split())


@given(TEXTS)
def test_spans_yield_the_tokens_of_the_index(text: str) -> None:
    """Marks in a passage are told by the same tokens."""
    assert {token for _, _, token in spans(text)} == set(analyse(text)[0].split())


@given(TEXTS)
def test_a_span_is_where_its_token_stands(text: str) -> None:
    """`text[start:end]` alone yields the token."""
    for start, end, token in spans(text):
        assert 0 <= start < end <= len(text)
        assert token in analyse(text[start:end])[0].split(), (text[start:end], token)


@given(TEXTS)
def test_a_token_asked_for_is_itself(text: str) -> None:
    """Typing a token that the index holds asks for that token, so it can be found."""
    for token in words(text):
        assert token in words(token) or len(token) > MAX_TOKEN


@given(TEXTS)
def test_words_keep_the_reading_order_of_the_index(text: str) -> None:
    """A phrase of the text is a run of neighbours in the index: the question's words start the body."""
    assert analyse(text)[0].split()[: len(words(text))] == words(text)


@given(TEXTS, TEXTS)
def test_a_word_is_cut_alike_whatever_stands_beside_it(before: str, after: str) -> None:
    """Text in other scripts around a word changes nothing about it."""
    assert "retryable" in words(f"{before} retryable {after}")


@given(TEXTS)
def test_the_index_holds_the_stem_of_each_word_that_has_one(text: str) -> None:
    """A question asks for `stem(word)`: it is in the field of stems, or the word has none and stands in the text."""
    stems = analyse(text)[1]
    for word in words(text):
        assert stem(word) in stems.split() or stem(word) == word


@given(TEXTS)
def test_bigrams_have_no_stem(text: str) -> None:
    """They cost no room in that field: of scripts without spaces only single ideographs stand there."""
    unspaced = filter(is_unspaced, analyse(text)[1].split())
    assert all(ideographs(token) == [token] for token in unspaced)


@given(TEXTS)
def test_the_index_holds_each_ideograph_of_a_word(text: str) -> None:
    """A question asks for them beside its bigrams."""
    stems = analyse(text)[1].split()
    assert all(sign in stems for word in words(text) if is_unspaced(word) for sign in ideographs(word))


@given(TEXTS, st.integers(0, 200))
def test_a_text_may_be_cut_where_a_run_starts(text: str, at: int) -> None:
    """No token is lost when a text is cut at one of `starts`."""
    places = starts(text)
    if places:
        cut = places[at % len(places)]
        halves = {*analyse(text[:cut])[0].split(), *analyse(text[cut:])[0].split()}
        assert set(words(text)) <= halves


@pytest.mark.parametrize(
    "text", ["\u0301" * 200_000, "a\u0301" * 50_000, "カ" + "\u3099" * 100_000, "_" * 300_000, "1." * 90_000]
)
def test_a_text_made_to_be_slow_is_not(text: str) -> None:
    """Marks, glue and dots without end are read in one pass (this hangs when they are not)."""
    analyse(text)
    list(spans(text))


def test_f1_voicing_marks_of_kana_stay_and_latin_accents_go() -> None:
    """`ハカ` is another word than `バカ` and `パーカー`, in every way to write it; `cafe` is `café`."""
    assert not set(words("ハカ")) & {*words("バカ"), *words("パーカー")}
    assert words("バカ") == words("ﾊﾞｶ") == words("ハ\u3099カ")
    assert words("cafe") == words("café") == words("cafe\u0301") == words("CAFÉ")


def test_f2_a_chinese_word_inside_a_sentence_is_found() -> None:
    """`精确` is a token of the sentence around it."""
    assert words("精确") == ["精确"]
    assert "精确" in analyse("我们得到更精确的结果。")[0].split()


def test_f3_a_hyphen_parts_two_words() -> None:
    """`deep-sea` is two neighbours, so a phrase finds them in this order."""
    assert words("deep-sea") == ["deep", "sea"]


def test_f4_a_dotted_number_is_kept_whole() -> None:
    """`3.1.` asks for `3.1` first."""
    assert words("3.1.")[0] == "3.1"
    assert words("v2.8.3") == ["v2.8.3", "2.8.3", "v2", "8", "3"]


def test_f15_marks_of_devanagari_and_thai_stay_in_the_word() -> None:
    """`किताब` is one word, and no mark is cut off."""
    assert words("किताब") == ["किताब"]
    assert words("นี่") != words("นี")
    assert "".join(token[0] for token in words("ความรู้")) + words("ความรู้")[-1][1] == "ความรู้"


def test_f16_a_question_of_chinese_alone_has_words() -> None:
    """`数据库` is two bigrams."""
    assert words("数据库") == ["数据", "据库"]


def test_f19_words_that_share_a_stem_share_no_token() -> None:
    """The exact form is a token of its own, so it can rank first."""
    assert stem("organize") == stem("organized") == stem("organizing")
    assert not set(words("organize")) & {*words("organized"), *words("organizing")}
    assert not set(words("universe")) & set(words("university"))


def test_f20_diacritics_of_other_scripts_are_kept() -> None:
    """`й` and `и` are two letters, composed or not."""
    assert words("й") != words("и")
    assert words("й") == words("и\u0306")


@pytest.mark.parametrize("text", ["🎉🎉 target", "🎉🎉target", "\r\n👩‍👩‍👧 target"])
def test_f21_a_span_counts_code_points(text: str) -> None:
    """Emoji and line ends before a word do not shift its mark, in Python and in UTF-16."""
    start, end, token = next(iter(spans(text)))
    assert (text[start:end], token) == ("target", "target")
    units = text.encode("utf-16-le")
    shift = len(text[:start].encode("utf-16-le"))
    assert units[shift : shift + 12].decode("utf-16-le") == "target"


@pytest.mark.parametrize(("text", "shown"), [("น้ำแข็ง", ["น้ํา", "แข็ง"]), ("葛\U000e0100飾区", []), ("ﾊﾞｶ", [])])
def test_a_bigram_is_marked_where_it_stands_though_normalising_changed_its_run(text: str, shown: list[str]) -> None:
    """No mark covers a whole sentence because one of its letters has two forms."""
    assert all(end - start <= 5 for start, end, _ in spans(text))


def test_ideographic_variants_are_read_as_the_plain_character() -> None:
    """A selector inside a word is no border."""
    assert words("葛\U000e0100飾区") == words("葛飾区")


def test_zero_width_spaces_do_not_part_words_of_scripts_without_spaces() -> None:
    """Khmer and Thai texts carry them between words; who searches does not type them."""
    assert words("ភាសា\u200bខ្មែរ") == words("ភាសាខ្មែរ")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("HTTPServer2", ["httpserver2", "http", "server2"]),
        ("parse_file_name", ["parse_file_name", "parse", "file", "name"]),
        ("__init__", ["init"]),
        ("readFile_v2", ["readfile_v2", "readfile", "read", "file", "v2"]),
        ("café_au_lait", ["cafe_au_lait", "cafe", "au", "lait"]),
        ("नमस्ते_दुनिया", ["नमस्ते_दुनिया", "नमस्ते", "दुनिया"]),
        ("k8s", ["k8s"]),
        ("snake_2.5", ["snake_2.5", "2.5", "snake", "2", "5"]),
    ],
)
def test_identifiers_are_split_and_kept_whole(text: str, tokens: list[str]) -> None:
    """The whole comes first, then its parts."""
    assert words(text) == tokens


def test_a_long_name_in_snake_case_is_read_name_by_name() -> None:
    """Only what nobody would type is left out: hashes and encoded data."""
    assert words("test_the_" + "word_" * 20 + "end") == ["test", "the", "word", "end"]
    assert words("a" * 65) == []


@pytest.mark.parametrize("name", ["C#", "C++", "F#"])
def test_names_of_languages_keep_their_signs(name: str) -> None:
    """`C#` is not `C`."""
    assert words(f"in {name}, not") == ["in", name.lower(), "not"]


@pytest.mark.parametrize("text", ["target👍", "🎉target", "target❤️", "❤️target"])
def test_a_word_glued_to_an_emoji_is_found(text: str) -> None:
    """Emoji part words."""
    assert words(text) == ["target"]


def test_a_keycap_is_its_digit() -> None:
    """An enclosing mark is folded off like an accent."""
    assert words("1️⃣ first") == ["1", "first"]


@pytest.mark.parametrize(
    ("text", "plain"), [("ＡＢＣ１", "abc1"), ("ﬁle", "file"), ("Straße", "strasse"), ("Ørsted", "orsted")]
)
def test_compatibility_forms_and_case_are_folded(text: str, plain: str) -> None:
    """NFKC and case folding, and Latin letters without a decomposition."""
    assert words(text) == [plain]


def test_letter_variants_of_arabic_and_vowel_signs_are_folded() -> None:
    """Writers mix them freely."""
    assert fold("قُرْآن") == fold("قران")
    assert fold("أحمد") == fold("احمد")


@pytest.mark.parametrize("digits", ["٢٣٠", "۲۳۰", "२३०", "২৩০", "๒๓๐", "២៣០", "၂၃၀", "２３０"])
def test_a_number_is_one_in_the_digits_of_every_script(digits: str) -> None:
    """Typed in one, written in another."""
    assert words(f"{digits} °C")[:1] == ["230"]


def test_digits_are_those_of_the_unicode_database() -> None:
    """All that NFKC does not make ASCII ones."""
    digits = {code for code in range(0x80, 0x10000) if unicodedata.decimal(chr(code), None) is not None}
    assert {code for code in digits if unicodedata.normalize("NFKC", chr(code)) == chr(code)} == set(DIGIT_FOLDS)
    assert all(unicodedata.decimal(chr(code)) == int(digit) for code, digit in DIGIT_FOLDS.items())


def test_a_non_joiner_parts_a_word_from_its_ending() -> None:
    """Persian plurals, Kannada and Telugu cases; both are found, and the whole as if none was typed."""
    assert words("نسخه\u200cها") == ["نسخهها", "نسخه", "ها"]
    assert "ಫ್ರಿಜ್" in words("ಫ್ರಿಜ್\u200cನಲ್ಲಿ")


def test_an_armenian_sign_of_asking_stands_inside_the_word() -> None:
    """`Ինչո՞ւ` is `ինչու`."""
    assert words("Ինչո՞ւ") == words("Ինչու")


@pytest.mark.parametrize(
    ("one", "other"), [("बज़ार", "बजार"), ("हिंदी", "हिन्दी"), ("कम्पनी", "कंपनी"), ("चाँद", "चांद"), ("ਫ਼ੈਸਲਾ", "ਫੈਸਲਾ")]
)
def test_letter_variants_of_hindi_and_punjabi_are_folded(one: str, other: str) -> None:
    """The dot of borrowed sounds is often left out, and a nasal is a letter or a sign."""
    assert words(one) == words(other)


def test_a_soft_hyphen_is_no_border() -> None:
    """A word that a typesetter may break is one word."""
    assert words("co\u00adoperate") == ["cooperate"]


def test_an_apostrophe_is_typed_or_typographic_alike() -> None:
    """Both part at the same place, and so does the letter that Ukrainian and Uzbek texts have for it."""
    assert words("п\u02bcять") == words("п'ять")
    assert words("don't") == words("don’t")


def test_the_last_character_of_a_run_stands_apart_from_phrases() -> None:
    """`世界 foo` is a phrase of `hello 世界 foo`, and `界` alone still finds it."""
    body = analyse("hello 世界 foo 地图")[0].split()
    assert body[:4] == ["hello", "世界", "foo", "地图"]
    assert {"界", "图"} <= set(body)


@pytest.mark.parametrize(
    ("token", "root"), [("running", "run"), ("x", "x"), ("精确", "精确"), ("v2.8.3", "v2.8.3"), ("", "")]
)
def test_the_stem_of_a_token_without_one_is_itself(token: str, root: str) -> None:
    """Numbers, single letters and other scripts are not stemmed."""
    assert stem(token) == root


def test_marks_are_those_of_the_unicode_database() -> None:
    """No combining mark ends a word, in any script that has letters of its own."""
    ours, others = re.compile(f"[{MARKS}]"), re.compile(f"[{BIGRAM_CLASS}{HANGUL_CLASS}{UNSPACED_CLASS}{GLUE}]")
    all_marks = {char for char in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(char)[0] == "M"}
    known = {char for char in map(chr, range(sys.maxunicode + 1)) if ours.match(char)}
    assert known <= all_marks | set(INVISIBLE)
    if unicodedata.unidata_version == "14.0.0":
        assert not {char for char in all_marks - known if not others.match(char)}


PROSE = {
    "die Häuser stehen an einer Straße, die nachts ganz still ist, und niemand weiß, wer sie gebaut hat, denn der"
    " Architekt ist längst gestorben": True,
    "the houses stand in a street that is quiet at night, and nobody knows who has built them, for the architect"
    " died long ago": False,
    "Heap sort, merge sort, quick sort": False,  # a title has none of the words that tell English
    "บ้านเรือนตั้งอยู่บนถนนที่เงียบสงบ Kubernetes Docker Postgres": False,
    "": False,
}


@pytest.mark.parametrize("text", PROSE)
def test_stems_are_cut_in_prose_of_latin_letters_that_is_not_english(text: str) -> None:
    """A short text tells too little to be judged."""
    assert is_cut(words(text)) is PROSE[text]


@pytest.mark.parametrize(
    ("whole", "short"), [("termin", "termi*"), ("haus", "haus"), ("retry_after", "retry_after"), ("привет", "привет")]
)
def test_a_cut_stem_is_how_a_long_latin_one_begins(whole: str, short: str) -> None:
    """Marked, so that it is no stem of another word."""
    assert cut(whole) == short
