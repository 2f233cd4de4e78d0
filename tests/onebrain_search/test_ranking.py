"""What must be found, and in which order, on small vaults: known failures of other tools, by their ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from pathlib import Path

import pytest

from onebrain_search import Brain

Words = Callable[..., Brain]

FILLER = "The weather was mild and the harbour quiet while boats went out for mackerel in the morning light."


@pytest.fixture
def words(vault: Callable[..., Path], tmp_path: Path) -> Words:
    """Return a function that indexes `{path: text}` by words alone."""

    def make(files: Mapping[str, str]) -> Brain:
        """Write and index the notes."""
        brain = Brain.open(vault(files), environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")})
        brain.index(vectors=False)
        return brain

    return make


def paths(brain: Brain, query: str, limit: int = 10) -> list[str]:
    """Return the files found, best first, each once."""
    return list(dict.fromkeys(hit.chunk.path for hit in brain.search(query, limit=limit)))


def test_f3_words_joined_by_a_hyphen_outrank_separate_ones(words: Words) -> None:
    """`deep-sea` finds the compound first."""
    brain = words({"a.md": "the sea is deep and the sea is blue\n", "b.md": "a deep-sea fish and its lamp\n"})
    assert paths(brain, "deep-sea") == ["b.md", "a.md"]


def test_f4_the_exact_file_name_is_first(words: Words) -> None:
    """Dots and digits included."""
    brain = words({"3.1.md": "short\n", "13.1 x.md": "3.1 3.1 see 3.1\n", "notes.md": "chapter 3.1. begins\n"})
    assert paths(brain, "3.1.")[0] == "3.1.md"


def test_f5_the_longest_note_does_not_win(words: Words) -> None:
    """The one-line sentence beats a long note with the words scattered."""
    scattered = "\n\n".join(f"{FILLER} {word}" for word in ["anchor", "chain", "locker", "cleaning"] * 40)
    brain = words({"long.md": scattered, "short.md": "Clean the anchor chain locker in spring.\n"})
    assert paths(brain, "cleaning anchor chain locker")[0] == "short.md"


def test_f6_words_far_apart_in_one_note_are_found(words: Words) -> None:
    """Below a note where they are neighbours."""
    brain = words(
        {"far.md": "cormorant\n" + "filler text\n" * 300 + "trimaran\n", "near.md": "a cormorant trimaran\n"}
    )
    assert paths(brain, "cormorant trimaran") == ["near.md", "far.md"]


def test_f7_a_quoted_phrase_excludes_the_reversed_words(words: Words) -> None:
    """Only the exact phrase is found."""
    brain = words({"a.md": "an exact phrase stands here\n", "b.md": "phrase exact, the other way round\n"})
    assert paths(brain, '"exact phrase"') == ["a.md"]


@pytest.mark.parametrize(("query", "found"), [("tag:to", ["a.md", "b.md"]), ("tag:to/do", ["a.md"]), ("tag:tod", [])])
def test_f8_a_tag_holds_the_tags_below_it(words: Words, query: str, found: list[str]) -> None:
    """And not those that only begin like it."""
    brain = words({"a.md": "#to/do buy rope\n", "b.md": "#to sell rope\n", "c.md": "rope\n"})
    hits = brain.search(query)
    assert sorted(hit.chunk.path for hit in hits) == found


def test_f9_a_key_of_front_matter_is_no_word_of_the_note(words: Words) -> None:
    """`tags` finds the note about tags."""
    brain = words({"a.md": "---\ntags: [x]\n---\nropes\n", "b.md": "---\ntags: [y]\n---\nhow tags work\n"})
    assert paths(brain, "tags") == ["b.md"]


def test_f10_an_alias_is_a_name(words: Words) -> None:
    """It beats a note that uses the word often."""
    brain = words({"Kubernetes.md": "---\naliases: [K8s]\n---\nclusters\n", "log.md": "k8s k8s k8s upgrade of k8s\n"})
    assert paths(brain, "k8s")[0] == "Kubernetes.md"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("short.md", "# Harbour lights\n\nSee the plan.\n"),
        (
            "short.md",
            "---\naliases: [Harbour lights]\n---\n# A coast of many names that nobody knows\n\nSee the plan.\n",
        ),
        ("one/of/many/folders/harbour-lights.md", "# Coast\n\nSee the plan.\n"),
    ],
)
def test_a_name_is_found_among_hundreds_of_notes_that_say_it_more_often(words: Words, path: str, text: str) -> None:
    """A title, an alias, a file name: whatever the best candidates of words and vectors are."""
    said = "Harbour lights need care, as the lights of the harbour and harbour lights cost money. " * 6
    others = {f"harbour/lights/{n}.md": f"# Harbour lights, harbour lights {n}\n\n{said}{n}\n" for n in range(250)}
    assert paths(words({**others, path: text}), "harbour lights", limit=5)[0] == path


def test_a_name_is_looked_up_within_the_filters(words: Words) -> None:
    """A note of that name elsewhere is not found."""
    brain = words({"a/x.md": "# Harbour lights\n\nSee.\n", "b/y.md": "# Plan\n\nThe harbour lights.\n"})
    assert paths(brain, "harbour lights path:b") == ["b/y.md"]


def test_a_title_counts_by_how_much_of_it_is_asked_and_of_the_question_it_says(words: Words) -> None:
    """All of a short title, half of a longer one, nothing of one that shares no word."""
    titles = {"a.md": "Tide tables", "b.md": "Tide tables printed yearly", "c.md": "Log"}
    brain = words({path: f"# {title}\n\nThe tide tables.\n" for path, title in titles.items()})
    hits = brain.search("where are the tide tables?")
    assert [(hit.chunk.path, round(hit.parts.get("titled", 0.0), 3)) for hit in hits] == [
        ("a.md", 0.3), ("b.md", 0.15), ("c.md", 0.0),
    ]  # fmt: skip


def test_f11_of_equal_notes_the_newer_is_first(words: Words) -> None:
    """And only then: a better note stays first however old it is."""
    note = "---\ndate: {}\n---\n# Rope\n\nsplice {} rope\n"
    brain = words({
        "a.md": note.format("2024-01-01", "manila"), "b.md": note.format("2026-01-01", "nylon"),
        "c.md": "---\ndate: 2019-01-01\n---\n# Splice a rope\n\nsplice rope, splice rope\n",
    })  # fmt: skip
    assert paths(brain, "splice a rope") == ["c.md", "b.md", "a.md"]


def test_f13_one_rare_word_does_not_outweigh_five_others(words: Words) -> None:
    """The answer with five of eight words beats a note that only has the rare one."""
    others = {f"n{n}.md": f"{FILLER} The pump, the bilge and the switch of boat {n}.\n" for n in range(30)}
    right = "When the bilge pump switch sticks, clean the float.\n"
    brain = words({**others, "right.md": right, "wrong.md": "A quincunx is a pattern.\n"})
    assert paths(brain, "why does the bilge pump float switch stick quincunx")[0] == "right.md"


def test_f14_a_marathon_session_does_not_match_everything(words: Words) -> None:
    """The short, focused session is first."""
    topics = [f"topic{n}" for n in range(50)]
    giant = "\n\n".join(f"{FILLER} {topic} came up again, {topic}." for topic in topics * 8)
    short = {f"s{n}.md": f"# Session {n}\n\nWe settled {topic}: use rope {n}.\n" for n, topic in enumerate(topics)}
    brain = words({"giant.md": giant, **short})
    assert [paths(brain, f"settled {topic}")[0] for topic in topics[::10]] == [f"s{n}.md" for n in range(0, 50, 10)]


def test_f17_a_word_inside_another_ranks_below_the_word(words: Words) -> None:
    """`java` is not `javascript`."""
    brain = words({"a.md": "javascript javascript javascript\n", "b.md": "a long line on java among other things\n"})
    assert paths(brain, "java") == ["b.md"]
    assert set(paths(brain, "java*")) == {"a.md", "b.md"}


def test_f18_a_leading_star_never_finds_all_notes(words: Words) -> None:
    """What follows it is searched."""
    brain = words({"a.md": "database\n", "b.md": "base camp\n", "c.md": "rope\n"})
    assert paths(brain, "*base") == ["b.md"]


def test_f23_a_copy_is_told_by_its_text(words: Words) -> None:
    """A copy with one edited line is shown once; a note on the same subject stays."""
    lines = [f"Line {n} of the mooring plan names buoy {n * 7} and chain {n * 3}." for n in range(12)]
    copy = [*lines[:-1], "Line 11 was edited."]
    brain = words({
        "plan.md": "\n".join(lines) + "\n", "copy.md": "\n".join(copy) + "\n",
        "other.md": "The mooring plan was made by the harbour master, buoy by buoy.\n",
    })  # fmt: skip
    found = paths(brain, "mooring plan buoy chain")
    assert "other.md" in found
    assert len({"plan.md", "copy.md"} & set(found)) == 1


def test_no_copy_is_shown_however_many_hits_are_asked_for(words: Words) -> None:
    """Thirty notes hold the same paragraph, some in a longer list of hits than a reader usually sees."""
    same = " ".join(f"Line {n} of the mooring plan names buoy {n * 7} and chain {n * 3}." for n in range(10))
    notes = {f"same{n}.md": f"# Plan {n}\n\n{same}" for n in range(30)}
    others = {
        f"other{n}.md": f"# Buoy {n}\n\nThe mooring of boat {n} is {n * 7} m from buoy {n}.\n" for n in range(30)
    }
    brain = words(notes | others)
    for limit in (5, 20):
        found = paths(brain, "mooring plan buoy chain", limit)
        assert len(found) == limit and sum(path.startswith("same") for path in found) == 1


def test_a_phrase_is_found_in_every_copy(words: Words) -> None:
    """Who looks for the very words wants all places; the copy comes after what is no copy."""
    text = "The mooring plan names buoy seven and the long chain, and the day on which it was laid.\n"
    brain = words(
        {"a.md": text, "copy.md": text, "log.md": f"# Log\n\n{FILLER}\n\nWe laid buoy seven and the long chain.\n"}
    )
    found = paths(brain, '"buoy seven and the long chain"')
    assert sorted(found) == ["a.md", "copy.md", "log.md"]
    assert found[-1] != "log.md"


def test_f24_a_long_section_is_one_hit(words: Words) -> None:
    """With the merged range of its passages."""
    section = "\n".join(f"The windlass turns {n} times and the windlass motor hums. {FILLER}" for n in range(9))
    brain = words({"a.md": f"# Boat\n\n## Windlass\n\n{section}\n"})
    (hit,) = brain.search("windlass motor")
    assert hit.chunk.text.count("\n") == hit.chunk.end_line - hit.chunk.start_line
    assert brain.get(f"{hit.chunk.address}:{hit.chunk.end_line - hit.chunk.start_line + 1}").text == hit.chunk.text


def test_f25_every_bullet_is_found(words: Words) -> None:
    """Of a list-heavy note, and the index is not ten times the notes."""
    names = [f"knot{n:03d}" for n in range(300)]
    text = "# Knots\n\n" + "".join(f"- {name}: {FILLER}\n" for name in names)
    brain = words({"knots.md": text})
    assert all(name in brain.search(name)[0].chunk.text for name in names[::30])
    size = sum(file.stat().st_size for file in (brain.folder).rglob("*") if file.is_file())
    assert size <= 10 * len(text)


def test_f25_two_hundred_are_two_hundred(words: Words) -> None:
    """The limit that is asked for is kept."""
    brain = words({f"n{n}.md": f"buoy number {n} is painted {n * 37} times\n" for n in range(250)})
    assert len(brain.search("buoy painted", limit=200)) == 200
    assert len(brain.search("path:vault -tag:x", limit=200)) in (0, 200)
    assert len(brain.search("ext:md", limit=200)) == 200


@pytest.mark.parametrize("query", ["sextant", "gnomon"])
def test_f26_file_names_and_headings_are_searched(words: Words, query: str) -> None:
    """Also where the word stands nowhere else."""
    brain = words({"tools/Sextant.md": "brass\n", "b.md": "# Tools\n\n## Gnomon\n\nwood\n", "c.md": "rope\n"})
    assert len(paths(brain, query)) == 1


def test_f27_a_date_in_the_file_name_counts(words: Words) -> None:
    """For the filter as well."""
    brain = words({"2024-05-06.md": "rain\n", "2024-05-07.md": "sun\n"})
    assert paths(brain, "date:2024-05-06") == ["2024-05-06.md"]


def test_f28_last_week_holds_the_day_a_week_ago_and_today(words: Words) -> None:
    """In the local time zone, both ends included."""
    days = {ago: (date.today() - timedelta(days=ago)).isoformat() for ago in (0, 7, 8)}
    brain = words({f"{day}.md": f"entry {ago}\n" for ago, day in days.items()})
    assert paths(brain, 'date:"last week"') == [f"{days[0]}.md", f"{days[7]}.md"]


def test_f29_a_date_key_may_have_spaces(words: Words) -> None:
    """`file creation date` is one of the keys that are read, and can be asked for by itself."""
    brain = words({"a.md": "---\nfile creation date: 2024-05-06\n---\nrope\n", "b.md": "rope\n"})
    assert paths(brain, "date:2024-05-06") == ["a.md"]
    assert paths(brain, '"file creation date"=2024-05-06') == ["a.md"]


@pytest.mark.parametrize("query", ["type:decision", "type:DECISION", "tag:a", "tag:b", "Type=decision"])
def test_f31_filters_know_no_case_and_tags_may_be_a_comma_list(words: Words, query: str) -> None:
    """As people write them."""
    brain = words({"a.md": "---\ntype: Decision\ntags: A, b\n---\nrope\n", "b.md": "---\ntype: note\n---\nrope\n"})
    assert paths(brain, query) == ["a.md"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("superseded_by: new", ""),
        ("status: superseded", ""),
        ("", "supersedes: '[[old]]'"),
        ("", "supersedes: [old]"),
    ],
)
def test_f32_a_replaced_fact_is_below_the_one_that_replaced_it(words: Words, old: str, new: str) -> None:
    """It stays in the list."""
    title = "Mooring fee" if "status" in old else "Harbour"  # without a name, only equals can be told apart
    brain = words({
        "old.md": f"---\ndate: 2025-01-01\n{old}\n---\n# Mooring fee\n\nThe mooring fee is 40 a month.\n",
        "new.md": f"---\ndate: 2025-02-01\n{new}\n---\n# {title}\n\nThe mooring fee is 55 a month.\n",
    })  # fmt: skip
    assert paths(brain, "what is the mooring fee a month") == ["new.md", "old.md"]


def test_filters_alone_list_notes_by_date(words: Words) -> None:
    """The newest first, one passage each, and that is a strong answer without a sentence."""
    brain = words(
        {f"{day}.md": f"#log rope\n\n## More\n\n{FILLER}\n" for day in ("2025-03-01", "2026-01-02", "2024-02-02")}
    )
    answer = brain.ask("tag:log")
    assert [hit.chunk.path for hit in answer.sources] == ["2026-01-02.md", "2025-03-01.md", "2024-02-02.md"]
    assert (answer.confidence, answer.text) == ("strong", "")


def test_a_filter_that_nothing_meets_is_relaxed_and_named(words: Words) -> None:
    """The answer is not strong, as it is not what was asked for."""
    answer = words({"a.md": "splice a rope\n"}).ask("splice rope tag:boat")
    assert [hit.chunk.path for hit in answer.sources] == ["a.md"]
    assert answer.confidence == "weak"
    assert "nothing meets `tag:boat`: searched without" in answer.notes


def test_a_filter_that_some_notes_meet_is_kept(words: Words) -> None:
    """Even where it leaves no note with the word: then all operators are relaxed, and the answer says so."""
    brain = words({"a.md": "#boat paint\n", "b.md": "splice a rope\n"})
    assert paths(brain, "paint tag:boat") == ["a.md"]
    answer = brain.ask("rope tag:boat")
    assert [hit.chunk.path for hit in answer.sources] == ["b.md"]
    assert "nothing meets every operator: searched for the words alone" in answer.notes


@pytest.mark.parametrize(
    "text", ["std::vector", "C:\\x", "https://example.org/wiki?page=rope", "key=value", "a.b(c)"]
)
def test_what_looks_like_an_operator_is_found_as_text(words: Words, text: str) -> None:
    """In front of all notes that have only a part of it."""
    brain = words(
        {"a.md": f"we use {text} here\n", "b.md": "rope\n", "d.md": "value of the page, key and vector x\n"}
    )
    assert paths(brain, text)[0] == "a.md"


def test_f58_a_hit_whose_file_changed_since_is_stale_and_read_again(words: Words) -> None:
    """The flag is off for what is as it was indexed."""
    brain = words({"a.md": "splice a rope\n", "b.md": "coil a rope\n"})
    assert not any(hit.stale for hit in brain.search("rope"))
    (brain.config.vault / "a.md").write_text("splice a wire rope\nand more\n", encoding="utf-8")
    found = {hit.chunk.path: hit for hit in brain.search("rope")}
    assert (found["a.md"].stale, found["b.md"].stale) == (True, False)
    assert found["a.md"].chunk.text == "splice a wire rope"
    assert [found["a.md"].chunk.text[start:end] for start, end in found["a.md"].highlights] == ["rope"]
    assert [hit.stale for hit in brain.ask("splice rope").sources] == [True, False]


def test_f57_a_hit_whose_file_is_gone_is_stale(words: Words) -> None:
    """What was indexed of it is shown until the next run."""
    brain = words({"a.md": "splice a rope\n", "b.md": "one\n\ntwo\n\nthree fathoms\n"})
    (brain.config.vault / "a.md").unlink()
    (brain.config.vault / "b.md").write_text("one\n", encoding="utf-8")
    (hit,) = brain.search("splice")
    assert (hit.stale, hit.chunk.text) == (True, "splice a rope")
    (cut,) = brain.search("fathoms")
    assert cut.stale


@pytest.mark.parametrize("typed", ["windlas", "windlsas", "Windless", "windlass"])
def test_a_word_that_stands_nowhere_finds_the_nearest_one(words: Words, typed: str) -> None:
    """By one slip of the fingers; the answer says so, and is not surer than that."""
    answer = words({"a.md": "# Deck\n\nGrease the windlass in spring.\n", "b.md": "rope\n"}).ask(typed)
    assert [hit.chunk.path for hit in answer.sources] == ["a.md"]
    assert [answer.sources[0].chunk.text[start:end] for start, end in answer.sources[0].highlights] == ["windlass"]
    said = f"no note has `{typed.casefold()}`: searched for `windlass`"
    assert (said in answer.notes) == (typed != "windlass")
    assert answer.confidence == ("strong" if typed == "windlass" else "weak")


@pytest.mark.parametrize("query", ["rop", "x7f3", "ropes", "deck"])
def test_short_words_numbers_and_other_forms_are_no_typos(words: Words, query: str) -> None:
    """Nor are words that only a heading has."""
    notes = words({"a.md": "# Deck\n\nrope x7f4\n"}).ask(query).notes
    assert not any("searched for" in note for note in notes)


@pytest.mark.parametrize("query", ["猫", "犬"])
def test_one_character_of_a_script_without_spaces_is_found(words: Words, query: str) -> None:
    """Inside and at the end of a run."""
    brain = words({"a.md": "あの黒猫が寝る\n", "b.md": "白い犬\n", "c.md": "鳥と魚\n"})
    assert len(paths(brain, query)) == 1
    answer = brain.ask(query, web=False)
    assert answer.confidence == "strong" and query in answer.text


def test_a_letter_of_a_script_with_spaces_is_a_word_and_no_beginning(words: Words) -> None:
    """`в` is a preposition, so the notes are not ranked by what begins like it."""
    brain = words({"a.md": "вода, ветер, волна, весло\n", "b.md": "лодка стоит в порту\n"})
    assert paths(brain, "в") == ["b.md"]


def test_ideographs_in_common_rank_what_bigrams_find(words: Words) -> None:
    """A verb that the note writes with another particle counts; a note that shares single characters is not found."""
    brain = words({"a.md": "水泵由工厂照看\n", "b.md": "水泵的检查与修理\n", "c.md": "检字典，修路\n"})
    assert paths(brain, "水泵检修") == ["b.md", "a.md"]


def test_a_pasted_page_is_asked_by_its_rarest_words(words: Words) -> None:
    """Ten thousand characters and more."""
    brain = words({"a.md": "a gimballed stove\n", **{f"n{n}.md": f"{FILLER} {n}\n" for n in range(20)}})
    page = f"{FILLER} " * 120 + "gimballed stove"
    assert paths(brain, page[-9_000:])[0] == "a.md"


def test_as_many_hits_as_are_asked_for_though_few_notes_hold_the_best(words: Words) -> None:
    """Each gives two: then candidates that come later are ranked, too."""

    def part(*place: int) -> str:
        """Return a passage on windlasses with words of its own."""
        return f"## {place}\n\nWindlass, windlass, windlass: " + " ".join(f"w{n}w{place}" for n in range(8))

    notes = {f"long-{note}.md": "\n\n".join(part(note, n) for n in range(20)) for note in range(2)}
    notes |= {f"short-{n}.md": f"Of {n} ropes and a windlass, and much else besides that.\n" for n in range(9)}
    found = words(notes).search("windlass", limit=5)
    assert len(found) == 5 and len({hit.chunk.path for hit in found}) == 3
