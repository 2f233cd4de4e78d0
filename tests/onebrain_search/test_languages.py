"""Small vaults in other languages than English, from the files to the answer: by meaning and by words alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.embed import multilingual
from indexer.embed.carrier import Carrier
from onebrain_search import Brain
from onebrain_search.config import Embedding
from onebrain_search.models import Models

MakeVault = Callable[..., Path]

FIXTURES = Path(__file__).resolve().parents[2] / "vault_fixtures"

TWO_NOTES = {
    "pay.md": "# การชำระเงิน\n\nเราลองชำระเงินใหม่สามครั้งเพราะธนาคารล่มตอนกลางคืน\n",
    "garden.md": "# สวนผัก\n\nมะเขือเทศต้องการแดดและน้ำทุกวัน\n",
}
ASKED = {
    "ธนาคารล่มเมื่อไหร่": "pay.md",
    "ลองชำระเงินใหม่กี่ครั้ง": "pay.md",
    "มะเขือเทศต้องการอะไร": "garden.md",
    "มะเขือเทศ": "garden.md",
}
NOTES = {
    "ko.md": "# 냉동 창고\n\n냉동기에서 압력 저하가 발견되었다. 다음 점검은 화요일 오전 아홉 시에 한다.\n",
    "ja.md": "# 図書室の鍵\n\n図書室の鍵は受付の引き出しにある。予備の鍵は校長先生が持っている。\n",
    "zh.md": "# 支付重试\n\n付款失败后会重试三次。每次间隔十分钟。\n",
    "ru.md": "# Хостинг\n\nСервер стоит в Хельсинки. Резервные копии делаются по воскресеньям.\n",
}
CHAINS = {
    "ja.md": "- 2026-02-05: 検索エンジンは whoosh に決定した。理由: 導入が簡単だから。\n"
    "- 2026-05-01: whoosh をやめて tantivy に変更することに決定した。理由: 速度が二十倍だから。\n",
    "zh.md": "- 2026-01-10：决定使用支付宝作为支付渠道。原因：用户最多。\n"
    "- 2026-05-20：决定放弃支付宝，改用微信支付。原因：手续费更低。\n",
    "ko.md": "- 2026-02-03: 배포 도구를 젠킨스로 정했다. 이유: 팀이 이미 알고 있다.\n"
    "- 2026-04-10: 젠킨스를 그만두고 깃허브 액션으로 바꾸기로 결정했다. 이유: 관리에 시간이 많이 든다.\n",
    "th.md": "- 2026-03-01: ตัดสินใจใช้ MySQL เพราะทีมคุ้นเคย\n"
    "- 2026-06-02: ตัดสินใจเลิกใช้ MySQL และเปลี่ยนไปใช้ PostgreSQL เพราะต้องการค้นหาภาษาไทย\n",
    "ru.md": "- 2026-01-15: решили использовать Hetzner, потому что это дешевле.\n"
    "- 2026-04-20: решили отказаться от Hetzner и перейти на Selectel, потому что так велит закон.\n",
    "es.md": "- 2026-01-15: decidimos usar Heroku para el despliegue porque es sencillo.\n"
    "- 2026-04-20: decidimos abandonar Heroku y pasar a Fly.io porque es más barato.\n",
    "de.md": "- 2026-01-15: Wir haben uns für Jenkins entschieden, weil das Team es kennt.\n"
    "- 2026-04-20: Wir haben beschlossen, Jenkins aufzugeben, weil der Betrieb zu viel Zeit kostet.\n",
    "ar.md": "- 2026-01-15: قررنا استخدام Redis لأن الفريق يعرفها.\n"
    "- 2026-04-20: قررنا التخلي عن Redis والانتقال إلى Valkey لأن الترخيص تغير.\n",
    "hi.md": "- 2026-01-15: हमने Oracle का उपयोग करने का निर्णय लिया क्योंकि टीम इसे जानती है।\n"
    "- 2026-04-20: हमने Oracle छोड़कर SQLite अपनाने का फैसला किया क्योंकि लाइसेंस महंगा है।\n",
}
HEADINGS = {
    "ja.md": "決定", "zh.md": "决定", "ko.md": "결정", "th.md": "การตัดสินใจ", "ru.md": "Решения",
    "es.md": "Decisiones", "de.md": "Entscheidungen", "ar.md": "القرارات", "hi.md": "निर्णय",
}  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder in which the multilingual model is unpacked."""
    folder = tmp_path_factory.mktemp("home")
    multilingual.unpacked(folder / "models")
    return folder


def test_a_vault_of_two_thai_notes_answers_what_they_say(home: Path, vault: MakeVault) -> None:
    """With so few passages, neither a cosine nor the rarity of a word means what it means in many."""
    brain = Brain.open(vault(TWO_NOTES), environ={"ONEBRAIN_SEARCH_HOME": str(home)})
    brain.index()
    for question, path in ASKED.items():
        answer = brain.ask(question)
        assert answer.sources[0].chunk.path == path and answer.text, question
        assert answer.confidence in ("strong", "weak"), question
    assert brain.ask("เมืองหลวงของฝรั่งเศสคือที่ไหน").confidence == "none"


def test_so_it_does_by_words_alone(
    home: Path, vault: MakeVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the multilingual model is not installed, and the English one stands aside."""
    monkeypatch.setattr(multilingual, "PACKED", Carrier("no_such_package", "none", "e5.bin", "", "the-extra"))
    brain = Brain.open(vault(TWO_NOTES), environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")})
    brain.index()
    for question, path in ASKED.items():
        answer = brain.ask(question)
        assert answer.sources[0].chunk.path == path and answer.text, question
        assert answer.confidence in ("strong", "weak"), question
    assert brain.ask("เมืองหลวงของฝรั่งเศสคือที่ไหน").confidence == "none"


def test_answers_are_sentences_of_their_language(home: Path, vault: MakeVault) -> None:
    """Whole ones, word for word, though a script has no spaces."""
    brain = Brain.open(vault(NOTES), environ={"ONEBRAIN_SEARCH_HOME": str(home)})
    brain.index()
    for question, sentence in (
        ("다음 점검은 언제 하나요?", "다음 점검은 화요일 오전 아홉 시에 한다."),
        ("予備の鍵は誰が持っていますか", "予備の鍵は校長先生が持っている。"),
        ("付款失败后重试几次？", "付款失败后会重试三次。"),
        ("Где стоит сервер?", "Сервер стоит в Хельсинки."),
    ):
        assert f"{sentence} [1]" in brain.ask(question, mode="what").text, question


def test_notes_of_signs_and_words_of_two_scripts_are_taken_in(home: Path, vault: MakeVault) -> None:
    """Emoji, code, and scripts mixed inside one word, read by the multilingual model: none waits, words are found."""
    odd = {
        "emoji.md": "🎉🎉🎉 🧊",
        "code.md": "```rust\nfn retry_payment(count: u8) -> bool { count < 3 }\n```\n",
        "mixed.md": "# ระบบLoginใหม่\n\nหน้าLoginขึ้นข้อความOTPไม่ถูกต้อง ทีมAPIกำลังแก้\n",
    }
    brain = Brain.open(vault({**TWO_NOTES, **odd}), environ={"ONEBRAIN_SEARCH_HOME": str(home)})
    report = brain.index()
    assert (report.pending, report.skipped) == (0, ())
    assert brain.snapshot().model == "multilingual"
    for word, path in (
        ("OTP", "mixed.md"),
        ("login", "mixed.md"),
        ("retry_payment", "code.md"),
        ("ข้อความ", "mixed.md"),
    ):
        assert brain.search(word)[0].chunk.path == path, word


def test_english_notes_of_every_kind_are_read_by_the_english_model(home: Path, tmp_path: Path) -> None:
    """The fixture vaults, whose few notes in other languages do not change that; so nothing changes for them."""
    for name in ("onebrain", "obsidian", "adr"):
        brain = Brain.open(FIXTURES / name, environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")})
        brain.index(vectors=False)
        choice = Models(home / "models").choose(Embedding(), brain.snapshot())
        assert (choice.model, choice.note) == ("english", ""), name


@pytest.mark.parametrize(
    ("question", "note", "reason"),
    [
        ("なぜ whoosh をやめたのですか？", "ja.md", "速度が二十倍だから"),
        ("为什么放弃支付宝？", "zh.md", "手续费更低"),
        ("왜 젠킨스를 그만두었나요?", "ko.md", "관리에 시간이 많이 든다"),
        ("ทำไมเราถึงเลิกใช้ MySQL", "th.md", "ต้องการค้นหาภาษาไทย"),
        ("почему мы отказались от Hetzner?", "ru.md", "так велит закон"),
        ("¿por qué abandonamos Heroku?", "es.md", "es más barato"),
        ("Warum haben wir Jenkins aufgegeben?", "de.md", "der Betrieb zu viel Zeit kostet"),
        ("لماذا تخلينا عن Redis؟", "ar.md", "الترخيص تغير"),
        ("हमने Oracle क्यों छोड़ा?", "hi.md", "लाइसेंस महंगा है"),
    ],
)
def test_a_chain_of_decisions_is_told_in_any_language(
    home: Path, vault: MakeVault, question: str, note: str, reason: str
) -> None:
    """Both decisions in the order of their dates, the first one replaced, the last one in force with its reason."""
    files = {name: f"# {name}\n\n## {HEADINGS[name]}\n\n{text}" for name, text in CHAINS.items()}
    brain = Brain.open(vault(files), environ={"ONEBRAIN_SEARCH_HOME": str(home)})
    brain.index(vectors=False)
    answer = brain.ask(question)
    assert answer.mode == "why"
    told = [(event.path, event.line, event.status) for event in answer.chain]
    assert told == [(note, 5, "superseded"), (note, 6, "")]
    assert answer.in_force is not None and answer.in_force.line == 6
    assert answer.in_force.reason == reason


@pytest.mark.parametrize("typed", ["saklanıyr", "SAKLANİYR", "sàklanıyr"])
def test_a_mistyped_word_may_hold_letters_that_are_folded(tmp_path: Path, vault: MakeVault, typed: str) -> None:
    """A dotless i, a dotted capital one, an accent."""
    environ = {"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")}
    brain = Brain.open(vault({"a.md": "# Depo\n\nKopya diskte saklanıyor.\n"}), environ=environ)
    brain.index(vectors=False)
    answer = brain.ask(typed, retrieval="lexical")
    assert [hit.chunk.path for hit in answer.sources] == ["a.md"]
    assert "no note has `saklaniyr`: searched for `saklaniyor`" in answer.notes


SPANISH = (
    "# Montaje\n\nEl técnico terminó la conexión de las bombas nuevas y anotó las presiones que había medido durante"
    " toda la mañana en el cuaderno del taller, junto con los nombres de quienes le ayudaron.\n"
)


def test_inflected_words_of_a_european_language_are_found_by_words_alone(tmp_path: Path, vault: MakeVault) -> None:
    """Another ending finds a Spanish note, and no English one that only begins alike."""
    english = (
        "# Terms\n\n" + "These are the terms of the contract, and it is for you to read that they are fair. " * 3
    )
    environ = {"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")}
    brain = Brain.open(vault({"montaje.md": SPANISH, "terms.md": english}), environ=environ)
    brain.index(vectors=False)
    for asked in ("conectar bombas", "terminaron", "presionado", "montajes"):
        found = brain.search(asked, retrieval="lexical")
        assert [hit.chunk.path for hit in found] == ["montaje.md"], asked
    reader = brain.snapshot().lexical
    assert reader.stems("terminaron") == ["terminaron", "termi*"] and reader.stems("contracts") == ["contract"]
