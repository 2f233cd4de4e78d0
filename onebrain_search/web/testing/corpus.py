"""The pages that the fake search engines know: invented, on hosts of every kind of trust."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """A page: `date` is ISO or empty."""

    url: str
    title: str
    text: str
    date: str = ""


PAGES = (
    Page("https://docs.example.org/retry", "Retry policy guide", "How a client retries with backoff.", "2026-09-01"),
    Page("https://react.dev/reference/useEffect", "useEffect – React", "It runs after a render.", "2026-06-10"),
    Page("https://stackoverflow.com/q/1", "Why does useEffect run twice?", "Strict mode does it.", "2025-11-02"),
    Page("https://dev.to/ann/retries", "Retries & jitter", "A blog about jitter in retries.", "2026-03-03"),
    Page("https://medium.com/@bo/effects", "Effects explained", "Another view on effects.", ""),
    Page("https://datatracker.ietf.org/doc/rfc9110", "RFC 9110", "HTTP semantics, retry-after.", "2022-06-01"),
    Page("https://sketchy.example.net/x", "Ten tricks", "You will not believe trick 7 of 2024.", ""),
    Page("https://nextjs.org/docs/middleware", "Middleware – Next.js", "Code before a response.", "2026-08-20"),
)
NOTHING = "xyzzy"  # a word of a question that no page fits


def known(question: str, count: int) -> tuple[Page, ...]:
    """Return the pages that an engine finds: those with a word of the question first, then others up to `count`."""
    if NOTHING in question.lower():
        return ()
    words = [word for word in question.lower().split() if len(word) > 3]
    fitting = [page for page in PAGES if any(word in f"{page.title} {page.text}".lower() for word in words)]
    return tuple([*fitting, *(page for page in PAGES if page not in fitting)][:count])
