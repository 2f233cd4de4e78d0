"""The one place that knows scripts: what a word is, how it is normalised, stemmed and split.

Index and query go through the same functions, so any token yielded from a note finds that note.
Words are NFKC-normalised and casefolded; accents are folded for Latin letters only. Scripts
written without spaces, and Hangul with its glued particles, become character bigrams.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from unicodedata import category, combining, is_normalized, name, normalize

from indexer.scripts import (
    ARABIC_FOLDS,
    BIGRAM_CLASS,
    DEAD_NASAL,
    DIGIT_FOLDS,
    GLUE,
    HANGUL_CLASS,
    IDEOGRAPH_CLASS,
    INDIC_FOLDS,
    INVISIBLE,
    LATIN_FOLDS,
    MARKS,
    NASAL_SIGN,
    NON_JOINER,
    STEMMERS,
    TONES,
    UNSPACED_CLASS,
)

TOKENS = "7"  # part of the index fingerprint: raise it when the same text would give other tokens
MAX_TOKEN = 64  # longer runs are hashes or encoded data; nobody types them
MEMO_LIMIT = 200_000  # distinct pieces remembered before the memory is given back

# Letters of a stem that count in notes of other Latin languages than English, and the sign that tells it is cut. With
# five, lexical nDCG@10 of xquad-es is .968 (.959 without, .966 with six, .969 with the Spanish stemmer).
CUT, MARK = 5, "*"
# At least every twelfth word of English prose is one of these; of 240 Spanish paragraphs and short notes in fifty
# other languages, one Danish note had as many.
_ENGLISH = frozenset(
    "the of and to that for with are was this from by it be as which you have not or were an".split()
)
_ENGLISH_FROM = 1 / 12
_LEAST_READ = 20  # words of Latin letters by which a text is judged: a title has no need of such words

# A word may carry a dotted number (v2.8.3) or the sign of a language name (C#, C++).
_TAIL = r"(?:(?<=[0-9])(?:\.[0-9]+)++|(?<=\b[CcFf])#|(?<=\b[CcGg])\+\+)?+"
_ASCII_RUN = re.compile(rf"[A-Za-z0-9_]+{_TAIL}", re.ASCII)
_LETTERS = rf"[^\W{BIGRAM_CLASS}{HANGUL_CLASS}{UNSPACED_CLASS}]"
_UNSPACED_RUN = "|".join(f"[{one}][{one}{GLUE}]*" for one in (BIGRAM_CLASS, HANGUL_CLASS, UNSPACED_CLASS))
# Typographic punctuation and symbols: once blanked, most European prose is ASCII and takes the fast path.
_SIGNS = re.compile(
    "[\u00a0-\u00a9\u00ab\u00ac\u00ae-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u02b9-\u02bc"
    "\u2010-\u2027\u2030-\u205e\u2190-\u2bff]"
)
_BORDERS = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "_.#+")}
_COMPOUND = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_PART = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)+$")
_IDEOGRAPH = re.compile(f"[{IDEOGRAPH_CLASS}]")
_STRIP = re.compile(f"[{INVISIBLE}{TONES}]")
_GLUES = re.compile(f"[{GLUE}]")
_LATIN_MARKS = re.compile("[\u0300-\u036f]")
_CODES = {**ARABIC_FOLDS, **DIGIT_FOLDS, **INDIC_FOLDS}
_DEAD_NASAL = re.compile(DEAD_NASAL)
_LATIN_CODES = {**str.maketrans(LATIN_FOLDS), **DIGIT_FOLDS}
_PARTS = re.compile(f"[_.{NON_JOINER}]")
_STRIP_GLUE = re.compile(rf"[{GLUE}\s]")


class _Memo(dict[str, tuple[str, str]]):
    """The tokens and the stems of pieces of text between spaces, remembered: a look-up once a piece was seen."""

    def __missing__(self, piece: str) -> tuple[str, str]:
        """Work the piece out, and start over when the memory has grown too large."""
        found = [piece] if piece.isascii() and piece.isalpha() else runs(piece)
        if len(found) == 1 and found[0] != piece:
            value = self[found[0]]  # most pieces are a word with a comma or a bracket
        else:
            tokens = [token for run in found for token in _tokens(run)]
            value = " ".join(tokens), " ".join(filter(None, map(_stem_of, tokens)))
        if len(piece) <= MAX_TOKEN:  # a long run of a script without spaces hardly comes twice
            if len(self) >= MEMO_LIMIT:
                self.clear()
            self[piece] = value
        return value


def version() -> str:
    """Return what the tokens and stems of a text depend on."""
    from Stemmer import version as stemmer

    return f"{TOKENS}, Snowball {stemmer()}"


@cache
def _unspaced() -> re.Pattern[str]:
    """Return the pattern of a character that is indexed in bigrams, made when it is needed: it takes 4 ms."""
    return re.compile(rf"[{BIGRAM_CLASS}{HANGUL_CLASS}{UNSPACED_CLASS}]")


@cache
def _any_run() -> re.Pattern[str]:
    """Return the pattern of runs in every script, made at the first text that is not ASCII: it takes 11 ms."""
    return re.compile(
        rf"[A-Za-z0-9_]++{_TAIL}(?![^\0-\x7f])"  # nothing new, but in European prose it is twice as fast
        rf"|{_UNSPACED_RUN}|{_LETTERS}+(?:[{MARKS}{INVISIBLE}{TONES}]+{_LETTERS}*)*{_TAIL}"
    )


def runs(text: str) -> list[str]:
    """Return the raw word runs of a text, in order."""
    plain = text if text.isascii() else _SIGNS.sub(" ", text)
    return (_ASCII_RUN if plain.isascii() else _any_run()).findall(plain)


def pieces(text: str) -> list[str]:
    """Return what stands between spaces and, in ASCII, other borders: no run holds one, and pieces come again."""
    return (text.translate(_BORDERS) if text.isascii() else text).split()


def plain(text: str) -> str:
    """Return the pieces of a text as they are written, one space between them instead of borders and signs."""
    text = text if text.isascii() else _SIGNS.sub(" ", text)
    return " ".join((text.translate(_BORDERS) if text.isascii() else text).split())


def of_piece(piece: str) -> tuple[str, str]:
    """Return the tokens of a piece and their stems, each joined by spaces; remembered."""
    return _known[piece]


def analyse(text: str) -> tuple[str, str]:
    """Return what BM25 indexes of a text: every token in reading order, and the stems of its Latin words.

    The last character of each run of bigrams follows at the end, out of the way of phrases. Single ideographs stand
    among the stems: like those they find what is written a little differently.
    """
    plain = text.isascii()
    found = pieces(text)
    if not found:
        return "", ""
    bodies, stems = zip(*map(_known.__getitem__, found), strict=True)
    if not plain and not _SIGNS.sub("", text).isascii() and _unspaced().search(text):
        found = runs(text)
        bodies += tuple(dict.fromkeys(last for run in found if (last := _last(run))))
        stems += tuple(ideographs("".join(found)))
    return " ".join(bodies), " ".join(stems)


def words(text: str) -> list[str]:
    """Return the tokens of a question or a passage, in order."""
    return " ".join([_known[piece][0] for piece in pieces(text)]).split()


@lru_cache(MEMO_LIMIT)
def stem(token: str) -> str:
    """Return the stem of one token, or the token itself where stemming does not apply."""
    return _known[token][1].partition(" ")[0] or token


def cut(stem: str) -> str:
    """Return what stands for a stem in notes of other Latin languages than English: how it begins, marked if cut."""
    return stem[:CUT] + MARK if len(stem) > CUT and stem.isascii() and stem.isalpha() else stem


def is_cut(words: Sequence[str]) -> bool:
    """Whether a text of these tokens has its stems cut: most are of Latin letters, and it is no English prose."""
    latin = sum(word.isascii() and word.isalpha() for word in words)
    if latin < _LEAST_READ or 2 * latin <= len(words):
        return False
    return sum(map(_ENGLISH.__contains__, words)) < _ENGLISH_FROM * latin


def spans(text: str, *, signs: bool = False) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, token) of every token of `analyse`, with offsets in code points of the raw text.

    The parts of an identifier and the whole share the identifier's span; a bigram has that of its characters, and
    with `signs` each of them has its own, too.
    """
    for match in _runs(text):
        start, end = match.span()
        if not is_unspaced(match[0]):
            for token in _known[match[0]][0].split():
                yield start, end, token
            continue
        letters = _characters(match[0])
        for first, second in pairwise(letters):
            yield start + first[1], start + second[2], first[0] + second[0]
        for sign, first_at, end_at in letters if signs else letters[-1:]:
            yield start + first_at, start + end_at, sign


def starts(text: str) -> list[int]:
    """Return where a text may be cut without parting a token: the offsets at which its runs begin.

    A run of a script without spaces may be cut anywhere if its last character is repeated.
    """
    return [match.start() for match in _runs(text)]


def is_unspaced(token: str) -> bool:
    """Whether a token is of a script that is indexed as bigrams."""
    return not token.isascii() and _unspaced().match(token) is not None


def ideographs(text: str) -> list[str]:
    """Return the ideographs of a token or a text one by one, normalised as bigrams are."""
    return [] if text.isascii() else _IDEOGRAPH.findall(normalize("NFKC", text))


def is_part(token: str) -> bool:
    """Whether a bigram is of an alphabet without spaces, as Thai: two letters in a row are hardly ever a word."""
    return len(token) > 1 and is_unspaced(token) and re.match(f"[{UNSPACED_CLASS}]", token) is not None


def fold(word: str) -> str:
    """Normalise one word: NFKC, casefold, ASCII digits, Latin accents off, Arabic and Hebrew vowel signs off."""
    if word.isascii():
        return word.lower()
    folded = normalize("NFKC", _STRIP.sub("", word)).casefold().translate(_CODES)
    folded = _DEAD_NASAL.sub(NASAL_SIGN, folded)
    return normalize("NFC", "".join(_unaccented(folded)))


def foldings(text: str) -> tuple[str, str]:
    """Return a text in two forms: bigrams of scripts without spaces stand in the first, ASCII tokens in the second.

    But for one random text in 2,000, of signs that nobody writes one behind the other.
    """
    whole = normalize("NFKC", _GLUES.sub("", text))
    return whole, _LATIN_MARKS.sub("", normalize("NFD", whole.casefold())).translate(_LATIN_CODES)


def _runs(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of the raw word runs of a text."""
    plain = text if text.isascii() else _SIGNS.sub(" ", text)
    return (_ASCII_RUN if plain.isascii() else _any_run()).finditer(plain)


def _unaccented(word: str) -> Iterator[str]:
    """Yield the characters of a word with the marks of Latin letters left out."""
    latin = False
    for char in normalize("NFD", word):
        if category(char)[0] == "M":
            if not latin:
                yield char
        else:
            latin = _is_latin(char)
            yield LATIN_FOLDS.get(char, char)


@cache
def _is_latin(char: str) -> bool:
    """Whether a character is a Latin letter, by its Unicode name."""
    return char.isascii() or name(char, "").startswith("LATIN")


def _tokens(run: str) -> list[str]:
    """Return the tokens of one raw run, the whole word first, then its parts."""
    if run.isascii() and run.isalpha() and run[1:].islower() and len(run) <= MAX_TOKEN:
        return [run.lower()]
    if is_unspaced(run):
        return _bigrams(run)
    pieces = _PARTS.split(run)
    if len(run) > MAX_TOKEN:
        return _unique(token for piece in pieces if len(piece) <= MAX_TOKEN for token in _tokens(piece))
    whole = fold(run).strip("_")
    if not any(map(str.isalnum, whole)):
        return []
    again = [whole] if whole.isascii() else runs(whole)
    if again != [whole]:  # NFKC turned one sign into several words, as it does with ½ and ﷺ
        return _unique(token for piece in again for token in _tokens(piece))
    found = [whole, *_NUMBER.findall(whole)]
    if len(pieces) > 1:
        found += [token for piece in pieces for token in _tokens(piece) if len(token) > 1 or "." in whole]
    elif run.isascii() and _COMPOUND.search(run):
        found += [part.lower() for part in _PART.findall(run) if len(part) > 1]
    return _unique(found)


def _unique(found: Iterable[str]) -> list[str]:
    """Return values in their order, each once."""
    return list(dict.fromkeys(found))


def _bigrams(run: str) -> list[str]:
    """Return the overlapping pairs of a run, or its only character."""
    letters = [letter for letter, _, _ in _characters(run)]
    return [a + b for a, b in pairwise(letters)] if len(letters) > 1 else letters


def _characters(run: str) -> list[tuple[str, int, int]]:
    """Return the normalised characters of a run of bigrams, each with the span of what it came from."""
    if is_normalized("NFKC", run) and not _STRIP_GLUE.search(run):
        return [(char, at, at + 1) for at, char in enumerate(run)]
    found: list[tuple[str, int, int]] = []
    start = 0
    for at in range(1, len(run) + 1):
        if at == len(run) or not _belongs(run[start:at], run[at]):
            found += [(char, start, at) for char in _plain(run[start:at])]
            start = at
    return found


def _belongs(before: str, char: str) -> bool:
    """Whether a character melts into those before it: a voicing mark, a vowel of a syllable, a selector."""
    alone = _plain(char)
    melts = not alone or bool(combining(alone[0])) or _plain(before + char) != _plain(before) + alone
    return melts and len(before) < MAX_TOKEN


def _plain(text: str) -> str:
    """Return a piece of a run without invisible characters, NFKC-normalised."""
    return _STRIP_GLUE.sub("", normalize("NFKC", _STRIP_GLUE.sub("", text)))


def _last(run: str) -> str:
    """Return the last character of a run of bigrams, empty for other runs and those of one character."""
    body = _known[run][0] if is_unspaced(run) else ""
    return body[-1:] if len(body) > 1 else ""


def _stem_of(token: str) -> str:
    """Return the stem of a token, empty for one character and for a script without a stemmer."""
    if len(token) < 2 or is_unspaced(token):
        return ""
    stemmer = _stemmer(_script(token[0]))
    return stemmer(token) if stemmer else ""


@cache
def _script(char: str) -> str:
    """Return the script of a character: the first word of its Unicode name."""
    return "LATIN" if char.isascii() else name(char, "").partition(" ")[0]


@cache
def _stemmer(script: str) -> Callable[[str], str] | None:
    """Load the Snowball stemmer for a script once; a script that several languages share has the commonest one's."""
    if script not in STEMMERS:
        return None
    from Stemmer import Stemmer

    no_cache = 0  # what was stemmed is remembered here, and a full cache of its own costs more than it saves
    return Stemmer(STEMMERS[script], no_cache).stemWord  # type: ignore[no-any-return]


_known = _Memo()
