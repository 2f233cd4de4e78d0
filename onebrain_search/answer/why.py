"""A topic -> the dated chain of decisions, what is in force now, and the reason each time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from indexer import tokens
from indexer.snapshot import Snapshot
from indexer.types import Event, written
from onebrain_search.answer.chain import Link, chain
from onebrain_search.types import Confidence, Query

LIVE = frozenset({"", "accepted"})
SAME_SUBJECT = 0.5  # of the rarer words of a decision that a later one shares when it is about the same thing
CERTAIN = 0.6  # of the best event's score from which the chain surely is about the topic
# Words by which a decision says that it ends or changes an earlier one.
_REVERSAL = re.compile(
    r"\b(?:drop(?:s|ped)?|replac\w+|revers\w+|revert\w*|supersed\w+|undo\w*|stop\w*|abandon\w*|retir\w+|again|now|"
    r"(?:go|goes|went|gone|back|return\w*) (?:back )?to|back from|moved? (?:back |from|away|out)|leaves?|left|"
    r"switch\w*|chang\w+|instead of|in place of|rather than|no longer|not .{1,30} any ?more|raised|lowered|"
    r"from .{2,60} to)\b"
    r"|改回|改为|改用|改成|改读|不再|取代|换成|替换|放弃|กลับมา|เปลี่ยน|เลิก|แทน|やめ|戻|変更|廃止|다시|대신|변경|중단"
    r"|statt|ersetz\w+|zurück|nicht mehr|wieder|au lieu|remplac\w+|revenir|plus de|en lugar|reemplaz\w+|volver|ya no"
    r"|вместо|замен\w+|вернул\w+|больше не|zamiast|i stedet|istället|al posto|in plaats van|em vez",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Story:
    """The chain with the standing of each event, what is in force (None: nothing was settled), and its confidence."""

    events: tuple[Event, ...]
    in_force: Event | None
    confidence: Confidence
    notes: tuple[str, ...] = ()


def tell(snapshot: Snapshot, query: Query, passages: Callable[[int], dict[int, float]]) -> Story:
    """Return the story of a topic; without events where the notes tell no dated decision about it."""
    links = chain(snapshot, query, passages)
    if not links:
        return Story((), None, "none")
    standing = _standing(links, snapshot.rarity)
    in_force = _in_force(standing)
    best = max(link.score for link in links)
    undated = sum(link.told.event.date is None for link in links)
    notes = (f"{undated} of these carry no date that can be read; they stand at the end",) if undated else ()
    return Story(
        tuple(link.told.event for link in standing),
        in_force.told.event if in_force else None,
        "strong" if best >= CERTAIN else "weak",
        notes,
    )


def settled(event: Event) -> str:
    """Return the line that says what is in force: the decision, since when, its reason word for word, and where."""
    reason = f' · "{event.reason}"' if event.reason and event.reason not in event.what else ""
    since = f" (since {event.date})" if event.date else ""
    return f"{event.what}{since}{reason} · {written(event.root, event.path)}:{event.line}"


def _standing(links: Sequence[Link], rarity: Callable[[str], float]) -> list[Link]:
    """Return the links with their status: as written, as other events name them, or as later ones reverse them."""
    named = {name for link in links for name in link.told.event.supersedes}
    found: list[Link] = []
    for at, link in enumerate(links):
        event = link.told.event
        status = event.status
        if status in LIVE and event.kind == "decision":
            later = [other for other in links[at + 1 :] if _ends(link, other, rarity)]
            if event.superseded_by or _is_named(event, named):
                status = "superseded"
            elif later:
                ending = later[0].told.event
                by = f"{written(ending.root, ending.path)}:{ending.line}"
                event = replace(event, superseded_by=(by,))
                status = "superseded"
        found.append(replace(link, told=replace(link.told, event=replace(event, status=status))))
    return found


def _ends(link: Link, later: Link, rarity: Callable[[str], float]) -> bool:
    """Whether a later live decision ends an earlier one: the same subject, and words that change something."""
    event, other = link.told.event, later.told.event
    if other.kind != "decision" or other.status not in LIVE or other.date is None or event.date is None:
        return False
    if (other.date, other.path) == (event.date, event.path):
        return False
    mine, theirs = _words(event.what), _words(f"{other.what} {other.reason}")
    weight = {word: rarity(word) for word in mine}
    shared = sum(weight[word] for word in mine & theirs)
    return shared >= SAME_SUBJECT * sum(weight.values()) or bool(
        _REVERSAL.search(other.what) and shared >= SAME_SUBJECT / 2 * sum(weight.values())
    )


def _is_named(event: Event, names: set[str]) -> bool:
    """Whether one of the names that other events say they supersede means this one."""
    forms = {
        event.thread,
        event.path,
        event.path.rpartition("/")[2],
        event.path.rpartition("/")[2].rpartition(".")[0],
    }
    return bool((forms - {""}) & names)


def _in_force(links: Sequence[Link]) -> Link | None:
    """Return the newest decision that still stands, of those that fit the topic best."""
    live = [
        link
        for link in links
        if link.told.event.kind == "decision" and link.told.event.status in LIVE and link.told.event.date
    ]
    return live[-1] if live else None


def _words(text: str) -> frozenset[str]:
    """Return the stems of a text's words."""
    return frozenset(map(tokens.stem, tokens.words(text)))
