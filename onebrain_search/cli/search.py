"""`search`: answer a question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from onebrain_search.cli.console import (
    Progress,
    json_option,
    linker,
    open_brain,
    open_in_editor,
    print_json,
    say,
    vault_option,
)


@click.command()
@click.argument("question", nargs=-1, required=True)
@vault_option
@click.option("--mode", type=click.Choice(["auto", "what", "why"]), default="auto", help="What kind of answer.")
@click.option("--retrieval", type=click.Choice(["hybrid", "lexical", "vector"]), default="hybrid", help="Which legs.")
@click.option(
    "-n", "--limit", type=click.IntRange(1, 1000), help="How many sources (default: the setting `limit`, 5)."
)
@click.option("--all", "all_", is_flag=True, help="Every source up to 50, and a chain's every link.")
@click.option("--no-refresh", is_flag=True, help="Ask the index as it is, without looking at the files first.")
@click.option("--explain", is_flag=True, help="Show how the question was read and why each source ranks.")
@click.option("--open", "open_", type=click.IntRange(1), metavar="N", help="Open source N in $EDITOR at its line.")
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
    as_json: bool,
) -> int:
    """Answer QUESTION from your notes and code.

    Words, "phrases", -without, prefix*, and filters: path: tag: ext: type: kind: lang: title: heading: date: before:
    after: and key=value. Example: onebrain-search 'retry tag:work after:2026-01'.
    """
    from onebrain_search import render

    brain = open_brain(vault)
    text = " ".join(question)
    if not text.strip():
        raise click.ClickException("the question is empty: write what you look for, for example: retry policy")
    if not no_refresh:
        progress = Progress()
        report = brain.refresh(progress=progress)
        progress.done()
        if report is not None and report.partial:
            say(f"{len(report.failed)} places could not be read; answers may lack them (see `status`)")
    answer = brain.ask(text, mode=mode, retrieval=retrieval, limit=limit or (50 if all_ else None))
    if as_json:
        shape = render.answer_json(answer, brain.snapshot().counts())
        print_json(shape | ({"explain": brain.explain(text)} if explain else {}))
        for note in answer.notes:
            say(f"note: {note}")
    else:
        files = {root.name: root.folder for root in brain.roots()}
        click.echo(render.answer_text(answer, all_links=all_, link=linker(brain.config.vault), files=files))
        if explain:
            click.echo(render.explain_text(brain.explain(text), answer))
    if open_ is not None:
        if open_ > len(answer.sources):
            raise click.ClickException(f"there is no source {open_}: there are {len(answer.sources)}")
        chunk = answer.sources[open_ - 1].chunk
        open_in_editor(brain.get(chunk.address).file, chunk.start_line)
    return 0 if answer.confidence != "none" and (answer.sources or answer.chain) else 1
