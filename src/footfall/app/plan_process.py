"""The plan of what an instance has counted, made in a process of its own: it takes seconds that answers do not have."""

import os
import sys
import threading
from typing import Any

import msgspec

from footfall.app.planning_actual import NothingMeasured, measured_traffic
from footfall.app.planning_inputs import Given, Shape, asked, shaped
from footfall.app.price_files import shipped_prices
from footfall.app.settings import Settings, settings_from_json
from footfall.planning.advice import About, advice
from footfall.planning.plan import Plan, plan
from footfall.planning.site import Stack
from footfall.values.clock import Clock, SystemClock
from footfall.values.errors import Refused

NICE = 19  # the lowest priority: counting and answering come first
DAYS = 14
REGION = "us-east-1"


def main() -> None:
    """Take settings from standard input, one line, and print the plan."""
    os.nice(NICE)
    settings = settings_from_json(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, name="plan-lifeline", daemon=True).start()
    sys.stdout.buffer.write(msgspec.json.encode(plan_told(settings, SystemClock())))
    sys.stdout.flush()


def plan_told(settings: Settings, clock: Clock) -> dict[str, Any]:
    """Return what GET /v1/plan answers; a sentence says why there is no plan."""
    try:
        return _planned(settings, clock)
    except (NothingMeasured, Refused) as error:
        reason = error.reason if isinstance(error, Refused) else str(error)
        says = [f"{reason[:1].upper()}{reason[1:].rstrip('.')}."]
        return {"hours": 0, "actual": None, "planned": None, "says": says, "isBeingMade": False}


def _planned(settings: Settings, clock: Clock) -> dict[str, Any]:
    found = measured_traffic(settings, clock, days=DAYS)
    book = shipped_prices()
    region = book.region(REGION)
    given = Given(assets=max(found.assets, found.brands, 1), brands=max(1, found.brands))
    actual = plan(asked(found, given, Stack(), per_day=found.per_day), book, region)
    # Whoever asks runs one machine: that it is cheaper than a stack, and how a stack would be, is no news to act on.
    says = [one.says for one in advice(actual) if one.about is not About.CHEAPER]
    planned: Plan | None = None
    if settings.plan_hits_per_day:
        per_day = float(settings.plan_hits_per_day)
        planned = plan(asked(shaped(Shape(per_day)), given, Stack(), per_day=per_day), book, region, whole=False)
    return {
        "hours": len(found.hourly),
        "actual": _costs(actual),
        "planned": None if planned is None else _costs(planned),
        "says": says,
        "isBeingMade": False,
    }


def _costs(made: Plan) -> dict[str, Any]:
    return {
        "hitsPerDay": round(float(made.work.hits.sum()) / made.work.days, 1),
        "busiestMinute": round(float(made.work.hits.max()), 1),
        "usd": f"{made.bill.usd:.2f}",
        "kinesisShards": made.work.stack.kinesis_shards,
        "firstToBreak": made.first.title,
        "reachedAt": round(min(made.first.multiple, 1e9), 2),
    }


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    main()
