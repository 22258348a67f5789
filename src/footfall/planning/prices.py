"""What vendors charge: a dated file with a source for every price, so that a bill can say where it comes from.

Money is Decimal and exact. A price may have tiers, which hold for what is used within a month.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Final

import msgspec
import yaml

from footfall.planning.price_names import PRICE_NAMES
from footfall.values.errors import Refused

VERSION: Final = 1
CURRENCY: Final = "USD"
STALE_DAYS: Final = 180  # Vendors change prices about once a year; after half of one it is worth a look.
TIERS_MAX: Final = 10
AHEAD: Final = timedelta(days=1)  # Where the sun rises earlier than in Greenwich, it is tomorrow already.


@dataclass(frozen=True, slots=True)
class Tier:
    """A price that holds up to a quantity a month; None where nothing is above it."""

    usd: Decimal
    up_to: Decimal | None


@dataclass(frozen=True, slots=True)
class Price:
    """What `per` of a unit cost in one region: the price of the first tier, then all tiers, and where it was found."""

    name: str
    usd: Decimal
    per: int
    unit: str
    source: str
    address: str
    is_confirmed: bool
    note: str
    tiers: tuple[Tier, ...]
    free: Decimal
    dated: date  # when it was looked up

    @property
    def each(self) -> Decimal:
        """Return what one costs in the first tier."""
        return self.usd / self.per

    def cost(self, quantity: Decimal | int, *, with_free: bool = False) -> Decimal:
        """Return what a month's quantity costs, tier by tier; what is free every month is taken off first if asked."""
        if quantity < 0:
            raise Refused(self.name, f"{quantity} {self.unit} cannot be billed: a quantity is not negative")
        left = Decimal(quantity) - (self.free if with_free else 0)
        total, below = Decimal(0), Decimal(0)
        for tier in self.tiers:
            if left <= 0:
                break
            within = left if tier.up_to is None else min(left, tier.up_to - below)
            total += within * tier.usd
            left -= within
            below = tier.up_to or below
        return total / self.per


@dataclass(frozen=True, slots=True)
class Region:
    """All prices of one region."""

    name: str
    title: str
    prices: Mapping[str, Price]

    def price(self, name: str) -> Price:
        """Return one price, or refuse a name that is none."""
        found = self.prices.get(name)
        if found is None:
            raise Refused("price", f"{name!r} has no price in {self.name}")
        return found

    def cost(self, name: str, quantity: Decimal | int, *, with_free: bool = False) -> Decimal:
        """Return what a month's quantity of one thing costs here."""
        return self.price(name).cost(quantity, with_free=with_free)


@dataclass(frozen=True, slots=True)
class PriceBook:
    """Prices, and the day on which the oldest of them was looked up."""

    dated: date
    regions: Mapping[str, Region]

    def region(self, name: str) -> Region:
        """Return the prices of a region, or refuse one that the book does not have."""
        found = self.regions.get(name)
        if found is None:
            raise Refused("region", f"{name!r} is not in the prices of {self.dated}; there are {_listed(self.regions)}")
        return found

    def dated_as(self, region: str) -> "PriceBook":
        """Return the book with the day of one region's oldest price: a bill there is as old as that."""
        return replace(self, dated=_oldest([self.region(region)]))

    def staleness(self, today: date) -> str | None:
        """Return a sentence if the prices are too old to be trusted on this day, or None."""
        days = (today - self.dated).days
        if days <= STALE_DAYS:
            return None
        return (
            f"These prices were looked up on {self.dated}, {days} days ago: vendors may have changed them since, "
            "so bring a newer file."
        )


class _Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    address: str


class _Tier(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    usd: dict[str, Decimal]
    up_to: Decimal | None = None


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    unit: str
    source: str
    per: Annotated[int, msgspec.Meta(ge=1)] = 1
    usd: dict[str, Decimal] = {}
    tiers: Annotated[list[_Tier], msgspec.Meta(max_length=TIERS_MAX)] = []
    free: Decimal = Decimal(0)
    confirmed: list[str] = []
    note: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    dated: date
    currency: str
    prices: list[_Entry]
    regions: dict[str, str] = {}
    sources: dict[str, _Source] = {}


def price_book(text: bytes, *, named: str) -> PriceBook:
    """Return the prices of a whole file, or refuse it; `named` is what the file is called in what is said of it."""
    file = _file_from(text, named=named)
    book = PriceBook(file.dated, _regions_from(file, file.regions, file.sources, named=named))
    for region in book.regions.values():
        missing = [name for name in PRICE_NAMES if name not in region.prices]
        if missing:
            raise Refused(named, f"{region.name} has no price for {_listed(missing)}")
    return book


def overridden(book: PriceBook, text: bytes, *, named: str, today: date) -> PriceBook:
    """Return the book with the prices of somebody's own file, which may hold a few of them, in place of its own."""
    file = _file_from(text, named=named)
    if file.dated > today + AHEAD:
        raise Refused(named, f"is dated {file.dated}, and it is {today}: nobody has looked up those prices yet")
    known = {name: region.title for name, region in book.regions.items()}
    own = _regions_from(file, known | file.regions, file.sources, named=named)
    merged = dict(book.regions)
    for name, region in own.items():
        before = merged.get(name)
        merged[name] = replace(region, prices={**(before.prices if before else {}), **region.prices})
        missing = [one for one in PRICE_NAMES if one not in merged[name].prices]
        if missing:
            raise Refused(named, f"{name} is a new region and has no price for {_listed(missing)}")
    return PriceBook(_oldest(merged.values()), merged)


def _oldest(regions: Iterable[Region]) -> date:
    return min(price.dated for region in regions for price in region.prices.values())


def _file_from(text: bytes, *, named: str) -> _File:
    try:
        file = msgspec.yaml.decode(text, type=_File)
    except msgspec.ValidationError as error:
        raise Refused(named, f"is not a file of prices: {error}") from error
    except (msgspec.DecodeError, yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise Refused(named, f"is not YAML: {' '.join(str(error).split())}") from error
    if file.version != VERSION:
        raise Refused(named, f"has version {file.version}, and this footfall reads version {VERSION}")
    if file.currency != CURRENCY:
        raise Refused(named, f"has prices in {file.currency!r}, and only {CURRENCY} can be added up")
    return file


def _regions_from(
    file: _File, titles: Mapping[str, str], sources: Mapping[str, _Source], *, named: str
) -> dict[str, Region]:
    found: dict[str, dict[str, Price]] = {name: {} for name in file.regions}
    for entry in file.prices:
        _require_known(entry, titles, sources, named=named)
        for region in _regions_of(entry):
            prices = found.setdefault(region, {})
            if entry.name in prices:
                raise Refused(named, f"{entry.name} stands twice for {region}")
            prices[entry.name] = _price_from(entry, region, sources, named=named, dated=file.dated)
    return {name: Region(name, titles[name], prices) for name, prices in found.items()}


def _regions_of(entry: _Entry) -> list[str]:
    return list(entry.usd) if entry.usd else list(entry.tiers[0].usd)


def _require_known(entry: _Entry, titles: Mapping[str, str], sources: Mapping[str, _Source], *, named: str) -> None:
    if entry.name not in PRICE_NAMES:
        raise Refused(named, f"{entry.name!r} is not the name of a price; there are {_listed(PRICE_NAMES)}")
    if bool(entry.usd) == bool(entry.tiers):
        raise Refused(named, f"{entry.name} must have either `usd` or `tiers`")
    if entry.source not in sources:
        raise Refused(named, f"{entry.name} has the source {entry.source!r}, which `sources` does not tell of")
    for region in (*_regions_of(entry), *entry.confirmed):
        if region not in titles:
            raise Refused(named, f"{entry.name} names the region {region!r}, which `regions` does not tell of")


def _price_from(entry: _Entry, region: str, sources: Mapping[str, _Source], *, named: str, dated: date) -> Price:
    tiers = tuple(_tiers_from(entry, region, named=named))
    if not all(number.is_finite() for number in (entry.free, *(tier.usd for tier in tiers))):
        raise Refused(named, f"{entry.name} has a price for {region} that is no number")
    if entry.free < 0 or any(tier.usd < 0 for tier in tiers):
        raise Refused(named, f"{entry.name} has a negative number for {region}; nothing costs less than nothing")
    source = sources[entry.source]
    return Price(
        name=entry.name,
        usd=tiers[0].usd,
        per=entry.per,
        unit=entry.unit,
        source=source.title,
        address=source.address,
        is_confirmed=region in entry.confirmed,
        note=entry.note,
        tiers=tiers,
        free=entry.free,
        dated=dated,
    )


def _tiers_from(entry: _Entry, region: str, *, named: str) -> Iterable[Tier]:
    if entry.usd:
        yield Tier(entry.usd[region], None)
        return
    below = Decimal(0)
    for number, tier in enumerate(entry.tiers, 1):
        if region not in tier.usd:
            raise Refused(named, f"tier {number} of {entry.name} has no price for {region}")
        # What is no number can be compared with none, so it is refused before it is.
        if tier.up_to is not None and not tier.up_to.is_finite():
            raise Refused(named, f"tier {number} of {entry.name} has an `up_to` that is no number")
        is_last = number == len(entry.tiers)
        if (tier.up_to is None) != is_last or (tier.up_to is not None and tier.up_to <= below):
            raise Refused(named, f"the tiers of {entry.name} must rise, and only the last has no `up_to`")
        below = tier.up_to or below
        yield Tier(tier.usd[region], tier.up_to)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
