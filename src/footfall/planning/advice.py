"""What a plan comes to, in sentences: whether to reserve, to scale or to re-key, and what else is worth a look."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from footfall.planning.limits import Limit, Raised
from footfall.planning.plan import Plan
from footfall.planning.quantities import money, short

NEAR = 1 / 0.7  # The alarm rings at 70 %.
HOT = 2.0  # A key that is within twice of its limit is hot before anybody notices.
WORTH = Decimal("0.05")  # of the bill
WORTH_USD = Decimal(5)
APART = 0.25  # Plan and actual may differ by a quarter before that is news.


class About(StrEnum):
    """What a sentence is about."""

    SCALE = "scale"
    REKEY = "re-key"
    RESERVE = "reserve"
    CHEAPER = "cheaper"
    APART = "plan against actual"


@dataclass(frozen=True, slots=True)
class Advice:
    """One sentence, and whether it asks for something to be done."""

    about: About
    says: str
    is_due: bool


def advice(made: Plan) -> list[Advice]:
    """Return what to do about capacity, keys and money."""
    return [_scale(made), _rekey(made), _reserve(made), *_cheaper(made)]


def against(planned: Plan, actual: Plan) -> Iterator[Advice]:
    """Yield in what a measured month differs from the one that was planned."""
    pairs = (
        ("hits a day", _per_day(planned), _per_day(actual)),
        ("hits in the busiest minute", float(planned.work.hits.max()), float(actual.work.hits.max())),
        ("write units a month", float(planned.work.writes.sum()), float(actual.work.writes.sum())),
        ("dollars a month", float(planned.bill.usd), float(actual.bill.usd)),
    )
    for what, was, found in pairs:
        times = found / was if was else float("inf")
        is_apart = not 1 - APART <= times <= 1 + APART
        more = f"{times:.2g} times" if is_apart else "as"
        yield Advice(About.APART, f"{short(found)} {what}, where the plan has {short(was)}: {more} planned.", is_apart)
    before, now = planned.work.stack, actual.work.stack
    if now.kinesis_shards != before.kinesis_shards:
        yield Advice(
            About.APART,
            f"The measured traffic needs {now.kinesis_shards} Kinesis shards, and the plan has "
            f"{before.kinesis_shards}.",
            is_due=True,
        )


def _scale(made: Plan) -> Advice:
    first = min((one for one in made.limits if one.raised is not Raised.NEVER), key=lambda one: one.multiple)
    if first.multiple < NEAR:
        return Advice(About.SCALE, f"Scale: {_used(first)}; {first.do}.", is_due=True)
    return Advice(
        About.SCALE,
        f"Nothing to scale: {_used(first)}, reached at {first.multiple:.1f} times the traffic.",
        is_due=False,
    )


def _rekey(made: Plan) -> Advice:
    keyed = [one for one in made.limits if one.name in ("hot-asset", "one-key")]
    first = min(keyed, key=lambda one: one.multiple)
    if first.multiple < HOT:
        return Advice(About.REKEY, f"Re-key: {_used(first)}; {first.do}.", is_due=True)
    return Advice(
        About.REKEY, f"No key is hot: {_used(first)}, reached at {first.multiple:.0f} times the traffic.", is_due=False
    )


def _reserve(made: Plan) -> Advice:
    ways = made.bill.capacity
    now, best = ways.ways[0], ways.cheapest
    saves = now.usd - best.usd
    if saves > WORTH_USD and saves > made.bill.usd * WORTH:
        return Advice(
            About.RESERVE,
            f"Buy the table's units {best.name}: {money(best.usd)} a month instead of {money(now.usd)} on demand.",
            is_due=True,
        )
    if best is now:
        return Advice(
            About.RESERVE,
            f"Stay on demand: {money(now.usd)} a month for the table's units, and no other way is cheaper.",
            is_due=False,
        )
    return Advice(
        About.RESERVE,
        f"Stay on demand: {best.name} would save {money(saves)} of {money(made.bill.usd)} a month, which is "
        "not worth a capacity to watch.",
        is_due=False,
    )


def _cheaper(made: Plan) -> Iterator[Advice]:
    for one in made.cheaper[:3]:
        is_due = one.saves > max(WORTH_USD, made.bill.usd * WORTH)
        yield Advice(
            About.CHEAPER,
            f"{one.what.rstrip('.')}: saves {money(one.saves)} a month; it gives up: {one.gives_up}.",
            is_due,
        )


def _used(limit: Limit) -> str:
    share = f"{100 * limit.share:.2g} %" if limit.share < 0.995 else f"{100 * limit.share:,.0f} %"
    return f"{limit.title}: {share} used in the busiest minute"


def _per_day(made: Plan) -> float:
    return float(made.work.hits.sum()) / made.work.days
