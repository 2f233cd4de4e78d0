"""Meeting notes and daily notes: one file a day, one event an agenda heading, and the decisions marked inside.

A heading nobody wrote anything under is kept as chatter: that a thing came up again is part of its history.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from indexer.events import references, wording
from indexer.events.outline import LONGEST, Outline, Section, cut, heading_date, renewed, tidy, without_date
from indexer.events.reasons import first_sentence, split_reason
from indexer.types import Block, Document, Event

_MEETING = re.compile(
    r"minutes|meeting|telcon|(?<![a-z])calls?(?![a-z])|stand-?ups?|retro(?!s?pie)|(?<![a-z])(?:sync|1on1|"
    r"1-1|all-?hands|workshop|weekly|huddle|f2f|offsite)(?![a-z])|"
    r"protokoll|besprechung|sitzung|réunion|compte[- ]rendu|reuni(?:ó|o)n|reunião|riunione|vergadering|"
    r"notulen|совещани|встреча|протокол|spotkani|"
    r"toplantı|cuộc họp|biên bản|rapat|اجتماع|बैठक|ประชุม|会议|會議|例会|周会|会議|議事録|打ち合わせ|회의",
    re.IGNORECASE,
)
# One of these is in whatever _MEETING matches, and most notes hold none: looking for them first takes a tenth.
_MEETING_WORDS = (
    "minutes meeting telcon call standup stand-up retro sync 1on1 1-1 allhands all-hands workshop weekly huddle f2f "
    "offsite protokoll besprechung sitzung réunion compte reunion reunión reunião riunione vergadering notulen "
    "совещани встреча протокол spotkani toplantı toplanti họp biên rapat اجتماع बैठक ประชุม 会议 會議 例会 周会 "
    "会議 議事録 打ち合わせ 회의"
).split()
_DAY = re.compile(r"(?:^|/)(?:daily|journal|diary)?[.\w-]{0,16}?\d{4}[-_.]?\d\d[-_.]?\d\d\.\w+$", re.IGNORECASE)
_GENERIC = re.compile(
    r"(?:meeting |call |full |raw )*(?:agenda|minutes|attend(?:ance|ees)|present|participants|regrets?|"
    r"scribes?|introductions?|welcome|notes?|contents?|table of contents|"
    r"zoom chat(?: logs?)?|chat(?: logs?)?|transcript|links?(?: shared| discussed)?|resources?|"
    r"next (?:call|meeting)|date(?:/time)?.*|time.*|duration.*|moderators?.*|audio.*|video.*|"
    r"recordings?.*|github.*|previous .*|notes?:.*|aob|any other business|misc(?:ellaneous)?|references?|"
    r"related|"
    r"day \d|session \d|breakout \w.*|plenary.*|(?:tele)?conference.*|issue triage|intro(?: .*)?|closing|"
    r"logistics|teilnehmer|tagesordnung|参加者|出席者|ผู้เข้าร่วม)",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"\W{0,6}(?:PROPOSED )?(?P<mark>RESOLVED|RESOLUTION|DECISIONS?|DECIDED|AGREED|CONSENSUS|BESCHLUSS|"
    r"DECISIÓN|DÉCISION|決定|决定|มติ)(?:\s?[\d.]{1,6})?\W{0,4}[:：]",
    re.IGNORECASE,
)
_ACTION = re.compile(r"\W{0,6}ACTION(?:\s?[\d.]{1,6})?\W{0,4}[:：]?\s", re.IGNORECASE)
_CLEAN = re.compile(
    r"\s*[\[(]?\d{1,2}:\d\d(?::\d\d)?[\])]?\s*$|\s+[-–—]\s+@[\w-]+(?:,?\s*@[\w-]+)*\s*$|"
    r"^\s*\d+(?:\.\d+)*[.)]?\s+"
)
_NO_SENTENCE = re.compile(
    r"\W*(?:present|regrets|scribes?|chair|attendees|timestamp|moderator|video|recording|https?:|\[?\d+:\d\d)",
    re.IGNORECASE,
)
_LISTING = {
    "decisions": "decision",
    "actions": "outcome",
    "talk": "outcome",
    "outcomes": "outcome",
}  # kinds of the lines
_SHORTEST_MARKED = 8  # characters of a line that tells a decision by itself
_SHORTEST = 25  # characters of a sentence that says something
_MOST_LINKS = 12
_READ = 1_500  # characters of what was said that are read
_OFTEN = 2  # times a section names a record before it is about it


def meeting_events(outline: Outline) -> list[Event]:
    """The events of a meeting's or a day's note; nothing for other notes."""
    document = outline.document
    is_meeting = outline.is_dated and _is_meeting(document)
    if not is_meeting and not (outline.is_dated and _DAY.search(document.path)):
        return []
    found: list[Event] = []
    sections = outline.sections
    for number, section in enumerate(sections):
        marked = _marked(outline, section)
        found += marked
        if section.level and (section.level > 1 or len(sections) > 2):
            following = sections[number + 1].line if number + 1 < len(sections) else len(outline.lines) + 1
            event = _heading(outline, section, following, marked)
            found += [event] if event and (is_meeting or event.kind != "chatter") else []
    if is_meeting and "github.com/" in document.text:
        headed = {link for event in found for link in event.links if "#" in link}
        found += [event for section in sections for event in _on_issues(outline, section, headed)]
    return found


def _is_meeting(document: Document) -> bool:
    """Whether a note is the record of a meeting, by its path, title or tags."""
    names = "\n".join([document.path, document.title, *document.tags])
    lowered = names.lower()
    return any(word in lowered for word in _MEETING_WORDS) and _MEETING.search(names) is not None


def _marked(outline: Outline, section: Section) -> list[Event]:
    """Lines marked as decisions or actions, the lines of sections that list them, and bullets on an issue."""
    role = wording.role(section.title)
    kinds = _LISTING if section.level else {}
    topic = topic_over(section) if role in kinds else ""
    found = []
    for block in section.blocks:
        if block.kind not in ("item", "paragraph", "quote") or not block.text:
            continue
        kind = "decision" if _MARK.match(block.text) else "outcome" if _ACTION.match(block.text) else ""
        if not kind and role in kinds and (block.kind == "item" or role != "talk"):
            kind = kinds[role]
        if kind and (len(block.text) > _SHORTEST_MARKED or topic) and not block.text.rstrip().endswith(":"):
            event = outline.event(block, block.text, kind=kind)
            named = references.numbered(topic)
            found.append(
                renewed(event, what=cut(f"{topic}: {event.what}") if topic else "", links=(*event.links, *named))
            )
    return found


def topic_over(section: Section) -> str:
    """The agenda heading that a section of conclusions stands under, or `""`."""
    for title in reversed(section.above[1:]):
        if not wording.role(title) and not _GENERIC.fullmatch(title.strip(" :#*")):
            return "" if heading_date(title) else _titled(title)
    return ""


def _titled(heading: str) -> str:
    """An agenda heading without its number, time and people."""
    return _CLEAN.sub("", _CLEAN.sub("", tidy(heading)))


def _on_issues(outline: Outline, section: Section, headed: set[str]) -> list[Event]:
    """Bullets that begin an agenda item by linking an issue; issues that have a heading of their own are left out."""
    found = []
    for block in section.blocks:
        if block.kind == "item" and block.level <= 2 and len(block.text) < LONGEST:
            issues = references.issues(outline.raw(block.start_line, block.end_line))
            if issues and headed.isdisjoint(issues):
                headed.update(issues)
                found.append(
                    outline.event(block, block.text, kind="outcome" if wording.decides(block.text) else "chatter")
                )
    return found


def _heading(outline: Outline, section: Section, following: int, marked: Sequence[Event]) -> Event | None:
    """The event of an agenda heading: what it is called, and the first thing that was decided or said."""
    title = _titled(section.title)
    links = [*references.issues(outline.raw(section.line, section.line)), *outline.names(section.line, section.line)]
    often = _often(outline.names(section.line, following - 1))
    links += often
    blocks = [block for block in section.blocks if block.kind in ("paragraph", "item", "quote", "row")]
    is_generic = bool(_GENERIC.fullmatch(title.strip(" :#*"))) or not without_date(title).strip(" :#*-–—")
    if not title or wording.role(section.title) or (is_generic and not often) or not (links or blocks):
        return None
    decided = next((block.text for block in blocks if block.text and wording.decides(block.text)), "")
    said = tidy(decided[:_READ]) or next(
        (tidy(b.text[:_READ]) for b in blocks if len(b.text) >= _SHORTEST and not _NO_SENTENCE.match(b.text)), ""
    )
    kind = "chatter" if not said else "decision" if marked else "outcome"
    event = outline.event(
        Block("heading", section.line, section.line),
        title,
        kind=kind,
        reason=split_reason(said)[1] if decided else "",
    )
    what = f"{title}: {first_sentence(said[:LONGEST])}" if said else title
    opening = blocks[0].end_line if blocks and blocks[0].kind == "paragraph" else section.line
    linked = (*event.links, *links, *references.issues(outline.raw(section.line, opening)))
    return renewed(event, what=cut(what), kind=kind, links=tuple(dict.fromkeys(linked)))


def _often(names: Sequence[str]) -> list[str]:
    """Records named more than once, most often first."""
    return [name for name, count in Counter(names).most_common(_MOST_LINKS) if count >= _OFTEN]
