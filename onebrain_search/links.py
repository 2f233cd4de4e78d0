"""Which note a link means: the link graph over the documents of a snapshot."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from posixpath import normpath
from unicodedata import normalize

from indexer.catalog import Catalog


@dataclass(slots=True)
class LinkMap:
    """The resolved links: `out` and `back` by document id; `broken` holds (document, target, line)."""

    out: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    back: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    broken: list[tuple[int, str, int]] = field(default_factory=list)
    ambiguous: list[tuple[int, str, tuple[int, ...]]] = field(default_factory=list)
    _paths: dict[int, str] = field(default_factory=dict)
    _names: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _aliases: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def load(cls, catalog: Catalog) -> LinkMap:
        """Read all documents and links, and resolve each link."""
        import json

        found = cls()
        for number, path, title, aliases in catalog.sql.execute("SELECT id, path, title, aliases FROM documents"):
            found._paths[number] = path
            pure = PurePosixPath(path)
            for name in {_key(pure.name), _key(pure.stem)}:
                found._names[name].append(number)
            for alias in {_key(title), *map(_key, json.loads(aliases))}:
                found._aliases[alias].append(number)
        rows = catalog.sql.execute("SELECT document, target, line, wiki FROM links WHERE target <> ''")
        for source, target, line, wiki in rows:
            found._add(source, target, line, bool(wiki))
        return found

    def folder(self, number: int) -> str:
        """Return the folder of a document."""
        return str(PurePosixPath(self._paths.get(number, "")).parent)

    def resolve(self, source: int, target: str, *, wiki: bool = True) -> list[int]:
        """Return the documents a target can mean, the likeliest first: a path, else a file name, else an alias.

        Of several files with one name, the one in the same folder wins, then the shortest path.
        """
        here = self.folder(source)
        for path in (_key(normpath(f"{here}/{target}")), _key(normpath(target.lstrip("/")))):
            exact = [n for n in self._names.get(_key(PurePosixPath(path).name), []) if _same(self._paths[n], path)]
            if exact:
                return exact
        if not wiki:
            return []
        tail = _key(target)
        named = [n for n in self._names.get(_key(PurePosixPath(target).name), []) if self._ends_with(n, tail)]
        found = named or self._aliases.get(tail, [])
        return sorted(found, key=lambda n: (self.folder(n) != here, len(self._paths[n]), self._paths[n]))

    def _ends_with(self, number: int, tail: str) -> bool:
        """Whether a document's path ends with a target, suffix or not."""
        path = _key(self._paths[number])
        bare = path.rpartition(".")[0]
        return any(form == tail or form.endswith(f"/{tail}") for form in (path, bare))

    def _add(self, source: int, target: str, line: int, wiki: bool) -> None:
        """Resolve one link into the graph."""
        meant = self.resolve(source, target, wiki=wiki)
        if not meant:
            self.broken.append((source, target, line))
            return
        if len(meant) > 1 and self.folder(meant[0]) != self.folder(source):
            self.ambiguous.append((source, target, tuple(meant)))
        if meant[0] != source:
            self.out[source].add(meant[0])
            self.back[meant[0]].add(source)


def _key(name: str) -> str:
    """Return a name as links compare it."""
    return normalize("NFC", name).casefold().strip()


def _same(path: str, wanted: str) -> bool:
    """Whether a document's path is the wanted one, with or without its suffix."""
    key = _key(path)
    return key == wanted or key.rpartition(".")[0] == wanted
