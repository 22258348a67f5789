"""What watching earned: the money of a period divided over assets and their owners by watched time. Pure.

Two ways, both from the same rows of the watch log. Pro rata: one pool over all that was watched. Member-centric: each
member's fee over what that member watched. In both an asset's money is divided among its owners by their parts.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256

from footfall.audience.dividing import divide
from footfall.values.errors import Refused

NOBODY = ""  # the owner of what nobody is said to own
PERIOD_NAME_BYTES_MAX = 64
AMOUNT_MAX = 10**15  # Ten trillion of a currency with hundredths: more is a mistake, and sums of it stay exact.
OWNERS_MAX = 100  # of one asset
DIGITS_MAX = 4  # No currency of ISO 4217 has more.
PARTS_MAX = 1_000_000  # a millionth of an asset is the least that anybody owns

_CURRENCY = re.compile("[A-Z]{3}")


class Method(StrEnum):
    """How the money of a period is divided."""

    PRO_RATA = "pro-rata"
    MEMBER_CENTRIC = "member-centric"


class Unwatched(StrEnum):
    """What becomes of the fees of members who watched nothing."""

    POOLED = "pooled"  # divided by everybody's minutes
    KEPT = "kept"  # left undivided, and told


@dataclass(frozen=True, slots=True)
class Watched:
    """A row of the watch log as money sees it: who watched what, when, and for how long."""

    session: str
    member: str  # empty: nobody known
    asset: str
    from_ms: int
    to_ms: int
    watched_ms: int
    day_ms: int = 0  # The day and the number of its first beat in the session tell it from all other rows of an asset.
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What is divided, how, and among whom."""

    name: str  # of the period, as people call it: 2026-10
    from_ms: int
    to_ms: int
    currency: str  # ISO 4217, with its minor units below
    digits: int = 2
    method: Method = Method.PRO_RATA
    pool: int = 0  # minor units, when it is divided pro rata
    fees: Mapping[str, int] = field(default_factory=dict[str, int])  # by member, when it is member-centric
    unwatched: Unwatched = Unwatched.POOLED
    owners: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, Mapping[str, int]])  # parts, by asset

    @property
    def amount(self) -> int:
        """Return all that is there to be divided."""
        return self.pool if self.method is Method.PRO_RATA else sum(self.fees.values())


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """What an owner has of an asset."""

    asset: str
    owner: str
    watched_ms: int
    amount: int


@dataclass(frozen=True, slots=True)
class Division:
    """Money divided: lines and what is left add up to all of it."""

    lines: Sequence[Line]
    undivided: int
    watched_ms: int


def divided(terms: Terms, rows: Iterable[Watched]) -> Division:
    """Return the money of a period divided over assets and owners."""
    by_member = by_member_and_asset(rows)
    by_asset = Counter[str]()
    for assets in by_member.values():
        by_asset.update(assets)
    amounts = amounts_by_asset(terms, by_member, by_asset)
    lines = [line for asset in sorted(by_asset) for line in _owners_lines(terms, asset, by_asset[asset], amounts)]
    paid = sum(line.amount for line in lines)
    return Division(lines, terms.amount - paid, by_asset.total())


def by_member_and_asset(rows: Iterable[Watched]) -> dict[str, Counter[str]]:
    """Return the watched time of each member by asset; rows of one session that came twice count once."""
    once = {(row.session, row.asset, row.from_ms): row for row in rows}
    watched: dict[str, Counter[str]] = defaultdict(Counter)
    for row in once.values():
        if row.watched_ms > 0:
            watched[row.member][row.asset] += row.watched_ms
    return watched


def amounts_by_asset(
    terms: Terms, by_member: Mapping[str, Mapping[str, int]], by_asset: Mapping[str, int]
) -> Counter[str]:
    """Return the money of each asset, before its owners divide it."""
    if terms.method is Method.PRO_RATA:
        return Counter(divide(terms.pool, by_asset))
    amounts, idle = Counter[str](), 0
    for member, fee in terms.fees.items():
        parts = divide(fee, by_member.get(member, {}))
        amounts.update(parts)
        idle += fee - sum(parts.values())
    if terms.unwatched is Unwatched.POOLED:
        amounts.update(divide(idle, by_asset))
    return amounts


def require_terms(terms: Terms) -> None:
    """Raise unless money can be divided on these terms."""
    if not 0 < len(terms.name.encode("utf-8", "replace")) <= PERIOD_NAME_BYTES_MAX or not terms.name.isprintable():
        raise Refused(
            "name", f"of a period has 1 to {PERIOD_NAME_BYTES_MAX} bytes that can be printed, such as 2026-10"
        )
    if terms.from_ms >= terms.to_ms:
        raise Refused("to", "is not after from: a period has a length")
    if not _CURRENCY.fullmatch(terms.currency):
        raise Refused("currency", f"{terms.currency[:20]!r} is no code of ISO 4217, such as EUR")
    if terms.digits not in range(DIGITS_MAX + 1):
        raise Refused("digits", f"of a currency's minor unit are 0 to {DIGITS_MAX}")
    _require_amounts(terms)
    for asset, parts in terms.owners.items():
        _require_owners(asset, parts)


def log_digest(rows: Iterable[Watched]) -> str:
    """Return what stands for the rows that money was divided by: the same rows in any order give the same."""
    lines = sorted(
        {f"{one.session}\0{one.member}\0{one.asset}\0{one.from_ms}\0{one.to_ms}\0{one.watched_ms}" for one in rows}
    )
    digest = sha256()
    for line in lines:
        digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


def _owners_lines(terms: Terms, asset: str, watched_ms: int, amounts: Mapping[str, int]) -> list[Line]:
    parts = terms.owners.get(asset) or {NOBODY: 1}
    money = divide(amounts.get(asset, 0), parts)
    time_ms = divide(watched_ms, parts)
    return [Line(asset, owner, time_ms[owner], money[owner]) for owner in sorted(parts)]


def _require_amounts(terms: Terms) -> None:
    is_pool = terms.method is Method.PRO_RATA
    if terms.fees if is_pool else terms.pool:
        said, other = ("fees", "a pool") if is_pool else ("pool", "fees")
        raise Refused(said, f"cannot be divided {terms.method}, which divides {other}")
    said = "pool" if is_pool else "fees"
    for amount in (terms.pool, *terms.fees.values()):
        if amount < 0:
            raise Refused(said, f"{amount} is less than nothing; corrections are entries of their own")
    if terms.amount > AMOUNT_MAX:
        raise Refused(said, f"{terms.amount} minor units are more than {AMOUNT_MAX}: is it in minor units?")


def _require_owners(asset: str, parts: Mapping[str, int]) -> None:
    where = f"owners of {asset[:60]!r}"
    if not parts or len(parts) > OWNERS_MAX:
        raise Refused(where, f"are {len(parts)}; an asset has 1 to {OWNERS_MAX}, or is left out")
    for owner, part in parts.items():
        if not owner:
            raise Refused(where, "have one without a name")
        if not 0 < part <= PARTS_MAX:
            raise Refused(where, f"give {owner[:60]!r} {part} parts; from 1 to {PARTS_MAX} are taken")
