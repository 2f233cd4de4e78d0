"""`fetch`, `get` and `multi_get`: lines of notes, cut where the budget ends and resumed there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from indexer.errors import NotFound, RequestError
from onebrain_search.mcp.answers import SCHEME, Arguments, Call, more, url
from onebrain_search.mcp.reply import NOTICE, Reply, estimate, fenced
from onebrain_search.printable import one_line

ADDRESS = re.compile(r"(?P<path>.+?)(?::(?P<line>\d{1,18})(?::(?P<count>\d{1,18}))?)?$", re.DOTALL)
CURSOR = re.compile(r"(?:(\d{1,18}):)?(\d{1,18})\.(\d{1,18})")
FRAME = 150  # tokens for what stands around the text of a reply, besides the path
LETTERS_A_TOKEN = 16  # and more of them never cost less than a token
PATHS = 4  # times that the path stands in one
LISTED = 1000  # files that one glob can look at: the most sources of a request


@dataclass(frozen=True, slots=True)
class Cut:
    """Lines of a file as far as the budget went; `resume` is `line.column` of what comes next, empty at the end."""

    path: str
    start_line: int
    end_line: int
    line_count: int
    text: str
    resume: str = ""
    tokens: int = 0

    @property
    def data(self) -> dict[str, Any]:
        """The cut as data, named as in docs/json.md."""
        names = ("path", "start_line", "end_line", "line_count", "text")
        return {name: getattr(self, name) for name in names}

    def shown(self, numbered: bool) -> str:
        """Return the text, with the numbers of its lines when they are wanted."""
        lines = self.text.split("\n")
        body = "\n".join(f"{self.start_line + n}: {line}" for n, line in enumerate(lines)) if numbered else self.text
        return f"--- {one_line(self.path)}:{self.start_line}-{self.end_line} of {self.line_count}\n{body}"


def fetch(call: Call, asked: Arguments) -> Reply:
    """Return the note of a found passage: whole when it fits, else from that passage on."""
    match = ADDRESS.match(asked["id"].removeprefix(SCHEME).strip())
    path, line = (match["path"], int(match["line"] or 1)) if match else (asked["id"], 1)
    try:
        passage = call("get", {"address": path})
    except NotFound as error:
        raise NotFound(error.what, where=error.where, fix="it may be gone since it was found: search again") from None
    cut = _cut(passage, asked["cursor"], asked["budget"])
    if cut.resume and not asked["cursor"] and line > 1:
        cut = _cut(passage, f"{min(line, passage['line_count'])}.0", asked["budget"])
    metadata = {"start_line": cut.start_line, "end_line": cut.end_line, "line_count": cut.line_count}
    title = cut.path.rpartition("/")[2].rpartition(".")[0] or cut.path
    data = {"notice": NOTICE, "id": asked["id"], "title": title, "text": cut.text}
    data |= {"url": url({"path": cut.path, "line": cut.start_line}), "metadata": metadata, "cursor": cut.resume}
    return Reply(f"{fenced(cut.shown(False))}{more(cut.resume)}", data)


def get(call: Call, asked: Arguments) -> Reply:
    """Return exactly the lines that an address names."""
    cut = _cut(call("get", {"address": _address(asked)}), asked["cursor"], asked["budget"])
    data = {"notice": NOTICE, **cut.data, "cursor": cut.resume}
    return Reply(f"{fenced(cut.shown(asked['lineNumbers']))}{more(cut.resume)}", data)


def multi_get(call: Call, asked: Arguments) -> Reply:
    """Return several notes, by a glob or a list with commas between; what does not fit is resumed."""
    paths = _paths(call, asked["pattern"])
    first, place = _place(asked["cursor"], len(paths))
    budget, cuts, skipped, cursor = asked["budget"], list[Cut](), list[dict[str, str]](), ""
    for number in range(first, len(paths)):
        try:
            passage = call("get", {"address": paths[number]})
        except NotFound as error:
            skipped.append({"path": paths[number], "reason": str(error)})
            continue
        size = len(passage["text"].encode())
        if size > asked["maxBytes"]:
            skipped.append({"path": passage["path"], "reason": f"{size} bytes, over maxBytes: read it with `get`"})
            continue
        cut = _cut(_first_lines(passage, asked["maxLines"]), place if number == first else "", budget)
        if cuts and cut.resume:
            cursor = f"{number}:1.0"
            break
        cuts.append(cut)
        budget -= cut.tokens + FRAME // 3 + PATHS * estimate(cut.path)
        if cut.resume or budget <= FRAME:
            cursor = (
                f"{number}:{cut.resume}" if cut.resume else f"{number + 1}:1.0" if number + 1 < len(paths) else ""
            )
            break
    return _several(cuts, skipped, cursor, asked["lineNumbers"])


def _several(cuts: Sequence[Cut], skipped: Sequence[Mapping[str, str]], cursor: str, numbered: bool) -> Reply:
    """Return the reply with several files."""
    said = [one_line(f"--- {each['path']}: left out, {each['reason']}") for each in skipped]
    body = "\n\n".join([*(cut.shown(numbered) for cut in cuts), *said])
    data = {"notice": NOTICE, "files": [cut.data for cut in cuts], "skipped": list(skipped), "cursor": cursor}
    return Reply(f"{len(cuts)} files\n{fenced(body)}{more(cursor)}", data)


def _address(asked: Arguments) -> str:
    """Return the address of `file` with the lines that `fromLine` and `maxLines` name."""
    file: str = asked["file"].removeprefix(SCHEME).strip()
    first, most = asked["fromLine"], asked["maxLines"]
    match = ADDRESS.match(file)
    if not match or not (first or most):
        return file
    line = first or int(match["line"] or 1)
    count = most or int(match["count"] or 0) or LISTED * LISTED
    return f"{match['path']}:{line}:{count}"


def _cut(passage: Mapping[str, Any], cursor: str, budget: int) -> Cut:
    """Return as much of a passage as the budget allows, from a cursor on; a line too long for it is cut, too."""
    match = CURSOR.fullmatch(cursor) if cursor else None
    line, column = (int(match[2]), int(match[3])) if match else (passage["start_line"], 0)
    lines = passage["text"].split("\n")[max(0, line - passage["start_line"]) :]
    if (cursor and not match) or not lines or column > len(lines[0]):
        raise RequestError(f"`cursor` is not one that was given: {cursor[:20]!r}", fix="leave it out to start again")
    lines[0] = lines[0][column:]
    held = max(budget - FRAME - PATHS * estimate(passage["path"]), 50)
    left, taken, resume = held, list[str](), ""
    for number, each in enumerate(lines):
        cost = _cost(each[: LETTERS_A_TOKEN * left + 1])  # of a line longer than that, a part is too much already
        if cost > left:
            if not taken:
                kept = _fitting(each, left)
                taken, left, resume = [each[:kept]], 0, f"{line}.{column + kept}"
            else:
                resume = f"{line + number}.0"
            break
        taken.append(each)
        left -= cost
    end = line + len(taken) - 1
    return Cut(passage["path"], line, end, passage["line_count"], "\n".join(taken), resume, held - left)


def _cost(line: str) -> int:
    """Return what a line costs in the text and in the data of a reply."""
    return estimate(line) + estimate(json.dumps(line, ensure_ascii=False)) + 2


def _fitting(line: str, budget: int) -> int:
    """Return how many characters of a line fit."""
    low, high = 1, min(len(line), LETTERS_A_TOKEN * budget)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _cost(line[:middle]) <= budget else (low, middle - 1)
    return low


def _first_lines(passage: Mapping[str, Any], most: int) -> Mapping[str, Any]:
    """Return a passage with no more lines than are wanted, 0 for all."""
    return {**passage, "text": "\n".join(passage["text"].split("\n")[:most])} if most else passage


def _place(cursor: str, count: int) -> tuple[int, str]:
    """Return the number of the file and the place in it to go on from."""
    if not cursor:
        return 0, ""
    match = CURSOR.fullmatch(cursor)
    if not match or match[1] is None or int(match[1]) >= count:
        raise RequestError(f"`cursor` is not one that was given: {cursor[:20]!r}", fix="leave it out to start again")
    return int(match[1]), f"{match[2]}.{match[3]}"


def _paths(call: Call, pattern: str) -> list[str]:
    """Return the files that a list names, or that a glob finds among the indexed ones. Raises NotFound for none."""
    pattern = pattern.strip()
    if not re.search(r"[*?[]", pattern):
        return [part.strip().removeprefix(SCHEME) for part in pattern.split(",") if part.strip()]
    folder = re.split(r"[*?[]", pattern, maxsplit=1)[0].rpartition("/")[0]
    matches = re.compile(glob(pattern))
    found = set[str]()
    for kind in ("note", "code"):
        query = f'kind:{kind} path:"{folder.rpartition(":")[2]}"' if folder else f"kind:{kind}"
        listed = call("search", {"query": query, "limit": LISTED})
        found |= {source["path"] for source in listed["sources"] if matches.fullmatch(source["path"])}
    if not found:
        raise NotFound(f"no file matches {pattern[:100]!r}", fix="`**/` stands for folders at any depth: **/*.md")
    return sorted(found)


def glob(pattern: str) -> str:
    """Return a glob as a regular expression for whole paths: `*` and `?` stay inside a folder, `**` does not."""
    made, at = "", 0
    while at < len(pattern):
        rest = pattern[at:]
        bracket = re.match(r"\[[!^]?\]?[^\]/]*\]", rest)
        if rest.startswith("**/"):
            made, at = made + "(?:[^/]+/)*", at + 3
        elif rest.startswith("**"):
            made, at = made + ".*", at + 2
        elif bracket:
            inner = bracket[0][1:-1].replace("\\", "\\\\")
            made += f"[{'^' + inner[1:] if inner[0] in '!^' else inner}]"
            at += len(bracket[0])
        else:
            made += {"*": "[^/]*", "?": "[^/]"}.get(rest[0]) or re.escape(rest[0])
            at += 1
    return made
