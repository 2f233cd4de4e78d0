"""A page of HTML as a tree: the text that a reader sees, and what the page says of itself to machines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

FEED_TYPES: Final = ("application/rss+xml", "application/atom+xml", "application/feed+json")
_UNSEEN: Final = "script style noscript template head svg iframe object".split()
_AROUND: Final = "nav footer aside".split()  # what stands around the text on every page of a site
_MOST_DATA = 20  # blocks of JSON-LD that are kept
_LONGEST = 2000  # characters of one value of metadata


@dataclass(frozen=True)
class Page:
    """A parsed page; `url` is where it was found, for the links in it."""

    source: str
    url: str

    @cached_property
    def tree(self) -> Any:
        """The root element, None for a page without one."""
        from lxml import etree

        parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, remove_comments=True)
        source = self.source.replace("\0", "").encode("utf-8", "replace")
        return etree.HTML(source, parser) if source.strip() else None

    @property
    def elements(self) -> int:
        """How many elements the page has."""
        return 0 if self.tree is None else int(self.tree.xpath("count(//*)"))

    @cached_property
    def text(self) -> str:
        """The words that stand on the page without its menus, white space made one; the menus if there is no more."""
        return self._words(*_UNSEEN, *_AROUND) or self._words(*_UNSEEN)

    @cached_property
    def title(self) -> str:
        """What stands in `<title>`."""
        return " ".join(" ".join(self._all("//title//text()")[:1]).split())

    def metadata(self) -> dict[str, Any]:
        """What the page says of itself: `title`, `description`, `canonical`, `og`, `jsonLd`, `feeds`."""
        found = {
            "title": self.title,
            "description": next(iter(self._all('//meta[@name="description"]/@content')), ""),
            "canonical": self._linked(next(iter(self._all('//link[@rel="canonical"]/@href')), "")),
            "og": dict(self._open_graph()),
            "jsonLd": list(self._linked_data()),
            "feeds": self.feeds(),
        }
        return {name: _short(value) for name, value in found.items() if value}

    def feeds(self) -> list[str]:
        """The addresses of the feeds that the page names."""
        rows = self._all('//link[contains(concat(" ", @rel, " "), " alternate ")]')
        named = (row.get("href") for row in rows if (row.get("type") or "").strip().lower() in FEED_TYPES)
        return list(dict.fromkeys(found for href in named if href and (found := self._linked(href))))

    def links(self, path: str) -> list[tuple[str, str]]:
        """Address and text of the links whose path is of this form (a regular expression), each address once."""
        found: dict[str, str] = {}
        for row in self._all("//a[@href]"):
            url, title = self._linked(row.get("href")), " ".join("".join(row.itertext()).split())
            if url and title and re.fullmatch(path, urlsplit(url).path):
                found.setdefault(url.partition("?")[0], title)
        return list(found.items())

    def data(self, name: str) -> Any:
        """The JSON in the script element with this id, None where there is none."""
        for text in self._all(f'//script[@id="{name}"]/text()'):
            return _json(text)
        return None

    def _words(self, *without: str) -> str:
        """The text that stands in none of these elements."""
        outside = " or ".join(f"ancestor::{name}" for name in without)
        return " ".join(" ".join(self._all(f"//text()[not({outside})]")).split())

    def _open_graph(self) -> Iterator[tuple[str, str]]:
        """The Open Graph properties, without `og:`; the first of a name counts."""
        seen = set()
        for row in self._all('//meta[starts-with(@property, "og:")]'):
            name, value = row.get("property")[3:], (row.get("content") or "").strip()
            if value and name not in seen:
                seen.add(name)
                yield name, value

    def _linked_data(self) -> Iterator[Any]:
        """The blocks of JSON-LD; one that is not JSON is left out."""
        for text in self._all('//script[@type="application/ld+json"]/text()')[:_MOST_DATA]:
            value = _json(text)
            yield from value if isinstance(value, list) else [value] if isinstance(value, Mapping) else []

    def _linked(self, href: str) -> str:
        """An address in the page as a whole one, nothing for what is no web address."""
        try:
            found = urljoin(self.url, href.strip()) if href else ""
        except ValueError:
            return ""
        return found if found.startswith(("http://", "https://")) else ""

    def _all(self, path: str) -> list[Any]:
        """What an XPath finds."""
        return [] if self.tree is None else list(self.tree.xpath(path))


def _json(text: str) -> Any:
    """The value of a piece of JSON, None for what is none."""
    try:
        return json.loads(re.sub(r"^\s*(<!--|//<!\[CDATA\[)|(-->|//\]\]>)\s*$", "", text))
    except (ValueError, RecursionError):
        return None


def _short(value: Any) -> Any:
    """A text without the rest of an excessive one; other values as they are."""
    return value[:_LONGEST] if isinstance(value, str) else value
