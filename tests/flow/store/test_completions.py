"""How far an asset is watched is added up once, whoever writes it again, and read in one query for each shard."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.store import keys
from footfall.flow.store.completions import (
    HUNDREDTHS,
    Completion,
    CompletionKey,
    Seen,
    add_to_completions,
    asset_digest,
    load_completion,
)
from footfall.ports.errors import Changed, Corrupt
from footfall.ports.table import Item, Key, Put, Table
from footfall.values.clock import SetClock
from tests.engines.dynamodb import table_of

DAY_MS = 86_400_000
TODAY_MS = 1_794_700_800_000
FILM = "fílm#1@home"


@pytest.fixture(params=["sqlite", "dynamodb"])
def table(request: pytest.FixtureRequest) -> Table:
    clock = SetClock(TODAY_MS)
    if request.param == "sqlite":
        return SqliteTable(":memory:", clock=clock)
    engine = request.getfixturevalue("dynamodb")
    client = engine.shared()
    return table_of(client, engine.names(client), clock=clock, has_transactions=False)


def added(table: Table, *parts: Seen, through: int, days: int = 0, shard: int = 0, asset: str = FILM) -> None:
    key: CompletionKey = ("abc", asset, TODAY_MS - days * DAY_MS)
    add_to_completions(table, shard, {key: parts}, through=through, expires_at_ms=lambda day_ms: day_ms + 100 * DAY_MS)


def found(table: Table, *, days: int = 1, asset: str = FILM) -> Completion:
    from_ms, to_ms = TODAY_MS - (days - 1) * DAY_MS, TODAY_MS + DAY_MS
    return load_completion(table, "abc", asset, from_ms=from_ms, to_ms=to_ms, shards=2)


def test_days_and_shards_add_up_and_other_assets_and_days_do_not(table: Table) -> None:
    whole, half = (1 << HUNDREDTHS) - 1, (1 << 50) - 1
    added(table, Seen(3, 60_000, 1, whole), Seen(4, 30_000, 1, half), through=5)
    added(table, Seen(2, 10_000, 1, 1 << 99), through=9, days=1, shard=1)
    added(table, Seen(2, 10_000, 1, whole), through=9, days=2)
    added(table, Seen(2, 10_000, 1, whole), through=9, asset="another")
    assert found(table) == Completion(0, 90_000, 2, [2] * 50 + [1] * 50)
    assert found(table, days=2) == Completion(0, 100_000, 3, [2] * 50 + [1] * 49 + [2])
    assert found(table, asset="never") == Completion()


def test_what_is_written_again_after_a_stop_adds_nothing_and_what_is_new_does(table: Table) -> None:
    first, second = Seen(3, 60_000, 1, 1), Seen(7, 20_000, 0, 2)
    for through, parts in ((5, [first]), (5, [first]), (8, [first, second]), (8, [second])):
        added(table, *parts, through=through)
    assert found(table) == Completion(0, 80_000, 1, [1, 1] + [0] * 98)


@given(some=st.lists(st.integers(0, (1 << HUNDREDTHS) - 1), max_size=9))
def test_each_hundredth_is_counted_by_itself_however_it_was_jumped_about(some: list[int]) -> None:
    total = Completion()
    total.add([Seen(1, 10, 1, bits) for bits in some])
    assert total.seen == [sum(bits >> place & 1 for bits in some) for place in range(HUNDREDTHS)]
    assert (total.ms, total.playbacks) == (10 * len(some), len(some))


class SlowTable(SqliteTable):
    """A table in which another writer is always a little faster."""

    def get(self, key: Key) -> Item | None:
        """Return what is there, and let the other write then."""
        item = super().get(key)
        super().put(Put(key, {"through": 99, "ms": 0, "playbacks": 0, "seen": bytes(100)}))
        return item


def test_of_two_that_count_a_shard_one_finds_out() -> None:
    with pytest.raises(Changed):
        added(SlowTable(":memory:", clock=SetClock(TODAY_MS)), Seen(1, 10_000), through=1)


def test_what_cannot_be_read_is_said_to_be_corrupt() -> None:
    table = SqliteTable(":memory:", clock=SetClock(TODAY_MS))
    key = keys.completion("abc", asset_digest(FILM), TODAY_MS, 0)
    for seen in (b"", b"\xc0", b"\x91\x01"):
        table.put(Put(key, {"through": 1, "ms": 0, "playbacks": 0, "seen": seen}))
        with pytest.raises(Corrupt):
            found(table)
