"""Words by which a decision says that it changes something, and what it says to turn away from."""

from __future__ import annotations

import re
from functools import lru_cache

# In scripts without spaces these words would melt into their neighbours, so they are cut out of a subject.
EAST = (
    r"改回|改为|改為|改用|改成|改读|改由|不再|取代|换成|換成|替换|替換|放弃|放棄|恢复|取消|停用|弃用|棄用|停止使用|废除|廢除|废弃"
    r"|กลับมา|กลับไป|เปลี่ยน(?:จาก|เป็น|มา|ไป)?|เลิก|แทน|หยุดใช้|ไม่.{1,12}อีก(?:ต่อไป)?"
    r"|やめ|戻[しすっる]|変更|廃止|中止|撤廃|移行|切り替え|代わりに|다시|대신|변경|중단|바꾸|바꿔|돌아가|폐지|폐기|취소|그만두|그만뒀"
    r"|전환|없애|없앴"
)
_ENGLISH = (
    r"drop(?:s|ped)?|replac\w+|revers\w+|revert\w*|supersed\w+|obsolet\w+|deprecat\w+|undo\w*|stop\w*|abandon\w*|"
    r"retir\w+|again|now|g(?:a|i)ven? up|(?:go|goes|went|gone|back|return\w*) (?:back )?to|back from|moves?|moved|"
    r"leaves?|left|stays?|switch\w*|chang\w+|without|instead of|in place of|rather than|no longer|"
    r"not .{1,30} any ?more|raised|lowered|(?:goes|went|go) (?:up|down)|from .{2,60} to|"
    r"cancel\w*|discontinu\w+|scrap(?:s|ped)|abolish\w*"
)
_WEST = (
    r"statt|anstelle|ersetz\w+|zurück|nicht mehr|wieder|gewechselt|wechsel\w+|umgestellt|abgeschafft|abzuschaffen|"
    r"aufgegeben|aufzugeben|eingestellt|einzustellen|verzicht\w+|abgesagt|abzusagen",
    r"au lieu|plutôt que|remplac\w+|reven\w+|revient|retour|de nouveau|abandonn\w+|(?:n['’]|ne )\S+ plus|annul\w+|"
    r"supprim\w+|renonc\w+",
    r"en lugar|en vez|reemplaz\w+|sustitu\w+|v[ou]elv\w+|ya no|deja(?:r|mos)|cambi\w+|em vez|em lugar|substitu\w+|"
    r"volt\w+|não .{1,30} mais|já não|mud(?:ar|amos|ou)|troc\w+|al posto|invece|sostitu\w+|torn\w+|non .{1,30} più|"
    r"abandona\w+|cancela\w+|suprimi\w+|deixa(?:r|mos)|desisti\w+|abbandon\w+|annulla\w+|rinunci\w+",
    r"in plaats van|vervang\w+|terug|niet meer|weer|overgestapt|i stället|istället|i stedet|ersätt\w+|ersatt\w*|"
    r"erstatt?\w+|tillbaka|tilbage|tilbake|inte längre|ikke læ?e?nge?re|byt(?:er|te|t)",
    r"вместо|замен\w+|вернул\w+|возвра\w+|больше не|снова|отказ\w+|переш\w+|отмен\w+|замість|замін\w+|поверн\w+|"
    r"більше не|відмов\w+|скасу\w+|zamiast|zastąp\w+|wr(?:óci|aca)\w+|powrót|już nie|ponownie|zrezygn\w+|zmien\w+|"
    r"odwoł\w+|místo|nahra\w+|zpět|už ne|zruši\w+",
    r"thay (?:vì|cho|thế|bằng)|quay lại|trở lại|không còn|chuyển sang|ngừng|yerine|geri dön\w+|artık|değiştir\w+|"
    r"vazgeç\w+|iptal|alih-alih|daripada|mengganti\w*|diganti\w*|kembali|tidak lagi|beralih|membatalkan|dibatalkan",
    r"بدلا من|بدلًا من|استبد\w+|عدنا|العودة|لم نعد|لم يعد|تخلينا|التخلي|انتقلنا|الانتقال|إلغاء|ألغينا|به جای|"
    r"במקום|חזרנו|החלפנו|ביטלנו|לבטל",
)
_INDIC = r"के बजाय|की जगह|बदल|वापस|अब नहीं|फिर से|छोड़|रद्द"
_CHANGE = re.compile(rf"\b(?:{'|'.join((_ENGLISH, *_WEST))})\b|{EAST}|{_INDIC}", re.IGNORECASE)

_CONTRAST = re.compile(  # it names both: `X instead of Y`, `from Y to X`, `replace Y by X`
    r"\b(?:instead of|in place of|rather than|anstelle von|statt|au lieu de|en lugar de|en vez de|em vez de|"
    r"invece di|in plaats van|вместо|замість|zamiast|i stedet for|istället för|thay vì|alih-alih|"
    r"بدلا من|بدلًا من|במקום)\s+([^,،;:.]+)"
    r"|\bfrom\s+(.{2,60}?)\s+to\b|\bback to .{2,40}? from\s+([^,;:.]+)"
    r"|\breplac(?:e|es|ed|ing)\s+(.+?)(?=\s(?:by|with)\b)"
    r"|从([^，。]{2,24}?)(?:改|换|切|迁|转)|(?:取代|代替|替换|替換)([^，。]{2,24})"
    r"|จาก\s*(\S.{0,40}?)\s*(?:เป็น|ไป|มา)|แทน(?:ที่)?\s*(\S[^\s]{1,40})",
    re.IGNORECASE,
)
_DROP = re.compile(  # it names no more than that: `drop Y`, `Y is switched off`
    r"\b(?:drop(?:s|ped|ping)?|replac(?:e|es|ed|ing)|leaves?|left|abandon(?:s|ed|ing)?|no longer|"
    r"cancel(?:s|led|ed|ling)?|discontinu(?:e|es|ed|ing)|scrap(?:s|ped)|abolish(?:es|ed)?|stop(?:s|ped)? using|"
    r"g[ai]ven? up)\s+(.+?)(?=\s(?:by|with|for|as|and)\b|[,;:.]|$)"
    r"|\b(?:the\s+)?([\w -]{3,40}?)\s+(?:is|are)\s+"
    r"(?:switched off|dropped|retired|removed|replaced|cancell?ed|abolished|discontinued)\b"
    r"|\b(?:abandonn(?:er|ons|é)|annul(?:er|ons|é)|supprim(?:er|ons|é)|renoncer à|"
    r"abandona(?:r|mos)|deja(?:r|mos) de usar|deixa(?:r|mos) de usar|cancela(?:r|mos)|suprimi(?:r|mos)|"
    r"abbandona(?:re|to)|annulla(?:re|to)|rinunciare a|zrezygnowa\w+ z|odwoła\w+|zruši\w+|"
    r"отказ\w+ от|отмен\w+|відмов\w+ від|скасу\w+|membatalkan|ngừng dùng|"
    r"التخلي عن|تخلينا عن|إلغاء|ألغينا|לבטל את|ביטלנו את)\s+(?:(?:el|las?|les?|los|il|lo|os?|as?)\s|l['’])?(.+?)"
    r"(?=\s(?:y|e|et|pour|por|para|per|и|в|на|та|і|i|a|dan|và|و\S+|إلى)\b|[,،;:.]|$)"
    r"|(?:放弃|放棄|取消|停用|弃用|棄用|停止使用|不再使用|废除|廢除|废弃)([^，。；,;]{2,24})"
    r"|(?:ยกเลิก(?:การ)?|เลิก|หยุด)(?:ใช้)?\s*(\S.{0,40}?)(?=\s|และ|แล้ว|$)",
    re.IGNORECASE,
)
# The same where it stands in front: the two words before are what is meant.
_CONTRAST_AFTER = re.compile(r"의?\s대신|에서\s\S+로\s(?:바꾸|변경|전환|이전)|\s?の代わりに|\s(?:के बजाय|की जगह)")
_DROP_AFTER = re.compile(
    r"[을를은는]?\s?(?:그만두|그만뒀|중단|폐지|폐기|취소|없애|없앴)"
    r"|\s?(?:を|は|の使用を|の利用を)(?:やめ|廃止|中止|撤廃)"
    r"|(?:\sको)?\s(?:छोड़|रद्द|बंद कर)"
    r"|\s(?:aufzugeben|abzuschaffen|einzustellen|abzusagen)\b"
    r"|\s(?:wird|werden)\s(?:abgeschafft|aufgegeben|eingestellt|abgesagt|ersetzt)\b",
)
_PAUSE = re.compile(r"[\s、。，,]+(?:(?:das|den|der|die)\s)?", re.IGNORECASE)
_FRONT = 60  # letters in front that are looked at


@lru_cache(maxsize=20_000)
def changes(text: str) -> bool:
    """Whether a decision says that it changes something."""
    return bool(_CHANGE.search(text))


@lru_cache(maxsize=20_000)
def contrasted(text: str) -> tuple[str, ...]:
    """Return what a decision turns away from, where it names what comes instead by the same phrase."""
    return (*_groups(_CONTRAST, text), *_in_front(_CONTRAST_AFTER, text))


@lru_cache(maxsize=20_000)
def left(text: str) -> tuple[str, ...]:
    """Return all that a decision turns away from."""
    return (*contrasted(text), *_groups(_DROP, text), *_in_front(_DROP_AFTER, text))


def _groups(pattern: re.Pattern[str], text: str) -> list[str]:
    """Return what the groups of a pattern find in a text."""
    return [part for match in pattern.finditer(text) for part in match.groups() if part]


def _in_front(pattern: re.Pattern[str], text: str) -> list[str]:
    """Return the last two words before each place where a pattern is found."""
    fronts = [text[max(0, match.start() - _FRONT) : match.start()] for match in pattern.finditer(text)]
    return [" ".join(_PAUSE.split(f" {front}")[-2:]) for front in fronts]
