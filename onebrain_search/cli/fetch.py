"""`fetch`: pages of the web as text, by exit codes of its own."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from indexer.errors import OneBrainError, WebError
from onebrain_search.cli.console import say, vault_option
from onebrain_search.printable import printable, printable_json

if TYPE_CHECKING:
    from onebrain_search.web.fetch.types import Choices, Fetched
    from onebrain_search.web.http import Http

SHORTEST = 1.0  # seconds; a shorter limit fails on any connection


class ByItsOwnCodes(click.Command):
    """A command whose exit code for a wrong use is 1: 2 means that a site is blocked."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        """Read the options."""
        try:
            return super().make_context(*arguments, **more)
        except click.UsageError as error:
            error.show()
            raise click.exceptions.Exit(1) from error


@click.command(cls=ByItsOwnCodes)
@click.argument("urls", metavar="URL...", nargs=-1)
@click.option("--only", default="", help="Strategies to try, as api,probe.")
@click.option("--skip", default="", help="Strategies to leave out.")
@click.option("--include-archive", is_flag=True, help="Try archives last; they learn the address.")
@click.option("--timeout", type=float, default=15.0, show_default=True, help="Seconds for each attempt, 1 or more.")
@click.option("--locale", default="en-US,en;q=0.9", show_default=True, help="The languages to ask for.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a page.")
@click.option("--pretty", is_flag=True, help="The same on many lines.")
@click.option("--feeds", is_flag=True, help="List the feeds of each page instead.")
@click.option("--keywords", is_flag=True, help="Search the platforms that have an interface for these words instead.")
@click.option("--doctor", is_flag=True, help="List what is installed for it.")
@vault_option
@click.pass_obj
def fetch(
    http: Http | None,
    urls: tuple[str, ...],
    only: str,
    skip: str,
    include_archive: bool,
    timeout: float,
    locale: str,
    as_json: bool,
    pretty: bool,
    feeds: bool,
    keywords: bool,
    doctor: bool,
    vault: Path | None,
) -> int:
    """Print pages of the web as text: by the site's interface where it has one, else by plain requests.

    Exit codes: 0 ok, 1 error, 2 blocked, 3 not found, 4 bad input, 5 login or payment wanted, 6 too slow.
    """
    if doctor:
        return _doctor(as_json or pretty, pretty)
    if not urls or not SHORTEST <= timeout <= 3600:
        say("error: fetch takes one address or more" if not urls else "error: --timeout takes seconds from 1 to 3600")
        return 1
    from onebrain_search import config
    from onebrain_search.web.fetch.types import Choices

    try:
        allowed = frozenset(config.load(vault, environ=os.environ).web.fetch_allow)
        choices = Choices(_names(only), _names(skip), include_archive, timeout, locale, allowed, dict(os.environ))
        choices.strategies()
    except OneBrainError as error:
        say(f"error: {error}")
        return 1
    if keywords:
        return _search(" ".join(urls), choices, http, as_json or pretty, pretty)
    if feeds:
        return max(_feeds(url, choices, http, as_json or pretty, pretty) for url in urls)
    return _pages(urls, choices, http, as_json or pretty, pretty)


def _pages(urls: tuple[str, ...], choices: Choices, http: Http | None, as_json: bool, pretty: bool) -> int:
    """Print the pages, each as it comes; the first that failed gives the exit code."""
    from onebrain_search.web.fetch.pipeline import fetch as fetch_page
    from onebrain_search.web.fetch.types import EXIT_CODES

    code = 0
    for url in urls:
        fetched = fetch_page(url, choices, http=http)
        if as_json:
            _print_json(fetched.json(), pretty)
        elif fetched.last.ok:
            click.echo(printable(fetched.last.content))
        _tell(fetched)
        code = code or EXIT_CODES[fetched.last.status]
    return code


def _tell(fetched: Fetched) -> None:
    """Say on stderr what was in the way, and what the person should know."""
    last = fetched.last
    if not last.ok:
        say(f"error: {last.error}" if last.status == "error" else f"{last.status}: {last.error}")
        for attempt in fetched.attempts[:-1] if any(attempt.http_status for attempt in fetched.attempts) else ():
            say(f"before that, {attempt.strategy}: {attempt.error}")
    for note in fetched.notes:
        say(f"note: {note}")


def _feeds(url: str, choices: Choices, http: Http | None, as_json: bool, pretty: bool) -> int:
    """Print the feeds of a page."""
    from onebrain_search.web.fetch import feeds
    from onebrain_search.web.fetch.pipeline import errand

    try:
        found = feeds.find(errand(url, choices, http))
    except WebError as error:
        say(f"error: {error}")
        return {"timeout": 6, "refused": 4}.get(error.kind, 1)
    if as_json:
        _print_json({"url": url, "feeds": found}, pretty)
    else:
        click.echo(printable("\n".join(found)), nl=bool(found))
    return 0 if found else 3


def _search(words: str, choices: Choices, http: Http | None, as_json: bool, pretty: bool) -> int:
    """Print what the platforms find for some words, and why others find nothing."""
    from onebrain_search.web.fetch.keywords import search

    findings = search(words, choices, http=http)
    if as_json:
        _print_json(findings.json(), pretty)
    else:
        for row in findings.json()["results"]:
            click.echo(printable(f"{row['platform']}  {row['title']} — {row['url']}"))
    for name, why in findings.failed.items():
        say(f"{name}: {why}")
    return 0 if any(findings.found.values()) else 3 if not findings.failed else 1


def _doctor(as_json: bool, pretty: bool) -> int:
    """Print what is installed; exit code 1 when something is missing."""
    from onebrain_search.web.fetch.doctor import tools

    found = list(tools(os.environ))
    if as_json:
        _print_json({"tools": [asdict(tool) for tool in found]}, pretty)
    else:
        click.echo(printable("\n".join(tool.line for tool in found)))
    return 0 if all(tool.found for tool in found) else 1


def _names(text: str) -> tuple[str, ...]:
    """The names in a list with commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _print_json(value: Any, pretty: bool) -> None:
    """Print an object on stdout, on one line or on many; nothing in it can drive a terminal."""
    click.echo(printable_json(json.dumps(value, ensure_ascii=False, indent=2 if pretty else None)))
