"""`eval`: a person's own questions and right notes, measured."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from indexer.errors import QueryError
from onebrain_search import Brain, evaluate
from onebrain_search.cli import main
from onebrain_search.evaluate import Question, Ranking


def ranking(identifier: str, *paths: str, seconds: float = 0.001) -> Ranking:
    """Return what was found for a question."""
    notes = tuple((path, 1.0 - n / 10) for n, path in enumerate(paths))
    return Ranking(Question(identifier, "q"), notes, seconds)


def test_scores_are_the_usual_ones() -> None:
    """By hand: the right notes at 1 and 3 of one question, none of the other."""
    right = {"1": {"a": 1.0, "c": 1.0}, "2": {"z": 1.0}}
    found = evaluate.score([ranking("1", "a", "b", "c"), ranking("2", "a"), ranking("3", "a")], right, "hybrid")
    assert found.questions == 2
    assert found.ndcg == pytest.approx((1 + 1 / 2) / (1 + 0.6309297) / 2, abs=1e-6)
    assert (found.recall, found.mrr, found.hit1) == (0.5, 0.5, 0.5)
    assert found.p50_ms == pytest.approx(1.0)


def test_grades_count() -> None:
    """The better note first is worth more."""
    right = {"1": {"a": 3.0, "b": 1.0}}
    best, worse = (evaluate.score([ranking("1", *paths)], right, "hybrid").ndcg for paths in ("ab", "ba"))
    assert best == 1.0
    assert worse < 1.0


def test_without_a_right_note_there_is_nothing_to_score() -> None:
    """And the error says what to give."""
    with pytest.raises(QueryError, match="--qrels"):
        evaluate.score([ranking("1", "a")], {}, "hybrid")


def test_questions_are_read_with_or_without_right_notes(tmp_path: Path) -> None:
    """In the forms that BEIR, our own fixtures and people use."""
    file = tmp_path / "q.jsonl"
    file.write_text('{"_id": "x", "text": "one"}\n\n{"question": "two", "paths": ["a.md"]}\n', encoding="utf-8")
    questions, right = evaluate.read_questions(file)
    assert questions == [Question("x", "one"), Question("3", "two")]
    assert right == {"3": {"a.md": 1.0}}


@pytest.mark.parametrize(
    "text", ["query-id\tcorpus-id\tscore\nq\ta b.md\t2\nq\tc.md\t0\n", "q 0 a.md 2\n", "q\ta b.md\t2\n"]
)
def test_judgements_are_read(tmp_path: Path, text: str) -> None:
    """With tabs or as TREC writes them; a grade of 0 is no right note."""
    file = tmp_path / "r.tsv"
    file.write_text(text, encoding="utf-8")
    ((question, notes),) = evaluate.read_judgements(file).items()
    assert (question, list(notes.values())) == ("q", [2.0])


@pytest.mark.parametrize(
    "text",
    ["not json\n", "[]\n", "{}\n", f"{'[' * 100_000}\n", '{"question": ["a"]}\n', '{"question": "  "}\n',
     '{"question": "a", "paths": "a.md"}\n', '{"question": "a", "paths": 5}\n',
     '{"question": "a", "paths": [null]}\n', '{"question": "a", "id": {}}\n'],
    ids=lambda text: text[:40],
)  # fmt: skip
def test_a_broken_line_is_named(tmp_path: Path, text: str) -> None:
    """By file and line."""
    file = tmp_path / "q.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(QueryError, match=r"q\.jsonl:1"):
        evaluate.read_questions(file)
    for line in ("alone", "1\ta.md\tinf", "1\ta.md\tnan"):
        file.write_text(f"id\tpath\tgrade\n{line}\n", encoding="utf-8")
        with pytest.raises(QueryError, match=r"q\.jsonl:2"):
            evaluate.read_judgements(file)
    with pytest.raises(QueryError, match="cannot be read"):
        evaluate.read_questions(tmp_path / "nowhere.jsonl")


def test_an_id_stands_for_one_question(tmp_path: Path) -> None:
    """0 is an id; the same one again would take over the right notes of the first."""
    file = tmp_path / "q.jsonl"
    file.write_text('{"id": 0, "question": "a"}\r\n{"id": 1, "question": "b"}\r\n', encoding="utf-8")
    assert [question.id for question in evaluate.read_questions(file)[0]] == ["0", "1"]
    file.write_text('{"id": 1, "question": "a"}\n{"id": "1", "question": "b"}\n', encoding="utf-8")
    with pytest.raises(QueryError, match=r"'1' stands here again.*q\.jsonl:2"):
        evaluate.read_questions(file)


def test_a_run_is_in_trecs_format() -> None:
    """Six columns, ranks from 1."""
    assert list(evaluate.run_lines([ranking("7 a", "a b.md", "c.md")])) == [
        "7%20a Q0 a%20b.md 1 1.000000 onebrain-search", "7%20a Q0 c.md 2 0.900000 onebrain-search",
    ]  # fmt: skip


def test_own_headings_make_questions_for_a_start(onebrain_brain: Brain) -> None:
    """Each with the note it stands in; no headings of templates; the same ones every time."""
    rows = evaluate.suggest(onebrain_brain, 20)
    assert rows == evaluate.suggest(onebrain_brain, 20)
    assert len({row["question"] for row in rows}) == 20
    assert not any("Key Decisions" in row["question"] for row in rows)
    assert evaluate.unknown(onebrain_brain, {row["id"]: dict.fromkeys(row["paths"], 1.0) for row in rows}) == []


def test_both_legs_and_each_alone_are_compared(onebrain_brain: Brain) -> None:
    """Headings are easy: both legs together put their notes first."""
    rows = evaluate.suggest(onebrain_brain, 12)
    questions = [Question(row["id"], row["question"]) for row in rows]
    scores, rankings = evaluate.compare(
        onebrain_brain, questions, {row["id"]: {row["paths"][0]: 1.0} for row in rows}
    )
    assert [each.retrieval for each in scores] == ["hybrid", "lexical", "vector"]
    assert scores[0].hit1 > 0.7
    assert len(rankings) == 12
    assert evaluate.table(scores).count("\n") == 4


def test_the_command_measures_and_suggests(
    onebrain_brain: Brain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A starter file is written once, and can be asked at once."""
    monkeypatch.setenv("ONEBRAIN_SEARCH_HOME", str(onebrain_brain.folder.parent))

    def run(*args: str) -> tuple[int, str]:
        """Run the program."""
        monkeypatch.setattr(
            sys, "argv", ["onebrain-search", "eval", "--vault", str(onebrain_brain.config.vault), *args]
        )
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), capsys.readouterr().out

    starter, out = tmp_path / "questions.jsonl", tmp_path / "run.trec"
    assert run("--suggest", str(starter))[0] == 0
    assert run("--suggest", str(starter))[0] == 2
    starter.write_text("\n".join(starter.read_text("utf-8").splitlines()[:5]), encoding="utf-8")
    code, printed = run("--queries", str(starter), "--run-out", str(out), "--json")
    assert code == 0
    found = json.loads(printed)
    assert [each["questions"] for each in found["scores"]] == [5, 5, 5]
    assert found["missing"] == []
    assert out.read_text("utf-8").count(" Q0 ") >= 5
    assert run()[0] == 2


def test_a_vault_without_a_heading_to_ask_for_gets_no_empty_file(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line says how a question is written, and a file of that name is not in the way of one."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("Some words.\n")
    target = tmp_path / "q.jsonl"
    monkeypatch.setattr(sys, "argv", ["", "eval", "--suggest", str(target), "--vault", str(tmp_path / "notes")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, target.exists(), "paths" in capsys.readouterr().err) == (1, False, True)


def _told(
    notes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: object
) -> tuple[int, str]:
    """Run `eval`; return its exit code and what it says beside its results."""
    monkeypatch.setattr(sys, "argv", ["", "eval", "--vault", str(notes), *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0), capsys.readouterr().err


def test_titles_make_questions_where_no_heading_does(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in a vault of short notes that all have the same sections."""
    notes, target = tmp_path / "notes", tmp_path / "q.jsonl"
    notes.mkdir()
    for name in ("Splicing a rope", "Anchors in mud", "Reefing early"):
        (notes / f"{name}.md").write_text(f"# {name}\n\n## Notes\n\nSome words.\n")
    assert _told(notes, monkeypatch, capsys, "--suggest", target)[0] == 0
    questions, right = evaluate.read_questions(target)
    assert {(each.text, *right[each.id]) for each in questions} == {
        (name, f"{name}.md") for name in ("Splicing a rope", "Anchors in mud", "Reefing early")
    }


def test_what_does_not_count_is_said(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Questions without a right note, ids without a question, and notes that are not there."""
    notes, asked, right = tmp_path / "notes", tmp_path / "q.jsonl", tmp_path / "r.tsv"
    notes.mkdir()
    (notes / "a.md").write_text("A rope.\n")
    asked.write_text('{"id": "q1", "question": "rope"}\n{"id": "q2", "question": "mast"}\n')
    right.write_text("q1\ta.md\t1\nq1\tgone.md\t1\nq9\ta.md\t1\n")
    code, said = _told(notes, monkeypatch, capsys, "--queries", asked, "--qrels", right)
    assert code == 0
    assert "do not count (1): q2" in said
    assert "no question has (1): q9" in said
    assert "not in the index (1): gone.md" in said


def test_a_place_to_write_is_looked_at_before_the_work(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not after all questions were asked."""
    code, said = _told(tmp_path, monkeypatch, capsys, "--run-out", tmp_path / "none" / "run")
    assert (code, "make it first" in said, home.exists()) == (2, True, False)
