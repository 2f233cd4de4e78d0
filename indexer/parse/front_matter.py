"""Front matter: the YAML block at the top of a note, as plain values, however broken it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from indexer.types import Link

_OPEN = re.compile(r"---[ \t]*\n")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_KEY = re.compile(r"^([^\s#:\-\[\]{}][^:\n]{0,80}):(?=\s|$)", re.MULTILINE)
_PARAGRAPH = re.compile(rf"\n[ \t]*\n(?![\s#\-\]}}]|{_KEY.pattern[1:]})")  # text behind a blank line, no key
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]|#\n]{1,300})(?:#([^\[\]|\n]{0,300}))?(?:\|([^\[\]\n]{0,300}))?\]\]")
_MOST_NODES = 10_000  # values kept of one front matter; aliases can make a few lines into billions
_DEEPEST = 20
_MOST_KEYS = 500
_LONGEST_SALVAGED = 5_000  # characters of a value that is kept as written
_LONGEST = 200_000  # characters of front matter that are parsed


class FrontMatter(NamedTuple):
    """Plain values, the offset where its last line ends (0: none), its links, what was wrong."""

    meta: dict[str, Any]
    end: int = 0
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
    if not block.strip():
        return FrontMatter({}, closing.end())
    if len(block) > _LONGEST:
        return FrontMatter({}, problems=("front matter is too long; read as text",))
    meta, problems = _load(block)
    if meta is None:
        return FrontMatter({}, problems=problems)
    links = tuple(_links(block)) if "[[" in block else ()
    return FrontMatter(meta, closing.end(), links, problems)


def _load(block: str) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """Parse the block whole, else key by key; None when it is no mapping."""
    handler, loader, error_type = _yaml()
    try:
        value, problems = handler.load(block, Loader=loader)
    except (error_type, ValueError, RecursionError) as error:
        if _is_prose(block):
            return None, ("the --- at the top opens no front matter; read as text",)
        return _salvaged(block, _reason(error))
    if not isinstance(value, dict):
        what = "list" if isinstance(value, list) else "piece of text"
        return None, (f"front matter is a {what}, not keys and values; read as text",)
    return value, problems


def _salvaged(block: str, reason: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Read each top-level key with its own lines by itself; a value that still fails is kept as written."""
    handler, loader, error_type = _yaml()
    starts = [0, *(match.start() for match in _KEY.finditer(block) if match.start())][:_MOST_KEYS]
    meta: dict[str, Any] = {}
    for start, end in zip(starts, [*starts[1:], len(block)], strict=True):
        piece = block[start:end]
        key, _, rest = piece.partition(":")
        try:
            value, _ = handler.load(piece, Loader=loader)
        except (error_type, ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            meta.update(value)
        elif key.strip() and not key.startswith("#"):
            meta[key.strip()[:_LONGEST_SALVAGED]] = rest.strip()[:_LONGEST_SALVAGED]
    return meta, (f"front matter is not valid YAML ({reason}); read key by key",)


def _is_prose(block: str) -> bool:
    """Whether a block that is no YAML is text between two rules: no key comes first, or paragraphs follow."""
    lines = (line.strip() for line in block.split("\n"))
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return not _KEY.match(first) or bool(_PARAGRAPH.search(block))


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


class _PlainTree:
    """Makes plain values of a YAML node tree, at most so many and so deep: aliases turn a few lines into billions."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._budget = _MOST_NODES
        self._cut = False

    def whole(self, node: Any) -> tuple[Any, tuple[str, ...]]:
        """The value of the top node and at most three problems."""
        value = None if node is None else self.value(node)
        if self._cut or self._budget <= 0:
            self.problems.insert(0, "front matter is nested or repeated too much; cut")
        return value, tuple(self.problems[:3])

    def value(self, node: Any, depth: int = 0) -> Any:
        """The node as dict, list, str, int, float, bool or None."""
        self._budget -= 1
        content = node.value
        if type(content) is str:
            return content if node.tag == _STRING else _SCALARS.get(node.tag, str)(content)
        if self._budget <= 0 or depth > _DEEPEST:
            self._cut = True
            return None
        if node.id == "sequence":
            return [self.value(item, depth + 1) for item in content if self._budget > 0]
        return self._mapping(content, depth)

    def _mapping(self, pairs: Any, depth: int) -> dict[str, Any]:
        """A mapping with keys as written; of a key that stands there twice the last value counts."""
        made: dict[str, Any] = {}
        for key_node, node in pairs:
            key = key_node.value
            if type(key) is not str:
                raise ValueError("a key that is a list or mapping")  # as in a template's `{{title}}`
            if key in made and depth == 0:
                self.problems.append(f"front matter repeats {key[:40]!r}; the last one counts")
            made[key] = self.value(node, depth + 1)
            if self._budget <= 0:
                break
        return made


_STRING = "tag:yaml.org,2002:str"
_SCALARS: dict[str, Callable[[str], Any]] = {
    "tag:yaml.org,2002:bool": lambda written: written.lower() == "true",
    "tag:yaml.org,2002:null": lambda written: None,
    "tag:yaml.org,2002:int": int,
    "tag:yaml.org,2002:float": float,
}


@cache
def _yaml() -> tuple[Any, Any, type[Exception]]:
    """The YAML handler of python-frontmatter, a loader that gives (plain value, problems), and YAML's error type.

    The loader keeps what is written: `No`, `1.10`, `01:30`, `2024-05-06` and `007` stay strings; only true, false,
    null and numbers that print as they are written become values. No tag constructs anything.
    """
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class AsWritten(base):  # type: ignore[misc]
        """Reads the node tree and leaves construction to _PlainTree."""

        yaml_implicit_resolvers: dict[str, list[Any]] = {}  # noqa: RUF012  # how PyYAML keeps them

        def get_single_data(self) -> tuple[Any, tuple[str, ...]]:
            """What yaml.load returns: the plain value of the one document, and problems."""
            return _PlainTree().whole(self.get_single_node())

    for tag, pattern, first in (
        ("bool", r"true|false|True|False|TRUE|FALSE", "tTfF"),
        ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
        ("int", r"-?(?:0|[1-9]\d{0,14})", "-0123456789"),
        ("float", r"-?(?:0|[1-9]\d{0,8})\.\d{0,5}[1-9]", "-0123456789"),
    ):
        AsWritten.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"(?:{pattern})$"), list(first))
    return YAMLHandler(), AsWritten, yaml.YAMLError
