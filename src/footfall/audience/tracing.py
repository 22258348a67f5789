"""Tracing a cent: from one minor unit of a statement back to who watched what, and when. Pure.

An asset's money lies over its watched time as a ruler: the first cent over the first stretch of it, the last over the
last, rows in the order of time. Member-centric, each member's money lies over that member's own time.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from footfall.audience.dividing import divide
from footfall.audience.earnings import Fold, Method, Terms, Unwatched, Watched, amounts_by_asset
from footfall.audience.statement_errors import LogChanged
from footfall.values.errors import Refused

TRACED_ROWS_MAX = 1_000  # A cent over more of them is told by the first.


@dataclass(frozen=True, slots=True)
class Source:
    """Money of an asset, and the watched time that it came from."""

    member: str  # whose; empty for what was divided by everybody's time
    amount: int
    watched_ms: int


@dataclass(frozen=True, slots=True)
class Trace:
    """Where one minor unit came from."""

    asset: str
    cent: int  # from 1
    amount: int  # of the asset in all
    source: str
    rows: Sequence[Watched]  # those that it lies over, in the order of time; of very many the first
    rows_in_all: int
    part_ms: int  # how much watched time stands behind one minor unit here, rounded up


def trace(terms: Terms, fold: Fold, rows: Iterable[Watched], *, asset: str, cent: int) -> Trace:
    """Return where a minor unit of an asset's money came from; raise Refused when it has no such one.

    The fold is of the whole period, the rows are those of the asset in the order of time.
    """
    sources = sources_of(terms, fold, asset=asset)
    amount = sum(one.amount for one in sources)
    if not 1 <= cent <= amount:
        raise Refused("cent", f"{cent} is none of the {amount} that {asset[:60]!r} has")
    at = cent - 1
    for one in sources:
        if at < one.amount:
            found, count = _within(one, rows, at)
            part_ms = -(-one.watched_ms // one.amount)
            return Trace(asset, cent, amount, one.member, found, count, part_ms)
        at -= one.amount
    raise AssertionError  # The sources add up to the amount.


def sources_of(terms: Terms, fold: Fold, *, asset: str) -> list[Source]:
    """Return an asset's money by where it came from: members in their order, then what everybody's time divided."""
    total, watched_ms = amounts_by_asset(terms, fold).get(asset, 0), fold.by_asset.get(asset, 0)
    if terms.method is Method.PRO_RATA:
        return [Source("", total, watched_ms)]
    sources = list[Source]()
    for member, fee in sorted(terms.fees.items()):
        assets = fold.by_member.get(member, Counter[str]())
        part = divide(fee, assets).get(asset, 0)
        if part:
            sources.append(Source(member, part, assets[asset]))
    pooled = total - sum(one.amount for one in sources)
    if pooled and terms.unwatched is Unwatched.POOLED:
        sources.append(Source("", pooled, watched_ms))
    return sources


def _within(source: Source, rows: Iterable[Watched], at: int) -> tuple[list[Watched], int]:
    """Return the rows over which the minor unit at a place of a source lies: the first, and how many there are."""
    # Bounds in units of 1 / source.amount milliseconds, so that nothing is rounded.
    first, last = at * source.watched_ms, (at + 1) * source.watched_ms
    found, count, seen = list[Watched](), 0, 0
    for row in rows:
        if row.watched_ms <= 0 or (source.member and row.member != source.member):
            continue
        start, seen = seen, seen + row.watched_ms * source.amount
        if start < last and seen > first:
            count += 1
            if len(found) < TRACED_ROWS_MAX:
                found.append(row)
    if seen != source.watched_ms * source.amount:
        raise LogChanged("the watch log has changed while it was read; ask again")
    return found, count
