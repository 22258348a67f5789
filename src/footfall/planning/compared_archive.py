"""The Ark report's cost model (its section 5): its own sums, and what it leaves out."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from footfall.planning.prices import Price, Region

MB_PER_GB: Final = 1_024
KB_PER_GB: Final = 1_024 * 1_024
MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class ArkUse:
    """What one user does in a month."""

    archived: int = 50
    looked_at: int = 1_000
    archive_gb: Decimal = Decimal("0.5")
    archive_s: Decimal = Decimal(2)
    look_gb: Decimal = Decimal("0.125")
    look_s: Decimal = Decimal("0.1")
    picture_mb: int = 2
    reads_each: int = 5
    rows: int = 51  # of 1 KB: one for the account and one for each picture


@dataclass(frozen=True, slots=True)
class ArkPrices:
    """What the report says that things cost, and free storage."""

    gb_second: Decimal = Decimal("0.00001667")
    s3_gb: Decimal = Decimal("0.023")
    write: Decimal = Decimal("1.25") / MILLION
    read: Decimal = Decimal("0.25") / MILLION
    table_gb: Decimal = Decimal("0.25")
    free_table_gb: Decimal = Decimal(25)
    request: Decimal = Decimal("0.20") / MILLION
    s3_put: Decimal = Decimal("0.005") / 1_000
    s3_get: Decimal = Decimal("0.0004") / 1_000


@dataclass(frozen=True, slots=True)
class ArkCosts:
    """What one user costs in a month, part by part."""

    functions: Decimal
    pictures: Decimal
    table: Decimal

    @property
    def total(self) -> Decimal:
        """Return the sum."""
        return self.functions + self.pictures + self.table


ARK_ROUNDED: Final = ArkCosts(
    Decimal("0.00104"), Decimal("0.0022246"), Decimal("0.0013125")
)  # as the report prints them


def ark_prices(region: Region) -> ArkPrices:
    """Return the same prices as they are in a region."""
    return ArkPrices(
        gb_second=region.price("lambda.gb-second").each,
        s3_gb=region.price("s3.storage-gb-month").each,
        write=region.price("dynamodb.write-request").each,
        read=region.price("dynamodb.read-request").each,
        table_gb=region.price("dynamodb.storage-gb-month").each,
        free_table_gb=region.price("dynamodb.storage-gb-month").free,
        request=region.price("lambda.request").each,
        s3_put=region.price("s3.put-request").each,
        s3_get=region.price("s3.get-request").each,
    )


def as_reported(use: ArkUse, prices: ArkPrices) -> ArkCosts:
    """Return what the report's formulas give for one user and month."""
    seconds = use.archived * use.archive_gb * use.archive_s + use.looked_at * use.look_gb * use.look_s
    return ArkCosts(
        functions=seconds * prices.gb_second,
        pictures=use.archived * prices.s3_gb * use.picture_mb / MB_PER_GB,
        table=prices.write * use.archived + prices.read * use.reads_each * use.looked_at,
    )


def table_storage_usd(use: ArkUse, prices: ArkPrices, *, users: int) -> Decimal:
    """Return what a month's table storage costs beyond what is free, as the report has it: the same in each month."""
    stored_gb = Decimal(use.rows) * users / KB_PER_GB
    return max(Decimal(0), stored_gb - prices.free_table_gb) * prices.table_gb


def scenario_usd(each: ArkCosts, use: ArkUse, prices: ArkPrices, *, users: int, months: int = 6) -> Decimal:
    """Return what the report's formula gives for so many users and months."""
    return each.total * users * months + table_storage_usd(use, prices, users=users) * months


@dataclass(frozen=True, slots=True)
class ArkWhole:
    """What some months cost when nothing is left out."""

    computed: Decimal  # functions and the table's requests, with what functions cost by the request
    pictures: Decimal  # every month stores all that came before it
    object_requests: Decimal
    table_storage: Decimal
    sent: Decimal  # pictures that leave the cloud when somebody looks at them

    @property
    def total(self) -> Decimal:
        """Return the sum."""
        return self.computed + self.pictures + self.object_requests + self.table_storage + self.sent


def sending_in_2020(region: Region) -> Price:
    """Return what sending a GB cost when the report was written: as today, but only one GB of a month was free."""
    return replace(region.price("transfer.out-gb"), free=Decimal(1))


def whole_usd(use: ArkUse, prices: ArkPrices, sending: Price, *, users: int, months: int = 6) -> ArkWhole:
    """Return what the same use costs with all that the report leaves out: pictures add up, and they are looked at.

    An archiving operation makes its own five reads and one more, as the report says beside its formula.
    """
    monthly = Decimal(users * months)
    calls = use.archived + use.looked_at
    each = as_reported(use, prices)
    more_reads = prices.read * (use.reads_each + 1) * use.archived
    stored = [replace(use, rows=1 + use.archived * month) for month in range(1, months + 1)]
    sent_gb = Decimal(use.looked_at * use.picture_mb * users) / MB_PER_GB
    return ArkWhole(
        computed=(each.functions + each.table + prices.request * calls + more_reads) * monthly,
        pictures=each.pictures * users * sum(range(1, months + 1)),
        object_requests=(prices.s3_put * use.archived + prices.s3_get * use.looked_at) * monthly,
        table_storage=sum((table_storage_usd(one, prices, users=users) for one in stored), Decimal(0)),
        sent=sending.cost(sent_gb, with_free=True) * months,
    )
