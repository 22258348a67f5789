"""`footfall autoscale`: the capacity of a provisioned table, proposed every minute, and set where that is asked for."""

import argparse
from typing import TYPE_CHECKING, Any

import msgspec

from footfall.shells.cli.command import JSON, Argument, Command, Exit, Surroundings, WrongUsage, whole_from, zone
from footfall.values.errors import Refused
from footfall.values.window import instant_text

if TYPE_CHECKING:
    from footfall.app.autoscaling import Look
    from footfall.planning.scaling import Bounds

UNITS_MAX = 10_000_000


def autoscale(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Look at a table once, or every so often until it is stopped."""
    from footfall.adapters.aws.sessions import Ground
    from footfall.adapters.aws.table_capacity import TableCapacity
    from footfall.app.autoscaling import keep_looking, look
    from footfall.planning.scaling import Rule

    bounds = {name: given for name in ("reads", "writes") if (given := getattr(arguments, name)) is not None}
    if not bounds:
        raise WrongUsage("Nothing may be moved: give --reads LOW:HIGH, --writes LOW:HIGH, or both.")
    try:
        rule = Rule(arguments.raise_at, arguments.raise_by, tuple(arguments.drop_at), arguments.zone)
    except Refused as refused:
        raise WrongUsage(f"--{refused}.") from refused
    table = TableCapacity(arguments.table, Ground(region=arguments.region, endpoint=arguments.endpoint))

    def once() -> "Look":
        return look(table, bounds, rule, now_ms=around.clock.now_ms(), may_change=arguments.apply)

    def tell(found: "Look") -> None:
        _tell(found, arguments, around)

    if arguments.once:
        tell(once())
    else:
        keep_looking(once, tell, around.complain, lambda: around.pause(arguments.every))
    return Exit.OK


def _tell(found: "Look", arguments: argparse.Namespace, around: Surroundings) -> None:
    if arguments.json:
        around.say(msgspec.json.encode(_document(found, arguments.table)).decode())
        return
    at = instant_text(found.at_ms)
    if found.is_on_demand:
        around.say(f"{at} {arguments.table} is billed by use: there is no capacity to set.")
        return
    for one in found.watched:
        before, after = one.proposal.before, one.proposal.after
        where = f"{arguments.table}/{one.index}" if one.index else arguments.table
        what = f"stays at {before:,}" if before == after else f"{before:,} to {after:,}"
        around.say(f"{at} {where} {one.direction}: {what} ({one.proposal.reason})")
    if found.was_applied:
        around.say(f"{at} DynamoDB was asked for it; no other change is made until that is done.")
    elif found.changes:
        waits = f"the table is {found.status}" if arguments.apply else "--apply does it"
        around.say(f"{at} nothing was changed: {waits}.")


def _document(found: "Look", table: str) -> dict[str, Any]:
    return {
        "at": instant_text(found.at_ms),
        "table": table,
        "status": found.status,
        "isOnDemand": found.is_on_demand,
        "wasApplied": found.was_applied,
        "capacities": [
            {
                "index": one.index,
                "direction": one.direction,
                "use": round(one.use, 4),
                "before": one.proposal.before,
                "after": one.proposal.after,
                "reason": one.proposal.reason,
            }
            for one in found.watched
        ],
    }


def bounds_from(text: str) -> "Bounds":
    """Read LOW:HIGH."""
    from footfall.planning.scaling import Bounds

    whole = whole_from(1, UNITS_MAX)
    low, colon, high = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"{text!r} is not LOW:HIGH, such as 10:400")
    try:
        return Bounds(whole(low), whole(high))
    except Refused as refused:
        raise argparse.ArgumentTypeError(str(refused)) from refused


def time_of_day(text: str) -> int:
    """Read HH:MM as a minute of the day."""
    hour, colon, minute = text.partition(":")
    if not (colon and hour.isdecimal() and minute.isdecimal() and int(hour) < 24 and int(minute) < 60):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time of day, such as 23:30")
    return int(hour) * 60 + int(minute)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number, such as 0.8") from None


COMMAND = Command(
    name="autoscale",
    says="Propose the capacity of a provisioned DynamoDB table every minute, and set it with --apply.",
    tells="A table or an index of which 80 % is in use, or that refuses calls, gets 1.2 times as much, at most twice\n"
    "as much in one call. At the times of --drop-at it is lowered to what the last hour needed, as far as the vendor\n"
    "takes decreases. Nothing leaves LOW:HIGH, and without --apply nothing is changed.",
    example="footfall autoscale footfall-store --writes 50:2000 --region eu-north-1 --once",
    more_examples=(
        "footfall autoscale footfall-store --reads 10:400 --writes 50:2000 --drop-at 23:30 --drop-at 02:30 "
        "--zone America/New_York --apply",
    ),
    run=autoscale,
    arguments=(
        Argument("table", "The table.", shows="TABLE"),
        Argument("--reads", "Between which read capacities it may be moved.", shows="LOW:HIGH", reads=bounds_from),
        Argument("--writes", "Between which write capacities it may be moved.", shows="LOW:HIGH", reads=bounds_from),
        Argument("--raise-at", "The share in use at which it is raised.", shows="SHARE", reads=_number, default=0.8),
        Argument("--raise-by", "The factor by which it is raised.", shows="FACTOR", reads=_number, default=1.2),
        Argument("--drop-at", "A time of day at which it is lowered; may be repeated.", shows="HH:MM", repeated=True,
                 reads=time_of_day),
        Argument("--zone", "The time zone of --drop-at.", shows="ZONE", reads=zone, default="UTC"),
        Argument("--every", "Seconds between two looks.", shows="S", reads=whole_from(10, 3_600), default=60),
        Argument("--once", "Look once and end.", is_switch=True),
        Argument("--apply", "Set what is proposed; else it is only told.", is_switch=True),
        Argument("--region", "The AWS region; else the machine's own.", shows="REGION"),
        Argument("--endpoint", "Where something that stands in for AWS is; else AWS.", shows="URL"),
        JSON,
    ),
    exits={Exit.FAILED: "AWS could not be reached, or refused it"},
)  # fmt: skip
