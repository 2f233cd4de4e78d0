"""What the cosines of a model mean: their weight beside words, and where they begin and end to say something.

A model's cosines lie in a band of their own. Marks and weights are written for those of the English model; the
cosines of another one are brought to its scale first. Their order never changes by that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from indexer.embed import ENGLISH, MULTILINGUAL, packaged_as


@dataclass(frozen=True, slots=True)
class Dense:
    """What is known of one model.

    `share` of the dense leg in the sum of both; `zero` and `one`, its cosines that stand for the English model's 0
    and 1. Where few words of a question stand in any note, the best score by words means little: `known` is the share
    of them, by rarity, that the notes should have. `mixed`: it reads many languages, and finds notes whose words are
    not those of the question; then the best score is low, too, and `full` is the share of the rarity of the words
    there that it should reach. Nor do the best hits of such a question say more of what it means (dense feedback
    costs Thai questions on English notes .014 nDCG@10). `middle` of the mean of all vectors is taken out of a
    question, see `neutral`.
    `apart`: so many standard deviations above all passages count as a cosine of 1, see `outstanding`.
    `letters` of sentences are compared with a question, which costs 4 ms a sentence of English.
    `span`: a passage whose cosine falls so far behind the nearest one's scores nothing; the furthest candidate if 0.
    """

    share: float = 0.55
    zero: float = 0.0
    one: float = 1.0
    mixed: bool = False
    known: float = 0.5
    full: float = 0.0
    middle: float = 0.0
    apart: float = 1.0
    letters: int = 500
    span: float = 0.0

    def trust(self, best: float, there: float, lost: float) -> float:
        """Return how much (0..1) scores by words are to count.

        `best` is the highest one, `there` the rarity of the question's words that the notes have, `lost` of others.
        """
        if not there:
            return 1.0
        reached = min(1.0, best / (self.full * there)) if self.full else 1.0
        return reached * min(1.0, there / (there + lost) / self.known) ** 2

    def meaning(self, cosine: float) -> float:
        """Return a cosine on the English model's scale."""
        return (cosine - self.zero) / (self.one - self.zero)


# nDCG@10 of 200 questions of xquad in the language of the notes with a `share` of .8, and of .7: Spanish .987 (.983),
# Hindi .985 (.982); of all in Chinese .978 (.981), of a third in Arabic .965 (.966). `known` (its square counts) and
# `full`: with them both legs are nowhere below meaning alone over 12 pairs of languages. `middle`, by meaning: Thai
# on English .852 (.846 without), Chinese on English .826 (.817), English on Thai .885 (.877), Thai .949 (.944),
# Chinese .951 (.950); .5 is no better.
# `share` of the English model: with .65 instead of .55, 400 questions of xquad-en have .989 (.986), but those of
# anthropic-docs .838 (.846), of cacm .568 (.570), of cranfield .426 (.424).
# `span` of the English model, instead of the whole range of cosines among the candidates (.6 to .7 on average): in a
# vault on many subjects the range is wide, and what parts the best passages was too little of it. nDCG@10 of
# xquad-en .984 (.982), scifact .732 (.727), cranfield .427 (.424), cacm .565 (.570), anthropic-docs the same, MRR of
# the sessions .842 (.839); .6 gives half of it, .4 costs cacm .01 more. The multilingual model has the whole range:
# that is .16, and .1 where question and notes are of two languages; with .14 English on Chinese has .893 (.898).
# `known` of the English model: a question of three words, of which the notes have one, found every note with it
# before the note that was meant. On the dev collections few words stand in no document: nDCG@10 is .0007 lower in
# scifact and the same elsewhere, hit@5 of the sessions .002 lower; .7 costs twice that.
# `zero` and `one`: a foreign question's nearest passage has .78 as the English model's has .25, an own one's .88, .6.
MODELS: Mapping[str, Dense] = {
    ENGLISH: Dense(span=0.5),
    MULTILINGUAL: Dense(0.8, 0.709, 0.995, True, known=0.7, full=0.3, middle=0.25, apart=6.0, letters=250),
}


def named(model: str) -> str:
    """Return the name that figures on a model are kept by: the setting's for packaged ones, a server's without it."""
    name = model.rpartition("#")[2]
    return packaged_as(name) or name


def of(model: str) -> Dense:
    """Return what is known of a model, by the name that the index keeps; one that was not measured is as English."""
    return MODELS.get(named(model), Dense())
