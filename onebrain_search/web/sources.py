"""Settings and environment -> the sources that a question can be put to, and why the others cannot."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from onebrain_search.web.fanout import Source
from onebrain_search.web.http import Http
from onebrain_search.web.keys import Keys
from onebrain_search.web.providers import PROVIDERS, Provider
from onebrain_search.web.results import Access
from onebrain_search.web_settings import WebSettings

FIRST = {"fast": ("exa",), "deep": ("exa", "tavily"), "answer": ("tavily",)}  # by search mode
ALWAYS = ("brave",)
SPARE = ("exa", "tavily", "searxng", "duckduckgo")  # where none of those can be asked, the first that can
BY_PAGES = "keyless"  # in the setting `providers`: all that read pages made for people
NOBODY = frozenset(("off", "none"))
URL_VARIABLES = {
    "context7": ("CONTEXT7_API_URL",), "exa": ("EXA_API_URL", "EXA_API_BASE"), "searxng": ("SEARXNG_URL",)
}  # fmt: skip
SLACK = 0.5  # seconds of the deadline beyond the slowest source
SECONDS = {"context7": 6.0, "github": 6.0, "gitlab": 6.0}  # of sources that are asked several times for one answer
NOT_INSTALLED = {
    "github": "GitHub CLI (gh) not installed. https://cli.github.com/",
    "gitlab": "GitLab CLI is not installed.",
}


@dataclass(frozen=True, slots=True)
class Desk:
    """What sources are reached with: the one opening to the network, the settings, and the environment."""

    http: Http
    settings: WebSettings
    environ: Mapping[str, str]
    keys: Keys

    def source(self, name: str) -> Source | str:
        """Return a source, or why it cannot be asked."""
        row = PROVIDERS.get(name)
        if row is None:
            return f"no source has this name; there are {', '.join(PROVIDERS)}"
        url = self._url(row)
        if not url:
            return f"no address: set web.urls.{name}"
        variables = self._variables(row)
        keys = self.keys.of(name, variables) if variables else ()
        program = shutil.which(row.program, path=self.environ.get("PATH")) or "" if row.program else ""
        if row.program and not keys and not program:
            return f"{NOT_INSTALLED[name]} No key in {variables[0]} either"
        if variables and not row.program and not keys and not row.open:
            return f"no key: set {variables[0]}"
        seconds = self.settings.timeouts.get(name) or SECONDS.get(name) or self.settings.source_timeout
        return Source(row, Access(self.http, url, keys, program, seconds), row.load())

    def web(self, mode: str) -> tuple[list[Source], dict[str, str]]:
        """Return the web sources for a search mode, and why others are skipped."""
        if self.settings.providers:
            return self._named(self.settings.providers)
        found, skipped = self.every((*FIRST[mode], *ALWAYS))
        if mode == "deep" and self.settings.urls.get("searxng"):
            found += self.every(("searxng",))[0]
        if not found:
            for name in SPARE:
                source = self.source(name)
                if isinstance(source, Source):
                    return [source], skipped
                skipped[name] = source
        return found, skipped

    def unknown(self) -> list[str]:
        """Return the names in the settings that are no source's."""
        return [name for name in self.settings.providers if name not in {*PROVIDERS, *NOBODY, BY_PAGES}]

    def spare(self, asked: Iterable[str]) -> list[Source]:
        """Return the web sources that were not asked: for when none of those did answer."""
        if self.settings.providers:
            return []
        rest = (name for name in (*ALWAYS, *SPARE) if name not in set(asked))
        return self.every(rest)[0]

    def every(self, names: Iterable[str]) -> tuple[list[Source], dict[str, str]]:
        """Return the sources of some names, and why some of them are skipped."""
        made = {name: self.source(name) for name in names}
        found = [each for each in made.values() if isinstance(each, Source)]
        return found, {name: each for name, each in made.items() if isinstance(each, str)}

    def seconds(self, sources: Sequence[Source]) -> tuple[list[Source], float]:
        """Return the sources with their time-outs, and the deadline for all together."""
        timeouts = self.settings.timeouts
        if len(sources) == 1 and sources[0].name not in timeouts:
            alone = self.settings.timeout
            sources = [replace(sources[0], access=replace(sources[0].access, seconds=alone))]
        slowest = max((source.access.seconds for source in sources), default=0.0)
        return list(sources), self.settings.deadline or slowest + SLACK

    def _named(self, names: Sequence[str]) -> tuple[list[Source], dict[str, str]]:
        """Return the sources that the settings name, each once."""
        if NOBODY & set(names):
            return [], {name: "switched off by web.providers" for name in names if name in NOBODY}
        pages = [row.name for row in PROVIDERS.values() if row.html]
        wanted = [each for name in names for each in (pages if name == BY_PAGES else [name])]
        found, skipped = self.every(dict.fromkeys(wanted))
        return [source for source in found if source.row.route == "web"], skipped

    def _url(self, row: Provider) -> str:
        """Return where a source is asked: by the settings, else by the environment, else where it is for all."""
        variables = URL_VARIABLES.get(row.name, ())
        named = (self.environ.get(variable, "") for variable in variables)
        return (self.settings.urls.get(row.name) or next(filter(None, named), "") or row.url).rstrip("/")

    def _variables(self, row: Provider) -> tuple[str, ...]:
        """Return the variables that may hold the key of a source: the one that the settings name, else its own."""
        own = self.settings.key_env.get(row.name)
        return (own,) if own else row.keys
