"""What decisions are about: their words without those of deciding, and whether a later one ends an earlier one.

The numbers were set on the vaults in vault_fixtures, where every one of 150 decisions is known to be in force or not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from indexer import tokens
from indexer.types import Event
from onebrain_search.query import stop_words

Words = frozenset[str]
Rarity = Callable[[str], float]

LIVE = frozenset({"", "accepted"})
CHANGED = 0.35  # of their words' rarity that two decisions have in common where the later one changes the earlier one

# Words that say that something is decided or changed, and not what.
_DECIDING = frozenset(
    map(
        tokens.stem,
        "accept adopt agree approve back become begin change choice choose chose chosen decide decision defer "
        "deferred drop end get go goes gone instead keep kept leave left longer make made move moved new old place "
        "prefer propose proposal rather reject replace retire return reverse revert rule ruled start stay still "
        "stop supersede switch use went without "
        "решили решено решение решаем выбрали выбрать выбор использовать используем перейти перешли переходим "
        "отказаться отказались заменить заменили вернуться вернулись оставить оставляем начать прекратить "
        "вирішили рішення обрали використовувати перейшли відмовитися відмовилися замінили повернулися".split(),
    )
)
# Words that say that something changes, by language. In scripts without spaces they would melt into their neighbours.
_EAST = (
    r"改回|改为|改為|改用|改成|改读|改由|不再|取代|换成|換成|替换|替換|放弃|放棄|恢复"
    r"|กลับมา|กลับไป|เปลี่ยน(?:จาก|เป็น|มา)?|เลิก|แทน|ไม่.{1,12}อีก(?:ต่อไป)?"
    r"|やめ|戻[しすっる]|変更|廃止|切り替え|代わりに|다시|대신|변경|중단|바꾸|바꿔|돌아가|폐지"
)
_ENGLISH = (
    r"drop(?:s|ped)?|replac\w+|revers\w+|revert\w*|supersed\w+|obsolet\w+|deprecat\w+|undo\w*|stop\w*|abandon\w*|"
    r"retir\w+|again|now|g(?:a|i)ven? up|(?:go|goes|went|gone|back|return\w*) (?:back )?to|back from|moves?|moved|"
    r"leaves?|left|stays?|switch\w*|chang\w+|without|instead of|in place of|rather than|no longer|"
    r"not .{1,30} any ?more|raised|lowered|(?:goes|went|go) (?:up|down)|from .{2,60} to"
)
_WEST = (
    r"statt|anstelle|ersetz\w+|zurück|nicht mehr|wieder|gewechselt|wechsel\w+|umgestellt|abgeschafft|aufgegeben",
    r"au lieu|plutôt que|remplac\w+|reven\w+|revient|retour|de nouveau|abandonn\w+|(?:n['’]|ne )\S+ plus",
    r"en lugar|en vez|reemplaz\w+|sustitu\w+|v[ou]elv\w+|ya no|dejamos|cambi\w+|em vez|em lugar|substitu\w+|volt\w+|"
    r"não .{1,30} mais|já não|mud(?:ar|amos|ou)|troc\w+|al posto|invece|sostitu\w+|torn\w+|non .{1,30} più",
    r"in plaats van|vervang\w+|terug|niet meer|weer|overgestapt|i stället|istället|i stedet|ersätt\w+|ersatt\w*|"
    r"erstatt?\w+|tillbaka|tilbage|tilbake|inte längre|ikke læ?e?nge?re|byt(?:er|te|t)",
    r"вместо|замен\w+|вернул\w+|возвра\w+|больше не|снова|отказ\w+|переш\w+|замість|замін\w+|поверн\w+|більше не|"
    r"zamiast|zastąp\w+|wr(?:óci|aca)\w+|powrót|już nie|ponownie|zrezygn\w+|zmien\w+|místo|nahra\w+|zpět|už ne",
    r"thay (?:vì|cho|thế|bằng)|quay lại|trở lại|không còn|chuyển sang|yerine|geri dön\w+|artık|değiştir\w+|vazgeç\w+|"
    r"alih-alih|daripada|mengganti\w*|diganti\w*|kembali|tidak lagi|beralih",
    r"بدلا من|بدلًا من|استبد\w+|عدنا|العودة|لم نعد|لم يعد|تخلينا|انتقلنا|به جای|במקום|חזרנו|החלפנו",
)
_INDIC = r"के बजाय|की जगह|बदल|वापस|अब नहीं|फिर से|छोड़"
_CHANGE = re.compile(rf"\b(?:{'|'.join((_ENGLISH, *_WEST))})\b|{_EAST}|{_INDIC}", re.IGNORECASE)
# What a decision turns away from, for something that it names: `X instead of Y`, `from Y to X`, `replace Y by X`.
_CONTRAST = re.compile(
    r"\b(?:instead of|in place of|rather than|anstelle von|statt|au lieu de|en lugar de|em vez de|"
    r"invece di|in plaats van|вместо|zamiast|i stedet for|istället för)\s+(?P<after>[^,;:.]+)"
    r"|\bfrom\s+(?P<source>.{2,60}?)\s+to\b|\bback to .{2,40}? from\s+(?P<left>[^,;:.]+)"
    r"|\breplac(?:e|es|ed|ing)\s+(?P<object>.+?)(?=\s(?:by|with)\b)",
    re.IGNORECASE,
)
# What it turns away from and no more: `drop Y`, `Y is switched off`.
_DROP = re.compile(
    r"\b(?:drop(?:s|ped)?|replac(?:e|es|ed|ing)|leaves?|left|abandon(?:s|ed)?|no longer)\s+(?P<object>.+?)"
    r"(?=\s(?:by|with|for|as)\b|[,;:.]|$)"
    r"|\b(?:the\s+)?(?P<subject>[\w -]{3,40}?)\s+(?:is|are)\s+(?:switched off|dropped|retired|removed|replaced)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=20_000)
def about(text: str) -> Words:
    """Return the stems of the words that say what a decision is about."""
    if not text.isascii():
        text = re.sub(_EAST, " ", text)
    whole: dict[tuple[int, int], str] = {}
    for start, end, token in tokens.spans(text):
        whole.setdefault((start, end), token)  # the parts of a name would count it several times
    return frozenset(
        stem
        for token in whole.values()
        if token not in stop_words() and (stem := tokens.stem(token)) not in _DECIDING and (len(stem) > 1)
    )


@lru_cache(maxsize=20_000)
def changes(text: str) -> bool:
    """Whether a decision says that it changes something."""
    return bool(_CHANGE.search(text))


def alike(one: Words, other: Words, rarity: Rarity) -> float:
    """Return how much two texts are about the same: the share of their words' rarity that both have (0..1)."""
    both = sum(map(rarity, one & other))
    return 2 * both / (sum(map(rarity, one)) + sum(map(rarity, other))) if both else 0.0


def is_ended(earlier: Event, later: Event, rarity: Rarity) -> bool:
    """Whether a later decision ends an earlier one: on the same subject, and not the same move told again."""
    if later.status not in LIVE or not _comes_after(later, earlier):
        return False
    mine, theirs = about(earlier.what), about(later.what)
    return (
        not mine.isdisjoint(theirs)
        and changes(later.what)
        and alike(mine, theirs, rarity) >= CHANGED
        and not _same_move(earlier.what, later.what)
    )


def _comes_after(later: Event, earlier: Event) -> bool:
    """Whether one event surely comes after another; on one day by numbered notes of a folder, or by what it says."""
    if not (later.date and earlier.date) or (later.root, later.path, later.date) == (
        earlier.root,
        earlier.path,
        earlier.date,
    ):
        return False
    if later.date != earlier.date:
        return later.date > earlier.date
    if later.path.rpartition("/")[0] == earlier.path.rpartition("/")[0]:
        return later.path > earlier.path
    return changes(later.what) and not changes(earlier.what)


def _same_move(earlier: str, later: str) -> bool:
    """Whether a decision turns from the same thing to the same thing as an earlier one that named both."""
    left = _parts(_CONTRAST, earlier)
    left_again = _parts(_CONTRAST, later) | _parts(_DROP, later)
    return bool(left & left_again and (about(earlier) - left) & (about(later) - left_again))


def _parts(pattern: re.Pattern[str], text: str) -> Words:
    """Return the words of what a pattern finds in a text."""
    return frozenset().union(*(about(part) for match in pattern.finditer(text) for part in match.groups() if part))
