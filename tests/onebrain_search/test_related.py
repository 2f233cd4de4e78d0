"""Related notes: what ties them, in which order they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from indexer.errors import NotFound
from onebrain_search import Brain
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


def test_the_links_of_similar_notes_are_taken_over(brain_of: Callable[..., Brain]) -> None:
    """What notes like this one link to, this one may want to link to."""
    similar = {f"s{n}.md": f"Splicing hawser number {n} takes a fid and patience. [[Knots]]\n" for n in range(4)}
    brain = brain_of(
        {**similar, "a.md": "Splicing a hawser takes a fid, patience and time.\n", "Knots.md": "bowline\n"}
    )
    assert by_path(brain.related("a.md"))["Knots.md"].parts["links of similar notes"] > 0


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


def test_a_change_of_the_vault_is_seen(brain_of: Callable[..., Brain]) -> None:
    """What is kept between calls belongs to one generation."""
    brain = brain_of({"a.md": "fid\n", "b.md": "marlinspike\n"})
    assert "link" not in str([hit.parts for hit in brain.related("a.md")])
    (brain.config.vault / "a.md").write_text("fid [[b]]\n", encoding="utf-8")
    brain.index(vectors=False)
    assert by_path(brain.related("a.md"))["b.md"].parts["link"] == 1
