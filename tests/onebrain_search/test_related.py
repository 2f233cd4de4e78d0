"""Related notes: what ties them, in which order they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from indexer.errors import NotFound
from onebrain_search import Brain, related, text
from onebrain_search.types import Hit

NOISE = {
    f"noise/n{n}.md": f"# Noise {n}\n\nThe baker counts {n} loaves and {n * 7} rolls before dawn.\n"
    for n in range(30)
}


@pytest.fixture
def brain_of(vault: Callable[..., Path], tmp_path: Path) -> Callable[..., Brain]:
    """Return a function that indexes `{path: text}` among notes on something else, by words alone or with vectors."""

    def make(files: Mapping[str, str], vectors: bool = False) -> Brain:
        """Write and index the notes."""
        brain = Brain.open(vault({**NOISE, **files}), environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")})
        brain.index(vectors=vectors)
        return brain

    return make


def by_path(hits: list[Hit]) -> dict[str, Hit]:
    """Return the hits by their files."""
    return {hit.chunk.path: hit for hit in hits}


def test_an_unlinked_mention_is_offered(brain_of: Callable[..., Brain]) -> None:
    """Both ways: a note that this one names, and one that names it; a link is no mention."""
    brain = brain_of({
        "Anchor Chain.md": "It runs over the Bow Roller every time.\n", "Bow Roller.md": "A wheel at the stem.\n",
        "log.md": "Today the anchor chain jammed.\n", "linked.md": "See [[Anchor Chain]].\n",
    })  # fmt: skip
    found = by_path(brain.related("Anchor Chain.md", limit=20))
    assert found["Bow Roller.md"].parts["names"] > 0.5
    assert found["log.md"].parts["mention"] > 0
    assert "mention" not in found["linked.md"].parts
    assert found["linked.md"].parts["backlink"] == 1


def test_links_are_told_and_come_after_what_is_not_linked_yet(brain_of: Callable[..., Brain]) -> None:
    """Of two notes as near, the one without a link is the news."""
    text = "Splicing a hawser takes a fid and patience.\n"
    brain = brain_of({"a.md": f"{text}\nSee [[b]].\n", "b.md": f"B. {text}", "c.md": f"C. {text}"})
    hits = brain.related("a.md")
    assert [hit.chunk.path for hit in hits[:2]] == ["c.md", "b.md"]
    assert hits[1].parts["link"] == 1


def test_the_links_of_similar_passages_are_taken_over(brain_of: Callable[..., Brain]) -> None:
    """What passages like those of this note link to, it may want to link to."""
    similar = {f"s{n}.md": f"Splicing hawser number {n} takes a fid and patience. [[Knots]]\n" for n in range(4)}
    brain = brain_of(
        {**similar, "a.md": "Splicing a hawser takes a fid, patience and time.\n", "Knots.md": "bowline\n"}
    )
    assert by_path(brain.related("a.md"))["Knots.md"].parts["links of similar passages"] > 0


def test_only_the_links_of_the_similar_passage_count(brain_of: Callable[..., Brain]) -> None:
    """Not those that stand elsewhere in the same note."""
    long = "# One\n\nSplicing a hawser takes a fid. [[Knots]]\n\n# Two\n\nBread wants an oven. [[Flour]]\n"
    brain = brain_of({"a.md": "Splicing a hawser.\n", "long.md": long, "Knots.md": "bowline\n", "Flour.md": "rye\n"})
    found = by_path(brain.related("a.md", limit=40))
    assert "links of similar passages" in found["Knots.md"].parts
    assert "Flour.md" not in found


def test_notes_with_the_same_links_lend_their_others(brain_of: Callable[..., Brain]) -> None:
    """Two notes link to the same two; what the other one links to besides is near to both."""
    brain = brain_of({
        "a.md": "[[x]] [[y]]\n", "b.md": "[[x]] [[y]] [[z]]\n", "c.md": "[[far]]\n",
        "x.md": "1\n", "y.md": "2\n", "z.md": "3\n", "far.md": "4\n",
    })  # fmt: skip
    found = by_path(brain.related("a.md", limit=40))
    assert found["z.md"].parts["links in common"] > 0
    assert "far.md" not in found


def test_notes_two_links_away_are_tied_and_less_so_by_a_hub(brain_of: Callable[..., Brain]) -> None:
    """A note that everybody links to says little of what two of them have in common."""
    crowd = {f"crowd{n}.md": "[[hub]]\n" for n in range(9)}
    brain = brain_of({
        **crowd, "hub.md": "all\n", "quiet.md": "few\n", "a.md": "[[hub]] [[quiet]]\n", "b.md": "[[quiet]]\n",
    })  # fmt: skip
    found = by_path(brain.related("a.md", limit=40))
    assert found["b.md"].parts["shared links"] > found["crowd1.md"].parts["shared links"] > 0


@pytest.mark.parametrize("folder", ["topics/", "dev.topics.", "日本/"])
def test_notes_beside_linked_ones_are_tied(brain_of: Callable[..., Brain], folder: str) -> None:
    """An index of a folder, or of a dotted name, is tied to what it left out of it."""
    parts = {f"{folder}{name}.md": f"{name}\n" for name in ("one", "two", "three")}
    brain = brain_of({**parts, "index.md": f"[[{folder}one]] [[{folder}two]]\n", "else.md": "nothing\n"})
    found = by_path(brain.related("index.md", limit=40))
    assert found[f"{folder}three.md"].parts["folder of links"] > found[f"{folder}two.md"].parts["folder of links"] > 0
    assert "else.md" not in found


def test_the_rare_words_of_a_name_tie(brain_of: Callable[..., Brain]) -> None:
    """Though they do not stand side by side; the whole name is told by `names`."""
    brain = brain_of(
        {"a.md": "The chains of two anchors crossed.\n", "Anchor Chain.md": "iron\n", "Rope.md": "hemp\n"}
    )
    found = by_path(brain.related("a.md", limit=40))
    assert found["Anchor Chain.md"].parts["words of the name"] > 0.5
    assert "names" not in found["Anchor Chain.md"].parts
    assert "Rope.md" not in found


def test_a_passage_that_many_notes_have_gives_no_lead(brain_of: Callable[..., Brain]) -> None:
    """A section of a template is near everywhere; the one note on the same thing is nearer than others."""
    template = "## Summary\n\nWrite here what this note is about.\n"
    notes = {f"t{n}.md": f"# T{n}\n\n{template}" for n in range(15)}
    brain = brain_of({
        **notes, "a.md": f"# A\n\nHow to stop a boat from drifting at night.\n\n{template}",
        "b.md": "# B\n\nLower the anchor before you sleep.\n",
    }, vectors=True)  # fmt: skip
    found = by_path(brain.related("a.md", limit=40))
    assert found["b.md"].parts["vector lead"] > 0.05
    assert all(hit.parts.get("vector lead", 0) < 0.05 for path, hit in found.items() if path.startswith("t"))


def test_rare_tags_and_the_tree_of_names_tie(brain_of: Callable[..., Brain]) -> None:
    """A parent by its dotted name, a note with the same tag."""
    brain = brain_of({"dev.api.md": "one #fid\n", "dev.api.links.md": "two\n", "other.md": "three #fid\n"})
    found = by_path(brain.related("dev.api.md", limit=20))
    assert found["dev.api.links.md"].parts["name path"] == 1
    assert found["other.md"].parts["tags"] > 0


def test_notes_that_mean_the_same_are_found_in_other_words(brain_of: Callable[..., Brain]) -> None:
    """By vectors, with the passage that is nearest."""
    brain = brain_of(
        {
            "a.md": "How to stop a boat from drifting at night.\n",
            "b.md": "# B\n\nLower the anchor before you sleep.\n",
        },
        vectors=True,
    )
    first = brain.related("a.md")[0]
    assert first.chunk.path == "b.md"
    assert 0 < first.parts["vector"] < 1


def test_an_unknown_note_is_an_error(brain_of: Callable[..., Brain]) -> None:
    """With what to do."""
    with pytest.raises(NotFound, match="not in the index"):
        brain_of({}).related("nowhere.md")


@pytest.mark.parametrize(
    "name",
    ["x/Café Notes.md", "x/Café Notes", "X/CAFÉ notes.MD", "./x/Café Notes.md", "/x/Café Notes.md", "Café Notes",
     "Cafe\u0301 Notes", "Brewing by Hand", "the brews", "x/Café Notes.md:3", "x/Café Notes.md:1:2",
     "x/Café Notes#Water", " x/Café Notes.md\n"],
)  # fmt: skip
def test_a_note_is_known_by_what_a_link_may_call_it(brain_of: Callable[..., Brain], name: str) -> None:
    """Path, end of a path, title and alias, in any normal form and case, with lines or a heading behind it."""
    brain = brain_of({
        "x/Café Notes.md": "---\naliases: [The Brews]\n---\n# Brewing by Hand\n\nSee [[b]].\n", "b.md": "B\n",
    })  # fmt: skip
    assert by_path(brain.related(name))["b.md"].parts["link"] == 1


def test_a_name_of_several_notes_is_an_error_that_names_them(brain_of: Callable[..., Brain]) -> None:
    """A link would take one of them; a person is asked which one, and the whole path of one is no question."""
    brain = brain_of({"x/a.md": "fid\n", "y/a.md": "fid\n", "a b.md": "fid\n"})
    with pytest.raises(NotFound, match=r"2 notes .*x/a\.md, y/a\.md"):
        brain.related("a")
    assert brain.related("x/a.md")


def test_a_name_leads_to_no_note_of_another_root(vault: Callable[..., Path], tmp_path: Path) -> None:
    """Code is named with its folder in front."""
    code = vault({"deep/tool.py": "fid = 1\n", "deep/other.py": "fid = 2\n"}, name="code")
    settings = f"onebrain_search:\n  code: [{{name: app, path: '{code}'}}]\n"
    notes = vault({"a.md": "fid\n", "onebrain.yml": settings})
    brain = Brain.open(notes, environ={"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")})
    brain.index(vectors=False)
    assert brain.related("app:tool.py")
    with pytest.raises(NotFound):
        brain.related("tool.py")
    with pytest.raises(NotFound):
        brain.related("app:a.md")


def test_a_tag_of_all_notes_is_counted_once(brain_of: Callable[..., Brain]) -> None:
    """Not once for each of them, which took 9 s for 20,000; counted in steps of SQLite's machine."""
    brain = brain_of({f"t{n}.md": "one #same\n" for n in range(600)})
    steps = [0]

    def step() -> None:
        """Count a thousand steps; nothing is returned, so the statement goes on."""
        steps[0] += 1

    brain.snapshot().catalog.sql.set_progress_handler(step, 1000)
    assert brain.related("t1.md")[0].parts["tags"] > 0
    assert steps[0] < 600


def test_each_tie_has_words_for_people() -> None:
    """What the JSON names in short is printed as a person would say it."""
    assert set(text.TIES) == set(related.WEIGHTS)


def test_a_change_of_the_vault_is_seen(brain_of: Callable[..., Brain]) -> None:
    """What is kept between calls belongs to one generation."""
    brain = brain_of({"a.md": "fid\n", "b.md": "marlinspike\n"})
    assert "link" not in str([hit.parts for hit in brain.related("a.md")])
    (brain.config.vault / "a.md").write_text("fid [[b]]\n", encoding="utf-8")
    brain.index(vectors=False)
    assert by_path(brain.related("a.md"))["b.md"].parts["link"] == 1
