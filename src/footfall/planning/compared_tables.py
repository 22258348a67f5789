"""Tables as the sources compared them: DynamoDB against Aurora, ways to pay for units, rows against packed windows."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from footfall.planning.prices import Region
from footfall.planning.units_dynamodb import item_bytes
from footfall.ports.capacity import query_units, write_units
from footfall.ports.items import Item

MONTH_HOURS: Final = 730  # as vendors' calculators have it
MONTH_SECONDS: Final = MONTH_HOURS * 3_600
YEAR_HOURS: Final = 8_760
HOUR_SECONDS: Final = 3_600
MONTH_DAYS: Final = 30

THESIS_READ_UNITS: Final = 250
THESIS_WRITE_UNITS: Final = 50
THESIS_GB: Final = 3
THESIS_REQUESTS_PER_S: Final = 20
THESIS_IOPS: Final = 50
THESIS_ROWS: Final = 500  # of a window, ties with the last left out


@dataclass(frozen=True, slots=True)
class TablePrice:
    """What a provisioned table costs: an hour of a unit, and a month of a GB."""

    wcu_hour: Decimal
    rcu_hour: Decimal
    storage: Decimal

    def month_usd(self, *, write_units: int, read_units: int, gb: int) -> Decimal:
        """Return what a month costs."""
        hourly = self.wcu_hour * write_units + self.rcu_hour * read_units
        return hourly * MONTH_HOURS + self.storage * gb


@dataclass(frozen=True, slots=True)
class InstancePrice:
    """What a relational database costs: an hour of its machine, a million requests of its disk, and a month of a GB."""

    hour: Decimal
    million_io: Decimal
    storage: Decimal

    def month_usd(self, *, io_per_s: int, gb: int) -> Decimal:
        """Return what a month costs."""
        return self.hour * MONTH_HOURS + self.million_io * io_per_s * MONTH_SECONDS / 1_000_000 + self.storage * gb


# Of 2020. What a provisioned table costs has not changed since; of the database, none of it was read from a list.
DYNAMODB_IRELAND: Final = TablePrice(Decimal("0.000735"), Decimal("0.000147"), Decimal("0.283"))
DYNAMODB_VIRGINIA: Final = TablePrice(Decimal("0.00065"), Decimal("0.00013"), Decimal("0.25"))
AURORA_VIRGINIA: Final = InstancePrice(Decimal("0.082"), Decimal("0.20"), Decimal("0.10"))
AURORA_RESERVED_HOUR: Final = Decimal("0.034")  # Paid at once for three years, by the hour.


def table_price(region: Region) -> TablePrice:
    """Return what a provisioned table costs in a region."""
    names = ("dynamodb.wcu-hour", "dynamodb.rcu-hour", "dynamodb.storage-gb-month")
    return TablePrice(*(region.price(name).each for name in names))


def instance_price(region: Region) -> InstancePrice:
    """Return what the thesis' database costs in a region."""
    hour, storage = region.price("aurora.t3-medium-hour").each, region.price("aurora.storage-gb-month").each
    return InstancePrice(hour, region.price("aurora.io-request").each * 1_000_000, storage)


@dataclass(frozen=True, slots=True)
class BreakEven:
    """From which share of steady use on a unit that is paid by the hour is cheaper than one paid by the request."""

    way: str
    hour_usd: Decimal
    share: Decimal


def unit_hour_usd(region: Region, unit: str, *, years: int = 0) -> Decimal:
    """Return what an hour of one unit (wcu or rcu) costs: provisioned, or reserved with what is paid at once."""
    if years == 0:
        return region.price(f"dynamodb.{unit}-hour").each
    upfront = region.price(f"dynamodb.{unit}-reserved-{years}y-upfront").each
    return upfront / (years * YEAR_HOURS) + region.price(f"dynamodb.{unit}-reserved-{years}y-hour").each


def break_evens(region: Region, unit: str) -> list[BreakEven]:
    """Return where each way to pay by the hour begins to be cheaper than on demand, for wcu or rcu."""
    request = region.price("dynamodb.write-request" if unit == "wcu" else "dynamodb.read-request").each
    ways = {"provisioned": 0, "reserved for one year": 1, "reserved for three years": 3}
    found: list[BreakEven] = []
    for way, years in ways.items():
        hour_usd = unit_hour_usd(region, unit, years=years)
        found.append(BreakEven(way, hour_usd, hour_usd / (request * HOUR_SECONDS)))
    return found


def months_until_reserved_pays(region: Region, unit: str, *, years: int) -> Decimal:
    """Return how many months of its term reserved capacity must be needed to cost less than provisioned."""
    share = unit_hour_usd(region, unit, years=years) / unit_hour_usd(region, unit)
    return share * years * 12


def thesis_row(*, asset: str = "132141398", hits: int = 258) -> Item:
    """Return a row of the thesis' table 6.1."""
    return {
        "hashKey": "abc#F#2020-05-06T11:05",
        "rangeKey": f"{hits:08d}#{asset}",
        "sectionId": 563,
        "resourceType": "article",
        "paidType": "free",
        "expirationTime": 1_588_764_000,
    }


@dataclass(frozen=True, slots=True)
class RowsOfWindow:
    """What a window of the thesis costs when it is written and read whole, a row an asset."""

    row_bytes: int
    write_units: int
    read_units: float  # eventually consistent


def rows_of_window(rows: int = THESIS_ROWS) -> RowsOfWindow:
    """Return what a window of so many rows costs."""
    size = item_bytes(thesis_row())
    return RowsOfWindow(size, rows * write_units(size), query_units([size] * rows, consistent=False))


def month_of_writes_usd(region: Region, units_per_day: int) -> Decimal:
    """Return what a month of so many write units a day costs on demand."""
    return region.cost("dynamodb.write-request", units_per_day * MONTH_DAYS)


def month_of_peaks_usd(region: Region, units_per_day: int, *, peak_to_mean: Decimal) -> Decimal:
    """Return what they cost when capacity for the busiest five minutes is provisioned all month."""
    per_s = Decimal(units_per_day) / 86_400 * peak_to_mean
    return region.cost("dynamodb.wcu-hour", per_s * MONTH_DAYS * 24)


def hash_keys(attributes: int) -> int:
    """Return how many keys a row would need to be found by any of its attributes together: the thesis' formula 6.1."""
    return 2**attributes


@dataclass(frozen=True, slots=True)
class Expiry:
    """A row of the thesis' table 6.1: when its window begins, how long it is and is needed, when the row expires."""

    grain: str
    begins_at_s: int
    window_s: int
    needed_s: int  # after the window has ended
    printed_at_s: int

    def by_the_text_s(self) -> int:
        """Return when it should expire: ten minutes after it has left the last list."""
        return self.begins_at_s + self.window_s + self.needed_s + THESIS_GRACE_S


THESIS_GRACE_S: Final = 600
THESIS_EXPIRIES: Final = (
    Expiry("five minutes", 1_588_763_100, 300, 300, 1_588_764_000),  # 2020-05-06T11:05Z
    Expiry("an hour", 1_588_762_800, HOUR_SECONDS, 24 * HOUR_SECONDS, 1_588_767_000),  # 2020-05-06T11:00Z
    Expiry("a day", 1_588_723_200, 86_400, 7 * 86_400, 1_588_810_200),  # 2020-05-06T00:00Z
)
THESIS_QUESTIONS: Final[Mapping[str, Decimal]] = {
    "period&resourceType&paidType": Decimal("1.3"),
    "period&paidType": Decimal("5.4"),
    "period&resourceType": Decimal("6.0"),
    "period&section": Decimal("6.9"),
    "period": Decimal("15.2"),
    "section&resourceType&sectionId": Decimal("65.1"),
}
