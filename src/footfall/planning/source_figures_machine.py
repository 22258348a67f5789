"""One rented machine against AWS, as a table: the question that all sources leave open."""

from collections.abc import Iterator

from footfall.planning.compared_machine import BATCH, fixed_usd, on_both
from footfall.planning.prices import Region
from footfall.planning.reproduced import Reproduced, usd

MACHINE_COLUMNS = ("hits a day", "sent", "on AWS", "on one machine", "where it turns")
MACHINE = (
    "All sources take AWS for granted; the thesis finds that functions are always cheaper than what is always there. "
    "footfall runs on one machine as well: five brands with 100,000 assets each, evenings five times the mornings, a "
    "year of such traffic stored. A machine's price is an assumption that everybody changes; what it carries is "
    "measured for two cores and assumed for eight. It has no second one beside it, and somebody looks after it."
)


def machine_figures(region: Region) -> Iterator[Reproduced]:
    """Yield both costs, for hits that come one by one and in batches."""
    for batch, sent in ((1, "one by one"), (BATCH, f"in batches of {BATCH}")):
        found = on_both(region, batch=batch)
        for one in found:
            if one.machine_usd is None:
                turns = "no single machine carries it: AWS, or several machines"
                cost = "none carries it"
            else:
                turns = f"AWS, once the machine costs {usd(one.aws_usd - one.machine_usd)} more in work and standby"
                cost = f"{usd(one.machine_usd)}, {one.machine}"
            yield Reproduced(f"{one.per_day:,}", sent, usd(one.aws_usd), cost, turns)
        fixed = usd(fixed_usd(found))
        yield Reproduced(
            "none", sent, fixed, "as above", "what a stack costs by itself: shards, alarms and a dashboard"
        )
