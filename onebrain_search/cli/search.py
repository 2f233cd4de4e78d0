"""`search`: answer a question."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from onebrain_search.cli.console import (
    file_of,
    json_option,
    linker,
    open_in_editor,
    print_json,
    say,
    vault_option,
)
from onebrain_search.cli.reach import answered, daemon_option, refreshed, root_folders

if TYPE_CHECKING:
    from onebrain_search.service import Service


ALL_SOURCES = 50  # that `--all` asks for


@click.command()
@click.argument("question", nargs=-1, required=True)
@vault_option
@click.option("--mode", type=click.Choice(["auto", "what", "why"]), default="auto", help="What kind of answer.")
@click.option(
    "--retrieval", type=click.Choice(["hybrid", "lexical", "vector"]), default="hybrid",
    help="By words and meaning, words alone, or meaning alone.",
)  # fmt: skip
@click.option(
    "-n", "--limit", type=click.IntRange(1, 1000), help="How many sources (default: the setting `limit`, 5)."
)
@click.option("--all", "all_", is_flag=True, help="Every source up to 50, and a chain's every link.")
@click.option("--no-refresh", is_flag=True, help="Ask the index as it is, without looking at the files first.")
@click.option("--explain", is_flag=True, help="Show how the question was read and why each source ranks.")
@click.option("--open", "open_", type=click.IntRange(1), metavar="N", help="Open source N in $EDITOR at its line.")
@click.option("--web/--no-web", default=None, help="Ask the web, too, or never; else as the settings allow.")
@daemon_option
@json_option
def search(
    question: tuple[str, ...],
    vault: Path | None,
    mode: Any,
    retrieval: Any,
    limit: int | None,
    all_: bool,
    no_refresh: bool,
    explain: bool,
    open_: int | None,
    web: bool | None,
    daemon: str,
    as_json: bool,
) -> int:
    """Answer QUESTION from your notes and code.

    Words, "phrases", -without, prefix*, and filters: path: tag: ext: type: kind: lang: title: heading: date: before:
    after: and key=value. Example: onebrain-search 'retry tag:work after:2026-01'.
    """
    from onebrain_search import text

    asked = " ".join(question)
    if not asked.strip():
        raise click.ClickException("the question is empty: write what you look for, for example: retry policy")
    request: dict[str, Any] = {"question": asked, "mode": mode, "retrieval": retrieval, "explain": explain}
    if web is not None:
        request["web"] = web
    if limit or all_:
        request["limit"] = limit or ALL_SOURCES
    prepare = partial(refreshed, vectors=retrieval != "lexical")
    answer = answered(vault, daemon, "ask", request, _as_is if no_refresh else prepare)
    if as_json:
        print_json(answer)
        for note in answer["notes"]:
            say(f"note: {note}")
    else:
        click.echo(text.answer_text(answer, all_links=all_, link=linker(lambda: root_folders(vault))))
        if explain:
            click.echo(text.explain_text(answer))
    sources = answer["sources"]
    if open_ is not None:
        if open_ > len(sources):
            raise click.ClickException(f"there is no source {open_}: there are {len(sources)}")
        source = sources[open_ - 1]
        open_in_editor(file_of(source["path"], root_folders(vault)), source["start_line"])
    answered_here = answer["confidence"] != "none" and (sources or answer["chain"])
    return 0 if answered_here or (answer["web"] and answer["web"]["results"]) else 1


def _as_is(service: Service) -> None:
    """Ask the index as it is."""
