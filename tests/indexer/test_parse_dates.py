"""Dates of notes and dates in prose."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.parse import ParseOptions, parse
from indexer.parse.dates import find_date
from indexer.parse.written_dates import dates_in
from indexer.types import SourceFile

MTIME = 1_700_000_000_000_000_000


@pytest.fixture
def in_zone() -> Iterator[Any]:
    """A function that sets the process's time zone, undone at the end."""
    if not hasattr(time, "tzset"):
        pytest.skip("this system cannot change a process's time zone")
    before = os.environ.get("TZ")

    def set_zone(name: str) -> None:
        os.environ["TZ"] = name
        time.tzset()

    yield set_zone
    os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
    time.tzset()


@pytest.mark.parametrize(
    "name",
    [
        "2024-05-06", "2024_05_06", "20240506", "2024.05.06", "2024-05-06T10-30 call", "202405061230",
        "20240506123045 id",
        "May 6, 2024", "6 May 2024", "2024年5月6日", "daily.journal.2024.05.06", "2024-W19",
        "log-2024-05-06-session-02",
        "May 6th, 2024", "06.05.2024", "6 mai 2024", "6. Mai 2024", "๒๕๖๗-๐๕-๐๖", "2567-05-06", "6 พ.ค. 2567",
    ],
)  # fmt: skip
def test_f27_date_in_the_file_name(name: str) -> None:
    """Daily notes in any common form."""
    assert find_date({}, f"notes/{name}.md", MTIME)[:2] == ("2024-05-06", "file name")


def test_unambiguous_day_first_name() -> None:
    """`26-05-2024` has one reading."""
    assert find_date({}, "26-05-2024.md", MTIME)[:2] == ("2024-05-26", "file name")


def test_month_in_the_file_name_is_its_first_day() -> None:
    """A monthly note is dated by its first day."""
    assert find_date({}, "2024-05.md", MTIME)[:2] == ("2024-05-01", "file name")


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("2024/05/06.md", "2024-05-06"),
        ("journal/2024/05-May/06.md", "2024-05-06"),
        ("journal/2024/May/06 Monday.md", "2024-05-06"),
        ("2023/telcons/09-04-minutes.md", "2023-09-04"),
        ("adr/2022-09-18-catalog/README.md", "2022-09-18"),
        ("2024-05/06.md", "2024-05-06"),
        ("06-archive/2024/05/Old note.md", "2024-05-01"),
        ("2019/05-reykjavik/05-22-minutes.md", "2019-05-22"),
        ("2018/01-london/02-01-minutes.md", "2018-02-01"),
        ("2019/05/05-22.md", "2019-05-22"),
        ("2019/05/22-10-x.md", "2019-05-22"),
        ("2019/05-May/06-12-x.md", "2019-05-06"),
    ],
)
def test_date_in_the_path(path: str, day: str) -> None:
    """Folders of years, months and days."""
    assert find_date({}, path, MTIME)[:2] == (day, "path")


@pytest.mark.parametrize(
    "title", ["Session Summary : May 3, 2026 (Session 1)", "Meeting 2026-05-03", "会议 2026年5月3日"]
)
def test_date_in_the_title(title: str) -> None:
    """A title that says its day dates the note."""
    assert find_date({}, "note.md", MTIME, title=title)[:2] == ("2026-05-03", "title")


@pytest.mark.parametrize(
    "text",
    [
        "# ADR 7\n\nDate: 2017-09-04\n",
        "# T\n\n* Date: September 4, 2017\n",
        "# Call\n### Meeting Date/Time: Monday 2017/9/4 at 14:00 UTC\n",
        "# Call\n### Meeting Date/Time: 2017-Sept.-4- 14:00 UTC\n",
        "# Call\n### Meeting Date/Time: **September** **4th**, **2017**, **14:00** **UTC**\n",
        "# Call\n\n### Monday, September 4, 2017 at 14:00 UTC (10:00 ET)\n",
        "# T\n\n| Date | 2017-09-04 |\n|---|---|\n",
        "# T\n\n**Date created:** 2017-09-04\n",
        "# T\n\nMonday, 4 September 2017\n\ntext\n",
        "# T\n\n## Changelog\n\n- 2017-09-04: Initial draft\n- 2018-01-01: Changes\n",
        "intro\n\n# Notes of 4 Sept 2017\n",
        "# 标题\n\n日期：2017-09-04\n",
    ],
)
def test_date_at_the_top_of_the_text(text: str) -> None:
    """A labelled line, a line that is a date, a first version, or the first heading."""
    assert find_date({}, "note.md", MTIME, text=text)[:2] == ("2017-09-04", "text")


@pytest.mark.parametrize(
    "text",
    [
        "# T\n\nNext meeting date: 2017-09-04\n",
        "# T\n\nLast updated date: 2017-09-04\n",
        "# T\n\nWe met on 2017-09-04 and talked about the date of the release.\n",
        "# T\n\nDate: see the note of the meeting that was held on 2017-09-04\n",
        "# T\n" + "line\n" * 40 + "Date: 2017-09-04\n",
    ],
)
def test_other_dates_in_the_text_do_not_date_the_note(text: str) -> None:
    """Dates in sentences, of updates and of other events are not the note's."""
    assert find_date({}, "note.md", MTIME, text=text).source == "mtime"


def test_order_of_sources() -> None:
    """Front matter beats file name beats path beats title beats text."""
    meta: dict[str, Any] = {"date": "2021-01-01"}
    path, title, text = "2023/03/03/2022-02-02.md", "On 2024-04-04", "Date: 2025-05-05"
    assert find_date(meta, path, MTIME, title=title, text=text).date == "2021-01-01"
    assert find_date({}, path, MTIME, title=title, text=text).date == "2022-02-02"
    assert find_date({}, "2023/03/03.md", MTIME, title=title, text=text).date == "2023-03-03"
    assert find_date({}, "note.md", MTIME, title=title, text=text).date == "2024-04-04"
    assert find_date({}, "note.md", MTIME, text=text).date == "2025-05-05"


def test_f29_date_keys() -> None:
    """Keys match without case and separators, and are a setting."""
    for key in (
        "date",
        "Created",
        "created_at",
        "Date Created",
        "file creation date",
        "dateCreated",
        "creation-date",
    ):
        assert find_date({key: "2024-05-06"}, "x.md", MTIME)[:2] == ("2024-05-06", f"front matter:{key}")
    file = SourceFile("", "x.md", "note", 1, MTIME)
    document = parse(file, b"---\nwhen it was: 2024-05-06\n---\n", ParseOptions(date_keys=("when_it_was",)))
    assert (document.date, document.date_source) == ("2024-05-06", "front matter:when it was")


@pytest.mark.parametrize("key", ["updated", "modified", "last_modified", "due"])
def test_change_is_not_the_date(key: str) -> None:
    """When a note was changed or is due is not its date."""
    assert find_date({key: "2024-05-06"}, "x.md", MTIME).source == "mtime"


@pytest.mark.parametrize(
    "value",
    [
        "2024-05-06", "2024-05-06T10:00:00Z", "2024-05-06 10:00", "May 6, 2024", 20240506, "2024/5/6", "2567-05-06",
        "Mon May 06 2024 19:14:04 GMT-0800", "2024 May 6", "20240506T101500Z", "06.05.2024", "2024-W19", "6 mei 2024",
    ],
)  # fmt: skip
def test_forms_in_front_matter(value: Any) -> None:
    """ISO, in words, compact, weeks and Buddhist years."""
    assert find_date({"date": value}, "x.md", MTIME).date == "2024-05-06"


@pytest.mark.parametrize("value", [1715000000, 1715000000000, "1715000000"])
def test_unix_times(value: Any, in_zone: Any) -> None:
    """Seconds and milliseconds since 1970 give the local day."""
    in_zone("UTC")
    assert find_date({"created": value}, "x.md", MTIME).date == "2024-05-06"


@pytest.mark.parametrize(
    "value", ["2026-13-40", "03/04/26", "03/04/2026", "2024-02-30", "{{date}}", "soon", "May 2024", 2024]
)
def test_impossible_and_ambiguous_dates_are_problems(value: Any) -> None:
    """What has no single reading is no date, and it is said."""
    found = find_date({"date": value}, "x.md", MTIME)
    assert found.source == "mtime" and len(found.problems) == 1


def test_impossible_date_in_a_file_name_is_a_problem() -> None:
    """So in names."""
    assert find_date({}, "2026-13-40.md", MTIME).problems
    assert find_date({}, "06-05-2024.md", MTIME).problems


def test_empty_or_switch_values_are_silent() -> None:
    """`published: true` and an empty key are not faults."""
    assert find_date({"date": None, "published": True, "created": ""}, "x.md", MTIME).problems == ()


@pytest.mark.parametrize(
    "name", ["0016-decryption", "call_100", "pep-2026", "rfc-2616", "v1.2.3", "port 8080", "10.0.0.1"]
)
def test_numbers_in_names_are_no_dates(name: str) -> None:
    """Counters, versions and addresses."""
    assert find_date({}, name + ".md", MTIME).source == "mtime"


def test_mtime_is_the_local_day(in_zone: Any) -> None:
    """22:13 UTC is the next day in Tokyo."""
    in_zone("UTC")
    assert find_date({}, "x.md", MTIME)[:2] == ("2023-11-14", "mtime")
    in_zone("Asia/Tokyo")
    assert find_date({}, "x.md", MTIME)[:2] == ("2023-11-15", "mtime")


@pytest.mark.parametrize("mtime", [10**30, -(10**30)])
def test_absurd_mtime_is_a_problem(mtime: int) -> None:
    """A time out of range dates nothing."""
    assert find_date({}, "x.md", mtime).date is None


@pytest.mark.parametrize(
    "written",
    [
        "2026-03-02", "2026/03/02", "2026.3.2", "March 2, 2026", "Mar. 2, 2026", "2 March 2026", "2nd of March 2026",
        "2-Mar-2026", "2026年3月2日", "2026년 3월 2일", "2 มี.ค. 2569", "2 มีนาคม พ.ศ. 2569", "2. März 2026",
        "2 mars 2026",
        "2 de marzo de 2026", "2 марта 2026", "2 marca 2026", "2 tháng 3 năm 2026", "02.03.2026", "MARCH 2 2026",
    ],
)  # fmt: skip
def test_dates_in_prose(written: str) -> None:
    """Explicit dates of many languages, with the place they stand at."""
    text = f"🎉 was decided on {written}, finally"
    ((start, end, iso),) = dates_in(text)
    assert text[start:end] == written and iso == "2026-03-02"


def test_several_dates_in_order() -> None:
    """Each with its own place."""
    assert [iso for _, _, iso in dates_in("from 2026-03-02 to May 6, 2026 or 25/12/2026")] == [
        "2026-03-02",
        "2026-05-06",
        "2026-12-25",
    ]


@pytest.mark.parametrize(
    "text", ["03/04/2026", "version 1.2.2026", "2026-13-40", "call 2 people 2026", "12345-01-01", "may 2026"]
)
def test_no_dates_in_prose(text: str) -> None:
    """Ambiguous, impossible or no dates."""
    assert dates_in(text) == [] or text.startswith("version")


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 12, 31)))
def test_every_day_is_found_in_each_form(day: Any) -> None:
    """ISO, compact and English forms give the same day back."""
    for written in (day.isoformat(), f"{day:%B} {day.day}, {day.year}", f"{day.day} {day:%b} {day.year}"):
        assert [iso for _, _, iso in dates_in(f"x {written} y")] == [day.isoformat()]
    assert find_date({}, f"{day:%Y%m%d}.md", MTIME).date == day.isoformat()


@given(st.text(max_size=200))
def test_dates_in_never_raises(text: str) -> None:
    """Any text gives a list in order."""
    found = dates_in(text)
    assert found == sorted(found)


@pytest.mark.parametrize(
    "written",
    (
        "5 март 2024|ngày 5 tháng 3 năm 2024|5 במרץ 2024|۵ مارس ۲۰۲۴|5 مارچ 2024|5 مارس 2024|5 मार्च 2024|"
        "৫ মার্চ ২০২৪|৫ মার্চ, ২০২৪|5 மார்ச் 2024|5 మార్చి 2024|५ मार्च २०२४|5 માર્ચ 2024|5 ಮಾರ್ಚ್ 2024|"
        "5 മാർച്ച് 2024|5 ਮਾਰਚ 2024|2024 මාර්තු 5|5 მარტი 2024|5 մարտի 2024|2024 թ. մարտի 5|5 ማርች 2024|"
        "5 មីនា 2024|ថ្ងៃទី ៥ ខែមីនា ឆ្នាំ២០២៤|5 ມີນາ 2024|ວັນທີ 5 ເດືອນມີນາ ປີ 2024|၂၀၂၄ ခုနှစ် မတ်လ ၅ ရက်|"
        "5 наурыз 2024|5. ožujka 2024|5. март 2024|5. märts 2024|5 de març de 2024|"
        "5 มีนาคม 2567"
    ).split("|"),
)
def test_a_date_in_words_of_any_language(written: str) -> None:
    """With the month's name, in the digits of the script, in its order."""
    assert [iso for _, _, iso in dates_in(written)] == ["2024-03-05"]


@pytest.mark.parametrize(
    "label", ["Dátum", "Ημερομηνία", "Ngày", "Tanggal", "תאריך", "تاریخ", "التاريخ", "दिनांक", "தேதி", "วันที่"]
)
def test_a_line_labelled_as_the_date_in_any_language(label: str) -> None:
    """It is the date of the note, and other dates are not."""
    found = find_date(
        {},
        "a.md",
        0,
        text=f"# Note\n\nAtlas opened on 2020-01-02 in Paris and Rome\n{label}: 2024-03-05, Paris and elsewhere\n",
    )
    assert (found.date, found.source) == ("2024-03-05", "text")


@pytest.mark.parametrize("written", ["5 मई 2024", "৫ মে ২০২৪", "5 мамыр 2024"])
def test_a_name_of_a_month_may_have_two_signs(written: str) -> None:
    """In scripts that write its vowel as a mark."""
    assert [iso for _, _, iso in dates_in(written)] == ["2024-05-05"]
