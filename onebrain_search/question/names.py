"""What a question only quotes: titles, names, code and paths, which are not read as the question's own words."""

from __future__ import annotations

import re

from onebrain_search.question.phrases import HIDDEN

_WORD, _CAPITALS = re.compile(r"\w"), re.compile(r"[A-Z]")
_QUOTED = re.compile(
    r'"[^"]*"'
    r"|“[^“”]*”|„[^„“”\"]*[“”\"]|”[^”]*”|«[^»]*»|»[^«]*«|‹[^›]*›"
    r"|「[^」]*」|『[^』]*』|《[^》]*》|〈[^〉]*〉|【[^】]*】|＂[^＂]*＂"
    r"|‘(?:[^‘’]|’(?=\w))*’(?!\w)|‚[^‚‘’]*[‘’]"
    r"|(?<!\w)'(?:[^']|(?<=\w)'(?=\w))*'(?!\w)"
    r"|``.+?``|`[^`]+`"
    r"|\[\[[^\]]*\]\]"
)
_PATH = re.compile(
    r"(?<![\w&])#[\w/-]+|"
    r"\bhttps?://[^\s<>\"）。，]+"
    r"|(?a:(?<!\w)(?:\.{0,2}/)?(?:[\w.~@-]{1,80}/){1,12}[\w.~@-]{0,80}\.\w+)"
    r"|(?a:\b[\w-]{1,80}(?:\.[\w-]{1,40}){0,5}\.(?:md|txt|py|rst|org|json|ya?ml|toml|js|ts|tsx|rs|go|java|c|h|cpp|rb|sh|html|css|csv|pdf|docx?|ini|cfg|log|sql)\b)"
)
_ASKING = (
    r"(?:did|do|does|is|are|was|were|has|have|had|should|would|can|could|will|must|might|not|don['’]t|didn['’]t|isn['’]t|"
    r"aren['’]t|wasn['’]t|weren['’]t|can['’]t|won['’]t|am)\b"
)
_WHY_WORD = (
    r"(?:Why|How Come|Warum|Wieso|Weshalb|Pourquoi|Por Qu[eé]|Porqu[eê]|Perch[eé]|"
    r"Waarom|Varför|Hvorfor|Neden|Miksi|Mengapa|Kenapa|Dlaczego)"
)
_JOINED = r"(?:of|the|and|a|an|to|in|for|on|with|is|are|&|vs\.?)"
_CAPITAL = r"[A-Z][\w’'-]*"
_TITLE = re.compile(
    rf"(?:{_CAPITAL},?\s+(?:{_JOINED}\s+)*)+{_WHY_WORD}\b(?!\s+(?i:{_ASKING}))(?:\s+(?:{_CAPITAL}|{_JOINED}(?=\s+{_CAPITAL})))*"
    rf"|(?<=\w\s){_WHY_WORD}\b(?!\s+(?i:{_ASKING}))(?:\s+(?:{_JOINED}\s+)*{_CAPITAL})+"
)
_WORK = r"(?:book|summary|review|notes?|chapter|quotes|highlights|author|podcast|essay|film|movie|song|audiobook)"
_OPENING_TITLE = re.compile(
    rf"^\W*{_WHY_WORD}\s+(?:We|I|You|They|He|She|It|Our|My|Your|[A-Z]\w+)(?:\s+{_CAPITAL})*(?=\s+{_WORK}\b)"
    rf"|^\W*{_WHY_WORD}\s+(?:We|You|They|He|She|It|Our|My|Your)(?:\s+{_CAPITAL})+\W*$(?<!\?)"
)


def hide_names(text: str) -> str:
    """`text` with every character of quotations, code, `[[notes]]`, paths, tags and capitalised titles as `HIDDEN`.

    A question that stands in quotation marks as a whole is itself and not a quotation.
    """
    hidden = _PATH.sub(_hide, _QUOTED.sub(_hide, text))
    if "?" in text and not _WORD.search(hidden):
        hidden = text
    if hidden.isupper() or not _CAPITALS.search(hidden):
        return hidden
    return _TITLE.sub(_hide, _OPENING_TITLE.sub(_hide, hidden))


def _hide(match: re.Match[str]) -> str:
    """As many `HIDDEN` as the match has characters."""
    return HIDDEN * len(match[0])
