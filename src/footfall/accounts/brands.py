"""Which brands exist, so that hits for anybody else are refused at the door."""

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from footfall.values.errors import Refused
from footfall.values.window import zone_named

BRAND_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")

MADE_UP_BRANDS_MAX = 1_000  # Each costs a board and a ledger in memory, and with --dev anybody may name one.

Unlabelled = Literal["count", "hold"]


class UnknownBrand(Refused):
    """Hits or a question came for a brand that nobody has added."""


@dataclass(frozen=True, slots=True)
class Brand:
    """A tenant: its name, the zone its hours and days follow, and what happens to hits without labels."""

    name: str
    zone: str = "UTC"
    unlabelled: Unlabelled = "count"

    def __post_init__(self) -> None:
        """Refuse a brand that could not be stored or whose days could not be told."""
        require_brand_name(self.name)
        zone_named(self.zone)
        if self.unlabelled not in ("count", "hold"):
            raise Refused("unlabelled", f"{self.unlabelled!r} is neither 'count' nor 'hold'")


class Brands:
    """The brands of one instance; with any_brand, also whatever brand is named first."""

    def __init__(self, known: Mapping[str, Brand], *, any_brand: bool) -> None:
        self._known = dict(known)
        self._any_brand = any_brand
        self._room = MADE_UP_BRANDS_MAX
        self._making = threading.Lock()

    def brand(self, name: str) -> Brand:
        """Return the brand of that name, or raise UnknownBrand."""
        found = self._known.get(name)
        if found is not None:
            return found
        require_brand_name(name)
        if not self._any_brand:
            raise UnknownBrand(
                "brand",
                f"{name!r} is not a brand here; add [brands.{_toml_key(name)}] to footfall.toml, "
                f"or start with --brand {name}",
            )
        return self._made_up(name)

    def require_known(self, name: str) -> None:
        """Raise UnknownBrand unless the brand may be asked about; asking makes none up."""
        if not self._any_brand:
            self.brand(name)
        require_brand_name(name)

    def names(self) -> list[str]:
        """Return the names of the brands known at this moment, in order."""
        with self._making:
            return sorted(self._known)

    def _made_up(self, name: str) -> Brand:
        with self._making:
            found = self._known.get(name)
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
            self._known[name] = brand
            return brand


def require_brand_name(name: str) -> None:
    """Raise Refused unless the text may be a brand's name."""
    if BRAND_NAME.fullmatch(name) is None:
        raise Refused(
            "brand",
            f"{name[:80]!r} is not a brand name: 1 to 64 of a-z, 0-9, '.', '_' and '-', the first a letter or a digit",
        )


def _toml_key(name: str) -> str:
    # A dot would start another table, so such a name is quoted.
    return f'"{name}"' if "." in name else name
