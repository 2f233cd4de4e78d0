"""The tools by name: what each says of itself, takes and returns. A new one is a row here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from onebrain_search.mcp import answers, fusion, reading
from onebrain_search.mcp.answers import ANSWER
from onebrain_search.mcp.parameters import Parameter, schema
from onebrain_search.mcp.reply import Reply

READ = 6000  # tokens of what is read by default

_MODES = ("auto", "what", "why")
_LEGS = ("hybrid", "lexical", "vector")


def _budget(default: int, more: str = "") -> Parameter:
    """Return the parameter for the size of a reply."""
    says = f"Most tokens of the whole reply; what is cut off can be asked for with `cursor`.{more}"
    return Parameter("budget", "integer", says, default, least=300, most=100_000)


_CURSOR = Parameter("cursor", "string", "Where to go on, as the last reply of the same call gave it.", "")
_LIMIT = Parameter("limit", "integer", "How many sources; 0 for the vault's own setting.", 5, least=0, most=1000)
_FEW = Parameter(
    "limit", "integer", "How many sources; 0 for as many as help: 3 beside a strong answer, else 5.", 0, least=0,
    most=1000,
)  # fmt: skip
_NUMBERS = Parameter("lineNumbers", "boolean", "Put the number in front of each line.", False)
_MOST_LINES = Parameter("maxLines", "integer", "Most lines of a file, 0 for all.", 0, least=0)

_TEXT: dict[str, Any] = {"type": "string"}
_ROWS: dict[str, Any] = {"type": "array", "items": {"type": "object"}}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_COUNT: dict[str, Any] = {"type": "integer"}
_SHAPE: dict[str, Any] = {"type": "object"}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: `run` takes the engine's call and the arguments, and returns the reply."""

    title: str
    says: str
    parameters: tuple[Parameter, ...]
    returns: dict[str, dict[str, Any]]
    run: Callable[[answers.Call, answers.Arguments], Reply]

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        return schema(self.parameters)

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON Schema of its structured content; fields that are unknown are left out."""
        return {"type": "object", "properties": self.returns}


TOOLS: dict[str, Tool] = {
    "ask": Tool(
        "Ask the notes",
        "Answer a question from the user's notes and code in one call: sentences word for word with their sources,"
        " or for a why the dated chain of decisions and what is in force now. `confidence` says whether the notes"
        " answer at all; cite only what is returned.",
        (
            Parameter("question", "string", "The question, in the user's own words."),
            Parameter("mode", "string", "`what` is written, `why` it came to be, or `auto`.", "auto", _MODES),
            Parameter("web", "boolean", "Ask the web, too: only after the user said yes to that.", False),
            _FEW,
            _budget(ANSWER, " A larger one without `limit` is filled with whole passages."),
            _CURSOR,
        ),
        {
            "notice": _TEXT, "mode": _TEXT, "confidence": {"type": "string", "enum": ["strong", "weak", "none"]},
            "answer": _TEXT, "sources": _ROWS, "chain": _ROWS, "in_force": _SHAPE, "notes": _TEXTS, "cursor": _TEXT,
            "web": _SHAPE,
        },
        answers.ask,
    ),
    "search": Tool(
        "Search the notes",
        "Rank passages of the user's notes and code by words and meaning; whether they answer is said by `ask` and"
        " `query`. Filters can stand in the query: path: tag:"
        " after:2026-01 before: kind:code key=value, \"a phrase\", -without, prefix*.",
        (
            Parameter("query", "string", "A question, or words and filters."),
            Parameter("retrieval", "string", "By words and meaning, or one of them.", "hybrid", _LEGS),
            _LIMIT,
            _budget(ANSWER),
            _CURSOR,
        ),
        {"notice": _TEXT, "results": _ROWS, "notes": _TEXTS, "cursor": _TEXT},
        answers.search,
    ),
    "fetch": Tool(
        "Fetch a found note",
        "Read the note of a search result by its `id`: whole when it fits, else from the found passage on.",
        (
            Parameter("id", "string", "The `id` of a result, or path, path:line, path#Heading."),
            _budget(READ),
            _CURSOR,
        ),
        {
            "notice": _TEXT, "id": _TEXT, "title": _TEXT, "text": _TEXT, "url": _TEXT, "metadata": _SHAPE,
            "cursor": _TEXT,
        },
        reading.fetch,
    ),
    "related": Tool(
        "Related notes",
        "List the notes that belong with a note: linked either way, near in meaning, or naming it.",
        (
            Parameter("path", "string", "The note's path, as results give it, or its name or alias."),
            Parameter("limit", "integer", "How many notes.", 10, least=1, most=1000),
            _budget(ANSWER),
        ),
        {"notice": _TEXT, "path": _TEXT, "related": _ROWS, "left_out": _COUNT},
        answers.related,
    ),
    "status": Tool(
        "Index status",
        "Say what the index holds, how far indexing is, what could not be read, and which collections there are.",
        (),
        {
            "vault": _TEXT, "exists": {"type": "boolean"}, "documents": _COUNT, "engine": _TEXT, "indexing": _TEXT,
            "collections": _TEXTS, "skipped": _ROWS, "failed": _ROWS,
        },
        answers.status,
    ),
    "query": Tool(
        "Query with typed sub-queries",
        "Search with 1 to 10 typed sub-queries that are fused: lex for keywords with \"phrases\" and -exclusions, vec"
        " for a question by its meaning, hyde for a passage that looks like the answer. The first counts twice.",
        (
            Parameter("searches", "searches", "The sub-queries, the strongest first."),
            Parameter("limit", "integer", "Most results.", 10, least=1, most=1000),
            Parameter("minScore", "number", "Least score; the best result has 1.", 0.0, least=0, most=1),
            Parameter("candidateLimit", "integer", "Passages that each sub-query adds.", 40, least=1, most=1000),
            Parameter(
                "collections", "strings", "Only these: the vault, a code folder or a top folder by its name.", []
            ),
            Parameter("intent", "string", "What it is meant for: moves what was found, and finds nothing alone.", ""),
            Parameter("rerank", "boolean", "Kept for callers of qmd: the vault's settings say it.", True),
            _budget(2 * ANSWER),
        ),
        {
            "notice": _TEXT, "confidence": _TEXT, "results": _ROWS, "notes": _TEXTS, "left_out": _COUNT,
        },
        fusion.query,
    ),
    "get": Tool(
        "Get lines of a note",
        "Read exactly what an address names: path, path:from, path:from:count, path#Heading, path#^block.",
        (
            Parameter("file", "string", "The address, as results give it."),
            Parameter("fromLine", "integer", "The first line, from 1; 0 for what `file` says.", 0, least=0),
            _MOST_LINES,
            _NUMBERS,
            _budget(READ),
            _CURSOR,
        ),
        {
            "notice": _TEXT, "path": _TEXT, "start_line": _COUNT, "end_line": _COUNT, "line_count": _COUNT,
            "text": _TEXT, "cursor": _TEXT,
        },
        reading.get,
    ),
    "multi_get": Tool(
        "Get several notes",
        "Read several notes: a glob over the indexed files (07-logs/**/2026-05*.md), or addresses with commas.",
        (
            Parameter("pattern", "string", "A glob, or a list with commas."),
            _MOST_LINES,
            Parameter("maxBytes", "integer", "Leave out longer files.", 10_240, least=1),
            _NUMBERS,
            _budget(READ),
            _CURSOR,
        ),
        {"notice": _TEXT, "files": _ROWS, "skipped": _ROWS, "cursor": _TEXT},
        reading.multi_get,
    ),
}  # fmt: skip
