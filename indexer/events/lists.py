"""Decisions in lists and under headings: `## Decisions` with bullets, dated bullets and headings, open questions."""

from __future__ import annotations

import re

from indexer.events import wording
from indexer.events.meetings import topic_over
from indexer.events.outline import Outline, Section, cut, heading_date, leading_date, renewed, tidy, without_date
from indexer.events.reasons import first_sentence, split_reason
from indexer.types import Block, Event

_KINDS = {"decisions": "decision", "outcomes": "outcome", "questions": "question"}
_PROSE = ("item", "paragraph")
_HEADING_EDGE = " \t:：—–-|·,.()[]"
_SHORT_TITLE = 3  # words of a heading that alone does not say what was decided
_READ = 1_000  # characters of the text below a heading that are read for its reason
_TASK = re.compile(r"\[ \]\s")


def list_events(outline: Outline) -> list[Event]:
    """Bullets and paragraphs of decision sections, whatever begins with a date, and dated headings."""
    found: list[Event | None] = []
    keeps_decisions = any(wording.role(section.title) == "decisions" for section in outline.sections)
    for section in outline.sections:
        role = _role(section)
        if (
            role == "decisions"
            or (role == "questions" and outline.is_dated)
            or (role == "outcomes" and keeps_decisions)
        ):
            found += _of_section(outline, section, _KINDS[role])
        elif section.level > 1 and heading_date(section.title) and "agenda" not in " ".join(section.above).lower():
            found += _of_day(outline, section)
        elif "agenda" not in " ".join((section.title, *section.above)).lower():
            found += _dated(outline, section)
    return [event for event in found if event]


def _role(section: Section) -> str:
    """What a section is for by its heading, or by the nearest heading over it that tells."""
    if role := wording.role(section.title):
        return role
    return "decisions" if any(wording.role(title) == "decisions" for title in section.above) else ""


def _of_section(outline: Outline, section: Section, kind: str) -> list[Event | None]:
    """Each bullet of a section of decisions or questions; each paragraph when it has no bullets."""
    prose = [block for block in section.blocks if block.kind in _PROSE and block.text]
    bullets = [block for block in prose if block.kind == "item"]
    found = [_event(outline, section, block, kind) for block in (bullets or prose) if block.level <= 2]
    if bullets:
        found += [_event(outline, section, b, kind) for b in prose if b.kind == "paragraph" and leading_date(b.text)]
    if not prose and section.when and section.title and kind == "decision":
        found.append(_of_heading(outline, section))
    return found


def _of_day(outline: Outline, section: Section) -> list[Event | None]:
    """A dated heading: with a title it is the event, its deciding bullets are others; without one each line is."""
    heading = _of_heading(outline, section)
    prose = [block for block in section.blocks if block.kind in _PROSE and len(block.text) > 3]
    if heading is None:
        return [_event(outline, section, block, _told(block.text)) for block in prose if block.level <= 1]
    bullets = [block for block in prose if block.kind == "item" and wording.decides(block.text)]
    return [heading, *(_event(outline, section, block, "decision") for block in bullets)]


def _of_heading(outline: Outline, section: Section) -> Event | None:
    """The event a dated heading names; its reason is that of the text below. None when it is nothing but a date."""
    title = without_date(tidy(section.title)).strip(_HEADING_EDGE)
    if not title or section.when is None:
        return None
    body = next((block.text for block in section.blocks if block.kind in _PROSE and block.text), "")
    reason = split_reason(tidy(body[:_READ]))[1]
    kind = "decision" if reason or wording.decides(title) or wording.decides(body) else "outcome"
    heading = Block("heading", section.line, section.line, section.title, section.level)
    text = title if section.when.date else section.title
    opening = first_sentence(split_reason(tidy(body[:_READ]))[0])
    if opening and (not reason or len(title.split()) <= _SHORT_TITLE):
        text = opening if opening.lower().startswith(text.lower()) else f"{text}: {opening}"
    return outline.event(heading, text, section.when, kind, reason)


def _dated(outline: Outline, section: Section) -> list[Event | None]:
    """Lines anywhere that begin with a date, or that begin by telling a decision in a dated note."""
    found: list[Event | None] = []
    for block in section.blocks:
        if block.kind not in _PROSE or not block.text:
            continue
        if leading_date(block.text):
            found.append(_event(outline, section, block, _guess(block.text)))
        elif (outline.is_dated or section.when) and _decides_at_once(block.text):
            found.append(_event(outline, section, block, "decision"))
    return found


def _event(outline: Outline, section: Section, block: Block, kind: str) -> Event | None:
    """The event of a line: by its own date, its heading's, or the note's; None for a line that is only a date."""
    dated = leading_date(block.text)
    when, text = dated or (section.when or outline.when, block.text)
    if not text:
        return None
    event = outline.event(block, text, when, kind)
    topic = topic_over(section) if wording.role(section.title) in _KINDS else ""
    return renewed(event, what=cut(f"{topic}: {event.what}") if topic else "")


def _told(text: str) -> str:
    """What a line of a diary is: a decision when it begins as one, an outcome when it tells one, else chatter."""
    if wording.decides_first(text):
        return "decision"
    return "outcome" if wording.decides(text) and not wording.retells(text) else "chatter"


def _guess(text: str) -> str:
    """What an undeclared dated line is: a decision when it decides or gives a reason, else an outcome."""
    if wording.retells(text):
        return "chatter"
    return "decision" if wording.decides(text) or split_reason(text[:600])[1] else "outcome"


def _decides_at_once(text: str) -> bool:
    """Whether a line's first words tell a decision (`Decided to ...`, `We chose ...`); open tasks do not."""
    return wording.decides_first(text) and not _TASK.match(text)
