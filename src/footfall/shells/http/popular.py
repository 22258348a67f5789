"""GET /v1/popular, /v1/trending, /v1/top/sections, /v1/top/types, /v1/screening: what may be asked of each list."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from footfall.accounts.brands import Brands
from footfall.app.settings import DAY_MS, Settings
from footfall.flow.serve.parameters import Given
from footfall.flow.serve.query import (
    RISING,
    SCREENING,
    SECTIONS,
    TYPES,
    UNIQUES,
    PopularQuery,
    canonical,
    parameters,
    query_from,
    require_known_visitors,
    rising_parameters,
    screening_parameters,
    section_parameters,
    type_parameters,
)
from footfall.flow.serve.spans import require_span
from footfall.shells.http.access import Access
from footfall.shells.http.answers import Answers
from footfall.shells.http.reading import Question, ReadingRoute
from footfall.values.clock import Clock
from footfall.values.period import Period

POPULAR = "/v1/popular"


@dataclass(frozen=True, slots=True)
class ListAsks:
    """What may be asked of one kind of list."""

    path: str  # before its questions, so that no two lists have one text; none of the most popular's
    parameters: Callable[[str], Given]
    minutes_kept_ms: int
    has_periods: bool = True

    def given(self, target: bytes) -> Given:
        """Return the parameters of an address, or refuse one that there is not."""
        return self.parameters(target.partition(b"?")[2].decode("latin-1"))

    def question(self, given: Given, periods: Mapping[str, Period]) -> Question:
        """Return the question that the parameters ask of a brand with these periods."""
        query = query_from(given, periods=periods if self.has_periods else {})
        if self.path:
            require_known_visitors(query)
        text = canonical(query)

        def require(zone: str, now_ms: int) -> None:
            self._require(query, zone, now_ms)

        # Visitors are read when they are asked for, and so is what rises, which is told from them.
        is_of_the_past = query.from_ms is not None or query.sort == UNIQUES or self.path == RISING
        return Question(f"{self.path}?{text}" if self.path else text, is_of_the_past, require)

    def _require(self, query: PopularQuery, zone: str, now_ms: int) -> None:
        if query.from_ms is not None and query.to_ms is not None:
            require_span(
                from_ms=query.from_ms,
                to_ms=query.to_ms,
                zone=zone,
                now_ms=now_ms,
                minutes_kept_ms=self.minutes_kept_ms,
            )


def list_asks(settings: Settings) -> dict[str, ListAsks]:
    """Return what may be asked of each list, by where it is asked for."""
    kept_ms = settings.store_minutes_days * DAY_MS
    return {
        POPULAR: ListAsks("", parameters, kept_ms),
        RISING: ListAsks(RISING, rising_parameters, kept_ms, has_periods=False),
        SECTIONS: ListAsks(SECTIONS, section_parameters, kept_ms),
        TYPES: ListAsks(TYPES, type_parameters, kept_ms),
        SCREENING: ListAsks(SCREENING, screening_parameters, kept_ms),
    }


class PopularRoute(ReadingRoute):
    """The route of the most popular assets, which is asked most."""

    def __init__(self, answers: Answers, brands: Brands, settings: Settings, *, access: Access, clock: Clock) -> None:
        super().__init__(list_asks(settings)[POPULAR], answers, brands, settings, access=access, clock=clock)
