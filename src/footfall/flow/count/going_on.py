"""The beats of a record one by one; where native code was built, it settles those that go on where the last one was.

Those are nearly all: the player plays, nothing is missing and nothing else is told than before. What is left comes out
here in the order of the record, each with all beats before it settled.
"""

from collections.abc import Iterator
from itertools import repeat
from typing import TYPE_CHECKING

from footfall.flow.count.watch_values import Beat, Session, Stretch, Watched
from footfall.flow.stream.beats import INTERVAL_MS, RATE_ONE, Beats
from footfall.native import new_going_on

if TYPE_CHECKING:
    from footfall.native.beats import Columns

Named = tuple[str, Beat]
GOING_ON = new_going_on(Session, Beat, Stretch)


def beats_left(
    brand: str, beats: Beats, arrived_at_ms: int, *, opened: dict[str, Session], changed: dict[str, Session],
    watched: Watched,
) -> Iterator[Named]:  # fmt: skip
    """Yield the beats of a record that are not settled, with their sessions; what is settled is noted as changed."""
    columns = columns_of(beats, arrived_at_ms)
    if GOING_ON is None:
        yield from _each(columns)
        return
    settle, place, count, aside = GOING_ON.settle, 0, len(beats.states), beats.aside or ()
    while (place := settle(brand, opened, changed, watched, columns, place)) < count:
        if place not in aside:
            yield _at(columns, place)
        place += 1


def columns_of(beats: Beats, arrived_at_ms: int) -> "Columns":
    """Return the columns with those that no beat uses."""
    count = len(beats.keys)
    return (
        beats.sessions,
        beats.numbers,
        beats.at_ms,
        beats.playheads_ms,
        [RATE_ONE] * count if beats.rates is None else beats.rates,
        [INTERVAL_MS] * count if beats.intervals_ms is None else beats.intervals_ms,
        [0] * count if beats.durations_ms is None else beats.durations_ms,
        [b""] * count if beats.visitors is None else beats.visitors,
        beats.keys,
        [""] * count if beats.series is None else beats.series,
        [""] * count if beats.members is None else beats.members,
        [""] * count if beats.devices is None else beats.devices,
        beats.states,
        arrived_at_ms,
        beats.aside,
    )


def _each(columns: "Columns") -> Iterator[Named]:
    """Return all beats that are not aside; made of columns without a step of the interpreter for each field."""
    names, numbers, at_ms, playheads, rates, intervals, durations, visitors, *facts, states, arrived, aside = columns
    beats = map(
        Beat, numbers, at_ms, playheads, states, zip(*facts, strict=True), rates, intervals, durations,
        repeat(arrived), visitors,
    )  # fmt: skip
    named = zip(names, beats, strict=True)
    return named if not aside else (one for place, one in enumerate(named) if place not in aside)


def _at(columns: "Columns", place: int) -> Named:
    names, numbers, at_ms, playheads, rates, intervals, durations, visitors, keys, *texts, states, arrived, _ = columns
    series, members, devices = texts
    return names[place], Beat(
        numbers[place], at_ms[place], playheads[place], states[place],
        (keys[place], series[place], members[place], devices[place]),
        rates[place], intervals[place], durations[place], arrived, visitors[place],
    )  # fmt: skip
