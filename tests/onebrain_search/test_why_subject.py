"""Whether two decisions are about the same thing, and whether a later one ends an earlier one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.types import Event
from onebrain_search.answer import subject


def decision(what: str, date: str | None, path: str = "", status: str = "") -> Event:
    """Return a decision of a day, by default in a note of that day."""
    return Event(0, "", path or f"logs/{date}.md", 5, date, "text" if date else "", what, status=status)


def even(term: str) -> float:
    """Return the same rarity for every word."""
    return 1.0


def ends(earlier: str, later: str) -> bool:
    """Whether one decision ends another one of the year before."""
    return subject.is_ended(decision(earlier, "2020-01-01"), decision(later, "2021-01-01"), even)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Mail is sorted by hand", "Mail is no longer sorted by hand"),
        ("Mail is sorted by hand", "Replaced sorting mail by hand with a machine"),
        ("The rate is 100 a minute", "The rate goes up to 200 a minute"),
        ("Tea is served at four", "Tea is served at five instead of four"),
        ("Die Post wird mittags sortiert", "Die Post wird abends statt mittags sortiert"),
        ("Le courrier est trié à midi", "Le courrier est trié le soir au lieu de midi"),
        ("El correo se ordena a mano", "El correo ya no se ordena a mano"),
        ("Почту сортируют вручную", "Почту больше не сортируют вручную"),
        ("O correio é separado à mão", "O correio não é mais separado à mão"),
        ("La posta è smistata a mano", "La posta non è più smistata a mano"),
        ("De post wordt met de hand gesorteerd", "De post wordt niet meer met de hand gesorteerd"),
        ("Poczta jest sortowana ręcznie", "Poczta już nie jest sortowana ręcznie"),
        ("Posten sorteras för hand", "Posten sorteras inte längre för hand"),
        ("Thư được phân loại bằng tay", "Thư không còn được phân loại bằng tay"),
        ("Posta elle ayrılır", "Posta artık elle ayrılmaz"),
        ("Surat disortir dengan tangan", "Surat tidak lagi disortir dengan tangan"),
        ("البريد يفرز باليد", "البريد يفرز بالآلة بدلا من اليد"),
        ("डाक हाथ से छाँटी जाती है", "डाक हाथ के बजाय मशीन से छाँटी जाती है"),
        ("读书会读纸质书", "读书会改读电子书"),
        ("ตั้งเวลารดน้ำวันละครั้ง", "เลิกตั้งเวลารดน้ำวันละครั้ง"),
        ("郵便は手で仕分ける", "郵便を手で仕分けるのをやめる"),
        ("우편은 손으로 분류한다", "우편은 손으로 분류하지 않고 기계로 변경한다"),
    ],
)
def test_a_later_change_of_the_same_subject_ends_a_decision(earlier: str, later: str) -> None:
    """In the languages that notes are written in."""
    assert ends(earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("We meet every Monday at nine to share the news", "Cancelled the meeting on Monday"),
        ("Das Wochentreffen ist montags um neun im großen Saal", "Das Wochentreffen wird abgeschafft"),
        ("Usamos Heroku en la tienda", "Abandonar Heroku y pasar a Fly.io"),
        ("Отчёты хранятся в Confluence для всех отделов", "Отказаться от Confluence в пользу Outline"),
        ("نستخدم MySQL في المتجر", "التخلي عن MySQL والانتقال إلى PostgreSQL"),
        ("डेटा MySQL में रखा जाएगा", "MySQL छोड़कर PostgreSQL अपनाया"),
        ("支付渠道使用支付宝", "放弃支付宝，采用微信支付"),
        ("検索エンジンは whoosh とする", "whoosh をやめて tantivy を使うこととする"),
        ("배포 도구를 젠킨스로 정했다", "젠킨스를 그만두고 깃허브 액션을 쓴다"),
        ("ระบบชำระเงินใช้ MySQL", "เลิกใช้ MySQL แล้วใช้ PostgreSQL"),
    ],
)
def test_a_decision_ends_what_it_names_as_what_it_turns_away_from(earlier: str, later: str) -> None:
    """Though the new thing, and the circumstances of the old one, are words of one of them only."""
    assert ends(earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Mail is sorted by hand", "Mail is sorted by hand, as ever"),  # says the same again
        ("Mail is sorted by hand", "Letters to the editor are answered instead of ignored"),  # another subject
        ("Sandbox data is wiped every night", "Sandbox data lies in Frankfurt"),  # both hold
        ("Rejected tea at four", "Replaced the kettle"),
        ("Letters are answered within a day", "Cancelled the party for the people who wrote letters to the mayor"),
        ("Moved lunch from noon to one", "Lunch is moved from noon to one in all offices"),  # the same move
        ("Nous avons choisi PostgreSQL", "Nous avons supprimé la réunion quotidienne"),  # the same grammar
        ("Wir haben PostgreSQL gewählt", "Wir haben das Treffen abgeschafft"),
    ],
)
def test_other_decisions_end_nothing(earlier: str, later: str) -> None:
    """Neither what repeats it nor what is near it, nor what is about another thing in words of the same grammar."""
    assert not ends(earlier, later)


@pytest.mark.parametrize("status", ["rejected", "proposed", "deferred", "withdrawn"])
def test_what_was_never_in_force_ends_nothing(status: str) -> None:
    """A refused reversal leaves everything as it was."""
    earlier = decision("Mail is sorted by hand", "2020-01-01")
    later = decision("Mail is no longer sorted by hand", "2021-01-01", status=status)
    assert not subject.is_ended(earlier, later, even)


def test_an_undated_decision_ends_nothing_and_is_not_ended() -> None:
    """Nobody knows which came first."""
    dated, undated = decision("Tea at four", "2020-01-01"), decision("Tea at five instead of four", None)
    assert not subject.is_ended(dated, undated, even)
    assert not subject.is_ended(undated, dated, even)


def test_lines_of_one_note_and_day_end_each_other_not() -> None:
    """They were written together."""
    one = decision("Tea is served at four", "2020-01-01", "a.md")
    other = decision("Tea is served at five instead of four", "2020-01-01", "a.md")
    assert not subject.is_ended(one, other, even)


def test_on_one_day_what_changes_something_comes_after_what_does_not() -> None:
    """In notes of different folders, which have no order."""
    one = decision("Tea is served at four", "2020-01-01", "z/plan.md")
    other = decision("Tea is served at five instead of four", "2020-01-01", "a/log.md")
    assert subject.is_ended(one, other, even)
    assert not subject.is_ended(other, one, even)


def test_words_of_deciding_are_not_what_a_decision_is_about() -> None:
    """Two refusals have nothing in common by being refusals."""
    one, other = subject.about("Rejected the van rather than"), subject.about("Rejected the choir rather than")
    assert subject.alike(one, other, even) == 0


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_can_be_compared(one: str, other: str) -> None:
    """The likeness is a share, the same both ways."""
    first, second = subject.about(one), subject.about(other)
    assert 0 <= subject.alike(first, second, even) == subject.alike(second, first, even) <= 1


@given(st.text(max_size=300), st.text(max_size=300))
def test_of_two_decisions_at_most_the_earlier_one_is_ended(one: str, other: str) -> None:
    """Whatever they say."""
    earlier, later = decision(one, "2020-01-01"), decision(other, "2021-01-01")
    assert not subject.is_ended(later, earlier, even)
