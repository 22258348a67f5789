"""Figures of the sources about tables: DynamoDB and Aurora, ways to pay, rows and packed windows."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from footfall.planning.compared_tables import (
    AURORA_RESERVED_HOUR,
    AURORA_VIRGINIA,
    DYNAMODB_IRELAND,
    DYNAMODB_VIRGINIA,
    MONTH_HOURS,
    THESIS_GB,
    THESIS_IOPS,
    THESIS_READ_UNITS,
    THESIS_REQUESTS_PER_S,
    THESIS_WRITE_UNITS,
    break_evens,
    instance_price,
    month_of_peaks_usd,
    month_of_writes_usd,
    months_until_reserved_pays,
    rows_of_window,
    table_price,
)
from footfall.planning.prices import Region
from footfall.planning.reproduced import Reproduced, percent, rounded, usd

DATABASES = (
    "The page-hit-counter thesis, section 5.4.2: 250 read units, 50 write units and 3 GB against the smallest Aurora "
    "instance with 50 requests of its disk a second. It does not name its region."
)
WAYS = (
    "The thesis puts reserved capacity off (8.1.1) and the talk provisions by hand. A unit that is paid by the hour "
    "serves 3,600 requests in it; the share of them from which on it is cheaper is the same for all traffic."
)
PACKED = (
    "The thesis writes a row an asset; footfall packs a window into items of whole units. The thesis gives no figures "
    "for it: from the fourth line on, *theirs* is its design over a day of ten million hits of five brands, measured "
    "by `bench/dynamodb_cost.py` beside ours, with a formula that DynamoDB Local confirms."
)


@dataclass(frozen=True, slots=True)
class Measured:
    """What our benchmark found for a day of ten million hits, in DynamoDB's units."""

    rows_units: int
    rows_units_without_ties: int
    packed_units: int
    rows_peak: Decimal
    packed_peak: Decimal


def database_figures() -> Iterator[Reproduced]:
    """Yield the figures of section 5.4.2."""
    place = "thesis, 5.4.2"
    bought = {"write_units": THESIS_WRITE_UNITS, "read_units": THESIS_READ_UNITS, "gb": THESIS_GB}
    ireland, virginia = DYNAMODB_IRELAND.month_usd(**bought), DYNAMODB_VIRGINIA.month_usd(**bought)
    yield Reproduced(
        "DynamoDB, a month",
        place,
        "about $55",
        usd(ireland),
        f"with eu-west-1's prices, which fit; {usd(virginia)} with us-east-1's. 25 GB of storage are free",
    )
    aurora = AURORA_VIRGINIA.month_usd(io_per_s=THESIS_IOPS, gb=THESIS_GB)
    instance, disk = AURORA_VIRGINIA.hour * MONTH_HOURS, AURORA_VIRGINIA.month_usd(io_per_s=THESIS_IOPS, gb=0)
    yield Reproduced(
        "Aurora, db.t3.medium, a month",
        place,
        "about $85",
        usd(aurora),
        f"us-east-1: {usd(instance)} of it for the instance, {usd(disk - instance)} for the disk's "
        "requests, at prices that we could not read from a list; in another region than the $55, then",
    )
    reserved = AURORA_RESERVED_HOUR * MONTH_HOURS
    yield Reproduced(
        "Aurora, reserved for three years, a month",
        place,
        "$25",
        usd(reserved + aurora - instance),
        (
            f"{usd(reserved)} is the instance alone: requests of the disk and storage cannot be reserved and "
            f"stay {usd(aurora - instance)}"
        ),
    )


def way_figures(region: Region) -> Iterator[Reproduced]:
    """Yield where each way to pay for units begins to be cheaper."""
    for unit, title in (("wcu", "write"), ("rcu", "read")):
        for one in break_evens(region, unit):
            yield Reproduced(
                f"{title} unit {one.way}: cheaper than on demand from",
                "thesis, 8.1.1; talk",
                "not computed",
                percent(one.share),
                f"${rounded(one.hour_usd, 8).normalize():f} an hour, with what is paid at once",
            )
    for years in (1, 3):
        months = months_until_reserved_pays(region, "wcu", years=years)
        yield Reproduced(
            f"months of {12 * years} that reserved write units must be needed",
            "thesis, 8.1.1",
            "not computed",
            f"{rounded(months, 1)}",
            "after that provisioned ones would have cost more",
        )
    before = Decimal("0.00065") / (Decimal("1.25") / 1_000_000 * 3_600)
    yield Reproduced(
        "provisioned write unit, until November 2024: from",
        "thesis, 3.3.2",
        "'provisioned is cheaper'",
        percent(before),
        "requests cost twice as much then",
    )


def packed_figures(region: Region, measured: Measured) -> Iterator[Reproduced]:
    """Yield what a row an asset costs beside packed windows."""
    window = rows_of_window()
    place = "thesis, 6.2 and 6.3"
    yield Reproduced(
        "bytes of a row",
        f"{place}, table 6.1",
        "not computed",
        f"{window.row_bytes}",
        f"a write is charged for 1,024, so {percent(1 - Decimal(window.row_bytes) / 1_024)} of each write unit is air",
    )
    yield Reproduced(
        "write units of a window of 500 rows", place, "not computed", f"{window.write_units}", "a unit for each row"
    )
    yield Reproduced(
        "read units of such a window",
        f"{place}, 3.3.4",
        "'one RCU per 4 KB'",
        f"{window.read_units:g}",
        "half of one for 4 KB, since its queries are eventually consistent; reading rows packs them by itself",
    )
    yield from _days_of_rows(region, measured, place)


def today_figures(region: Region) -> Iterator[Reproduced]:
    """Yield what the same table and the same database cost today."""
    bought = {"write_units": THESIS_WRITE_UNITS, "read_units": THESIS_READ_UNITS, "gb": THESIS_GB}
    table, database = table_price(region).month_usd(**bought), instance_price(region)
    yield Reproduced(
        "both today, DynamoDB first",
        "thesis, 5.4.2",
        "about $55 and $85",
        f"{usd(table)} and {usd(database.month_usd(io_per_s=THESIS_IOPS, gb=THESIS_GB))}",
        f"{region.title}; the database's prices could not be confirmed",
    )


def capacity_figures() -> Iterator[Reproduced]:
    """Yield what 250 read and 50 write units are good for, with windows of 500 rows."""
    window, place = rows_of_window(), "thesis, 5.4.2"
    asked = THESIS_REQUESTS_PER_S
    yield Reproduced(
        "read units of 20 requests a second, a window each",
        place,
        f"{THESIS_READ_UNITS}, with caching",
        f"{window.read_units * asked:g}",
        "enough for lists of five minutes without any cache",
    )
    yield Reproduced(
        "read units of 20 requests a second, a day's 24 windows each",
        place,
        f"{THESIS_READ_UNITS}, with caching",
        f"{window.read_units * 24 * asked:,g}",
        "so most lists of a day have to come from the cache, as chapter 7 finds they do",
    )
    yield Reproduced(
        "seconds that a window of 500 rows takes with 50 write units",
        place,
        "not computed",
        f"{window.write_units / THESIS_WRITE_UNITS:g}",
        "of each brand; five days at midnight take 50 s, which 300 s of saved capacity cover: it is the night's burst",
    )


def _days_of_rows(region: Region, measured: Measured, place: str) -> Iterator[Reproduced]:
    rows, packed = measured.rows_units, measured.packed_units
    yield Reproduced(
        "write units of a day, 10 M hits",
        place,
        f"{rows:,}",
        f"{packed:,}",
        f"{percent(Decimal(packed) / rows)}; {measured.rows_units_without_ties:,} if ties with the 500th are left out",
    )
    yield Reproduced(
        "a month of these writes, on demand",
        place,
        usd(month_of_writes_usd(region, rows)),
        usd(month_of_writes_usd(region, packed)),
        "us-east-1 today",
    )
    yield Reproduced(
        "a month of these writes, provisioned for the busiest five minutes",
        f"{place}, figure 7.1",
        usd(month_of_peaks_usd(region, rows, peak_to_mean=measured.rows_peak)),
        usd(month_of_peaks_usd(region, packed, peak_to_mean=measured.packed_peak)),
        (
            f"the busiest five minutes have {rounded(measured.rows_peak, 2)} and "
            f"{rounded(measured.packed_peak, 2)} times the mean"
        ),
    )
