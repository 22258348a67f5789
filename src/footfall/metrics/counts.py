"""What metrics ask of footfall's own counts; whoever joins the two parts answers it from the store."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from footfall.metrics.definition import Counted

Where = tuple[tuple[str, tuple[str, ...]], ...]  # which values a dimension may have, for some dimensions


@dataclass(frozen=True, slots=True)
class CountQuestion:
    """How many of what, in each of some spans, by which dimensions and under which conditions."""

    counts: Counted
    spans: tuple[tuple[int, int], ...]  # in milliseconds, each of whole days, or hours, of the brand's zone
    is_hourly: bool = False
    by: tuple[str, ...] = ()
    where: Where = ()


@dataclass(frozen=True, slots=True)
class CountTold:
    """A number for each span and group; not a number where a span has no window that is known."""

    groups: Sequence[tuple[str, ...]]
    values: NDArray[np.float64]  # spans by groups
    known: NDArray[np.int64]  # how many windows of each span are known
    is_exact: bool
    windows: Sequence[int] = ()  # where those begin, in milliseconds
    met: Mapping[str, Collection[str]] = field(default_factory=dict[str, Collection[str]])
    # Which values the dimensions have that conditions name, whether they fit or not.


@dataclass(frozen=True, slots=True)
class CountMark:
    """What a brand's counts were made of: equal as long as every answer is the same."""

    state: tuple[int, ...]
    counted_until_ms: int  # All that arrived before is in.


class FootfallCounts(Protocol):
    """Footfall's own counts, as metrics see them."""

    def mark(self, brand: str) -> CountMark:
        """Return what the counts of a brand are made of now."""
        ...

    def read(self, brand: str, question: CountQuestion) -> CountTold:
        """Return the counts that are asked for."""
        ...
