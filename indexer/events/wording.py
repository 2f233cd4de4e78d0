"""Words that tell what a section, a column or a line of a note is for, in the languages notes are written in."""

from __future__ import annotations

import re
from functools import lru_cache

from indexer.events.reasons import plain_words

_ROLES: tuple[tuple[str, str], ...] = (
    (
        "questions",
        r"open (?:questions?|issues?|points?)|questions?|unresolved|to be decided|offene? (?:fragen?|"
        r"punkte?)|offen|questions? ouvertes?|"
        r"preguntas(?: abiertas)?|perguntas(?: em aberto)?|domande(?: aperte)?|open vragen|"
        r"открытые вопросы|відкриті питання|"
        r"otwarte pytania|öppna frågor|åbne spørgsmål|câu hỏi|açık sorular|أسئلة|सवाल|pertanyaan|คำถาม|"
        r"待定|未决|問題点|未決|未解決|질문|미결",
    ),
    (
        "actions",
        r"action(?:s|ed)?(?: (?:items?|points?|required|needed))?|to ?dos?|next steps?|follow[- ]?ups?|"
        r"tasks?|aufgaben|nächste schritte|"
        r"prochaines étapes|próximos pasos|próximos passos|prossimi passi|acties|задачи|zadania|åtgärder|"
        r"handlinger|"
        r"việc cần làm|eylemler|المهام|कार्य|tindakan|งานที่ต้องทำ|待办|行动项|アクション|할 일",
    ),
    (
        "decisions",
        r"(?:key |our |main |past |recent |team |design |final |summary of |log of |history of |list of )*"
        r"(?:conclusions?\s?[/&]\s?)?(?:decisions?|choices?|resolutions?|resolved|decided|agreements?)"
        r"(?: (?:logs?|made|items?|taken|records?|table|history|reached|list|register|journal|&|and|/|"
        r"actions?|action items|learnings?|outcomes?))*|"
        r"what we (?:decided|agreed)|"
        r"(?:wichtige )?entscheid(?:ungen?|e)|entscheidungs(?:log|protokoll|liste)|beschl(?:ü|u)ss?e?|"
        r"beschlossen|"
        r"décisions?(?: prises)?|choix|decisiones(?: clave| tomadas)?|acuerdos|decis(?:ões|ão)|"
        r"decisioni(?: prese)?|delibere|besluit(?:en)?|"
        r"beslissing(?:en)?|(?:принятые )?решения|журнал решений|(?:ухвалені )?рішення|decyzje|ustalenia|"
        r"rozhodnutí|beslut|beslutninger|vedtak|"
        r"päätökset|döntések|decizii|αποφάσεις|(?:các )?quyết định|kararlar?|alınan kararlar|"
        r"(?:ال)?قرارات|تصمیم(?:‌?ها)?|החלטות|निर्णय|"
        r"फ(?:़)?ैसले|সিদ্ধান্ত(?:সমূহ)?|keputusan|mga desisyon|การตัดสินใจ.{0,10}|มติ.{0,10}|ข้อตกลง|"
        r"(?:взети )?решения|odluk[ea]|одлук[ае]|odločitve|sklepi|rozhodnutia|sprendimai|lēmumi|otsused|besluite|"
        r"فیصل[ےہ]|निर्णय(?:हर[ूु])?|નિર્ણય(?:ો)?|ਫ(?:਼)?ੈਸਲ[ੇਾ]|ନିଷ୍ପତ୍ତି|முடிவுகள்|தீர்மானங்கள்|నిర్ణయా(?:లు)|"
        r"ನಿರ್ಧಾರಗಳು|ತೀರ್ಮಾನಗಳು|ನಿರ್ಣಯಗಳು|തീരുമാനങ്ങൾ|තීරණ(?:ය)?|გადაწყვეტილებ(?:ებ)?ი|որոշում(?:ներ)?|ውሳኔ(?:ዎች)?|"
        r"(?:ការ|សេចក្ត?ី|សេចក្ដី)សម្រេច(?:ចិត្ត)?|ການຕັດສິນໃຈ|ມະຕິ|ဆုံးဖြတ်ချက်(?:များ|တွေ)?|maamuzi|uamuzi|"
        r"(?:àwọn )?ìpinnu|qərarlar|qarorlar|шешімдер|чечимдер|шийдвэр(?:үүд)?|vendime|ákvarðanir|izinqumo|"
        r".{0,4}(?:决定|决策|决议|決議|決定事項|決定|意思決定).{0,4}|(?:주요 )?결정(?: ?사항)?(?: ?기록)?|합의",
    ),
    (
        "outcomes",
        r"insights?(?: (?:&|and) learnings?)?|learnings?|lessons?(?: learned)?|what (?:worked|we (?:found|"
        r"learned|learnt)).{0,20}|outcomes?|"
        r"results?|conclusions?|findings?|retro(?:spective)?|takeaways?|erkenntnisse|ergebnisse?|"
        r"résultats|resultados|risultati|"
        r"resultaten|итоги|выводы|wnioski|resultat|kết quả|sonuçlar|النتائج|परिणाम|hasil|ข้อสรุป|บทเรียน|"
        r"结论|總結|总结|結論|学び|결과|교훈",
    ),
    ("talk", r"what we worked on|where i stopped|resume with|(?:meeting )?(?:summary|notes?)|discussion|protocol"),
)
_ROLE = re.compile("|".join(rf"(?P<{name}>(?:{words}))" for name, words in _ROLES), re.IGNORECASE)
_NUMBERING = re.compile(r"^(?:[\d.]+[.)]?|[IVX]+\.|[A-Za-z]\))\s+")
_AROUND = " \t*_:：#.、-–—=&"

_COLUMNS: tuple[tuple[str, str], ...] = (
    (
        "date",
        r"dates?|when|day|datum|fecha|data|дата|日期|日付|날짜|วันที่|tarih|ngày|تاریخ|التاريخ|תאריך|"
        r"दिनांक|तारीख|तारिख|তারিখ|मिति|તારીખ|ਤਾਰੀਖ(?:਼)?|தேதி|తేదీ|ದಿನಾಂಕ|തീയതി|දිනය|თარიღი|ամսաթիվ|ቀን|"
        r"កាលបរិច្ឆេទ|ວັນທີ|ရက်စွဲ|tarehe|ọjọ́|tarix|sana|күні|огноо|dátum|kuupäev|datums|tarikh|petsa|ημερομηνία|"
        r"tanggal|päivä|dato",
    ),
    (
        "decision",
        r"(?:the |our |key |final |action ?/ ?)*(?:decisions?|decided|choice|resolution|outcome|"
        r"agreement)(?: items?| made| taken)?|"
        r"what(?: we decided)?|entscheidung|beschluss|décision|decisión|acuerdo|decisão|decisione|besluit|"
        r"beslissing|решение|рішення|decyzja|"
        r"rozhodnutí|beslut|beslutning|vedtak|päätös|döntés|decizie|απόφαση|quyết định|karar|القرار|تصمیم|"
        r"החלטה|निर्णय|फैसला|সিদ্ধান্ত|"
        r"odluka|одлука|odločitev|sprendimas|lēmums|otsus|فیصلہ|નિર્ણય|ਫ(?:਼)?ੈਸਲਾ|முடிவு|நிர்ணயம்|నిర్ణయం|ನಿರ್ಧಾರ|"
        r"തീരുമാനം|තීරණය|გადაწყვეტილება|որոշում|ውሳኔ|(?:ការ|សេចក្តី)សម្រេច(?:ចិត្ត)?|ການຕັດສິນໃຈ|ဆုံးဖြတ်ချက်|uamuzi|"
        r"ìpinnu|qərar|qaror|шешім|шийдвэр|keputusan|desisyon|决定|决策|決定|決定事項|결정|การตัดสินใจ|มติ",
    ),
    (
        "reason",
        r"rationale|reasons?|why|reasoning|because|justification|motivation|begründung|grund|warum|raison|"
        r"pourquoi|motif|justification|razón|"
        r"motivo|por qué|razão|justificativa|motivazione|perché|reden|waarom|motivatie|причина|"
        r"обоснование|почему|обґрунтування|uzasadnienie|powód|"
        r"důvod|skäl|motivering|begrundelse|begrunnelse|perustelu|syy|indok|motiv|αιτιολογία|λόγος|lý do|"
        r"gerekçe|neden|السبب|دلیل|סיבה|נימוק|"
        r"कारण|কারণ|કારણ|ਕਾਰਨ|காரணம்|కారణం|ಕಾರಣ|കാരണം|හේතුව|وجہ|მიზეზი|պատճառ|ምክንያት|ហេតុផល|ເຫດຜົນ|အကြောင်းရင်း|"
        r"sababu|ìdí|səbəb|sabab|себебі?|шалтгаан|причина|razlog|разлог|priežastis|iemesls|põhjus|"
        r"alasan|sebab|dahilan|理由|原因|이유|사유|เหตุผล",
    ),
    (
        "detail",
        r"descriptions?|details?|summary|beschreibung|description|descripción|notes?|说明|説明|설명|รายละเอียด",
    ),
    (
        "topic",
        r"topics?|questions?|issues?|subject|item|area|theme|eips?|proposals?|titles?|feature|frage|thema|"
        r"sujet|tema|вопрос|тема|主题|问题|議題|주제|หัวข้อ",
    ),
    ("status", r"status|state|état|estado|stato|статус|状态|状態|상태|สถานะ|durum"),
    ("action", r"actions?(?: items?)?|tasks?|aufgabe|todo"),
    ("number", r"#|no\.?|nr\.?|id|ref|number"),
)
_COLUMN = re.compile("|".join(rf"(?P<{name}>(?:{words}))" for name, words in _COLUMNS), re.IGNORECASE)

_STATUS = re.compile(
    r"\W{0,4}(?:(?P<rejected>rejected|reject|ruled out|declined|turned down|decided against|not accepted|"
    r"verworfen|abgelehnt|rejet[ée]e?|rechazad[oa]|"
    r"descartad[oa]|rejeitad[oa]|respint[oa]|scartat[oa]|afgewezen|verworpen|отклонен[оаы]?|отвергли|"
    r"відхилен[оаи]?|odrzucon[oya]|zamítnut[oaý]|avvisa[td]e?s?|"
    r"afvist|hylätty|elutasítva|respins[ăa]?|απορρίφθηκε|từ chối|bác bỏ|reddedildi|رفضنا|رُفض|رد شد|נדחה|"
    r"अस्वीकृत|ditolak|否决|否決|拒绝|拒絕|却下|不採用|기각|거부|ปฏิเสธ|ไม่เลือก)"
    r"|(?P<proposed>proposed|proposal:|propose:|vorschlag|vorgeschlagen|propos[ée]e?|propuest[oa]|"
    r"propost[oa]|voorstel|предложен[оаие]*|"
    r"пропозиція|propozycja|návrh|förslag|forslag|ehdotus|javaslat|propunere|πρόταση|đề xuất|öneri|مقترح|"
    r"پیشنهاد|הצעה|प्रस्ताव|usulan|提议|提議|提案|제안|เสนอ|ข้อเสนอ)"
    r"|(?P<deferred>deferred|postponed|defer|postpone|tabled|on hold|vertagt|verschoben|zurückgestellt|"
    r"reportée?|ajournée?|aplazad[oa]|adiad[oa]|rinviat[oa]|uitgesteld|"
    r"отложен[оаы]?|відкладен[оаи]?|odłożon[oya]|odloženo|uppskjut\w+|udsat|utsatt|lykätty|elhalasztva|"
    r"amânat[ăa]?|αναβλήθηκε|hoãn|ertelendi|تأجيل|تعویق|נדחתה|स्थगित|ditunda|推迟|推遲|暂缓|延期|見送り|"
    r"보류|연기|เลื่อน)"
    r"|(?P<withdrawn>withdrawn|withdrew|withdraw|zurückgezogen|retirée?|retirad[oa]|ritirat[oa]|"
    r"ingetrokken|отозван[оаы]?|wycofan[oya]|撤回|取り下げ|철회|ถอน)"
    r"|(?P<superseded>superseded|obsoleted?|überholt|ersetzt durch|remplacée? par|reemplazad[oa] por|"
    r"sustituid[oa] por|substituíd[oa] por|sostituit[oa] da|vervangen door|заменен[оаы]? на|"
    r"zastąpion[oya] przez|已被取代|被取代|대체됨)"
    r"|(?P<deprecated>deprecated|veraltet|obsolète|obsolet[oa]|устарел[оа]?|przestarzał[ey]|已弃用|已棄用|"
    r"廃止|非推奨|폐기)"
    r"|(?P<accepted>accepted|approved|ratified|angenommen|genehmigt|accepté?e?|aceptad[oa]|aprobad[oa]|"
    r"aceit[oa]|aprovad[oa]|accettat[oa]|approvat[oa]|aangenomen|"
    r"принят[оаы]?|прийнят[оаи]?|przyjęt[oya]|přijat[oýa]|antagen|godkänd|vedtaget|vedtatt|hyväksytty|"
    r"elfogadva|acceptat[ăa]?|εγκρίθηκε|được chấp nhận|kabul edildi|مقبول|تم القبول|پذیرفته|התקבל|स्वीकृत|"
    r"diterima|通过|已接受|採用|承認|승인|채택|อนุมัติ))(?!\w)",
    re.IGNORECASE,
)
_STATES = {
    **dict.fromkeys(
        (
            "final",
            "active",
            "implemented",
            "implementable",
            "living",
            "done",
            "adopted",
            "integrated",
            "delivered",
            "completed",
            "closed",
            "current",
        ),
        "accepted",
    ),
    **dict.fromkeys(
        (
            "draft",
            "proposal",
            "review",
            "in review",
            "last call",
            "under review",
            "provisional",
            "open",
            "pending",
            "candidate",
            "rfc",
            "idea",
            "in progress",
        ),
        "proposed",
    ),
    **dict.fromkeys(("stagnant", "dormant", "on hold", "postponed"), "deferred"),
    **dict.fromkeys(("retired", "historic", "historical", "legacy"), "deprecated"),
    **dict.fromkeys(("replaced", "obsolete", "obsoleted"), "superseded"),
}
_STATE = re.compile(rf"\W{{0,6}}({'|'.join(sorted(_STATES, key=len, reverse=True))})(?!\w)", re.IGNORECASE)
_DECIDING = re.compile(
    r"\b(?:decided|decision|decid(?:es?|ing) (?:to|on|against)|chose|chosen|choosing|picked|adopt(?:ed|"
    r"ing)?|switch(?:ed|ing)? (?:to|from|back|over)|migrat(?:ed|ing)|"
    r"dropped|abandon(?:ed)?|replaced|rejected|agreed|resolved|resolution|approved|accepted|settled on|"
    r"ruled out|deprecated|sunset|"
    r"went (?:back|with)|reverted|reversed|postponed|deferred|withdrawn|withdrew|consensus|we will (?:use|"
    r"keep|move|not|go)|"
    r"moved? (?:\w+ ){1,6}(?:from|to|out|back)|closing (?:this|the issue|it|as)|let'?s (?:close|go with)|"
    r"satisfied|no longer|"
    r"beschlossen|entschieden|gewechselt|umgestiegen|abgelehnt|aufgegeben|eingestellt|festgelegt|"
    r"décidé|choisi|abandonné|adopté|remplacé|decidi\w*|elegi\w*|dejamos|abandonamos|acordamos|"
    r"adopt(?:amos|ado)|escolh\w+|"
    r"deciso|scelto|abbandonato|besloten|gekozen|overgestapt|vervangen|решили|выбрали|отказались|перешли|"
    r"приняли решение|заменили|"
    r"вирішили|обрали|перейшли|відмовилися|zdecydowa\w+|wybra\w+|postanowi\w+|zrezygnowa\w+|rozhodl\w+|"
    r"beslutade|valde|bytte|"
    r"besluttede|valgte|besluttet|päätimme|valitsimme|döntöttünk|am decis|am ales|αποφασίσαμε|επιλέξαμε|"
    r"quyết định|karar ver\w+|seçtik|vazgeçtik|"
    r"memutuskan|memilih|beralih|nagpasya|vam decidir)\b"
    r"|\b(?:решихме|избрахме|отказахме се|взехме решение|преминахме|odlučili|odabrali|odločili|izbrali|"
    r"одлучили|одабрали|nusprend\w+|pasirink\w+|nolēmām|izvēlējāmies|otsustasime|valisime|tuliamua|tulichagua|"
    r"tuliacha|qərar\w*|imtina etdik|qaror qil\w+|шештік|таңдадық|шешім қабылда\w+|бас тарттық|"
    r"որոշեցինք|ընտրեցինք|հրաժարվեցինք|გადავწყვიტეთ|ავირჩიეთ|უარი ვთქვით)\b"
    r"|ወሰን|መረጥን|فیصلہ کی|منتخب کی|انتخاب کی|ठरवले|ठरवलं|निवडले|निर्णय (?:घेत|गर)|रोज्य|નક્કી કર્ય|નિર્ણય લી|"
    r"પસંદ કર્ય|ਫ(?:਼)?ੈਸਲਾ (?:ਕੀਤਾ|ਲਿਆ)|ਚੁਣਿਆ|முடிவு செய்|முடிவெடு|தேர்ந்தெடுத்|నిర్ణయించ|ఎంచుకున్న|ನಿರ್ಧರಿಸಿ|ಆಯ್ಕೆ ಮಾಡಿ|"
    r"തീരുമാനിച്ച|തിരഞ്ഞെടുത്ത|තීරණය ක|තෝරා ග|សម្រេចចិត្ត|ជ្រើសរើស|ຕັດສິນໃຈ|ເລືອກໃຊ້|ຍົກເລີກ|ဆုံးဖြတ်ခဲ့|ဆုံးဖြတ်လိုက်|"
    r"ရွေးချယ်ခဲ့|ရွေးခဲ့"
    r"|قررنا|اخترنا|تقرر|تصمیم گرفت|החלטנו|בחרנו|निर्णय लिया|तय किया|फैसला किया|সিদ্ধান্ত নে|ตัดสินใจ|ตกลง|"
    r"เลือกใช้|เลิกใช้|เปลี่ยนมาใช้|ยกเลิก"
    r"|决定|决議|改用|改为|放弃|弃用|选择了|采用|決定|採用|廃止|切り替え|やめ|移行|결정|선택했|바꿨|전환|"
    r"채택|폐기|포기",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\W{0,4}(?:(?:we|i|the team|team|wir|ich|nous avons|on a|abbiamo|ho|we hebben|мы|ми|vi|biz|kita|kami|"
    r"chúng ta|เรา|我们|我們)\s*(?:have |had |haben |all )?)?"
    rf"(?:decision:\s*|(?!switch to|switching|adopt\b|adopting|choosing|migrating|closing|let|abandon\b|"
    rf"decid(?:es?|ing)\b|no longer|move\b)(?:{_DECIDING.pattern}))",
    re.IGNORECASE,
)
_SEEN, _FIRST_WORDS = 400, 60  # characters of a line in which it tells that something was decided
_SURE = frozenset(  # ASCII words that are a phrase of _DECIDING by themselves
    (
        "decided decision chose chosen choosing picked adopt adopted adopting migrated migrating dropped "
        "abandon abandoned replaced rejected agreed resolved resolution approved accepted deprecated sunset "
        "reverted reversed postponed deferred withdrawn withdrew consensus satisfied beschlossen "
        "entschieden gewechselt umgestiegen abgelehnt aufgegeben eingestellt festgelegt choisi dejamos "
        "abandonamos acordamos adoptamos adoptado deciso scelto abbandonato besloten gekozen overgestapt "
        "vervangen beslutade valde bytte besluttede valgte besluttet memutuskan memilih beralih nagpasya "
        "decidimos decidi decidio elegimos escolhemos zdecydowano wybrano wybrali postanowiono rozhodli "
        "rozhodnuto tuliamua tulichagua tuliacha odabrali izbrali otsustasime valisime"
    ).split()
)
_MAYBE = frozenset(
    "decide decides deciding switched switch switching settled ruled went will moved move closing let "
    "longer vam am".split()
)
_FIRSTS = frozenset({f"{word}{mark}" for word in _SURE | _MAYBE for mark in ("", ":", ",")} - _MAYBE)
_ENGLISH = re.compile(  # the phrases of _DECIDING that one word does not tell
    r"\b(?:decid(?:es?|ing) (?:to|on|against)|switch(?:ed|ing)? (?:to|from|back|over)|settled on|"
    r"ruled out|went (?:back|with)|"
    r"we will (?:use|keep|move|not|go)|moved? (?:\w+ ){1,6}(?:from|to|out|back)|closing (?:this|the issue|"
    r"it|as)|"
    r"let['’]?s (?:close|go with)|no longer|am (?:decis|ales)|vam decidir)\b",
    re.IGNORECASE,
)
_RETELLS = re.compile(
    r"\W{0,4}(?:(?:i|we|she|he|they|somebody|someone|\w+)\s+)?(?:told|explained|reminded|mentioned|"
    r"discussed|talked|recalled|remembered|showed|was asked|asked|heard|read|"
    r"wondered|erzählt\w*|erklärt\w*|raconté|expliqué|contó|expliqué|explicó|рассказал\w*|объяснил\w*)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？؟]\W*$")


@lru_cache(maxsize=4096)
def role(heading: str) -> str:
    """What a section is for by its heading: `decisions`, `questions`, `actions`, `outcomes`, `talk`, or `""`."""
    match = _ROLE.fullmatch(_NUMBERING.sub("", heading).split("(")[0].strip(_AROUND))
    return match.lastgroup or "" if match else ""


@lru_cache(maxsize=1024)
def column(name: str) -> str:
    """What a column holds by its header: `date`, `decision`, `reason`, `detail`, `topic`, `status`, ..., or `""`."""
    match = _COLUMN.fullmatch(name.strip(_AROUND))
    return match.lastgroup or "" if match else ""


def status(text: str) -> str:
    """The status a text begins with (`Rejected: ...` is `rejected`), or `""`."""
    match = _STATUS.match(text[:60])
    return match.lastgroup or "" if match else ""


def state(field: str) -> str:
    """The status that a status field, column or section holds, in one of the words of `Event.status`, or `""`."""
    match = _STATE.match(field)
    return _STATES[match[1].lower()] if match else status(field)


def decides(text: str) -> bool:
    """Whether a line tells that something was decided."""
    text = text[:_SEEN]
    plain = plain_words(text)
    if plain is None:
        return bool(_DECIDING.search(text))
    return not _SURE.isdisjoint(plain) or (not _MAYBE.isdisjoint(plain) and bool(_ENGLISH.search(text)))


def decides_first(text: str) -> bool:
    """Whether a line's first words tell a decision, whoever decided."""
    first = text[:_FIRST_WORDS]
    if first.isascii() and _FIRSTS.isdisjoint(first.lower().split()):
        return False
    return bool(_FIRST.match(first))


def retells(text: str) -> bool:
    """Whether a line tells of talk about something (`Told Anna that ...`): that revives no old decision."""
    return bool(_RETELLS.match(text))


def asks(text: str) -> bool:
    """Whether a line ends in a question mark."""
    return bool(_ASKS.search(text[-6:]))
