"""Which note a link means, in every way that people write links."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from onebrain_search import Brain
from onebrain_search.links import LinkMap

Graph = Callable[[Mapping[str, str]], LinkMap]


@pytest.fixture
def graph(vault: Callable[..., Path], tmp_path: Path) -> Graph:
    """Return a function that indexes `{path: text}` and resolves the links."""

    def make(files: Mapping[str, str]) -> LinkMap:
        """Index by words alone."""
        brain = Brain.open(vault(files), environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")})
        brain.index(vectors=False)
        return LinkMap.load(brain.snapshot().catalog)

    return make


def meant(links: LinkMap, source: str) -> set[str]:
    """Return the paths that a note links to."""
    number = next(n for n, path in links.paths.items() if path == source)
    return {links.paths[other] for other in links.out[number]}


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("[[Rope]]", "gear/Rope.md"),
        ("[[rope]]", "gear/Rope.md"),
        ("[[Rope.md]]", "gear/Rope.md"),
        ("[[gear/Rope]]", "gear/Rope.md"),
        ("[[Rope#Splices|how to splice]]", "gear/Rope.md"),
        ("![[Rope]]", "gear/Rope.md"),
        ("[[hawser]]", "gear/Rope.md"),
        ("[rope](gear/Rope.md)", "gear/Rope.md"),
        ("[rope](/gear/Rope.md)", "gear/Rope.md"),
        ("[rope](./gear/Rope.md#splices)", "gear/Rope.md"),
        ("[[v2.8 notes]]", "v2.8 notes.md"),
        ("[[dev.api.links]]", "dev.api.links.md"),
        ("[[Links|dev.api.links]]", "dev.api.links.md"),
        ("[[202405061230]]", "zk/202405061230 Splices.md"),
        ("[[Links|dendron://main/dev.api.links#top]]", "dev.api.links.md"),
    ],
)
def test_a_link_finds_its_note(graph: Graph, link: str, target: str) -> None:
    """By name, path, alias, dotted name, and Dendron's order of text and target."""
    links = graph({
        "a.md": f"see {link}\n", "gear/Rope.md": "---\naliases: [Hawser]\n---\nrope\n", "v2.8 notes.md": "new\n",
        "dev.api.links.md": "links\n", "zk/202405061230 Splices.md": "# Splices\n", "zk/20240506.md": "a day\n",
    })  # fmt: skip
    assert meant(links, "a.md") == {target}
    assert not links.broken


def test_a_relative_link_counts_from_its_note(graph: Graph) -> None:
    """Up and down the folders."""
    links = graph({"x/a.md": "[b](../y/b.md) [c](c.md)\n", "y/b.md": "b\n", "x/c.md": "c\n", "c.md": "other\n"})
    assert meant(links, "x/a.md") == {"y/b.md", "x/c.md"}


def test_a_site_generators_link_counts_from_a_folder_inside(graph: Graph) -> None:
    """`thoughts/x.md` is found below `content/`."""
    links = graph({"content/posts/a.md": "[x](thoughts/x.md)\n", "content/thoughts/x.md": "x\n"})
    assert meant(links, "content/posts/a.md") == {"content/thoughts/x.md"}


def test_f43_of_notes_with_one_name_the_nearest_is_meant_and_it_is_reported(graph: Graph) -> None:
    """The one in the same folder, else the one with the shortest path; a title before an alias."""
    links = graph({
        "a.md": "[[Note]]\n", "deep/er/b.md": "[[Note]]\n", "deep/er/Note.md": "one\n", "up/Note.md": "two\n",
        "c.md": "---\naliases: [Note]\n---\nthree\n",
    })  # fmt: skip
    assert meant(links, "a.md") == {"up/Note.md"}
    assert meant(links, "deep/er/b.md") == {"deep/er/Note.md"}
    ((source, target, candidates),) = links.ambiguous
    assert (links.paths[source], target) == ("a.md", "Note")
    assert [links.paths[n] for n in candidates] == ["up/Note.md", "deep/er/Note.md"]


def test_a_link_to_nothing_is_reported_with_its_line(graph: Graph) -> None:
    """And nothing else is."""
    links = graph({"a.md": "one\n\n[[Nowhere]] [b](b.md)\n", "b.md": "b\n"})
    assert [(target, line) for _, target, line in links.broken] == [("Nowhere", 3)]


def test_a_note_that_links_to_itself_is_not_in_the_graph(graph: Graph) -> None:
    """As a heading link is."""
    links = graph({"a.md": "# A\n\n[[a]] [[#A]]\n"})
    assert meant(links, "a.md") == set()


def test_a_markdown_note_is_meant_before_another_file_of_its_name(graph: Graph) -> None:
    """Without a suffix; with one it is that file."""
    links = graph({"a.html": "<p>x", "a.md": "x\n", "a.txt": "x\n", "n.md": "[[a]]\n", "t.md": "[[a.txt]]\n"})
    assert meant(links, "n.md") == {"a.md"}
    assert meant(links, "t.md") == {"a.txt"}


def test_a_link_stays_in_its_root_where_it_can(vault: Callable[..., Path], tmp_path: Path) -> None:
    """The vault and a code folder may each have a README; one that only the other has is still found by its name."""
    code = vault(
        {"README.md": "[[Alone]] [x](docs/use.md)\n", "docs/use.md": "x\n", "tool.py": "x = 1\n"}, name="code"
    )
    notes = vault({
        "Alone.md": "x\n", "n.md": "[[README]] [r](README.md) [[tool]]\n",
        "onebrain.yml": f"onebrain_search:\n  code: [{{name: app, path: '{code}'}}]\n",
    })  # fmt: skip
    brain = Brain.open(notes, environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")})
    brain.index(vectors=False)
    (notes / "README.md").write_text("x\n")  # they come later, so their numbers are higher
    (notes / "docs").mkdir()
    (notes / "docs" / "use.md").write_text("x\n")
    brain.index(vectors=False)
    links = LinkMap.load(brain.snapshot().catalog)
    found = {
        (links.roots[source], links.paths[source]): {(links.roots[n], links.paths[n]) for n in targets}
        for source, targets in links.out.items()
        if targets
    }
    assert found == {
        ("", "n.md"): {("", "README.md"), ("app", "tool.py")},
        ("app", "README.md"): {("", "Alone.md"), ("app", "docs/use.md")},
    }
