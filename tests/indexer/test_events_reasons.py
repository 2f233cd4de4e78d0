"""The reason inside a decision, in the languages notes are written in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.events.reasons import first_sentence, split_reason
from indexer.events.wording import role


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
        (
            "Nous avons choisi PostgreSQL parce qu'il gère la recherche plein texte.",
            "Nous avons choisi PostgreSQL",
            "il gère la recherche plein texte",
        ),
        (
            "Nous avons supprimé la réunion quotidienne, car elle prenait trop de temps.",
            "Nous avons supprimé la réunion quotidienne",
            "elle prenait trop de temps",
        ),
        (
            "Tam metin aramayı desteklediği için PostgreSQL'i seçtik.",
            "PostgreSQL'i seçtik",
            "Tam metin aramayı desteklediği için",
        ),
        (
            "Günlük toplantıyı kaldırdık çünkü çok zaman alıyordu.",
            "Günlük toplantıyı kaldırdık",
            "çok zaman alıyordu",
        ),
        (
            "Отказахме се от ежедневната среща, понеже отнемаше твърде много време.",
            "Отказахме се от ежедневната среща",
            "отнемаше твърде много време",
        ),
        ("בחרנו ב-PostgreSQL כי הוא תומך בחיפוש טקסט מלא.", "בחרנו ב-PostgreSQL", "הוא תומך בחיפוש טקסט מלא"),
        ("הפסקנו את הפגישה היומית משום שהיא לקחה יותר מדי זמן.", "הפסקנו את הפגישה היומית", "היא לקחה יותר מדי זמן"),
        (
            "ہم نے روزانہ کی میٹنگ بند کر دی کیونکہ اس میں بہت وقت لگتا تھا۔",
            "ہم نے روزانہ کی میٹنگ بند کر دی",
            "اس میں بہت وقت لگتا تھا",
        ),
        (
            "முழு உரைத் தேடலை ஆதரிப்பதால் PostgreSQL ஐத் தேர்ந்தெடுத்தோம்.",
            "PostgreSQL ஐத் தேர்ந்தெடுத்தோம்",
            "முழு உரைத் தேடலை ஆதரிப்பதால்",
        ),
        (
            "தினசரி கூட்டத்தை நிறுத்தினோம், ஏனெனில் அதற்கு அதிக நேரம் ஆனது.",
            "தினசரி கூட்டத்தை நிறுத்தினோம்",
            "அதற்கு அதிக நேரம் ஆனது",
        ),
        (
            "పూర్తి పాఠ శోధనకు మద్దతు ఇస్తుంది కాబట్టి PostgreSQL ఎంచుకున్నాము.",
            "PostgreSQL ఎంచుకున్నాము",
            "పూర్తి పాఠ శోధనకు మద్దతు ఇస్తుంది కాబట్టి",
        ),
        ("రోజువారీ సమావేశాన్ని ఆపేశాము ఎందుకంటే దానికి చాలా సమయం పట్టేది.", "రోజువారీ సమావేశాన్ని ఆపేశాము", "దానికి చాలా సమయం పట్టేది"),
        ("અમે રોજની બેઠક બંધ કરી કારણ કે તેમાં બહુ સમય લાગતો હતો.", "અમે રોજની બેઠક બંધ કરી", "તેમાં બહુ સમય લાગતો હતો"),
        (
            "ದೈನಂದಿನ ಸಭೆಯನ್ನು ನಿಲ್ಲಿಸಿದೆವು ಏಕೆಂದರೆ ಅದಕ್ಕೆ ತುಂಬಾ ಸಮಯ ಬೇಕಾಗುತ್ತಿತ್ತು.",
            "ದೈನಂದಿನ ಸಭೆಯನ್ನು ನಿಲ್ಲಿಸಿದೆವು",
            "ಅದಕ್ಕೆ ತುಂಬಾ ಸಮಯ ಬೇಕಾಗುತ್ತಿತ್ತು",
        ),
        (
            "പൂർണ്ണ ടെക്സ്റ്റ് തിരയൽ പിന്തുണയ്ക്കുന്നതിനാൽ PostgreSQL തിരഞ്ഞെടുത്തു.",
            "PostgreSQL തിരഞ്ഞെടുത്തു",
            "പൂർണ്ണ ടെക്സ്റ്റ് തിരയൽ പിന്തുണയ്ക്കുന്നതിനാൽ",
        ),
        (
            "ദിവസേനയുള്ള യോഗം നിർത്തി, കാരണം അതിന് വളരെയധികം സമയം എടുത്തിരുന്നു.",
            "ദിവസേനയുള്ള യോഗം നിർത്തി",
            "അതിന് വളരെയധികം സമയം എടുത്തിരുന്നു",
        ),
        (
            "ਅਸੀਂ ਰੋਜ਼ਾਨਾ ਮੀਟਿੰਗ ਬੰਦ ਕਰ ਦਿੱਤੀ ਕਿਉਂਕਿ ਇਸ ਵਿੱਚ ਬਹੁਤ ਸਮਾਂ ਲੱਗਦਾ ਸੀ।",
            "ਅਸੀਂ ਰੋਜ਼ਾਨਾ ਮੀਟਿੰਗ ਬੰਦ ਕਰ ਦਿੱਤੀ",
            "ਇਸ ਵਿੱਚ ਬਹੁਤ ਸਮਾਂ ਲੱਗਦਾ ਸੀ",
        ),
        (
            "සම්පූර්ණ පෙළ සෙවීමට සහය දක්වන නිසා අපි PostgreSQL තෝරා ගත්තා.",
            "අපි PostgreSQL තෝරා ගත්තා",
            "සම්පූර්ණ පෙළ සෙවීමට සහය දක්වන නිසා",
        ),
        ("වැඩි කාලයක් ගත වූ නිසා අපි දිනපතා රැස්වීම නැවැත්තුවා.", "අපි දිනපතා රැස්වීම නැවැත්තුවා", "වැඩි කාලයක් ගත වූ නිසා"),
        ("हामीले दैनिक बैठक बन्द गर्यौं किनकि धेरै समय लाग्थ्यो।", "हामीले दैनिक बैठक बन्द गर्यौं", "धेरै समय लाग्थ्यो"),
        (
            "ყოველდღიურ შეხვედრებზე უარი ვთქვით, რადგან ძალიან დიდ დროს იღებდა.",
            "ყოველდღიურ შეხვედრებზე უარი ვთქვით",
            "ძალიან დიდ დროს იღებდა",
        ),
        (
            "Մենք հրաժարվեցինք ամենօրյա հանդիպումից, քանի որ այն շատ ժամանակ էր խլում։",
            "Մենք հրաժարվեցինք ամենօրյա հանդիպումից",
            "այն շատ ժամանակ էր խլում",
        ),
        ("ዕለታዊ ስብሰባውን አቆምን ምክንያቱም ብዙ ጊዜ ይወስድ ነበር።", "ዕለታዊ ስብሰባውን አቆምን", "ብዙ ጊዜ ይወስድ ነበር"),
        ("យើងបានបញ្ឈប់ការប្រជុំប្រចាំថ្ងៃ ពីព្រោះវាស៊ីពេលច្រើនពេក។", "យើងបានបញ្ឈប់ការប្រជុំប្រចាំថ្ងៃ", "វាស៊ីពេលច្រើនពេក"),
        ("ພວກເຮົາຢຸດການປະຊຸມປະຈຳວັນ ເພາະວ່າມັນໃຊ້ເວລາຫຼາຍເກີນໄປ", "ພວກເຮົາຢຸດການປະຊຸມປະຈຳວັນ", "ມັນໃຊ້ເວລາຫຼາຍເກີນໄປ"),
        ("စာသားအပြည့်အစုံ ရှာဖွေမှုကို ပံ့ပိုးတဲ့အတွက် PostgreSQL ကို ရွေးခဲ့တယ်။", "PostgreSQL ကို ရွေးခဲ့တယ်", "စာသားအပြည့်အစုံ ရှာဖွေမှုကို ပံ့ပိုးတဲ့အတွက်"),
        ("နေ့စဉ်အစည်းအဝေးကို ရပ်လိုက်တယ် ဘာဖြစ်လို့လဲဆိုတော့ အချိန်အများကြီး ကုန်လို့။", "နေ့စဉ်အစည်းအဝေးကို ရပ်လိုက်တယ်", "အချိန်အများကြီး ကုန်လို့"),
        (
            "Tuliacha mkutano wa kila siku kwa kuwa ulichukua muda mwingi.",
            "Tuliacha mkutano wa kila siku",
            "ulichukua muda mwingi",
        ),
        ("A dá ìpàdé ojoojúmọ́ dúró nítorí pé ó ń gba àkókò púpọ̀.", "A dá ìpàdé ojoojúmọ́ dúró", "ó ń gba àkókò púpọ̀"),
        (
            "Gündəlik iclasdan imtina etdik, çünki çox vaxt aparırdı.",
            "Gündəlik iclasdan imtina etdik",
            "çox vaxt aparırdı",
        ),
        (
            "Күнделікті жиналыстан бас тарттық, өйткені ол көп уақыт алатын.",
            "Күнделікті жиналыстан бас тарттық",
            "ол көп уақыт алатын",
        ),
        ("Nous partons afin d'éviter les frais", "Nous partons", "afin d'éviter les frais"),
        ("भारी लागत के कारण हमने Kafka छोड़ा", "हमने Kafka छोड़ा", "भारी लागत के कारण"),
        ("हमने Kafka छोड़ा क्योंकि वह धीमा था। अब Redis है।", "हमने Kafka छोड़ा", "वह धीमा था"),
        ("A magas ár miatt lecseréltük a szolgáltatót", "lecseréltük a szolgáltatót", "A magas ár miatt"),
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


@pytest.mark.parametrize(
    "heading",
    "Решения|فیصلے|निर्णयहरू|નિર્ણયો|ਫ਼ੈਸਲੇ|முடிவுகள்|నిర్ణయాలు|ನಿರ್ಧಾರಗಳು|തീരുമാനങ്ങൾ|තීරණ|გადაწყვეტილებები|Որոշումներ|ውሳኔዎች|"
    "ការសម្រេចចិត្ត|ການຕັດສິນໃຈ|ဆုံးဖြတ်ချက်များ|Maamuzi|Àwọn ìpinnu|Qərarlar|Шешімдер|Odluke|Otsused".split("|"),
)
def test_a_section_of_decisions_is_told_by_its_heading(heading: str) -> None:
    """In languages of every script."""
    assert role(heading) == "decisions"
