"""How a word of a table is found in a question: whole in Latin script, anywhere in scripts without spaces."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

VERSUS = r"vs\.?(?!\s+(?:code|studio)\b)"  # two editors have it in their names


@cache
def pattern(word: str) -> re.Pattern[str]:
    """Return the pattern of a word or phrase; an English noun may stand in the plural."""
    if not word.isascii():
        return re.compile(re.escape(word))
    body = VERSUS if word == "vs" else re.escape(word).replace(r"\ ", r"[\s_-]+")
    plural = r"(?:s|es)?" if word[-1].isalpha() and word != "vs" else ""
    if word[-1] == "y":
        body, plural = body[:-1], "(?:y|ies)"
    return re.compile(rf"(?<![\w./-]){body}{plural}(?![\w-])", re.IGNORECASE)


def found(text: str, words: Iterable[str]) -> list[str]:
    """Return the words of a list that stand in a text; one inside a longer one of the list is not counted again."""
    there = [word for word in words if pattern(word).search(text)]
    return [word for word in there if not any(word != other and word.lower() in other.lower() for other in there)]
