"""What a line refers to: numbered records (`ADR-12`, `EIP-1559`), issues, and what it replaces or is replaced by."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

SERIES = (
    "ADR",
    "DR",
    "PEP",
    "RFC",
    "EIP",
    "ERC",
    "RIP",
    "BIP",
    "CIP",
    "SIP",
    "TIP",
    "LIP",
    "JEP",
    "KEP",
    "SEP",
    "XEP",
    "NEP",
    "DEP",
    "ZIP",
    "BCP",
)
_LONGEST_LINE = 2_000  # characters of a line in which it tells what replaces what
_NOT_BEFORE = re.compile(r"[\w/-]")
_ISSUE = re.compile(r"github\.com/([\w.-]+/[\w.-]+)/(?:issues|pull)/(\d+)")
_LINK = re.compile(r"\]\(<?([^()\s>]{1,300})>?[^()\n]{0,200}\)")
_WIKI = re.compile(r"\[\[([^\[\]|#\n]{1,200})")
_FILE = re.compile(
    r"(?<![\w/(\[.-])(?:\.{0,2}/)?(?:[\w.-]{1,80}/){0,8}[\w-]{1,120}\.(?:md|rst|adoc|txt)\b"
    r"|(?<![\w/-])\d{3,5}-[a-z][\w-]{1,120}"
)
_OWN_ID = re.compile(r"([A-Z]{1,10}(?:-[A-Z]{0,3}\d+){1,4}(?:\.\d+)*|[A-Z]{3,10}\s\d+\.\d+)(?![\w-])")
_OWN_IDS = re.compile(r"(?<![\w-])([A-Z]{1,10}(?:-[A-Z]{1,3}\d+|-\d+)(?:-\d+)*)(?![\w-])")
_BARE_NUMBER = re.compile(r"(?<![\w./#-])#?0*(\d{1,5})(?![\w./:-])")
_PASSIVE = re.compile(
    r"super[sc]eded|replaced|obsoleted|deprecated in fav|in fav(?:ou)?r of|succeeded|ersetzt durch|abgelöst|"
    r"remplacée? par|reemplazad[oa] por|"
    r"sustituid[oa] por|substituíd[oa] por|sostituit[oa] da|vervangen door|заменен|zastąpion|取代|대체",
    re.IGNORECASE,
)
_ACTIVE = re.compile(
    r"supersed(?:es?|ing)\b|supercedes?|replac(?:es?|ing)\b|obsoletes?\b|overrides?\b|reverses?\b|"
    r"ersetzt (?!durch)|löst .{1,60} ab|remplace\b|"
    r"reemplaza\b|sustituye\b|substitui\b|sostituisce\b|vervangt\b|заменяет|zastępuje|替代|置き換え",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\b(?:amend(?:s|ed)|refine[sd]|clarif(?:y|ies)|depends on|relates to|see also|extend(?:s|ed))\b", re.IGNORECASE
)
_INDIRECT = re.compile(r"not (?:directly )?(?:supersede|replace)", re.IGNORECASE)
_STEMS = (
    "upersed", "uperced", "eplace", "bsolete", "n favo", "verride", "rsetzt", "bgelöst", "emplac",
    "eemplaza", "ustitu", "ostitui", "ervang",
    "аменя", "аменен", "取代", "替代", "대체", "everses",
)  # fmt: skip


class Replacement(NamedTuple):
    """What a line says about replacing: names as written."""

    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()


def numbered(text: str) -> list[str]:
    """Numbered records named in a text as `SERIES-number`, in order, without doubles."""
    return list(dict.fromkeys(name for _, name in located(text)))


def located(text: str) -> list[tuple[int, str]]:
    """Numbered records named in a text with the number of line breaks before each, in order."""
    found: list[tuple[int, str]] = []
    for series in SERIES:
        if series in text:
            for match in _of_series(series).finditer(text):
                if match.start() and _NOT_BEFORE.match(text[match.start() - 1]):
                    continue
                numbers = [match[1], *re.findall(r"\d+", match[2] or "")]
                found += [(match.start(), f"{series}-{int(number)}") for number in numbers]
    found.sort(key=lambda pair: pair[0])
    return _by_line(text, found)


def _by_line(text: str, found: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Sorted positions turned into numbers of line breaks before them."""
    lines, done, breaks = list[tuple[int, str]](), 0, 0
    for position, name in found:
        breaks += text.count("\n", done, position)
        done = position
        lines.append((breaks, name))
    return lines


@cache
def _of_series(series: str) -> re.Pattern[str]:
    """Numbers of one series: `EIP-1559`, `ADRs 60 and 61`."""
    return re.compile(
        rf"{series}s?[-_ ]?(?:#\s?)?0*(\d{{1,5}})(?![\w]|-\w)((?:\s?(?:,|and|&|/)\s?0*\d{{1,5}})+(?![\w-]))?"
    )


def note_name(path: str) -> str:
    """The name of a note: its file's without suffix, or its folder's where the file is only the folder's page."""
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    return folder.rpartition("/")[2] if folder and stem.lower() in ("readme", "index") else stem


def tells_replacement(lowered: str) -> bool:
    """Whether lower-case text may tell what replaces what."""
    return any(stem in lowered for stem in _STEMS)


def replacing_lines(text: str) -> list[int]:
    """The lines (from 0) that may tell what replaces what."""
    lowered = text.lower()
    found = set[int]()
    for stem in _STEMS:
        start = lowered.find(stem)
        while start >= 0:
            found.add(lowered.count("\n", 0, start))
            start = lowered.find(stem, start + 1)
    return sorted(found)


def issues(text: str) -> list[str]:
    """Issues and pull requests linked in a text as `owner/repo#number`, in order, without doubles."""
    return list(dict.fromkeys(f"{repository}#{number}" for repository, number in _ISSUE.findall(text)))


def own_id(text: str) -> tuple[str, str]:
    """The id a line starts with (`D-L1-1 — text`, `DECISION 60.1: text`) and the rest; `("", text)` without one."""
    match = _OWN_ID.match(text)
    if not match:
        return "", text
    rest = text[match.end() :].lstrip()
    if rest[:1] not in ("—", "–", ":", "-", "|", ")"):
        return "", text
    return match[1], rest[1:].lstrip(" :—–-")


def names(text: str) -> tuple[str, ...]:
    """What a raw line refers to, as written: link targets, else notes, files and numbered records."""
    found = [target for target in _LINK.findall(text) if not target.startswith(("http", "mailto", "#"))]
    found += [
        target for target in _LINK.findall(text) if target.startswith("http") and target.endswith((".md", ".rst"))
    ]
    found += [target.strip() for target in _WIKI.findall(text)]
    bare = _WIKI.sub(" ", _LINK.sub("] ", text))
    found += [name for name in _FILE.findall(bare)]
    if not found:
        found = numbered(bare) + [match[1] for match in _OWN_IDS.finditer(bare)]
    return tuple(dict.fromkeys(found))


def replacement(text: str, *, numbers: bool = False) -> Replacement:
    """What a raw line says to replace or to be replaced by; with `numbers` bare numbers are names too (headers)."""
    text = text[:_LONGEST_LINE]
    if not tells_replacement(text.lower()) or _INDIRECT.search(text):
        return Replacement()
    words = _FILE.sub(_blank, _WIKI.sub(_blank, _LINK.sub(_blank, text)))
    if other := _OTHERWISE.search(words):
        text, words = text[: other.start()], words[: other.start()]
    passive, active = _PASSIVE.search(words), _ACTIVE.search(words)
    if not passive and not active:
        return Replacement()
    first, second = (
        (passive, active) if not active or (passive and passive.start() < active.start()) else (active, passive)
    )
    assert first is not None
    cut = second.start() if second else len(text)
    pieces = {first is active: _named(text[first.start() : cut], numbers)}
    if second:
        pieces[second is active] = _named(text[cut:], numbers)
    return Replacement(pieces.get(True, ()), pieces.get(False, ()))


def _blank(match: re.Match[str]) -> str:
    """As many blanks as the match has characters, so that verbs in names are not read and positions stay."""
    return " " * len(match[0])


def _named(text: str, numbers: bool) -> tuple[str, ...]:
    """The names in a piece of a line, or its bare numbers."""
    return names(text) or (tuple(_BARE_NUMBER.findall(text)) if numbers else ())
