"""One trial of rules in a process of its own: at the lowest priority, within its time, and gone with whoever asked."""

import os
import sys
import threading
import time
from typing import Any

import msgspec

from footfall.app.settings import settings_from_json
from footfall.app.trying import TryOrder, tried
from footfall.values.clock import SystemClock
from footfall.values.errors import FootfallError, Refused

NICE = 19  # the lowest priority: counting and answering come first


class Told(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a trial says: its report, or the field and the reason of what was refused, or what went wrong."""

    report: dict[str, Any] | None = None
    refused: tuple[str, str] | None = None
    failed: str = ""


class Order(msgspec.Struct, frozen=True):
    """What a trial is told: settings, what to try, and how long and on how many hits."""

    settings: str
    order: TryOrder
    seconds: float
    hits_max: int


def main() -> None:
    """Take an order from standard input, one line, and print what came of it."""
    os.nice(NICE)
    order = msgspec.json.decode(sys.stdin.readline(), type=Order)
    threading.Thread(target=_end_with_parent, name="trial-lifeline", daemon=True).start()
    sys.stdout.buffer.write(msgspec.json.encode(_told(order)))
    sys.stdout.flush()


def _told(order: Order) -> Told:
    over_at_s = time.monotonic() + order.seconds
    try:
        report = tried(
            settings_from_json(order.settings),
            order.order,
            clock=SystemClock(),
            on_share=lambda _share: None,
            is_over=lambda hits: hits >= order.hits_max or time.monotonic() >= over_at_s,
        )
    except Refused as error:
        return Told(refused=(error.field, error.reason))
    except FootfallError as error:
        return Told(failed=str(error))
    return Told(report=report)


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    main()
