"""The sentences that tell what a search did beside its results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from onebrain_search.web.fanout import Gathered
from onebrain_search.web.http import UNREACHABLE
from onebrain_search.web.results import SourceError

if TYPE_CHECKING:
    from onebrain_search.web.search import Outcome

NO_DOCS = "Could not find official docs via Context7. Showing web results."
EMPTY_DOCS = "Official docs not found in Context7. Showing web results."
DOCS_FAILED = "Context7 could not be asked. Showing web results."
NO_GLAB = "GitLab CLI is not installed. Using GitHub search as default."
BY_GITHUB = "Using GitHub search instead."
SIMPLER = "No results for the whole question; asked again for: {query}"
CANDIDATES = "No source has any results; fetched the pages that the question names."
NO_CODE = "No code results found. Search web for examples?"
FILTERED = "Filtered: {count} results below trust threshold (0.85). Use --wide to see all."
STRICT_ZERO = (
    "No results meet the strict trust threshold (verified+).",
    "Rerun with --wide to see all results with trust labels.",
)
MISROUTED = "Try --docs or --web to specify the search type."
OFFLINE = "the web cannot be reached: check the network"
TIMED_OUT = "Some sources timed out ({names}); showing partial results"


def of(outcome: Outcome, strict: bool) -> list[str]:
    """Return what is to be said of an outcome: of results that are not shown, and of each source that gave none.

    Without a network that is one sentence, which the failure holds.
    """
    found: list[str] = []
    if outcome.failure and outcome.failure.what == OFFLINE:
        return found
    if strict and outcome.filtered:
        found += STRICT_ZERO if not outcome.results else (FILTERED.format(count=outcome.filtered),)
    if outcome.more:
        found.append(f"{outcome.more} more results are not shown: raise web.max_results to see them.")
    nothing = not outcome.results and not outcome.filtered and outcome.failure is None
    if nothing and outcome.route.modes == ("code",):
        found.append(NO_CODE)
    elif nothing and outcome.route.how == "auto":
        found.append(MISROUTED)
    gathered = outcome.gathered
    if gathered.timed_out:
        found.append(TIMED_OUT.format(names=_listed(gathered.timed_out)))
    if gathered.errored:
        found += [f"{name} failed: {error.code}: {error.what}" for name, error in gathered.errored.items()]
    if gathered.degraded:
        rest = (f"{name} for {left:.0f} s" for name, left in gathered.degraded.items())
        found.append(f"Some sources are left alone since they blocked or hung ({_listed(rest)})")
    if outcome.skipped:
        found.append(f"Not asked: {'; '.join(f'{name} ({why})' for name, why in outcome.skipped.items())}")
    return found


def unconfigured(skipped: Mapping[str, str]) -> SourceError:
    """Return the failure of a search that had nobody to ask."""
    reasons = "; ".join(f"{name}: {why}" for name, why in skipped.items())
    return SourceError("search_unconfigured", f"no source can be asked ({reasons or 'none is switched on'})")


def failure(gathered: Gathered) -> SourceError | None:
    """Return the failure of a search whose every source failed: one sentence where there is no network at all."""
    errors = gathered.errored.values()
    if errors and not gathered.found and not gathered.timed_out and all(e.what == UNREACHABLE for e in errors):
        return SourceError("search_error", OFFLINE)
    return gathered.failure()


def _listed(names: Iterable[str]) -> str:
    """Return names with commas between."""
    return ", ".join(names)
