"""`web`: ask the web, which nothing else does unasked."""

from __future__ import annotations

from pathlib import Path

import click

from onebrain_search.cli.console import json_option, open_brain, print_json, say, vault_option

INTENTS = "resource, news, status, comparison, tutorial, factual, exploratory"


@click.command()
@click.argument("question", nargs=-1, required=True)
@vault_option
@click.option("--docs", "route", flag_value="docs", help="Official documentation only.")
@click.option("--code", "route", flag_value="code", help="Code of public repositories only.")
@click.option("--web", "route", flag_value="web", help="Web pages only.")
@click.option("--strict", is_flag=True, help="Only verified domains (a trust of 0.85 and more).")
@click.option("--wide", is_flag=True, help="Every domain, with stars beside its trust.")
@click.option("--gitlab", is_flag=True, help="Code from GitLab instead of GitHub.")
@click.option(
    "--intent", "purpose", default="", help=f"What it is asked for: {INTENTS}; none (no scores); or a route."
)
@click.option("--mode", default="", help="fast, deep (all sources, further wordings) or answer.")
@click.option("--freshness", default="", help="Not older than a day, week, month or year: pd, pw, pm, py.")
@click.option("--domain-boost", "boost", default="", help="Domains to prefer, with commas between.")
@click.option("--num", type=int, default=5, show_default=True, help="Results of each source, up to 20.")
@click.option("--queries", multiple=True, help="Ask this instead; may be given several times.")
@json_option
def web(
    question: tuple[str, ...],
    vault: Path | None,
    route: str | None,
    strict: bool,
    wide: bool,
    gitlab: bool,
    purpose: str,
    mode: str,
    freshness: str,
    boost: str,
    num: int,
    queries: tuple[str, ...],
    as_json: bool,
) -> int:
    """Ask the web for QUESTION: documentation, pages or code, by what the question says. It leaves this machine.

    Keys of sources come from the environment or the keyring; a source without its key is skipped and named. Exit
    code 1 when nothing was found, 2 when no source could be asked.
    """
    from onebrain_search.web import shape, show
    from onebrain_search.web.intent import ROUTES
    from onebrain_search.web.options import Options

    preferred = tuple(filter(None, (each.strip().lower() for each in boost.split(","))))
    explicit, purpose = (purpose, "") if purpose in ROUTES else ("", purpose)
    options = Options(
        route or "", explicit, strict=strict, wide=wide, gitlab=gitlab, purpose=purpose, mode=mode,
        freshness=freshness, boost=preferred, num=num, queries=queries,
    )  # fmt: skip
    outcome = open_brain(vault).web.search(" ".join(question), options, _tell)
    found = shape.shape(outcome)
    if as_json:
        print_json(found)
    else:
        click.echo(show.search_text(found, wide=wide))
    return 0 if outcome.results else 2 if outcome.failure else 1


def _tell(event: str, source: str, detail: str) -> None:
    """Say on stderr what becomes of a source."""
    say(f"web: {event} {source}: {detail}")
