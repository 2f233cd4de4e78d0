"""A passage -> what an answer can be made of: sentences, bullets, table rows and few lines of code, word for word.

Wrapped lines of one paragraph are one text, so a sentence may span lines; its line breaks become spaces. What a unit
is about but does not say itself (the header of a row, the bullet above, the line that leads to code) is its context.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from indexer.types import Chunk

LONGEST = 320  # code points of a unit that still reads as an answer
CODE_LINES = 4  # of code that are one unit
PHRASES = 60  # code points of Thai or Lao before a space that ends a unit: a sentence is two or three phrases
NARROW = 60  # nobody wraps prose at fewer columns: a shorter line was ended on purpose

_FENCE = re.compile(r"\s*(?:>\s*)*(?P<mark>```+|~~~+)(?P<info>[^`]*)$")
_QUOTE = re.compile(r"^\s*(?:>\s?)+(?:\[!\w+\][-+]?\s*)?")
_ITEM = re.compile(r"^(?P<indent>\s*)(?:[-*+•]|\d{1,4}[.)])\s+(?:\[[ xX/-]\]\s+)?(?P<text>.*)$")
_HEADING = re.compile(r"^\s{0,3}#{1,6}(?:\s|$)")
_RULE = re.compile(r"^[\s|:*_=~`#>+-]*$")
_COMMENT = re.compile(r"^\s*(?:#(?!!)|//|--|/\*|;|%|\"\"\"|''')")
_LOWER = re.compile(r"[\"“‘«(\[*_`]*[a-zß-öø-ÿа-яα-ω]")
# A sentence ends at a full stop before what can begin one; scripts with their own full stops need no space. Thai and
# Lao have none and part phrases by spaces: a few of those are one unit.
_END = re.compile(
    r"(?:(?<=[.!?…؟])|(?<=[\u0370-\u03ff\u1f00-\u1fff];))[\"”’»)\]*_]*\s+(?=[\"“‘«(\[*_`¿¡]*[^\W_a-zа-я])"
    r"|(?<=[。！？｡])[”」』）\"]*(?=.)|(?<=[^\W\d]．)(?=\D)|(?:(?<=[।॥۔։።፧។៕။།])|(?<=፡፡))\s*(?=[\"“‘«(]?[^\W_])"
    r"|(?<=[ก-๛ກ-ໟ])\s+(?=[“\"(]?[ก-๛ກ-ໟ])"
)
_NO_END = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|cf|approx|dr|mr|mrs|ms|prof|st|jr|ca|bzw|z\. ?b|d\. ?h|u\. ?a|mio|mrd|std|inkl|ggf|evtl"
    r"|vgl|sra?|srta|dra|avd?a?|núm|pág|mme|mlle|sig|bijv|dhr|mevr|o\.a|t\. ?ex|bl\. ?a|f\. ?eks|dvs|np|tzn|tzw|m\.in"
    r"|ul|godz|např|tzv|ул|им|стр|напр|вул|pl|esim|ks|örn|bkz|tp|jl)"
    r"|(?<![\w.])[^\W\d_](?:\.[^\W\d_])*|(?:^|[\[(#])\d{1,4})\.$",
    re.I,
)
_ORDINAL = re.compile(r"(?<![\d.,])\d{1,2}\.$")  # of a day, before the name of a month: am 5. März
_NO_END_BEFORE_NUMBER = re.compile(r"\b(?:no|nr|fig|eq|sec|vol|ch|pp?|art)\.$", re.I)
# These say nothing without the sentence before them.
_REFERRING = re.compile(
    r"^\W*(?:(?:and|but|so|then|or|if|when|because|since|while|otherwise|also|there|here|instead|however|thus)\W+)?"
    r"(?:it|its|he|she|they|his|her|their|this|that|these|those|both|er|sie|es|diese[rsmn]?|elles?|ils?)\b",
    re.I,
)

Lines = Sequence[tuple[int, str]]  # the number of each line in its file, and its text


@dataclass(frozen=True, slots=True)
class Unit:
    """What can stand in an answer: `text` word for word, the file's `line` it begins on, and what it is about."""

    text: str
    line: int
    context: str = ""


def units(chunk: Chunk) -> Iterator[Unit]:
    """Yield the units of a passage in the order of its lines; headings and the header rows of tables are none."""
    lines = list(enumerate(chunk.text.split("\n"), chunk.start_line))
    if chunk.kind == "code":
        yield from _code(lines, "")
        return
    reader = _Reader()
    for part, fenced in _fences(lines):
        if fenced:
            yield from reader.ended()
            yield from _code(part, reader.lead)
        else:
            for number, raw in part:
                yield from reader.read(number, raw)
    yield from reader.ended()


class _Reader:
    """Takes lines one by one, and gives out the units of a paragraph, bullet or table when it ends."""

    def __init__(self) -> None:
        self.kind = ""
        self.lines: list[tuple[int, str]] = []
        self.lead = ""  # the text above that introduces what follows: "The ports are:"
        self.above: list[tuple[int, str]] = []  # the bullets that the current one is nested in, by indentation

    def read(self, number: int, raw: str) -> Iterator[Unit]:
        """Take one line."""
        line = _QUOTE.sub("", raw)
        item = _ITEM.match(line)
        if _HEADING.match(line):
            yield from self.ended()
            self.lead, self.above = "", []
        elif line.lstrip().startswith("|") or (self.kind == "row" and "|" in line):
            yield from self._added("row", number, line)
        elif _RULE.match(line):
            yield from self._ruled(line)
        elif item:
            yield from self.ended()
            yield from self._added("item", number, item["text"])
            indent = len(item["indent"].expandtabs(4))
            self.above = [each for each in self.above if each[0] < indent] + [(indent, item["text"])]
        else:
            yield from self._added("item" if self.kind == "item" else "paragraph", number, line)

    def ended(self) -> Iterator[Unit]:
        """Give out what the lines taken so far hold."""
        kind, lines, self.kind, self.lines = self.kind, self.lines, "", []
        if not lines:
            return
        if kind == "row":
            yield from _rows(lines, self.lead)
            return
        context = " ".join([self.lead, *(text for _, text in self.above[:-1])]).strip() if kind == "item" else ""
        found = list(_sentences(lines, context))
        yield from found
        if kind == "paragraph":
            self.lead = found[-1].text if found and found[-1].text.endswith((":", "：")) else ""
            self.above = []

    def _added(self, kind: str, number: int, line: str) -> Iterator[Unit]:
        """Take a line as one of its kind; another kind before it ends."""
        if kind != self.kind:
            yield from self.ended()
        self.kind = kind
        self.lines.append((number, line))

    def _ruled(self, line: str) -> Iterator[Unit]:
        """End at a blank line or a rule; one below a single line makes that line a heading."""
        if line.strip() and self.kind == "paragraph" and len(self.lines) == 1 and set(line.strip()) <= {"=", "-"}:
            self.kind, self.lines, self.lead = "", [], ""
        yield from self.ended()


def _fences(lines: Lines) -> Iterator[tuple[list[tuple[int, str]], bool]]:
    """Yield the lines outside and inside of code fences in turn, the fences themselves left out.

    A passage may begin inside of one: then its marks are odd in number, and the first one names no language.
    """
    marks = [match for _, line in lines if (match := _FENCE.match(line))]
    fenced = len(marks) % 2 == 1 and not marks[0]["info"].strip()
    part: list[tuple[int, str]] = []
    for number, line in lines:
        if _FENCE.match(line):
            yield part, fenced
            part, fenced = [], not fenced
        else:
            part.append((number, line))
    yield part, fenced


def _code(lines: Lines, context: str) -> Iterator[Unit]:
    """Yield code in groups of a few lines, each with the comment above it."""
    group: list[tuple[int, str]] = []
    for number, line in lines:
        begins = bool(_COMMENT.match(line)) and any(not _COMMENT.match(each) for _, each in group)
        if group and (_RULE.match(line) or begins or len(group) == CODE_LINES):
            yield Unit(_joined(group), group[0][0], context)
            group = []
        if not _RULE.match(line):
            group.append((number, line))
    if group:
        yield Unit(_joined(group), group[0][0], context)


def _rows(lines: Lines, lead: str) -> Iterator[Unit]:
    """Yield the rows of a table, each about its header; a part of a table without its header has no such context."""
    cells = [(number, " ".join(line.strip().strip("|").split())) for number, line in lines]
    headed = len(cells) > 1 and not cells[1][1].strip(" |:-") and "-" in cells[1][1]
    context = f"{lead} {cells[0][1]}".strip() if headed else lead
    for number, text in cells[2:] if headed else cells:
        if text.strip(" |:-"):
            yield Unit(text, number, context)


def _sentences(lines: Lines, context: str) -> Iterator[Unit]:
    """Yield the sentences of a paragraph or bullet; one that refers to the sentence before it takes that along."""
    for part in _texts(lines):
        found = list(_split(part))
        for n, (line, text) in enumerate(found):
            about = f"{context} {found[0][1]}" if n else context
            before = found[n - 1][1] if n else ""
            if before and _REFERRING.match(text) and len(before) + len(text) < LONGEST:
                yield Unit(f"{before} {text}", found[n - 1][0], about)
            else:
                yield Unit(text, line, about)


def _texts(lines: Lines) -> Iterator[list[tuple[int, str]]]:
    """Yield the lines that are one running text: a line that ended on purpose is not joined with the next one.

    It did when the first word of the next line would still have fitted, and the next line begins like a sentence.
    """
    width = max(NARROW, *(len(line) for _, line in lines)) if len(lines) > 1 else NARROW
    part = [lines[0]]
    for (_, before), (number, line) in pairwise(lines):
        word = line.split(maxsplit=1)[0] if line.strip() else ""
        if len(before) + 1 + len(word) <= width and not _LOWER.match(line.lstrip()):
            yield part
            part = []
        part.append((number, line))
    yield part


def _split(lines: Lines) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of the sentences of one running text."""
    text, starts = "", []
    for number, line in lines:
        text += " " if text else ""
        starts.append((len(text), number))
        text += line.strip()
    at = 0
    for match in [*_END.finditer(text), None]:
        end = match.end() if match else len(text)
        piece = text[at:end].strip()
        if match and not _ends(piece, text[end:]):
            continue
        if piece:
            yield next(number for start, number in reversed(starts) if start <= at), piece
        at = end


def _ends(piece: str, rest: str) -> bool:
    """Whether a full stop ends a sentence, and not an abbreviation or an initial; a space, if enough is before it."""
    if "ก" <= piece[-1:] <= "ໟ":
        return len(piece) >= PHRASES
    if _NO_END.search(piece) or (rest[:1].isdigit() and _NO_END_BEFORE_NUMBER.search(piece)):
        return False
    return not (_ORDINAL.search(piece) and _begins_with_a_month(rest))


def _begins_with_a_month(text: str) -> bool:
    """Whether the first word of a text is the name of a month."""
    from indexer.parse.months import month_number  # few texts need it

    return month_number(text.split(maxsplit=1)[0]) > 0


def _joined(lines: Lines) -> str:
    """Return lines as one text."""
    return " ".join(line.strip() for _, line in lines)
