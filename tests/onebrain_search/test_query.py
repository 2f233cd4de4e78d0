"""Query syntax: what is an operator, what is plain text, and that no text breaks it."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexer import tokens
from indexer.errors import QueryError
from indexer.types import Condition
from onebrain_search import query as queries
from onebrain_search.query import FIELDS, MAX_CHARACTERS, parse
from onebrain_search.types import Query

TODAY = date(2026, 3, 11)


def test_words_are_terms() -> None:
    """Without stop words, each once, as the tokenizer cuts them."""
    query = parse("the Retry of the retry policy")
    assert query.terms == ("retry", "policy")
    assert (query.phrases, query.filters, query.excluded) == ((), (), ())


def test_only_stop_words_are_searched() -> None:
    """They are all there is."""
    assert parse("to be or not to be").terms


@pytest.mark.parametrize(
    "text", ['"exponential backoff" retry', "“exponential backoff” retry", "«exponential backoff» retry"]
)
def test_f7_quotes_make_a_phrase(text: str) -> None:
    """Typographic ones too; the words count as terms as well."""
    query = parse(text)
    assert query.phrases == ("exponential backoff",)
    assert query.terms == ("exponential", "backoff", "retry")


@pytest.mark.parametrize("text", ['retry "backoff', 'retry backoff"', 'retry " backoff', '"retry" "backoff'])
def test_a_quote_without_its_partner_is_a_space(text: str) -> None:
    """The words are kept."""
    assert parse(text).terms == ("retry", "backoff")


def test_a_minus_excludes_a_word_or_phrase() -> None:
    """Among terms."""
    query = parse('token -JWT -"static key"')
    assert query.terms == ("token",)
    assert query.excluded == ("JWT", "static key")


@pytest.mark.parametrize("text", ["git --force", "a - b", "retry -", "e-mail -?", "--"])
def test_other_dashes_are_punctuation(text: str) -> None:
    """Options, ranges and dashes between words exclude nothing."""
    assert not parse(text).excluded


def test_a_star_completes_a_word() -> None:
    """From two letters on."""
    query = parse("idempot* a* key")
    assert query.prefixes == ("idempot",)
    assert query.terms == ("key",)


def test_f18_a_leading_star_is_said_to_mean_nothing() -> None:
    """The word is searched as it is, and a note says so."""
    query = parse("*base")
    assert (query.terms, query.prefixes) == (("base",), ())
    assert query.notes == ("a star stands for the end of a word only: `*base` was searched as it is",)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("tag:work/api", Condition("tag", "work/api")),
        ("TAG:#work", Condition("tag", "work")),
        ("-tag:work/", Condition("tag", "work", negated=True)),
        ("ext:.MD", Condition("ext", "MD")),
        ("path:01-projects", Condition("path", "01-projects")),
        ('path:"My Notes/x.md"', Condition("path", "My Notes/x.md")),
        ("path:logs\\2026", Condition("path", "logs/2026")),
        ("path:./logs/**", Condition("path", "logs")),
        ('title:"retry policy"', Condition("title", "retry policy")),
        ("heading:rules", Condition("heading", "rules")),
        ("type:Decision", Condition("type", "Decision")),
        ("kind:code", Condition("kind", "code")),
        ("lang:de", Condition("lang", "de")),
        ("root:tools", Condition("root", "tools")),
        ("date:2026-01", Condition("date", "2026-01-01", "2026-01-31")),
        ('-date:"last week"', Condition("date", "2026-03-04", "2026-03-11", negated=True)),
        ("after:2026", Condition("date", "2026-01-01")),
        ("before:2026-01", Condition("date", "", "2025-12-31")),
        ("status=active", Condition("=", "status=active")),
        ('-status="in progress"', Condition("=", "status=in progress", negated=True)),
        ('"file creation date"=2024', Condition("=", "file creation date=2024")),
        ('"my key"="my value"', Condition("=", "my key=my value")),
    ],
)
def test_an_operator_is_a_filter(text: str, condition: Condition) -> None:
    """It is no longer among the words."""
    query = parse(f"retry {text}", today=TODAY)
    assert query.filters == (condition,)
    assert query.terms == ("retry",)


@pytest.mark.parametrize(
    "text",
    [
        "std::vector",
        "C:\\x",
        "https://example.org/a?b=c",
        "10:30",
        "foo:bar",
        "a==b",
        "x!=1",
        ":tag",
        "tag:",
        "tag:#",
        "mailto:me@example.org",
        "key=",
        "=value",
        "Note::inline",
        "path:/",
        "def f(x):",
        "a:b:c",
        "^abc.*$",
        "[a-z]+",
    ],
)
def test_whatever_else_looks_like_an_operator_is_plain_text(text: str) -> None:
    """All its words are searched."""
    query = parse(text)
    assert (query.filters, query.phrases, query.prefixes, query.excluded) == ((), (), (), ())
    assert set(tokens.words(text)) - queries.stop_words() <= set(query.terms)


@pytest.mark.parametrize(("text", "field"), [("tagg:work", "tag"), ("tittle:x", "title"), ("pth:logs", "path")])
def test_a_field_that_is_one_letter_off_gets_a_hint(text: str, field: str) -> None:
    """It is searched as text all the same."""
    query = parse(text)
    assert query.filters == ()
    assert any(f"did you mean `{field}:`" in note for note in query.notes)


@pytest.mark.parametrize("text", ["std::tag", "https://x", "foo:bar", "to:do"])
def test_other_words_with_a_colon_get_no_hint(text: str) -> None:
    """Nobody is told what he did not mean."""
    assert parse(text).notes == ()


def test_a_space_behind_the_colon_gets_a_hint() -> None:
    """`after: 2026` is not read as a filter, and is not silently ignored either."""
    assert "right behind it" in parse("retry after: 2026").notes[0]


@pytest.mark.parametrize(
    "text", ["date:soon", "after:someday", "before:2026-13", 'retry date:""', "what was before:x?"]
)
def test_a_date_that_cannot_be_read_is_an_error(text: str) -> None:
    """In a sentence too: an unfiltered answer would be a wrong one."""
    with pytest.raises(QueryError):
        parse(text)


@pytest.mark.parametrize("text", ["what is a token?", "how do we retry", "a b c d e", "トークンとは？"])
def test_a_question_or_five_plain_words_are_a_sentence(text: str) -> None:
    """Four words are terms."""
    assert parse(text).sentence
    assert not parse("a b c d").sentence


def test_a_quoted_question_is_a_phrase() -> None:
    """Its question mark belongs to what is looked for."""
    query = parse('"Who is on call?"')
    assert not query.sentence
    assert query.phrases == ("Who is on call?",)


def test_in_a_sentence_quotes_boost_and_dashes_are_punctuation() -> None:
    """Only fields stay filters."""
    query = parse('what does "full jitter" mean -really tag:work key=value retr*?')
    assert query.phrases == ("full jitter",)
    assert (query.excluded, query.prefixes) == ((), ())
    assert query.filters == (Condition("tag", "work"),)
    assert {"really", "key", "value"} <= set(query.terms)


def test_filters_alone_are_a_listing() -> None:
    """There is nothing to rank by."""
    assert queries.is_listing(parse("tag:work after:2026 -draft"))
    assert not queries.is_listing(parse("tag:work retry"))
    assert not queries.is_listing(parse(""))


def test_a_query_without_its_filters_asks_for_their_words() -> None:
    """Where nothing else is left to ask for."""
    query = parse("tag:work/api status=active")
    assert queries.without(query, query.filters).terms == ("work", "api", "status", "active")
    assert queries.without(query, query.filters[:1]) == Query(**{**_fields(query), "filters": query.filters[1:]})


def test_words_alone_have_no_operators() -> None:
    """Phrases and completions become words."""
    relaxed = queries.words_only(parse('"full jitter" idempot* tag:x -y retry'))
    assert not queries.has_operators(relaxed)
    assert set(relaxed.terms) == {"full", "jitter", "retry", "idempot"}


@pytest.mark.parametrize(
    "text",
    [
        "tag:work",
        "-path:logs",
        'title:"a b"',
        "date:2026-01-01..2026-01-31",
        "date:2026-03-02",
        "date:2026-01-01..",
        "status=active",
        '"my key"="my value"',
        "date:..2025-12-31",
    ],
)
def test_a_filter_is_shown_as_it_could_be_typed(text: str) -> None:
    """Parsing what is shown gives the filter again."""
    (condition,) = parse(text).filters
    assert queries.shown(condition) == text


def test_a_long_question_is_cut_and_says_so() -> None:
    """At ten thousand characters."""
    query = parse("word " * MAX_CHARACTERS)
    assert query.notes == (f"the question was cut at {MAX_CHARACTERS} characters",)


OPERATORS = st.sampled_from(
    [*(f"{field}:" for field in FIELDS), '"', "-", "*", "=", "key=", "?", "(", "[", "\\", "::", "^"]
)
PIECES = st.one_of(OPERATORS, st.text(max_size=12), st.text(st.characters(), max_size=6), st.just("\ud800"))


@given(st.lists(PIECES, max_size=12).map("".join))
@example("\x00")
@example("\x1b]8;;x\x07")
@example("\u202eabc\u202c")
@example('-"')
@example("tag:-")
def test_no_text_breaks_the_parser(text: str) -> None:
    """It is parsed, or refused for a date; each word of plain text is searched."""
    try:
        query = parse(text, today=TODAY)
    except QueryError as error:
        assert "date" in str(error) or "day" in str(error)
        return
    assert all(condition.field in {*FIELDS, "="} for condition in query.filters)
    plain = not (query.filters or query.excluded or query.prefixes or query.sentence)
    if plain and len(text) < MAX_CHARACTERS:
        wanted = set(tokens.words(text.encode("utf-8", "replace").decode())) - queries.stop_words()
        assert wanted <= set(query.terms)
    query.text.encode()


def _fields(query: Query) -> dict[str, object]:
    """Return the fields of a query by name."""
    return {name: getattr(query, name) for name in Query.__slots__}
