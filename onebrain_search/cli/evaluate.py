"""`eval`: how well the vault answers its owner's questions."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from onebrain_search.cli.console import json_option, open_brain, print_json, say, vault_option

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("eval")
@click.option("--queries", type=FILE, help="Questions, one JSON object a line: id, question, and paths if you like.")
@click.option("--qrels", type=FILE, help="Right notes, a line each: id, path and grade with tabs between.")
@click.option("--run-out", type=FILE, help="Write the ranking of both legs there, in TREC's format.")
@click.option("--suggest", type=FILE, help="Write questions for a start there, from your own headings, and stop.")
@vault_option
@json_option
def evaluate(
    queries: Path | None,
    qrels: Path | None,
    run_out: Path | None,
    suggest: Path | None,
    vault: Path | None,
    as_json: bool,
) -> int:
    """Measure search on your own questions: nDCG@10, recall, MRR and time, for both legs and each alone.

    Start with `eval --suggest questions.jsonl`, rewrite the questions as you would ask them, and then run
    `eval --queries questions.jsonl`. Exit code 1 when nothing was found.
    """
    from onebrain_search import evaluate as measures
    from onebrain_search.render import VERSION

    brain = open_brain(vault)
    brain.refresh()
    if suggest is not None:
        if suggest.exists():
            raise click.ClickException(f"{suggest} exists and is left as it is: name another file")
        rows = measures.suggest(brain)
        if not rows:
            say('no heading makes a question: write some, a line each, as {"id": "1", "question": "…", "paths": []}')
            return 1
        suggest.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
        say(f"wrote {len(rows)} questions to {suggest}: rewrite them as you would ask")
        return 0
    if queries is None:
        raise click.ClickException("name your questions with --queries, or make some with --suggest questions.jsonl")
    questions, right = measures.read_questions(queries)
    right |= measures.read_judgements(qrels) if qrels else {}
    missing = measures.unknown(brain, right)
    scores, rankings = measures.compare(brain, questions, right)
    if run_out is not None:
        run_out.write_text("".join(f"{line}\n" for line in measures.run_lines(rankings)), encoding="utf-8")
    if missing:
        say(f"{len(missing)} right notes are not in the index: {', '.join(missing[:5])}")
    if as_json:
        print_json({"version": VERSION, "missing": missing, "scores": [asdict(each) for each in scores]})
    else:
        click.echo(measures.table(scores))
    return 0 if any(each.recall for each in scores) else 1
