"""`eval`: how well the vault answers its owner's questions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from onebrain_search.cli.console import json_option, open_brain, print_json, say, vault_option

SHOWN = 5  # names of what is amiss
FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("eval")
@click.option("--queries", type=FILE, help="Questions, one JSON object a line: id, question, and paths, a list.")
@click.option("--qrels", type=FILE, help="Right notes, a line each: id, path and grade with tabs between.")
@click.option("--run-out", type=FILE, help="Write the ranking by both words and meaning there, in TREC's format.")
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
    """Measure search on your own questions: nDCG@10, recall, MRR and time, 1 being best for all but time.

    `lexical` finds by words alone, `vector` by meaning alone, `hybrid` by both. Start with
    `eval --suggest questions.jsonl`, rewrite the questions as you would ask them, and then run
    `eval --queries questions.jsonl`. Exit code 1 when nothing was found.
    """
    from onebrain_search import evaluate as measures
    from onebrain_search.render import VERSION

    for file in filter(None, (run_out, suggest)):
        if not file.parent.is_dir():
            raise click.ClickException(f"there is no folder {file.parent}: make it first")
    brain = open_brain(vault)
    brain.refresh()
    if suggest is not None:
        if suggest.exists():
            raise click.ClickException(f"{suggest} exists and is left as it is: name another file")
        rows = measures.suggest(brain)
        if not rows:
            example = '{"id": "1", "question": "…", "paths": []}'
            say(f"no heading or title makes a question: write some, a line each, as {example}")
            return 1
        suggest.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
        say(f"wrote {len(rows)} questions to {suggest}: rewrite them as you would ask")
        return 0
    if queries is None:
        raise click.ClickException("name your questions with --queries, or make some with --suggest questions.jsonl")
    questions, right = measures.read_questions(queries)
    right |= measures.read_judgements(qrels) if qrels else {}
    missing = measures.unknown(brain, right)
    asked = {question.id for question in questions}
    _tell("questions without a right note, which do not count", sorted(asked - right.keys()))
    _tell("right notes of ids that no question has", sorted(right.keys() - asked))
    _tell("right notes that are not in the index", missing)
    brain.say_coverage(brain.snapshot())
    for note in brain.notes():
        say(f"note: {note}")
    scores, rankings = measures.compare(brain, questions, right)
    if run_out is not None:
        run_out.write_text("".join(f"{line}\n" for line in measures.run_lines(rankings)), encoding="utf-8")
    if as_json:
        print_json({"version": VERSION, "missing": missing, "scores": [asdict(each) for each in scores]})
    else:
        click.echo(measures.table(scores))
    return 0 if any(each.recall for each in scores) else 1


def _tell(what: str, names: Sequence[str]) -> None:
    """Say what is amiss, how often, and the first few."""
    if names:
        say(f"{what} ({len(names)}): {', '.join(names[:SHOWN])}{', …' if len(names) > SHOWN else ''}")
