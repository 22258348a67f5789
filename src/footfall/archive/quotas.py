"""Quotas: how much a member and a brand may have open at once and ask for in a day, held by conditions."""

from collections.abc import Iterator
from dataclasses import dataclass

from footfall.archive import keys
from footfall.archive.captures import Request
from footfall.archive.stored import day_of
from footfall.ports.table import Below, Condition, Equals, Table, Update
from footfall.values.errors import Refused

DAY_COUNT_KEPT_MS = 2 * 86_400_000


class OverQuota(Refused):
    """Somebody has asked for as much as they may."""


@dataclass(frozen=True, slots=True)
class Quotas:
    """How much may be asked for; 0 is no limit."""

    open_max: int = 0  # by one member at once
    per_day_max: int = 0
    brand_open_max: int = 0
    brand_per_day_max: int = 0


NO_QUOTAS = Quotas()


@dataclass(frozen=True, slots=True)
class Turn:
    """When it is somebody's turn again, and when it was before."""

    name: str
    number: int
    before: int | None


def taken(request: Request, quotas: Quotas, turn: Turn, *, now_ms: int) -> Iterator[Update]:
    """Yield what counts a request that is opened; it fails where that is more than may be, or the turn is taken."""
    day = day_of(now_ms * 1_000)
    for who, open_max, per_day_max in _limits(request, quotas):
        is_own = who == request.by
        expects: list[Condition] = [Below("open", open_max)] if open_max else []
        expects += [Equals(turn.name, turn.before)] if is_own else []
        yield Update(keys.quota(who), set={turn.name: turn.number} if is_own else {}, add={"open": 1}, expects=expects)
        yield Update(
            keys.quota_of_day(who, day), add={"n": 1}, expires_at_ms=now_ms + DAY_COUNT_KEPT_MS,
            expects=[Below("n", per_day_max)] if per_day_max else [],
        )  # fmt: skip


def given_back(request: Request) -> Iterator[Update]:
    """Yield what counts a request that is open no more."""
    for who, _, _ in _limits(request, NO_QUOTAS):
        yield Update(keys.quota(who), add={"open": -1})


def require_within(table: Table, request: Request, quotas: Quotas, *, now_ms: int) -> None:
    """Raise OverQuota with the limit that a request would pass."""
    day = day_of(now_ms * 1_000)
    for who, open_max, per_day_max in _limits(request, quotas):
        whose = "you have" if who == request.by else "the brand has"
        if open_max and _count(table, who) >= open_max:
            raise OverQuota("archive", f"{whose} {open_max} pages that are not done yet; wait until some are")
        if per_day_max and _count(table, who, day) >= per_day_max:
            raise OverQuota("archive", f"{whose} asked for {per_day_max} pages today (UTC), which is all; try tomorrow")


def _limits(request: Request, quotas: Quotas) -> Iterator[tuple[str, int, int]]:
    yield request.by, quotas.open_max, quotas.per_day_max
    yield keys.brand_space(request.brand), quotas.brand_open_max, quotas.brand_per_day_max


def _count(table: Table, who: str, day: str | None = None) -> int:
    item = table.get(keys.quota(who) if day is None else keys.quota_of_day(who, day))
    found = (item or {}).get("open" if day is None else "n", 0)
    return found if isinstance(found, int) else 0
