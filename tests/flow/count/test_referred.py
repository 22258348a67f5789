"""Where readers came from, by the bytes of keys or by the keys: the same hours."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.count.referred import DIRECT_PER_PAIR, PAIR_BYTES, HourKey, ReferredRules, ReferredTally
from footfall.flow.count.timing import Rules
from footfall.flow.store.referrers import Hour
from footfall.flow.stream.records import RULES, VERSION
from footfall.native import IS_BUILT
from footfall.ports.stream import Record
from footfall.values.window import DAY_MS, HOUR_MS
from tests.flow.count.stage import NOON_MS
from tests.native.hostile import mutated
from tests.native.without import without_native_code

PAGES = ("", "https://www.google.fi/?q=x", "https://t.co/z", "https://www.abc.example/front")
HOURS_AGO = 2
HEAD_BYTES = 12  # up to the keys; moments that there cannot be are refused elsewhere


def record(chance: Random, sequence: int) -> Record:
    """Return a record, mostly one that says nothing of where its readers came from."""
    hits, arrived_at_ms = chance.choice((0, 1, 3, 20)), NOON_MS + sequence * 60_000
    keys = [
        (str(chance.randrange(9)) + chance.choice(("", "é")), chance.choice(("", "12")), "", "") for _ in range(hits)
    ]
    columns: list[Any] = [VERSION, RULES, arrived_at_ms, keys, *([None] * 4), False, *([None] * 5)]
    kind = chance.random()
    if kind < 0.3:
        columns[chance.choice((10, 11))] = [chance.choice(PAGES) for _ in range(hits)]
    elif kind < 0.4:
        columns[4] = [arrived_at_ms - chance.randrange(HOURS_AGO * HOUR_MS) for _ in range(hits)]
    elif kind < 0.45:
        columns[6] = {0: "bot-agent"} if hits else None
    elif kind < 0.5:
        columns[9] = [b"12345678"] * hits
    elif kind < 0.6:
        columns[chance.choice((4, 5, 9, 10, 11, 12, 13))] = chance.choice(([], [1], "odd", [""] * (hits + 1)))
    elif kind < 0.65:
        columns[5] = [2] * hits
    data = msgspec.msgpack.encode(columns)
    data = data[:HEAD_BYTES] + mutated(data[HEAD_BYTES:], chance) if 0.65 < kind < 0.7 else data
    data = data.replace(b"\xa1", b"\xd9\x01") if 0.7 < kind < 0.75 else data
    weight = hits + (kind > 0.95)
    repeats = (0,) if hits and chance.random() < 0.1 else ()
    return Record(sequence, chance.choice(("abc", "xyz")), weight, data, arrived_at_ms, repeats=repeats)


def bare(sequence: int, assets: list[str]) -> Record:
    keys = [(asset, "", "", "") for asset in assets]
    columns: list[Any] = [VERSION, RULES, NOON_MS, keys, *([None] * 4), False, *([None] * 5)]
    return Record(sequence, "abc", len(keys), msgspec.msgpack.encode(columns), NOON_MS)


def tallied(*records: Record) -> ReferredTally:
    rules = ReferredRules(Rules(), 10 * DAY_MS, zone_of=lambda _: "UTC", sites_of=lambda _: ())
    tally = ReferredTally(rules)
    for one in records:
        tally.add(one, has=lambda _hour, _sequence: False, counted_again=lambda _record, _replays: None)
    return tally


def test_long_keys_of_hits_without_a_source_weigh_by_their_bytes() -> None:
    assert IS_BUILT, "without native code every key is a pair; `make setup` builds it"
    short = [f"{number}" for number in range(500)]
    long = [f"{number:é>125}" for number in range(500)]  # most characters take two bytes
    long_pairs = sum(len(one.encode()) for one in long) // PAIR_BYTES
    assert long_pairs > 500 // DIRECT_PER_PAIR * 2
    assert tallied(bare(1, short)).pairs == 500 // DIRECT_PER_PAIR
    tally = tallied(bare(1, long[:300]))
    first = tally.pairs
    assert 0 < first < long_pairs
    for sequence in (2, 3):  # the second has nothing new
        tally.add(bare(sequence, long), has=lambda _hour, _sequence: False, counted_again=lambda _record, _at: None)
        assert tally.pairs == long_pairs
    assert list(tally.poured(lambda _hour: Hour()))
    assert tally.pairs == 0


def hours_of(seed: int, *, has_some: bool) -> dict[HourKey, Any]:
    """Return what hours say after two runs of records: hits of each group by the names of their sources."""
    chance, hours = Random(seed), dict[HourKey, Hour]()
    rules = ReferredRules(Rules(), 10 * DAY_MS, zone_of=lambda _: "UTC", sites_of=lambda _: ("abc.example",))
    tally = ReferredTally(rules)
    for run in range(2):
        for sequence in range(1 + 30 * run, 31 + 30 * run):
            tally.add(
                record(chance, sequence),
                has=lambda hour, number: has_some and number < 20 and hour[0] == "abc",
                counted_again=lambda _record, _replays: None,
            )
        assert set(tally.poured(lambda key: hours.setdefault(key, Hour()))) <= set(hours)
        assert (tally.pairs, tally.hours()) == (0, set())
    return {key: told(hour) for key, hour in hours.items()}


def told(hour: Hour) -> tuple[Any, ...]:
    names = {number: name for name, number in hour.numbers.items()}
    groups = {name: {names[source]: hits for source, hits in group.items()} for name, group in hour.groups.items()}
    return groups, hour.other, hour.unplaced, hour.pairs


@given(seed=st.integers(0, 2**32), has_some=st.booleans())
def test_hours_are_the_same_whichever_way_records_are_taken(seed: int, has_some: bool) -> None:
    by_bytes = hours_of(seed, has_some=has_some)
    with without_native_code():
        assert hours_of(seed, has_some=has_some) == by_bytes


def test_most_records_are_taken_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    # Else the comparison above would say nothing.
    taken: list[bool] = []
    is_added = ReferredTally._is_added_packed

    def noted(self: ReferredTally, *arguments: Any) -> bool:
        taken.append(is_added(self, *arguments))
        return taken[-1]

    monkeypatch.setattr(ReferredTally, "_is_added_packed", noted)
    for seed in range(5):
        hours_of(seed, has_some=False)
    assert sum(taken) > 5 * 60 // 4
