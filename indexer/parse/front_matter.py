"""Front matter: the YAML block at the top of a note, as plain values, however broken it is."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

from indexer.types import Link

_OPEN = re.compile(r"---[ \t]*\n")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_KEY = re.compile(r"^([^\s#:\-\[\]{}][^:\n]{0,80}):(?=\s|$)", re.MULTILINE)
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]|#\n]{1,300})(?:#([^\[\]|\n]{0,300}))?(?:\|([^\[\]\n]{0,300}))?\]\]")
_MOST_NODES = 10_000  # values kept of one front matter; aliases can make a few lines into billions
_DEEPEST = 20
_LONGEST = 200_000  # characters of front matter that are parsed


class FrontMatter(NamedTuple):
    """Plain values, the number of lines it takes at the top (0: none), its links, what was wrong."""

    meta: dict[str, Any]
    lines: int = 0
    links: tuple[Link, ...] = ()
    problems: tuple[str, ...] = ()


def read_front_matter(text: str) -> FrontMatter:
    """Read the block at the top of `text` (`\\n` line ends); a block that is no mapping is left as body."""
    opening = _OPEN.match(text)
    if not opening:
        return FrontMatter({})
    closing = _CLOSE.search(text, opening.end())
    if not closing:
        return FrontMatter({}, problems=("front matter is not closed by ---; read as text",))
    block = text[opening.end() : closing.start()]
    lines = 2 + block.count("\n")
    if not block.strip():
        return FrontMatter({}, lines)
    if len(block) > _LONGEST:
        return FrontMatter({}, problems=("front matter is too long; read as text",))
    meta, problems = _load(block)
    if meta is None:
        return FrontMatter({}, problems=problems)
    links = tuple(_links(block)) if "[[" in block else ()
    return FrontMatter(meta, lines, links, problems)


def _load(block: str) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """Parse the block whole, else key by key; None when it is no mapping."""
    handler, loader, error_type = _yaml()
    try:
        value = handler.load(block, Loader=loader)
    except (error_type, ValueError, TypeError, RecursionError) as error:
        if not _begins_with_key(block):
            return None, ("the --- at the top opens no front matter; read as text",)
        return _salvaged(block, _reason(error))
    if not isinstance(value, dict):
        return None, (f"front matter is a {_name_of(value)}, not keys and values; read as text",)
    problems = _repeated(block)
    if _is_flat(value):
        return value, problems
    budget = [_MOST_NODES]
    meta = {str(key): _plain(item, budget, _DEEPEST) for key, item in value.items()}
    if budget[0] <= 0:
        problems += ("front matter is nested or repeated too much; cut",)
    return meta, problems


def _is_flat(value: dict[Any, Any]) -> bool:
    """Whether a mapping already holds nothing but plain values and lists of them."""
    for key, item in value.items():
        if type(key) is not str:
            return False
        kind = type(item)
        if kind is list:
            if any(type(entry) is not str for entry in item):
                return False
        elif kind is not str and kind is not int and kind is not bool and kind is not float and item is not None:
            return False
    return True


def _plain(value: Any, budget: list[int], depth: int) -> Any:
    """A JSON-able copy of `value`, within what is left of the budget and depth."""
    budget[0] -= 1
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if budget[0] <= 0 or depth <= 0:
        budget[0] = min(budget[0], 0)
        return None
    if isinstance(value, dict):
        return {_text_of(key): _plain(item, budget, depth - 1) for key, item in _taken(value.items(), budget)}
    if isinstance(value, (list, tuple, set)):
        return [_plain(item, budget, depth - 1) for item in _taken(value, budget)]
    return str(value)[:1000]


def _taken(items: Any, budget: list[int]) -> Any:
    """The items, until the budget is used up."""
    for item in items:
        if budget[0] <= 0:
            return
        yield item


def _text_of(key: Any) -> str:
    """A mapping key as a string."""
    return key if isinstance(key, str) else str(key)[:200]


def _salvaged(block: str, reason: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Read each top-level key with its own lines by itself; a value that still fails is kept as written."""
    handler, loader, error_type = _yaml()
    starts = [match.start() for match in _KEY.finditer(block)]
    meta: dict[str, Any] = {}
    budget = [_MOST_NODES]
    for start, end in zip(starts, [*starts[1:], len(block)], strict=True):
        piece = block[start:end]
        key, _, rest = piece.partition(":")
        try:
            value = handler.load(piece, Loader=loader)
            meta.update({_text_of(name): _plain(item, budget, _DEEPEST) for name, item in value.items()})
        except (error_type, ValueError, TypeError, AttributeError, RecursionError):
            meta[key.strip()] = rest.strip()
    return meta, (f"front matter is not valid YAML ({reason}); read key by key",)


def _begins_with_key(block: str) -> bool:
    """Whether the first line that is neither blank nor a comment is `key:`; else the block is prose between rules."""
    lines = (line for line in block.split("\n") if line.strip() and not line.startswith("#"))
    return bool(_KEY.match(next(lines, "")))


def _repeated(block: str) -> tuple[str, ...]:
    """A problem for top-level keys that stand there twice (the last one counts)."""
    keys = _KEY.findall(block)
    if len(keys) == len(set(keys)):
        return ()
    twice = sorted({key for key in keys if keys.count(key) > 1})
    return (f"front matter repeats {', '.join(twice)[:80]}; the last one counts",)


def _links(block: str) -> list[Link]:
    """Wikilinks in values, with their lines; the block begins on line 2."""
    return [
        Link(
            match[2].strip(),
            2 + block.count("\n", 0, match.start()),
            fragment=match[3] or "",
            display=match[4] or "",
            embed=bool(match[1]),
        )
        for match in _WIKILINK.finditer(block)
    ]


def _reason(error: BaseException) -> str:
    """One line of what the YAML reader said, with the line of the file."""
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or str(error).split("\n", 1)[0]
    return f"line {mark.line + 2}: {what[:80]}" if mark else str(what)[:80]


def _name_of(value: Any) -> str:
    """What a value is, in a reader's words."""
    return "list" if isinstance(value, list) else "piece of text"


@cache
def _yaml() -> tuple[Any, Any, type[Exception]]:
    """The YAML handler of python-frontmatter, a loader for it, and the error type of YAML.

    The loader keeps what is written: `No`, `1.10`, `01:30`, `2024-05-06` and `007` stay strings, as in YAML 1.2
    or stricter; only true, false, null and numbers that print as they are written become values.
    """
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class AsWritten(base):  # type: ignore[misc]
        """A safe loader with the few implicit types above."""

        yaml_implicit_resolvers: dict[str, list[Any]] = {}  # noqa: RUF012  # how PyYAML keeps them

    for tag, pattern, first in (
        ("bool", r"true|false|True|False|TRUE|FALSE", "tTfF"),
        ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
        ("int", r"-?(?:0|[1-9]\d{0,14})", "-0123456789"),
        ("float", r"-?(?:0|[1-9]\d{0,8})\.\d{0,5}[1-9]", "-0123456789"),
    ):
        AsWritten.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"(?:{pattern})$"), list(first))
    return YAMLHandler(), AsWritten, yaml.YAMLError
