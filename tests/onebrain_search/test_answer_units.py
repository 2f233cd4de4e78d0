"""What an answer can be made of: sentences over wrapped lines, bullets, rows, few lines of code, word for word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.types import Chunk, Kind
from onebrain_search.answer.units import Unit, units


def of(text: str, start: int = 1, kind: Kind = "note") -> list[Unit]:
    """Return the units of a passage that begins at a line."""
    return list(units(Chunk(1, "", "a.md", "A", (), text, start, start + text.count("\n"), kind)))


def texts(text: str) -> list[str]:
    """Return the texts of the units."""
    return [unit.text for unit in of(text)]


def test_a_sentence_may_span_wrapped_lines() -> None:
    """The break becomes a space; the line is the one it begins on."""
    wrapped = (
        "We chose the small pump because the large one drains the\nbattery in a night. The wiring stays as it was."
    )
    assert [(unit.text, unit.line) for unit in of(wrapped, start=7)] == [
        ("We chose the small pump because the large one drains the battery in a night.", 7),
        ("The wiring stays as it was.", 8),
    ]


def test_a_line_that_was_ended_on_purpose_stays_apart() -> None:
    """The next word would have fitted, and begins like a sentence."""
    assert texts("**Status:** accepted\n**Date:** 2026-01-05\nby Ana") == [
        "**Status:** accepted",
        "**Date:** 2026-01-05 by Ana",
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Dr. Ana asked Mr. Bo. He left.", 1),  # "He" refers to the sentence before
        ("See e.g. Oslo. Then go.", 2),
        ("It is in fig. 3 and no. 7. All good.", 2),
        ("Version 2.8.3 came out. Nobody noticed.", 2),
        ("第一句。第二句！第三句", 3),
        ("पहला वाक्य। दूसरा वाक्य।", 2),
        ("Is it so? Yes! Good…  And now.", 4),
        ("Supersedes [13. Nightly restart](0013.md). Done.", 2),
    ],
)
def test_sentences_end_where_people_end_them(text: str, count: int) -> None:
    """Not at abbreviations, numbers, initials and list numbers."""
    assert len(of(text)) == count or texts(text)[-1].startswith("Dr.")


@pytest.mark.parametrize(
    "text",
    [
        "हम भुगतान तीन बार दोहराते हैं। बैंक रात में बंद रहता है।",
        "ہم تین بار کوشش کرتے ہیں۔ بینک رات کو بند ہوتا ہے۔",
        "ကျွန်ုပ်တို့ သုံးကြိမ် ကြိုးစားသည်။ ဘဏ်သည် ညတွင် ပိတ်သည်။",
        "យើងព្យាយាមបីដង។ ធនាគារបិទនៅពេលយប់។",
        "ሦስት ጊዜ እንሞክራለን። ባንኩ ሌሊት ይዘጋል።",
        "Մենք երեք անգամ ենք փորձում։ Բանկը գիշերը փակ է։",
        "결제가 실패하면 세 번 다시 시도합니다. 은행이 밤에 멈추기 때문입니다.",
        "نعيد محاولة الدفع ثلاث مرات. لأن البنك يتوقف ليلا؟",
        "決済は三回まで再試行する。銀行が夜間に停止するからだ。",
        "वह आया।फिर वह चला गया।",
        "នេះជាទីមួយ។នេះជាទីពីរ។",
        "ስብሰባው ዛሬ ነው፡፡ ነገ ዕረፍት ነው፡፡",
        "ማን ይመጣል፧ ሁሉም ይመጣል።",
        "会議は月曜日です．次回は未定です．",
        "Τι είναι αυτό; Είναι ένα βιβλίο.",
        "Vive en Bilbao. ¡Qué bien!",
        "Die Sitzung ist am 5. März 2024 in Bonn. Danach gibt es Kuchen.",
        "Der Bau kostet 5 Mio. Euro im Jahr. Danach wird es weniger.",
        "¿Quién es el Sr. García? Vive en la Av. Libertador.",
        "Spotkanie jest na ul. Długiej. Potem będzie np. Warszawa.",
        "Потом обед на ул. Ленина. Вечером театр.",
        "Vi möts t.ex. Tisdag eller Onsdag. Sedan äter vi.",
    ],
)
def test_each_script_has_its_own_full_stop(text: str) -> None:
    """Two sentences, word for word, also where no space is behind it; abbreviations and days of a month end none."""
    assert len(texts(text)) == 2
    assert all(each in text for each in texts(text))


def test_phrases_of_thai_are_gathered_to_something_that_can_be_read() -> None:
    """It has no full stop, and a space ends a phrase: a unit is a few of them, and no long paragraph."""
    phrase = "เราลองชำระเงินใหม่สามครั้งตอนกลางคืน"
    found = texts(" ".join([phrase] * 8))
    assert len(found) == 4 and all(each == f"{phrase} {phrase}" for each in found)


def test_a_sentence_that_refers_takes_the_one_before_it() -> None:
    """A pronoun says nothing alone; in another paragraph there is nothing to refer to."""
    assert texts("Left: the family of Kru Dao. She has our key.\n\nIt rains.") == [
        "Left: the family of Kru Dao.", "Left: the family of Kru Dao. She has our key.", "It rains.",
    ]  # fmt: skip
    assert (
        texts("Push a finger in. If it comes out clean, water.")[1]
        == "Push a finger in. If it comes out clean, water."
    )


def test_a_row_is_about_its_header_which_is_no_answer() -> None:
    """Cells stay as they are, padding apart; a row without its header is about nothing else."""
    found = of("Who to call:\n\n| Trouble | Number |\n|:--|--:|\n| Cobra   | 199 |\n| Fire | 99 |")
    assert [(unit.text, unit.context) for unit in found[1:]] == [
        ("Cobra | 199", "Who to call: Trouble | Number"), ("Fire | 99", "Who to call: Trouble | Number"),
    ]  # fmt: skip
    assert [unit.context for unit in of("| Cobra | 199 |\n| Fire | 99 |")] == ["", ""]


def test_a_bullet_is_about_what_leads_to_it() -> None:
    """The sentence before the list, and the bullets it is nested in; continued lines belong to it."""
    found = of("Ports:\n\n- the proxy\n  listens on 80\n    - in tests 8080\n- [ ] the shop on 81")
    assert [(unit.text, unit.context) for unit in found[1:]] == [
        ("the proxy listens on 80", "Ports:"), ("in tests 8080", "Ports: the proxy"), ("the shop on 81", "Ports:"),
    ]  # fmt: skip


def test_code_comes_in_few_lines_with_its_comment() -> None:
    """Fences are left out, and a passage may begin inside of one."""
    fence = "To copy:\n\n```sql\n-- copy a live file\nVACUUM INTO 'x';\n\n-- count\nSELECT 1;\n```\nDone."
    assert [(unit.text, unit.line) for unit in of(fence)][1:] == [
        ("-- copy a live file VACUUM INTO 'x';", 4), ("-- count SELECT 1;", 7), ("Done.", 10),
    ]  # fmt: skip
    assert texts("SELECT 2;\n```\nDone.") == ["SELECT 2;", "Done."]
    assert [unit.text for unit in of("def f():\n    # half\n    return 1 / 2\n", kind="code")] == [
        "def f():", "# half return 1 / 2",
    ]  # fmt: skip


def test_headings_quotes_and_callouts() -> None:
    """A heading of any form is no unit; the text of a quote is."""
    assert texts("# One\n\nTwo\n===\n\n> [!danger] Doors\n> Never open above 120 °C.\n\n---\n") == [
        "Doors", "Never open above 120 °C.",
    ]  # fmt: skip


LINES = st.one_of(
    st.sampled_from(
        ["", "# H", "- a", "  - b c.", "| x | y |", "|---|---|", "```", "> q. R", "===", "1. one", "It is. No."]
    ),
    st.text(max_size=30).filter(lambda text: "\n" not in text),
)


@given(st.lists(LINES, max_size=12), st.sampled_from(["note", "code"]))
def test_units_are_word_for_word(lines: list[str], kind: Kind) -> None:
    """Whatever the passage: every word of a unit stands in it, in this order, from its line on."""
    text = "\n".join(lines)
    for unit in of(text, kind=kind):
        assert 1 <= unit.line <= len(lines)
        place = 0
        rest = "\n".join(lines[unit.line - 1 :])
        for word in unit.text.split():
            place = rest.find(word, place)
            assert place >= 0, (unit, text)
            place += len(word)
