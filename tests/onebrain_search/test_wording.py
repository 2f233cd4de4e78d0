"""Words of a query in passages: a look at likely places finds what a look at every word finds."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from indexer import tokens
from indexer.types import Chunk
from onebrain_search.types import Hit
from onebrain_search.wording import Wording, core

WORDS = st.lists(
    st.sampled_from(
        "try trying tries die dying lies naming name visible visibility skies sky so the in of parseRetryAfter"
        " retry_after v2.8.3 C++ file. .git café Cafés Straße naïve x-ray don’t “quoted” → дом дома 精确 更精确的结果"
        " 的 ร้านอาหาร K İ e".split()
    ),
    max_size=12,
)
GAPS = st.sampled_from([" ", "\n", "  ", ", ", " - ", " . ", "\u00a0"])


def hit(text: str, title: str = "", heading: tuple[str, ...] = ()) -> Hit:
    """Return a hit on a passage."""
    return Hit(Chunk(1, "", "a.md", title, heading, text, 1, 1, "note"), 1.0)


def everything_in(text: str) -> set[str]:
    """Return every token of a text and every stem."""
    return {each for part in tokens.analyse(text) for each in part.split()}


@given(asked=WORDS, words=WORDS, gap=GAPS)
def test_the_terms_of_a_query_are_found_as_by_reading_every_word(
    asked: list[str], words: list[str], gap: str
) -> None:
    """As such, by their stems, in identifiers, behind accents, and in scripts without spaces."""
    terms = tuple(dict.fromkeys(tokens.words(" ".join(asked))))
    text = gap.join(words)
    known = everything_in(text)
    right = {term for term in terms if term in known or tokens.stem(term) in known}
    assert Wording(terms).terms_of(hit(text)) == right


@given(asked=WORDS, words=WORDS, gap=GAPS)
def test_neighbours_are_found_as_by_reading_every_word(asked: list[str], words: list[str], gap: str) -> None:
    """A stop word beside a rare one as well as two rare ones."""
    topic, text = " ".join(asked), gap.join(words)
    wanted = {pair for pair in pairwise(map(tokens.stem, tokens.words(topic))) if pair[0] != pair[1]}
    there = set(pairwise(map(tokens.stem, tokens.words(text))))
    assert Wording((), topic).pairs_of(hit(text)) == wanted & there


def test_titles_and_headings_count() -> None:
    """A word of the title is beside the first one of the text."""
    found = hit("policy of the gateway", title="Retry", heading=("Limits",))
    wording = Wording(("retry", "limit"), "retries policy")
    assert wording.terms_of(found) == {"retry", "limit"}
    assert wording.pairs_of(found) == wording.pairs


@given(word=st.from_regex(r"[a-z]{1,12}(y|ies|ing|bility|bly|ed|s|e)?", fullmatch=True))
def test_every_word_begins_with_the_core_of_its_stem(word: str) -> None:
    """Whatever the stemmer takes off or changes at the end."""
    assert word.startswith(core(tokens.stem(word)))


@given(text=st.text(st.sampled_from("aZk9 ,.-_'éÜßøŁñ数据搜索引擎かなガｶﾞ검색엔진ไทยน้ำ\u200bДа"), max_size=40))
def test_every_token_is_part_of_one_of_the_foldings(text: str) -> None:
    """So a word that is part of neither stands nowhere."""
    whole, latin = tokens.foldings(text)
    for token in tokens.words(text):
        if token.isascii():
            assert token in latin
        elif len(token) == 2 and tokens.is_unspaced(token):
            assert token in whole
