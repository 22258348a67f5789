"""Figures of the Ark report's cost model."""

from collections.abc import Iterator
from decimal import Decimal

from footfall.planning.compared_archive import (
    ARK_ROUNDED,
    ArkPrices,
    ArkUse,
    ark_prices,
    as_reported,
    scenario_usd,
    sending_in_2020,
    table_storage_usd,
    whole_usd,
)
from footfall.planning.prices import Region
from footfall.planning.reproduced import Reproduced, usd

ARK = (
    "The Ark report, section 5: 50 pictures and 1,000 looks a user and month, six months. Its formulas leave out what "
    "costs most: pictures are kept for all months that follow, and are sent whenever somebody looks at one."
)


def archive_figures(region: Region) -> Iterator[Reproduced]:
    """Yield the figures of section 5."""
    use, prices, place = ArkUse(), ArkPrices(), "Ark, section 5"
    each = as_reported(use, prices)
    yield Reproduced(
        "functions, a user and month",
        place,
        "$0.00104",
        usd(each.functions, 6),
        "the same, rounded; requests are left out",
    )
    yield Reproduced(
        "pictures, a user and month",
        place,
        "$0.0022246",
        usd(each.pictures, 7),
        "50 * 0.023 * 2 / 1024 gives the figure beside it: two digits were swapped",
    )
    yield Reproduced(
        "table, a user and month",
        place,
        "$0.0013125",
        usd(each.table, 7),
        "the same; the reads of archiving, which its text tells of, are not in its formula",
    )
    yield Reproduced(
        "table storage, a user and month",
        place,
        "$0.00001216",
        usd(Decimal(use.rows) * prices.table_gb / 1024 / 1024, 8),
        "the same",
    )
    yield from _scenarios(region, use, prices)


def _scenarios(region: Region, use: ArkUse, prices: ArkPrices) -> Iterator[Reproduced]:
    stated = {10: ("$0.2746", 4), 1_000: ("$27.4626", 4), 1_000_000: ("$27,497.45", 2)}
    truncated = Decimal("0.004577") * 6_000_000 + table_storage_usd(use, prices, users=1_000_000) * 6
    reasons = {
        10: "the same, of its rounded parts",
        1_000: "the same, of its rounded parts",
        1_000_000: "its own formula gives 61 cents more; "
        f"with the sum of the parts rounded to $0.004577 it is {usd(truncated, 3)}, which is the figure cut off",
    }
    for users, (theirs, places) in stated.items():
        found = scenario_usd(ARK_ROUNDED, use, prices, users=users)
        place = f"Ark, section 5, {users:,} users"
        yield Reproduced("six months, as it computes", place, theirs, usd(found, places), reasons[users])
        whole = whole_usd(use, prices, sending_in_2020(region), users=users)
        yield Reproduced(
            "six months, with nothing left out",
            place,
            theirs,
            usd(whole.total),
            f"{usd(whole.sent)} to send pictures to whoever looks, {usd(whole.pictures)} to keep all months' pictures, "
            f"{usd(whole.object_requests)} for requests of objects, {usd(whole.computed)} for functions and table; "
            f"{usd(whole_usd(use, ark_prices(region), region.price('transfer.out-gb'), users=users).total)} today",
        )
