"""How far estimates are from the truth: many sketches of fixed seeds, so that the figure is the same in every run.

The root of the mean square of 50 errors is itself uncertain by a tenth, which is more than lies between the error that
registers have (1.04 over the root of their number) and the goals. Each of the 50 seeds therefore makes 20 sketches.
Up to a million distinct values are really added. For ten millions the registers are drawn from their distribution:
how many values fell into each, then the highest of so many.
"""

import numpy as np
from numpy.typing import NDArray

from bench.plan import Plan
from bench.results import Row, row
from footfall.sketches.coupons import coupons_of_numbers
from footfall.sketches.uniques import GROUP_LG_K, NAMED_LG_K, added, estimate, from_registers, no_uniques

SEEDS = 50
SKETCHES = 20  # of each seed
ADDED = (1_000, 10_000, 100_000, 1_000_000)
DRAWN = 10_000_000
PERCENT_MAX = {NAMED_LG_K: 0.9, GROUP_LG_K: 1.7}


def error_rows(plan: Plan) -> list[Row]:
    """Return the root mean square and the 95th percentile of the error, in percent, by size and number of values."""
    seeds = plan.scaled(SEEDS)
    errors = {(distinct, lg_k): np.empty(0) for lg_k in PERCENT_MAX for distinct in (*ADDED, DRAWN)}
    for distinct in ADDED:
        for seed in range(seeds):
            for lg_k, some in _errors_added(seed, distinct).items():
                errors[distinct, lg_k] = np.append(errors[distinct, lg_k], some)
    for lg_k in PERCENT_MAX:
        errors[DRAWN, lg_k] = np.concatenate([_errors_drawn(seed, lg_k) for seed in range(seeds)])
    rows: list[Row] = []
    for (distinct, lg_k), some in errors.items():
        what = f"error at {distinct:,} distinct, lgK {lg_k}"
        root = 100 * float(np.sqrt(np.mean(some**2)))
        rows.append(row(f"{what}, {seeds} seeds", root, "% RMS", at_most=PERCENT_MAX[lg_k]))
        rows.append(row(f"{what}, 95th percentile", 100 * float(np.percentile(np.abs(some), 95)), "%"))
    return rows


def _errors_added(seed: int, distinct: int) -> dict[int, list[float]]:
    """Return the errors of sketches to which values were added, of both sizes."""
    chance = np.random.default_rng([seed, distinct])
    errors: dict[int, list[float]] = {lg_k: [] for lg_k in PERCENT_MAX}
    for _ in range(SKETCHES):
        coupons = coupons_of_numbers(chance.integers(0, 2**64, distinct, dtype=np.uint64))
        for lg_k, some in errors.items():
            some.append(estimate(added(no_uniques(lg_k), coupons)).count / distinct - 1)
    return errors


def _errors_drawn(seed: int, lg_k: int) -> NDArray[np.float64]:
    """Return the errors of sketches whose registers were drawn."""
    chance = np.random.default_rng([seed, DRAWN, lg_k])
    size = 1 << lg_k
    errors = np.empty(SKETCHES)
    for at in range(SKETCHES):
        met = chance.multinomial(DRAWN, np.full(size, 1 / size))
        highest = np.ceil(-np.log2(-np.expm1(np.log(chance.random(size)) / met)))
        errors[at] = estimate(from_registers(np.clip(highest, 1, 63).astype(np.uint8))).count / DRAWN - 1
    return errors
