"""The reason inside a decision, in the languages notes are written in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.events.reasons import first_sentence, split_reason


@pytest.mark.parametrize(
    ("text", "what", "reason"),
    [
        ("Chose tantivy because whoosh is slow", "Chose tantivy", "whoosh is slow"),
        ("Drip hose in every bed, so that leaves stay dry", "Drip hose in every bed", "so that leaves stay dry"),
        ("WebP for covers, to avoid a third of the traffic", "WebP for covers", "to avoid a third of the traffic"),
        ("Runs move indoors, due to smoke", "Runs move indoors", "smoke"),
        ("Chose tantivy since whoosh is dead. It is fast.", "Chose tantivy", "whoosh is dead"),
        ("We ship on Tuesday, as nobody is around on Friday", "We ship on Tuesday", "nobody is around on Friday"),
        ("Dropped X (because it was slow)", "Dropped X", "it was slow"),
        ("Because Redis lost events, webhooks move to Postgres", "webhooks move to Postgres", "Redis lost events"),
        ("To avoid downtime, we moved the index", "we moved the index", "To avoid downtime"),
        ("Wir nehmen ZPL, weil die Drucker PDF verkleinern", "Wir nehmen ZPL", "die Drucker PDF verkleinern"),
        ("Wir nehmen sqlite, um Arbeit zu sparen", "Wir nehmen sqlite", "um Arbeit zu sparen"),
        ("Nous quittons AWS parce que le prix double", "Nous quittons AWS", "le prix double"),
        ("Usamos sqlite, ya que es simple", "Usamos sqlite", "es simple"),
        ("Trocamos de host para evitar custos", "Trocamos de host", "para evitar custos"),
        ("Usiamo sqlite perché è semplice", "Usiamo sqlite", "è semplice"),
        ("Gestopt met Redis omdat het traag is", "Gestopt met Redis", "het traag is"),
        ("Перешли на pnpm, потому что быстрее", "Перешли на pnpm", "быстрее"),
        ("Wybraliśmy sqlite, ponieważ jest prosty", "Wybraliśmy sqlite", "jest prosty"),
        ("Vi bytte till pnpm eftersom det är snabbt", "Vi bytte till pnpm", "det är snabbt"),
        ("Bỏ Redis vì nó chậm", "Bỏ Redis", "nó chậm"),
        ("Redis'i bıraktık çünkü yavaştı", "Redis'i bıraktık", "yavaştı"),
        ("تركنا ريديس لأن السعر مرتفع", "تركنا ريديس", "السعر مرتفع"),
        ("हमने Redis छोड़ा क्योंकि वह धीमा था", "हमने Redis छोड़ा", "वह धीमा था"),
        ("Pindah ke pnpm karena lebih cepat", "Pindah ke pnpm", "lebih cepat"),
        ("ตั้งเวลารดน้ำวันละครั้ง เพราะเซ็นเซอร์หมด", "ตั้งเวลารดน้ำวันละครั้ง", "เซ็นเซอร์หมด"),
        ("读书会改读纸质书，因为做笔记更方便", "读书会改读纸质书", "做笔记更方便"),
        ("由于成本太高，我们放弃了 Kafka", "我们放弃了 Kafka", "成本太高"),
        ("サーバーが遅いため、Postgres に移行した", "Postgres に移行した", "サーバーが遅いため"),
        ("决定放弃支付宝，改用微信支付。原因：手续费更低。", "决定放弃支付宝，改用微信支付", "手续费更低"),
        (
            "tantivy に変更することに決定した。理由: 速度が二十倍だから。",
            "tantivy に変更することに決定した",
            "速度が二十倍だから",
        ),
        ("깃허브 액션으로 바꾸기로 했다. 이유: 관리가 쉽다.", "깃허브 액션으로 바꾸기로 했다", "관리가 쉽다"),
        ("Перешли на pnpm. Причина: быстрее", "Перешли на pnpm", "быстрее"),
        ("비용이 크기 때문에 Kafka를 버렸다", "Kafka를 버렸다", "비용이 크기 때문에"),
        ("Kafka를 버렸다. 비용이 크기 때문이다.", "Kafka를 버렸다", "비용이 크기 때문이다"),
        ("例会を廃止した。時間がかかるからだ。", "例会を廃止した", "時間がかかるからだ"),
    ],
)
def test_reason_is_split_off_word_for_word(text: str, what: str, reason: str) -> None:
    """Joining words stay out of the quotation, telling ones in."""
    assert split_reason(text) == (what, reason)


@pytest.mark.parametrize(
    "text", ["In use since 2019", "Counts move at least as fast", "We use pnpm as the manager", "Why?"]
)
def test_no_reason_is_invented(text: str) -> None:
    """Words that can join do not always."""
    assert split_reason(text) == (text, "")


def test_contrast_is_the_reason_only_without_another() -> None:
    """`rather than` stays in what was decided, and yields to `because`."""
    assert split_reason("Opaque tokens rather than JWT") == ("Opaque tokens rather than JWT", "rather than JWT")
    assert split_reason("Brass rather than plastic, because two cracked") == (
        "Brass rather than plastic",
        "two cracked",
    )


def test_sentence_does_not_end_at_an_abbreviation_or_a_number() -> None:
    """Full stops inside are no ends."""
    assert first_sentence("Version 2.5 e.g. works. The rest") == "Version 2.5 e.g. works"


@given(st.text(max_size=300))
def test_parts_are_pieces_of_the_text(text: str) -> None:
    """Nothing is made up: what and reason stand in the text."""
    what, reason = split_reason(text)
    assert what in text
    assert reason in text
