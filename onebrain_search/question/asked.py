"""What kind of answer a question wants: a fact or a reason, what holds now, what is new."""

from __future__ import annotations

import unicodedata
from typing import Literal

from onebrain_search.question.names import hide_names
from onebrain_search.question.phrases import fold, starts, table


def detect(text: str) -> Literal["what", "why"]:
    """`why` when the question asks for reasons, causes, motives or the history of a decision, else `what`.

    Quoted or capitalised titles, code, paths and `[[notes]]` that only contain such a word do not count.
    """
    folded = fold(hide_names(unicodedata.normalize("NFC", text)))
    names, reasons = table("reasons.txt", "name"), table("reasons.txt", "reason")
    passed = 0
    for start in starts(folded):
        if start < passed:
            continue
        if (end := names.at(folded, start)) >= 0:
            passed = end
        elif reasons.at(folded, start) >= 0:
            return "why"
    return "what"


def asks_current(text: str) -> bool:
    """Whether the question is about what holds now ("still", "currently", "in force")."""
    return table("frames.txt", "current").within(fold(hide_names(unicodedata.normalize("NFC", text))))


def asks_recent(text: str) -> bool:
    """Whether the question is about what is new ("latest", "recently", "last week")."""
    return table("frames.txt", "recent").within(fold(hide_names(unicodedata.normalize("NFC", text))))
