"""The talk's hot key: a tenth of what was provisioned, as its engine was then, as it is now, and with other keys."""

import numpy as np

from footfall.planning.simulated_capacity import Divided, Provisioned
from footfall.planning.simulated_clients import Lost, Paced
from footfall.planning.simulated_partitions import Keys, Sort
from footfall.planning.simulated_scenarios import TALK, Scenario, packed_units, run
from footfall.planning.simulated_table import Load, TableDesign
from footfall.planning.traffic import DAY_MINUTES, Constant
from footfall.planning.traffic_popularity import Popularity

MINUTES = 60
UNITS = 9_900.0  # With 100 for reads: ten partitions by the vendor's formula of then.
READS = 100.0
EPISODES = 20_000
SUFFIXES = 64
TOKENS = 10_000  # "4 character random" ones

DAY = Keys(1, sort=Sort.INCREASING, moves_every_minutes=DAY_MINUTES)
EPISODE = Keys(EPISODES, 1.0, Sort.INCREASING)
SUFFIXED = Keys(SUFFIXES, sort=Sort.INCREASING, moves_every_minutes=DAY_MINUTES)
TOKEN = Keys(TOKENS, moves_every_minutes=1)


def hot_key(*, seed: int = 1) -> Scenario:
    """Return the hot key of the talk, and how it goes away."""
    then = TableDesign(Divided(UNITS), Divided(READS))
    now = TableDesign(Provisioned(UNITS), Provisioned(READS))
    packed = TableDesign(Provisioned(10), Provisioned(READS))
    variants = (
        run("day, then", "The partition key is the day; throughput is divided.", then, _pings(DAY), seed=seed),
        run("day, now", "The same with adaptive capacity.", now, _pings(DAY), seed=seed),
        run("episode, then", "The first attempt: the newest is the most popular.", then, _pings(EPISODE), seed=seed),
        run("episode, now", "The same with adaptive capacity and splitting.", now, _pings(EPISODE), seed=seed),
        run("token, then", "A time and a random token, which nobody can ask for.", then, _pings(TOKEN), seed=seed),
        run("suffix, now", f"The day and a calculated suffix of {SUFFIXES}.", now, _pings(SUFFIXED), seed=seed),
        run("packed, now", "footfall: hits travel in a stream, windows are packed.", packed, _packed(), seed=seed),
    )
    return Scenario(
        name="hot-key",
        title="One tenth of the provisioned throughput",
        source=TALK,
        theirs="The actual write throughput was 1/10th of what we provisioned.",
        ours=(
            "With ten partitions and throughput divided among them, a day that is the partition key has one of them: "
            "exactly a tenth. Adaptive capacity does not help it: a partition has 1,000 units at most, and a sort key "
            "that only grows cannot be divided."
        ),
        variants=variants,
    )


def _pings(keys: Keys) -> Load:
    return Load("pings", np.full(MINUTES, 60 * UNITS), keys, client=Lost(), is_noisy=False)


def _packed() -> Load:
    popularity = Popularity(EPISODES, 1.0)
    units = packed_units(Constant(UNITS * 86_400), popularity, minutes=DAY_MINUTES, batch=100)
    keys = Keys(1, sort=Sort.SPREAD, moves_every_minutes=1)
    return Load("summaries", units[-MINUTES:].copy(), keys, client=Paced(writers=2))
