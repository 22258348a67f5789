"""What lists need to know of a brand, wherever that is looked up."""

from collections.abc import Mapping
from typing import Protocol

from footfall.accounts.judged import Judged
from footfall.values.period import Period, Span


class BrandFacts(Protocol):
    """Tells of brands as they are at this moment."""

    def zone_of(self, name: str) -> str:
        """Return the zone of a brand's hours and days."""
        ...

    def periods(self, name: str) -> Mapping[str, Period]:
        """Return the periods that the brand's lists may be asked for."""
        ...

    def shows_suspected(self, name: str) -> bool:
        """Tell whether the brand's lists show suspected hits with those of persons."""
        ...

    def judged(self, name: str, span: Span) -> Judged:
        """Return what waits for an operator now, and what was refused on the days of a span."""
        ...
