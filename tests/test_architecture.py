"""The shape of the house is kept by these tests: layers, owners of outside libraries, sizes, names, docstrings."""

from __future__ import annotations

import ast
import graphlib
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import NamedTuple

import pytest

REPO = Path(__file__).parents[1]
PACKAGES = ("indexer", "onebrain_search")

# Lowest first, a row a line. A module imports only from rows above its own, and a package counts as one module
# towards the outside. A new module gets its place here.
LAYERS = tuple(
    tuple(row.split())
    for row in """
    indexer.labels
    indexer.types indexer.errors
    indexer.scripts indexer.entries indexer.ignore indexer.redact
    indexer.tokens indexer.scan
    indexer.parse
    indexer.events indexer.history indexer.chunk indexer.embed
    indexer.tables indexer.terms indexer.state
    indexer.catalog indexer.lexical indexer.vectors indexer.prepare
    indexer.snapshot indexer.workers indexer.timeline indexer.facts
    indexer.readers
    indexer.plan indexer.staleness indexer.vector_rows
    indexer.store indexer.unchanged
    indexer.update indexer.backlog
    indexer.build
    indexer.watch
    onebrain_search.types onebrain_search.printable onebrain_search.presence onebrain_search.places
    onebrain_search.yaml_settings onebrain_search.forgotten
    onebrain_search.web_settings
    onebrain_search.config onebrain_search.question onebrain_search.days onebrain_search.dense
    onebrain_search.neutral onebrain_search.wording onebrain_search.copies onebrain_search.aside
    onebrain_search.query onebrain_search.fuse onebrain_search.snippet onebrain_search.confidence
    onebrain_search.retrieve onebrain_search.rank onebrain_search.rerank onebrain_search.reading onebrain_search.links
    onebrain_search.related onebrain_search.symbols onebrain_search.answer onebrain_search.web
    onebrain_search.pipeline onebrain_search.plan onebrain_search.models
    onebrain_search.fallback
    onebrain_search.evidence onebrain_search.status
    onebrain_search.brain
    onebrain_search.render onebrain_search.text onebrain_search.evaluate onebrain_search.doctor onebrain_search.client
    onebrain_search.service
    onebrain_search.server
    onebrain_search.mcp onebrain_search.agents
    onebrain_search.cli
    """.strip().splitlines()
)

# Who may import an outside library. One owner each; a second one has its reason beside it.
OWNERS = {
    "Stemmer": ("indexer.tokens",),
    "charset_normalizer": ("indexer.parse",),
    "click": ("onebrain_search.cli",),
    "curl_cffi": ("onebrain_search.web",),
    "dateutil": ("indexer.parse", "onebrain_search.days"),  # dates that are written down, dates that are asked for
    "detect_secrets": ("indexer.redact",),
    "docutils": ("indexer.parse",),
    "filelock": ("indexer.state",),
    "frontmatter": ("indexer.parse",),
    "httpx2": ("indexer.embed", "onebrain_search.web"),  # vectors by HTTP, the fallback
    "huggingface_hub": ("indexer.embed",),
    "keyring": ("onebrain_search.web",),
    "lxml": ("indexer.parse", "onebrain_search.web"),  # notes in HTML, pages of search engines
    "mammoth": ("indexer.parse",),
    "mcp": ("onebrain_search.mcp",),
    "onnxruntime": ("indexer.embed",),
    "pathspec": ("indexer.ignore",),
    "platformdirs": ("onebrain_search.places",),
    "psutil": ("indexer.state",),
    "pypdfium2": ("indexer.parse",),
    "pyromark": ("indexer.parse",),
    "rapidfuzz": ("indexer.lexical", "onebrain_search.query"),  # near words of the index, near names of filters
    "sentence_transformers": ("indexer.embed",),
    "sqlite3": ("indexer.catalog",),
    "sqlite_utils": ("indexer.catalog",),
    "starlette": ("onebrain_search.server",),
    "tantivy": ("indexer.lexical",),
    "threadpoolctl": ("indexer.embed",),
    "tokenizers": ("indexer.embed",),
    "tomlkit": ("onebrain_search.agents",),
    "torch": ("indexer.embed",),
    "transformers": ("indexer.embed",),
    "trafilatura": ("onebrain_search.web",),
    "tree_sitter": ("indexer.parse",),
    "uvicorn": ("onebrain_search.server", "onebrain_search.mcp"),  # the daemon, MCP over HTTP
    "watchdog": ("indexer.watch",),
    "yaml": ("indexer.parse", "onebrain_search.yaml_settings"),  # headers of notes, our settings
}  # fmt: skip
FREE = {"numpy"}
AT_THE_TOP = {"click", "numpy", "sqlite3"}  # loaded with the module; all others inside the function that needs them
NO_NAME = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}


class Module(NamedTuple):
    """A source file of the project."""

    name: str
    path: Path
    tree: ast.Module


class Import(NamedTuple):
    """An imported module, as `a.b`; `late` when a function does it, `typing` when only the type checker sees it."""

    target: str
    late: bool
    typing: bool


def _read(package: str) -> Iterator[Module]:
    """Yield the modules of a package."""
    for path in sorted((REPO / package).rglob("*.py")):
        parts = path.relative_to(REPO).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        yield Module(name, path, ast.parse(path.read_text(encoding="utf-8")))


MODULES = {module.name: module for package in PACKAGES for module in _read(package)}
SCRIPTS = [*_read("tests"), *_read("benchmarks")]
each_module = pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
each_file = pytest.mark.parametrize("module", [*MODULES.values(), *SCRIPTS], ids=lambda module: module.name)


def _imports(node: ast.AST, late: bool = False, typing: bool = False) -> Iterator[Import]:
    """Yield everything that is imported below a node of the syntax tree."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, late, typing) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert not child.level, "imports name the whole path"
            source = child.module or ""
            names = [f"{source}.{alias.name}" for alias in child.names]
            yield from (Import(name if name in MODULES else source, late, typing) for name in names)
        elif _loads_by_name(child):
            yield Import(child.args[0].value, late, typing)  # type: ignore[attr-defined]
        else:
            function = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            checking = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
            yield from _imports(child, late or function, typing or checking)


def _loads_by_name(node: ast.AST) -> bool:
    """Whether a node is `import_module("a.literal.name")`."""
    return (
        isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("import_module")
        and bool(node.args)
        and isinstance(node.args[0], ast.Constant)
    )


def _row(name: str) -> int:
    """Return the layer of a module, counted from the lowest."""
    for number, row in enumerate(LAYERS):
        if any(name == place or name.startswith(f"{place}.") for place in row):
            return number
    raise AssertionError(f"{name} has no place yet: give it a row in LAYERS")


def _house(name: str) -> str:
    """Return the module or package of the table that a module belongs to."""
    return ".".join(name.split(".")[:2])


@each_module
def test_a_module_imports_only_from_layers_below_its_own(module: Module) -> None:
    """Data flows one way, and what only the type checker sees counts too."""
    if module.name in PACKAGES:
        wrong = [found.target for found in _imports(module.tree) if not (found.late or found.typing)]
        assert not any(target.split(".")[0] in PACKAGES for target in wrong), "a package's listing loads nothing"
        return
    here = _row(module.name)
    targets = {found.target for found in _imports(module.tree) if found.target.split(".")[0] in PACKAGES}
    wrong = [t for t in targets if t not in PACKAGES and _house(t) != _house(module.name) and _row(t) >= here]
    assert not wrong, f"{module.name} imports {wrong}, of its own layer or one above"


def test_the_indexer_knows_nothing_of_questions() -> None:
    """`indexer` never imports `onebrain_search`."""
    for name, module in MODULES.items():
        if name.startswith("indexer"):
            assert not [i.target for i in _imports(module.tree) if i.target.startswith("onebrain_search")], name


def test_no_import_goes_in_a_circle() -> None:
    """Modules can be loaded in some order, also within a package."""
    graph = {
        name: {i.target for i in _imports(module.tree) if i.target in MODULES and not (i.late or i.typing)}
        for name, module in MODULES.items()
    }
    assert len(list(graphlib.TopologicalSorter(graph).static_order())) == len(MODULES)


@each_module
def test_an_outside_library_has_one_owner(module: Module) -> None:
    """A library can be replaced in one place; a new one gets its row in OWNERS."""
    outside = {found.target.split(".")[0] for found in _imports(module.tree)} - set(PACKAGES) - FREE
    ours = {name for name in outside if name not in sys.stdlib_module_names or name in OWNERS}
    homeless = {name for name in ours if not any(_within(module.name, owner) for owner in OWNERS.get(name, ()))}
    assert not homeless, f"{module.name} imports {homeless}, which it does not own"


@each_module
def test_a_heavy_library_is_loaded_by_the_function_that_needs_it(module: Module) -> None:
    """Importing a module of ours costs next to nothing."""
    early = {i.target.split(".")[0] for i in _imports(module.tree) if not (i.late or i.typing)}
    assert not early & (OWNERS.keys() - AT_THE_TOP), module.name


def test_every_library_is_declared() -> None:
    """What the code imports is a dependency in pyproject.toml, of every installation or of an extra."""
    project = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    needs = [
        *project["dependencies"],
        *(need for name in ("formats", "redact", "web", "impersonate") for need in extras[name]),
    ]
    declared = {_plain(re.split(r"[<>=~!\[; ]", need)[0]) for need in needs}
    used = {found.target.split(".")[0] for m in MODULES.values() for found in _imports(m.tree) if not found.typing}
    carriers = packages_distributions()
    through = {"huggingface_hub", "transformers"}  # come with sentence-transformers, which we only hush by them
    for library in used - set(sys.stdlib_module_names) - set(PACKAGES) - through:
        assert {_plain(name) for name in carriers.get(library, ())} & declared, f"{library} is not declared"


@pytest.mark.parametrize(
    ("imported", "unwanted"),
    [
        ("onebrain_search", "numpy click yaml sqlite3 tantivy torch onnxruntime indexer"),
        (
            "onebrain_search.cli",
            "numpy yaml sqlite3 tantivy torch onnxruntime tokenizers httpx2 asyncio onebrain_search.web",
        ),
        (
            "onebrain_search.brain",
            "torch sentence_transformers onnxruntime tokenizers httpx2 onebrain_search.web",
        ),
    ],
)
def test_an_import_stays_light(imported: str, unwanted: str) -> None:
    """Starting costs no model, no database and no array library."""
    code = f"import sys, {imported}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not set(unwanted.split()) & set(loaded)


@each_file
def test_a_module_can_be_read_in_one_sitting(module: Module) -> None:
    """At most 400 lines."""
    assert len(module.path.read_text(encoding="utf-8").splitlines()) <= 400


def test_complexity_and_arguments_are_limited() -> None:
    """ruff refuses a function over complexity 10 or 6 arguments, click commands excepted, and nobody opts out."""
    ruff = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]
    assert {"C90", "PLR0913", "D1"} <= set(ruff["select"])
    assert not {"C901", "PLR0913"} & set(ruff["ignore"])
    assert (ruff["mccabe"]["max-complexity"], ruff["pylint"]["max-args"]) == (10, 6)
    excepted = {place for place, rules in ruff["per-file-ignores"].items() if {"C901", "PLR0913"} & set(rules)}
    assert excepted == {"onebrain_search/cli/*"}
    for module in MODULES.values():
        assert not re.search(r"noqa:.*(C901|PLR0913)", module.path.read_text(encoding="utf-8")), module.name


@each_module
def test_names_say_what_is_inside(module: Module) -> None:
    """No drawer for leftovers, and no name that only repeats its package's."""
    *above, own = module.name.split(".")
    classes = [node.name for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)]
    for name in (own, *(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", c).lower() for c in classes)):
        assert not NO_NAME & set(name.split("_")), f"{name} says nothing"
    assert not above or own != above[-1], f"{module.name} stutters"
    assert not above or not own.startswith(f"{above[-1]}_"), f"{module.name} stutters"


@each_file
def test_every_function_says_what_it_does(module: Module) -> None:
    """Each has a docstring, private ones too; `__init__` is told by its class, an inner function by its outer one."""
    silent = [node for node in _told_apart(module.tree) if ast.get_docstring(node) is None]
    assert not silent, f"{module.name}: {[f'{node.name}:{node.lineno}' for node in silent]}"


def _told_apart(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Yield the classes and functions below a node that are not inside a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from [child] if child.name != "__init__" else []
        else:
            yield from [child] if isinstance(child, ast.ClassDef) else []
            yield from _told_apart(child)


@each_module
def test_nothing_is_left_for_later(module: Module) -> None:
    """No unfinished function and no comment that promises work."""
    with io.BytesIO(module.path.read_bytes()) as source:
        comments = [t.string for t in tokenize.tokenize(source.readline) if t.type == tokenize.COMMENT]
    assert not [c for c in comments if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", c)], module.name
    raised = [node.exc for node in ast.walk(module.tree) if isinstance(node, ast.Raise) and node.exc]
    assert not [e for e in raised if "NotImplementedError" in ast.unparse(e)], module.name


@pytest.mark.parametrize("module", SCRIPTS, ids=lambda module: module.name)
def test_tests_use_real_parts_and_say_why_they_skip(module: Module) -> None:
    """No mock objects; a skipped or expected failure names its reason."""
    assert not [i.target for i in _imports(module.tree) if i.target.endswith("mock")], module.name
    for call in (node for node in ast.walk(module.tree) if isinstance(node, ast.Call)):
        named = ast.unparse(call.func)
        if re.search(r"pytest\.(mark\.)?(skip|skipif|xfail|importorskip)$", named):
            said = [k.value for k in call.keywords if k.arg == "reason"] or call.args[:1] * named.endswith(".skip")
            assert said, f"{module.name}:{call.lineno} gives no reason"
    bare = [n for n in ast.walk(module.tree) if isinstance(n, ast.Attribute) and n.attr in ("skip", "xfail")]
    called = {id(n.func) for n in ast.walk(module.tree) if isinstance(n, ast.Call)}
    assert not [n.lineno for n in bare if id(n) not in called and ast.unparse(n).startswith("pytest.mark")]


def _within(name: str, place: str) -> bool:
    """Whether a module is the one named, or inside that package."""
    return name == place or name.startswith(f"{place}.")


def _plain(name: str) -> str:
    """Return a distribution's name in its one spelling."""
    return re.sub(r"[-_.]+", "-", name).lower()
