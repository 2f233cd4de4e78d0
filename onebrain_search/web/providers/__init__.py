"""The sources of the web, one file and one row each: a new one is a module with `ask(Wanted, Access) -> Found`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from onebrain_search.web.results import Access, Found, Wanted

Asks = Callable[[Wanted, Access], Found]


@dataclass(frozen=True, slots=True)
class Provider:
    """A row: its route, where it is asked, which variables may hold its key, and how fast it may be asked.

    Without `keys` it needs none; with `open` it can do without. `program` can be asked in the place of the address.
    `gap` is the least seconds between two calls; `again` allows one more try when the source names a pause.
    """

    name: str
    route: str
    url: str = ""
    keys: tuple[str, ...] = ()
    open: bool = False
    program: str = ""
    gap: float = 0.0
    again: bool = True
    html: bool = False  # reads pages made for people

    def load(self) -> Asks:
        """Return its function; the module is read when it is used."""
        asks: Asks = import_module(f"{__name__}.{self.name}").ask
        return asks


PROVIDERS = {
    row.name: row
    for row in (
        Provider("context7", "docs", "https://context7.com/api", ("CONTEXT7_API_KEY",), open=True),
        Provider("exa", "web", "https://api.exa.ai", ("EXA_API_KEY", "EXA_API_KEYS")),
        Provider("tavily", "web", "https://api.tavily.com", ("TAVILY_API_KEY",)),
        Provider("brave", "web", "https://api.search.brave.com", ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"), gap=1.1),
        Provider("searxng", "web"),
        Provider("duckduckgo", "web", "https://html.duckduckgo.com", gap=1.0, again=False, html=True),
        Provider("github", "code", "https://api.github.com", ("GITHUB_TOKEN", "GH_TOKEN"), program="gh", again=False),
        Provider("gitlab", "code", "https://gitlab.com", ("GITLAB_TOKEN",), program="glab", again=False),
    )
}
