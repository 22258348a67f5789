"""Where a brand's visitors are found, and how their numbers are told: in whole visitors, with bounds."""

from dataclasses import dataclass
from math import ceil, floor

from footfall.flow.serve.past import CLOSED_CACHE_S, FINAL_CACHE_S, OPEN_CACHE_S, Moments
from footfall.flow.serve.resolution import Ground
from footfall.flow.serve.visitor_windows import Visited
from footfall.sketches.estimation import Estimate
from footfall.values.period import Span


@dataclass(frozen=True, slots=True)
class Visits:
    """Where the visitors of a brand are found, and as of when."""

    ground: Ground
    moments: Moments
    visited: Visited

    def is_final(self, span: Span) -> bool:
        """Tell whether no hit can change the span any more, except in a backfill."""
        return span.to_ms + self.moments.lateness_ms <= self.moments.closed_until_ms

    def max_age_s(self, span: Span) -> int:
        """Return for how long caches outside may keep an answer about the span."""
        is_closed = span.to_ms <= self.moments.closed_until_ms
        return FINAL_CACHE_S if self.is_final(span) else CLOSED_CACHE_S if is_closed else OPEN_CACHE_S


@dataclass(frozen=True, slots=True)
class Visitors:
    """How many visitors something has had: about so many, and at 95 % not fewer and not more than the bounds say."""

    uniques: int
    at_least: int
    at_most: int


NO_VISITORS = Visitors(0, 0, 0)


def visitors_from(told: Estimate) -> Visitors:
    """Return an estimate in whole visitors."""
    return Visitors(round(told.count), floor(told.lower), ceil(told.upper))


def bounded(told: Visitors, *, hits: int | None, missed: int = 0) -> Visitors:
    """Return visitors of whom nobody came without a hit; at most so many hits more were missed, which no row tells of.

    Without a number of hits nobody knows it, and only the estimate bounds the visitors.
    """
    if hits is None:
        return Visitors(told.uniques, told.at_least, told.at_most + missed)
    uniques = min(told.uniques, hits + missed)
    return Visitors(uniques, min(told.at_least, uniques), max(min(told.at_most, hits) + missed, uniques))
