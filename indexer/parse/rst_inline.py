"""What stands inside a line of reStructuredText: roles, references, emphasis, and the links among them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.parse.targets import relative_link
from indexer.types import Link

_MARKED = re.compile(
    r"""``(?P<literal>[^`\n](?:[^`]{0,500}?[^`])?)``
      | (?::(?P<role>[A-Za-z][\w.:+-]{0,40}):)?`(?P<text>[^`<]{0,500}?)\s?(?:<(?P<target>[^<>`\n]{1,500})>)?`
        (?::(?P<role_after>[a-z][\w:-]{0,40}):)?_{0,2}
      | (?<![\w*])(?P<stars>\*\*?)(?=\S)(?P<marked>[^*]{1,500}?)(?<=\S)(?P=stars)(?![\w*])
      | (?<![\w|])\|(?=\S)(?P<substitution>[^|\n]{1,100}?)(?<=\S)\|(?![\w|])_{0,2}
      | (?<=\w)__?(?=[\s.,;:!?)\]}'"-]|$)
      | \\(?P<escaped>\S)|\\\s""",
    re.VERBOSE,
)
_DOCUMENTS = frozenset(("doc", "download", "any"))
_PEP = re.compile(r"\d{1,4}")


def rendered(text: str) -> str:
    """Text without the marks of roles, references and emphasis; it keeps its line ends."""
    if "`" in text or "*" in text or "|" in text or "\\" in text or "_" in text:
        return _MARKED.sub(_shown, text)
    return text


def _shown(match: re.Match[str]) -> str:
    """What a reader sees of a mark."""
    if match["literal"] is not None:
        return match["literal"]
    if match["text"] is not None:
        return _role_text(match)
    return match["marked"] or match["substitution"] or match["escaped"] or ""


def _role_text(match: re.Match[str]) -> str:
    """The text of a role or reference; the bare number of a PEP or RFC gets its series in front."""
    role, text = (match["role"] or match["role_after"] or "").rpartition(":")[2], match["text"]
    if not text.strip():
        text = match["target"] or ""
    if role in ("pep", "rfc") and text.strip()[:1].isdigit() and not match["target"]:
        return f"{role.upper()} {text}"
    return text.lstrip("~!") if match["role"] else text


def links_in(text: str, line: int) -> Iterator[Link]:
    """Links to other documents in a text that begins on a line: `:doc:`, `:pep:` and `<x.rst>`."""
    if "`" in text:
        for match in _MARKED.finditer(text):
            link = _link(match, line + text.count("\n", 0, match.start())) if match["text"] is not None else None
            if link:
                yield link


def pep_link(number: str, line: int, display: str = "") -> Link:
    """The link to a PEP by its number: files are named `pep-0008`."""
    return Link(f"pep-{int(number):04}", line, "", display)


def _link(match: re.Match[str], line: int) -> Link | None:
    """Where a role or reference leads, None when it is none to a document."""
    role = (match["role"] or match["role_after"] or "").rpartition(":")[2]
    text, target = " ".join(match["text"].split()), (match["target"] or "").strip()
    wanted = target or text
    display = text if target and text != target else ""
    if role == "pep":
        number = _PEP.match(wanted)
        return pep_link(number[0], line, display) if number else None
    if role in _DOCUMENTS:
        return Link(wanted.lstrip("/"), line, "", display) if wanted.strip("/") else None
    is_path = target and not role and not target.endswith("_")
    return relative_link(target, line, display) if is_path else None
