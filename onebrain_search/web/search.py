"""The web line from top to bottom: question -> route -> sources -> results -> merged, scored, trusted -> Outcome."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from onebrain_search.web import candidates, intent, merge, notices, purpose, ranks, scoring, trust
from onebrain_search.web.fanout import Gathered, Source, gather
from onebrain_search.web.health import Events, Health, unheard
from onebrain_search.web.http import Http
from onebrain_search.web.intent import Route
from onebrain_search.web.options import Options, checked
from onebrain_search.web.providers import context7
from onebrain_search.web.purpose import NONE, Purpose
from onebrain_search.web.results import Found, Result, SourceError, Trust, Wanted
from onebrain_search.web.sources import Desk
from onebrain_search.web.trust import Memory, Row

LONGEST = 1000  # characters of a question; more is a document, which nobody is sent
LEAST = 0.3  # seconds that must be left for another round

Local = Callable[[str], Sequence[Result]]  # what the vault and the code folders hold


@dataclass(slots=True)
class Web:
    """What a search needs beside its question: the sources' desk, their health, a memory of domains, and a clock."""

    desk: Desk
    health: Health
    memory: Memory
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    tell: Events = unheard
    local: Local | None = None
    pages: Http | None = None  # what pages are fetched with; None asks public addresses only

    def rows(self) -> list[Row]:
        """Return the rows of the trust table, the user's own first."""
        settings = self.desk.settings
        own = [(row.domain, Trust(row.level, row.score, (row.tag,) if row.tag else ())) for row in settings.trust]
        return [*own, *trust.rows_of(settings.trust_profile)]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a search. `filtered` results were below the trust that was asked for, `more` are not shown."""

    question: str
    route: Route
    purpose: Purpose | None
    mode: str
    queries: tuple[str, ...]
    results: tuple[Result, ...] = ()
    answer: str = ""
    answered_by: str = ""
    freshness: str = ""
    filtered: int = 0
    more: int = 0
    notices: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    gathered: Gathered = field(default_factory=Gathered)
    skipped: Mapping[str, str] = field(default_factory=dict)
    failure: SourceError | None = None
    seconds: float = 0.0


@dataclass(slots=True)
class _Round:
    """What the rounds of one search share and collect: nothing else changes while it runs."""

    web: Web
    options: Options
    route: Route
    wanted: list[Wanted]
    until: float = 0.0
    gathered: Gathered = field(default_factory=Gathered)
    asked: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    def ask(self, sources: Sequence[Source], wanted: Sequence[Wanted] | None = None) -> Gathered:
        """Ask sources within the time that is left, and keep what came of it."""
        sources, seconds = self.web.desk.seconds(sources)
        now = time.monotonic()
        self.until = self.until or now + seconds
        if not sources or self.until - now < LEAST:
            return Gathered()
        self.asked += [source.name for source in sources if source.name not in self.asked]
        self.web.tell("asking", ", ".join(source.name for source in sources), f"{self.until - now:.1f} s at most")
        found = gather(sources, wanted or self.wanted, self.web.health, self.until - now, self.web.tell)
        self.gathered = self.gathered.joined(found)
        return found


def search(question: str, web: Web, options: Options = Options()) -> Outcome:  # noqa: B008 (frozen)
    """Return what the web says to a question. Raises SourceError `invalid_arguments`, and nothing else of the web's.

    Where every source failed, `failure` of the outcome says why.
    """
    began = time.monotonic()
    question = " ".join(question.encode("utf-8", "replace").decode().split())[:LONGEST]
    checked(question, options)
    asks = None if options.purpose == NONE else purpose.purpose_of(question, options.purpose)
    route = intent.route(
        question, flag=options.flag, explicit=options.explicit, modifiers=options.modifiers,
        nouns=not options.vault_asked,
    )  # fmt: skip
    mode = options.mode or (asks.mode if asks else "fast")
    fresh = options.freshness or (asks.widest if asks else "")
    queries = _queries(question, asks, options, web.now().year)
    wanted = [Wanted(q, options.num, fresh, mode, asks.name if asks else "", web.now()) for q in queries]
    rounds = _Round(web, options, route, wanted)
    web.health.share()
    _run(rounds)
    found = Outcome(question, rounds.route, asks, mode, tuple(queries), freshness=fresh)
    found = _finished(found, rounds)
    web.health.share()
    return replace(found, seconds=time.monotonic() - began)


def _queries(question: str, asks: Purpose | None, options: Options, year: int) -> list[str]:
    """Return what is asked: the caller's bundle, else the question, with further wordings for `--mode deep`."""
    if options.queries:
        return list(dict.fromkeys(" ".join(query.split()) for query in options.queries if query.strip())) or [
            question
        ]
    return purpose.wordings(question, asks, year) if asks and options.mode == "deep" else [question]


def _run(rounds: _Round) -> None:
    """Ask the sources of the route, and others where those have nothing."""
    modes, desk = rounds.route.modes, rounds.web.desk
    if modes == ("local",):
        return
    if "code" in modes:
        _code(rounds)
        return
    sources, skipped = desk.every(("context7",)) if "docs" in modes else ([], {})
    if "web" in modes:
        for name in desk.unknown():
            rounds.web.tell("unknown_provider", name, "no source has this name")
        others, reasons = desk.web(rounds.wanted[0].mode)
        sources, skipped = [*sources, *others], {**skipped, **reasons}
    rounds.skipped |= skipped
    found = rounds.ask(sources)
    if "docs" in modes:
        _without_docs(rounds, found)
    if "web" in rounds.route.modes:
        _more_of_the_web(rounds)


def _code(rounds: _Round) -> None:
    """Ask for code: GitHub, or GitLab where that is asked for and can be asked, else GitHub with a notice."""
    desk, question = rounds.web.desk, rounds.wanted[0].question
    first = "gitlab" if rounds.options.gitlab or "gitlab.com" in question.lower() else "github"
    sources, skipped = desk.every((first,))
    rounds.skipped |= skipped
    found = rounds.ask(sources, rounds.wanted[:1])
    error = found.errored.get(first)
    if first == "gitlab" and (skipped or (error is not None and error.code == "search_unconfigured")):
        rounds.notices.append(notices.NO_GLAB if skipped else f"{error.what if error else ''} {notices.BY_GITHUB}")
        sources, skipped = desk.every(("github",))
        rounds.skipped |= skipped
        rounds.ask(sources, rounds.wanted[:1])


def _without_docs(rounds: _Round, found: Gathered) -> None:
    """Let the web answer where the documentation is not found, is empty, or cannot be asked."""
    error = found.errored.get("context7")
    said = {context7.UNRESOLVED: notices.NO_DOCS, context7.EMPTY: notices.EMPTY_DOCS}.get(error.code if error else "")
    if "context7" in found.found:
        return
    if said:
        errored = {name: each for name, each in rounds.gathered.errored.items() if name != "context7"}
        rounds.gathered = replace(rounds.gathered, errored=errored)  # it has answered: there is nothing
    rounds.notices.append(said or notices.DOCS_FAILED)
    if "web" not in rounds.route.modes:
        rounds.route = rounds.route.fallen_back()
        sources, skipped = rounds.web.desk.web(rounds.wanted[0].mode)
        rounds.skipped |= skipped
        rounds.until += rounds.web.desk.seconds(sources)[1]  # the first round was not for these
        rounds.ask(sources)


def _more_of_the_web(rounds: _Round) -> None:
    """Ask other sources where all have failed, and once more in fewer words where all had nothing."""
    sources = _web_names(rounds)
    if not any(name in rounds.gathered.found for name in sources):
        rounds.ask(rounds.web.desk.spare(rounds.asked))
    elif not any(each.results for name in sources for each in rounds.gathered.found.get(name, ())):
        fewer = simpler(rounds.wanted[0].question)
        if fewer and fewer != rounds.wanted[0].question:
            rounds.notices.append(notices.SIMPLER.format(query=fewer))
            again = [s for s in rounds.web.desk.every(sources)[0] if s.name in rounds.gathered.found]
            rounds.ask(again, [replace(rounds.wanted[0], question=fewer, freshness="")])
        if not any(each.results for answers in rounds.gathered.found.values() for each in answers):
            _candidates(rounds)


def _candidates(rounds: _Round) -> None:
    """Fetch the pages that the question names, within the time that is left."""
    addresses = candidates.named(rounds.wanted[0].question, rounds.web.rows())
    left = rounds.until - time.monotonic()
    if addresses and left > LEAST:
        rounds.notices.append(notices.CANDIDATES)
        rounds.ask(candidates.sources(addresses, rounds.web.pages, left))


def _web_names(rounds: _Round) -> list[str]:
    """Return the names of the web sources that were asked."""
    return [name for name in rounds.asked if name not in ("context7", "github", "gitlab")]


def simpler(question: str) -> str:
    """Return a question in fewer words: without those that every question has, at most its six longest ones."""
    from onebrain_search.query import stop_words

    words = [word.strip("\"'?!.,;:()[]") for word in question.split()]
    kept = [word for word in words if word and word.lower() not in stop_words()]
    longest = sorted(kept, key=len, reverse=True)[:6]
    return " ".join(word for word in kept if word in longest)


def _finished(outcome: Outcome, rounds: _Round) -> Outcome:
    """Return the outcome with its results merged, scored, trusted and ordered, and with what is to be said of it."""
    web, options, gathered = rounds.web, rounds.options, rounds.gathered
    if rounds.route.modes == ("local",):
        results = list(web.local(outcome.question)) if web.local else []
        hint = (notices.MISROUTED,) if rounds.route.how == "auto" else ()
        return replace(outcome, results=tuple(results[: web.desk.settings.max_results]), notices=hint)
    answers: list[tuple[str, Found]] = [
        (name, each) for name in rounds.asked for each in gathered.found.get(name, ())
    ]
    results = merge.merged(each.results for _, each in answers)
    results = scoring.scored(results, outcome.queries[0], outcome.purpose, web.now(), options.boost)
    results = merge.ordered(_trusted(results, rounds))
    code = "code" in rounds.route.modes
    kept, filtered = trust.kept(results, options.strict and not code)
    shown = kept[: web.desk.settings.max_results]
    answered_by, answer = next(((name, each.answer) for name, each in answers if each.answer), ("", ""))
    failure = notices.failure(gathered) if rounds.asked else notices.unconfigured(rounds.skipped)
    found = replace(
        outcome, results=tuple(shown), answer=answer, answered_by=answered_by, filtered=filtered,
        more=len(kept) - len(shown), asked=tuple(rounds.asked), gathered=gathered, skipped=rounds.skipped,
        failure=failure,
    )  # fmt: skip
    remarks = [note for _, each in answers for note in each.notes]
    said = notices.of(found, options.strict)
    if said or failure is None:  # without a network the failure says it all
        said = [*rounds.notices, *said, *remarks]
    return replace(found, notices=tuple(dict.fromkeys(said)))


def _trusted(results: Sequence[Result], rounds: _Round) -> list[Result]:
    """Return the results with what their domains are worth."""
    web = rounds.web
    settings = web.desk.settings
    newer = settings.trust_profile == "newer"
    libraries = [each.domain for each in results if each.library]
    found = trust.judged(results, web.rows(), parents=not newer, own=libraries)
    if not settings.ranks or rounds.route.modes == ("code",):
        return found
    left = min(ranks.SECONDS, rounds.until - time.monotonic())
    if left < LEAST:
        return found
    return trust.validated(
        found, lambda domains: ranks.places(web.desk.http, settings.ranks, domains, left), web.memory, bands=newer
    )
