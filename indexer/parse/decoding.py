"""Bytes to text: UTF-8, UTF-16 by its mark, else the likeliest legacy code page."""

from __future__ import annotations

import codecs

from indexer.errors import ParseError

_SAMPLE = 65_536  # bytes looked at to tell binary from text and to guess a code page
_MOST_CONTROLS = 0.02  # share of control bytes above which a file is no text
_ENOUGH = 8  # bytes over 127 below which statistics guess wildly
_HIGH = bytes(range(128, 256))
_CONTROLS = bytes([*range(9), 11, *range(14, 27), *range(28, 32), 127])
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(data: bytes, where: str) -> tuple[str, tuple[str, ...]]:
    """Return the text of `data` with every line end made `\\n`, and what was odd about it.

    Raises ParseError when the bytes are not text. Bytes that fit no encoding become U+FFFD.
    """
    text, problems = _to_text(data, where)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text, problems


def _to_text(data: bytes, where: str) -> tuple[str, tuple[str, ...]]:
    """Decode by mark, as UTF-8, or by a guess."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _replacing(data[len(mark) :], name)
    if b"\0" not in data:
        try:
            return data.decode("utf-8"), ()
        except UnicodeDecodeError:
            pass
    return _guessed(data, where)


def _replacing(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """Decode with a known encoding; what does not fit is replaced and reported."""
    text = data.decode(name, "replace")
    lost = text.count("\ufffd")
    return text, ((f"{lost} byte sequences are not valid {name}",) if lost else ())


def _guessed(data: bytes, where: str) -> tuple[str, tuple[str, ...]]:
    """Decode bytes that are not clean UTF-8."""
    sample = data[:_SAMPLE]
    if len(sample) - len(sample.translate(None, _CONTROLS)) > _MOST_CONTROLS * len(sample):
        wide = _wide_encoding(sample)
        if not wide:
            raise ParseError("the file is binary, not text", where=where, fix="exclude it or rename it")
        return _replacing(data, wide)
    text, problems = _replacing(data, "utf-8")
    lost = text.count("\ufffd")
    valid = len(text) - len(text.encode("ascii", "ignore")) - lost
    if not lost or valid > 2 * lost:  # UTF-8 with a few broken places
        return text, problems
    name = _code_page(data)
    if not name:
        return text, problems
    return data.decode(name, "replace"), (f"not UTF-8, read as {name}",)


def _wide_encoding(sample: bytes) -> str:
    """UTF-16 without its mark, told by where the zero bytes stand; "" when it is not that."""
    half = max(1, len(sample) // 2)
    even, odd = sample[0::2].count(0) / half, sample[1::2].count(0) / half
    if odd > 0.3 and even < 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > 0.3 and odd < 0.05 else ""


def _code_page(data: bytes) -> str:
    """The legacy encoding charset-normalizer finds likeliest in the lines that tell; cp1252 when they tell little."""
    from charset_normalizer import from_bytes

    telling = b"\n".join(line for line in data.split(b"\n") if not line.isascii())[:_SAMPLE]
    found = ""
    if len(telling) - len(telling.translate(None, _HIGH)) >= _ENOUGH:
        found = getattr(from_bytes(telling).best(), "encoding", "")
    return found or _if_decodes(telling, "cp1252")


def _if_decodes(sample: bytes, name: str) -> str:
    """Return `name` when it decodes the sample, else ""."""
    try:
        sample.decode(name)
    except UnicodeDecodeError:
        return ""
    return name
