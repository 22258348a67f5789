"""The thesis' nightly write burst: every window is written when it closes, and at midnight the day's is the largest.

The thesis keeps its traffic secret, so hits and assets are ours; what is reproduced is the shape of its figure 7.1.
"""

import numpy as np

from footfall.planning.simulated_capacity import Provisioned, Scaling
from footfall.planning.simulated_clients import BackedOff, Client, Paced
from footfall.planning.simulated_partitions import Keys, Sort
from footfall.planning.simulated_scenarios import THESIS, Scenario, packed_keys, packed_units, run
from footfall.planning.simulated_table import Load, TableDesign
from footfall.planning.traffic import DAY_MINUTES, Minutes, Rhythm
from footfall.planning.traffic_popularity import Popularity

DAYS = 3
MINUTES = DAYS * DAY_MINUTES
WINDOWS_MINUTES = (5, 60, DAY_MINUTES)
HITS_PER_DAY = 200_000.0
POPULARITY = Popularity(20_000, 0.9, brands=5)
# A consumer that writes one row after another, at some 8 ms each, and three of them at once.
SLOW_PER_S, FAST_PER_S = 120.0, 360.0
UNITS = 50.0  # The thesis' own estimate of what is needed.
UNITS_MAX = 4_000.0


def nightly_burst(*, seed: int = 1) -> Scenario:
    """Return the nightly burst of the thesis, and how it goes away."""
    scaled = TableDesign(Provisioned(UNITS, Scaling(UNITS, UNITS_MAX)))
    unsaved = TableDesign(Provisioned(UNITS, Scaling(UNITS, UNITS_MAX), burst_s=0))
    fixed = TableDesign(Provisioned(UNITS))
    small = TableDesign(Provisioned(5, Scaling(1, UNITS_MAX)))
    rows = rows_of_windows()
    variants = (
        run("rows", "A row for each asset, written at 120 a second.", scaled, _rows(rows, SLOW_PER_S), seed=seed),
        run("rows, nothing saved", "The same without burst capacity.", unsaved, _rows(rows, SLOW_PER_S), seed=seed),
        run("rows, not scaled", "The same without auto scaling.", fixed, _rows(rows, SLOW_PER_S), seed=seed),
        run("rows, faster", "The same at 360 a second.", scaled, _rows(rows, FAST_PER_S), seed=seed),
        run(
            "rows, paced",
            "The same at 360 a second by writers that give way.",
            scaled,
            _rows(rows, FAST_PER_S, Paced(writers=3)),
            seed=seed,
        ),
        run("packed", "footfall: minutes are packed, hours are built in pieces.", small, _packed(), seed=seed),
    )
    return Scenario(
        name="nightly-burst",
        title="The nightly write burst",
        source=f"{THESIS}, section 7.1 and figure 7.1",
        theirs="The consumed WCU peaks heavily during the night; DynamoDB is able to auto-scale quickly enough.",
        ours=(
            "The peak is there, and nothing is throttled. Scaling alone does not do it: it acts after two minutes "
            "above its target, and until then five minutes of saved capacity carry the burst, if the writer is slow. "
            "Take one of the three away, and the same table throttles."
        ),
        variants=variants,
    )


def rows_of_windows() -> Minutes:
    """Return the rows that are to be written at each minute, because windows close: an asset that was seen has one."""
    hits = np.concatenate([[0.0], np.cumsum(Rhythm(HITS_PER_DAY).hits(MINUTES))])
    rows = np.zeros(MINUTES)
    for window in WINDOWS_MINUTES:
        for end in range(window, MINUTES, window):
            seen = float(hits[end] - hits[end - window])
            rows[end] += sum(POPULARITY.seen(seen * share) for share in POPULARITY.brand_shares().tolist())
    return rows


def written_at(rows: Minutes, per_s: float) -> Minutes:
    """Return what a consumer offers in each minute when it writes no faster than this."""
    offered = np.zeros(len(rows))
    waiting = 0.0
    for minute, new in enumerate(rows.tolist()):
        waiting += new
        offered[minute] = min(waiting, 60 * per_s)
        waiting -= offered[minute]
    return offered


def _rows(rows: Minutes, per_s: float, client: Client | None = None) -> Load:
    keys = Keys(POPULARITY.brands, POPULARITY.brand_exponent, Sort.SPREAD, moves_every_minutes=5)
    return Load("rows", written_at(rows, per_s), keys, client=client or BackedOff(), bytes_each=200.0)


def _packed() -> Load:
    units = packed_units(Rhythm(HITS_PER_DAY), POPULARITY, minutes=MINUTES)
    return Load("summaries", units, packed_keys(POPULARITY.brands), client=Paced(writers=2))
