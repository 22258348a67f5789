"""The ledger of a brand: where every accepted hit has gone, in lines that add up.

All lines but the last are kept where hits are counted, one map per shard. What was appended to the stream and
is in no line yet is in flight. It can never be less than nothing: a ledger that would say so is not shown.

Where a stream cannot say how much was appended, what is in flight is an estimate (in_flight.py), marked so, and the
accepted hits are those of the lines and the estimate.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec

from footfall.ports.errors import Corrupt
from footfall.values.errors import FootfallError


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """What became of a brand's hits; the lines after the first add up to it."""

    brand: str
    accepted: int
    counted: int
    duplicate: int
    screened: Mapping[str, int]
    late: int
    future: int
    unlabelled: int
    dead: int
    in_flight: int
    is_estimate: bool = False  # what is in flight, and with it what was accepted


class Unbalanced(FootfallError):
    """The lines of a ledger add up to more than was ever accepted."""


def ledger(brand: str, handled: Mapping[str, Mapping[str, object]], *, appended: int) -> Ledger:
    """Return the brand's ledger from the lines that each shard keeps and the hits that were appended in all."""
    drained = estimated_ledger(brand, handled, in_flight=0)
    parts = drained.accepted
    if parts > appended:
        raise Unbalanced(
            f"{brand}: the ledger's lines add up to {parts} hits, but only {appended} were accepted; "
            "restore stream and store from one moment"
        )
    return replace(drained, accepted=appended, in_flight=appended - parts, is_estimate=False)


def estimated_ledger(brand: str, handled: Mapping[str, Mapping[str, object]], *, in_flight: int) -> Ledger:
    """Return the brand's ledger from the lines that each shard keeps and an estimate of what no shard has read."""
    shards = [_lines_from_item(shard, item) for shard, item in handled.items()]
    screened: dict[str, int] = {}
    for lines in shards:
        for reason, hits in lines.screened.items():
            screened[reason] = screened.get(reason, 0) + hits
    sums = {name: sum(getattr(lines, name) for lines in shards) for name in _SUMMED}
    return Ledger(
        brand=brand,
        accepted=sum(sums.values()) + sum(screened.values()) + in_flight,
        screened=dict(sorted(screened.items())),
        in_flight=in_flight,
        is_estimate=True,
        **sums,
    )


def ledger_json(book: Ledger) -> bytes:
    """Return the ledger as the API shows it."""
    shown: dict[str, object] = {
        "brand": book.brand,
        "accepted": book.accepted,
        "counted": book.counted,
        "duplicate": book.duplicate,
        "screened": dict(book.screened),
        "late": book.late,
        "future": book.future,
        "unlabelled": book.unlabelled,
        "dead": book.dead,
        "inFlight": book.in_flight,
    }
    if book.is_estimate:
        shown["inFlightIsEstimate"] = True
    return msgspec.json.encode(shown)


def counters_balance(book: Ledger) -> dict[str, object]:
    """Return what became of a brand's values for named counters: the lines that values can be in, which add up."""
    shown: dict[str, object] = {
        "accepted": book.accepted,
        "counted": book.counted,
        "duplicate": book.duplicate,
        "screened": dict(book.screened),
        "dead": book.dead,
        "inFlight": book.in_flight,
    }
    if book.is_estimate:
        shown["inFlightIsEstimate"] = True
    return shown


def pings_balance(book: Ledger) -> dict[str, object]:
    """Return what became of a brand's pings: the lines that beats can be in, which add up."""
    return {**counters_balance(book), "late": book.late, "future": book.future}


def follows_balance(book: Ledger) -> dict[str, object]:
    """Return what became of a brand's follows, or of those that ended; their moments are ours, so none is late."""
    shown = counters_balance(book)
    del shown["screened"]
    return shown


class _Lines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One shard's lines. An unknown line is refused: leaving it out would show its hits as in flight for ever."""

    counted: int = 0
    duplicate: int = 0
    screened: dict[str, int] = {}
    late: int = 0
    future: int = 0
    unlabelled: int = 0
    dead: int = 0


_SUMMED = tuple(name for name in _Lines.__struct_fields__ if name != "screened")


def _lines_from_item(shard: str, item: Mapping[str, object]) -> _Lines:
    try:
        return msgspec.convert(dict(item), _Lines)
    except msgspec.ValidationError as error:
        raise Corrupt(f"the ledger of shard {shard} cannot be read: {error}") from error
