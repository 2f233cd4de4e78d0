"""The body of a reply as text: a page's main text, data and plain text as they are, documents by their parser."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, Final

from indexer.errors import ParseError, WebError
from onebrain_search.web.fetch.page import Page
from onebrain_search.web.http import Reply, shown

PARSED: Final = {  # content types that a parser of notes reads, by the suffix of its row
    "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
}
TEXTUAL: Final = ("json", "xml", "javascript", "yaml", "toml", "x-sh", "sql", "graphql")
PAGES: Final = ("text/html", "application/xhtml+xml")
# Of a page's source; a longer one is read plainly: trafilatura takes 0.4, 4, 11 s for 0.2, 1, 2 million.
MOST_CHARACTERS: Final = 1_000_000
MOST_ELEMENTS: Final = 30_000  # the same: 90,000 nested ones take it 23 s; a long article has 10,000


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a reply as text; `page` is set for HTML."""

    content_type: str
    source: str
    page: Page | None = None

    @property
    def seen(self) -> str:
        """What a reader would see of it, without menus."""
        return self.page.text if self.page else self.source

    def content(self) -> tuple[str, str]:
        """The main text, and what took it out: `trafilatura`, `plain`, or nothing for what is text as it stands."""
        return main_text(self.page) if self.page else (self.source, "")


def body_of(reply: Reply) -> Body:
    """The body of a reply of any status. Raises WebError of kind `malformed` for what is no text."""
    kind = reply.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind in PARSED:
        return Body(kind, _by_parser(reply, PARSED[kind]))
    if kind in PAGES or (not kind and _looks_like_a_page(reply.body)):
        source = _decoded(reply, page=True)
        return Body(kind or PAGES[0], source, Page(source, reply.url))
    if not (kind.startswith("text/") or not kind or any(word in kind for word in TEXTUAL)):
        raise WebError(f"is no text but {kind}", kind="malformed", where=shown(reply.url))
    return Body(kind or "text/plain", _decoded(reply, page=False))


def _decoded(reply: Reply, *, page: bool) -> str:
    """The text of a body: by the charset of its header, else by what a page names, else the likeliest."""
    if "charset=" in reply.headers.get("content-type", "").lower():
        return reply.text
    from indexer.parse.decoding import decode
    from indexer.parse.html import decoded

    try:
        return (decoded if page else decode)(reply.body, shown(reply.url))[0]
    except ParseError as error:
        raise WebError("is no text, whatever it says", kind="malformed", where=shown(reply.url)) from error


def main_text(page: Page, *, whole: bool = False) -> tuple[str, str]:
    """The main text of a page in Markdown, and what took it out: `trafilatura`, or `plain` where that cannot.

    `plain` is the reader of notes in HTML: the text of `<main>`, or of all but menus and forms. `whole` tells that
    the page has nothing beside its text, so that nothing that looks like a menu is one.
    """
    small = len(page.source) <= MOST_CHARACTERS and page.elements <= MOST_ELEMENTS
    if small and (text := _by_trafilatura(page, whole)):
        return text, "trafilatura"
    return html_text(page.source), "plain"


def html_text(source: str) -> str:
    """A page or a piece of one as Markdown-like lines."""
    from indexer.parse.extraction import Extraction
    from indexer.parse.html import extract as gather

    made = Extraction()
    gather(source, made)
    return "\n".join(made.lines).strip()


def has_trafilatura() -> bool:
    """Whether the extra `web` is installed."""
    from importlib.util import find_spec

    return find_spec("trafilatura") is not None


def _by_trafilatura(page: Page, whole: bool) -> str:
    """The main text by trafilatura, nothing where it is missing, finds none or fails on the page."""
    if not has_trafilatura():
        return ""
    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # what it says of a page is not for the person
    try:
        found: Any = trafilatura.extract(
            page.source,
            url=page.url,
            output_format="markdown",
            include_comments=False,
            favor_recall=whole,
        )
    except Exception:  # a page can break it in many ways, and the plain reader is there for them
        return ""
    return str(found or "").strip()


def _by_parser(reply: Reply, suffix: str) -> str:
    """The text of a document. Raises WebError where its parser is not installed or cannot read it."""
    from onebrain_search.web.fetch.documents import text_of

    try:
        return text_of(reply.body, suffix, shown(reply.url))
    except ParseError as error:
        raise WebError(error.what, kind="malformed", where=error.where) from error


def _looks_like_a_page(body: bytes) -> bool:
    """Whether a body without a content type begins like HTML."""
    head = body[:500].lstrip().lower()
    return head.startswith((b"<!doctype html", b"<html", b"<head", b"<body"))
