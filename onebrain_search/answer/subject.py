"""What decisions are about: their words without those of deciding, and whether a later one ends an earlier one.

The numbers were set on the vaults in vault_fixtures, where every one of 150 decisions is known to be in force or not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from indexer import tokens
from indexer.types import Event
from onebrain_search.answer import turning
from onebrain_search.query import stop_words
from onebrain_search.question import grammar

Words = frozenset[str]
Rarity = Callable[[str], float]

LIVE = frozenset({"", "accepted"})
CHANGED = 0.35  # of their words' rarity that two decisions have in common where the later one changes the earlier one
# The same where the later one names what it turns away from, and the earlier one has most of that: the new thing and
# old circumstances are words of one decision only, the more so in scripts that are cut into pairs of letters. With
# .15, or with half of it named, the chains of 2 to 5 of the questions take in what is no part of them.
NAMED, MOST = 0.2, 0.8

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


@lru_cache(maxsize=20_000)
def about(text: str) -> Words:
    """Return the stems of the words that say what a decision is about."""
    if not text.isascii():
        text = re.sub(turning.EAST, " ", text)
    whole: dict[tuple[int, int], str] = {}
    for start, end, token in tokens.spans(text):
        whole.setdefault((start, end), token)  # the parts of a name would count it several times
    grammatical = stop_words() | grammar.among(set(whole.values()), stop_words())
    return frozenset(
        stem
        for token in whole.values()
        if token not in grammatical and (stem := tokens.stem(token)) not in _DECIDING and (len(stem) > 1)
    )


def alike(one: Words, other: Words, rarity: Rarity) -> float:
    """Return how much two texts are about the same: the share of their words' rarity that both have (0..1)."""
    both = sum(map(rarity, one & other))
    return 2 * both / (sum(map(rarity, one)) + sum(map(rarity, other))) if both else 0.0


def is_ended(earlier: Event, later: Event, rarity: Rarity) -> bool:
    """Whether a later decision ends an earlier one: on the same subject, and not the same move told again."""
    if later.status not in LIVE or not _comes_after(later, earlier):
        return False
    mine, theirs = about(earlier.what), about(later.what)
    if mine.isdisjoint(theirs) or not turning.changes(later.what):
        return False
    common = alike(mine, theirs, rarity)
    near = common >= CHANGED or (common >= NAMED and _is_left(earlier, later, rarity))
    return near and not _same_move(earlier.what, later.what)


def _is_left(earlier: Event, later: Event, rarity: Rarity) -> bool:
    """Whether a later decision names what an earlier one chose as what it turns away from."""
    gone = _about(turning.left(later.what))
    chosen = about(earlier.what) - _about(turning.left(earlier.what))
    return sum(map(rarity, gone & chosen)) >= MOST * sum(map(rarity, gone)) > 0


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
    return turning.changes(later.what) and not turning.changes(earlier.what)


def _same_move(earlier: str, later: str) -> bool:
    """Whether a decision turns from the same thing to the same thing as an earlier one that named both."""
    left, left_again = _about(turning.contrasted(earlier)), _about(turning.left(later))
    return bool(left & left_again and (about(earlier) - left) & (about(later) - left_again))


def _about(parts: Iterable[str]) -> Words:
    """Return what parts of a text are about."""
    return frozenset[str]().union(*map(about, parts))
