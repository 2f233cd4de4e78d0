"""The reason inside a decision: where `because` and its kin stand, in the languages notes are written in.

A reason is quoted word for word. Words that only join (`because`, `denn`) stay outside the quotation, words that
carry meaning (`so that`, `to avoid`) stay inside. `rather than` gives a reason only where nothing else does.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

_JOINING = (
    "because of|because|due to|owing to|on account of|thanks to|given that|seeing that|the reason is that|"
    "reason:|rationale:|why:|"
    "причина:|причини:|motivo:|razón:|razão:|raison ?:|powód:|orsak:|lý do:|gerekçe:|alasan:|"
    "weil|wegen|aufgrund|begründung:|grund:|parce qu(?:e|['’])|puisque|puisqu['’]|à cause de|en raison de|"
    "étant donné qu(?:e|['’])|"
    "porque|ya que|puesto que|debido a que|debido a|a causa de|dado que|já que|por causa de|visto que|"
    "uma vez que|"
    "perché|poiché|siccome|dato che|a causa di|per via di|in quanto|omdat|vanwege|wegens|aangezien|doordat|"
    "потому что|так как|поскольку|из-за того,? что|из-за|ввиду|благодаря тому,? что|тому що|оскільки|"
    "через те,? що|"
    "ponieważ|gdyż|bowiem|z powodu|dlatego że|protože|neboť|jelikož|kvůli|pretože|"
    "eftersom|därför att|på grund av|fordi|på grunn av|på grund af|koska|mert|mivel|ugyanis|"
    "pentru că|deoarece|fiindcă|întrucât|din cauza|επειδή|διότι|γιατί|λόγω|bởi vì|vì|tại vì|çünkü|zira|"
    "karena|lantaran|kerana|gara-gara|sebab|dahil sa|dahil|sapagkat|kasi|perquè|ja que|a causa de|"
    "لأن(?:ه|ها|هم|نا|ني)?|بسبب|نظرا لأن|نظرًا لأن|حيث إن|زیرا|چون|چونکه|به دلیل|به خاطر|כי|מכיוון ש|משום ש|"
    "בגלל|מאחר ש|"
    "क्योंकि|चूंकि|(?<!के )कारण|কারণ|যেহেতু|"
    "защото|понеже|тъй като|поради|zato što|jer|zbog|зато што|због|бидејќи|затоа што|таму што|паколькі|"
    "kadangi|tāpēc ka|sest|sepse|vegna þess að|"
    "کیونکہ|کیوں کہ|چونکہ|किनभने|किनकि|કારણ કે|કેમ ?કે|ਕਿਉਂ ?ਕਿ|ஏனெனில்|ஏனென்றால்|ఎందుకంటే|ಏಕೆಂದರೆ|ಯಾಕೆಂದರೆ|"
    "എന്തുകൊണ്ടെന്നാൽ|რადგან(?:აც)?|ვინაიდან|იმიტომ,? რომ|որովհետև|որովհետեւ|քանի որ|քանզի|ምክንያቱም|"
    "kwa sababu|kwa kuwa|kwa vile|nítorí(?: pé)?|nitori(?: pe)?|çünki|ona görə ki|chunki|"
    "себебі|өйткені|анткени|учир нь"
)
_JOINING_AFTER_COMMA = (
    r"since|as(?! (?:well|soon|long|far|per|usual|planned|before|of|a|an|in|part|to|it is)\b)|denn|da|dar|"
    r"car|want|bo|pois|pues|siden|"
    r"sillä|καθώς|ибо|бо|адже|јер|ker|saj|nes|kuna|kwani|കാരണം"
)
_TELLING = (
    "so that|so as to|to avoid|to prevent|to reduce|to save|in order to|in order not to|to make sure|"
    "to ensure|which means|"
    "which makes|which lets|which allows|for fear of|lest|damit|sodass|so dass|afin de|afin que|"
    "afin d['’]|pour que|pour éviter|"
    "pour ne pas|pour réduire|para que|para evitar|para reducir|a fin de|para reduzir|a fim de|affinché|"
    "per evitare|per ridurre|"
    "zodat|om te voorkomen|opdat|чтобы|щоб|żeby|by uniknąć|för att|så att|for at(?! (?:least|most|all))|"
    "for å|slik at|jotta|"
    "ca să|pentru a|astfel încât|ώστε|για να|để|nhằm|agar|supaya|untuk menghindari|upang|per tal de|لكي|"
    "من أجل|لتجنب|"
    "برای اینکه|برای آنکه|כדי|על מנת|ताकि|যাতে"
)
_TELLING_AFTER_COMMA = r"aby|um(?=[^,.;]{2,120} \w*zu\w* ?\w*)|so (?=we|it|they|nobody|everyone|you|the)"
_CONTRAST = (
    "rather than|instead of|in place of|statt|anstatt|anstelle|plutôt que|au lieu de|en lugar de|"
    "en vez de|em vez de|invece di|"
    "piuttosto che|in plaats van|вместо|замість|zamiast|místo|i stället för|istället för|i stedet for|"
    "sijaan|helyett|în loc de|"
    "αντί|thay vì|yerine|بدلا من|به جای|במקום|के बजाय|daripada|alih-alih|sa halip|en lloc de"
)
_SINCE = (
    r"since(?=\s+(?!\d|v\d|version|last|then|"
    r"(?:jan|febr)uary|march|april|may\b|june|july|august|october|(?:sept|nov|dec)ember))"
)
_GROUPS = (  # (phrases, whether they stay in the quotation, whether a comma or dash must stand before them)
    (_JOINING, False, False),
    (_TELLING, True, False),
    (_JOINING_AFTER_COMMA, False, True),
    (_TELLING_AFTER_COMMA, True, True),
)
_LEADING = re.compile(
    r"(?P<mark>because of|because|since|as|due to|given that|to avoid|to prevent|in order to|so that|weil|"
    r"da|wegen|um|damit|comme|puisque|"
    r"afin de|como|ya que|debido a|poiché|omdat|так как|поскольку|eftersom|fordi|koska|mivel)\s+"
    r"(?P<reason>[^,]{8,200}),\s+(?P<what>\S.{5,})",
    re.IGNORECASE | re.DOTALL,
)
_LEADING_BY_ITS_END = re.compile(  # languages that put the reason first and end it with a suffix or a postposition
    r"(?P<reason>[^.;!?।]{6,200}?(?:[dt][ıiuü]ğ\w+\s(?:için|üçün|görə)|[dt][ıiuü]ğ\w+[dt][ae]n dolayı|"
    r"\s(?:yüzünden|nedeniyle|sebebiyle|səbəbindən|miatt|takia|vuoksi|tõttu|dēļ|салдарынан)|[дт](?:ықтан|іктен)|"
    r"\sकी वजह से|\sके कारण|मुळे|ले गर्दा|(?:ને|ના) કારણે|હોવાથી|ਦੇ ਕਾਰਨ|ਦੀ ਵਜ੍ਹਾ ਨਾਲ|কারণে|کی وجہ سے|کے باعث|"
    r"(?:ப்ப|வ|கிற|ன்ற|த்த|ந்த|ட்ட|ய|ாத)தால்|காரணமாக|కాబట్టి|కనుక|వల్ల|కారణంగా|ದರಿಂದ|ಕಾರಣದಿಂದ|തിനാൽ|തുകൊണ്ട്|"
    r"\s(?:නිසා|බැවින්|හෙයින්)))(?=[,،\s]),?\s*(?P<what>\S.{5,})",
    re.DOTALL,
)
_CONTRASTED = re.compile(rf",?\s+(?P<reason>(?:{_CONTRAST})(?!\w).+)", re.IGNORECASE)
_TO_BLANKS = str.maketrans(dict.fromkeys(".,;:!?()[]{}\"'*_`/-—–‘’“”…•→\u00a0", " "))


class _Phrase(NamedTuple):
    """A phrase that gives a reason, for lower-case text."""

    pattern: str
    is_telling: bool
    after_comma: bool


class _Mark(NamedTuple):
    """Where a phrase stands in a text, and where the reason behind it begins."""

    start: int
    reason: int


def _by_word() -> dict[str, list[_Phrase]]:
    """All phrases under their longest ASCII word; under `""` those that are not ASCII."""
    table: dict[str, list[_Phrase]] = {"since": [_Phrase(_SINCE, False, False)]}
    for phrases, is_telling, after_comma in _GROUPS:
        for phrase in re.split(r"\|(?![^(]*\))", phrases):
            words = re.sub(r"\(\?.*\)|[?\[\]]", " ", phrase).translate(_TO_BLANKS).split()
            word = max(words, key=len, default="") if "".join(words).isascii() else ""
            table.setdefault(word, []).append(_Phrase(phrase, is_telling, after_comma))
    return table


_PHRASES = _by_word()
_CONTRASTS = frozenset(
    max((w for w in phrase.split() if w.isascii()), key=len, default="") for phrase in _CONTRAST.split("|")
)


@cache
def _compiled(phrase: str) -> re.Pattern[str]:
    """A phrase with the blanks behind it; a literal beginning lets `re` search fast.

    A word ends behind it, unless it is written together with the next one, as `parce qu'` and the Hebrew `ש` are.
    """
    return re.compile(rf"{phrase}(?:(?<=['’ש])|(?!\w))[:,]?\s*")


def plain_words(text: str) -> list[str] | None:
    """The lower-case words of a text that is ASCII but for its punctuation, else None."""
    plain = text.lower().translate(_TO_BLANKS)
    return plain.split() if plain.isascii() else None


_EAST = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_EAST_INSIDE = re.compile(
    r"[，,。；;、\s—–-]*(?:(?P<joining>是?因为|是?因為|由于|由於|鉴于|鑑於|原因是|理由是|なぜなら|"
    r"(?:原因|理由|이유|사유|เหตุผล)(?=[：:])|왜냐하면|เพราะว่า|เพราะ|เนื่องจาก|เนื่องด้วย|ເພາະ(?:ວ່າ)?|ເນື່ອງຈາກ|ຍ້ອນ(?:ວ່າ)?|"
    r"ព្រោះ(?:ថា)?|ពីព្រោះ|ដោយសារ(?:តែ)?|ဘာ(?:ဖြစ်လို့|ကြောင့်)လဲ?ဆိုတော့|အဘယ်ကြောင့်ဆိုသော်)|"
    r"(?P<telling>以便|以免|为了|為了|从而避免|避免|เพื่อ(?:ไม่ให้|ให้|หลีกเลี่ยง|ไม่)?))[：:，,]?\s*"
)
_EAST_LEADING = re.compile(
    r"(?:因为|因為|由于|由於|鉴于|为了|為了|เนื่องจาก)(?P<reason>[^，,。]{2,100})[，,]\s*(?:所以|因此|"
    r"故)?(?P<what>.{2,})"
    r"|(?P<reason2>[^。]{2,120}?(?:ため(?:に)?|ので|せいで|おかげで|時に限り|때문에|므로|(?:하|되|있|없|"
    r"이|크|많|느리|높|낮)(?:어서|아서|기에|니까)|"
    r"위해(?:서)?|တဲ့အတွက်(?:ကြောင့်)?|သောကြောင့်|တာကြောင့်))[、,，]?\s*(?P<what2>.{2,})",
    re.DOTALL,
)
_EAST_AFTER = re.compile(  # a sentence of its own, told for a reason by its end
    r"(?P<what>.{2,})[。.]\s*(?P<reason>[^。.]{2,120}?(?:(?:から|ため)(?:だ|である|です|であった|でした)|"
    r"때문(?:이다|입니다|이었다|임)))[。.]?\s*",
    re.DOTALL,
)
_SENTENCE_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)[.!?](?=\s+[^\W_a-z]|\s*$)|[。！？।॥۔։።။។]|\n\s*\n"
)
_EDGES, _PAUSES = " \t\n,;:.!—–-，；：、(", (*",;:.—–-",)


def split_reason(text: str) -> tuple[str, str]:
    """A decision as (what, reason); the reason is `""` when none is given, and then `what` is all of the text.

    `what` ends before the reason, or is the clause after it where the reason comes first. Both are pieces of `text`.
    """
    words = plain_words(text)
    if words is not None and _PHRASES.keys().isdisjoint(words) and _CONTRASTS.isdisjoint(words):
        return text, ""
    east = words is None and bool(_EAST.search(text))
    after = _EAST_AFTER.fullmatch(text) if east else None
    if after:
        return after["what"].strip(_EDGES), after["reason"]
    leading = (_EAST_LEADING if east else _LEADING).match(text)
    if leading and (found := _from_leading(leading)):
        return found
    for mark in _east_marks(text) if east else _marks(text, words):
        what, reason = text[: mark.start].strip(_EDGES), first_sentence(text[mark.reason :])
        if len(what) > 1 and len(reason) > (0 if east else 3):
            return what, _closed(reason) if text[mark.start - 1 : mark.start] == "(" else reason
    if words is None and not east and (leading := _LEADING_BY_ITS_END.match(text)):
        return first_sentence(leading["what"]), leading["reason"].strip()
    contrasted = _CONTRASTED.search(text)
    return text, first_sentence(contrasted["reason"]) if contrasted else ""


def _marks(text: str, words: list[str] | None) -> list[_Mark]:
    """Where phrases that give a reason stand, in order: those whose word the text has."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text
    found = []
    for word in _PHRASES.keys() & words if words is not None else _PHRASES.keys():
        for phrase in _PHRASES[word]:
            for match in _compiled(phrase.pattern).finditer(lowered):
                before = text[: match.start()]
                stands_alone = not before or before[-1] in " \n\t("
                if stands_alone and (not phrase.after_comma or before.rstrip()[-1:] in _PAUSES):
                    found.append(_Mark(match.start(), match.start() if phrase.is_telling else match.end()))
    return sorted(found, key=lambda mark: (mark.start, -mark.reason))


def _east_marks(text: str) -> list[_Mark]:
    """The same in Chinese, Japanese, Korean and Thai."""
    return [
        _Mark(match.start(), match.start("telling") if match["telling"] else match.end())
        for match in _EAST_INSIDE.finditer(text)
    ]


def first_sentence(text: str) -> str:
    """The text up to the end of its first sentence, without the full stop."""
    end = _SENTENCE_END.search(text)
    return text[: end.start() if end else len(text)].strip()


def _from_leading(match: re.Match[str]) -> tuple[str, str] | None:
    """(what, reason) of a text that gives its reason first."""
    parts = match.groupdict()
    reason, what = parts.get("reason") or parts.get("reason2"), parts.get("what") or parts.get("what2")
    if not reason or not what:
        return None
    mark = parts.get("mark") or ""
    is_telling = mark and re.fullmatch(_TELLING + "|um|damit", mark, re.IGNORECASE)
    return first_sentence(what), f"{mark} {reason}" if is_telling else reason.strip()


def _closed(reason: str) -> str:
    """A reason that stood in brackets, without the closing one."""
    return reason[: reason.rfind(")")].strip() if reason.count(")") > reason.count("(") else reason
