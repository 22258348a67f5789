"""What watching earned: the money of a period divided over assets and their owners by watched time. Pure.

Two ways, both from the same rows of the watch log. Pro rata: one pool over all that was watched. Member-centric: each
member's fee over what that member watched. In both an asset's money is divided among its owners by their parts.

Rows are added up while they are read, so that a period takes as much memory as it has assets, and members who pay, not
as it has rows.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
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
_NOT_IN_NAMES = "/#"


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
    day_ms: int  # A stretch over midnight has a row for each of its days.
    number: int  # of the beat with which the stretch began: a session may come back to an asset


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


class Fold:
    """Watched time as dividing needs it, and what stands for the rows that it came from, taken row by row."""

    def __init__(self, members: Collection[str] = ()) -> None:
        self._members = members  # those who are told apart
        self._digest = sha256()
        self.by_asset = Counter[str]()
        self.by_member: dict[str, Counter[str]] = defaultdict(Counter)
        self.rows = 0

    def take(self, row: Watched) -> None:
        """Add a row; the log has each once, under its key."""
        self.rows += 1
        self._digest.update(_line_of(row))
        if row.watched_ms > 0:
            self.by_asset[row.asset] += row.watched_ms
            if row.member in self._members:
                self.by_member[row.member][row.asset] += row.watched_ms

    @property
    def watched_ms(self) -> int:
        """Return all that was watched."""
        return self.by_asset.total()

    @property
    def log(self) -> str:
        """Return what stands for the rows, in the order in which they were taken: that of the log."""
        return self._digest.hexdigest()


def folded(terms: Terms, rows: Iterable[Watched]) -> Fold:
    """Return what rows come to, as far as money is divided by it on these terms."""
    fold = Fold(terms.fees if terms.method is Method.MEMBER_CENTRIC else ())
    for row in rows:
        fold.take(row)
    return fold


def divided(terms: Terms, fold: Fold) -> Division:
    """Return the money of a period divided over assets and owners."""
    by_asset = fold.by_asset
    amounts = amounts_by_asset(terms, fold)
    lines = [line for asset in sorted(by_asset) for line in _owners_lines(terms, asset, by_asset[asset], amounts)]
    paid = sum(line.amount for line in lines)
    return Division(lines, terms.amount - paid, fold.watched_ms)


def amounts_by_asset(terms: Terms, fold: Fold) -> Counter[str]:
    """Return the money of each asset, before its owners divide it."""
    if terms.method is Method.PRO_RATA:
        return Counter(divide(terms.pool, fold.by_asset))
    amounts, idle = Counter[str](), 0
    for member, fee in terms.fees.items():
        parts = divide(fee, fold.by_member.get(member, {}))
        amounts.update(parts)
        idle += fee - sum(parts.values())
    if terms.unwatched is Unwatched.POOLED:
        amounts.update(divide(idle, fold.by_asset))
    return amounts


def require_terms(terms: Terms) -> None:
    """Raise unless money can be divided on these terms."""
    _require_name(terms.name)
    if terms.from_ms >= terms.to_ms:
        raise Refused("to", "is not after from: a period has a length")
    if not _CURRENCY.fullmatch(terms.currency):
        raise Refused("currency", f"{terms.currency[:20]!r} is no code of ISO 4217, such as EUR")
    if terms.digits not in range(DIGITS_MAX + 1):
        raise Refused("digits", f"of a currency's minor unit are 0 to {DIGITS_MAX}")
    _require_amounts(terms)
    for asset, parts in terms.owners.items():
        _require_owners(asset, parts)


def _require_name(name: str) -> None:
    if not 0 < len(name.encode("utf-8", "replace")) <= PERIOD_NAME_BYTES_MAX or not name.isprintable():
        raise Refused(
            "name", f"of a period has 1 to {PERIOD_NAME_BYTES_MAX} bytes that can be printed, such as 2026-10"
        )
    # A period is asked for by its name in an address, and lies under it in a key.
    if name in (".", "..") or any(one in name for one in _NOT_IN_NAMES):
        raise Refused("name", f"{name!r} cannot stand in an address; leave / and # out, and say more than dots")


def _line_of(row: Watched) -> bytes:
    # With their lengths before them, no two rows have the same text.
    texts = "".join(f"{len(text)}:{text}" for text in (row.session, row.member, row.asset))
    line = f"{texts} {row.day_ms} {row.number} {row.from_ms} {row.to_ms} {row.watched_ms}\n"
    return line.encode("utf-8", "surrogatepass")


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
    if "" in terms.fees:
        raise Refused(said, "have one of nobody: a member has a name")
    for amount in (terms.pool, *terms.fees.values()):
        if amount < 0:
            raise Refused(said, f"{amount} is less than nothing; corrections are entries of their own")
    if terms.amount > AMOUNT_MAX:
        raise Refused(said, f"{terms.amount} minor units are more than {AMOUNT_MAX}: is it in minor units?")


def _require_owners(asset: str, parts: Mapping[str, int]) -> None:
    if not asset:
        raise Refused("owners", "are those of an asset, which has a name")
    where = f"owners of {asset[:60]!r}"
    if not parts or len(parts) > OWNERS_MAX:
        raise Refused(where, f"are {len(parts)}; an asset has 1 to {OWNERS_MAX}, or is left out")
    for owner, part in parts.items():
        if not owner:
            raise Refused(where, "have one without a name")
        if not 0 < part <= PARTS_MAX:
            raise Refused(where, f"give {owner[:60]!r} {part} parts; from 1 to {PARTS_MAX} are taken")
