"""What a source says beside what we find: one figure, figures that belong together, and how numbers are written."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal


@dataclass(frozen=True, slots=True)
class Reproduced:
    """One figure: where it stands, what the source says, what we find, and why."""

    what: str
    place: str
    theirs: str
    ours: str
    reason: str


@dataclass(frozen=True, slots=True)
class Section:
    """Figures that belong together."""

    title: str
    says: str
    figures: tuple[Reproduced, ...]
    columns: tuple[str, str, str, str, str] = ("figure", "where", "theirs", "ours", "why")


def usd(amount: Decimal, places: int = 2) -> str:
    """Return an amount as text."""
    return f"${rounded(amount, places):,}"


def rounded(number: Decimal, places: int) -> Decimal:
    """Return a number with so many places."""
    return number.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)


def percent(share: Decimal) -> str:
    """Return a share as text."""
    return f"{rounded(share * 100, 1)} %"
