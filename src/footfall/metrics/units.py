"""What a number is a number of, so that hits per visitor are never added to minutes.

A unit is a product of named bases with whole exponents: `hits`, `hits/visitors`, `EUR/minutes^2`. Nothing is converted:
minutes and seconds are two bases, and a formula that means to convert says so (`60[seconds/minutes]`).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from footfall.values.errors import Refused

UNIT_CHARACTERS_MAX = 120
EXPONENT_MAX = 9  # of a base, beyond which nobody means it
BASES_MAX = 8
LIMITS = f"more than {BASES_MAX} bases, an exponent above {EXPONENT_MAX}, or more than {UNIT_CHARACTERS_MAX} characters"

_FACTOR = re.compile(r"\s*([^\W\d_]\w{0,39}|1)\s*(?:\^\s*(-?\d{1,2}))?\s*")
_BETWEEN = ("", "*", "·", "/")
_PLAIN = ("", "1", "ratio", "number")
# People write one of it in a denominator, as in hits/visitor.
_PLURALS: Mapping[str, str] = {
    one: f"{one}s"
    for one in ("hit", "visitor", "minute", "second", "hour", "day", "view", "follow", "byte", "read", "user", "order")
}


@dataclass(frozen=True, slots=True)
class Unit:
    """A product of bases, each with the exponent it has; none at all is a plain number."""

    factors: tuple[tuple[str, int], ...] = ()

    def times(self, other: "Unit") -> "Unit":
        """Return the unit of a product."""
        return _product((*self.factors, *other.factors))

    def per(self, other: "Unit") -> "Unit":
        """Return the unit of a quotient."""
        return _product((*self.factors, *((base, -exponent) for base, exponent in other.factors)))

    @property
    def is_readable(self) -> bool:
        """Tell whether it can be written so that it is read again."""
        exponents = (abs(exponent) for _, exponent in self.factors)
        is_small = len(self.factors) <= BASES_MAX and max(exponents, default=0) <= EXPONENT_MAX
        return is_small and len(str(self)) <= UNIT_CHARACTERS_MAX

    @property
    def is_plain(self) -> bool:
        """Tell whether it is a plain number, such as a share."""
        return not self.factors

    def __str__(self) -> str:
        """Return it as people write it."""
        above = [_power(base, exponent) for base, exponent in self.factors if exponent > 0]
        below = [_power(base, -exponent) for base, exponent in self.factors if exponent < 0]
        if not above and not below:
            return "ratio"
        return "/".join(["*".join(above) or "1", *below])


PLAIN = Unit()


class ImpossibleUnit(Refused, ValueError):
    """A unit is written in a way that none is; `at` is the character, counted from 1."""

    def __init__(self, field: str, what: str, *, at: int = 1) -> None:
        super().__init__(field, f"{what} (character {at})")
        self.what = what
        self.at = at

    @property
    def more(self) -> Mapping[str, object]:
        """Return where in the unit it is."""
        return {"at": self.at}


def unit_from(text: str, *, field: str = "unit") -> Unit:
    """Return the unit that a text names, or raise ImpossibleUnit."""
    if text.strip() in _PLAIN:
        return PLAIN
    if len(text) > UNIT_CHARACTERS_MAX:
        raise ImpossibleUnit(field, f"has {len(text)} characters, a unit has at most {UNIT_CHARACTERS_MAX}")
    return _read(text, field)


@lru_cache(maxsize=10_000)  # A catalogue has thousands of metrics and some dozens of units.
def _read(text: str, field: str) -> Unit:
    factors, at, sign = list[tuple[str, int]](), 0, 1
    while at <= len(text):
        found = _FACTOR.match(text, at)
        if found is None or text[found.end() : found.end() + 1] not in _BETWEEN:
            at = at if found is None else found.end()
            raise ImpossibleUnit(field, f"{text!r} is not a unit; write it as hits/visitors", at=at + 1)
        if found[1] != "1":
            factors.append((_PLURALS.get(found[1], found[1]), sign * int(found[2] or 1)))
        sign, at = (-1 if text[found.end() : found.end() + 1] == "/" else 1), found.end() + 1
    unit = _product(factors)
    if not unit.is_readable:
        raise ImpossibleUnit(field, f"{text!r} has {LIMITS}")
    return unit


def _product(factors: Iterable[tuple[str, int]]) -> Unit:
    ordered = sorted(factors)
    summed = ((base, sum(one for _, one in same)) for base, same in groupby(ordered, key=lambda factor: factor[0]))
    return Unit(tuple((base, exponent) for base, exponent in summed if exponent))


def _power(base: str, exponent: int) -> str:
    return base if exponent == 1 else f"{base}^{exponent}"
