"""How counting is done, as one value: what the settings say and every worker of an instance goes by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from footfall.flow.count.held import STANDSTILL_MS
from footfall.flow.count.placing import LARGER_GRAINS
from footfall.flow.count.tally import Rules
from footfall.flow.store.merging import Limits
from footfall.values.period import RETENTION_MS, Period
from footfall.values.window import Grain


@dataclass(frozen=True, slots=True)
class CountRules:
    """How counting is done; the same in every worker of an instance."""

    rules: Rules = field(default_factory=Rules)
    limits: Limits = field(default_factory=Limits)
    flush_ms: int = 500
    passed_ms: int = 30_000
    fold_ms: int = 600_000
    # How long after a flush more hits of its windows may follow, which are built when those are there.
    busy_ms: int = 0
    aside_ms: int = 14 * 86_400_000
    periods: Sequence[Period] = ()
    retention_ms: Mapping[Grain, int] = field(default_factory=lambda: RETENTION_MS)
    spread_ms: int = 0  # over how long after their end the longer windows of all brands are built; 0: at once
    merged_grains: frozenset[Grain] = frozenset(LARGER_GRAINS)  # Final windows of these become one part that is cut.
    merges_only_cuts: bool = False  # and only where rows are left out, or a shard has no part that says so
    standstill_ms: int = STANDSTILL_MS
    uniques: bool = True  # whether visitors are counted
