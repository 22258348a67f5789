"""Tracing a cent: from one minor unit of a statement back to who watched what, and when. Pure.

An asset's money lies over its watched time as a ruler: the first cent over the first stretch of it, the last over the
last, rows in the order of time. Member-centric, each member's money lies over that member's own time.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from footfall.audience.dividing import divide
from footfall.audience.earnings import Method, Terms, Unwatched, Watched, amounts_by_asset, by_member_and_asset
from footfall.values.errors import Refused


@dataclass(frozen=True, slots=True)
class Stretch:
    """Money of an asset and the rows that it came from."""

    source: str  # whose: a member, or empty for what was divided by everybody's time
    amount: int
    rows: Sequence[Watched]


@dataclass(frozen=True, slots=True)
class Trace:
    """Where one minor unit came from."""

    asset: str
    cent: int  # from 1
    amount: int  # of the asset in all
    source: str
    rows: Sequence[Watched]  # the rows that it lies over, in the order of time
    part_ms: int  # how much watched time stands behind one minor unit here, rounded up


def trace(terms: Terms, rows: Iterable[Watched], *, asset: str, cent: int) -> Trace:
    """Return where a minor unit of an asset's money came from; raise Refused when it has no such one."""
    stretches = stretches_of(terms, list(rows), asset=asset)
    amount = sum(one.amount for one in stretches)
    if not 1 <= cent <= amount:
        raise Refused("cent", f"{cent} is none of the {amount} that {asset[:60]!r} has")
    at = cent - 1
    for one in stretches:
        if at < one.amount:
            return _within(one, at, asset=asset, cent=cent, amount=amount)
        at -= one.amount
    raise AssertionError  # The stretches add up to the amount.


def stretches_of(terms: Terms, rows: Sequence[Watched], *, asset: str) -> list[Stretch]:
    """Return an asset's money by where it came from: members in their order, then what everybody's time divided."""
    by_member = by_member_and_asset(rows)
    by_asset: dict[str, int] = {}
    for assets in by_member.values():
        for one, time_ms in assets.items():
            by_asset[one] = by_asset.get(one, 0) + time_ms
    mine = sorted({row for row in rows if row.asset == asset and row.watched_ms > 0}, key=_by_time)
    total = amounts_by_asset(terms, by_member, by_asset).get(asset, 0)
    if terms.method is Method.PRO_RATA:
        return [Stretch("", total, mine)]
    stretches = list[Stretch]()
    for member, fee in sorted(terms.fees.items()):
        part = divide(fee, by_member.get(member, {})).get(asset, 0)
        if part:
            stretches.append(Stretch(member, part, [row for row in mine if row.member == member]))
    pooled = total - sum(one.amount for one in stretches)
    if pooled and terms.unwatched is Unwatched.POOLED:
        stretches.append(Stretch("", pooled, mine))
    return stretches


def _within(stretch: Stretch, at: int, *, asset: str, cent: int, amount: int) -> Trace:
    """Return the rows over which the minor unit at a place of a stretch lies."""
    total_ms = sum(row.watched_ms for row in stretch.rows)
    # Bounds in units of 1 / stretch.amount milliseconds, so that nothing is rounded.
    first, last = at * total_ms, (at + 1) * total_ms
    found, seen = list[Watched](), 0
    for row in stretch.rows:
        start, seen = seen, seen + row.watched_ms * stretch.amount
        if start < last and seen > first:
            found.append(row)
    return Trace(asset, cent, amount, stretch.source, found, -(-total_ms // stretch.amount))


def _by_time(row: Watched) -> tuple[int, str, str]:
    return (row.from_ms, row.session, row.member)
