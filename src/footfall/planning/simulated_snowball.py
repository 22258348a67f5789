"""The thesis' snowball: what is throttled is sent again on top of what comes, until nothing gets through.

Twice the mean is provisioned, and it is enough for every window but the three that close at midnight. A batch of which
one row was refused is sent again whole, so that most of what the table writes has been written before.
"""

import numpy as np

from footfall.planning.simulated_capacity import Provisioned
from footfall.planning.simulated_clients import BackedOff, Client, Paced, Resent
from footfall.planning.simulated_partitions import Keys, Sort
from footfall.planning.simulated_scenarios import THESIS, Scenario, packed_keys, packed_units, run
from footfall.planning.simulated_table import Load, TableDesign
from footfall.planning.traffic import DAY_MINUTES, Minutes, Rhythm
from footfall.planning.traffic_popularity import Popularity

MINUTES = 6 * 60
MIDNIGHT = 2 * 60
BRANDS = 5
ROWS = 500  # The thesis' section 6.3: no row below the 500th of a window.
UNITS = 18.0  # The mean is 9.
WITHIN_S = 10  # A window's rows come within ten seconds.
BATCH = 25
# How long until a failed batch is sent again: the thesis says "a short wait time". Ten seconds decide everything.
WAIT_S, SHORTER_WAIT_S = 40, 30


def snowball(*, seed: int = 1) -> Scenario:
    """Return the snowball of the thesis, and how it goes away."""
    table = TableDesign(Provisioned(UNITS))
    small = TableDesign(Provisioned(2))
    variants = (
        run(
            "resent", f"Failed batches are sent again after {WAIT_S} s.", table, _rows(Resent(BATCH, WAIT_S)), seed=seed
        ),
        run(
            "resent sooner",
            f"Failed batches are sent again after {SHORTER_WAIT_S} s.",
            table,
            _rows(Resent(BATCH, SHORTER_WAIT_S)),
            seed=seed,
        ),
        run("backed off", "Each row is tried eight times within seconds.", table, _rows(BackedOff()), seed=seed),
        run(
            "paced", "footfall's writers: what is refused makes them slower.", table, _rows(Paced(writers=2)), seed=seed
        ),
        run("packed", "footfall: packed windows, on a ninth of the capacity.", small, _packed(), seed=seed),
    )
    return Scenario(
        name="snowball",
        title="The throttling snowball",
        source=f"{THESIS}, section 8.1.1",
        theirs="Kinesis Analytics and DynamoDB partly fail for up to ten minutes.",
        ours=(
            "Sent again after 40 seconds, midnight's rows are through within seven minutes; after 30 seconds never, as "
            "nearly every unit is spent on rows of batches that fail again. Paced, nothing is written twice."
        ),
        variants=variants,
    )


def rows_around_midnight() -> Minutes:
    """Return the rows of windows that close: of five minutes, of hours, and at midnight of the day."""
    rows = np.zeros(MINUTES)
    for window in (5, 60):
        rows[window::window] += BRANDS * ROWS
    rows[MIDNIGHT] += BRANDS * ROWS
    return rows


def _rows(client: Client) -> Load:
    keys = Keys(BRANDS, 0.5, Sort.SPREAD, moves_every_minutes=5)
    return Load("rows", rows_around_midnight(), keys, client=client, within_s=WITHIN_S, is_noisy=False)


def _packed() -> Load:
    units = packed_units(Rhythm(1_000_000), Popularity(20_000, 0.9, brands=BRANDS), minutes=2 * DAY_MINUTES)
    first = DAY_MINUTES - MIDNIGHT
    return Load("summaries", units[first : first + MINUTES].copy(), packed_keys(BRANDS), client=Paced(writers=2))
