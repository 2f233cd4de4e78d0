"""Source code, settings files and plain text."""

from __future__ import annotations

import pytest

from indexer.parse import CODE_SUFFIXES, NOTE_SUFFIXES, parse
from indexer.types import Document, SourceFile

MTIME = 1_700_000_000_000_000_000


def _parse(path: str, text: str) -> Document:
    """Parse a file of a code folder."""
    return parse(SourceFile("app", path, "code", len(text), MTIME), text.encode())


def _names(document: Document) -> list[str]:
    """Names of the definitions, in order."""
    return [block.text for block in document.blocks if block.kind == "definition"]


PYTHON = '''import os

@cached
def top(a):
    """Doc."""
    if a:

        return 1


class Box:
    x = 1

    async def open(self):
        return self.x

    def close(self): pass


def last(): ...
'''


def test_definitions_reach_to_the_next_sibling() -> None:
    """A class holds its methods; blank lines at the end are no part."""
    found = [
        (b.text, b.start_line, b.end_line, b.level) for b in _parse("a.py", PYTHON).blocks if b.kind == "definition"
    ]
    assert found == [
        ("top", 4, 8, 0),
        ("Box", 11, 17, 0),
        ("open", 14, 15, 1),
        ("close", 17, 17, 1),
        ("last", 20, 20, 0),
    ]


def test_code_blocks_are_cut_at_blank_lines() -> None:
    """Runs of lines, in the order of the file with the definitions."""
    document = _parse("a.py", PYTHON)
    runs = [(b.start_line, b.end_line) for b in document.blocks if b.kind == "code"]
    assert runs == [(1, 1), (3, 6), (8, 8), (11, 12), (14, 15), (17, 17), (20, 20)]
    starts = [block.start_line for block in document.blocks]
    assert starts == sorted(starts)


# file -> its text, and the names it defines
SOURCES = {
    "a.ts": (
        "export async function load(x) {\n"
        "}\n"
        "const save = async (a: B) => {\n"
        "}\n"
        "export interface Row {\n"
        "}\n"
        "if (x) {\n"
        "}\n",
        "load, save, Row",
    ),
    "a.js": (
        "class A {\n}\nfunction* gen() {}\nvar f = function () {}\nlet g = x => x\nconst n = 1\n",
        "A, gen, f, g",
    ),
    "a.go": (
        "func (s *Server) Run(ctx C) error {\n}\ntype Server struct {\n}\nfunc main() {\n}\n",
        "Run, Server, main",
    ),
    "a.rs": (
        "pub(crate) async fn run() {}\nstruct S;\nimpl S {\n    fn new() -> S { S }\n}\nenum E { A }\n",
        "run, S, S, new, E",
    ),
    "A.java": (
        "public class A {\n    private static int count(String s) {\n        return s.size();\n    }\n}\n",
        "A, count",
    ),
    "a.c": (
        "static int add(int a, int b)\n{\n    return add(a, b);\n}\n#define MAX(a) (a)\nstruct node {\n};\n",
        "add, MAX, node",
    ),
    "a.cpp": (
        "void Box::open(int x) {\n}\nnamespace n {\nclass C {\n};\n}\n",
        "Box::open, n, C",
    ),
    "a.cs": (
        "namespace N\n"
        "{\n"
        "    public sealed class C\n"
        "    {\n"
        "        public async Task<int> Go(int x)\n"
        "        {\n"
        "        }\n"
        "    }\n"
        "}\n",
        "N, C, Go",
    ),
    "a.rb": (
        "module M\n  class C\n    def self.go?(x)\n    end\n  end\nend\n",
        "M, C, self.go?",
    ),
    "a.php": (
        "<?php\nfinal class C {\n    public function go() {}\n}\n",
        "C, go",
    ),
    "a.sh": (
        "build() {\n  x\n}\nfunction test {\n}\n",
        "build, test",
    ),
    "a.sql": (
        "CREATE TABLE IF NOT EXISTS users (\n);\ncreate or replace view v as select 1;\n",
        "users, v",
    ),
    "a.lua": (
        "local function go(x)\nend\nfunction M.run()\nend\n",
        "go, M.run",
    ),
    "a.swift": (
        "public struct S {\n    func go() {}\n}\nextension S {\n}\n",
        "S, go, S",
    ),
    "a.kt": (
        "data class P(val x: Int)\nfun go() {\n}\n",
        "P, go",
    ),
    "a.scala": (
        "object Main {\n  def run(): Unit = {}\n}\n",
        "Main, run",
    ),
    "a.R": (
        "go <- function(x) {\n}\n",
        "go",
    ),
    "a.jl": (
        "function go(x)\nend\nstruct P\nend\n",
        "go, P",
    ),
    "a.ex": (
        "defmodule App.Web do\n  def go(x) do\n  end\nend\n",
        "App.Web, go",
    ),
    "a.toml": (
        "[project]\nname = 'x'\n[[tool.x]]\n",
        "project, tool.x",
    ),
    "a.yaml": (
        "jobs:\n  build: 1\nname: x\n",
        "jobs, name",
    ),
    "a.ini": (
        "[a b]\nx=1\n",
        "a b",
    ),
    "a.clj": (
        "(defn go [x] x)\n",
        "go",
    ),
    "a.pl": (
        "package App;\nsub go {\n}\n",
        "App, go",
    ),
    "a.vim": (
        "function! Go()\nendfunction\n",
        "Go",
    ),
}


@pytest.mark.parametrize("path", SOURCES)
def test_definitions_of_each_family(path: str) -> None:
    """One pattern a family; calls and control words define nothing."""
    text, names = SOURCES[path]
    assert _names(_parse(path, text)) == names.split(", ")


@pytest.mark.parametrize("path", ["a.json", "a.css", "b.ini", "c.yml", "D.PY"])
def test_settings_files_are_code(path: str) -> None:
    """Their blocks are cut at blank lines; a suffix counts in any case."""
    document = _parse(path, "a\n\nb\n")
    assert [(b.start_line, b.end_line) for b in document.blocks if b.kind == "code"] == [(1, 1), (3, 3)]


def test_code_has_its_name_as_title_and_no_tags() -> None:
    """`#tag` and `[[x]]` mean nothing in code; names hold no date."""
    document = _parse("migrations/20240506_add.sql", "-- #tag [[x]] 2024-05-06\n")
    assert (document.title, document.tags, document.links) == ("20240506_add.sql", (), ())
    assert document.date_source == "mtime"


def test_long_generated_line_defines_nothing() -> None:
    """A minified line is no definition and costs nothing."""
    assert _names(_parse("a.js", "function a(){}" * 50_000)) == []


def test_suffix_sets_are_apart() -> None:
    """A suffix is of one kind; the common ones are there."""
    assert not CODE_SUFFIXES & NOTE_SUFFIXES
    assert {".md", ".markdown", ".txt"} <= NOTE_SUFFIXES
    wanted = ".py .js .ts .tsx .jsx .go .rs .java .c .h .cpp .hpp .cs .rb .php .sh .sql .lua .swift .kt .scala .r .jl"
    assert {*wanted.split(), ".toml", ".yaml", ".yml", ".json", ".ini", ".cfg"} <= CODE_SUFFIXES


def test_plain_text_has_paragraphs_and_a_date() -> None:
    """A text file is cut at blank lines and dated like a note."""
    file = SourceFile("", "2024-05-06 call.txt", "note", 1, MTIME)
    document = parse(file, b"one\ntwo\n\n \nthree")
    assert [(b.text, b.start_line, b.end_line) for b in document.blocks] == [("one\ntwo", 1, 2), ("three", 5, 5)]
    assert (document.title, document.date) == ("2024-05-06 call", "2024-05-06")


def test_unknown_suffix_is_text() -> None:
    """What has no row is read as plain text."""
    assert [block.kind for block in _parse("LICENSE", "words\n").blocks] == ["paragraph"]
