"""A tally by the bytes of keys is the tally by their texts, whatever the records are: counts, lines and visitors."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.count import worker as workers
from footfall.flow.count.place_tally import PlaceTally
from footfall.flow.count.placing import Placing
from footfall.flow.count.tally import Rules, Tally
from footfall.flow.count.worker import CountRules
from footfall.flow.store import known_keys
from footfall.flow.store.columns import columns_from_counts, is_same
from footfall.flow.store.known_keys import KnownKeys
from footfall.flow.store.merging import Limits
from footfall.flow.store.visitors import group_of_asset
from footfall.flow.stream.records import RULES, RULES_OF_LOGS, VERSION
from footfall.ports.stream import Record
from footfall.values.period import RETENTION_MS
from footfall.values.window import DAY_MS, MINUTE_MS
from tests.flow.count.stage import NOON_MS, Stage
from tests.native.hostile import mutated
from tests.native.without import without_native_code

PLACING = Placing(kept_ms=RETENTION_MS, zone_of=lambda _: "UTC")
RECORDS_PER_SEED = 40
Seen = dict[str, Any]


def record(chance: Random, sequence: int) -> Record:
    """Return a record as senders make it, or as nobody does."""
    hits = chance.choice((0, 1, 3, 15, 16, 17, 100))
    arrived_at_ms = NOON_MS + sequence * 1_000
    keys = [(_asset(chance), chance.choice(("12", "563", "")), "article", "free") for _ in range(hits)]
    columns: list[Any] = [VERSION, RULES, arrived_at_ms, keys, *_columns(chance, hits, arrived_at_ms)]
    weight = sum(columns[5]) if columns[5] else hits
    kind = chance.random()
    if kind < 0.1:
        columns[chance.randrange(4, len(columns))] = chance.choice(([], [1], [b"12345678"], {hits: "reload"}, "odd", 7))
    data = msgspec.msgpack.encode(columns)
    if 0.1 < kind < 0.15:
        data = mutated(data, chance)
    if 0.15 < kind < 0.2 and hits:  # the same keys with a longer head each
        data = data.replace(b"\xa4free", b"\xd9\x04free")
    weight += kind > 0.97
    repeats = (0,) if hits and chance.random() < 0.05 else ()
    return Record(sequence, chance.choice(("abc", "abc", "xyz")), weight, data, arrived_at_ms, repeats=repeats)


def _asset(chance: Random) -> str:
    number = min(int(chance.paretovariate(0.6)), 60)
    return str(number) if number % 3 else f"/story/é{number}"


def _columns(chance: Random, hits: int, arrived_at_ms: int) -> list[Any]:
    """Return the columns behind the keys: times, weights, verdicts, replays, trust and visitors, most of them none."""
    at_ms, weights, screened, visitors = None, None, None, None
    trusted = chance.random() < 0.5
    if chance.random() < 0.4:
        spread_ms = chance.choice((1, 500, 2 * MINUTE_MS, 2 * DAY_MS))
        at_ms = [arrived_at_ms - chance.randrange(spread_ms) for _ in range(hits)]
    if chance.random() < 0.1:
        weights = [chance.randint(1, 5) for _ in range(hits)]
    if chance.random() < 0.1:
        screened = {place: chance.choice(("bot-agent", "reload")) for place in range(0, hits, 3)}
    if chance.random() < 0.4:
        visitors = [chance.choice((b"", chance.randrange(40).to_bytes(8, "big"))) for _ in range(hits)]
    return [at_ms, weights, screened, None, trusted, visitors]


def seen_of(tally: Tally) -> Seen:
    """Return all that a tally says; counts also in their order, by which windows with little room let them in."""
    places = tally.places()
    counts = {place: list(tally.counts_after(place, 0).items()) for place in places}
    columns = {place: columns_from_counts(tally.counts_after(place, 0)) for place in places}
    met = {place: one.sketches(group_of_asset, columns[place]) for place, one in tally.met().items()}
    return {
        "counts": counts,
        "lines": tally.lines,
        "aside": tally.aside,
        "arrivals": {place: tally.arrival_of(place) for place in places},
        "met": met,
        "through": (tally.through, tally.arrived_at_ms),
        "moved": tally.moved,
        "replays": tally.replays,
    }


def tallied(records: Sequence[Record], known: KnownKeys, *, uniques: bool, through: int = 0) -> Tally:
    tally = Tally(Rules(), placing=PLACING, through_of=lambda _: through, uniques=uniques, known=known)
    for one in records:
        tally.add(one)
    return tally


def flushes(seed: int, *, uniques: bool, through: int = 0) -> list[Seen]:
    """Return what several tallies in turn say, that know the keys of those before them."""
    chance, known = Random(seed), KnownKeys()
    seen: list[Seen] = []
    for flush in range(3):
        first = flush * RECORDS_PER_SEED + 1
        records = [record(chance, sequence) for sequence in range(first, first + RECORDS_PER_SEED)]
        seen.append(seen_of(tallied(records, known, uniques=uniques, through=through)))
    return seen


@given(seed=st.integers(0, 2**32), uniques=st.booleans(), through=st.sampled_from([0, 0, 20]))
def test_counting_by_bytes_gives_what_counting_by_texts_gives(seed: int, uniques: bool, through: int) -> None:
    by_bytes = flushes(seed, uniques=uniques, through=through)
    with without_native_code():
        by_texts = flushes(seed, uniques=uniques, through=through)
    assert by_bytes == by_texts


def test_most_records_are_counted_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    # Else the comparison above would say nothing.
    outcomes: list[bool] = []
    count_packed = PlaceTally.count_packed

    def noted(self: PlaceTally, *arguments: Any, **named: Any) -> bool:
        outcomes.append(count_packed(self, *arguments, **named))
        return outcomes[-1]

    monkeypatch.setattr(PlaceTally, "count_packed", noted)
    for seed in range(5):
        flushes(seed, uniques=True)
    assert sum(outcomes) > 5 * 3 * RECORDS_PER_SEED // 3


def test_records_over_the_end_of_a_minute_are_counted_by_their_bytes_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    parts: list[int] = []
    count_numbers = PlaceTally.count_numbers

    def noted(self: PlaceTally, numbers: bytes, hits: Sequence[int]) -> None:
        parts.append(len(hits))
        count_numbers(self, numbers, hits)

    monkeypatch.setattr(PlaceTally, "count_numbers", noted)
    keys = [(str(number), "12", "article", "free") for number in range(90)]
    at_ms = [NOON_MS - 40_000 + 1_000 * number for number in range(90)]
    data = msgspec.msgpack.encode([VERSION, RULES, NOON_MS + 60_000, keys, at_ms])
    tally = tallied([Record(1, "abc", 90, data, NOON_MS + 60_000)], KnownKeys(), uniques=True)
    assert parts == [40, 50]
    assert [len(tally.counts_after(place, 0)) for place in tally.places()] == [40, 50]


@given(seed=st.integers(0, 2**32))
def test_a_place_has_its_keys_in_the_order_of_their_coming_in_whichever_way_they_came(seed: int) -> None:
    def place() -> list[tuple[Any, int]]:
        chance, tallied = Random(seed), PlaceTally(known)
        for _ in range(30):
            keys = [(_asset(chance), "12", "article", "free") for _ in range(chance.choice((1, 3, 20)))]
            visitors = [b"12345678"] * len(keys) if chance.random() < 0.3 else None
            way = chance.choice("pppptm")
            raw = msgspec.Raw(msgspec.msgpack.encode(keys))
            if way == "m":
                tallied.meet(keys, [b"12345678"] * len(keys))
            elif way == "t" or not tallied.count_packed(raw, hits=len(keys), visitors=visitors):
                tallied.count(keys, visitors)
            if chance.random() < 0.2:
                tallied.counts()
        return list(tallied.counts().items())

    known = KnownKeys()
    for first in range(60, 0, -1):  # What was known before came in another order.
        known.numbers(msgspec.Raw(msgspec.msgpack.encode([(str(first), "12", "article", "free")])), hits=1)
    by_bytes = place()
    with without_native_code():
        known = KnownKeys()
        assert place() == by_bytes


def test_columns_that_speak_of_other_hits_make_a_dead_letter_either_way() -> None:
    for column in (4, 5, 9):
        columns: list[Any] = [VERSION, RULES, NOON_MS, [("1", "", "", "")], None, None, None, None, False, None]
        columns[column] = []
        one = Record(1, "abc", 1, msgspec.msgpack.encode(columns), NOON_MS)
        tally = tallied([one], KnownKeys(), uniques=True)
        assert (tally.lines["abc"].dead, tally.lines["abc"].counted, tally.places()) == (1, 0, [])


def test_a_record_of_a_log_is_counted_at_its_own_times_either_way() -> None:
    times = [NOON_MS - 90 * DAY_MS + second * 1_000 for second in range(40)]
    keys = [(str(number % 7), "", "", "") for number in range(40)]
    data = msgspec.msgpack.encode([VERSION, RULES_OF_LOGS, NOON_MS, keys, times, None, None, None, True])
    one = Record(1, "abc", 40, data, NOON_MS)
    by_bytes = seen_of(tallied([one], KnownKeys(), uniques=True))
    with without_native_code():
        assert seen_of(tallied([one], KnownKeys(), uniques=True)) == by_bytes
    assert by_bytes["lines"]["abc"].last_hit_ms == times[-1]


def stored(seed: int, how: CountRules) -> tuple[dict[Any, str], object]:
    """Return the checksums of all that a worker stores of some records, some of them after its windows were full."""
    chance, stage = Random(seed), Stage(how=how)
    side = stage.side()
    for _ in range(6):
        for _ in range(chance.randint(1, 4)):
            keys = [(_asset(chance), chance.choice(("12", "563", "9")), "article", "free") for _ in range(30)]
            visitors = [chance.randbytes(8) for _ in keys] if chance.random() < 0.4 else None
            stage.send_pack(keys, visitors=visitors)
        side.count()
        stage.clock.advance(chance.choice((500, 20_000, MINUTE_MS)))
    side.count()
    return stage.checksums(), stage.lines()


@given(
    seed=st.integers(0, 2**32),
    limits=st.builds(Limits, assets_max=st.integers(1, 12), slices_max=st.integers(1, 3), text_bytes_max=st.just(40)),
)
def test_a_window_without_room_lets_in_the_same_either_way(seed: int, limits: Limits) -> None:
    how = replace(CountRules(), limits=limits)
    by_bytes = stored(seed, how)
    with without_native_code():
        assert stored(seed, how) == by_bytes


def test_a_worker_that_knows_too_many_keys_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[KnownKeys] = []

    class Noted(KnownKeys):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr(workers, "KnownKeys", Noted)
    monkeypatch.setattr(known_keys, "KEYS_MAX", 20)
    by_bytes = stored(7, CountRules())
    assert len(made) > 2
    assert max(map(len, made)) < 200
    with without_native_code():
        assert stored(7, CountRules()) == by_bytes


def test_columns_made_of_numbers_are_those_of_the_mapping() -> None:
    tally = tallied([record(Random(3), 1) for _ in range(1)], KnownKeys(), uniques=False)
    for place in tally.places():
        counts = tally.counts_after(place, 0)
        assert is_same(columns_from_counts(counts), columns_from_counts(dict(counts)))
