"""Counting where each write costs money: the same counts and the same answers, in fewer and more even writes.

Measured by bench/dynamodb_cost.py; docs/decisions/0026-writes-that-cost-money.md says why each of these.
"""

from dataclasses import replace

from footfall.flow.count.worker import CountRules
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain

SPREAD_MS = 55 * MINUTE_MS  # Nearly until the next hour is there to be built.
FOLD_MS = 6 * HOUR_MS  # A fold writes its window whole; until then readers add the late part.
STANDSTILL_MS = 7 * DAY_MS


def thrifty(how: CountRules, *, freshness_ms: int) -> CountRules:
    """Return the rules as they are where each write costs money, for counts that may be so old."""
    return replace(
        how,
        flush_ms=freshness_ms,
        fold_ms=max(how.fold_ms, FOLD_MS),
        spread_ms=SPREAD_MS,
        # Minutes and hours expire before a merged part has paid for itself; days are kept for years.
        merged_grains=frozenset({Grain.DAY}),
        merges_only_cuts=True,
        standstill_ms=STANDSTILL_MS,
    )
