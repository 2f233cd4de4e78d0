"""Which note a link means: the link graph over the documents of a snapshot."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from posixpath import normpath
from unicodedata import normalize

from indexer.catalog import Catalog

_ID = re.compile(r"(\d{8,14}[a-z]?)(?![\w-])")  # a Zettelkasten note is called by the number its name begins with
_VAULT_PREFIX = re.compile(r"^\w+://[^/]+/")  # Dendron writes links into other vaults like this


@dataclass(slots=True)
class LinkMap:
    """The resolved links: `out` and `back` by document id.

    `broken` holds (document, target, line), `ambiguous` (document, target, what it can mean, the likeliest first),
    `lines` every (line, target) of a document, by line.
    """

    out: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    back: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    broken: list[tuple[int, str, int]] = field(default_factory=list)
    ambiguous: list[tuple[int, str, tuple[int, ...]]] = field(default_factory=list)
    lines: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    paths: dict[int, str] = field(default_factory=dict)
    roots: dict[int, str] = field(default_factory=dict)
    _places: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _names: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _aliases: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _resolved: dict[tuple[str, str, str, bool], list[int]] = field(default_factory=dict)

    @classmethod
    def load(cls, catalog: Catalog) -> LinkMap:
        """Read all documents and links, and resolve each link."""
        found = cls()
        for number, root, path, title, aliases in catalog.rows(
            "SELECT id, root, path, title, aliases FROM documents"
        ):
            found._take(number, root, path, [title, *json.loads(aliases)])
        links = "SELECT document, target, display, line, wiki FROM links WHERE target <> ''"
        for source, target, display, line, wiki in catalog.rows(links):
            found._add(source, [target, display] if wiki else [target], line, bool(wiki))
        for standing in found.lines.values():
            standing.sort()
        return found

    def between(self, source: int, first: int, last: int) -> set[int]:
        """Return what a document links to in some of its lines."""
        standing = self.lines.get(source, [])
        start, end = bisect_left(standing, (first, -1)), bisect_left(standing, (last + 1, -1))
        return {target for _, target in standing[start:end]}

    def folder(self, number: int) -> str:
        """Return the folder of a document."""
        return str(PurePosixPath(self.paths.get(number, "")).parent)

    def resolve(self, source: int, target: str, *, wiki: bool = True) -> list[int]:
        """Return the documents a target can mean, the likeliest first: a path, else the end of one, else an alias.

        Of several files with one name, one of the same root (the vault, or a code folder) wins, then a Markdown file,
        then one in the same folder, then the shortest path. Links that are no wikilinks may begin at a folder inside
        of the vault, too, as site generators read them.
        """
        asked = (self.roots[source], self.folder(source), _VAULT_PREFIX.sub("", target).partition("#")[0], wiki)
        if asked not in self._resolved:
            self._resolved[asked] = self._resolve(*asked)
        return self._resolved[asked]

    def called(self, root: str, name: str) -> list[int]:
        """Return the documents of a root that a wikilink from its top can mean, the likeliest first."""
        return [n for n in self._resolve(root, ".", name.partition("#")[0], True) if self.roots[n] == root]

    def _resolve(self, root: str, here: str, target: str, wiki: bool) -> list[int]:
        """Return what a target means in a folder of a root."""

        def likely(number: int) -> tuple[bool, bool, bool, int, str]:
            """Return what is sorted by."""
            path = self.paths[number]
            return (
                self.roots[number] != root, PurePosixPath(path).suffix.lower() != ".md", self.folder(number) != here,
                len(path), path,
            )  # fmt: skip

        for path in (normpath(f"{here}/{target}"), normpath(target.lstrip("/")) if target.strip("/") else ""):
            if exact := [n for n in self._places.get(_key(path), ()) if self.roots[n] == root]:
                return sorted(exact, key=likely)
        tail = _key(target).lstrip("./")
        if not tail or not (wiki or "/" in tail or PurePosixPath(tail).suffix):
            return []
        named = [n for n in self._names.get(PurePosixPath(tail).name, []) if self._ends_with(n, tail)]
        found = named or (self._aliases.get(tail, []) if wiki else [])
        return sorted(found, key=likely)

    def _take(self, number: int, root: str, path: str, aliases: list[str]) -> None:
        """Remember a document by its path, its file name, and what else it is called."""
        self.paths[number], self.roots[number] = path, root
        key = _key(path)
        for form in {key, key.removesuffix(PurePosixPath(key).suffix)}:
            self._places[form].append(number)
            self._names[PurePosixPath(form).name].append(number)
        numbered = [match[1] for name in (PurePosixPath(key).name, *aliases) if (match := _ID.match(name))]
        for alias in set(map(_key, [*aliases, *numbered])):
            self._aliases[alias].append(number)

    def _ends_with(self, number: int, tail: str) -> bool:
        """Whether a document's path ends with a target, suffix or not."""
        path = _key(self.paths[number])
        bare = path.removesuffix(PurePosixPath(path).suffix)
        return any(form == tail or form.endswith(f"/{tail}") for form in (path, bare))

    def _add(self, source: int, targets: list[str], line: int, wiki: bool) -> None:
        """Resolve one link into the graph by the first of its targets that means something.

        The second one of a wikilink is its text: Dendron writes `[[text|target]]`.
        """
        meant = next(filter(None, (self.resolve(source, target, wiki=wiki) for target in targets)), [])
        if not meant:
            self.broken.append((source, targets[0], line))
            return
        if len(meant) > 1 and self.folder(meant[0]) != self.folder(source):
            self.ambiguous.append((source, targets[0], tuple(meant)))
        if meant[0] != source:
            self.out[source].add(meant[0])
            self.back[meant[0]].add(source)
            self.lines[source].append((line, meant[0]))


def _key(name: str) -> str:
    """Return a name as links compare it."""
    return normalize("NFC", name).casefold().strip()
