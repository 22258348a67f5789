"""Which brands exist, so that hits for anybody else are refused at the door."""

import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from footfall.accounts.origins import require_origin
from footfall.values.errors import Refused
from footfall.values.period import GRAIN_MS, Period
from footfall.values.window import DAY_MS, Grain, zone_named

BRAND_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
TITLE_BYTES_MAX = 200
ORIGINS_MAX = 100  # Each is compared with every browser's request, and the item that holds them stays small.
PERIODS_MAX = 20  # Each costs a sheet in memory while the brand is looked at.
LIMIT_PER_S_MAX = 1_000_000
MADE_UP_BRANDS_MAX = 1_000  # Each costs a board and a ledger in memory, and with --dev anybody may name one.

Unlabelled = Literal["count", "hold"]
Screening = Literal["observe", "hold", "filter"]
SCREENING_MODES: tuple[Screening, ...] = get_args(Screening)


class UnknownBrand(Refused):
    """Hits or a question came for a brand that nobody has added."""


class KeyNeeded(Refused):
    """The brand is not open to everybody, if it exists at all: a key has to say whose the request is."""


@dataclass(frozen=True, slots=True)
class BrandLimits:
    """A brand's own rate limits in requests; None follows the settings, 0 sets no limit."""

    key_per_s: int | None = None
    key_burst: int | None = None
    address_per_s: int | None = None
    address_burst: int | None = None

    def __post_init__(self) -> None:
        """Refuse limits that are no limits."""
        for name in self.__slots__:
            value: object = getattr(self, name)
            if value is not None and (type(value) is not int or not 0 <= value <= LIMIT_PER_S_MAX):
                raise Refused(f"limits.{name}", f"{value!r} is not a whole number from 0 to {LIMIT_PER_S_MAX:,}")


@dataclass(frozen=True, slots=True)
class Brand:
    """A tenant: its name, the zone its hours and days follow, and the rules that its hits and readers meet."""

    name: str
    zone: str = "UTC"
    unlabelled: Unlabelled = "count"
    title: str = ""
    origins: tuple[str, ...] = ()
    is_public: bool = True
    periods: Mapping[str, Period] = field(default_factory=dict[str, Period], hash=False)
    limits: BrandLimits = BrandLimits()
    requires_signature: bool = False  # of servers, whatever they send
    requires_token: bool = False  # of pages, whatever they send
    screening: Screening = "observe"
    is_archive_public: bool = False  # Captures that all members see are found by Memento and CDX without a key.

    def __post_init__(self) -> None:
        """Refuse a brand that could not be stored or whose days could not be told."""
        require_brand_name(self.name)
        zone_named(self.zone)
        if self.unlabelled not in ("count", "hold"):
            raise Refused("unlabelled", f"{self.unlabelled!r} is neither 'count' nor 'hold'")
        if self.screening not in SCREENING_MODES:
            raise Refused("screening", f"{self.screening!r} is not one of {', '.join(SCREENING_MODES)}")
        if len(self.title.encode("utf-8", "replace")) > TITLE_BYTES_MAX or not self.title.isprintable():
            raise Refused("title", f"is not a text of one line of at most {TITLE_BYTES_MAX} bytes")
        if len(self.origins) > ORIGINS_MAX:
            raise Refused("origins", f"has {len(self.origins)} entries, at most {ORIGINS_MAX} are taken")
        for origin in self.origins:
            require_origin(origin)
        if len(self.periods) > PERIODS_MAX:
            raise Refused("periods", f"has {len(self.periods)} entries, at most {PERIODS_MAX} are taken")

    @property
    def shows_suspected(self) -> bool:
        """Tell whether lists show suspected hits with those of persons: observing changes nothing that is seen."""
        return self.screening == "observe"


class Brands:
    """The brands of one instance; with any_brand, also whatever brand is named first.

    Those that the settings name, or that are made up, are open: whoever names one may send and read. A stored brand has
    keys; it wins over an open one of its name, and so does the memory of one that was removed.
    """

    def __init__(self, known: Mapping[str, Brand], *, any_brand: bool) -> None:
        self._open = dict(known)
        self._stored: dict[str, Brand] = {}
        self._removed: set[str] = set()
        self.changes = 0  # Grows with every change of a stored brand, for whoever remembers what it found.
        self._any_brand = any_brand
        self._room = MADE_UP_BRANDS_MAX
        self._making = threading.Lock()

    def brand(self, name: str) -> Brand:
        """Return the brand of that name, or raise UnknownBrand."""
        found = self._stored.get(name)
        if found is None:
            found = self._open.get(name)
            if found is None or self._removed:
                return self._unless_removed(name)
        return found

    def open_brand(self, name: str, *, is_read: bool = False) -> Brand:
        """Return a brand that needs no key, or raise KeyNeeded or UnknownBrand; reading makes none up."""
        if name in self._stored:
            raise key_needed(name)
        if not is_read:
            return self.brand(name)
        self.require_known(name)
        return self._open.get(name) or Brand(name)

    def require_known(self, name: str) -> None:
        """Raise UnknownBrand unless the brand may be asked about; asking makes none up."""
        if name not in self._stored and (not self._any_brand or name in self._removed):
            self.brand(name)
        require_brand_name(name)

    @property
    def has_stored(self) -> bool:
        """Tell whether any brand has, or had, keys."""
        return bool(self._stored or self._removed)

    def is_open(self, name: str) -> bool:
        """Tell whether the brand needs no key."""
        return name not in self._stored and name not in self._removed

    def is_everybodys(self, name: str) -> bool:
        """Tell whether there is such a brand and it needs no key; where any may be made up, every other name is one."""
        return self.is_open(name) and (self._any_brand or name in self._open)

    def named(self, name: str) -> Brand | None:
        """Return the brand of that name if it exists at this moment; looking makes none up."""
        return self._stored.get(name) or (None if name in self._removed else self._open.get(name))

    def names(self) -> list[str]:
        """Return the names of the brands known at this moment, in order."""
        with self._making:
            return sorted({*self._stored, *self._open} - self._removed)

    def take_stored(self, brands: Iterable[Brand], *, removed: Iterable[str] = ()) -> None:
        """Take brands as they are stored now, and the names of those that were removed."""
        for brand in brands:
            self._stored[brand.name] = brand
            self._removed.discard(brand.name)
        for name in removed:
            self._stored.pop(name, None)
            self._removed.add(name)
        self.changes += 1

    def _unless_removed(self, name: str) -> Brand:
        require_brand_name(name)
        if name not in self._removed:
            found = self._open.get(name)
            if found is not None:
                return found
            if self._any_brand:
                return self._made_up(name)
        if self.has_stored:
            raise key_needed(name)  # The same words as for a brand that exists: nobody learns which do.
        raise UnknownBrand(
            "brand",
            f"{name!r} is not a brand here; add [brands.{_toml_key(name)}] to footfall.toml, "
            f"start with --brand {name}, or use footfall brands add {name}",
        )

    def _made_up(self, name: str) -> Brand:
        with self._making:
            found = self._open.get(name)
            if found is not None:
                return found
            if self._room == 0:
                raise UnknownBrand(
                    "brand",
                    f"{name!r} would be one more than the {MADE_UP_BRANDS_MAX:,} brands that --dev makes up; "
                    f"start with --brand {name}",
                )
            self._room -= 1
            brand = Brand(name)
            self._open[name] = brand
            return brand


def require_brand_name(name: str) -> None:
    """Raise Refused unless the text may be a brand's name."""
    if BRAND_NAME.fullmatch(name) is None:
        raise Refused(
            "brand",
            f"{name[:80]!r} is not a brand name: 1 to 64 of a-z, 0-9, '.', '_' and '-', the first a letter or a digit",
        )


def require_kept(periods: Iterable[Period], *, retention_ms: Mapping[Grain, int]) -> None:
    """Raise Refused unless windows are kept for long enough for every period and for the one before it."""
    for period in periods:
        needed_ms = 2 * period.count * GRAIN_MS[period.grain]  # A list is compared with the one before it.
        if needed_ms > retention_ms[period.grain]:
            kept_days, needed_days = retention_ms[period.grain] / DAY_MS, needed_ms / DAY_MS
            raise Refused(
                f"periods.{period.name}",
                f"needs its windows for {needed_days:g} days (twice its span) and they are kept for {kept_days:g}; "
                "choose a coarser grain, or let the instance keep them longer (store_minutes_days, store_hours_days, "
                "store_days_days)",
            )


def key_needed(name: str) -> KeyNeeded:
    """Return the refusal of a request without a key, for a brand that has keys and for one that is not there."""
    return KeyNeeded(
        "brand",
        f"{name[:64]!r} is not open to everybody here; send a key of it in Authorization: Bearer, "
        "or ask the operator to add it with footfall brands add",
    )


def _toml_key(name: str) -> str:
    # A dot would start another table, so such a name is quoted.
    return f'"{name}"' if "." in name else name
